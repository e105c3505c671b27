"""The offline answers to LLM-State's three requests: rules on what the prompts say.

Attention and estimation: failures are analysed in the retrospective summary, as in the paper (appendix B). Without a summary,
attributes follow from successful actions only.

Plan: regression on the dictionary's claims, else a search of likely places. It uses the lists of observed objects, the
attributes, the summary, and the last failures of the history. Deriving from older actions what is open, on or cooked is the
estimator's task and is not repeated here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from itertools import takewhile

import numpy as np

from core.goals.kinds import is_a
from core.goals.literals import ABOUT_ROBOT, Goal, GoalRecord, Literal
from core.goals.progress import GoalWatch, lies_at, meant, progress, satisfying
from core.goals.tracker import TEMPORARY, concrete
from core.llm.grounding.choices import call_name
from core.planners.llm_state.calls import VERBS, call_text
from core.planners.llm_state.offline_world import (
    Beliefs,
    ImaginedWorld,
    beliefs,
    believed_world,
    record_of,
    with_body,
    with_uses,
)
from core.planners.llm_state.recorded_types import AttentionFacts, Deed, EstimateFacts, PlanFacts
from core.planning.goal_work import CARRIED, is_made_for
from core.planning.offline_answers import Prior, register
from core.planning.prompt_facts import PlaceFact
from core.planning.regression import PREPARED, Memory, Regression, Stuck, work_order
from core.world.known_world import is_open
from core.world.vocabulary import (
    BODY_VERBS,
    BREWS,
    CONTAINER,
    CUTS,
    GRABBABLE,
    HEATS,
    OPENABLE,
    RINSES,
    RUNS_CLOSED,
    SURFACE,
    SWITCHABLE,
    UNPLUGGED,
    Action,
    Entity,
    Observation,
)

TOLD = 12
"""The number of latest actions that a summary describes individually; of older ones it keeps permanent failures."""
TOOLS = {"cooked": HEATS, "clean": RINSES, "filled": BREWS, "sliced": CUTS}
IMPLIED: Mapping[str, tuple[str, ...]] = {
    "open": ("is open", "was searched"), "close": ("is closed",), "switchon": ("is on",), "switchoff": ("is off",),
    "plugin": ("is plugged_in",),
}
"""Call -> what its success implies for its object, in the summary's words."""


# --- attention --------------------------------------------------------------
def attend(facts: AttentionFacts) -> str:
    """Returns calls for the relevant objects.

    These are objects and places in the goal, their appliances, possible places of missing objects, rooms, and held objects.
    """
    seen = with_uses(facts.seen)
    missing = any(_missing(literal, seen) for literal in facts.goal.literals)
    new = [e for e in seen.entities if _matters(e, facts.goal, seen, missing) and call_name(e.id) not in facts.names]
    return "\n".join(f'add_related_objects("{call_name(e.id)}")' for e in new)


def sought(literal: Literal, seen: Observation) -> bool:
    """Returns True if more objects of the literal may always exist: it refers to all movable objects of a kind, anywhere."""
    furniture = any(is_a(e, literal.subject) and e.category == "furniture" for e in seen.entities)
    return literal.every and literal.source is None and not furniture


def _missing(literal: Literal, seen: Observation) -> bool:
    found = [e for e in seen.entities if is_a(e, literal.subject)]
    return len(found) < literal.count or sought(literal, seen)


def _matters(entity: Entity, goal: Goal, seen: Observation, missing: bool) -> bool:
    if entity.category == "room" or entity.id in seen.agent.holding:
        return True
    if {OPENABLE, CONTAINER} <= entity.properties and (missing or entity.id in seen.agent.near[:1]):
        return True  # it may have been searched here, which must not be forgotten
    return any(_named(entity, literal, seen) for literal in goal.literals)


def _named(entity: Entity, literal: Literal, seen: Observation) -> bool:
    places = [name for name in (literal.target, literal.source, literal.by) if name]
    if any(is_a(entity, name) for name in places):
        return True
    if any(TOOLS[state] in entity.properties for state in literal.states & TOOLS.keys()):
        return True
    if not is_a(entity, literal.subject):
        return False
    if literal.source is None:
        return True
    return any(h in seen.by_id and is_a(seen.by_id[h], literal.source) for h in lies_at(entity.id, seen))


# --- estimation -------------------------------------------------------------
def estimate(facts: EstimateFacts) -> str:
    """Returns the state after the whole history, simulated from the first action."""
    past = _Retrospect(facts)
    for deed in facts.deeds:
        past.follow(deed)
    lines = []
    if facts.summary:
        lines.append(f'update_reasoning("{past.summary()}")')
    if facts.objects:
        lines += [f'update_state("{name}", "{" | ".join(found)}")' for name in facts.names if (found := past.attributes(name))]
    return "\n".join(lines)


class _Retrospect:
    """Simulates the history and collects attributes for each object."""

    def __init__(self, facts: EstimateFacts):
        self.facts = facts
        self.seen = with_uses(facts.seen)
        self._world = ImaginedWorld(Observation(self.seen.agent, self.seen.entities, self.seen.relations))
        self._held: list[str] = []
        self._marks: dict[str, dict[str, None]] = {}
        self._story: list[tuple[str, bool]] = []

    def follow(self, deed: Deed) -> None:
        """Processes one action."""
        if deed.ok:
            said = self._done(deed)
        elif self.facts.summary:
            said = self._failed(deed)
        else:
            said = ""
        self._story.append((said, not deed.ok))

    # --- successful actions ------------------------------------------------------
    def _done(self, deed: Deed) -> str:
        before = set(self._world.treated)
        thing = deed.args[0] if deed.args else ""
        if deed.call in ("placein", "placeon"):
            self._held = [h for h in self._held if h != thing]
        elif deed.call == "pickup":
            self._held.append(thing)
            self._taken(thing, deed.source)
        complete = deed.call not in ("placein", "placeon") or len(deed.args) == 2
        if deed.call != "move" and all(a in self._world.entities for a in deed.args) and complete:
            self._world.apply(Action(VERBS.get(deed.call, deed.call), deed.args))
        says = [f"did {call_text(deed.call, deed.args)}", *self._follows(deed, thing)]
        for one, state, machine in sorted(self._world.treated - before):
            if machine in self._world.entities:
                self._mark(one, f"{state}_in_{call_name(machine)}")
                says.append(f"{call_name(one)} is {state}")
                says.append(f"{call_name(one)} was {state} in {call_name(machine)}")
        return "; ".join(says)

    def _follows(self, deed: Deed, thing: str) -> list[str]:
        """Returns what a successful action implies for its object, and marks searched containers and visited rooms."""
        implied = IMPLIED.get(deed.call, ())
        if deed.call == "open":
            self._mark(thing, "searched")
        elif deed.call == "pickup" and deed.source:
            implied = (f"was taken from {call_name(deed.source)}",)
        elif deed.call == "move" and thing in self.seen.by_id and self.seen.by_id[thing].category == "room":
            self._mark(thing, "visited")
            implied = ("was visited",)
        return [f"{call_name(thing)} {words}" for words in implied]

    def _taken(self, thing: str, source: str) -> None:
        if source:
            self._mark(thing, f"from_{call_name(source)}")
        for holder, marks in self._marks.items():
            if holder == source:
                for mark in [m for m in marks if m.startswith("no_room_for_")]:
                    del marks[mark]

    def _mark(self, thing: str, mark: str) -> None:
        self._marks.setdefault(thing, {})[mark] = None

    # --- failed actions -------------------------------------------------------------
    def _failed(self, deed: Deed) -> str:
        """Returns the sentence about a failed action, with its likely cause."""
        if deed.why == "denied":
            return f"the operator denied {call_text(deed.call, deed.args).replace(' ', '')}, it must not be tried again"
        because = self._cause(deed)
        return f"{call_text(deed.call, deed.args)} failed" + (f" because {because}" if because else "")

    def _cause(self, deed: Deed) -> str:
        thing = deed.args[0] if deed.args else ""
        name = call_name(thing)
        why = deed.why or self._guess(deed, thing)
        match why, deed.call:
            case ("a free hand", _):
                return "no hand was free"
            case ("not open" | "not closed" | "not on" | "not off") as state, _:
                return self._is(thing, state.removeprefix("not "))
            case "closed", _:
                return self._is(thing, "open")
            case "open", "placein" if len(deed.args) == 2:
                return self._is(deed.args[1], "closed")
            case ("plugged in" | "switched off"), _:
                return self._is(deed.args[-1], UNPLUGGED if why == "plugged in" else "on")
            case ("room" | "sliced"), ("placein" | "placeon") if len(deed.args) == 2:
                self._mark(deed.args[1], f"no_room_for_{name}")
                return f"{call_name(deed.args[1])} has no room for {name}"
            case ("size" | "kind"), ("placein" | "placeon") if len(deed.args) == 2:
                self._mark(deed.args[1], f"never_takes_{name}")
                return f"{call_name(deed.args[1])} never takes {name}"
            case ("grip" | "grabbable"), _:
                self._mark(thing, "not_graspable")
                return f"{name} cannot be carried"
            case (("openable" | "switchable") as need), _:
                self._mark(thing, f"not_{need}")
                return f"{name} is not {need}"
        return deed.note.replace('"', "'")

    def _is(self, thing: str, state: str) -> str:
        pair = {"open": "closed", "closed": "open", "on": "off", "off": "on", UNPLUGGED: "plugged_in"}
        self._world.set(thing, state, pair[state])
        if state == "open":
            self._mark(thing, "searched")
        return f"{call_name(thing)} is {state}"

    def _guess(self, deed: Deed, thing: str) -> str:
        """Returns the likeliest cause if the world only reported the failure."""
        entity = self._world.entities.get(thing)
        if entity is None:
            return ""
        full = len(self._held) >= self.seen.agent.hands
        if full and deed.call in ("pickup", "open", "close", "switchon", "switchoff"):
            return "a free hand"
        match deed.call:
            case "open":
                return "switched off" if RUNS_CLOSED in entity.properties and "on" in entity.states else "not open"
            case "close":
                return "not closed"
            case "switchoff":
                return "not off"
            case "switchon":
                return "closed" if RUNS_CLOSED in entity.properties and "closed" not in entity.states else "not on"
            case "placein" if len(deed.args) == 2:
                holder = self._world.entities.get(deed.args[1])
                shut = holder is not None and OPENABLE in holder.properties and "open" not in holder.states
                return "open" if shut else "room"
            case "placeon":
                return "room"
            case "pickup" if thing in self.seen.agent.near[:1]:
                return "grip"
        return ""

    # --- output ---------------------------------------------------------------------
    def summary(self) -> str:
        """Returns the history in one paragraph: the latest actions individually, and the lasting facts of older ones."""
        if not self._story:
            return "Nothing was done yet."
        older, latest = self._story[:-TOLD], self._story[-TOLD:]
        lasting = [said for said, bad in older if bad and "denied" in said] + [
            f"{call_name(thing)} {words}" for thing, marks in self._marks.items() for mark in marks
            if (words := _sentence(mark))]
        parts = [f"Earlier the robot did {len(older)} things."] if older else []
        parts += [f"The robot {said}." if not bad else f"Then {said}." for said, bad in latest if said]
        parts += [f"Still true: {said}." for said in dict.fromkeys(lasting)]
        return " ".join(parts)

    def attributes(self, name: str) -> list[str]:
        """Returns the attributes of an object in a fixed order."""
        thing = next((e.id for e in self.seen.entities if call_name(e.id) == name), None)
        if thing is None:
            return []
        entity = self._world.entities[thing]
        found = list(self._place(entity))
        found += sorted(entity.states)
        found += [m for m in self._marks.get(thing, {}) if m not in found]
        if entity.category == "room" and thing == self.seen.agent.room:
            found += ["robot_inside"] + (["visited"] if "visited" not in found else [])
        if {OPENABLE, CONTAINER} <= entity.properties and "open" not in entity.states and "searched" not in found:
            found.append("contents_unknown")
        elif entity.category == "furniture":
            found += _contents(self.seen, thing, opened="open" in entity.states or is_open(entity))
        return found

    def _place(self, entity: Entity) -> Iterable[str]:
        if entity.id in self.seen.agent.holding:
            return ("in_hand",)
        link = self.seen.holder.get(entity.id)
        if link is None:
            return () if entity.category == "room" or entity.room is None else (f"in_{call_name(entity.room)}",)
        return (f"{'in' if link.kind == 'inside' else 'on'}_{call_name(link.object)}",)


def _sentence(mark: str) -> str:
    """Returns a permanent failure in words; empty for other marks."""
    for start, words in (("no_room_for_", "has no room for "), ("never_takes_", "never takes "),
                         ("not_graspable", "cannot be carried")):
        if mark.startswith(start):
            return words + mark.removeprefix(start)
    return ""


def _contents(seen: Observation, holder: str, *, opened: bool) -> Sequence[str]:
    """Returns the known contents of a holder as attributes; `empty` if it was searched."""
    things = seen.contents.get(holder, ())
    if things:
        return [f"contains_{call_name(t)}" for t in things[:4]]
    entity = seen.by_id[holder]
    return ["empty"] if opened and CONTAINER in entity.properties and OPENABLE in entity.properties else []


# --- plan -------------------------------------------------------------------------
CALLS = {verb: call for call, verb in VERBS.items()}
BODY = {**VERBS, **{verb.replace("_", ""): verb for verb in BODY_VERBS}}
"""Call -> verb, also of postures and acts."""
OPPOSITE = {"off": ("on", SWITCHABLE), "closed": ("open", OPENABLE)}
"""State -> (the state assumed if the object must get it and its state is unknown, the property it needs)."""
HEAD = "Low-level Action Plan:"


def plan(facts: PlanFacts, prior: Prior) -> str:
    """Returns a numbered plan; `done()` if the goal is believed to be reached or nothing can be done."""
    actions = _Policy(facts, prior).actions()
    calls = [call_text(CALLS.get(a.verb, a.verb.replace("_", "")), a.args) for a in actions]
    return "\n".join([HEAD, *(f"{k}. {call}" for k, call in enumerate(calls or ["done()"], 1))])


class _Policy:
    """Makes one plan."""

    def __init__(self, facts: PlanFacts, prior: Prior):
        self.facts, self.prior = facts, prior
        self.held: Beliefs = beliefs(facts.seen, facts.entries, facts.summary)
        self.record = record_of(facts.seen, self.held)
        world = self._assumed(believed_world(facts.seen, self.held))
        agent = reduce(with_body, (Action(BODY.get(d.call, d.call), d.args) for d in facts.deeds if d.ok), world.agent)
        self.imagined = ImaginedWorld(replace(world, agent=agent))
        self._watch = GoalWatch(facts.goal, self.record)
        self.memory = Memory(no_space=set(self.held.no_room), too_small=set(self.held.never))
        failed = takewhile(lambda deed: not deed.ok, reversed(facts.deeds))
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
        record = self._watch.see(world)  # of the stages reached before, those count that still hold or are acts
        record = replace(record, treated=record.treated | self.imagined.treated)
        return world, record, concrete(self.facts.goal, world, record, self.held.no_room)

    def _spare_first(self, world: Observation) -> Observation:
        """Returns the world with held objects reordered: those in no literal are put down first."""
        def wanted(thing: str) -> bool:
            return any(is_a(world.by_id[thing], x.subject) for x in self.facts.goal.literals)

        agent = world.agent
        holding = tuple(sorted(agent.holding, key=wanted))
        return replace(world, agent=replace(agent, holding=holding)) if len(holding) > 1 else world

    def _regression(self, world: Observation, goal: Goal, record: GoalRecord) -> Regression:
        keep = frozenset(s for r in progress(goal, world, record) if r.literal.predicate in CARRIED
                         for s in r.subjects[: r.literal.count])
        return Regression(world, self.memory, keep, self.facts.verbs, free_hand=True)

    def _allowed(self, action: Action, *, first: bool) -> bool:
        call = self._call(action)
        return call not in self.held.denied and not (first and call in self.barred)

    @staticmethod
    def _call(action: Action) -> str:
        return call_text(CALLS.get(action.verb, action.verb.replace("_", "")), action.args).replace(" ", "")

    # --- actions for the goal -------------------------------------------------------
    def _next(self, *, first: bool) -> Action | None:
        """Returns the first action towards the easiest unreached literal that can be worked on."""
        world, record, goal = self._now()
        regression = self._regression(world, goal, record)
        pending = [r.literal for r in progress(goal, world, record) if not r.reached]
        if not all(regression.instances(x.subject) for x in pending):  # to look for one would undo what the robot itself does
            pending = [x for x in pending if x.predicate not in ABOUT_ROBOT]
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
        return not held, work_order(literal), min((regression.effort(s) for s in subjects), default=99), str(literal)

    def _subjects(self, literal: Literal, regression: Regression, done: set[str]) -> list[Entity]:
        """Returns the possible subjects of a literal: last those needed in their place, first those closest to its states."""
        carried = literal.predicate in CARRIED or bool(literal.states & set(PREPARED) - {"sliced"})

        def able(entity: Entity) -> bool:
            fixed = GRABBABLE not in entity.properties or (entity.id, "") in self.held.no_room
            kept = literal.predicate in CARRIED and entity.id in regression.keep
            return not (entity.id in done or kept or (carried and fixed)) and is_made_for(
                literal, entity, regression.controllers)

        found = [e for e in regression.instances(literal.subject) if able(e)]
        refused = {thing for thing, _ in self.held.no_room}

        def key(entity: Entity) -> tuple[bool, int, bool, bool, int, str]:
            missing = len(literal.states - entity.states)
            link = regression.world.holder.get(entity.id)
            begun = missing > 0 and link is not None and bool(regression.world.by_id[link.object].properties & TEMPORARY)
            spare = entity.id in refused and entity.id not in regression.agent.holding
            return entity.id in regression.keep, missing, not begun, spare, regression.effort(entity), entity.id

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


register(AttentionFacts, lambda facts, ask, prior: attend(facts))
register(EstimateFacts, lambda facts, ask, prior: estimate(facts))
register(PlanFacts, lambda facts, ask, prior: plan(facts, prior))
