"""Decides whether a goal can be reached in a room at all: by what there is, its properties, and where the robot can stand."""

from __future__ import annotations

from core.goals.literals import Goal, Literal, is_a
from core.goals.possibility import (
    POSSIBLE,
    Possibility,
    cannot_be_carried,
    cannot_become,
    no_room,
    no_target,
    one_hand,
    out_of_reach,
    too_few,
)
from core.world.vocabulary import CONTAINER, CUTS, SLICEABLE, SURFACE, SWITCHABLE, TAKES_SLICES, TREATED_BY, TURNED, Entity
from sim.thor.observation import Moment

FILLABLE = frozenset({"mug", "cup"})
PROPORTION = 0.9
"""Largest share of a holder's base that an object may cover."""


def possible(now: Moment, goal: Goal) -> Possibility:
    """Returns whether each literal has enough subjects and targets."""
    return next((why for literal in goal.literals if not (why := _possible(now, literal))), POSSIBLE)


def _possible(now: Moment, literal: Literal) -> Possibility:
    all_subjects = [e for e in now.entities.values() if is_a(e, literal.subject)]
    things = [e for i, e in now.entities.items() if now.footing(i)]
    subjects = [e for e in things if is_a(e, literal.subject)]
    if len(subjects) < literal.count:
        enough = len(all_subjects) >= literal.count
        return out_of_reach(literal) if enough else too_few(literal, len(all_subjects), literal.count)
    able = [e for e in subjects if all(_can_become(now, things, e, s) for s in literal.states)]
    if len(able) < literal.count:
        return cannot_become(literal, len(able), literal.count)
    if literal.predicate == "is":
        return POSSIBLE
    able = [e for e in able if e.category == "object"]
    if len(able) < literal.count:
        return cannot_be_carried(literal)
    if literal.predicate == "holds":
        return POSSIBLE if literal.count == 1 else one_hand(literal)
    targets = [e for e in things if is_a(e, literal.target or "")]
    flag = CONTAINER if literal.predicate == "inside" else SURFACE
    if not any(flag in t.properties for t in targets):
        return no_target(literal, there=bool(targets))
    fitting = sum(any(_takes(now, t, e, literal) for t in targets) for e in able)
    return POSSIBLE if fitting >= literal.count else no_room(literal, fitting, literal.count)


def _takes(now: Moment, holder: Entity, thing: Entity, literal: Literal) -> bool:
    flag = CONTAINER if literal.predicate == "inside" else SURFACE
    if holder.id == thing.id or flag not in holder.properties:
        return False
    if TAKES_SLICES in holder.properties and "sliced" not in literal.states | thing.states:
        return False
    return _base(now, thing.id) <= PROPORTION * _base(now, holder.id)


def _base(now: Moment, name: str) -> float:
    size = now.metas[name]["axisAlignedBoundingBox"]["size"]
    return float(size["x"] * size["z"])


def _can_become(now: Moment, things: list[Entity], entity: Entity, state: str) -> bool:
    if state in entity.states:
        return True
    if state in TURNED:
        return TURNED[state] in entity.properties
    if state == "sliced":
        return SLICEABLE in entity.properties and any(CUTS in e.properties for e in things)
    if state not in TREATED_BY or (state == "filled" and entity.cls not in FILLABLE):
        return False
    need, flag = TREATED_BY[state]
    machines = [e for e in things if flag in e.properties and (SWITCHABLE in e.properties or e.id in now.controllers)]
    return (not need or need in entity.properties) and bool(machines)
