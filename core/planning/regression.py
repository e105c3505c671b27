"""Regression planning over the common vocabulary: from a goal back to the first action whose preconditions hold.

This is the expert of the papers ("regression planning with handcrafted heuristics", LLM-MCTS appendix B). It works on a fully
known world, plans one action and replans after each. A refused action (no space, out of reach) therefore only changes the next
choice.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from core.goals.kinds import is_a
from core.goals.literals import ROBOT, Literal
from core.world.affordances import Remedies
from core.world.vocabulary import (
    BREWS,
    CONTAINER,
    CUTS,
    GRABBABLE,
    HEATS,
    HELD_ACTS,
    OPENABLE,
    RINSES,
    RUNS_CLOSED,
    SURFACE,
    SWITCHABLE,
    TAKES_SLICES,
    TURNED,
    UNPLUGGED,
    Action,
    Entity,
    Observation,
    Outcome,
    in_words,
    spaced,
)

NEVER = frozenset({"size", "kind"})
"""Preconditions that stay violated when the holder is emptied."""


REFUSED_FOR_GOOD = 2
"""After this many refusals a door, switch or plug is no longer used."""
LAST_STATES = frozenset({"open", "closed", "on", "off", "plugged in"})
"""States of doors, switches and plugs. They are set after objects are moved, because moving objects changes them."""
LATER = {"done": 1, "holds": 4, "robot_in": 5, "robot_near": 5, "standing": 6, "sitting": 6, "lying": 6, "robot_facing": 7}
"""Predicate -> its rank in the order of work; the robot no longer faces what it turned to once it walks."""
PREPARED = ("sliced", "cooked", "clean", "filled")
"""The order in which an object is prepared."""


def work_order(literal: Literal) -> int:
    """Returns the rank of a literal in the order of work.

    Preparing, acts, moving, doors and switches, holding, and last the robot itself: where it is, its posture, what it faces.
    """
    if literal.predicate == "is":
        return 3 if literal.states & LAST_STATES else 0
    return LATER.get(literal.predicate, 2)


class Stuck(Exception):  # noqa: N818 - a state of the search, not an error of the program
    """No action of this kind leads to the goal; the message says why."""


class Banned(Stuck):
    """An action on this way is banned. Another object or place may do."""


@dataclass
class Memory:
    """What the expert learned from refused actions.

    Attributes:
        no_space: (object, holder) pairs refused for lack of space, or permanently; holder "": the object cannot be carried.
        too_small: the pairs refused permanently.
        refused: actions refused since the last success.
        often: action -> number of refusals since it last succeeded, without refusals that come with a remedy.
        clearing: full holders that are being emptied.
        looked_from: furniture walked to in order to see an object.
        remedies: remedies that the world suggested.
    """

    no_space: set[tuple[str, str]] = field(default_factory=set)
    too_small: set[tuple[str, str]] = field(default_factory=set)
    refused: set[Action] = field(default_factory=set)
    often: Counter[Action] = field(default_factory=Counter)
    clearing: set[str] = field(default_factory=set)
    looked_from: set[str] = field(default_factory=set)
    remedies: Remedies = field(default_factory=Remedies)

    def update(self, outcome: Outcome) -> None:
        """Updates the memory with an outcome."""
        action = outcome.action
        self.remedies.update(outcome)
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
    """Finds the first action towards a subgoal in one observation.

    Methods named after a condition (`held`, `opened`, `placed`) return the first action that brings it about, or None if it
    holds.

    Args:
        world: what is known.
        memory: what was learned from refusals; it is updated.
        keep: ids of objects that satisfied literals need where they are.
        verbs: the verbs of the world.
        free_hand: True if doors and switches need a free hand.
        banned: actions that must not be done.
        waiting: ids of objects that lie in the appliance that shall treat them, and are not cleared out of it.
    """

    def __init__(self, world: Observation, memory: Memory, keep: frozenset[str], verbs: frozenset[str], *,
                 free_hand: bool = False, banned: frozenset[Action] = frozenset(), waiting: frozenset[str] = frozenset()):
        self.world, self.memory, self.keep, self.verbs = world, memory, keep, verbs
        self.free_hand, self.banned, self.waiting = free_hand, banned, waiting
        self.agent = world.agent
        self.controllers = {r.object: r.subject for r in world.relations if r.kind == "controls"}

    # --- bans --------------------------------------------------------------
    def allowed(self, verb: str, *args: str) -> Action:
        """Returns an action, also before it is due: nobody should walk to a door that must not be opened.

        Raises:
            Banned: it is banned.
        """
        action = Action(verb, args)
        if action in self.banned:
            raise Banned(f"“{in_words(action)}” is banned")
        return action

    def first_allowed(self, options: Sequence[str], way: Callable[[str], Action | None]) -> Action | None:
        """Returns the first action of the first option (there is at least one) that no ban rules out."""
        for option in options[:-1]:
            try:
                return self._unless_banned(way(option))
            except Banned:
                continue
        return self._unless_banned(way(options[-1]))

    def _unless_banned(self, step: Action | None) -> Action | None:
        return step and self.allowed(step.verb, *step.args)

    # --- reaching ----------------------------------------------------------
    def at(self, target: str) -> Action | None:
        """An object is within reach; what is in the hand always is."""
        if target in self.agent.near or target == self.agent.seat or target in self.agent.holding:
            return None
        self._check_way(target)
        if self.agent.posture != "standing":
            return Action("stand_up")
        room = self.world.by_id[target].room
        if room is not None and room != self.agent.room:
            return Action("walk", (room,))
        return self._walk(target)

    def _check_way(self, target: str, *, door: bool = False) -> None:
        """Raises Banned if the robot must not go to an entity or into its room, or must not open what is around it.

        Args:
            target: the entity.
            door: True if it must be open itself.
        """
        room = self.world.by_id[target].room
        if target not in self.agent.near:
            self.allowed("walk", *((room,) if room is not None and room != self.agent.room else (target,)))
        around = [r.object for r in self.world.holders(target) if r.kind == "inside"]
        for holder in (*around, target) if door else around:
            entity = self.world.by_id[holder]
            if OPENABLE in entity.properties and "open" not in entity.states:
                self.allowed("open", holder)

    def _walk(self, target: str) -> Action:
        """Returns the walk to an object, or an action that looks for it if the walk was refused because it was not seen."""
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
        """No closed container is around an object."""
        for link in reversed(list(self.world.holders(target))):
            if link.kind == "inside":
                step = self.opened(link.object)
                if step is not None:
                    return step
        return None

    def _operate(self, verb: str, thing: str) -> Action:
        """Returns an action on a door, switch or plug.

        Raises:
            Stuck: it was just refused and would be refused again.
        """
        action = Action(verb, (thing,))
        if action in self.memory.refused:
            raise Stuck(f"{verb.replace('_', ' ')} {thing} was refused")
        return action

    def _check_refusals(self, verb: str, thing: str) -> None:
        """Raises Stuck if an action is banned, or was refused too often to walk there again."""
        self.allowed(verb, thing)
        if self.memory.often[Action(verb, (thing,))] >= REFUSED_FOR_GOOD:
            raise Stuck(f"{verb.replace('_', ' ')} {thing} was refused {REFUSED_FOR_GOOD} times")

    def _hand_freed(self) -> Action | None:
        """A hand is free, if doors and switches need one."""
        return self.hand_emptied() if self.free_hand and not self.agent.hand_free else None

    # --- states ------------------------------------------------------------
    def opened(self, holder: str) -> Action | None:
        """A container is open; an appliance that runs closed is switched off first."""
        entity = self.world.by_id[holder]
        if "open" not in entity.states:
            self._check_refusals("open", holder)
        if RUNS_CLOSED in entity.properties:
            step = self.still(holder)
            if step is not None:
                return step
        if OPENABLE not in entity.properties or "open" in entity.states:
            return None
        return self._hand_freed() or self.at(holder) or self._operate("open", holder)

    def closed(self, holder: str) -> Action | None:
        """A container is closed."""
        if "closed" in self.world.by_id[holder].states:
            return None
        self._check_refusals("close", holder)
        return self._hand_freed() or self.at(holder) or self._operate("close", holder)

    def still(self, thing: str) -> Action | None:
        """An appliance is switched off."""
        switch = self.controllers.get(thing, thing)
        if "on" not in self.world.by_id[switch].states:
            return None
        self._check_refusals("switch_off", switch)
        return self.uncovered(switch) or self._hand_freed() or self.at(switch) or self._operate("switch_off", switch)

    def running(self, thing: str) -> Action | None:
        """An appliance is switched on: plugged in, and closed if it only runs closed."""
        switch = self.controllers.get(thing, thing)
        if "on" in self.world.by_id[switch].states:
            return None
        unplugged = UNPLUGGED in self.world.by_id[switch].states and "plug_in" in self.verbs
        self._check_refusals("plug_in" if unplugged else "switch_on", switch)
        if RUNS_CLOSED in self.world.by_id[thing].properties and OPENABLE in self.world.by_id[thing].properties:
            step = self.closed(thing)
            if step is not None:
                return step
        step = self.uncovered(switch) or self._hand_freed() or self.at(switch)
        return step or self._operate("plug_in" if unplugged else "switch_on", switch)

    def with_state(self, thing: str, state: str, by: str | None = None) -> Action | None:
        """An object has a state: sliced, cooked, clean, filled, open, closed, on or off.

        Args:
            thing: the object.
            state: the state.
            by: class or id of the appliance for cooked, clean and filled; None: any.
        """
        if state in self.world.by_id[thing].states:
            return None
        ways: dict[str, Callable[[str], Action | None]] = {
            "open": self.opened, "closed": self.closed, "on": self.running, "off": self.still, "sliced": self.sliced,
            "cooked": lambda t: self.treated(t, HEATS, by), "clean": lambda t: self.treated(t, RINSES, by),
            "filled": lambda t: self.treated(t, BREWS, by), "plugged in": self.plugged_in,
        }
        if state not in ways:
            raise Stuck(f"nothing makes {thing} {state}")
        if state in TURNED:
            return self.seen(thing, state) or self.uncovered(thing) or ways[state](thing)
        return ways[state](thing)

    def plugged_in(self, thing: str) -> Action | None:
        """An appliance is plugged in."""
        self._check_refusals("plug_in", thing)
        if "plug_in" not in self.verbs:
            raise Stuck("this world has no verb “plug_in”")
        return self.uncovered(thing) or self._hand_freed() or self.at(thing) or self._operate("plug_in", thing)

    def seen(self, thing: str, state: str) -> Action | None:
        """An object is close enough to see whether it is on or off, open or closed: the map shows neither."""
        known = self.world.by_id[thing].states & LAST_STATES
        shown = known & ({"on", "off"} if state in ("on", "off") else {"open", "closed"})
        return None if shown or TURNED[state] not in self.world.by_id[thing].properties else self.at(thing)

    def sliced(self, thing: str) -> Action | None:
        """An object is sliced: it lies within reach and a knife is in the hand."""
        cut = self.allowed("slice", thing)
        knives = [e.id for e in self._ranked(lambda e: CUTS in e.properties)]
        if not knives:
            raise Stuck("no knife is known")
        if thing in self.agent.holding:
            return self.hand_emptied()
        return self.first_allowed(knives, self.held) or self.uncovered(thing) or self.touched(thing) or cut

    def treated(self, thing: str, flag: str, by: str | None = None) -> Action | None:
        """An object is in a running appliance.

        Args:
            thing: the object.
            flag: the property of the appliance: heats, rinses or brews.
            by: class or id of the appliance; None: any.
        """
        holders = [self.world.by_id[r.object] for r in self.world.holders(thing)]
        def right(machine: Entity) -> bool:
            return flag in machine.properties and self._usable(machine) and (by is None or is_a(machine, by))

        def used(machine: str) -> Action | None:
            switch = self.controllers.get(machine, machine)
            if "on" not in self.world.by_id[switch].states:
                self.allowed("switch_on", switch)
            return self.placed(thing, "inside" if CONTAINER in self.world.by_id[machine].properties else "on", machine)

        inside = [h.id for h in holders if right(h)]
        if inside:
            try:
                return self.first_allowed(inside, self.running)
            except Banned:
                if set(inside) >= {m.id for m in self._ranked(right)}:
                    raise
        machines = [m for m in self._ranked(right) if m.id not in inside]
        sliced = "sliced" in self.world.by_id[thing].states or self.world.by_id[thing].cls.endswith("slice")
        fitting = [m.id for m in machines if sliced or TAKES_SLICES not in m.properties]
        return self._in_one_of(thing, fitting, used)

    def _in_one_of(self, thing: str, holders: list[str], way: Callable[[str], Action | None]) -> Action | None:
        """An object is in one of several holders: in one with room that no ban rules out, else room is made in one."""
        free = self.with_room(thing, holders)
        if not free:
            return self.cleared(thing, holders)
        try:
            return self.first_allowed(free, way)
        except Banned:
            if len(free) == len(holders):
                raise
            return self.cleared(thing, [h for h in holders if h not in free])

    def with_room(self, thing: str, holders: list[str]) -> list[str]:
        """Returns the holders that have not refused the object."""
        return [h for h in holders if (thing, h) not in self.memory.no_space]

    def _usable(self, entity: Entity) -> bool:
        """Returns True if an appliance has a switch of its own or a control (a sink its tap, a burner its knob)."""
        return entity.id in self.controllers or "off" in entity.states or "on" in entity.states

    # --- objects -----------------------------------------------------------
    def touched(self, thing: str) -> Action | None:
        """The object itself is within reach, not only the furniture it lies on."""
        step = self.at(thing)
        if step is None and any(a.args[:1] == (thing,) and a.verb in ("grab", "slice") for a in self.memory.refused):
            return self._walk(thing)
        return step

    def held(self, thing: str) -> Action | None:
        """An object is in the hand."""
        if thing in self.agent.holding:
            return None
        grab = self.allowed("grab", thing)
        self._check_way(thing)
        if not self.agent.hand_free:
            return self.hand_emptied()
        for link in self.world.holders(thing):
            step = self.still(link.object) if RUNS_CLOSED in self.world.by_id[link.object].properties else None
            if step is not None:
                return step
        return self.uncovered(thing) or self.touched(thing) or grab

    def hand_emptied(self) -> Action | None:
        """The hand is empty: the held object is put on the nearest surface with space."""
        if not self.agent.holding:
            return None
        thing = self.agent.holding[0]
        for place in self._ranked(lambda e: bool(e.properties & {SURFACE, CONTAINER}) and e.category == "furniture"
                                  and e.id not in self.memory.clearing and not self._cannot_open_now(e)
                                  and not e.properties & {HEATS, BREWS} and (thing, e.id) not in self.memory.no_space):
            relation = "on" if SURFACE in place.properties else "inside"
            with suppress(Banned):
                if step := self._unless_banned(self.placed(thing, relation, place.id)):
                    return step
        raise Stuck(f"nowhere to put {thing} down")

    def _cannot_open_now(self, place: Entity) -> bool:
        """Returns True if a place must be opened while no hand is free."""
        shut = SURFACE not in place.properties and OPENABLE in place.properties and "open" not in place.states
        return self.free_hand and not self.agent.hand_free and shut

    def _fills_hands(self, thing: str) -> bool:
        """Returns True if no hand is free to open doors with this object in hand."""
        return self.free_hand and len({*self.agent.holding, thing}) >= self.agent.hands

    def placed(self, thing: str, relation: str, holder: str) -> Action | None:
        """An object is on or inside a holder."""
        link = self.world.holder.get(thing)
        if link is not None and (link.kind, link.object) == (relation, holder):
            return None
        put = self.allowed("put_in" if relation == "inside" else "put_on", thing, holder)
        self._check_way(holder, door=relation == "inside")
        step = None
        if relation == "inside" and self._fills_hands(thing):
            step = self.opened(holder)  # before the object is taken: afterwards no hand is free to open it
        step = step or self.held(thing) or self.uncovered(holder)
        if step is None and relation == "inside":
            step = self.opened(holder)
        return step or self.at(holder) or put

    def cleared(self, thing: str, holders: list[str]) -> Action | None:
        """Space is made for an object: one that no literal needs there is taken out of the emptiest full holder."""
        full = [h for h in holders if (thing, h) not in self.memory.too_small]
        for holder in sorted(full, key=lambda h: (len(self.world.contents.get(h, ())), h)):
            for occupant in self.world.contents.get(holder, ()):
                if occupant not in self.keep | self.waiting and self._portable(occupant):
                    self.memory.clearing.add(holder)
                    with suppress(Banned):
                        return self._unless_banned(self.held(occupant))
        raise Stuck(f"no place takes {thing}")

    def _portable(self, thing: str) -> bool:
        """Returns True if an object can be carried and was never refused as too slippery to grip."""
        return GRABBABLE in self.world.by_id[thing].properties and (thing, "") not in self.memory.no_space

    def worked_on(self, literal: Literal, subject: str) -> Action | None:
        """A literal holds for a subject: first its states, then its place."""
        if literal.is_about_robot:
            done = literal.predicate == "done"
            return self.acted(literal.act, subject) if done else self.robot_is(literal.predicate, subject)
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
            raise Stuck(f"no {spaced(literal.target or 'place')} is known")
        return self._in_one_of(subject, targets, lambda target: self.placed(subject, literal.predicate, target))

    # --- the robot and its acts ------------------------------------------------
    def robot_is(self, predicate: str, target: str) -> Action | None:
        """The robot is in a room, near or facing an entity, sits or lies on it, or stands (`target` is then ignored)."""
        agent = self.agent
        match predicate:
            case "standing":
                return Action("stand_up") if agent.posture != "standing" else None
            case "robot_in":
                up = Action("stand_up") if agent.posture != "standing" else Action("walk", (target,))
                return None if agent.room == target else up
            case "robot_near":
                return None if target in agent.holding else self.uncovered(target) or self.at(target)
            case "robot_facing":
                return None if agent.facing == target else self.uncovered(target) or self._from_here("turn_to", target)
            case _:
                return self.seated(predicate, target)

    def seated(self, posture: str, seat: str) -> Action | None:
        """The robot sits or lies on an entity."""
        if (self.agent.posture, self.agent.seat) == (posture, seat):
            return None
        if self.agent.posture != "standing":
            return Action("stand_up")
        verb = "sit" if posture == "sitting" else "lie"
        self._check_refusals(verb, seat)  # VirtualHome's seats may be full
        return self.at(seat) or self._possible(verb, seat)

    def acted(self, verb: str, thing: str) -> Action | None:
        """An act was done to an entity: it is in the hand or within reach, and it runs if it is to be watched."""
        act = Action(verb, (thing,))
        if act in self.agent.acts:
            return None
        if verb in HELD_ACTS:
            return self.held(thing) or self._possible(verb, thing)
        if verb == "wash_hands" and not self.agent.hand_free:
            return self.hand_emptied()
        running = verb in ("watch", "type", "wash_hands") and (
            SWITCHABLE in self.world.by_id[thing].properties or thing in self.controllers)
        step = self.uncovered(thing) or (self.running(thing) if running else None)
        if verb in ("watch", "look_at"):
            return step or self._from_here(verb, thing)
        return step or (None if thing in self.agent.holding else self.at(thing)) or self._possible(verb, thing)

    def _from_here(self, verb: str, thing: str) -> Action:
        """Returns an action on an entity in sight, or the walk there from another room or after a refusal (it was not seen)."""
        far = self.world.by_id[thing].room != self.agent.room or Action(verb, (thing,)) in self.memory.refused
        return (self.at(thing) if far and thing not in self.agent.holding else None) or self._possible(verb, thing)

    def _possible(self, verb: str, thing: str) -> Action:
        """Returns an action of the world.

        Raises:
            Stuck: the world has no such verb, or the action was just refused.
        """
        action = self.allowed(verb, thing)
        if verb not in self.verbs:
            raise Stuck(f"this world has no verb “{verb}”")
        if action in self.memory.refused:
            raise Stuck(f"{verb} {thing} was refused")
        return action

    # --- candidates --------------------------------------------------------
    def instances(self, name: str) -> list[Entity]:
        """Returns all entities that a name stands for, the easiest first. Of `standing` it is the robot's room."""
        if name == ROBOT:
            return [e for e in self.world.entities if e.id == self.agent.room]
        rooms = (e for e in self.world.entities if e.category == "room" and is_a(e, name))
        return [*self._ranked(lambda e: is_a(e, name)), *sorted(rooms, key=lambda e: (e.id != self.agent.room, e.id))]

    def holders_of(self, cls_or_id: str) -> list[str]:
        """Returns the holders of a class by effort; each object already in or on a holder adds half a step."""
        found = self.instances(cls_or_id)
        return [e.id for e in sorted(found, key=lambda e: self.effort(e) + len(self.world.contents.get(e.id, ())) / 2)]

    def _ranked(self, test: Callable[[Entity], bool]) -> list[Entity]:
        found = (e for e in self.world.entities if e.category != "room" and test(e))
        return sorted(found, key=lambda e: (self.effort(e), e.id))

    def effort(self, entity: Entity) -> int:
        """Returns the approximate number of actions until an entity can be used.

        Counted are: another room, closed doors around it, its own closed door, and walking to it.
        """
        if entity.id in self.agent.holding:
            return 0
        doors = sum(1 for r in self.world.holders(entity.id)
                    if r.kind == "inside" and "closed" in self.world.by_id[r.object].states)
        shut = "closed" in entity.states and CONTAINER in entity.properties
        return (entity.room != self.agent.room) + 2 * doors + shut + (entity.id not in self.agent.near)
