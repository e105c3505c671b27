"""Beliefs about positions, compared with where objects were found later in the run and with a uniform belief."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final

import numpy as np

from core.planning.belief_facets import Belief
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
        self._refuted = _refuted(run, {cls: number for cls, _, number in course.found})

    def misled(self, turn: RecordedTurn, cls: str, looked: tuple[str, ...] = ()) -> tuple[str, str, str] | None:
        """Returns how the belief of a turn was wrong about a class, in words, what was compared, and the right place.

        The place is empty if the object was never found. None: it is not known to be wrong.

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
        return (f"the belief gave {true:.0%} to {furniture_words([place])}, where the {spaced(cls)} came into sight in "
                f"turn {number} (a uniform one gives {alike:.0%}), and {share:.0%} to {furniture_words([best])}",
                "the belief about positions and where the object was found later", place)


def _refuted(run: RecordedRun, found_in: Mapping[str, int]) -> dict[str, tuple[str, str, str]]:
    """Returns the classes of which an object was sought until the end, although most of the belief was looked into, in words.

    The object must then be in the places that are left. The belief was wrong if it spoke against them (`POOR`).

    Args:
        run: the run.
        found_in: class -> the number of the last turn in which an object of it came into sight.
    """
    found: dict[str, tuple[str, str, str]] = {}
    believed = [(turn.number, turn.belief) for turn in run.every_turn if turn.belief is not None]
    last = believed[-1][1] if believed else None
    for cls in dict.fromkeys(last.classes) if last is not None else ():
        first = next((belief for number, belief in believed if number > found_in.get(cls, -1)), None)
        row = _row(first, cls) if first is not None else None
        if last is None or first is None or row is None or _row(last, cls) is None or first.places != last.places:
            continue
        open_then = ~first.looked & ~first.bars(row)
        empty, left = last.looked & open_then, ~last.looked & open_then
        share, alike = float(first.probability[row][left].sum()), float(left.sum()) / max(1, int(open_then.sum()))
        if empty.any() and share < POOR * alike:
            places = dict.fromkeys(place for place, is_left in zip(first.places, left, strict=True) if is_left)
            rest = sorted(places, key=lambda place: -probability_at(first, cls, place))
            found[cls] = (f"the places that were looked into had {1 - share:.0%} of the belief about the {spaced(cls)} (a "
                          f"uniform one gives {1 - alike:.0%}), and it was in none of them; {furniture_words(rest)} are left",
                          "the first belief and the places found empty", rest[0])
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
