"""What a planner does besides moving objects: the next look for objects not seen yet, and the next action for other literals.

The order of a search: scan, open containers, look closer, change rooms. Doors, switches, slicing, cooking, washing and holding
are reached by regression over what is known (`core.planning.goal_work`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from core.goals.literals import ABOUT_ROBOT, Goal, Literal
from core.goals.progress import progress
from core.goals.tracker import concrete
from core.planning.goal_work import next_step, why_stuck
from core.planning.regression import Memory, Stuck
from core.world.known_world import KnownWorld, is_open
from core.world.vocabulary import CONTAINER, SURFACE, Action, Entity, Observation

SCAN = Action("scan")


def next_look(world: KnownWorld, verbs: frozenset[str], without: Collection[Action], tried: Collection[Action], *,
              partial: bool, among: Collection[str] = ()) -> Action | None:
    """Returns the next action of a systematic search of the home, or None if nothing is left to search.

    Args:
        world: all that is known.
        verbs: the verbs of the world.
        without: actions that are banned or were just refused.
        tried: walks and scans already made in this search; each is made once.
        partial: True if the camera may miss objects in the room, so that surfaces are looked at from close by.
        among: ids of the places and rooms worth searching; empty: all.
    """
    for action in _looks(world, tried, among, partial=partial):
        if action.verb in verbs and action not in without:
            return action
    return None


def _looks(world: KnownWorld, tried: Collection[Action], among: Collection[str], *, partial: bool) -> Iterator[Action]:
    here = world.agent.room
    furniture = sorted((e for e in world.entities.values() if e.category == "furniture" and (not among or e.id in among)),
                       key=lambda e: e.room != here)
    rooms = [e for e in world.entities.values() if e.category == "room"]
    if partial and _around(here) not in tried:
        yield SCAN
    for place in furniture:
        if place.room in (here, None):
            yield from _into(place, world, tried)
    for place in furniture if partial else ():
        if place.room in (here, None) and SURFACE in place.properties and _walk(place.id) not in tried:
            yield _walk(place.id)
    for room in rooms:
        new = (room.id, "floor") not in world.looked and (
            not among or room.id in among or any(e.room == room.id for e in furniture))
        unseen = new or any(e.room == room.id and _shut(e, world) and _walk(e.id) not in tried for e in furniture)
        if room.id != here and unseen:
            yield _walk(room.id)


def _into(place: Entity, world: KnownWorld, tried: Collection[Action]) -> Iterator[Action]:
    """Yields the action that opens a closed container, or the walk to it."""
    if _shut(place, world):
        if place.id in world.agent.near:
            yield Action("open", (place.id,))
        elif _walk(place.id) not in tried:
            yield _walk(place.id)


def _shut(place: Entity, world: KnownWorld) -> bool:
    return CONTAINER in place.properties and not is_open(place) and (place.id, "inside") not in world.looked


def _walk(entity_id: str) -> Action:
    return Action("walk", (entity_id,))


def _around(room: str | None) -> Action:
    """Returns the key under which a scan of a room is stored in `tried`."""
    return Action("scan", (room or "",))


def remembered(action: Action, room: str | None) -> Action:
    """Returns the key under which an action done in a room is stored in `tried`."""
    return _around(room) if action == SCAN else action


def next_chore(goal: Goal, world: Observation, memory: Memory, verbs: frozenset[str],
               chosen: dict[Literal, str] | None = None) -> Action | None:
    """Returns the first action towards the first literal that does not hold; None if all hold.

    Args:
        goal: the goal; objects that its satisfied literals need stay where they are.
        world: all that is known.
        memory: what was learned from refusals.
        verbs: the verbs of the world.
        chosen: the subjects worked on so far, see `next_step`.

    Raises:
        Stuck: no literal can be worked on with what is known, or only what comes last, the robot itself; the message says why.
    """
    step = next_step(progress(concrete(goal, world, full=memory.no_space), world), world, memory, verbs,
                     {} if chosen is None else chosen)
    if step.reasons and (step.literal is None or step.literal.predicate in ABOUT_ROBOT):
        raise Stuck(why_stuck(step))
    return step.action
