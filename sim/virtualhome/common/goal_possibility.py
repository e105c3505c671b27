"""Decides whether a goal can be reached in an apartment at all. VirtualHome knows no sizes: there is always room."""

from __future__ import annotations

from collections import Counter

from core.goals.literals import Goal, Literal
from core.goals.possibility import POSSIBLE, Possibility, cannot_be_carried, cannot_become, no_target, too_few
from core.world.vocabulary import CONTAINER, GRABBABLE, OPENABLE, SURFACE, SWITCHABLE
from sim.virtualhome.common.apartment_state import STATES, Home, Kind

TURNED = {"open": OPENABLE, "closed": OPENABLE, "on": SWITCHABLE, "off": SWITCHABLE}


def possible(home: Home, goal: Goal) -> Possibility:
    """Returns whether there are enough objects, and each can get the place and states the goal wants."""
    needed: Counter[str] = Counter()
    for literal in goal.literals:
        if literal.predicate != "is":
            needed[literal.subject] += literal.count
            have = sum(_is_meant(k, literal.subject) for k in home.catalogue.values())
            if have < needed[literal.subject]:
                return too_few(literal, have, needed[literal.subject])
    return next((why for literal in goal.literals if not (why := _possible(home, literal))), POSSIBLE)


def _possible(home: Home, literal: Literal) -> Possibility:
    subjects = [k for k in home.catalogue.values() if _is_meant(k, literal.subject)]
    if len(subjects) < literal.count:
        return too_few(literal, len(subjects), literal.count)
    movable = [k for k in subjects if GRABBABLE in k.properties or literal.predicate == "is"]
    if len(movable) < literal.count:
        return cannot_be_carried(literal)
    able = [k for k in movable if all(_can_become(home, k, state) for state in literal.states)]
    if len(able) < literal.count:
        return cannot_become(literal, len(able), literal.count)
    if literal.predicate not in ("inside", "on"):
        return POSSIBLE
    flag = CONTAINER if literal.predicate == "inside" else SURFACE
    places = [t for t in home.catalogue.values() if _is_meant(t, literal.target or "")]
    targets = [t for t in places if flag in t.properties]
    able = [k for k in able if any(t.id != k.id for t in targets)]
    return POSSIBLE if len(able) >= literal.count else no_target(literal, there=bool(places))


def _is_meant(kind: Kind, cls_or_id: str) -> bool:
    return cls_or_id in (kind.id, kind.node.cls)


def _can_become(home: Home, kind: Kind, state: str) -> bool:
    if any(STATES.get(s) == state for s in home.graph.nodes[kind.node.id].states):
        return True
    return state in TURNED and TURNED[state] in kind.properties and not (
        state == "on" and home.has_state(kind.node.id, "PLUGGED_OUT") and not home.can_plug_in(kind.node.id))
