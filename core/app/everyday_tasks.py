"""Tasks that people would give in a scene: objects go where such objects usually are, and nothing is drunk from a wine bottle.

`core.suites.tasks` draws any possible task, because an evaluation wants all of them and its seeds must stay what they are.
What is offered to people is drawn here.
"""

from __future__ import annotations

from collections.abc import Iterator

from core.common.errors import DataError
from core.evaluation.robot_tasks import robot_tasks
from core.goals.literals import Goal, Literal
from core.planning.offline_answers import prior
from core.planning.prompt_facts import PlaceFact
from core.simulator.base import Simulator
from core.suites.tasks import draw_task
from core.world.vocabulary import CONTAINER, SURFACE, Entity, Observation

USUAL = 3
"""Number of usual places of an object that are sensible."""
LEAST_OF_BEST = 0.25
"""A place is sensible if it is at least this probable, as a share of the most probable place."""
UNFIT = {
    "drink": frozenset({"alcohol", "wine", "wine_bottle", "beer"}),
    "look_at": frozenset({"toilet", "garbage_can", "trashcan"}),
    "touch": frozenset({"toilet", "garbage_can", "trashcan", "stove", "stove_burner", "plunger"}),
    "robot_near": frozenset({"garbage_can", "trashcan"}),
    "robot_facing": frozenset({"garbage_can", "trashcan"}),
    "sitting": frozenset({"toilet"}),
}
"""Predicate or act -> classes about which nobody asks a robot, though it is possible."""


class UsualPlaces:
    """The usual furniture of each class of objects, by the prior. The true locations of this episode are not revealed."""

    def __init__(self, seen: Observation):
        rooms = {e.id: e.cls for e in seen.entities if e.category == "room"}
        self._places = list({e.cls: e for e in seen.entities if is_place(e)}.values())
        self._facts = [PlaceFact(e.id, e.cls, e.room or "", rooms.get(e.room or "", ""), CONTAINER in e.properties)
                       for e in self._places]
        self._things = sorted({e.cls for e in seen.entities if e.category == "object"})

    def places_of(self, cls: str) -> list[Entity]:
        """Returns furniture of different classes, most likely first."""
        return [place for place, _ in self._ranked(cls)]

    def sensible(self, cls: str) -> tuple[str, ...]:
        """Returns the classes of furniture where a person might want an object of a class: the few most likely ones.

        None for classes that the prior does not know: it would send oven mitts to any place where other things lie.
        """
        if prior().kind_of_thing(cls) is None:
            return ()
        ranked = self._ranked(cls)[:USUAL]
        return tuple(place.cls for place, share in ranked if share >= LEAST_OF_BEST * ranked[0][1])

    def things_of(self, place: str) -> list[str]:
        """Returns classes of objects usually found at a class of furniture, most likely first."""
        at = next(k for k, e in enumerate(self._places) if e.cls == place)
        return sorted(self._things, key=lambda cls: -float(prior().over(cls, self._facts)[at]))

    def _ranked(self, cls: str) -> list[tuple[Entity, float]]:
        if not self._facts:
            return []
        shares = prior().over(cls, self._facts)
        return [(self._places[k], float(shares[k])) for k in sorted(range(len(shares)), key=lambda k: -float(shares[k]))]


def is_place(one: Entity) -> bool:
    """Returns True if objects can be put on or into a piece of furniture."""
    return one.category == "furniture" and bool(one.properties & {CONTAINER, SURFACE})


def everyday_task(simulator: Simulator, number: int) -> Goal:
    """Returns a possible task for the simulator's present state that puts objects only where such objects usually are.

    If there is none, because each object is in its place already, it is any possible task. Each `number` gives another one.

    Raises:
        DataError: no task is possible in this scene.
    """
    usual = UsualPlaces(simulator.reveal())
    try:
        return draw_task(simulator, number, usual.sensible)
    except DataError:
        return draw_task(simulator, number)


def everyday_robot_tasks(simulator: Simulator, number: int) -> Iterator[Goal]:
    """Yields tasks about the robot itself and about acts that a person would ask for. Each `number` gives others."""
    return (goal for goal in robot_tasks(simulator, number) if not any(map(_is_unfit, goal.literals)))


def _is_unfit(literal: Literal) -> bool:
    return literal.subject in UNFIT.get(literal.act or literal.predicate, ())
