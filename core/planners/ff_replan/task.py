"""A classical planning task: facts, ground operators and a goal, built from what is known (`Builder`) within a `Scope`.

The scope is the objects, furniture and appliances a goal needs, and where missing objects may be. The task is determinized and
optimistic, as in FF-Replan (Yoon, Fern, Givan 2007): the plan assumes that looking finds a missing object at the location that
makes the plan cheapest. If the object is not there, the planner plans again. A task is plain data, so that it can be sent to a
solver as JSON.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from core.goals.kinds import is_a
from core.goals.literals import Goal, Literal
from core.goals.progress import lies, progress
from core.planning.regression import LAST_STATES, Regression
from core.world.known_world import KnownWorld, is_open
from core.world.vocabulary import (
    BREWS,
    CONTAINER,
    CUTS,
    GRABBABLE,
    HEATS,
    OPENABLE,
    RINSES,
    RUNS_CLOSED,
    SLICEABLE,
    SURFACE,
    SWITCHABLE,
    TAKES_SLICES,
    TURNED,
    WASHABLE,
    Action,
    Entity,
    Value,
)

# --- the scope --------------------------------------------------------------------
TREATMENTS = {"cooked": HEATS, "clean": RINSES, "filled": BREWS}
KNIFE = "knife?"
"""Placeholder for a cutting tool that has not been seen yet."""
Place = tuple[str, str]
"""A location: (id of furniture, inside or on), or (id of a room, floor)."""


@dataclass(frozen=True, slots=True)
class Need:
    """One subject of a literal: a known object, or one still to be found (its class and a question mark)."""

    literal: Literal
    thing: str


@dataclass(frozen=True, slots=True)
class Scope:
    """Everything a task refers to.

    Attributes:
        needs: one for each subject the goal counts.
        things: movable objects of the task, found or not.
        lost: the objects whose location is unknown.
        places: possible locations of lost objects.
        furniture: furniture that objects are put on or in, or that is opened or switched.
        unknown: classes of furniture the goal needs that were never seen; no task can be stated without them.
    """

    needs: tuple[Need, ...]
    things: tuple[str, ...]
    lost: frozenset[str]
    places: tuple[Place, ...]
    furniture: tuple[Entity, ...]
    unknown: tuple[str, ...]


class Surveyor:
    """Determines the scope of a goal from what is known.

    Args:
        world: all that is known.
        goal: the goal.
        regression: estimates the effort to use an entity.
        limited: True if objects not in sight count as lost and may be anywhere (the paper's FF-Replan-limited).
        partial: True if the camera may miss objects in the room.
        in_sight: ids in sight.
        ruled_out: (object, location) pairs where a search found nothing.
        no_space: (object, holder) pairs that were refused.
    """

    def __init__(self, world: KnownWorld, goal: Goal, regression: Regression, *, limited: bool, partial: bool,
                 in_sight: frozenset[str], ruled_out: frozenset[tuple[str, Place]], no_space: Collection[tuple[str, str]]):
        self.world, self.goal, self.regression = world, goal, regression
        self.limited, self.partial, self._in_sight, self._ruled_out = limited, partial, in_sight, ruled_out
        self._no_space = no_space
        self.switches = {r.object: r.subject for r in world.merged().relations if r.kind == "controls"}

    def scope(self) -> Scope:
        """Returns the current scope."""
        needs = tuple(self._needs())
        held = self.world.agent.holding
        named = [n.thing for n in needs if self._movable(n.thing) and not self._turned_only(n)]
        tools = [self._knife()] if any("sliced" in n.literal.states for n in needs) else []
        things = tuple(dict.fromkeys((*named, *tools, *held)))
        lost = frozenset(t for t in things if self._is_lost(t))
        furniture, unknown = self._furniture(needs, things)
        return Scope(needs, things, lost, self._places() if lost else (), furniture, unknown)

    # --- subjects -------------------------------------------------------------------
    def _needs(self) -> Iterator[Need]:
        taken: set[str] = set(self._unfit())
        for report in progress(self.goal, self.world.merged()):
            literal = report.literal
            known = [e.id for e in self.regression.instances(literal.subject) if e.id not in taken
                     and (literal.predicate == "is" or GRABBABLE in e.properties)]
            ordered = sorted(known, key=lambda i: i not in report.subjects)[:literal.count]
            missing = (f"{literal.subject}?{k + 1}" for k in range(literal.count - len(ordered)))
            for thing in (*ordered, *missing):
                taken.add(thing)
                yield Need(literal, thing)

    def _unfit(self) -> Iterator[str]:
        """Yields objects that all target places have refused; other objects of their class must be used."""
        for literal in self.goal.literals:
            if literal.target is not None:
                targets = [e.id for e in self._of(literal.target)]
                for entity in self._of(literal.subject):
                    if targets and all((entity.id, t) in self._no_space for t in targets):
                        yield entity.id

    def _movable(self, thing: str) -> bool:
        """Returns True if an object can be carried; unseen ones are assumed to be movable."""
        return thing not in self.world.entities or GRABBABLE in self.world.entities[thing].properties

    def _turned_only(self, need: Need) -> bool:
        """Returns True for unseen furniture that only has to be opened or switched: no plan can assume where it is."""
        return need.literal.predicate == "is" and need.thing not in self.world.entities and need.literal.states <= LAST_STATES

    def _knife(self) -> str:
        found = [e for e in self.world.entities.values() if CUTS in e.properties]
        return min(found, key=lambda e: (self.regression.effort(e), e.id)).id if found else KNIFE

    def _is_lost(self, thing: str) -> bool:
        if thing not in self.world.entities:
            return True
        return self.limited and thing not in self._in_sight and thing not in self.world.agent.holding

    # --- locations --------------------------------------------------------------------
    def _places(self) -> tuple[Place, ...]:
        """Returns the possible locations of lost objects: unsearched ones, or all if the planner is limited."""
        found: list[Place] = []
        for entity in self.world.entities.values():
            if entity.category == "furniture":
                kinds = [kind for kind, flag in (("on", SURFACE), ("inside", CONTAINER)) if flag in entity.properties]
                found += [(entity.id, kind) for kind in kinds if self._may_hold((entity.id, kind))]
            elif entity.category == "room" and ((entity.id, "floor") not in self.world.looked or self.partial):
                found.append((entity.id, "floor"))
        return tuple(found)

    def _may_hold(self, place: Place) -> bool:
        return self.limited or self.partial or place not in self.world.looked

    def hopes(self, thing: str, scope: Scope) -> Iterator[Place]:
        """Yields locations not searched for a lost object yet, except its targets in the goal (it would be reached already)."""
        literals = [n.literal for n in scope.needs if n.thing == thing and n.literal.target is not None and "?" in thing]
        goals = {(e.id, x.predicate) for x in literals for e in self._of(x.target or "")}
        return (place for place in scope.places if (thing, place) not in self._ruled_out and place not in goals)

    # --- furniture ----------------------------------------------------------------------
    def _furniture(self, needs: tuple[Need, ...], things: tuple[str, ...]) -> tuple[tuple[Entity, ...], tuple[str, ...]]:
        found: dict[str, Entity] = {}
        unknown: list[str] = []

        def add(entities: list[Entity], name: str) -> None:
            found.update({e.id: e for e in entities})
            if not entities:
                unknown.append(name)

        for need in needs:
            if need.literal.target is not None:
                add(self._of(need.literal.target), need.literal.target)
            if need.literal.predicate == "is" and need.thing in self.world.entities:
                add([self.world.entities[need.thing]], need.thing)
            if self._turned_only(need):
                unknown.append(need.literal.subject)
            for state in need.literal.states & TREATMENTS.keys():
                add(self.machines(TREATMENTS[state], sliced="sliced" in need.literal.states), state)
        for thing in things:
            found.update({h.id: h for h in self._holders(thing)})
        found.update({e.id: e for e in self._tops()})
        if self.limited or any(t not in self.world.entities for t in things):
            found.update({e.id: e for e in self.world.entities.values()
                          if e.category == "furniture" and e.properties & {CONTAINER, SURFACE}})
        found.update({s: self.world.entities[s] for f in tuple(found) if (s := self.switches.get(f, f)) in self.world.entities})
        return tuple(found.values()), tuple(unknown)

    def _of(self, cls_or_id: str) -> list[Entity]:
        return [e for e in self.world.entities.values() if is_a(e, cls_or_id)]

    def machines(self, flag: str, *, sliced: bool) -> list[Entity]:
        """Returns switchable appliances that heat, rinse or brew; if the goal names one, only that."""
        named = [x.by for x in self.goal.literals if x.by]
        return [e for e in self.world.entities.values() if flag in e.properties and (sliced or TAKES_SLICES not in e.properties)
                and (e.id in self.switches or e.states & {"on", "off"}) and (not named or any(is_a(e, by) for by in named))]

    def _holders(self, thing: str) -> Iterator[Entity]:
        for link in self.world.merged().holders(thing):
            if link.object in self.world.entities:
                yield self.world.entities[link.object]

    def _tops(self) -> list[Entity]:
        """Returns some furniture to put objects on temporarily."""
        tops = [e for e in self.world.entities.values() if e.category == "furniture" and SURFACE in e.properties
                and not e.properties & {HEATS, BREWS, RINSES}]
        return sorted(tops, key=lambda e: (self.regression.effort(e), e.id))[:None if self.limited else 3]


def shut(entity: Entity) -> bool:
    """Returns True if an entity can be closed, which hides and blocks its contents."""
    return OPENABLE in entity.properties and CONTAINER in entity.properties


# --- the task ---------------------------------------------------------------------
NOT = "!"
"""Prefix of a fact that must not hold."""
Condition = tuple[str, ...]
"""Facts that must all hold, or with `!` not hold."""


@dataclass(frozen=True, slots=True)
class Operator(Value):
    """One ground operator.

    Attributes:
        action: the robot's action; None for an observation without action.
        needs: preconditions.
        adds: facts that hold afterwards.
        drops: facts that no longer hold.
        when: (condition, fact) pairs: the fact holds afterwards if the condition held before.
        looks: (object, location) it assumes to find: the determinized outcome of an observation. The plan ends after it.
    """

    action: Action | None
    needs: Condition
    adds: Condition
    drops: Condition = ()
    when: tuple[tuple[Condition, str], ...] = ()
    looks: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Task(Value):
    """A planning task.

    Attributes:
        facts: the facts that hold.
        operators: the ground operators.
        goal: for each part, one of its facts must hold.
    """

    facts: frozenset[str]
    operators: tuple[Operator, ...]
    goal: tuple[Condition, ...]

    @property
    def actions(self) -> tuple[Action, ...]:
        """All different actions among the operators."""
        return tuple(dict.fromkeys(o.action for o in self.operators if o.action is not None))

    def plain(self) -> Mapping[str, Any]:
        """Returns the task as JSON data: facts by name, operators by index."""
        return {"facts": sorted(self.facts), "goal": [list(part) for part in self.goal],
                "operators": [{"needs": list(o.needs), "adds": list(o.adds), "drops": list(o.drops),
                               "when": [[list(c), f] for c, f in o.when]} for o in self.operators]}


def after(facts: frozenset[str], operator: Operator) -> frozenset[str]:
    """Returns the facts after an operator whose preconditions hold."""
    won = {fact for condition, fact in operator.when if met(condition, facts)}
    return (facts - frozenset(operator.drops)) | frozenset(operator.adds) | won


def met(condition: Condition, facts: frozenset[str]) -> bool:
    """Returns True if all facts of a condition hold."""
    return all((c.removeprefix(NOT) in facts) != c.startswith(NOT) for c in condition)


def solved(goal: tuple[Condition, ...], facts: frozenset[str]) -> bool:
    """Returns True if each part of a goal has a fact that holds."""
    return all(any(met((c,), facts) for c in part) for part in goal)


# --- its construction -------------------------------------------------------------
SCAN = Action("scan")
MADE = ("sliced", "cooked", "clean", "filled")


class Builder:
    """Builds one task.

    Args:
        survey: what is known.
        scope: the scope of the goal.
        verbs: the verbs of the world.
        without: actions that must not be used.
        no_space: (object, holder) pairs that were refused.
    """

    def __init__(self, survey: Surveyor, scope: Scope, verbs: frozenset[str], without: Collection[Action],
                 no_space: Collection[tuple[str, str]]):
        self._survey, self._world, self._scope = survey, survey.world, scope
        self._verbs, self._without, self._no_space = verbs, without, no_space
        self._rooms = [e.id for e in self._world.entities.values() if e.category == "room"]
        self._hands = range(self._world.agent.hands)
        self._targets = [*scope.furniture, *(self._world.entities[t] for t in scope.things if t in self._world.entities
                                             and self._world.entities[t].properties & {CONTAINER, SURFACE})]
        self._reached = tuple(dict.fromkeys((*(f.id for f in scope.furniture), *scope.things)))
        self._all_at = tuple(f"at {i}" for i in self._reached)

    def task(self) -> Task:
        """Returns the task."""
        operators = tuple(o for o in self._operators() if o.action is None
                          or (o.action.verb in self._verbs and o.action not in self._without))
        return Task(frozenset(self._facts()), operators, tuple(self._goal()))

    # --- initial facts ----------------------------------------------------------------------
    def _facts(self) -> Iterator[str]:
        agent = self._world.agent
        yield f"in {agent.room}"
        yield from (f"at {i}" for i in agent.near if i in self._reached)
        for hand in self._hands:
            held = agent.holding[hand] if hand < len(agent.holding) else None
            yield f"free {hand}" if held is None else f"held {held} {hand}"
        for furniture in self._scope.furniture:
            yield from (f"open {furniture.id}" for _ in range(is_open(furniture)))
            yield from (f"on {furniture.id}" for _ in range("on" in furniture.states))
        for thing in self._scope.things:
            if thing in self._world.entities:
                yield from (f"{s} {thing}" for s in MADE if s in self._world.entities[thing].states)
                yield from self._where(thing)

    def _where(self, thing: str) -> Iterator[str]:
        """Yields the location of an object, unless it is lost or in the hand."""
        if thing in self._scope.lost or thing in self._world.agent.holding:
            return
        root, _ = self._world.root(thing)
        yield f"room {thing} {self._world.entities[root].room or self._world.agent.room}"
        links = list(self._world.merged().holders(thing))
        for link in links:
            yield f"{link.kind} {thing} {link.object}"
        boxes = [r.object for r in links if r.kind == "inside" and shut(self._world.entities[r.object])]
        yield from (f"kept {thing} {box}" for box in boxes[-1:])

    # --- operators ----------------------------------------------------------------------------
    def _operators(self) -> Iterator[Operator]:
        yield from self._walks()
        for furniture in self._scope.furniture:
            yield from self._doors(furniture)
            yield from self._switching(furniture)
        for thing in self._scope.things:
            yield from self._grabs(thing)
            yield from self._puts(thing)
            yield from self._treatments(thing)
            if thing in self._scope.lost:
                for place in self._survey.hopes(thing, self._scope):
                    yield from self._looks(thing, place)

    def _walks(self) -> Iterator[Operator]:
        for room in self._rooms:
            others = tuple(f"in {r}" for r in self._rooms if r != room)
            yield Operator(Action("walk", (room,)), (f"{NOT}in {room}",), (f"in {room}",), (*others, *self._all_at))
        for furniture in self._scope.furniture:
            yield self._walk(furniture.id, (f"in {self._room(furniture)}",))
        for thing in self._scope.things:
            boxes = tuple(f"{NOT}kept {thing} {f.id}" for f in self._scope.furniture if shut(f))
            for room in self._rooms:
                yield self._walk(thing, (f"in {room}", f"room {thing} {room}", *boxes))

    def _walk(self, target: str, needs: Condition) -> Operator:
        rest = tuple(f for f in self._all_at if f != f"at {target}")
        return Operator(Action("walk", (target,)), (f"{NOT}at {target}", *needs), (f"at {target}",), rest)

    def _room(self, entity: Entity) -> str:
        return entity.room or self._world.agent.room or ""

    def _still(self, furniture: Entity) -> Condition:
        """Returns the condition that an appliance that runs closed is not running."""
        switch = self._survey.switches.get(furniture.id, furniture.id)
        return (f"{NOT}on {switch}",) if RUNS_CLOSED in furniture.properties else ()

    def _doors(self, furniture: Entity) -> Iterator[Operator]:
        f = furniture.id
        if OPENABLE in furniture.properties:
            yield Operator(Action("open", (f,)), (f"at {f}", f"{NOT}open {f}", *self._still(furniture)), (f"open {f}",))
            yield Operator(Action("close", (f,)), (f"at {f}", f"open {f}"), (), (f"open {f}",))

    def _switching(self, furniture: Entity) -> Iterator[Operator]:
        s = furniture.id
        if SWITCHABLE not in furniture.properties:
            return
        machines = [f for f in self._scope.furniture if self._survey.switches.get(f.id, f.id) == s]
        shut_first = tuple(f"{NOT}open {m.id}" for m in machines if RUNS_CLOSED in m.properties and OPENABLE in m.properties)
        treats = tuple(((f"{kind} {thing} {m.id}",), f"{state} {thing}") for m in machines for thing in self._scope.things
                       for state, flag in TREATMENTS.items() if flag in m.properties for kind in ("inside", "on"))
        yield Operator(Action("switch_on", (s,)), (f"at {s}", f"{NOT}on {s}", *shut_first), (f"on {s}",), (), treats)
        yield Operator(Action("switch_off", (s,)), (f"at {s}", f"on {s}"), (), (f"on {s}",))

    def _grabs(self, thing: str) -> Iterator[Operator]:
        """Yields grabbing next to the object itself, or at the open container it is in."""
        boxes = [f for f in self._scope.furniture if shut(f)]
        lying = tuple(f"{kind} {thing} {t.id}" for t in self._targets for kind in ("inside", "on"))
        gone = (*lying, *(f"room {thing} {r}" for r in self._rooms), *(f"kept {thing} {b.id}" for b in boxes), f"at {thing}")
        for hand in self._hands:
            got = (f"held {thing} {hand}",)
            lost = (*gone, f"free {hand}")
            free = tuple(f"{NOT}kept {thing} {b.id}" for b in boxes)
            yield Operator(Action("grab", (thing,)), (f"at {thing}", f"free {hand}", *free), got, lost)
            for box in boxes:
                needs = (f"at {box.id}", f"open {box.id}", f"kept {thing} {box.id}", f"free {hand}", *self._still(box))
                yield Operator(Action("grab", (thing,)), needs, got, lost)

    def _puts(self, thing: str) -> Iterator[Operator]:
        for target in self._targets:
            if target.id == thing or (thing, target.id) in self._no_space:
                continue
            sliced = (f"sliced {thing}",) if TAKES_SLICES in target.properties and not self._is_slice(thing) else ()
            for relation, flag in (("inside", CONTAINER), ("on", SURFACE)):
                if flag in target.properties:
                    yield from self._put(thing, relation, target, sliced)

    def _is_slice(self, thing: str) -> bool:
        return thing in self._world.entities and self._world.entities[thing].cls.endswith("slice")

    def _put(self, thing: str, relation: str, target: Entity, needs: Condition) -> Iterator[Operator]:
        verb, boxed = ("put_in" if relation == "inside" else "put_on"), relation == "inside" and shut(target)
        door = (f"open {target.id}", *self._still(target)) if boxed else ()
        kept = (f"kept {thing} {target.id}",) if boxed else ()
        for hand in self._hands:
            for room in self._rooms if target.category == "object" else (self._room(target),):
                there = (f"room {target.id} {room}",) if target.category == "object" else ()
                yield Operator(Action(verb, (thing, target.id)),
                               (f"held {thing} {hand}", f"at {target.id}", *there, *door, *needs),
                               (f"{relation} {thing} {target.id}", f"room {thing} {room}", f"free {hand}", *kept),
                               (f"held {thing} {hand}",))

    def _treatments(self, thing: str) -> Iterator[Operator]:
        """Yields slicing an object in its place and washing a held one."""
        known = self._world.entities.get(thing)
        boxes = tuple(f"{NOT}kept {thing} {f.id}" for f in self._scope.furniture if shut(f))
        if known is None or SLICEABLE in known.properties:
            for knife in self._scope.things:
                if knife != thing and self._cuts(knife):
                    for hand in self._hands:
                        yield Operator(Action("slice", (thing,)), (f"held {knife} {hand}", f"at {thing}", *boxes),
                                       (f"sliced {thing}",))
        if known is not None and WASHABLE in known.properties:
            for sink in self._survey.machines(TREATMENTS["clean"], sliced=True):
                switch = self._survey.switches.get(sink.id, sink.id)
                for hand in self._hands:
                    yield Operator(Action("wash", (thing,)), (f"held {thing} {hand}", f"at {sink.id}", f"on {switch}"),
                                   (f"clean {thing}",))

    def _cuts(self, thing: str) -> bool:
        return thing not in self._world.entities or CUTS in self._world.entities[thing].properties

    def _looks(self, thing: str, place: Place) -> Iterator[Operator]:
        """Yields observing a lost object at a location: the outcome the plan assumes."""
        spot, kind = place
        if kind == "floor":
            action = SCAN if self._survey.partial else None
            yield Operator(action, (f"in {spot}",), (f"room {thing} {spot}",), (), (), (thing, f"{spot} {kind}"))
            return
        entity = self._world.entities[spot]
        near = (f"at {spot}",) if self._survey.partial else ()
        door = (f"open {spot}",) if kind == "inside" else ()
        kept = (f"kept {thing} {spot}",) if kind == "inside" and shut(entity) else ()
        yield Operator(None, (f"in {self._room(entity)}", *near, *door),
                       (f"{kind} {thing} {spot}", f"room {thing} {self._room(entity)}", *kept), (), (),
                       (thing, f"{spot} {kind}"))

    # --- goal -----------------------------------------------------------------------------------
    def _goal(self) -> Iterator[Condition]:
        for need in self._scope.needs:
            yield from ((self._state(need.thing, state),) for state in sorted(need.literal.states))
            if need.literal.predicate == "holds":
                yield tuple(f"held {need.thing} {hand}" for hand in self._hands)
            elif need.literal.predicate != "is":
                yield self._placed(need)

    def _placed(self, need: Need) -> Condition:
        """Returns the facts that satisfy a placement: on or in any target.

        An object already there through its holder may stay.
        """
        relation, target = need.literal.predicate, need.literal.target or ""
        world = self._world.merged()
        there = [r.object for r in world.holders(need.thing)][:1] if lies(world, need.thing, relation, target) else []
        fitting = [t.id for t in self._targets if is_a(t, target) and t.id != need.thing]
        return tuple(dict.fromkeys((*(f"{world.holder[need.thing].kind} {need.thing} {h}" for h in there),
                                    *(f"{relation} {need.thing} {t}" for t in fitting))))

    def _state(self, thing: str, state: str) -> str:
        if state in TURNED:
            switched = state in ("on", "off")
            name = self._survey.switches.get(thing, thing) if switched else thing
            return f"{NOT if state in ('closed', 'off') else ''}{'on' if switched else 'open'} {name}"
        return f"{state} {thing}"
