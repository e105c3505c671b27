"""Compares the annotators of episodes: agreement for each label and rating, and the list of disagreements."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from pathlib import Path
from typing import Literal

from core.common.errors import UsageError
from core.planning.facets import Moment
from core.recording.agreement.coefficients import alpha, kappa
from core.recording.agreement.matching import Tolerance, intersection_over_union, matched, nearness
from core.recording.annotations import read_annotations
from core.recording.label_turns import TurnSpan, first_turn, spans_of, turns_of
from core.recording.labels import BOOKMARK, DECISION
from core.recording.reader import Recording
from core.session.annotation import COMPANION, Annotation

Measure = Literal["label", "rating", "cause"]
Kind = Literal["only one", "extent", "rating", "cause"]
Choice = Literal["first", "second", "none"]
Place = tuple[int, int]
"""Branch and turn."""
CAUSE = "why it failed"
"""The name of the row about failure labels."""


@dataclass(frozen=True, slots=True)
class Episode:
    """What annotators said about one recording or run.

    Attributes:
        path: the recording; None for a live run.
    """

    name: str
    turns: tuple[TurnSpan, ...]
    annotations: tuple[Annotation, ...]
    path: Path | None = None

    @property
    def end(self) -> float:
        """The end of its last turn, in seconds."""
        return max((turn.ended for turn in self.turns), default=0.0)

    @property
    def annotators(self) -> frozenset[str]:
        """Who labelled it, or marked it as finished without a label. A second planner and adjudicators do not count."""
        return frozenset(a.annotator for a in self.annotations if a.annotator != COMPANION and (a.role == "done" or _judges(a)))

    def of(self, annotator: str) -> list[Annotation]:
        """Returns what an annotator said, by time; without what they settled, and without bookmarks."""
        mine = (a for a in self.annotations if a.annotator == annotator and _judges(a))
        return sorted(mine, key=lambda a: (a.at, a.id))


def episode_of(recording: Recording) -> Episode:
    """Returns the turns and annotations of a recording.

    Raises:
        DataError: the labels beside it cannot be read.
    """
    return Episode(recording.path.name, spans_of(recording), read_annotations(recording)[0].in_order(), recording.path)


@dataclass(frozen=True, slots=True)
class Row:
    """Agreement of two annotators on one label, on the ratings given with it, or on why episodes failed.

    Attributes:
        units: turns of the episodes that both labelled; for ratings the decisions that both rated, for causes the branches.
        first, second: how many labels, ratings or causes each gave.
        matched: how many of them are the same: matched intervals and points, equal ratings, equal causes.
        overlap: mean intersection over union of the matched intervals; None without any.
        observed: share of units to which both gave the same value; None without units.
        coefficient: of labels and causes Cohen's κ, over units; of ratings Krippendorff's α, of all annotators. None if it is
            undefined.
    """

    label: str
    measure: Measure
    units: int
    first: int
    second: int
    matched: int
    overlap: float | None
    observed: float | None
    coefficient: float | None


@dataclass(frozen=True, slots=True)
class Disagreement:
    """One difference between two annotators.

    Attributes:
        episode: the index of its episode.
        kind: a label that only one gave, intervals that differ too much, unequal ratings, or unequal causes of a failure.
        settled: the adjudicator's decision; None if it is open.
    """

    episode: int
    label: str
    kind: Kind
    first: Annotation | None
    second: Annotation | None
    settled: Annotation | None = None

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of its annotations."""
        return tuple(a.id for a in (self.first, self.second) if a is not None)

    @property
    def example(self) -> Annotation:
        """The annotation that shows where it is: the earlier one."""
        return min((a for a in (self.first, self.second) if a is not None), key=lambda a: (a.at, a.id))


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far two annotators agree.

    Attributes:
        annotators: all that labelled any of the episodes, by name.
        pair: the two that are compared; empty if there are no two with a common episode.
        episodes: how many episodes both labelled.
        turns: how many turns these have.
        rows: by label.
        disagreements: by episode and time.
    """

    annotators: tuple[str, ...] = ()
    pair: tuple[str, ...] = ()
    episodes: int = 0
    turns: int = 0
    rows: tuple[Row, ...] = ()
    disagreements: tuple[Disagreement, ...] = ()


def compare(episodes: Sequence[Episode], pair: Sequence[str] = (), tolerance: Tolerance | None = None) -> Agreement:
    """Returns the agreement of two annotators over the episodes that both labelled.

    Args:
        episodes: what was said about each.
        pair: the names of the two; by default those with most common episodes.
        tolerance: when two labels count as the same.

    Raises:
        UsageError: `pair` names somebody who labelled none of them.
    """
    tolerance = tolerance or Tolerance()
    episodes = [_in_turns(episode) for episode in episodes]
    who = tuple(sorted({name for episode in episodes for name in episode.annotators}))
    missing = [name for name in pair if name not in who]
    if missing:
        raise UsageError(f"'{missing[0]}' labelled nothing here: choose from {', '.join(who) or 'nobody'}")
    chosen = tuple(pair) or _most_common_pair(episodes)
    if len(chosen) != 2:
        return Agreement(who)
    shared = [(k, episode) for k, episode in enumerate(episodes) if {*chosen} <= episode.annotators]
    if not shared:
        return Agreement(who, chosen)
    return _compared(who, chosen, shared, tolerance)


def _in_turns(episode: Episode) -> Episode:
    """Returns an episode whose points before the first turn of their branch are in that turn: each point is in a unit."""
    given = tuple(replace(a, turn=_unit(Moment(a.branch, a.turn), episode)[1]) if _is_label(a) and not a.state else a
                  for a in episode.annotations)
    return replace(episode, annotations=given)


def _unit(moment: Moment, episode: Episode) -> Place:
    """Returns the unit of a turn. Time before the first turn of a branch counts as that turn."""
    return moment.branch, max(moment.turn, first_turn(episode.turns, moment.branch))


def _most_common_pair(episodes: Iterable[Episode]) -> tuple[str, ...]:
    pairs = Counter(pair for episode in episodes for pair in combinations(sorted(episode.annotators), 2))
    return min(pairs, key=lambda pair: (-pairs[pair], pair), default=())


@dataclass(slots=True)
class _Tally:
    """Sums over episodes for one label."""

    first: int = 0
    second: int = 0
    matched: int = 0
    overlaps: list[float] = field(default_factory=list)
    mine: list[object] = field(default_factory=list)
    others: list[object] = field(default_factory=list)
    """The values of both for each unit."""


def _compared(who: tuple[str, ...], pair: tuple[str, ...], shared: list[tuple[int, Episode]], tolerance: Tolerance
              ) -> Agreement:
    found: list[Disagreement] = []
    rated: dict[str, list[Mapping[str, int]]] = defaultdict(list)
    names = sorted({a.label for _, episode in shared for name in pair for a in episode.of(name) if _is_label(a)})
    tallies: dict[tuple[Measure, str], _Tally] = {("label", name): _Tally() for name in names}
    for k, episode in shared:
        mine, others = (episode.of(name) for name in pair)
        for name in names:
            given = [[a for a in one if a.label == name and _is_label(a)] for one in (mine, others)]
            found += _compare_label(k, name, given[0], given[1], episode, tolerance, tallies["label", name])
        found += _compare_values(k, "rating", _ratings(mine), _ratings(others), tallies)
        found += _compare_values(k, "cause", _causes(mine), _causes(others), tallies)
        for (label, *_), values in _rated_by_all(episode).items():
            rated[label].append(values)
    rows = tuple(_row(measure, label, tally, rated[label]) for (measure, label), tally in sorted(tallies.items(), key=_order))
    settled = {(k, frozenset(a.settles)): a for k, episode in shared for a in episode.annotations if a.settles}
    ordered = sorted(found, key=lambda d: (d.episode, d.example.at, d.label, d.ids))
    return Agreement(who, pair, len(shared), sum(len(episode.turns) for _, episode in shared), rows,
                     tuple(replace(d, settled=settled.get((d.episode, frozenset(d.ids)))) for d in ordered))


def _order(item: tuple[tuple[Measure, str], _Tally]) -> tuple[int, str]:
    (measure, label), _ = item
    return ("label", "rating", "cause").index(measure), label


def _row(measure: Measure, label: str, tally: _Tally, rated: Sequence[Mapping[str, int]]) -> Row:
    units = len(tally.mine)
    observed = sum(a == b for a, b in zip(tally.mine, tally.others, strict=True)) / units if units else None
    coefficient = alpha(rated) if measure == "rating" else kappa(tally.mine, tally.others)
    overlap = sum(tally.overlaps) / len(tally.overlaps) if tally.overlaps else None
    return Row(label, measure, units, tally.first, tally.second, tally.matched, overlap, observed, coefficient)


def _judges(a: Annotation) -> bool:
    """Returns True for what an annotator says about a run. A bookmark does so only if it holds a rating."""
    return a.role == "label" and (a.label != BOOKMARK or a.rating is not None)


def _is_label(a: Annotation) -> bool:
    """Returns False for a rating without another label, and for a cause of a failure."""
    return a.label not in (BOOKMARK, DECISION) and not a.proposed


# --- labels ------------------------------------------------------------------
def held_turns(a: Annotation, episode: Episode) -> frozenset[Place]:
    """Returns the units in which a label holds."""
    return frozenset(_unit(moment, episode) for moment in turns_of(a, episode.turns))


def _compare_label(k: int, label: str, mine: list[Annotation], others: list[Annotation], episode: Episode,
                   tolerance: Tolerance, tally: _Tally) -> list[Disagreement]:
    def same(one: Annotation, other: Annotation) -> float:
        if one.state != other.state:
            return 0.0
        if not one.state:
            return nearness(one, other, tolerance)
        overlap = intersection_over_union(one, other, episode.end)
        return overlap if overlap >= tolerance.overlap else 0.0

    held = {a.id: held_turns(a, episode) for a in (*mine, *others)}

    def touching(one: Annotation, other: Annotation) -> float:
        a, b = held[one.id], held[other.id]
        return len(a & b) / len(a | b)

    pairs = matched(mine, others, same)
    used = {a.id for pair in pairs for a in pair}
    left = [[a for a in one if a.id not in used] for one in (mine, others)]
    extents = matched(left[0], left[1], touching)
    used |= {a.id for pair in extents for a in pair}
    turns = [(t.branch, t.number) for t in episode.turns]
    tally.first, tally.second, tally.matched = tally.first + len(mine), tally.second + len(others), tally.matched + len(pairs)
    tally.overlaps += [intersection_over_union(a, b, episode.end) for a, b in pairs if a.state]
    by_both = [frozenset[Place]().union(*(held[a.id] for a in one)) for one in (mine, others)]
    tally.mine += [place in by_both[0] for place in turns]
    tally.others += [place in by_both[1] for place in turns]
    return [*(Disagreement(k, label, "extent", a, b) for a, b in extents),
            *(Disagreement(k, label, "only one", a, None) for a in left[0] if a.id not in used),
            *(Disagreement(k, label, "only one", None, b) for b in left[1] if b.id not in used)]


# --- ratings and causes ------------------------------------------------------
Values = Mapping[tuple[str, int, int], tuple[Annotation, object]]
"""By label, branch and turn: the annotation and its value. A later one replaces an earlier one."""


def _ratings(given: Iterable[Annotation]) -> Values:
    return {(a.label, a.branch, a.turn): (a, a.rating) for a in given if a.rating is not None}


def _causes(given: Iterable[Annotation]) -> Values:
    return {(CAUSE, a.branch, 0): (a, a.label) for a in given if a.proposed}


def _rated_by_all(episode: Episode) -> dict[tuple[str, int, int], dict[str, int]]:
    found: dict[tuple[str, int, int], dict[str, int]] = defaultdict(dict)
    for name in sorted(episode.annotators):
        for a in episode.of(name):
            if a.rating is not None:
                found[a.label, a.branch, a.turn][name] = a.rating
    return found


def _compare_values(k: int, measure: Literal["rating", "cause"], mine: Values, others: Values,
                    tallies: dict[tuple[Measure, str], _Tally]) -> list[Disagreement]:
    """Compares values that both gave. What only one of them rated is missing, and no disagreement."""
    found = []
    for key in sorted({*mine, *others}):
        tally = tallies.setdefault((measure, key[0]), _Tally())
        tally.first, tally.second = tally.first + (key in mine), tally.second + (key in others)
        if key not in mine or key not in others:
            continue
        (one, value), (other, another) = mine[key], others[key]
        tally.mine.append(value)
        tally.others.append(another)
        tally.matched += value == another
        if value != another:
            found.append(Disagreement(k, key[0], measure, one, other))
    return found


# --- adjudication ------------------------------------------------------------
def settlement(disagreement: Disagreement, choice: Choice, key: str, adjudicator: str) -> Annotation:
    """Returns an adjudicator's decision about a disagreement, as an annotation of their own.

    If the chosen annotator gave no label, the decision is that the label does not hold.

    Args:
        disagreement: what is decided.
        choice: whose annotation holds; or none.
        key: the id of the decision.
        adjudicator: who decides.
    """
    chosen = {"first": disagreement.first, "second": disagreement.second, "none": None}[choice]
    return replace(chosen or disagreement.example, id=key, annotator=adjudicator, settles=disagreement.ids,
                   role="rejected" if chosen is None else "settled")
