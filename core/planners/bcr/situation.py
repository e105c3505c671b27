"""What the robot knows of its situation, and which needs hold in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

from core.goals.literals import is_a
from core.planners.bcr.blocking_table import REFUSALS, Family, Need, allowed, family_of, needs_of
from core.planning.regression import Memory
from core.world.known_world import KnownWorld, is_open
from core.world.vocabulary import (
    CONTAINER,
    CUTS,
    OPENABLE,
    RUNS_CLOSED,
    SURFACE,
    TAKES_SLICES,
    UNPLUGGED,
    Action,
    Entity,
    Observation,
    Outcome,
)


class Situation:
    """Memory of what was seen, done and refused.

    Attributes:
        world: all that was seen.
        memory: what refusals taught.
        told: needs that the world itself said do not hold, until something changes.
        remedies: what the world named as a remedy for such needs; each is offered once.
        scanned: poses (or rooms) from which the robot has looked around.
        searched: furniture whose contents were seen from close by.
        rooms: rooms it has been in.
        unreachable: what there is no floor to stand by for; another one of its class has to do.
    """

    def __init__(self, verbs: frozenset[str], *, all_seen: bool = False):
        self.verbs = verbs
        self.world, self.memory = KnownWorld(all_seen=all_seen), Memory()
        self.told: set[Need] = set()
        self.remedies: dict[Need, Action] = {}
        self.scanned: set[object] = set()
        self.searched: set[str] = set()
        self.rooms: set[str] = set()
        self.unreachable: set[str] = set()
        self.partial = False
        self.view = Observation(self.world.agent, (), ())
        self.controllers: dict[str, str] = {}

    @property
    def family(self) -> Family:
        """The table of this world's verbs."""
        return family_of(self.verbs)

    # --- seeing and hearing ---------------------------------------------------
    def see(self, observation: Observation) -> None:
        """Take an observation."""
        self.world.see(observation)
        self.partial = observation.partial
        self.view = self.world.merged()
        self.controllers = {r.object: r.subject for r in self.view.relations if r.kind == "controls"}
        if observation.agent.room is not None:
            self.rooms.add(observation.agent.room)
        self.searched |= {e.id for e in self._looked_into(observation)}

    def _looked_into(self, observation: Observation) -> Iterator[Entity]:
        """Furniture whose contents can all be seen now: in a picture only those of what one stands at."""
        at = observation.agent.near[:1]
        around = {*at, *(r.object for thing in at for r in observation.holders(thing))}
        for e in observation.entities:
            shown = is_open(e) if CONTAINER in e.properties else SURFACE in e.properties
            if e.category == "furniture" and shown and (not observation.partial or e.id in around):
                yield e

    def hear(self, outcome: Outcome) -> None:
        """Learn from an outcome, whoever chose the action."""
        action = outcome.action
        self.memory.hear(outcome)
        if not outcome.ok:
            kinds = REFUSALS.get(outcome.precondition, ())
            denied = next((n for kind in kinds for n in needs_of(action, self.family) if n.kind == kind), None)
            blame = denied or allowed(action)
            self.told.add(blame)
            if self.memory.remedies.due:
                self.remedies[blame] = self.memory.remedies.due[-1]
            if outcome.precondition == "free floor" and action.verb == "walk":
                self.unreachable.add(action.args[0])
        else:
            self.told, self.remedies = set(), {}
        if outcome.ok and action.verb == "scan":
            self.scanned.add(self.standpoint)

    def blame(self, action: Action) -> Need | None:
        """What the world said stands in the way of an action it refused."""
        return next((n for n in (*needs_of(action, self.family), allowed(action)) if n in self.told), None)

    @property
    def standpoint(self) -> object:
        """Where the robot looks around from."""
        pose = self.view.agent.pose
        return (round(pose.x, 2), round(pose.y, 2)) if pose is not None else (self.view.agent.room, self.view.agent.near[:1])

    # --- what holds -----------------------------------------------------------
    def holds(self, need: Need) -> bool:
        """Whether a need holds, as far as is known; what the world has just denied does not."""
        return need not in self.told and TESTS[need.kind](self, *need.args)

    def entity(self, thing: str) -> Entity | None:
        """What is known of a thing; None of a class or of what was never seen."""
        return self.view.by_id.get(thing)

    def having(self, flag: str) -> Iterator[Entity]:
        """Everything known with a property that can be reached."""
        return (e for e in self.view.entities if flag in e.properties and e.id not in self.unreachable)

    def instances(self, cls_or_id: str) -> list[Entity]:
        """Everything known of a class, or of a `?property`, that can be reached; nothing of `+class`: one more than those.

        Nor anything of `+class@source`: one more, from a source.
        """
        if cls_or_id.startswith("+"):
            return []
        if cls_or_id.startswith("?"):
            flag = cls_or_id[1:]
            return [e for e in self.having(flag) if flag == CUTS or self.usable(e)]
        return [e for e in self.view.entities if e.category != "room" and is_a(e, cls_or_id)
                and (e.id == cls_or_id or e.id not in self.unreachable)]

    def sources(self, term: str) -> frozenset[str]:
        """Ids of the known places that a term such as `+apple@fridge` names as its source; empty where it names none."""
        _, _, source = term.partition("@")
        return frozenset(e.id for e in self.view.entities if source and is_a(e, source))

    def cover(self, thing: str) -> str | None:
        """The outermost closed container around a thing."""
        closed = [r.object for r in self.view.holders(thing) if r.kind == "inside" and not _open(self, r.object)]
        return closed[-1] if closed else None

    def runs_around(self, thing: str) -> str | None:
        """The appliance that must not be reached into while it runs: the thing itself, or one around it."""
        for holder in (thing, *(r.object for r in self.view.holders(thing))):
            entity = self.entity(holder)
            if entity is not None and RUNS_CLOSED in entity.properties and self.running(holder):
                return holder
        return None

    def switch(self, thing: str) -> str:
        """What switches a thing: its tap, its knob, or itself."""
        return self.controllers.get(thing, thing)

    def running(self, thing: str) -> bool:
        """Whether it is switched on."""
        switch = self.entity(self.switch(thing))
        return switch is not None and "on" in switch.states

    def usable(self, entity: Entity) -> bool:
        """A sink needs its tap, a burner its knob; what has a switch of its own needs none."""
        return entity.id in self.controllers or bool({"on", "off"} & entity.states)

    @property
    def digest(self) -> int:
        """All that is known, in one number: doing the same thing twice in the same situation is a loop."""
        agent = self.view.agent
        return hash((agent.room, agent.near, agent.holding, agent.pose, frozenset(self.view.relations),
                     frozenset((e.id, e.states) for e in self.view.entities), len(self.scanned), len(self.searched),
                     len(self.memory.remedies.followed)))


def _near(now: Situation, thing: str) -> bool:
    return thing in now.view.agent.near or thing in now.view.agent.holding


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
    "seen": lambda now, x: bool(now.instances(x)),
    "near": _near, "held": _held, "open": _open, "shut": _shut, "slices": _slices,
    "free hand": lambda now: now.view.agent.hand_free,
    "laid": lambda now, x: x not in now.view.agent.holding,
    "uncovered": lambda now, x: now.cover(x) is None,
    "still": lambda now, x: now.runs_around(x) is None,
    "room": lambda now, x, y: (x, y) not in now.memory.no_space or (x, y) in now.memory.too_small,
    "fits": lambda now, x, y: (x, y) not in now.memory.too_small,
    "inside": lambda now, x, y: _lies(now, x, "inside", y),
    "on": lambda now, x, y: _lies(now, x, "on", y),
    "plugged": lambda now, x: (entity := now.entity(x)) is None or UNPLUGGED not in entity.states,
    "allowed": lambda now, *about: True,
})
"""What each kind of need means."""
