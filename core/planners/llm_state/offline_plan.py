"""The offline answer to LLM-State's plan requests: regression on the dictionary's claims, else a search of likely places.

It uses only what the prompt states: the lists of observed objects, the attributes, the summary, and the last failures of the
history. Deriving from older actions what is open, on or cooked is the estimator's task and is not repeated here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from core.goals.achieved import GoalRecord
from core.goals.grounding import PASSING, concrete
from core.goals.literals import Goal, Literal, is_a, meant, progress, satisfying
from core.llm.grounding.choices import call_name
from core.planners.llm_state.history import failed_last
from core.planners.llm_state.imagined_world import ImaginedWorld
from core.planners.llm_state.offline_beliefs import Beliefs, beliefs, believed_world, record_of
from core.planners.llm_state.offline_estimate import sought
from core.planners.llm_state.prompt_facts import PlanFacts
from core.planners.llm_state.vocabulary import VERBS
from core.planning.offline_answers import register
from core.planning.placement_prior import Prior
from core.planning.prompt_facts import PlaceFact
from core.planning.regression import LAST_STATES, PREPARED, Memory, Regression, Stuck
from core.world.vocabulary import CONTAINER, GRABBABLE, OPENABLE, SURFACE, SWITCHABLE, Action, Entity, Observation

CALLS = {verb: call for call, verb in VERBS.items()}
OPPOSITE = {"off": ("on", SWITCHABLE), "closed": ("open", OPENABLE)}
"""State -> (the state assumed if the object must get it and its state is unknown, the property it needs)."""
HEAD = "Low-level Action Plan:"


def plan(facts: PlanFacts, prior: Prior) -> str:
    """Returns a numbered plan; `done()` if the goal is believed to be reached or nothing can be done."""
    actions = _Policy(facts, prior).actions()
    calls = [f"{CALLS.get(a.verb, a.verb.replace('_', ''))}({', '.join(map(call_name, a.args))})" for a in actions]
    return "\n".join([HEAD, *(f"{k}. {call}" for k, call in enumerate(calls or ["done()"], 1))])


class _Policy:
    """Makes one plan."""

    def __init__(self, facts: PlanFacts, prior: Prior):
        self.facts, self.prior = facts, prior
        self.held: Beliefs = beliefs(facts.seen, facts.entries, facts.summary)
        self.record = record_of(facts.seen, self.held)
        self.imagined = ImaginedWorld(self._assumed(believed_world(facts.seen, self.held)))
        self.memory = Memory(no_space=set(self.held.no_room), too_small=set(self.held.never))
        failed = failed_last(facts.deeds)
        self.barred = {self._call(Action(VERBS.get(d.call, d.call), d.args)) for d in failed} | self.held.denied

    def _assumed(self, world: Observation) -> Observation:
        """Returns the world with unknown states set to the opposite of what the goal requires."""
        wanted = {(e.id, state) for literal in self.facts.goal.literals for state in literal.states & OPPOSITE.keys()
                  for e in meant(literal, world)}
        changed = []
        for entity in world.entities:
            states = entity.states
            for state, (other, need) in OPPOSITE.items():
                if (entity.id, state) in wanted and need in entity.properties \
                        and state not in self.held.states.get(entity.id, ()):
                    states = (states - {state}) | {other}
            changed.append(Entity(entity.id, entity.cls, entity.name, entity.category, entity.room, states, entity.properties))
        return Observation(world.agent, tuple(changed), world.relations, step=world.step)

    def actions(self) -> list[Action]:
        """Returns at most `most` actions. Searching a new place ends the plan, because the result determines what follows."""
        found: list[Action] = []
        while len(found) < self.facts.most:
            action = self._next(first=not found)
            if action is None:
                return [*found, *self._look(first=not found)][: self.facts.most]
            found.append(action)
            self._imagine(action)
        return found

    def _imagine(self, action: Action) -> None:
        """Applies an action as if it succeeded. A holder that an object was taken from may have space again."""
        link = self.imagined.world().holder.get(action.args[0]) if action.verb == "grab" else None
        if link is not None:
            self.memory.no_space = {p for p in self.memory.no_space if p[1] != link.object or p in self.memory.too_small}
        self.imagined.apply(action)

    # --- knowledge ------------------------------------------------------------------
    def _now(self) -> tuple[Observation, GoalRecord, Goal]:
        """Returns the imagined world, its past, and the goal in terms of its objects."""
        world = self._spare_first(self.imagined.world())
        record = GoalRecord(True, self.record.sources, self.record.treated | self.imagined.treated)
        return world, record, concrete(self.facts.goal, world, record, self.held.no_room)

    def _spare_first(self, world: Observation) -> Observation:
        """Returns the world with held objects reordered: those in no literal are put down first."""
        def wanted(thing: str) -> bool:
            return any(is_a(world.by_id[thing], x.subject) for x in self.facts.goal.literals)

        agent = world.agent
        holding = tuple(sorted(agent.holding, key=wanted))
        return replace(world, agent=replace(agent, holding=holding)) if len(holding) > 1 else world

    def _regression(self, world: Observation, goal: Goal, record: GoalRecord) -> Regression:
        keep = frozenset(s for r in progress(goal, world, record) if r.literal.predicate != "is"
                         for s in r.subjects[: r.literal.count])
        return Regression(world, self.memory, keep, self.facts.verbs, free_hand=True)

    def _allowed(self, action: Action, *, first: bool) -> bool:
        call = self._call(action)
        return call not in self.held.denied and not (first and call in self.barred)

    @staticmethod
    def _call(action: Action) -> str:
        return f"{CALLS.get(action.verb, action.verb.replace('_', ''))}({','.join(map(call_name, action.args))})"

    # --- actions for the goal -------------------------------------------------------
    def _next(self, *, first: bool) -> Action | None:
        """Returns the first action towards the easiest unreached literal that can be worked on."""
        world, record, goal = self._now()
        regression = self._regression(world, goal, record)
        pending = [r.literal for r in progress(goal, world, record) if not r.reached]
        for literal in sorted(pending, key=lambda x: self._rank(x, regression)):
            done = set(satisfying(literal, world, record))
            for subject in self._subjects(literal, regression, done):
                action = self._towards(literal, subject.id, regression)
                if action is not None and self._allowed(action, first=first):
                    return action
        return None

    def _towards(self, literal: Literal, subject: str, regression: Regression) -> Action | None:
        try:
            return regression.worked_on(literal, subject)
        except Stuck:
            return None

    @staticmethod
    def _rank(literal: Literal, regression: Regression) -> tuple[bool, int, int, str]:
        """Returns the sort key of a literal: held objects first, preparing before moving, then doors and switches.

        Near before far.
        """
        subjects = regression.instances(literal.subject)
        held = any(s.id in regression.agent.holding for s in subjects)
        rank = {"is": 0, "inside": 1, "on": 1, "away": 1, "holds": 3}[literal.predicate]
        if literal.predicate == "is" and literal.states & LAST_STATES:
            rank = 2
        return not held, rank, min((regression.effort(s) for s in subjects), default=99), str(literal)

    def _subjects(self, literal: Literal, regression: Regression, done: set[str]) -> list[Entity]:
        """Returns the possible subjects of a literal, those closest to the required states first."""
        carried = literal.predicate != "is" or bool(literal.states & set(PREPARED) - {"sliced"})

        def able(entity: Entity) -> bool:
            fixed = GRABBABLE not in entity.properties or (entity.id, "") in self.held.no_room
            return entity.id not in done | regression.keep and not (carried and fixed)

        found = [e for e in regression.instances(literal.subject) if able(e)]
        refused = {thing for thing, _ in self.held.no_room}

        def key(entity: Entity) -> tuple[int, bool, bool, int, str]:
            missing = len(literal.states - entity.states)
            link = regression.world.holder.get(entity.id)
            begun = missing > 0 and link is not None and bool(regression.world.by_id[link.object].properties & PASSING)
            spare = entity.id in refused and entity.id not in regression.agent.holding
            return missing, not begun, spare, regression.effort(entity), entity.id

        return sorted(found, key=key)

    # --- search for missing objects -----------------------------------------------
    def _look(self, *, first: bool) -> list[Action]:
        """Returns the way to the likeliest place of a missing object; empty if none is missing or no place is left."""
        world, record, goal = self._now()
        wanted = [r.literal for r in progress(self.facts.goal, world, record)
                  if not r.reached or sought(r.literal, world) or self._sources(world, [r.literal])]
        if not wanted:
            return []
        regression = self._regression(world, goal, record)
        places = self._sources(world, wanted) or self._places(world, wanted)
        for room, container in places:
            way = list(self._way(room, container, regression))
            if way and self._allowed(way[0], first=first):
                return way
        return []

    def _sources(self, world: Observation, wanted: Sequence[Literal]) -> list[tuple[str, str]]:
        """Returns (room, container) of unsearched sources; container "" if the room was not entered yet."""
        new, here = self._new_rooms(world), world.agent.room
        named = [e for literal in wanted if literal.source for e in world.entities if is_a(e, literal.source) and e.room]
        ways = [(str(e.room), "" if e.room in new else e.id) for e in named if e.room in new or self._shut(e)]
        return sorted(dict.fromkeys(ways), key=lambda way: way[0] != here)

    def _shut(self, place: Entity) -> bool:
        """Returns True if a place is closed and was not searched."""
        return {OPENABLE, CONTAINER} <= place.properties and place.id not in self.held.searched and "open" not in place.states

    def _way(self, room: str, container: str, regression: Regression) -> Iterator[Action]:
        if not container:
            yield Action("walk", (room,))
            return
        for _ in range(6):
            try:
                action = regression.opened(container)
            except Stuck:
                return
            if action is None:
                return
            yield action
            self.imagined.apply(action)
            regression = Regression(self.imagined.world(), self.memory, regression.keep, self.facts.verbs, free_hand=True)

    def _places(self, world: Observation, wanted: Sequence[Literal]) -> list[tuple[str, str]]:
        """Returns (room, container) of places to search, the likeliest per step first; container "" for a new room."""
        facts = [_place_fact(e, world) for e in world.entities
                 if e.category == "furniture" and e.properties & {SURFACE, CONTAINER}]
        if not facts:
            return [(room, "") for room in self._new_rooms(world)]
        weights = np.sum([self.prior.over(literal.subject.rstrip("0123456789_"), facts) for literal in wanted], axis=0)
        new = self._new_rooms(world)
        worth: dict[tuple[str, str], float] = {}
        for place, weight in zip(facts, weights, strict=True):
            shut = place.inside and OPENABLE in world.by_id[place.id].properties
            if place.room in new:
                worth[place.room, ""] = worth.get((place.room, ""), 0.01) + weight * (0.5 if shut else 1.0)
            elif shut and place.id not in self.held.searched and "open" not in world.by_id[place.id].states:
                worth[place.room, place.id] = weight / (2 if place.room == world.agent.room else 3)
        for room in new:
            worth.setdefault((room, ""), 0.0)
        return sorted(worth, key=lambda place: (-worth[place], place))

    def _new_rooms(self, world: Observation) -> list[str]:
        """Returns rooms not entered yet: they have no mark "visited", and no movable object was seen there."""
        seen = {e.room for e in world.entities if e.category == "object"} | {world.agent.room}
        return [e.id for e in world.entities if e.category == "room" and e.id not in seen | self.held.searched]


def _place_fact(entity: Entity, world: Observation) -> PlaceFact:
    room = world.by_id.get(entity.room or "")
    room_cls = room.cls if room is not None else ""
    return PlaceFact(entity.id, entity.cls, entity.room or "", room_cls, CONTAINER in entity.properties)


register(PlanFacts, lambda facts, ask, prior: plan(facts, prior))
