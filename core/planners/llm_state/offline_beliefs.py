"""Parses what an LLM-State dictionary says: the attributes, and the sentences of a summary as the offline rules write them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from core.goals.achieved import GoalRecord, lies_at
from core.llm.grounding.choices import call_name
from core.planners.llm_state.imagined_world import with_uses
from core.world.vocabulary import OPENABLE, SWITCHABLE, UNPLUGGED, Entity, Observation

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
    told = [(match.start(), match, attribute) for pattern, attribute in SENTENCES for match in pattern.finditer(summary)]
    for _, match, attribute in sorted(told, key=lambda t: t[0]):
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
