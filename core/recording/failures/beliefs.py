"""Beliefs about positions, compared with where objects were found later in the run and with a uniform belief."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

import numpy as np

from core.planning.facets import Belief
from core.recording.failures.lost_turns import Course, furniture_words
from core.recording.failures.replies import fault_of
from core.recording.failures.run import WORLD_MODEL, RecordedRun, RecordedTurn
from core.world.vocabulary import spaced

POOR: Final = 0.5
"""A place with less than this share of the uniform probability is one the belief speaks against."""
BETTER: Final = 3.0
"""A place at hand with so many times the probability should have been looked into first."""
EVEN: Final = 1e-9
"""Probabilities that differ by less are alike."""
EXCESS: Final = 0.2
"""If the belief's probability of the searched, empty places exceeds their share by this, it was wrong."""


class Beliefs:
    """The beliefs of a run that came from a language model, or from what answers in its place.

    Attributes:
        unread: classes about whose positions the reply was not understood -> what went wrong.
    """

    def __init__(self, run: RecordedRun, course: Course):
        asks = {call.digest: call for turn in run.every_turn for call in turn.calls}
        self._asked = {ask.subject for ask in asks.values() if ask.purpose in WORLD_MODEL}
        """Classes, in words, whose positions were asked for."""
        self.unread = {ask.subject.replace(" ", "_"): fault for turn in run.every_turn for grounding in turn.groundings
                       if (ask := asks.get(grounding.prompt)) is not None and ask.purpose == "object positions"
                       and (fault := fault_of(grounding))}
        self._found = course.found
        self._refuted = _refuted(run, {cls for cls, _, _ in course.found})

    def misled(self, turn: RecordedTurn, cls: str, looked: tuple[str, ...] = ()) -> tuple[str, str] | None:
        """Returns how the belief of a turn was wrong about a class, in words, and what was compared; None if unknown.

        Args:
            turn: the turn.
            cls: the class.
            looked: the places that the turn looked into. If the object was never found, they must be places that the belief
                favoured.
        """
        belief = turn.belief
        if belief is None or spaced(cls) not in self._asked:
            return None
        later = [(place, number) for found, place, number in self._found if found == cls and number >= turn.number]
        if not later:
            return self._refuted.get(cls) if not looked or ratio(belief, cls, looked) > 1 + EVEN else None
        places = dict.fromkeys(place for place, _ in later)
        true, alike = sum(probability_at(belief, cls, place) for place in places), len(places) / max(1, _left(belief, cls))
        if true >= POOR * alike:
            return None
        place, number = later[0]
        best, share = best_place(belief, cls)
        return (f"the belief gave {true:.0%} to {furniture_words([place])}, where the {spaced(cls)} was found in turn "
                f"{number} (a uniform one gives {alike:.0%}), and {share:.0%} to {furniture_words([best])}",
                "the belief about positions and where the object was found later")


def _refuted(run: RecordedRun, seen: set[str]) -> dict[str, tuple[str, str]]:
    """Returns the classes that were never found although most of the belief was looked into, with the words for it.

    Args:
        run: the run.
        seen: classes that were found.
    """
    found: dict[str, tuple[str, str]] = {}
    beliefs = [turn.belief for turn in run.every_turn if turn.belief is not None]
    if not beliefs:
        return found
    first, last = beliefs[0], beliefs[-1]
    for cls in dict.fromkeys(c for c, at in zip(last.classes, last.located, strict=True) if at is None):
        row = next((k for k, c in enumerate(first.classes) if c == cls), None)
        if cls in seen or row is None or first.places != last.places:
            continue
        open_then = ~first.looked & ~first.bars(row)
        empty = last.looked & open_then
        believed, share = float(first.probability[row][empty].sum()), float(empty.sum()) / max(1, int(open_then.sum()))
        if believed - share >= EXCESS:
            found[cls] = (f"the places that were looked into had {believed:.0%} of the belief about the {spaced(cls)} (a "
                          f"uniform one gives {share:.0%}), and it was in none of them",
                          "the first belief and the places found empty")
    return found


def _row(belief: Belief, cls: str) -> int | None:
    rows = zip(belief.classes, belief.located, strict=True)
    return next((k for k, (c, located) in enumerate(rows) if c == cls and located is None), None)


def probability_at(belief: Belief, cls: str, place: str) -> float:
    """Returns the probability that an object of a class not found yet is in or on this furniture."""
    row = _row(belief, cls)
    return 0.0 if row is None else float(sum(belief.probability[row][k] for k, p in enumerate(belief.places) if p == place))


def _left(belief: Belief, cls: str) -> int:
    """Returns the number of places that are not excluded."""
    row = _row(belief, cls)
    return 0 if row is None else int((~belief.looked & ~belief.bars(row) & ~belief.zeroed[row]).sum())


def ratio(belief: Belief, cls: str, looked: tuple[str, ...]) -> float:
    """Returns the probability of the places that were looked into, over what a uniform belief gives them."""
    row = _row(belief, cls)
    if row is None:
        return 0.0
    columns = _open_columns(belief, row, looked)
    alike = len(columns) / max(1, _left(belief, cls))
    return float(belief.probability[row][columns].sum()) / alike if alike else 1.0


def _open_columns(belief: Belief, row: int, places: tuple[str, ...]) -> list[int]:
    """Returns the columns of places that are not excluded: not looked into, and not where the goal wants the object."""
    return [k for k, p in enumerate(belief.places) if p in places and not belief.looked[k] and not belief.bars(row)[k]]


def best_place(belief: Belief, cls: str) -> tuple[str, float]:
    """Returns the likeliest place of an object of a class not found yet, and its probability; ("", 0) if there is none."""
    row = _row(belief, cls)
    if row is None or not belief.places:
        return "", 0.0
    k = int(np.argmax(belief.probability[row]))
    return belief.places[k], float(belief.probability[row][k])


def better_place(belief: Belief, cls: str, looked: tuple[str, ...], at_hand: Collection[str]) -> tuple[str, float]:
    """Returns the likeliest place at hand that is `BETTER` times as probable as the places that were looked into.

    Args:
        belief: the belief before the look.
        cls: a class of which no object was found yet.
        looked: the places that were looked into.
        at_hand: ids of places that could have been looked into as soon.

    Returns:
        The place and its probability; ("", 0) if there is none, or if the places that were looked into are excluded.
    """
    row = _row(belief, cls)
    if row is None or not _open_columns(belief, row, looked):
        return "", 0.0
    here = sum(probability_at(belief, cls, place) for place in looked)
    places = {place: probability_at(belief, cls, place) for place in at_hand if place not in looked}
    best = max(places, key=lambda place: places[place], default="")
    return (best, places[best]) if best and places[best] > max(EVEN, BETTER * here) else ("", 0.0)


def is_pinned(belief: Belief, cls: str) -> bool:
    """Returns True if the operator fixed where an object of a class not found yet is."""
    row = _row(belief, cls)
    return row is not None and bool(belief.pinned[row].any())
