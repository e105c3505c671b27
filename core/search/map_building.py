"""Builds the map of the rearrangement model from entities, and the facts for prompts from the map."""

from __future__ import annotations

from collections.abc import Iterable

from core.goals.literals import Literal
from core.planning.prompt_facts import PlaceFact
from core.search.problem import Layout, Place
from core.world.vocabulary import CONTAINER, OPENABLE, SURFACE, Entity


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


def place_facts(layout: Layout) -> tuple[PlaceFact, ...]:
    """Returns the furniture of the map as facts for model requests."""
    rooms = layout.rooms
    return tuple(PlaceFact(p.id, p.cls, rooms[p.room][0], rooms[p.room][1], p.relation == "inside")
                 for p in layout.places if p.relation != "floor")


def targets_of(layout: Layout, literal: Literal) -> tuple[int, ...]:
    """Returns the indices of the locations that satisfy a literal."""
    return tuple(k for k, p in enumerate(layout.places)
                 if literal.target in (p.cls, p.id) and p.relation == literal.predicate)
