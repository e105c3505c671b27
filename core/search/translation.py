"""Translates between the world and the model: entities into the map, integer actions into actions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from core.goals.literals import Literal
from core.search.model import CLOSE, GRAB, NEAR_TO, OPEN, PUT, WALK
from core.search.problem import Layout, Macro, Place
from core.world.vocabulary import CONTAINER, OPENABLE, SURFACE, Action, Entity


def layout_of(entities: Iterable[Entity]) -> Layout:
    """Returns the map: rooms; the insides and tops of all furniture; floors, those of rooms without known furniture first."""
    known = list(entities)
    rooms = tuple((e.id, e.cls) for e in known if e.category == "room")
    index = {r: k for k, (r, _) in enumerate(rooms)}
    furniture = [e for e in known if e.category == "furniture"]
    places = [place for e in furniture if e.room in index for place in _places(e, index[e.room])]
    mapped = {p.room for p in places}
    floors = sorted((Place(r, cls, "floor", index[r], False) for r, cls in rooms), key=lambda p: p.room in mapped)
    return Layout(rooms, (*places, *floors))


def _places(entity: Entity, room: int) -> list[Place]:
    found = []
    if CONTAINER in entity.properties:
        found.append(Place(entity.id, entity.cls, "inside", room, OPENABLE in entity.properties))
    if SURFACE in entity.properties:
        found.append(Place(entity.id, entity.cls, "on", room, False))
    return found


def targets_of(layout: Layout, literal: Literal) -> tuple[int, ...]:
    """Returns the indices of the locations that satisfy a literal."""
    return tuple(k for k, p in enumerate(layout.places)
                 if literal.target in (p.cls, p.id) and p.relation == literal.predicate)


def to_actions(layout: Layout, things: Sequence[str], macro: Macro, held: int) -> tuple[Action, ...]:
    """Returns the actions of a sequence of primitive steps.

    Args:
        layout: the map.
        things: index of an object -> its id.
        macro: the primitive steps.
        held: index of the object in the hand before them, or -1.
    """
    found = []
    for primitive in macro:
        found.append(_action(layout, things, primitive, held))
        if GRAB <= primitive < PUT:
            held = primitive - GRAB
    return tuple(found)


def _action(layout: Layout, things: Sequence[str], primitive: int, held: int) -> Action:
    if primitive < WALK:
        return Action("walk", (layout.rooms[primitive][0],))
    if primitive < NEAR_TO:
        return Action("walk", (layout.spots[primitive - WALK],))
    if primitive < GRAB:
        return Action("walk", (things[primitive - NEAR_TO],))
    if primitive < PUT:
        return Action("grab", (things[primitive - GRAB],))
    if primitive < OPEN:
        place = layout.places[primitive - PUT]
        return Action("put_in" if place.relation == "inside" else "put_on", (things[held], place.id))
    if primitive < CLOSE:
        return Action("open", (layout.places[primitive - OPEN].id,))
    return Action("close", (layout.places[primitive - CLOSE].id,))
