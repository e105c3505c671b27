"""The decisions of a recording: what was done in each turn, by whom, why, and at what cost; and their table for spreadsheets.

The table is in UTF-8 with a byte order mark by which spreadsheets recognise it. `began_s` and `ended_s` are on the clock that
stands still while the session waits for a person, and while the planner thinks before its search is compiled, so that a turn
lasts as long as its work (`work_s`). `person_s` is the time it waited for a person, and `wall_began_s` its beginning in wall
clock time. Watched expressions are further columns, with their values at the end of each turn; a cell is empty where the value
is unknown.

Labels of a turn that was not finished, or from before the first turn, have a row of their own, which `turn_state` says.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from core.common.readings import Unknown, Value
from core.planning.facets import Moment
from core.recording.calls import calls
from core.recording.label_turns import TurnLabels
from core.recording.reader import Recording
from core.session.annotation import Annotation
from core.session.checked_expressions import Expression
from core.session.turns import Turn


@dataclass(frozen=True, slots=True)
class Decision:
    """One completed turn.

    Attributes:
        calls: number of model calls of the turn.
        tokens: tokens of those calls, without replies from the cache.
        labels: annotations that count in the turn (see `core.recording.label_turns`), where an adjudicator's decision
            stands in the place of what it settles.
        rating: the mean of its ratings; None without any.
    """

    turn: Turn
    calls: int
    tokens: int
    labels: tuple[Annotation, ...]
    rating: float | None


def decisions(recording: Recording, labels: TurnLabels | None = None) -> tuple[Decision, ...]:
    """Returns all decisions, in the order they were played. `labels`: those of the recording, if they are read already."""
    played = recording.snapshot_at().turns
    asked: Counter[tuple[int, int]] = Counter()
    tokens: Counter[tuple[int, int]] = Counter()
    for call in calls(recording):
        asked[call.branch, call.turn] += 1
        if call.reply is not None and not call.reply.cached:
            tokens[call.branch, call.turn] += call.reply.tokens_in + call.reply.tokens_out
    labels = labels or TurnLabels.of(recording)
    return tuple(Decision(turn, asked[turn.branch, turn.number], tokens[turn.branch, turn.number],
                          labels.by_turn.get(turn.moment, ()), labels.rating(turn.moment)) for turn in played)


FORMULA = ("=", "+", "-", "@", "\t", "\r")
HEAD = ("turn", "branch", "began_s", "ended_s", "action", "by", "ok", "refused_because", "because", "instead_of", "thinking_s",
        "waiting_s", "acting_s", "calls", "tokens", "labels", "rating", "work_s", "person_s", "wall_began_s", "branch_outcome",
        "episode_outcome", "notes", "better", "turn_state", "notice")


def write(recording: Recording, out: Path, watches: Sequence[Expression] = ()) -> Path:
    """Writes one row per decision, and per other turn with labels, with a column for each watched expression."""
    end, labels = recording.snapshot_at(), TurnLabels.of(recording)
    watched = values_by_turn(recording, watches)
    branches = {o.branch: o.words for o in end.outcomes}
    rows = [(decision.turn.began, decision.turn.moment, _row(decision)) for decision in decisions(recording, labels)]
    rows += [(labels.began(moment), moment, {"wall_began_s": round(max(0.0, labels.began(moment)), 3)})
             for moment in labels.elsewhere()]
    with out.open("w", encoding="utf-8-sig", errors="replace", newline="") as file:
        table = csv.writer(file)
        table.writerow((*HEAD, *(safe_cell(watch.text) for watch in watches)))
        for _, moment, row in sorted(rows, key=lambda row: row[0]):
            row |= {"turn": moment.turn, "branch": moment.branch, "branch_outcome": branches.get(moment.branch, ""),
                    "episode_outcome": end.outcome.words, "notice": recording.notice, **_said(labels, moment)}
            values = ("" if isinstance(value, Unknown) else value for value in watched.get(moment, ()))
            table.writerow(safe_cell(cell) for cell in (*(row.get(name, "") for name in HEAD), *values))
    return out


def _said(labels: TurnLabels, moment: Moment) -> dict[str, object]:
    """Returns the cells about the labels of a turn."""
    own, rating = labels.by_turn.get(moment, ()), labels.rating(moment)
    return {"labels": "; ".join(dict.fromkeys(a.label for a in own)), "rating": "" if rating is None else rating,
            "notes": "; ".join(f"{a.label}: {a.note}" for a in own if a.note), "turn_state": labels.state(moment),
            "better": "; ".join(dict.fromkeys(a.better for a in own if a.better))}


def values_by_turn(recording: Recording, watches: Sequence[Expression]) -> dict[Moment, tuple[Value, ...]]:
    """Returns the values of expressions at the end of each turn. A turn that was played again has its last values."""
    found = {}
    for turn in recording.turns() if watches else ():
        snapshot = recording.end_of(turn)
        found[Moment(turn.branch, turn.number)] = tuple(watch.value(snapshot) for watch in watches)
    return found


def _row(decision: Decision) -> dict[str, object]:
    """Returns the cells about a decision itself."""
    turn = decision.turn
    outcome = turn.outcome
    return {
        "began_s": round(turn.work_began, 3), "ended_s": "" if turn.work_ended is None else round(turn.work_ended, 3),
        "action": str(outcome.action if outcome else turn.action or ""), "by": turn.by,
        "ok": outcome is not None and outcome.ok, "refused_because": outcome.reason if outcome else "",
        "because": turn.because, "instead_of": str(turn.instead_of or ""),
        "thinking_s": round(turn.thinking, 3), "waiting_s": round(turn.waiting, 3), "acting_s": round(turn.acting, 3),
        "calls": decision.calls, "tokens": decision.tokens, "work_s": round(turn.work, 3), "person_s": round(turn.idle, 3),
        "wall_began_s": round(turn.began, 3)}


def safe_cell(cell: object) -> object:
    """Quotes texts that a spreadsheet would read as a formula, because replies of models can be among them."""
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(FORMULA) else cell
