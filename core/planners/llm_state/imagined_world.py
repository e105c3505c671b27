"""The effects of actions as the offline rules predict them: a copy of the known world that follows a plan. It never refuses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from core.goals.literals import is_a
from core.world.vocabulary import (
    BREWS,
    CONTAINER,
    COOKABLE,
    HEATS,
    OPENABLE,
    RINSES,
    TREATED_BY,
    UNPLUGGED,
    WASHABLE,
    Action,
    AgentState,
    Entity,
    Observation,
    Relation,
)

GIVES = {HEATS: ("cooked", COOKABLE), RINSES: ("clean", WASHABLE), BREWS: ("filled", "")}
"""Property of an appliance -> the state it sets, and the property an object needs for it (empty: none)."""
TURNS = {"open": ("open", "closed"), "close": ("closed", "open"), "switch_on": ("on", "off"), "switch_off": ("off", "on"),
         "plug_in": ("plugged_in", UNPLUGGED)}


class Imagined:
    """A world that actions change, initialized with an observation whose states are believed."""

    def __init__(self, world: Observation):
        self._agent = world.agent
        self._entities: dict[str, Entity] = dict(world.by_id)
        self._holder: dict[str, Relation] = dict(world.holder)
        self._controls = tuple(r for r in world.relations if r.kind == "controls")
        self.treated: set[tuple[str, str, str]] = set()

    @property
    def entities(self) -> Mapping[str, Entity]:
        """All entities by id."""
        return self._entities

    def world(self) -> Observation:
        """Returns the current state as an observation."""
        return Observation(self._agent, tuple(self._entities.values()), (*self._holder.values(), *self._controls))

    def apply(self, action: Action) -> None:
        """Applies the effects of an action and of running appliances."""
        match action.verb, action.args:
            case "walk", (target,):
                self._walk(target)
            case "grab", (thing,):
                self._grab(thing)
            case "put_in" | "put_on", (thing, holder):
                self._put(thing, "inside" if action.verb == "put_in" else "on", holder)
            case verb, (thing,) if verb in TURNS:
                self.set(thing, *TURNS[verb])
            case "slice", (thing,):
                self.set(thing, "sliced")
            case "wash", (thing,):
                self.set(thing, "clean", "dirty")
        self._work()

    def set(self, thing: str, state: str, instead_of: str = "") -> None:
        """Sets a state of an entity."""
        entity = self._entities.get(thing)
        if entity is not None:
            self._entities[thing] = replace(entity, states=(entity.states - {instead_of}) | {state})

    def _walk(self, target: str) -> None:
        entity = self._entities.get(target)
        if entity is None or entity.category == "room":
            self._stand(target, ())
            return
        self._stand(entity.room or self._agent.room, self._reach(target))

    def _reach(self, target: str) -> tuple[str, ...]:
        """Returns what is within reach at an entity: its holders, and the contents of open containers among them."""
        chain = [target]
        while chain[-1] in self._holder and self._holder[chain[-1]].object not in chain:
            chain.append(self._holder[chain[-1]].object)
        opened = {c for c in chain if c in self._entities and CONTAINER in self._entities[c].properties
                  and (OPENABLE not in self._entities[c].properties or "open" in self._entities[c].states)}
        inside = [r.subject for r in self._holder.values() if r.kind == "inside" and r.object in opened]
        return tuple(dict.fromkeys([*chain, *inside]))

    def _stand(self, room: str | None, near: tuple[str, ...]) -> None:
        self._agent = AgentState(room, near, self._agent.holding, self._agent.hands)
        for held in self._agent.holding:
            self._entities[held] = replace(self._entities[held], room=room)

    def _grab(self, thing: str) -> None:
        link = self._holder.pop(thing, None)
        near = self._reach(link.object) if link is not None else ()
        self._agent = AgentState(self._agent.room, near, (*self._agent.holding, thing), self._agent.hands)

    def _put(self, thing: str, relation: str, holder: str) -> None:
        self._holder[thing] = Relation("inside" if relation == "inside" else "on", thing, holder)
        holding = tuple(h for h in self._agent.holding if h != thing)
        self._entities[thing] = replace(self._entities[thing], room=self._entities[holder].room)
        self._agent = AgentState(self._agent.room, self._reach(holder), holding, self._agent.hands)

    def _work(self) -> None:
        runs = {i for i, e in self._entities.items() if "on" in e.states}
        runs |= {r.object for r in self._controls if r.subject in runs}
        for machine in runs & self._entities.keys():
            for flag, (state, need) in GIVES.items():
                if flag in self._entities[machine].properties:
                    self._treat(machine, state, need)

    def _treat(self, machine: str, state: str, need: str) -> None:
        for thing in [t for t in self._holder if machine in self._around(t)]:
            entity = self._entities.get(thing)
            if entity is None or entity.category != "object" or state in entity.states:
                continue
            if not need or need in entity.properties:
                self.set(thing, state, "dirty" if state == "clean" else "")
                self.treated |= {(thing, state, machine), (thing, state, self._entities[machine].cls)}

    def _around(self, thing: str) -> list[str]:
        chain: list[str] = []
        while thing in self._holder and self._holder[thing].object not in chain:
            thing = self._holder[thing].object
            chain.append(thing)
        return chain


def with_uses(seen: Observation) -> Observation:
    """Returns the observation with commonsense properties, if the prompt lists only containers and surfaces."""
    if any(e.properties - {"container", "surface"} for e in seen.entities):
        return seen
    return replace(seen, entities=tuple(replace(e, properties=e.properties | _uses(e)) for e in seen.entities))


def _uses(entity: Entity) -> frozenset[str]:
    if entity.category == "object":
        return frozenset({"grabbable", COOKABLE, WASHABLE})
    found = {use for words, uses in USES for use in uses if any(is_a(entity, w) or entity.cls.endswith(w) for w in words)}
    return frozenset(found)


USES: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = (
    (("fridge", "freezer", "cabinet", "cupboard", "closet", "drawer", "wardrobe", "dresser"), (OPENABLE,)),
    (("microwave", "oven", "stove"), (OPENABLE, "switchable", HEATS, "runs closed")),
    (("dishwasher", "washing_machine"), (OPENABLE, "switchable", RINSES, "runs closed")),
    (("toaster",), ("switchable", HEATS, "takes slices")),
    (("coffee_machine", "coffe_maker"), ("switchable", BREWS)),
    (("sink",), (RINSES,)),
    (("lamp", "light", "lightswitch", "television", "computer", "radio", "faucet"), ("switchable",)),
)
"""Endings of names -> the properties that such furniture usually has."""
assert {state for state, _ in GIVES.values()} == set(TREATED_BY)
