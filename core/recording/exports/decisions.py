"""The decisions of a recording: what was done in each turn, by whom, why, and at what cost."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from core.recording.annotations import Annotation, read_book
from core.recording.index import calls
from core.recording.reader import Recording
from core.session.turns import Turn


@dataclass(frozen=True, slots=True)
class Decision:
    """One completed turn.

    Attributes:
        calls: number of model calls of the turn.
        tokens: tokens of those calls, without replies from the cache.
        labels: annotations whose moment or interval overlaps the turn.
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
    labels = read_book(recording)[0].in_order()
    return tuple(_decision(turn, asked[turn.branch, turn.number], tokens[turn.branch, turn.number], labels) for turn in played)


def _decision(turn: Turn, asked: int, tokens: int, labels: tuple[Annotation, ...]) -> Decision:
    end = turn.ended if turn.ended is not None else turn.began
    own = tuple(a for a in labels if a.at <= end and (a.until if a.until is not None else a.at) >= turn.began)
    rated = [a.rating for a in labels if a.rating is not None and (a.turn, a.branch) == (turn.number, turn.branch)]
    return Decision(turn, asked, tokens, own, sum(rated) / len(rated) if rated else None)
