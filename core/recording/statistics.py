"""Statistics of many episodes: labels per planner, interventions per turn, ratings over turns and days.

Everything is computed from one small row for each episode, wherever the rows come from.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from math import sqrt
from statistics import stdev
from typing import Literal

from core.recording.annotations import final, read_annotations
from core.recording.labels import DECISION
from core.recording.mcap_messages import began_at
from core.recording.reader import Recording
from core.session.annotation import COMPANION

Over = Literal["turn", "day"]


@dataclass(frozen=True, slots=True)
class EpisodeRow:
    """What the statistics need of one episode.

    Attributes:
        day: when it was recorded, as days since year 1 (`datetime.date.toordinal`); 0: unknown.
        turns: the numbers of its completed turns; a number occurs once for each branch that played it.
        interventions: the turns of the operator's overrides and edits, one for each.
        labels: (label, annotator) for each label.
        ratings: (turn, rating, annotator) for each rating.
    """

    name: str
    planner: str
    day: int = 0
    turns: tuple[int, ...] = ()
    interventions: tuple[int, ...] = ()
    labels: tuple[tuple[str, str], ...] = ()
    ratings: tuple[tuple[int, int, str], ...] = ()

    def by(self, annotator: str) -> EpisodeRow:
        """Returns the row with the labels and ratings of one annotator only."""
        return replace(self, labels=tuple(x for x in self.labels if x[-1] == annotator),
                       ratings=tuple(x for x in self.ratings if x[-1] == annotator))


def row_of(recording: Recording) -> EpisodeRow:
    """Returns the row of a recording. What an adjudicator decided stands in the place of what it settles.

    Raises:
        DataError: the recording or the labels beside it cannot be read.
    """
    end = recording.snapshot_at()
    given = [a for a in final(read_annotations(recording)[0].in_order()) if a.annotator != COMPANION]
    began = began_at(recording.metadata)
    day = datetime.fromtimestamp(began, UTC).date().toordinal() if began else 0
    return EpisodeRow(recording.path.name, end.began.planner if end.began is not None else "", day,
                      tuple(turn.number for turn in end.turns),
                      tuple(mark.turn for mark in end.marks if mark.kind in ("override", "edit")),
                      tuple((a.label, a.annotator) for a in given if a.label != DECISION),
                      tuple((a.turn, a.rating, a.annotator) for a in given if a.rating is not None))


@dataclass(frozen=True, slots=True)
class LabelCounts:
    """Labels per planner.

    Attributes:
        planners: by name.
        labels: the most frequent first.
        episodes: of each planner.
        counts: of each (planner, label) that occurs.
    """

    planners: tuple[str, ...]
    labels: tuple[str, ...]
    episodes: Mapping[str, int]
    counts: Mapping[tuple[str, str], int]

    def per_episode(self, planner: str, label: str) -> float:
        """Returns how often a planner's episode has a label, on average."""
        return self.counts.get((planner, label), 0) / self.episodes[planner]


def labels_per_planner(rows: Iterable[EpisodeRow]) -> LabelCounts:
    """Counts the labels of each planner's episodes."""
    episodes: Counter[str] = Counter()
    counts: Counter[tuple[str, str]] = Counter()
    for row in rows:
        episodes[row.planner] += 1
        counts.update((row.planner, label) for label, _ in row.labels)
    total: Counter[str] = Counter()
    for (_, label), count in counts.items():
        total[label] += count
    labels = tuple(sorted(total, key=lambda label: (-total[label], label)))
    return LabelCounts(tuple(sorted(episodes)), labels, episodes, counts)


@dataclass(frozen=True, slots=True)
class Rate:
    """The interventions in one turn of a planner's episodes.

    Attributes:
        played: how often a turn of this number was played.
        interventions: how many interventions there were in these.
    """

    turn: int
    played: int
    interventions: int

    @property
    def share(self) -> float:
        """Interventions for each time that the turn was played."""
        return self.interventions / self.played


def interventions_per_turn(rows: Iterable[EpisodeRow]) -> dict[str, tuple[Rate, ...]]:
    """Returns for each planner, by name, the interventions in each turn that was played, in order."""
    played: dict[str, Counter[int]] = defaultdict(Counter)
    done: dict[str, Counter[int]] = defaultdict(Counter)
    for row in rows:
        played[row.planner].update(row.turns)
        done[row.planner].update(row.interventions)
    return {name: tuple(Rate(turn, played[name][turn], done[name][turn]) for turn in sorted(played[name]))
            for name in sorted(played)}


@dataclass(frozen=True, slots=True)
class MeanRating:
    """The mean of some ratings.

    Attributes:
        at: the turn or the day.
        count: how many ratings.
        error: the standard error of the mean; None for a single rating.
    """

    at: int
    count: int
    mean: float
    error: float | None


def ratings_over(rows: Iterable[EpisodeRow], over: Over) -> tuple[MeanRating, ...]:
    """Returns the mean rating at each turn, or of each known day, in order."""
    found: dict[int, list[int]] = defaultdict(list)
    for row in rows:
        for turn, rating, _ in row.ratings:
            at = turn if over == "turn" else row.day
            if at or over == "turn":  # turn 0 is the time before the first
                found[at].append(rating)
    return tuple(_mean(at, given) for at, given in sorted(found.items()))


def _mean(at: int, given: list[int]) -> MeanRating:
    count = len(given)
    return MeanRating(at, count, sum(given) / count, stdev(given) / sqrt(count) if count > 1 else None)
