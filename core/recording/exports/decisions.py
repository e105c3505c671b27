"""The decisions of a recording: what was done in each turn, by whom, why, and at what cost; and their table for spreadsheets.

The table is in UTF-8 with a byte order mark by which spreadsheets recognise it. `began_s` and `ended_s` are on the clock that
stands still while the session waits for a person, so that a turn lasts as long as its work (`work_s`). `person_s` is the time
it waited for a person, and `wall_began_s` its beginning in wall clock time. Watched expressions are further columns, with their
values at the end of each turn; a cell is empty where the value is unknown.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from core.planning.facets import Moment
from core.recording.annotations import Annotation, final, read_annotations
from core.recording.index import calls
from core.recording.reader import Recording
from core.session.checked_expressions import Expression
from core.session.expressions import Unknown, Value
from core.session.turns import Turn


@dataclass(frozen=True, slots=True)
class Decision:
    """One completed turn.

    Attributes:
        calls: number of model calls of the turn.
        tokens: tokens of those calls, without replies from the cache.
        labels: annotations whose moment or interval overlaps the turn, where an adjudicator's decision
            stands in the place of what it settles.
        rating: the mean of its ratings; None without any.
    """

    turn: Turn
    calls: int
    tokens: int
    labels: tuple[Annotation, ...]
    rating: float | None


def decisions(recording: Recording) -> tuple[Decision, ...]:
    """Returns all decisions, in the order they were played."""
    played = recording.snapshot_at().turns
    asked: Counter[tuple[int, int]] = Counter()
    tokens: Counter[tuple[int, int]] = Counter()
    for call in calls(recording):
        asked[call.branch, call.turn] += 1
        if call.reply is not None and not call.reply.cached:
            tokens[call.branch, call.turn] += call.reply.tokens_in + call.reply.tokens_out
    labels = final(read_annotations(recording)[0].in_order())
    return tuple(_decision(turn, asked[turn.branch, turn.number], tokens[turn.branch, turn.number], labels) for turn in played)


def _decision(turn: Turn, asked: int, tokens: int, labels: tuple[Annotation, ...]) -> Decision:
    end = turn.ended if turn.ended is not None else turn.began
    own = tuple(a for a in labels if a.at <= end and (a.until if a.until is not None else a.at) >= turn.began)
    rated = [a.rating for a in labels if a.rating is not None and (a.turn, a.branch) == (turn.number, turn.branch)]
    return Decision(turn, asked, tokens, own, sum(rated) / len(rated) if rated else None)


FORMULA = ("=", "+", "-", "@", "\t", "\r")
HEAD = ("turn", "branch", "began_s", "ended_s", "action", "by", "ok", "refused_because", "because", "instead_of", "thinking_s",
        "waiting_s", "acting_s", "calls", "tokens", "labels", "rating", "work_s", "person_s", "wall_began_s", "branch_outcome",
        "episode_outcome")


def write(recording: Recording, out: Path, watches: Sequence[Expression] = ()) -> Path:
    """Writes one row per decision, with a column for each watched expression."""
    end = recording.snapshot_at()
    watched = values_by_turn(recording, watches)
    branches, episode = {o.branch: o.words for o in end.outcomes}, end.outcome.words
    with out.open("w", encoding="utf-8-sig", errors="replace", newline="") as file:
        table = csv.writer(file)
        table.writerow((*HEAD, *(safe_cell(watch.text) for watch in watches)))
        for decision in decisions(recording):
            outcomes = branches.get(decision.turn.branch, ""), episode
            cells = ("" if isinstance(value, Unknown) else value for value in watched.get(decision.turn.moment, ()))
            table.writerow(safe_cell(cell) for cell in (*_row(decision), *outcomes, *cells))
    return out


def values_by_turn(recording: Recording, watches: Sequence[Expression]) -> dict[Moment, tuple[Value, ...]]:
    """Returns the values of expressions at the end of each turn. A turn that was played again has its last values."""
    found = {}
    for turn in recording.turns() if watches else ():
        snapshot = recording.end_of(turn)
        found[Moment(turn.branch, turn.number)] = tuple(watch.value(snapshot) for watch in watches)
    return found


def _row(decision: Decision) -> tuple[object, ...]:
    turn = decision.turn
    outcome = turn.outcome
    labels = "; ".join(dict.fromkeys(a.label for a in decision.labels))
    return (turn.number, turn.branch, round(turn.work_began, 3),
            "" if turn.work_ended is None else round(turn.work_ended, 3),
            str(outcome.action if outcome else turn.action or ""), turn.by, outcome is not None and outcome.ok,
            outcome.reason if outcome else "", turn.because, str(turn.instead_of or ""), round(turn.thinking, 3),
            round(turn.waiting, 3), round(turn.acting, 3), decision.calls, decision.tokens, labels,
            "" if decision.rating is None else decision.rating, round(turn.work, 3), round(turn.idle, 3), round(turn.began, 3))


def safe_cell(cell: object) -> object:
    """Quotes texts that a spreadsheet would read as a formula, because replies of models can be among them."""
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(FORMULA) else cell
