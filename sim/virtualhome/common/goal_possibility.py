"""Which goals are possible in an apartment: by what there is and what it is made for. VirtualHome knows no sizes."""

from __future__ import annotations

from collections import Counter

from core.goals.kinds import is_a
from core.goals.literals import Goal, Literal
from core.goals.possibility import (
    POSSIBLE,
    Possibility,
    cannot_be_carried,
    cannot_be_used,
    cannot_become,
    no_room,
    no_target,
    too_few,
    unsupported,
)
from core.world.vocabulary import (
    ACTS,
    CONTAINER,
    GRABBABLE,
    HELD_ACTS,
    LIEABLE,
    OPENABLE,
    SITTABLE,
    SURFACE,
    SWITCHABLE,
    TURNED,
    ActionSchema,
    Entity,
)
from sim.virtualhome.common.apartment_state import Home

SEATS = {"sitting": SITTABLE, "lying": LIEABLE}
"""Posture -> the property of what the robot sits or lies on."""
PLACES = {"sitting": {"couch": 4, "bed": 4, "loveseat": 2, "sofa": 4, "pianobench": 2, "bench": 2},
          "lying": {"couch": 2, "bathtub": 2, "bed": 3, "loveseat": 2, "sofa": 2}}
"""Posture -> how many things VirtualHome lets be on a class; 1 on all others."""


def possible(home: Home, goal: Goal, schemas: tuple[ActionSchema, ...]) -> Possibility:
    """Returns whether there are enough objects, and each can get the place and states the goal wants.

    Args:
        home: the apartment.
        goal: what is asked.
        schemas: the verbs of the world.
    """
    if not (why := unsupported(goal, schemas)):
        return why
    entities = tuple(map(home.entity, home.catalogue))
    needed: Counter[str] = Counter()
    for literal in goal.literals:
        if literal.predicate in ("inside", "on", "holds") and literal.is_plain:
            needed[literal.subject] += literal.count
            have = sum(is_a(e, literal.subject) for e in entities)
            if have < needed[literal.subject]:
                return too_few(literal, have, needed[literal.subject])
    return next((why for x in goal.literals if not x.never and not (why := _possible(home, entities, x))), POSSIBLE)


def _possible(home: Home, entities: tuple[Entity, ...], literal: Literal) -> Possibility:
    if literal.predicate == "standing":
        return POSSIBLE
    rooms = {e.id for e in entities if e.category == "room" and literal.room and is_a(e, literal.room)}
    subjects = [e for e in entities if is_a(e, literal.subject) and (e.category == "room") == (literal.predicate == "robot_in")
                and (literal.room is None or e.room in rooms)]
    least = max(1, len(subjects)) if literal.every else literal.count
    if len(subjects) < least:
        return too_few(literal, len(subjects), least)
    if literal.is_about_robot:
        return _of_robot(home, literal, subjects, least)
    movable = [e for e in subjects if GRABBABLE in e.properties or literal.predicate == "is"]
    if len(movable) < least:
        return cannot_be_carried(literal)
    able = [e for e in movable if all(_can_become(home, e, state) for state in literal.states)]
    if len(able) < least:
        return cannot_become(literal, len(able), least)
    if literal.predicate not in ("inside", "on"):
        return POSSIBLE
    wanted = literal.target or ""
    if literal.predicate == "inside" and any(e.category == "room" and is_a(e, wanted) for e in entities):
        return POSSIBLE
    flag = CONTAINER if literal.predicate == "inside" else SURFACE
    places = [e for e in entities if is_a(e, wanted)]
    targets = [e for e in places if flag in e.properties]
    able = [e for e in able if any(t.id != e.id for t in targets)]
    return POSSIBLE if len(able) >= least else no_target(literal, there=bool(places))


def _of_robot(home: Home, literal: Literal, subjects: list[Entity], least: int) -> Possibility:
    """Judges a literal about the robot or an act."""
    flag = ACTS[literal.act] if literal.predicate == "done" else SEATS.get(literal.predicate, "")
    able = [e for e in subjects if (not flag or flag in e.properties)
            and (literal.act not in HELD_ACTS or GRABBABLE in e.properties)]
    if literal.act in ("watch", "touch"):
        able = [e for e in able if not _is_built_in(home, e)]
    if literal.act in ("watch", "type"):
        able = [e for e in able if SWITCHABLE not in e.properties or _can_become(home, e, "on")]
    if len(able) < least:
        return cannot_be_used(literal)
    if literal.predicate in SEATS and not any(_has_place(home, literal.predicate, e) for e in able):
        return no_room(literal, 0, least)
    return POSSIBLE


def _is_built_in(home: Home, entity: Entity) -> bool:
    """Returns True for what is inside something closed that cannot be opened, as sinks are in worktops: nobody touches it."""
    around = home.graph.inside.get(home.nodes[entity.id], ())
    return any(home.has_state(i, "CLOSED") and (i not in home.catalogue or OPENABLE not in home.catalogue[i].properties)
               for i in around)


def _has_place(home: Home, posture: str, seat: Entity) -> bool:
    """Returns True if the robot is there already, or VirtualHome lets it sit or lie beside what is on the seat."""
    node = home.nodes[seat.id]
    taken = sum(node in holders for holders in home.graph.on.values())
    return (home.posture, home.body.seat) == (posture, seat.id) or taken < PLACES[posture].get(seat.cls, 1)


def _can_become(home: Home, entity: Entity, state: str) -> bool:
    if state in entity.states:
        return True
    node = home.nodes[entity.id]
    if state == "plugged in":
        return home.can_plug_in(node)
    return state in TURNED and TURNED[state] in entity.properties and not (
        state == "on" and home.has_state(node, "PLUGGED_OUT") and not home.can_plug_in(node))
