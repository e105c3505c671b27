"""Which turns a label counts in. Everything that lists, counts or exports labels by turn asks here."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Self

from core.planning.facets import Moment
from core.recording.annotations import final, read_annotations
from core.recording.reader import Recording
from core.session.annotation import Annotation

TurnState = Literal["", "not finished", "before the first turn", "not in the recording"]
"""What a turn with labels is, if it is not one whose action was executed."""


@dataclass(frozen=True, slots=True)
class TurnSpan:
    """A turn and its time, in seconds since the session began. A turn that is not finished ends with its last event."""

    branch: int
    number: int
    began: float
    ended: float

    @property
    def moment(self) -> Moment:
        """Its branch and number."""
        return Moment(self.branch, self.number)


def spans_of(recording: Recording) -> tuple[TurnSpan, ...]:
    """Returns all turns of a recording, in the order they were played."""
    return tuple(TurnSpan(t.branch, t.number, t.began, t.ended if t.ended is not None else recording.time_of(t.last))
                 for t in recording.turns())


def turns_of(a: Annotation, spans: Sequence[TurnSpan]) -> tuple[Moment, ...]:
    """Returns the turns in which a label counts: the one it was made for, and of an interval all with which it shares time.

    An interval without an end lasts to the end of the last turn of its branch, and counts in no other branch. The turn it was
    made for may be one that `spans` lacks: turn 0 is the time before the first turn.

    Args:
        a: the label.
        spans: all turns, in the order they were played.
    """
    own = Moment(a.branch, a.turn)
    spans = spans if a.until is not None else [span for span in spans if span.branch == a.branch]
    if not a.state or not spans:
        return (own,)
    first = bisect_right(spans, a.at, key=lambda s: s.ended)
    last = len(spans) if a.until is None else bisect_left(spans, a.until, key=lambda s: s.began)
    return tuple(sorted({own, *(span.moment for span in spans[first:last])}, key=lambda m: (m.branch, m.turn)))


@dataclass(frozen=True, slots=True)
class TurnLabels:
    """The labels of a recording, by turn.

    Attributes:
        given: all of them by time, also those that an adjudicator settled, and the marks of annotators who have finished.
        by_turn: the labels that hold in each turn that has any. An adjudicator's decision stands in the place of what it
            settles.
        spans: all turns, in the order they were played.
        span: the same by turn.
        acted: the turns whose action was executed.
        notice: what could not be read of them, in one line; or empty.
    """

    given: tuple[Annotation, ...]
    by_turn: Mapping[Moment, tuple[Annotation, ...]]
    spans: tuple[TurnSpan, ...]
    span: Mapping[Moment, TurnSpan]
    acted: frozenset[Moment]
    notice: str = ""

    @classmethod
    def of(cls, recording: Recording) -> Self:
        """Returns the labels of a recording.

        Raises:
            DataError: the recording or the labels beside it cannot be read.
        """
        known, notice = read_annotations(recording)
        given, spans = known.in_order(), spans_of(recording)
        found: defaultdict[Moment, list[Annotation]] = defaultdict(list)
        for a in final(given):
            for moment in turns_of(a, spans):
                found[moment].append(a)
        acted = frozenset(turn.moment for turn in recording.snapshot_at().turns)
        return cls(given, {moment: tuple(labels) for moment, labels in found.items()}, spans,
                   {span.moment: span for span in spans}, acted, notice)

    def rating(self, moment: Moment) -> float | None:
        """Returns the mean of the ratings that were made for a turn; None without any."""
        own = self.by_turn.get(moment, ())
        rated = [a.rating for a in own if a.rating is not None and Moment(a.branch, a.turn) == moment]
        return sum(rated) / len(rated) if rated else None

    def elsewhere(self, shown: Iterable[Moment] | None = None) -> tuple[Moment, ...]:
        """Returns the turns that have labels but are not among `shown` (by default: whose action was not executed), by time."""
        known = self.acted if shown is None else frozenset(shown)
        return tuple(sorted((moment for moment in self.by_turn if moment not in known), key=self.began))

    def began(self, moment: Moment) -> float:
        """Returns when a turn with labels began, in seconds; of one that was never played: when its first label was given."""
        span = self.span.get(moment)
        return span.began if span is not None else self.by_turn[moment][0].at if moment.turn else -1.0

    def state(self, moment: Moment) -> TurnState:
        """Returns what a turn is; empty if its action was executed."""
        if moment in self.acted:
            return ""
        if moment in self.span:
            return "not finished"
        return "before the first turn" if moment.turn < first_turn(self.spans, moment.branch) else "not in the recording"

    def row(self, a: Annotation) -> dict[str, Any]:
        """Returns one label as plain values, with the turns in which it counts as (branch, turn)."""
        return {"id": a.id, "label": a.label, "kind": "state" if a.state else "point", "at": a.at, "until": a.until,
                "turn": a.turn, "branch": a.branch, "turn_state": self.state(Moment(a.branch, a.turn)),
                "turns": [[moment.branch, moment.turn] for moment in turns_of(a, self.spans)], "annotator": a.annotator,
                "rating": a.rating, "better": a.better, "note": a.note, "role": a.role, "proposed": a.proposed,
                "settles": list(a.settles)}


def first_turn(spans: Iterable[TurnSpan], branch: int) -> int:
    """Returns the number of a branch's first turn; 1 if it has none."""
    return min((span.number for span in spans if span.branch == branch), default=1)


def label_words(a: Annotation) -> str:
    """Returns everything that a label says, and whose it is, in one line."""
    better, rating = f"better: {a.better}" if a.better else "", f"rated {a.rating} of 5" if a.rating is not None else ""
    by = f"{'' if a.role == 'label' else f'{a.role} by '}{a.annotator or 'somebody'}" if a.annotator or a.settles else ""
    return " · ".join(filter(None, (a.label, a.note, better, rating, by)))
