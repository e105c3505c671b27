"""Suggests tasks in place of one that cannot be parsed or is not possible.

Each suggestion is parsed, and checked in the scene, before it is shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice

from core.common.errors import DataError, GoalError
from core.evaluation.tasks import draw_task, sentence
from core.goals.formal_text import formal, is_formal, read_formal
from core.goals.literals import NOT_LASTING, Goal, Literal
from core.goals.parser.context import Usual
from core.goals.parser.noun_phrases import span_of
from core.goals.parser.sentence import parse_goal
from core.goals.progress import reached
from core.goals.vocabulary import Lexicon
from core.planning.offline_answers import prior
from core.planning.prompt_facts import PlaceFact
from core.simulator.base import Simulator
from core.world.vocabulary import CONTAINER, OPENABLE, SURFACE, SWITCHABLE, Entity, Observation

MOST = 3
"""Number of suggestions in one message."""
MOST_OF_A_THING, MOST_DRAWN = 4, 8
"""Number of candidates tried for one noun, and number of seeds drawn."""
MOST_WORDS = 60
"""Number of words of a task in which known nouns are searched."""


def usual_places(seen: Observation) -> Usual:
    """Returns where objects of a class usually are, by the prior: classes of furniture, likeliest first."""
    usual = _Usual(seen)
    return lambda cls: tuple(place.cls for place in usual.places_of(cls))


def suggestions(world: Simulator, lexicon: Lexicon, text: str, error: GoalError, seed: int,
                nearest: Iterable[str] = ()) -> tuple[str, ...]:
    """Returns the first few tasks that can be parsed, are possible, and are not reached at the start; most similar first.

    If the simulator has a task of its own, that is the only suggestion. `nearest` are tasks to try before all others.
    """
    own = world.goal()
    if own is not None:
        return (own.text,)

    def suits(task: str) -> bool:
        try:
            goal = read_formal(task, world.reveal().entities) if is_formal(task) else parse_goal(task, lexicon)
        except GoalError:
            return False
        return bool(world.possible(goal)) and not reached(goal, world.reveal())

    candidates = dict.fromkeys((*nearest, *_mended(text, error), *_about(world.reveal(), _nouns(text, lexicon))))
    found = list(islice((task for task in candidates if suits(task)), MOST))
    if len(found) < MOST:
        found += islice((task for task in _drawn(world, seed) if task not in found and suits(task)), MOST - len(found))
    return tuple(found)


def without_contradiction(goal: Goal, one: Literal, other: Literal) -> tuple[str, ...]:
    """Returns goals without a contradiction between two literals, as formal text: in an order, or without one of them."""
    def without(dropped: Literal) -> str:
        return formal(Goal(tuple(x for x in goal.literals if x != dropped)))

    found = [without(other), without(one)]
    if one.predicate in NOT_LASTING and not other.never:  # what the robot does or holds need not last
        later = replace(other, stage=max(other.stage, one.stage + 1))
        found.insert(0, formal(Goal(tuple(later if x == other else x for x in goal.literals))))
    return tuple(dict.fromkeys(found))


def _mended(text: str, error: GoalError) -> Iterator[str]:
    """Yields the task with replacements for the words that are wrong."""
    start, end = span_of(text, error.words)
    if end > start:
        for words in error.instead:
            yield f"{text[:start]}{words}{text[end:]}".strip()


def _nouns(text: str, lexicon: Lexicon) -> list[str]:
    """Returns the classes of this scene that the task names, in its order; of several matches, the longest name."""
    tokens = re.findall(r"[^\W_]+", text.lower())[:MOST_WORDS]
    found: list[str] = []
    at = 0
    while at < len(tokens):
        for size in (3, 2, 1):
            try:
                kinds = lexicon.kinds(" ".join(tokens[at:at + size]))
            except GoalError:
                continue
            found += [lexicon.word(kind).cls for kind in kinds]
            at += size - 1
            break
        at += 1
    return list(dict.fromkeys(found))


def _about(seen: Observation, classes: list[str]) -> Iterator[str]:
    """Yields tasks about the objects and furniture that a task names.

    Objects go to named furniture, or to their usual furniture.
    """
    entities = {e.cls: e for e in seen.entities if e.category != "room"}
    usual = _Usual(seen)
    named = [entities[cls] for cls in classes]
    places = [e for e in named if _is_place(e)]
    for one in (e for e in named if e.category == "object"):
        for place in [*places, *usual.places_of(one.cls)][:MOST_OF_A_THING]:
            yield sentence((_put(one.cls, place),))
    for one in named:
        for flag, state in ((OPENABLE, "open"), (SWITCHABLE, "on")):
            if flag in one.properties:
                yield sentence((Literal("is", one.cls, None, 1, frozenset({state})),))
    for place in places:
        for cls in usual.things_of(place.cls)[:MOST_OF_A_THING]:
            yield sentence((_put(cls, place),))


def _is_place(one: Entity) -> bool:
    return one.category == "furniture" and bool(one.properties & {CONTAINER, SURFACE})


def _put(cls: str, place: Entity) -> Literal:
    return Literal("inside" if CONTAINER in place.properties else "on", cls, place.cls)


class _Usual:
    """The usual furniture of each class of objects, by the prior. The true locations of this episode are not revealed."""

    def __init__(self, seen: Observation):
        rooms = {e.id: e.cls for e in seen.entities if e.category == "room"}
        self._places = list({e.cls: e for e in seen.entities if _is_place(e)}.values())
        self._facts = [PlaceFact(e.id, e.cls, e.room or "", rooms.get(e.room or "", ""), CONTAINER in e.properties)
                       for e in self._places]
        self._things = sorted({e.cls for e in seen.entities if e.category == "object"})

    def places_of(self, cls: str) -> list[Entity]:
        """Returns furniture of different classes, most likely first."""
        if not self._facts:
            return []
        shares = prior().over(cls, self._facts)
        return [self._places[k] for k in sorted(range(len(shares)), key=lambda k: -float(shares[k]))]

    def things_of(self, place: str) -> list[str]:
        """Returns classes of objects usually found at a class of furniture, most likely first."""
        at = next(k for k, e in enumerate(self._places) if e.cls == place)
        return sorted(self._things, key=lambda cls: -float(prior().over(cls, self._facts)[at]))


def _drawn(world: Simulator, seed: int) -> Iterator[str]:
    """Yields tasks drawn in this scene."""
    for k in range(MOST_DRAWN):
        try:
            yield draw_task(world, seed + k).text
        except DataError:  # no task is possible here
            return
