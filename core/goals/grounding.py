"""Grounds goals in known objects: "every light", "what lay on the table" and "away" become literals a planner can work on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import replace

from core.goals.achieved import UNKNOWN, GoalRecord
from core.goals.literals import Goal, Literal, is_a, meant, satisfying
from core.world.vocabulary import BREWS, CONTAINER, HEATS, RINSES, SURFACE, Entity, Observation

PASSING = frozenset({HEATS, RINSES, BREWS})
"""Appliances that objects are put into only temporarily, so they are no target for "away"."""

OFTEN = 3
"""The number of places that refused an object after which another object is preferred."""


def concrete(goal: Goal, world: Observation, record: GoalRecord = UNKNOWN,
             full: Collection[tuple[str, str]] = ()) -> Goal:
    """Returns the goal without `every`, `room`, `source` and `away`, in terms of the objects known now.

    Args:
        goal: the goal as given.
        world: all that is known.
        record: what is known of the past.
        full: (object, holder) pairs that were refused.
    """
    literals = [plain for literal in goal.literals for plain in _plain(literal, world, record, full)]
    return Goal(tuple(dict.fromkeys(literals)), goal.text)


def plain(literal: Literal) -> bool:
    """Returns True if a literal is a count of objects here and now, without `every`, `room`, `source` and `away`."""
    return not (literal.every or literal.room or literal.source or literal.predicate == "away")


def _plain(literal: Literal, world: Observation, record: GoalRecord, full: Collection[tuple[str, str]]) -> list[Literal]:
    if plain(literal):
        return [literal]
    done = set(satisfying(literal, world, record))
    known = sorted(meant(literal, world, record), key=lambda e: (e.id not in done, e.id not in world.agent.holding, e.id))
    chosen = known if literal.every else _takeable(known, done, full)[: literal.count]
    return [_of(literal, entity, world, full, done) for entity in chosen]


def _takeable(known: list[Entity], done: set[str], full: Collection[tuple[str, str]]) -> list[Entity]:
    """Returns the objects with those that cannot be taken last (pairs without holder), and those refused often before them."""
    stuck = {thing for thing, holder in full if not holder}
    refused = Counter(thing for thing, _ in full)
    return sorted(known, key=lambda e: (e.id not in done, e.id in stuck, refused[e.id] >= OFTEN))


def _of(literal: Literal, entity: Entity, world: Observation, full: Collection[tuple[str, str]], done: set[str]) -> Literal:
    one = replace(literal, subject=entity.id, count=1, every=False, room=None, source=None)
    if literal.predicate != "away":
        return one
    if entity.id in done:
        return replace(one, predicate="is", target=None)
    place = _elsewhere(entity, literal.target or "", world, full)
    if place is None:
        return replace(one, predicate="holds", target=None)
    return replace(one, predicate="on" if SURFACE in place.properties else "inside", target=place.id)


def _elsewhere(entity: Entity, source: str, world: Observation, full: Collection[tuple[str, str]]) -> Entity | None:
    """Returns the nearest other place that has not refused the object."""
    def fits(place: Entity) -> bool:
        return (place.category == "furniture" and bool(place.properties & {SURFACE, CONTAINER})
                and not place.properties & PASSING and not is_a(place, source) and (entity.id, place.id) not in full)

    here = world.agent.room
    found = sorted((p for p in world.entities if fits(p)),
                   key=lambda p: (p.room != here, SURFACE not in p.properties, len(world.contents.get(p.id, ())), p.id))
    return found[0] if found else None
