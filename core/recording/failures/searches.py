"""Turns that searched for an object without a belief to judge the places by: what they showed, and what they passed by."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from core.recording.failures.labels import Evidence
from core.recording.failures.lost_turns import Course, Yield, furniture_words
from core.views.wording import count
from core.world.vocabulary import Action, spaced

COMPARED = "turns that only showed places, where objects were found, and the rooms of the robot; no belief was recorded"


def unjudged(course: Course) -> dict[str, list[int]]:
    """Returns the indices of the turns that searched, or led there, without a belief about the object, by its class."""
    found: dict[str, list[int]] = {}
    sought: dict[int, str] = {}
    for k, one in enumerate(course.yields):
        believed = one.turn.belief is not None and any(cls in one.turn.belief.classes for cls in one.missing)
        if one.kind == "look" and one.serves < 0 and not believed:
            sought[k] = one.missing[0] if one.missing else ""
    for k, one in enumerate(course.yields):
        cls = sought.get(k, sought.get(one.serves) if one.kind == "approach" else None)
        if cls is not None:
            found.setdefault(cls, []).append(k)
    return found


def evidence_of_searches(course: Course, chosen_by: str) -> Iterator[Evidence]:
    """Yields what the unjudged turns showed, for each class that was sought.

    Where the goal names several objects of a class, each is sought until it is found. A detour is a piece of its own: leaving a
    room with places that were in sight, and coming back for them. If the object was found in one of them, the whole detour
    counts, because looking there first would have spared it. Otherwise the places looked into meanwhile would have been
    searched anyway, and only the way back counts.

    Args:
        course: what each turn brought.
        chosen_by: who chose the places, as the beginning of a sentence.
    """
    for cls, turns in _between_finds(course):
        found, rest = _found(course, cls, turns), list(turns)
        words = f"the {spaced(cls)}" if cls else "a tool"
        ending = f"{_ending(course, cls, turns)}; {chosen_by}"
        for passed in _passed(course, cls, turns):
            first = passed.left if found is not None else passed.back
            between = [k for k in rest if first <= k <= passed.back]
            if between:
                rest = [k for k in rest if k not in between]
                yield _detour(course, words, passed, between, ending if found is not None else "only the way back is counted")
        if rest:
            better = found[0] if found is not None else next(iter(course.unlooked), None)
            instead = Action("walk", (better,)) if cls and better is not None else None
            yield replace(_evidence(course, rest, f"searched for {words}: {ending}"), instead=instead)


def _detour(course: Course, words: str, passed: _Passed, turns: Sequence[int], ending: str) -> Evidence:
    left, back = (course.yields[k].turn.number for k in (passed.left, passed.back))
    text = (f"searching for {words}, the robot left the {passed.room} in turn {left} before it had looked into "
            f"{furniture_words(passed.places)}, and came back in turn {back}; {ending}")
    return replace(_evidence(course, turns, text), told=left, instead=Action("walk", passed.places[:1]))


def _between_finds(course: Course) -> Iterator[tuple[str, list[int]]]:
    """Yields each class that was sought with the indices of the turns up to a find of it, or to the end."""
    for cls, turns in unjudged(course).items():
        finds = [turn for name, _, turn in course.found if name == cls]
        pieces: dict[int, list[int]] = {}
        for k in turns:
            pieces.setdefault(bisect_left(finds, course.yields[k].turn.number), []).append(k)
        yield from ((cls, piece) for piece in pieces.values())


def _evidence(course: Course, turns: Sequence[int], text: str) -> Evidence:
    return Evidence("long search", tuple(course.yields[k].turn.number for k in turns), len(turns), text, COMPARED)


def _ending(course: Course, cls: str, turns: Sequence[int]) -> str:
    """Returns where the object was found, or that it was not, in words."""
    found = _found(course, cls, turns)
    places = dict.fromkeys(place for k in turns for place in course.yields[k].looked if found is None or place != found[0])
    number = count(len(places), "place was", "places were")
    if found is None:
        left = f"; {furniture_words(course.unlooked)} had been seen but not looked into" if course.unlooked else ""
        return f"{number} looked into, and it was in none of them{left}" if cls else f"{number} looked into"
    place, turn = found
    return f"{number} looked into without success, and it was found in turn {turn} at the {place}"


def _found(course: Course, cls: str, turns: Sequence[int]) -> tuple[str, int] | None:
    """Returns the place where an object of the class was first found after a search began, and the turn."""
    began = course.yields[turns[0]].turn.number
    return next(((place, turn) for name, place, turn in course.found if name == cls and turn >= began), None)


@dataclass(frozen=True, slots=True)
class _Passed:
    """Places of a room that the robot left and came back for: indices of both turns, and the places."""

    room: str
    left: int
    back: int
    places: tuple[str, ...]


def _passed(course: Course, cls: str, turns: Sequence[int]) -> list[_Passed]:
    """Returns the rooms that the robot left and came back for, in that order; if the object was found, only that room."""
    yields, found = course.yields, _found(course, cls, turns)
    looked = [(k, place) for k, one in enumerate(yields) if k >= turns[0] for place in one.looked]
    if found is not None:
        looked = [(k, place) for k, place in looked if place == found[0]]
    passed: dict[tuple[str, int], _Passed] = {}
    for k, place in looked:
        room = _room_of(yields[k], place)
        left = next((j for j in range(turns[0], k) if _leaves(yields[j], room) and place in yields[j].turn.seen.by_id), None)
        if room is None or left is None:
            continue
        back = max((j for j in range(left + 1, k) if _enters(yields[j], room)), default=k)
        known = passed.setdefault((room, back), _Passed(room, left, back, ()))
        passed[room, back] = replace(known, places=(*known.places, place))
    return sorted(passed.values(), key=lambda one: one.left)


def _leaves(one: Yield, room: str | None) -> bool:
    return one.turn.seen.agent.room == room != _room_after(one)


def _enters(one: Yield, room: str) -> bool:
    return one.turn.seen.agent.room != room == _room_after(one)


def _room_after(one: Yield) -> str | None:
    return one.turn.outcome.observation.agent.room if one.turn.outcome is not None else None


def _room_of(one: Yield, place: str) -> str | None:
    entity = one.turn.seen.by_id.get(place)
    return entity.room if entity is not None else None
