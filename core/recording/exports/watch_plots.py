"""Watched expressions in the exported pages: a plot over the turns of each branch, and their values in a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape

from core.common.readings import Unknown, Value
from core.planning.facets import Moment
from core.recording.exports.decisions import values_by_turn
from core.recording.exports.html_parts import branch_words, table
from core.recording.reader import Recording
from core.session.checked_expressions import Expression, in_words
from core.session.snapshot import Snapshot
from core.session.turns import Turn, line_of

WIDE, HIGH, LEFT, ABOVE = 1040, 96, 70, 12
"""Size of a plot, and the room for the labels of its value axis and above the highest value."""
Values = Mapping[Moment, Value]


def watch_section(recording: Recording, end: Snapshot, watches: Sequence[Expression]) -> str:
    """Returns a plot of each expression over the turns, with the values at the end of each turn; nothing without expressions.

    Args:
        recording: the recording.
        end: its last snapshot.
        watches: the expressions.
    """
    if not watches:
        return ""
    of_turn = values_by_turn(recording, watches)
    lines = {number: line_of(end.turns, end.branches, number) for number, _, _ in end.branches}
    plots = "".join(_plot(watch.text, {moment: values[k] for moment, values in of_turn.items()}, lines, end.branch)
                    for k, watch in enumerate(watches))
    rows = "".join(f"<tr><td>{moment.turn}, {branch_words(moment.branch)}</td>{''.join(map(_cell, values))}</tr>"
                   for moment, values in of_turn.items())
    listed = table(("turn", *(watch.text for watch in watches)), [rows])
    return f"<h2>Watches</h2>{plots}<details><summary>values at the end of each turn</summary>{listed}</details>"


def watched_values(now: Snapshot, watches: Sequence[Expression]) -> str:
    """Returns the values of expressions at one snapshot; nothing without expressions."""
    rows = [f"<tr><td>{escape(watch.text)}</td>{_cell(watch.value(now))}</tr>" for watch in watches]
    return f"<h2>Watches</h2>{table(('expression', 'value'), rows)}" if rows else ""


def _cell(value: Value) -> str:
    return f'<td class="n">{escape(in_words(value))}</td>'


def _plot(title: str, values: Values, lines: Mapping[int, Sequence[Turn]], present: int) -> str:
    """Returns a plot: one curve for each branch, that of the present branch in front."""
    numbers = [float(value) for value in values.values() if not isinstance(value, Unknown | str)]
    if not numbers:
        return f'<p class="card">{escape(title)} <span class="muted">has no value in any turn</span></p>'
    low, high, last = min(numbers), max(numbers), max(turn.number for line in lines.values() for turn in line)
    ordered = sorted(lines, key=lambda number: number == present)
    curves = "".join(_curve(lines[number], values, (low, high, last), number == present) for number in ordered)
    scale = "".join(f'<text x="{LEFT - 8}" y="{_y(value, low, high) + 4:.0f}" text-anchor="end">{in_words(value)}</text>'
                    for value in dict.fromkeys((low, high)))
    ends = (f'<text x="{LEFT}" y="{HIGH + 14}">turn 1</text>'
            f'<text x="{WIDE}" y="{HIGH + 14}" text-anchor="end">turn {last}</text>')
    return (f'<h3>{escape(title)}</h3><svg class="card" viewBox="0 0 {WIDE} {HIGH + 18}" role="img" '
            f'aria-label="{escape(title)} over {last} turns">{scale}{ends}{curves}</svg>')


def _curve(line: Sequence[Turn], values: Values, scale: tuple[float, float, int], present: bool) -> str:
    """Returns the curve of one branch. It is interrupted where the value is unknown; each turn's value is a tip."""
    low, high, last = scale
    paint = "var(--planner)" if present else "var(--muted)"
    parts = []
    for stretch in _stretches(line, values):
        points = [(LEFT + (WIDE - LEFT - 8) * (number - 1) / max(1, last - 1), _y(value, low, high), number, value)
                  for number, value in stretch]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y, _, _ in points)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{paint}" stroke-width="{2 if present else 1}"/>')
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{paint}"><title>turn {number}: {escape(in_words(value))}'
                  "</title></circle>" for x, y, number, value in points]
    return "".join(parts)


def _stretches(line: Sequence[Turn], values: Values) -> Iterator[list[tuple[int, float | bool]]]:
    """Yields the turns of a branch with their values, in stretches without an unknown value."""
    found: list[tuple[int, float | bool]] = []
    for turn in line:
        value = values.get(turn.moment, Unknown("not kept"))
        if isinstance(value, Unknown | str):
            if found:
                yield found
            found = []
        else:
            found.append((turn.number, value))
    if found:
        yield found


def _y(value: float, low: float, high: float) -> float:
    """Returns the height of a value; a value that never changes lies in the middle."""
    return ABOVE + (HIGH - ABOVE) * ((high - value) / (high - low) if high > low else 0.5)
