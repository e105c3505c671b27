"""Whether a goal could hold in an apartment at all. VirtualHome knows no sizes: there is always room."""

from __future__ import annotations

from collections import Counter

from core.goals import Goal, Literal
from core.world import CONTAINER, GRABBABLE, OPENABLE, SURFACE, SWITCHABLE
from sim.virtualhome_common.catalogue import Kind
from sim.virtualhome_common.home import STATES, Home

TURNED = {"open": OPENABLE, "closed": OPENABLE, "on": SWITCHABLE, "off": SWITCHABLE}


def possible(home: Home, goal: Goal) -> bool:
    """Whether there are enough things, and each can get where and how the goal wants it."""
    needed: Counter[str] = Counter()
    for literal in goal.literals:
        if literal.predicate != "is":
            needed[literal.subject] += literal.count
    enough = all(sum(_is_meant(k, subject) for k in home.catalogue.values()) >= n for subject, n in needed.items())
    return enough and all(_possible(home, literal) for literal in goal.literals)


def _possible(home: Home, literal: Literal) -> bool:
    moved = literal.predicate != "is"
    able = [k for k in home.catalogue.values() if _is_meant(k, literal.subject) and (GRABBABLE in k.properties or not moved)
            and all(_can_become(home, k, state) for state in literal.states)]
    if literal.predicate in ("inside", "on"):
        flag = CONTAINER if literal.predicate == "inside" else SURFACE
        targets = [t for t in home.catalogue.values() if _is_meant(t, literal.target or "") and flag in t.properties]
        able = [k for k in able if any(t.id != k.id for t in targets)]
    return len(able) >= literal.count


def _is_meant(kind: Kind, cls_or_id: str) -> bool:
    return cls_or_id in (kind.id, kind.node.cls)


def _can_become(home: Home, kind: Kind, state: str) -> bool:
    if any(STATES.get(s) == state for s in home.graph.nodes[kind.node.id].states):
        return True
    return state in TURNED and TURNED[state] in kind.properties and not (
        state == "on" and home.has_state(kind.node.id, "PLUGGED_OUT") and not home.can_plug_in(kind.node.id))
