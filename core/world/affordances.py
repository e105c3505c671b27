"""What a robot can try without asking its world: the actions that seem possible, and the remedies that refusals suggested.

A planner cannot ask a simulator for admissible actions. These are derived from the verbs' preconditions and the observation. A
world may still refuse one (no space, something in the way); a refused action is left out until something changes.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice

from core.world.vocabulary import (
    CONTAINER,
    CUTS,
    GRABBABLE,
    OPENABLE,
    RINSES,
    RUNS_CLOSED,
    SLICEABLE,
    SURFACE,
    SWITCHABLE,
    WASHABLE,
    Action,
    ActionSchema,
    Entity,
    Observation,
    Outcome,
)

MOST = 600
"""The maximum number of actions listed."""


def affordances(seen: Observation, schemas: tuple[ActionSchema, ...], without: Collection[Action] = ()) -> tuple[Action, ...]:
    """Returns all actions whose preconditions hold in the observation, in the order of the verbs.

    Args:
        seen: the current observation; landmarks of the robot's room can be walked to.
        schemas: the verbs; for verbs unknown to this module, every combination of fitting entities in sight is listed.
        without: actions to leave out: banned ones, or ones just refused.
    """
    scene = _Scene(seen)
    ids = [e.id for e in seen.entities]
    uses = (_KNOWN[schema.verb](scene) if schema.verb in _KNOWN else all_uses(schema, seen, ids) for schema in schemas)
    found = (action for use in uses for action in use if action not in without)
    return tuple(islice(dict.fromkeys(found), MOST))


class _Scene:
    """An observation with the look-ups that the rules need."""

    def __init__(self, seen: Observation):
        self.seen, self.agent = seen, seen.agent
        self.near = [seen.by_id[i] for i in seen.agent.near if i in seen.by_id and i not in seen.agent.holding]
        self.held = [seen.by_id[i] for i in seen.agent.holding if i in seen.by_id]
        self.switches: Mapping[str, str] = {r.object: r.subject for r in seen.relations if r.kind == "controls"}

    def runs(self, entity: Entity) -> bool:
        """Returns True if an appliance that runs closed is running."""
        switch = self.seen.by_id.get(self.switches.get(entity.id, entity.id), entity)
        return RUNS_CLOSED in entity.properties and "on" in switch.states


Uses = Callable[[_Scene], Iterator[Action]]


def _walk(scene: _Scene) -> Iterator[Action]:
    mapped = (e for e in scene.seen.landmarks if e.room == scene.agent.room)
    for entity in (*scene.seen.entities, *mapped):
        here = scene.agent.room if entity.category == "room" else next(iter(scene.agent.near), None)
        if entity.id != here and entity.id not in scene.agent.holding:
            yield Action("walk", (entity.id,))


def _grab(scene: _Scene) -> Iterator[Action]:
    for entity in scene.near if scene.agent.hand_free else ():
        around = (scene.seen.by_id.get(r.object) for r in scene.seen.holders(entity.id))
        shut = any(holder is not None and scene.runs(holder) for holder in around)
        if GRABBABLE in entity.properties and not shut:
            yield Action("grab", (entity.id,))


def _put_in(scene: _Scene) -> Iterator[Action]:
    for entity in scene.near:
        closed = OPENABLE in entity.properties and "open" not in entity.states
        if CONTAINER in entity.properties and not closed and not scene.runs(entity):
            yield from (Action("put_in", (thing.id, entity.id)) for thing in scene.held)


def _put_on(scene: _Scene) -> Iterator[Action]:
    for entity in scene.near:
        if SURFACE in entity.properties:
            yield from (Action("put_on", (thing.id, entity.id)) for thing in scene.held)


def _turned(verb: str, flag: str, state: str, hinders: Callable[[_Scene, Entity], bool]) -> Uses:
    def uses(scene: _Scene) -> Iterator[Action]:
        for entity in scene.near:
            if flag in entity.properties and state not in entity.states and not hinders(scene, entity):
                yield Action(verb, (entity.id,))
    return uses


def _slice(scene: _Scene) -> Iterator[Action]:
    if any(CUTS in thing.properties for thing in scene.held):
        yield from (Action("slice", (e.id,)) for e in scene.near if SLICEABLE in e.properties and "sliced" not in e.states)


def _wash(scene: _Scene) -> Iterator[Action]:
    taps = [scene.seen.by_id.get(scene.switches.get(e.id, e.id), e) for e in scene.near if RINSES in e.properties]
    if any("on" in tap.states for tap in taps):
        yield from (Action("wash", (thing.id,)) for thing in scene.held if WASHABLE in thing.properties)


_KNOWN: Mapping[str, Uses] = {
    "walk": _walk, "grab": _grab, "put_in": _put_in, "put_on": _put_on, "slice": _slice, "wash": _wash,
    "open": _turned("open", OPENABLE, "open", lambda scene, e: scene.runs(e)),
    "close": _turned("close", OPENABLE, "closed", lambda scene, e: False),
    "switch_on": _turned("switch_on", SWITCHABLE, "on", lambda scene, e: RUNS_CLOSED in e.properties and "open" in e.states),
    "switch_off": _turned("switch_off", SWITCHABLE, "off", lambda scene, e: False),
}


def all_uses(schema: ActionSchema, seen: Observation, ids: Iterable[str]) -> Iterator[Action]:
    """Yields a verb with each of the entities; a verb with two arguments takes each held object as the first."""
    rooms = {e.id for e in seen.entities if e.category == "room"}
    if not schema.roles:
        yield Action(schema.verb)
    elif len(schema.roles) == 1:
        yield from (Action(schema.verb, (i,)) for i in ids if i not in rooms or "room" in schema.roles[0])
    elif len(schema.roles) == 2:
        yield from (Action(schema.verb, (held, i)) for held in seen.agent.holding for i in ids if i != held)


DEEPEST = 3
"""The maximum number of nested remedies: one may itself be refused with another remedy."""
HAND_VERBS = frozenset({"grab", "put_in", "put_on"})
"""Verbs never executed as remedies: planners decide themselves what to hold, because they know which objects must stay in
place."""


@dataclass
class Remedies:
    """The actions to execute before planning continues.

    Attributes:
        due: remedies to execute, the last one first.
        followed: (refused action, remedy) pairs already tried. A pair is allowed again once its action succeeds.
    """

    due: tuple[Action, ...] = ()
    followed: set[tuple[Action, Action]] = field(default_factory=set)

    def update(self, outcome: Outcome) -> None:
        """Updates from an outcome: a refusal may suggest a remedy, and an executed remedy is no longer due."""
        action, expected = outcome.action, self.due[-1] if self.due else None
        if outcome.ok:
            self.due = self.due[:-1] if action == expected else ()
            self.followed = {pair for pair in self.followed if pair[0] != action}
            return
        rest = self.due if action == expected else ()
        self.due = ()
        remedy = outcome.remedy
        if remedy is None or remedy.verb in HAND_VERBS or len(rest) >= DEEPEST or (action, remedy) in self.followed:
            return
        self.followed.add((action, remedy))
        self.due = (*rest, remedy)

    def next(self, without: Collection[Action], verbs: Collection[str]) -> Action | None:
        """Returns the remedy to execute now, or None if none is due, it is in `without`, or its verb is unknown."""
        if not self.due or self.due[-1] in without or self.due[-1].verb not in verbs:
            return None
        return self.due[-1]
