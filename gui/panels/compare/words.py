"""What is said of two branches, and which rows stand between their heads. No Qt."""

from __future__ import annotations

from dataclasses import dataclass

from core.comparing_branches import Comparison, Pair, Side
from core.snapshot import Snapshot, Turn
from gui.turns import branch_name
from gui.widgets import Names
from gui.widgets.numbers import count, loss, whole

LONGEST_REASON = 60


@dataclass(frozen=True, slots=True)
class Band:
    """A line across both sides; `strong`: from here on they differ."""

    text: str
    strong: bool = False


Row = Pair | Band


def rows_of(found: Comparison, *, differing_only: bool = False) -> tuple[Row, ...]:
    """The turns since the branches parted, under a line that says where, and one at the first difference.

    Args:
        found: the two branches.
        differing_only: leave out turns in which both did the same.
    """
    rows: list[Row] = [Band(_parted(found))]
    if not found.pairs:
        rows.append(Band("No turn was begun since"))
    for k, pair in enumerate(found.pairs):
        if k == found.first:
            rows.append(Band(f"First difference: turn {pair.number}", strong=True))
        if pair.differs or not differing_only or pair.left is None or pair.right is None:
            rows.append(pair)
    return tuple(rows)


def _parted(found: Comparison) -> str:
    if found.shared == 0:
        return "They part at the beginning"
    return f"{count(found.shared, 'turn')} in common, then they part"


def headline(found: Comparison) -> str:
    """Where they differ first, and how often."""
    both = sum(p.left is not None and p.right is not None for p in found.pairs)
    if found.first is None:
        return f"alike so far · {count(both, 'turn')} on both" if both else "nothing to compare yet"
    first = found.pairs[found.first].number
    return f"first difference at turn {first} · {whole(found.differing)} of {count(both, 'turn')} differ"


def facts(side: Side) -> str:
    """How much of the goal a branch has reached, how long it is, and what came of its actions."""
    progress = side.state.progress if side.state is not None else ()
    parts = [f"goal {sum(p.reached for p in progress)} of {len(progress)}"] if progress else []
    parts += [count(side.done + side.refused, "turn"), f"{whole(side.done)} done"]
    parts += [f"{whole(side.refused)} refused"] if side.refused else []
    parts += [f"{whole(side.by_operator)} by you"] if side.by_operator else []
    return " · ".join(parts)


def end_words(side: Side, now: Snapshot) -> tuple[str, str]:
    """How a branch ended, or where it is, and the tone of that."""
    ended = side.state.ended if side.state is not None else None
    if ended is not None:
        words = ended.reason[:1].upper() + ended.reason[1:LONGEST_REASON]
        return words, "good" if ended.success else "warn"
    last = side.turns[-1].number if side.turns else 0
    if not side.present:
        return (f"Left after turn {last}" if last else "Left before its first turn"), "muted"
    if now.status == "failed":
        return f"Waits for you at turn {last}", "bad"
    return f"{'Paused' if now.status == 'paused' else 'Under way'} at turn {now.turn}", "text"


def turn_words(turn: Turn | None, names: Names) -> str:
    """One turn of one side, for tips and assistive tools."""
    if turn is None:
        return "no such turn"
    action = names.phrase(turn.done) if turn.done is not None else "thinking"
    parts = [action if turn.outcome is not None else f"under way: {action}"]
    parts += [f"by the {turn.by}"] if turn.done is not None else []
    parts += [f"refused: {turn.outcome.reason}"] if turn.outcome is not None and not turn.outcome.ok else []
    parts += [f"loss {loss(turn.loss)}"] if turn.loss is not None else []
    return ", ".join(parts)


def row_words(row: Row, sides: tuple[int, int], names: Names) -> str:
    """A row in words."""
    if isinstance(row, Band):
        return row.text
    left, right = (f"{branch_name(b)}: {turn_words(t, names)}" for b, t in zip(sides, (row.left, row.right), strict=True))
    return f"turn {row.number}{', differs' if row.differs else ''}: {left}; {right}"
