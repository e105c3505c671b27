"""What the offline answers of LLM-State assume: the claims of the dictionary, and a copy of the world that follows a plan."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from core.goals.kinds import is_a
from core.goals.literals import GoalRecord
from core.goals.progress import lies_at
from core.llm.grounding.choices import call_name
from core.world.vocabulary import (
    ACTS,
    BREWS,
    CONTAINER,
    COOKABLE,
    HEATS,
    OPENABLE,
    RINSES,
    SWITCHABLE,
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


def with_body(agent: AgentState, action: Action) -> AgentState:
    """Returns the robot after an action: its posture, what it faces, and the acts it has done."""
    thing = action.args[0] if action.args else ""
    match action.verb:
        case "sit" | "lie":
            return replace(agent, posture="sitting" if action.verb == "sit" else "lying", seat=thing)
        case "stand_up":
            return replace(agent, posture="standing", seat="")
        case "turn_to":
            return replace(agent, facing=thing)
        case "walk":
            return replace(agent, facing="")
        case verb if verb in ACTS:
            return replace(agent, acts=tuple(dict.fromkeys((*agent.acts, action))))
        case _:
            return agent


class ImaginedWorld:
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
        self._agent = with_body(self._agent, action)
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
        self._agent = replace(self._agent, room=room, near=near)
        for held in self._agent.holding:
            self._entities[held] = replace(self._entities[held], room=room)

    def _grab(self, thing: str) -> None:
        link = self._holder.pop(thing, None)
        near = self._reach(link.object) if link is not None else ()
        self._agent = replace(self._agent, near=near, holding=(*self._agent.holding, thing))

    def _put(self, thing: str, relation: str, holder: str) -> None:
        self._holder[thing] = Relation("inside" if relation == "inside" else "on", thing, holder)
        holding = tuple(h for h in self._agent.holding if h != thing)
        self._entities[thing] = replace(self._entities[thing], room=self._entities[holder].room)
        self._agent = replace(self._agent, near=self._reach(holder), holding=holding)

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


STATES = frozenset({"open", "closed", "on", "off", "sliced", "cooked", "clean", "filled", "dirty", UNPLUGGED, "plugged_in"})
SAME = {"opened": "open", "shut": "closed", "switched_on": "on", "switched_off": "off", "turned_on": "on", "turned_off": "off",
        "hot": "cooked", "warm": "cooked", "heated": "cooked", "toasted": "cooked", "washed": "clean"}
"""Common words -> the state they mean."""
OPPOSITE = {"open": "closed", "closed": "open", "on": "off", "off": "on", "clean": "dirty", "dirty": "clean",
            UNPLUGGED: "plugged_in", "plugged_in": UNPLUGGED}
SENTENCES = (
    (re.compile(r"(\w+) is (?:now )?(open|closed|on|off|cooked|clean|filled|sliced|unplugged|plugged_in)\b"), "{1}"),
    (re.compile(r"(\w+) (cannot be carried|was searched|was visited)"), "{1}"),
    (re.compile(r"(\w+) has no room for (\w+)"), "no_room_for_{1}"),
    (re.compile(r"(\w+) never takes (\w+)"), "never_takes_{1}"),
    (re.compile(r"(\w+) was taken from (\w+)"), "from_{1}"),
    (re.compile(r"(\w+) was (cooked|cleaned|filled) in (\w+)"), "{1}_in_{2}"),
)
"""Sentence pattern -> attribute of its first word ({0} is that word, {1} the next group)."""
PHRASES = {"cannot be carried": "not_graspable", "was searched": "searched", "was visited": "visited"}
DENIED = re.compile(r"operator denied (\w+\([^)]*\))")


@dataclass
class Beliefs:
    """What the dictionary claims.

    Attributes:
        states: id -> states; missing ones are unknown.
        searched: ids of searched containers and visited rooms.
        no_room: (object, holder) pairs refused for lack of space; (object, ""): it cannot be carried.
        never: the pairs that stay refused when the holder is emptied.
        sources: (object, id of the holder it was taken from).
        treated: (object, state, id of the appliance).
        denied: calls the operator forbids, as text.
    """

    states: dict[str, set[str]] = field(default_factory=dict)
    searched: set[str] = field(default_factory=set)
    no_room: set[tuple[str, str]] = field(default_factory=set)
    never: set[tuple[str, str]] = field(default_factory=set)
    sources: set[tuple[str, str]] = field(default_factory=set)
    treated: set[tuple[str, str, str]] = field(default_factory=set)
    denied: set[str] = field(default_factory=set)

    def take(self, thing: str, attribute: str, ids: Mapping[str, str]) -> None:
        """Adds one attribute of an object; words without meaning for planning are ignored."""
        word = attribute.strip().lower().replace(" ", "_")
        word = SAME.get(word, word)
        if word in STATES:
            known = self.states.setdefault(thing, set())
            known.discard(OPPOSITE.get(word, ""))
            known.add(word)
        elif word in ("searched", "visited"):
            self.searched.add(thing)
        elif word in ("not_graspable", "not_movable"):
            self.no_room.add((thing, ""))
        else:
            self._relate(thing, word, ids)

    def _relate(self, thing: str, word: str, ids: Mapping[str, str]) -> None:
        for prefix in ("no_room_for_", "never_takes_", "from_"):
            other = ids.get(call_name(word.removeprefix(prefix)))
            if not word.startswith(prefix) or other is None:
                continue
            if prefix == "from_":
                self._taken(thing, other)
                continue
            self.no_room.add((other, thing))
            if prefix == "never_takes_":
                self.never.add((other, thing))
        state, _, machine = word.partition("_in_")
        if SAME.get(state, state) in ("cooked", "clean", "cleaned", "filled") and call_name(machine) in ids:
            self.treated.add((thing, {"cleaned": "clean"}.get(state, SAME.get(state, state)), ids[call_name(machine)]))

    def _taken(self, thing: str, source: str) -> None:
        """Records where an object was taken from; that holder has space again."""
        self.sources.add((thing, source))
        self.no_room = {pair for pair in self.no_room if pair[1] != source or pair in self.never}


def beliefs(seen: Observation, entries: Iterable[tuple[str, Sequence[str]]], summary: str) -> Beliefs:
    """Returns the claims of attributes and summary about observed objects.

    Attributes override the summary, since they are newer.

    An attribute such as no_room_for_x still holds: together with from_y of another object, it is the newer one.
    """
    ids = {call_name(e.id): e.id for e in reversed(seen.entities)}
    found = Beliefs()
    found_in = [(match.start(), match, attribute) for pattern, attribute in SENTENCES for match in pattern.finditer(summary)]
    for _, match, attribute in sorted(found_in, key=lambda t: t[0]):
        if match.group(1) in ids:
            said = attribute.format(*match.groups())
            found.take(ids[match.group(1)], PHRASES.get(said, said), ids)
    found.denied = {re.sub(r"\s+", "", call) for call in DENIED.findall(summary)}
    ordered = [(name, a) for name, attributes in entries for a in attributes]
    for name, attribute in sorted(ordered, key=lambda pair: not pair[1].startswith("from_")):
        if call_name(name) in ids:
            found.take(ids[call_name(name)], attribute, ids)
    return found


def believed_world(seen: Observation, held: Beliefs) -> Observation:
    """Returns the observation with believed states. By default, doors are closed and appliances are off."""
    known = with_uses(seen)

    def believed(entity: Entity) -> Entity:
        states = set(held.states.get(entity.id, ()))
        for flag, pair, usual in ((OPENABLE, {"open", "closed"}, "closed"), (SWITCHABLE, {"on", "off"}, "off")):
            if flag in entity.properties and not states & pair:
                states.add(usual)
        return Entity(entity.id, entity.cls, entity.name, entity.category, entity.room, frozenset(states), entity.properties)

    return Observation(known.agent, tuple(map(believed, known.entities)), known.relations, step=known.step)


def record_of(seen: Observation, held: Beliefs) -> GoalRecord:
    """Returns the past according to the dictionary. An object that was never taken away is where it was at the start."""
    taken = {thing for thing, _ in held.sources}
    lying = {(e.id, holder) for e in seen.entities if e.category == "object" and e.id not in taken
             for holder in lies_at(e.id, seen)}
    classes = {(thing, state, seen.by_id[machine].cls) for thing, state, machine in held.treated}
    return GoalRecord(True, frozenset(held.sources | lying), frozenset(held.treated | classes))
