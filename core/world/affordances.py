"""What a robot can try without asking its world: the actions that seem possible, and the remedies that refusals suggested.

A planner cannot ask a simulator for admissible actions. These are derived from the verbs' preconditions and the observation. A
world may still refuse one (no space, something in the way); a refused action is left out until something changes.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice

from core.world.vocabulary import (
    ACTS,
    BODY_VERBS,
    CONTAINER,
    CUTS,
    GRABBABLE,
    OPENABLE,
    POSTURES,
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
    Posture,
)

MOST = 600
"""The maximum number of actions listed."""


def useful(schemas: tuple[ActionSchema, ...], wanted: Collection[str],
           posture: Posture = "standing") -> tuple[ActionSchema, ...]:
    """Returns the verbs worth offering: postures and acts only if wanted, and standing up also to a robot that does not stand.

    A goal that says nothing of the robot or of acts is thus planned for as if they did not exist.

    Args:
        schemas: the verbs of a world.
        wanted: the verbs that the goal names.
        posture: the robot's posture.
    """
    kept = {*wanted, "stand_up"} if posture != "standing" or BODY_VERBS.intersection(wanted) else wanted
    return tuple(s for s in schemas if s.verb not in BODY_VERBS or s.verb in kept)


def affordances(seen: Observation, schemas: tuple[ActionSchema, ...], without: Collection[Action] = (),
                about: Callable[[Entity], bool] = lambda entity: False) -> tuple[Action, ...]:
    """Returns all actions whose preconditions hold in the observation, in the order of the verbs.

    Args:
        seen: the current observation; landmarks of the robot's room can be walked to.
        schemas: the verbs; for verbs unknown to this module, every combination of fitting entities in sight is listed.
        without: actions to leave out: banned ones, or ones just refused.
        about: says whether the goal names an entity. Only such entities are looked at, touched and turned to, because one can
            do this to everything.
    """
    scene = _Scene(seen, about)
    ids = [e.id for e in seen.entities]
    uses = (_KNOWN[schema.verb](scene) if schema.verb in _KNOWN else all_uses(schema, seen, ids) for schema in schemas)
    found = (action for use in uses for action in use if action not in without)
    return tuple(islice(dict.fromkeys(found), MOST))


class _Scene:
    """An observation with the look-ups that the rules need."""

    def __init__(self, seen: Observation, about: Callable[[Entity], bool]):
        self.seen, self.agent, self.about = seen, seen.agent, about
        self.stands = seen.agent.posture == "standing"
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
    for entity in (*scene.seen.entities, *mapped) if scene.stands else ():
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


def _settled(verb: str) -> Uses:
    def uses(scene: _Scene) -> Iterator[Action]:
        yield from (Action(verb, (e.id,)) for e in scene.near if scene.stands and POSTURES[verb] in e.properties)
    return uses


def _stand_up(scene: _Scene) -> Iterator[Action]:
    if not scene.stands:
        yield Action("stand_up")


def _held_act(verb: str) -> Uses:
    return lambda scene: (Action(verb, (e.id,)) for e in scene.held if ACTS[verb] in e.properties)


def _on_screen(verb: str, among: Callable[[_Scene], Iterable[Entity]]) -> Uses:
    """Acts on what must be on, if it has a switch."""
    def uses(scene: _Scene) -> Iterator[Action]:
        for entity in among(scene):
            if ACTS[verb] in entity.properties and (SWITCHABLE not in entity.properties or "on" in entity.states):
                yield Action(verb, (entity.id,))
    return uses


def _wash_hands(scene: _Scene) -> Iterator[Action]:
    for entity in scene.near if scene.agent.hand_free else ():
        tap = scene.seen.by_id.get(scene.switches.get(entity.id, ""))
        if RINSES in entity.properties and tap is not None and "on" in tap.states:
            yield Action("wash_hands", (entity.id,))


def _named(verb: str, among: Callable[[_Scene], Iterable[Entity]]) -> Uses:
    """Acts on what the goal names."""
    return lambda scene: (Action(verb, (e.id,)) for e in among(scene) if scene.about(e))


def _in_room(scene: _Scene) -> Iterable[Entity]:
    return (e for e in scene.seen.entities if e.category != "room" and e.room == scene.agent.room)


def _at_hand(scene: _Scene) -> Iterable[Entity]:
    return (*scene.near, *scene.held)


_KNOWN: Mapping[str, Uses] = {
    "walk": _walk, "grab": _grab, "put_in": _put_in, "put_on": _put_on, "slice": _slice, "wash": _wash,
    "open": _turned("open", OPENABLE, "open", lambda scene, e: scene.runs(e)),
    "close": _turned("close", OPENABLE, "closed", lambda scene, e: False),
    "switch_on": _turned("switch_on", SWITCHABLE, "on", lambda scene, e: RUNS_CLOSED in e.properties and "open" in e.states),
    "switch_off": _turned("switch_off", SWITCHABLE, "off", lambda scene, e: False),
    "sit": _settled("sit"), "lie": _settled("lie"), "stand_up": _stand_up,
    "drink": _held_act("drink"), "eat": _held_act("eat"), "read": _held_act("read"),
    "watch": _on_screen("watch", _in_room), "type": _on_screen("type", _at_hand), "wash_hands": _wash_hands,
    "look_at": _named("look_at", _in_room), "turn_to": _named("turn_to", _in_room), "touch": _named("touch", _at_hand),
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
