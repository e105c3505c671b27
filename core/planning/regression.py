"""Regression planning over the common vocabulary: from a wish back to the first action whose needs are met.

The expert of the papers ("regression planning with handcrafted heuristics", LLM-MCTS appendix B). It sees everything, plans one
action at a time and looks again after each, so a refusal (no room, nothing to stand on) only sends it another way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from core.goals.literals import Literal, is_a
from core.world.remedies import Remedies
from core.world.vocabulary import (
    BREWS,
    CONTAINER,
    CUTS,
    GRABBABLE,
    HEATS,
    OPENABLE,
    RINSES,
    RUNS_CLOSED,
    SURFACE,
    TAKES_SLICES,
    TURNED,
    UNPLUGGED,
    Action,
    Entity,
    Observation,
    Outcome,
)

NEVER = frozenset({"size", "kind"})
"""Refusals that clearing the holder does not mend."""


REFUSED_FOR_GOOD = 2
"""Refusals of a door, switch or plug after which it is left alone."""
LAST_STATES = frozenset({"open", "closed", "on", "off"})
"""Doors and switches: worked on when things are where they belong, because putting things away changes them."""
PREPARED = ("sliced", "cooked", "clean", "filled")
"""The order in which a thing is prepared."""


class Stuck(Exception):  # noqa: N818 - a state of the search, not an error of the program
    """This way does not lead there; the message says why."""


@dataclass
class Memory:
    """What the expert learned from refusals.

    Attributes:
        no_space: (thing, holder) pairs that were refused for want of room, or for good; no holder: it cannot be carried.
        too_small: those refused for good.
        refused: what was refused since something last changed.
        often: how often each action was refused since it last succeeded, refusals with a remedy left aside.
        clearing: full holders that something is being carried out of.
        looked_from: furniture walked to, to get something into sight.
        remedies: what the world said should be done first.
    """

    no_space: set[tuple[str, str]] = field(default_factory=set)
    too_small: set[tuple[str, str]] = field(default_factory=set)
    refused: set[Action] = field(default_factory=set)
    often: Counter[Action] = field(default_factory=Counter)
    clearing: set[str] = field(default_factory=set)
    looked_from: set[str] = field(default_factory=set)
    remedies: Remedies = field(default_factory=Remedies)

    def hear(self, outcome: Outcome) -> None:
        """Learn from what happened."""
        action = outcome.action
        self.remedies.hear(outcome)
        if outcome.ok:
            self.refused.clear()
            del self.often[action]
            if action.verb == "grab":
                self.no_space = {pair for pair in self.no_space if pair[1] not in self.clearing or pair in self.too_small}
            elif action.verb == "slice":
                self.no_space = {pair for pair in self.no_space if pair[0] != action.args[0]}
            elif len(action.args) == 2:
                self.clearing.discard(action.args[1])
            return
        self.refused.add(action)
        self.often[action] += not self.remedies.due
        if outcome.precondition == "grip":
            self.no_space.add((action.args[0], ""))
        if len(action.args) == 2 and outcome.precondition in NEVER | {"room", "sliced"}:
            self.no_space.add((action.args[0], action.args[1]))
            if outcome.precondition in NEVER:
                self.too_small.add((action.args[0], action.args[1]))


class Regression:
    """One look at the world: which action comes first on the way to a wish. Every method returns None when the wish holds.

    Args:
        free_hand: doors and switches take a free hand.
    """

    def __init__(self, world: Observation, memory: Memory, keep: frozenset[str], verbs: frozenset[str], *,
                 free_hand: bool = False):
        self.world, self.memory, self.keep, self.verbs = world, memory, keep, verbs
        self.free_hand = free_hand
        self.agent = world.agent
        self.controllers = {r.object: r.subject for r in world.relations if r.kind == "controls"}

    # --- places ------------------------------------------------------------
    def at(self, target: str) -> Action | None:
        """Be within reach of a thing."""
        if target in self.agent.near:
            return None
        room = self.world.by_id[target].room
        if room is not None and room != self.agent.room:
            return Action("walk", (room,))
        return self._walk(target)

    def _walk(self, target: str) -> Action:
        """Walk there; where that is refused because it was not seen yet, get it into sight."""
        walk = Action("walk", (target,))
        if walk not in self.memory.refused:
            return walk
        roots = [r.object for r in self.world.holders(target)]
        spots = [*reversed(roots), *(e.id for e in self._furniture(self.world.by_id[target].room) if e.id not in roots)]
        if "scan" in self.verbs and "scan" not in self.memory.looked_from:
            self.memory.looked_from.add("scan")
            return Action("scan")
        for spot in spots:
            step = Action("walk", (spot,))
            if spot not in self.memory.looked_from and step not in self.memory.refused and spot not in self.agent.near:
                self.memory.looked_from.add(spot)
                self.memory.looked_from.discard("scan")
                return step
        raise Stuck(f"{target} cannot be walked to")

    def _furniture(self, room: str | None) -> Iterable[Entity]:
        return (e for e in self.world.entities if e.category == "furniture" and e.room == room)

    def uncovered(self, target: str) -> Action | None:
        """No closed container around a thing."""
        for link in reversed(list(self.world.holders(target))):
            if link.kind == "inside":
                step = self.opened(link.object)
                if step is not None:
                    return step
        return None

    def _by_hand(self, verb: str, thing: str) -> Action:
        """A door, switch or plug worked on; Stuck where that was just refused: it would be refused again."""
        action = Action(verb, (thing,))
        if action in self.memory.refused:
            raise Stuck(f"{verb.replace('_', ' ')} {thing} was refused")
        return action

    def _hopeful(self, verb: str, thing: str) -> None:
        """Stuck where it was refused too often to go there again."""
        if self.memory.often[Action(verb, (thing,))] >= REFUSED_FOR_GOOD:
            raise Stuck(f"{verb.replace('_', ' ')} {thing} was refused {REFUSED_FOR_GOOD} times")

    def _a_hand(self) -> Action | None:
        """A hand free for a door or a switch."""
        return self.hand_emptied() if self.free_hand and not self.agent.hand_free else None

    # --- states ------------------------------------------------------------
    def opened(self, holder: str) -> Action | None:
        """A container open and still."""
        entity = self.world.by_id[holder]
        self._hopeful("open", holder)
        if RUNS_CLOSED in entity.properties:
            step = self.still(holder)
            if step is not None:
                return step
        if OPENABLE not in entity.properties or "open" in entity.states:
            return None
        return self._a_hand() or self.at(holder) or self._by_hand("open", holder)

    def closed(self, holder: str) -> Action | None:
        """A container closed."""
        if "closed" in self.world.by_id[holder].states:
            return None
        self._hopeful("close", holder)
        return self._a_hand() or self.at(holder) or self._by_hand("close", holder)

    def still(self, thing: str) -> Action | None:
        """An appliance switched off."""
        switch = self.controllers.get(thing, thing)
        if "on" not in self.world.by_id[switch].states:
            return None
        self._hopeful("switch_off", switch)
        return self.uncovered(switch) or self._a_hand() or self.at(switch) or self._by_hand("switch_off", switch)

    def running(self, thing: str) -> Action | None:
        """An appliance switched on, plugged in, closed if it only runs closed."""
        switch = self.controllers.get(thing, thing)
        if "on" in self.world.by_id[switch].states:
            return None
        unplugged = UNPLUGGED in self.world.by_id[switch].states and "plug_in" in self.verbs
        self._hopeful("plug_in" if unplugged else "switch_on", switch)
        if RUNS_CLOSED in self.world.by_id[thing].properties and OPENABLE in self.world.by_id[thing].properties:
            step = self.closed(thing)
            if step is not None:
                return step
        step = self.uncovered(switch) or self._a_hand() or self.at(switch)
        return step or self._by_hand("plug_in" if unplugged else "switch_on", switch)

    def with_state(self, thing: str, state: str, by: str | None = None) -> Action | None:
        """A thing sliced, cooked, clean, filled, open, closed, on or off; the treatments in an appliance `by` (class or id)."""
        if state in self.world.by_id[thing].states:
            return None
        ways: dict[str, Callable[[str], Action | None]] = {
            "open": self.opened, "closed": self.closed, "on": self.running, "off": self.still, "sliced": self.sliced,
            "cooked": lambda t: self.treated(t, HEATS, by), "clean": lambda t: self.treated(t, RINSES, by),
            "filled": lambda t: self.treated(t, BREWS, by),
        }
        if state not in ways:
            raise Stuck(f"nothing makes {thing} {state}")
        if state in LAST_STATES:
            return self.seen(thing, state) or self.uncovered(thing) or ways[state](thing)
        return ways[state](thing)

    def seen(self, thing: str, state: str) -> Action | None:
        """Close enough to know whether it is on or off, open or closed: what is only known from a map shows neither."""
        known = self.world.by_id[thing].states & LAST_STATES
        told = known & ({"on", "off"} if state in ("on", "off") else {"open", "closed"})
        return None if told or TURNED[state] not in self.world.by_id[thing].properties else self.at(thing)

    def sliced(self, thing: str) -> Action | None:
        """Cut: the thing lying in reach, a knife in the hand."""
        if thing in self.agent.holding:
            return self.hand_emptied()
        knife = self._first(lambda e: CUTS in e.properties, "a knife")
        return (self.held(knife) or self.uncovered(thing) or self.touched(thing) or Action("slice", (thing,)))

    def treated(self, thing: str, flag: str, by: str | None = None) -> Action | None:
        """In an appliance that heats, rinses or brews (`by`: in this one), and that running."""
        holders = [self.world.by_id[r.object] for r in self.world.holders(thing)]
        def right(machine: Entity) -> bool:
            return flag in machine.properties and self._usable(machine) and (by is None or is_a(machine, by))

        inside = [h.id for h in holders if right(h)]
        if inside:
            return self.running(inside[0])
        machines = self._ranked(right)
        sliced = "sliced" in self.world.by_id[thing].states or self.world.by_id[thing].cls.endswith("slice")
        fitting = {m.id: m for m in machines if sliced or TAKES_SLICES not in m.properties}
        for machine in self.with_room(thing, list(fitting)):
            return self.placed(thing, "inside" if CONTAINER in fitting[machine].properties else "on", machine)
        return self.cleared(thing, list(fitting))

    def with_room(self, thing: str, holders: list[str]) -> list[str]:
        """Holders that have not refused the thing."""
        return [h for h in holders if (thing, h) not in self.memory.no_space]

    def _usable(self, entity: Entity) -> bool:
        """A sink needs a tap, a burner a knob; what has a switch of its own needs none."""
        return entity.id in self.controllers or "off" in entity.states or "on" in entity.states

    # --- things ------------------------------------------------------------
    def touched(self, thing: str) -> Action | None:
        """Within reach itself, not only the table it lies on."""
        step = self.at(thing)
        if step is None and any(a.args[:1] == (thing,) and a.verb in ("grab", "slice") for a in self.memory.refused):
            return self._walk(thing)
        return step

    def held(self, thing: str) -> Action | None:
        """In the hand."""
        if thing in self.agent.holding:
            return None
        if not self.agent.hand_free:
            return self.hand_emptied()
        for link in self.world.holders(thing):
            step = self.still(link.object) if RUNS_CLOSED in self.world.by_id[link.object].properties else None
            if step is not None:
                return step
        return self.uncovered(thing) or self.touched(thing) or Action("grab", (thing,))

    def hand_emptied(self) -> Action | None:
        """What is held, put down on the nearest surface with room."""
        if not self.agent.holding:
            return None
        thing = self.agent.holding[0]
        for place in self._ranked(lambda e: bool(e.properties & {SURFACE, CONTAINER}) and e.category == "furniture"
                                  and e.id not in self.memory.clearing and not self._shut_out(e)
                                  and not e.properties & {HEATS, BREWS} and (thing, e.id) not in self.memory.no_space):
            relation = "on" if SURFACE in place.properties else "inside"
            step = self.placed(thing, relation, place.id)
            if step is not None:
                return step
        raise Stuck(f"nowhere to put {thing} down")

    def _shut_out(self, place: Entity) -> bool:
        """Whether it would have to be opened with hands that are full."""
        shut = SURFACE not in place.properties and OPENABLE in place.properties and "open" not in place.states
        return self.free_hand and not self.agent.hand_free and shut

    def _fills_hands(self, thing: str) -> bool:
        """Whether doors cannot be opened with this thing in hand."""
        return self.free_hand and len({*self.agent.holding, thing}) >= self.agent.hands

    def placed(self, thing: str, relation: str, holder: str) -> Action | None:
        """On or inside a holder."""
        link = self.world.holder.get(thing)
        if link is not None and (link.kind, link.object) == (relation, holder):
            return None
        step = None
        if relation == "inside" and self._fills_hands(thing):
            step = self.opened(holder)  # before the thing is taken: afterwards no hand is free to open it
        step = step or self.held(thing) or self.uncovered(holder)
        if step is None and relation == "inside":
            step = self.opened(holder)
        verb = "put_in" if relation == "inside" else "put_on"
        return step or self.at(holder) or Action(verb, (thing, holder))

    def cleared(self, thing: str, holders: list[str]) -> Action | None:
        """Make room for a thing: carry out of the emptiest full holder something that no literal needs there."""
        full = [h for h in holders if (thing, h) not in self.memory.too_small]
        for holder in sorted(full, key=lambda h: (len(self.world.contents.get(h, ())), h)):
            for occupant in self.world.contents.get(holder, ()):
                if occupant not in self.keep and self._portable(occupant):
                    self.memory.clearing.add(holder)
                    return self.held(occupant)
        raise Stuck(f"no place takes {thing}")

    def _portable(self, thing: str) -> bool:
        """Whether it can be carried, and no try has shown that it slips."""
        return GRABBABLE in self.world.by_id[thing].properties and (thing, "") not in self.memory.no_space

    def worked_on(self, literal: Literal, subject: str) -> Action | None:
        """A literal true of a subject: its states first, then its place."""
        for state in sorted(literal.states, key=lambda s: PREPARED.index(s) if s in PREPARED else len(PREPARED)):
            action = self.with_state(subject, state, literal.by)
            if action is not None:
                return action
        if literal.predicate == "is":
            return None
        if literal.predicate == "holds":
            return self.held(subject)
        targets = [t for t in self.holders_of(literal.target or "") if t != subject]
        if not targets:
            raise Stuck(f"no {literal.target} is known")
        for target in self.with_room(subject, targets):
            return self.placed(subject, literal.predicate, target)
        return self.cleared(subject, targets)

    # --- choosing ----------------------------------------------------------
    def instances(self, cls_or_id: str) -> list[Entity]:
        """All of a class, easiest first."""
        return self._ranked(lambda e: is_a(e, cls_or_id))

    def holders_of(self, cls_or_id: str) -> list[str]:
        """All of a class that things could be put on or in: near ones first, but not a full one before an empty one."""
        found = self.instances(cls_or_id)
        return [e.id for e in sorted(found, key=lambda e: self.effort(e) + len(self.world.contents.get(e.id, ())) / 2)]

    def _first(self, test: Callable[[Entity], bool], what: str) -> str:
        found = self._ranked(test)
        if not found:
            raise Stuck(f"there is no {what} here")
        return found[0].id

    def _ranked(self, test: Callable[[Entity], bool]) -> list[Entity]:
        found = (e for e in self.world.entities if e.category != "room" and test(e))
        return sorted(found, key=lambda e: (self.effort(e), e.id))

    def effort(self, entity: Entity) -> int:
        """Roughly the actions until one could use it: other room, closed doors around it, itself closed."""
        if entity.id in self.agent.holding:
            return 0
        doors = sum(1 for r in self.world.holders(entity.id)
                    if r.kind == "inside" and "closed" in self.world.by_id[r.object].states)
        shut = "closed" in entity.states and CONTAINER in entity.properties
        return (entity.room != self.agent.room) + 2 * doors + shut + (entity.id not in self.agent.near)
