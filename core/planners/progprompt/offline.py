"""The offline answer to ProgPrompt's requests: for each literal the lines that achieve it.

It uses only the prompt's list of objects and the usual purposes of classes; it does not know where objects are.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from core.goals.literals import Literal
from core.planners.progprompt.recorded_types import ProgramFacts, ThingFact
from core.planning.offline_answers import Prior, register
from core.planning.prompt_facts import PlaceFact
from core.planning.regression import LAST_STATES, PREPARED, work_order
from core.world.vocabulary import BREWS, CONTAINER, HEATS, HELD_ACTS, OPENABLE, RINSES, SURFACE, TAKES_SLICES, UNPLUGGED, spaced

MOST_LOOKS = 14
"""The maximum number of places that a program without `find` searches for one object."""
KNIFE = "knife"
BODY = {"robot_facing": "turn_to", "sitting": "sit", "lying": "lie"}
"""Predicate about the robot -> the verb that brings it about, at the entity."""
TREATMENTS = {"cooked": HEATS, "clean": RINSES, "filled": BREWS}


def write_program(facts: ProgramFacts, prior: Prior) -> str:
    """Returns the body of the function."""
    writer = _Writer(facts, prior)
    for literal, done in sorted(zip(facts.goal.literals, facts.done, strict=True), key=lambda pair: work_order(pair[0])):
        for _ in range(literal.count - done):
            writer.work_on(literal)
    if not writer.lines:
        writer.look(facts.unseen)
    return "\n".join((*writer.lines, "    # done"))


class _Writer:
    """Writes the lines of a program."""

    def __init__(self, facts: ProgramFacts, prior: Prior):
        self._facts, self._prior = facts, prior
        self.lines: list[str] = []

    # --- lines --------------------------------------------------------------------
    def _say(self, comment: str) -> None:
        self.lines.append(f"    # {comment}")

    def _do(self, verb: str, *names: str) -> None:
        self.lines.append(f"    {verb}({', '.join(map(repr, names))})")

    def _unless(self, condition: str, verb: str, *names: str) -> None:
        self.lines += [f"    assert({condition})", f"        else: {verb}({', '.join(map(repr, names))})"]

    # --- literals -------------------------------------------------------------------
    def work_on(self, literal: Literal) -> None:
        """Writes the lines for a literal: search its source, set its states, then its place."""
        thing = spaced(literal.subject)
        if literal.is_about_robot:
            self._be_or_do(literal, thing)
            return
        if literal.source:
            self._uncover(thing, literal.source)
        for state in sorted(literal.states, key=lambda s: PREPARED.index(s) if s in PREPARED else len(PREPARED)):
            self._bring(thing, state, literal.states)
        if literal.predicate == "is":
            return
        self._take(thing)
        if literal.predicate != "holds":
            self._put(thing, literal.predicate, spaced(literal.target or ""))

    def _be_or_do(self, literal: Literal, thing: str) -> None:
        """Writes the lines for a literal about the robot or an act."""
        verb = literal.act or BODY.get(literal.predicate, "")
        if literal.predicate == "standing":
            self._do("standup")
        elif literal.predicate == "robot_in":
            self._do("walk", thing)
        elif verb in HELD_ACTS:
            self._take(thing)
            self._do(verb, thing)
        else:
            if verb in ("watch", "type", "wash_hands"):
                self._bring(thing, "on", literal.states)
            self._reach(thing)
            if verb:
                self._do(verb.replace("_", ""), thing)

    def _bring(self, thing: str, state: str, states: frozenset[str]) -> None:
        """Writes the lines that set a state of an object."""
        if state in TREATMENTS:
            self._treat(thing, TREATMENTS[state], slices="sliced" in states)
        elif state == "sliced":
            self._slice(thing)
        elif state in LAST_STATES:
            verb = {"open": "open", "closed": "close", "on": "switchon", "off": "switchoff"}[state]
            switch = self._switch(thing) if state in ("on", "off") else thing
            self._say(f"{verb} the {switch}")
            if state == "on" and self._opens(thing):
                self._reach(thing)
                self._unless(f"'{thing}' is 'closed'", "close", thing)
            self._reach(switch)
            if state == "on" and "plug_in" in self._facts.verbs:
                self._unless(f"'{switch}' is not '{UNPLUGGED}'", "plugin", switch)
            self._do(verb, switch)

    def _slice(self, thing: str) -> None:
        self._take(KNIFE)
        self._say(f"slice the {thing}")
        self._reach(thing)
        self._do("slice", thing)
        self._lay_aside(KNIFE)

    def _lay_aside(self, thing: str) -> None:
        """Writes the lines that put an object on any furniture with a top."""
        tops = [t for t in self._facts.things if t.category == "furniture" and SURFACE in t.properties
                and not t.properties & {HEATS, BREWS, RINSES}]
        if tops:
            self._say(f"lay the {thing} aside")
            self._reach(tops[0].name)
            self._do("puton", thing, tops[0].name)

    def _treat(self, thing: str, flag: str, *, slices: bool) -> None:
        """Writes the lines that put an object in or on a heating, rinsing or brewing appliance and run it."""
        fitting = [t for t in self._facts.things if flag in t.properties and (slices or TAKES_SLICES not in t.properties)]
        machine = min(fitting, key=lambda t: (slices and TAKES_SLICES not in t.properties, CONTAINER not in t.properties),
                      default=None)
        name = machine.name if machine is not None else {HEATS: "microwave", RINSES: "sink", BREWS: "coffee machine"}[flag]
        self._take(thing)
        self._put(thing, "inside" if machine is None or CONTAINER in machine.properties else "on", name)
        if self._opens(name):
            self._unless(f"'{name}' is 'closed'", "close", name)
        switch = self._switch(name)
        self._say(f"switch on the {switch}")
        self._reach(switch)
        self._do("switchon", switch)
        self._do("switchoff", switch)
        if self._opens(name):
            self._do("open", name)

    # --- objects ----------------------------------------------------------------------
    def _take(self, thing: str) -> None:
        self._say(f"take the {thing}")
        self._reach(thing)
        self._do("grab", thing)

    def look(self, unseen: Sequence[str]) -> None:
        """Writes the lines that search the remaining places that may contain objects of the goal."""
        rooms = {name for name, _ in self._facts.rooms}
        for place in unseen[:MOST_LOOKS]:
            self._say(f"look at the {place}")
            self._do("find" if "find" in self._facts.verbs and place not in rooms else "walk", place)
            if place not in rooms and self._opens(place):
                self._unless(f"'{place}' is 'opened'", "open", place)

    def _uncover(self, thing: str, source: str) -> None:
        """Writes the lines that search the source of an object; with several possible sources, until the object is seen."""
        places = [p.id for p in self._likely(thing) if source in (p.cls, p.id.replace(" ", "_"))] or [spaced(source)]
        self._say(f"look into the {spaced(source)}")
        go = "find" if "find" in self._facts.verbs else "walk"
        places = list(dict.fromkeys(places))
        for place in places:
            shut = self._opens(place)
            if len(places) > 1:
                self._unless(f"'{thing}' is 'seen'", go, place)
                self.lines += [f"        else: open({place!r})"] if shut else []
                continue
            self._do(go, place)
            if shut:
                self._unless(f"'{place}' is 'opened'", "open", place)

    def _put(self, thing: str, relation: str, target: str) -> None:
        self._say(f"put the {thing} {relation} the {target}")
        self._reach(target)
        self._unless(f"'close' to '{target}'", "find" if "find" in self._facts.verbs else "walk", target)
        if relation == "inside" and self._opens(target):
            self._unless(f"'{target}' is 'opened'", "open", target)
        self._do("putin" if relation == "inside" else "puton", thing, target)

    def _reach(self, name: str) -> None:
        """Writes `find`; if it is not available, a search of likely places until the object is seen, and the walk to it."""
        if "find" in self._facts.verbs:
            self._do("find", name)
            return
        if not any(name in (t.name, spaced(t.cls)) for t in self._known()):
            for verb, place in self._looks(name):
                self._unless(f"'{name}' is 'seen'", verb, *place)
        self._do("walk", name)

    def _looks(self, name: str) -> Iterable[tuple[str, tuple[str, ...]]]:
        """Yields the search actions: look around, then rooms and the openable places in them, the likeliest first."""
        if "scan" in self._facts.verbs:
            yield "scan", ()
        shares = self._prior.rooms(name.replace(" ", "_"), [cls for _, cls in self._facts.rooms])
        ranked = [room for _, room in sorted(zip(-shares, (r for r, _ in self._facts.rooms), strict=True))]
        places = self._likely(name)
        for room in ranked:
            if len(ranked) > 1:
                yield "walk", (room,)
            for place in [p for p in places if p.room == room and self._opens(p.id)][:MOST_LOOKS]:
                yield "walk", (place.id,)
                yield "open", (place.id,)

    def _likely(self, name: str) -> list[PlaceFact]:
        places = self._facts.places
        if not places:
            return []
        shares = self._prior.over(name.replace(" ", "_"), places)
        return [p for _, p in sorted(zip(-shares, places, strict=True), key=lambda pair: float(pair[0]))]

    def _known(self) -> Iterable[ThingFact]:
        return (t for t in self._facts.things if t.category != "wanted")

    def _opens(self, name: str) -> bool:
        """Returns True if an object can be opened; also if it is not in the list."""
        found = self._called(name)
        return not found or any(OPENABLE in t.properties for t in found)

    def _switch(self, name: str) -> str:
        return next((t.switch for t in self._called(name)), name)

    def _called(self, name: str) -> list[ThingFact]:
        """Returns the listed objects of a name; for one with a number that is not listed, those of its class."""
        exact = [t for t in self._known() if name in (t.name, spaced(t.cls))]
        return exact or [t for t in self._known() if spaced(t.cls) == name.rstrip("0123456789 ")]


register(ProgramFacts, lambda facts, ask, prior: write_program(facts, prior))
