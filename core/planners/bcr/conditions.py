"""Blocking conditions: the table of conditions and their resolutions (BCR, §III-A), and which of them hold in a situation.

The table maps an action to the conditions that may block it, these to the literals that resolve them, and those to the actions
that bring them about. There is one table for each family of simulators. `blocked_by` lists the conditions of a verb in the
order of their assessment, with the index of the argument they concern; `resolved_by` lists the resolutions of each condition.
A resolution prefixed with `?` has the desired effect only possibly (`possibly_true` in the paper): opening a cabinet may bring
the mug into view.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

from core.goals.kinds import is_a
from core.planning.regression import Memory
from core.world.known_world import KnownWorld, is_open
from core.world.vocabulary import (
    CONTAINER,
    CUTS,
    OPENABLE,
    RUNS_CLOSED,
    SURFACE,
    SWITCHABLE,
    TAKES_SLICES,
    UNPLUGGED,
    Action,
    Entity,
    Observation,
    Outcome,
    Value,
)


# --- the table --------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class Need(Value):
    """A literal that must hold.

    Attributes:
        kind: a key of `CONDITIONS`.
        args: ids; for objects not known yet a class, `+class` (one more of it), `+class@source` (one more, from there) or
            `?property`.
    """

    kind: str
    args: tuple[str, ...] = ()


class Condition(NamedTuple):
    """The texts of a condition; `{0}` is its first argument.

    Attributes:
        blocks: while it blocks.
        resolved: as the literal that resolves it.
        short: a short form of `blocks`, the first line of a node in the tree.
        short_resolved: a short form of `resolved`.
    """

    blocks: str
    resolved: str
    short: str
    short_resolved: str


@dataclass(frozen=True, slots=True)
class Family(Value):
    """The table of one family of simulators, or an operator's.

    Attributes:
        blocked_by: verb -> conditions.
        resolved_by: condition -> resolutions.
    """

    blocked_by: Mapping[str, tuple[str, ...]]
    resolved_by: Mapping[str, tuple[str, ...]]


CONDITIONS: Mapping[str, Condition] = MappingProxyType({
    "seen": Condition("{0} is not in view", "{0} in view", "not in view", "in view"),
    "near": Condition("{0} is out of reach", "{0} within reach", "out of reach", "within reach"),
    "held": Condition("{0} is not in the hand", "{0} in the hand", "not held", "held"),
    "free hand": Condition("the hand is full", "a free hand", "hand is full", "a free hand"),
    "laid": Condition("{0} is still in the hand", "{0} put down", "still held", "put down"),
    "uncovered": Condition("{0} is behind a closed door", "{0} uncovered", "behind a door", "uncovered"),
    "open": Condition("{0} is closed", "{0} open", "closed", "open"),
    "shut": Condition("{0} is open and runs only closed", "{0} closed", "runs closed", "closed"),
    "still": Condition("{0} is in something that runs", "it switched off", "running", "switched off"),
    "room": Condition("there is no room for {0} at {1}", "room for {0} at {1}", "no room", "room"),
    "fits": Condition("{0} does not fit {1}", "another thing or place", "does not fit", "fits"),
    "slices": Condition("{1} only takes slices", "{0} sliced", "not sliced", "sliced"),
    "inside": Condition("{0} is not inside {1}", "{0} inside {1}", "not inside", "inside"),
    "on": Condition("{0} is not on {1}", "{0} on {1}", "not on it", "on it"),
    "plugged": Condition("{0} is not plugged in", "{0} plugged in", "not plugged in", "plugged in"),
    "here": Condition("{0} is in another room", "the robot in its room", "in another room", "in the same room"),
    "standing": Condition("the robot sits or lies", "the robot standing", "not standing", "standing"),
    "running": Condition("{0} is switched off", "{0} switched on", "switched off", "switched on"),
    "allowed": Condition("the world refused it", "something else done first", "refused", "allowed"),
})

HOUSEHOLD = Family(
    blocked_by=MappingProxyType({
        "grab": ("seen 0", "free hand", "still 0", "uncovered 0", "near 0"),
        "put_in": ("slices 0 1", "held 0", "seen 1", "uncovered 1", "still 1", "near 1", "open 1", "fits 0 1", "room 0 1"),
        "put_on": ("held 0", "seen 1", "uncovered 1", "near 1", "fits 0 1", "room 0 1"),
        "open": ("seen 0", "still 0", "uncovered 0", "near 0"),
        "close": ("seen 0", "uncovered 0", "near 0"),
        "switch_on": ("seen 0", "uncovered 0", "shut 0", "near 0"),
        "switch_off": ("seen 0", "uncovered 0", "near 0"),
        "slice": ("seen 0", "laid 0", "held ?cuts", "uncovered 0", "near 0"),
        "walk": ("standing", "seen 0", "uncovered 0", "here 0"),
        "stand_up": (),
        "sit": ("seen 0", "standing", "near 0"),
        "lie": ("seen 0", "standing", "near 0"),
        **dict.fromkeys(("turn_to", "look_at"), ("seen 0", "here 0", "uncovered 0")),
        "watch": ("seen 0", "uncovered 0", "running 0", "here 0"),
        **dict.fromkeys(("drink", "eat", "read"), ("held 0",)),
        "type": ("seen 0", "uncovered 0", "running 0", "near 0"),
        "touch": ("seen 0", "uncovered 0", "near 0"),
        "wash_hands": ("seen 0", "free hand", "running 0", "near 0"),
    }),
    resolved_by=MappingProxyType({
        "seen": ("? search 0",),
        "near": ("approach 0",),
        "held": ("grab 0",),
        "free hand": ("? put down",),
        "laid": ("? put down",),
        "uncovered": ("open cover 0",),
        "open": ("open 0",),
        "shut": ("close 0",),
        "still": ("stop 0",),
        "room": ("? clear 0 1",),
        "slices": ("slice 0",),
        "inside": ("put_in 0 1",),
        "on": ("put_on 0 1",),
        "here": ("approach 0",),
        "standing": ("stand_up",),
        "running": ("start 0",),
        "allowed": ("? come closer 0",),
    }),
)
"""The household simulator and AI2-THOR, which share their verbs."""

VIRTUALHOME = Family(
    blocked_by=MappingProxyType({
        **HOUSEHOLD.blocked_by, "switch_on": ("seen 0", "uncovered 0", "plugged 0", "shut 0", "near 0"),
        "plug_in": ("seen 0", "near 0"),
    }),
    resolved_by=MappingProxyType({**HOUSEHOLD.resolved_by, "plugged": ("plug_in 0",)}),
)
"""VirtualHome: the camera cannot be turned, and appliances have plugs."""

REFUSALS: Mapping[str, tuple[str, ...]] = MappingProxyType({
    "within reach": ("near",), "in sight": ("near", "seen"), "seen": ("near", "seen"), "a free hand": ("free hand",),
    "open": ("open",), "closed": ("shut",), "switched off": ("still",), "room": ("room",), "held": ("held",),
    "sliced": ("slices",), "not held": ("laid",), "plugged in": ("plugged",), "size": ("fits",), "kind": ("fits",),
    "a knife in hand": ("held",), "standing": ("standing",), "running": ("running",), "running water": ("running",),
})
"""Precondition in a refusal -> the conditions it may refer to; the first one that the verb has is used."""


def family_of(verbs: Collection[str]) -> Family:
    """Returns the table for the verbs of a world."""
    return VIRTUALHOME if "plug_in" in verbs else HOUSEHOLD


def allowed(action: Action) -> Need:
    """Returns the need that the world permits an action. A verb may be refused for an object for a reason that is not known."""
    return Need("allowed", (*action.args[-1:], action.verb))


def needs_of(action: Action, family: Family) -> tuple[Need, ...]:
    """Returns the needs of an action in the order of their assessment; none for verbs that are not in the table."""
    return tuple(_need(entry, action.args) for entry in family.blocked_by.get(action.verb, ()))


def _need(entry: str, args: tuple[str, ...]) -> Need:
    words = entry.split()
    about = [w for w in words if w.isdigit() or w.startswith("?")]
    kind = " ".join(w for w in words if w not in about)
    return Need(kind, tuple(args[int(w)] if w.isdigit() else w for w in about))


# --- the situation ----------------------------------------------------------------
class Situation:
    """The observations, actions and refusals of an episode.

    Attributes:
        family: the table in force.
        world: all observations, merged.
        memory: what was learned from refusals.
        reported: needs that a refusal reported as violated, until something changes.
        remedies: need -> the remedy that the world suggested for it; each is offered once.
        scanned: poses (or rooms) from which the robot has looked around.
        searched: furniture whose contents were seen from close by.
        rooms: rooms the robot has been in.
        unreachable: entities without free floor next to them; another one of the class must be used.
        partial: True if the camera may miss objects in the room.
        view: everything known as one observation.
        controllers: id of an appliance -> id of its switch.
    """

    def __init__(self, verbs: frozenset[str], *, all_seen: bool = False):
        self.verbs, self.family = verbs, family_of(verbs)
        self.world, self.memory = KnownWorld(all_seen=all_seen), Memory()
        self.reported: set[Need] = set()
        self.remedies: dict[Need, Action] = {}
        self.scanned: set[object] = set()
        self.searched: set[str] = set()
        self.rooms: set[str] = set()
        self.unreachable: set[str] = set()
        self.partial = False
        self.view = Observation(self.world.agent, (), ())
        self.controllers: dict[str, str] = {}

    # --- observations and outcomes --------------------------------------------
    def see(self, observation: Observation) -> None:
        """Processes an observation."""
        self.world.see(observation)
        self.partial = observation.partial
        self.view = self.world.merged()
        self.controllers = {r.object: r.subject for r in self.view.relations if r.kind == "controls"}
        if observation.agent.room is not None:
            self.rooms.add(observation.agent.room)
        self.searched |= {e.id for e in self._looked_into(observation)}

    def _looked_into(self, observation: Observation) -> Iterator[Entity]:
        """Yields furniture whose contents are completely visible now: with a camera, only the furniture next to the robot."""
        at = observation.agent.near[:1]
        around = {*at, *(r.object for thing in at for r in observation.holders(thing))}
        for e in observation.entities:
            shown = is_open(e) if CONTAINER in e.properties else SURFACE in e.properties
            if e.category == "furniture" and shown and (not observation.partial or e.id in around):
                yield e

    def update(self, outcome: Outcome) -> None:
        """Learns from an outcome, no matter who chose the action."""
        action = outcome.action
        self.memory.update(outcome)
        if not outcome.ok:
            kinds = REFUSALS.get(outcome.precondition, ())
            denied = next((n for kind in kinds for n in needs_of(action, self.family) if n.kind == kind), None)
            blame = denied or allowed(action)
            self.reported.add(blame)
            if self.memory.remedies.due:
                self.remedies[blame] = self.memory.remedies.due[-1]
            if outcome.precondition == "free floor" and action.verb == "walk":
                self.unreachable.add(action.args[0])
        else:
            self.reported, self.remedies = set(), {}
        if outcome.ok and action.verb == "scan":
            self.scanned.add(self.standpoint)

    def blame(self, action: Action) -> Need | None:
        """Returns the need that blocked an action the world refused, or None."""
        return next((n for n in (*needs_of(action, self.family), allowed(action)) if n in self.reported), None)

    @property
    def standpoint(self) -> object:
        """The position from which the robot looks around."""
        pose = self.view.agent.pose
        return (round(pose.x, 2), round(pose.y, 2)) if pose is not None else (self.view.agent.room, self.view.agent.near[:1])

    # --- needs ----------------------------------------------------------------
    def holds(self, need: Need) -> bool:
        """Returns True if a need holds, as far as is known. A need just reported as violated does not hold."""
        return need not in self.reported and TESTS[need.kind](self, *need.args)

    def entity(self, thing: str) -> Entity | None:
        """Returns the entity with an id; None for a class or an unknown id."""
        return self.view.by_id.get(thing)

    def having(self, flag: str) -> Iterator[Entity]:
        """Yields all reachable entities with a property."""
        return (e for e in self.view.entities if flag in e.properties and e.id not in self.unreachable)

    def instances(self, cls_or_id: str) -> list[Entity]:
        """Returns all reachable entities of a class, or with a `?property`.

        None for `+class` and `+class@source` (one more).
        """
        if cls_or_id.startswith("+"):
            return []
        if cls_or_id.startswith("?"):
            flag = cls_or_id[1:]
            return [e for e in self.having(flag) if flag == CUTS or self.usable(e)]
        return [e for e in self.view.entities if e.category != "room" and is_a(e, cls_or_id)
                and (e.id == cls_or_id or e.id not in self.unreachable)]

    def rooms_called(self, name: str) -> list[Entity]:
        """Returns the rooms with an id or class."""
        return [e for e in self.view.entities if e.category == "room" and is_a(e, name)]

    def sources(self, term: str) -> frozenset[str]:
        """Returns the ids of the known places that a term such as `+apple@fridge` names as its source, if it names one."""
        _, _, source = term.partition("@")
        return frozenset(e.id for e in self.view.entities if source and is_a(e, source))

    def cover(self, thing: str) -> str | None:
        """Returns the outermost closed container around an object, or None."""
        closed = [r.object for r in self.view.holders(thing) if r.kind == "inside" and not _open(self, r.object)]
        return closed[-1] if closed else None

    def runs_around(self, thing: str) -> str | None:
        """Returns the running appliance that must not be reached into: the entity itself or one around it; or None."""
        for holder in (thing, *(r.object for r in self.view.holders(thing))):
            entity = self.entity(holder)
            if entity is not None and RUNS_CLOSED in entity.properties and self.running(holder):
                return holder
        return None

    def switch(self, thing: str) -> str:
        """Returns the switch of an entity: its tap, its knob, or itself."""
        return self.controllers.get(thing, thing)

    def running(self, thing: str) -> bool:
        """Returns True if an entity is switched on."""
        switch = self.entity(self.switch(thing))
        return switch is not None and "on" in switch.states

    def can_run(self, thing: str) -> bool:
        """Returns True if an entity has a switch or something that controls it."""
        entity = self.entity(thing)
        return thing in self.controllers or (entity is not None and SWITCHABLE in entity.properties)

    def usable(self, entity: Entity) -> bool:
        """Returns True if an appliance has a switch of its own or a control (a sink its tap, a burner its knob)."""
        return entity.id in self.controllers or bool({"on", "off"} & entity.states)

    @property
    def digest(self) -> int:
        """A hash of everything known. Repeating an action in a situation with the same hash is a loop."""
        agent = self.view.agent
        return hash((agent.room, agent.near, agent.holding, agent.pose, agent.seat, agent.facing, agent.acts,
                     frozenset(self.view.relations),
                     frozenset((e.id, e.states) for e in self.view.entities), len(self.scanned), len(self.searched),
                     len(self.memory.remedies.followed)))


def _near(now: Situation, thing: str) -> bool:
    agent = now.view.agent
    return thing in agent.near or thing in agent.holding or thing == agent.seat


def _held(now: Situation, thing: str) -> bool:
    return any(e.id in now.view.agent.holding for e in now.instances(thing))


def _open(now: Situation, thing: str) -> bool:
    entity = now.entity(thing)
    return entity is None or is_open(entity)


def _shut(now: Situation, thing: str) -> bool:
    entity = now.entity(thing)
    return entity is None or not {RUNS_CLOSED, OPENABLE} <= entity.properties or "open" not in entity.states


def _slices(now: Situation, thing: str, holder: str) -> bool:
    takes, entity = now.entity(holder), now.entity(thing)
    if takes is None or entity is None or TAKES_SLICES not in takes.properties:
        return True
    return "sliced" in entity.states or entity.cls.endswith("slice")


def _lies(now: Situation, thing: str, relation: str, holder: str) -> bool:
    return any(r.object == holder and r.kind == relation for r in now.view.holders(thing))


TESTS: Mapping[str, Callable[..., bool]] = MappingProxyType({
    "seen": lambda now, x: bool(now.instances(x) or now.rooms_called(x)),
    "near": _near, "held": _held, "open": _open, "shut": _shut, "slices": _slices,
    "free hand": lambda now: now.view.agent.hand_free,
    "laid": lambda now, x: x not in now.view.agent.holding,
    "uncovered": lambda now, x: now.cover(x) is None,
    "still": lambda now, x: now.runs_around(x) is None,
    "room": lambda now, x, y: (x, y) not in now.memory.no_space or (x, y) in now.memory.too_small,
    "fits": lambda now, x, y: (x, y) not in now.memory.too_small,
    "inside": lambda now, x, y: _lies(now, x, "inside", y),
    "on": lambda now, x, y: _lies(now, x, "on", y),
    "here": lambda now, x: (entity := now.entity(x)) is None or entity.room in (None, now.view.agent.room),
    "standing": lambda now: now.view.agent.posture == "standing",
    "running": lambda now, x: now.running(x) or not now.can_run(x),
    "plugged": lambda now, x: (entity := now.entity(x)) is None or UNPLUGGED not in entity.states,
    "allowed": lambda now, *about: True,
})
"""The test of each kind of need."""
