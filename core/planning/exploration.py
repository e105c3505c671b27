"""Where to look next for a thing nobody has seen: around, behind doors, from close by, in other rooms; nearest first."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from core.world.known_world import KnownWorld, is_open
from core.world.vocabulary import CONTAINER, SURFACE, Action, Entity

SCAN = Action("scan")


def next_look(world: KnownWorld, verbs: frozenset[str], without: Collection[Action], tried: Collection[Action], *,
              partial: bool, among: Collection[str] = ()) -> Action | None:
    """The next action of a search through all that can be looked into; None when nothing is left.

    Args:
        world: all that is known.
        verbs: what the world understands.
        without: actions that are banned or were just refused.
        tried: walks already made in this search: a place is walked up to once.
        partial: what stands in the room may be out of the picture, so that places are looked at from close by.
        among: ids of the places and rooms that are worth a look; empty: all are.
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
    """Open what is shut, walking up to it first."""
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
    """How a scan of a room is remembered."""
    return Action("scan", (room or "",))


def remembered(action: Action, room: str | None) -> Action:
    """What `tried` should hold of an action done in a room."""
    return _around(room) if action == SCAN else action
