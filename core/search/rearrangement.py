"""What is known of a rearrangement task: the map, the belief over object positions, refusals; and its integer form.

Each searching planner (LLM-MCTS, UCT, the greedy planner, the LLM policy) holds one instance.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from core.goals.kinds import LIGHT, THING, is_a, is_several
from core.goals.literals import ROBOT, Goal, Literal
from core.goals.progress import progress
from core.goals.tracker import GoalTracker, origins
from core.planning.belief import BeliefTable, normalised
from core.planning.belief_facets import Belief
from core.planning.facets import GoalProgress
from core.planning.goal_work import CARRIED, is_claimed, is_first_used
from core.planning.regression import LAST_STATES, Memory
from core.search.model import IN_HAND, NOWHERE, Flags, State
from core.search.problem import Layout, Problem, Want, knowledge_of
from core.search.surroundings import Surroundings
from core.search.translation import layout_of, targets_of
from core.world.known_world import KnownWorld, is_open
from core.world.vocabulary import GRABBABLE, HELD_ACTS, ActionSchema, Entity, Observation, Outcome

NO_SPACE = frozenset({"room", "size", "kind", "sliced"})
"""Failed preconditions of a put that may hold for another place of the same class."""


class Refusals:
    """The refusals of an episode.

    Attributes:
        memory: the memory of regression planning.
        pairs: (object, holder) pairs that were refused.
        shut: containers that could not be opened and have no remedy left to try.
    """

    def __init__(self) -> None:
        self.memory = Memory()
        self.pairs: set[tuple[str, str]] = set()
        self.shut: set[str] = set()

    def update(self, outcome: Outcome, emptied: str | None) -> None:
        """Processes an outcome.

        Args:
            outcome: the outcome.
            emptied: the furniture an object was taken from; it has space again, except for objects that never fit.
        """
        self.memory.update(outcome)
        action = outcome.action
        if outcome.ok and emptied is not None:
            self.pairs = {pair for pair in self.pairs if pair[1] != emptied or pair in self.memory.too_small}
        elif not outcome.ok and action.verb in ("put_in", "put_on") and outcome.precondition in NO_SPACE:
            self.pairs.add((action.args[0], action.args[1]))
        elif not outcome.ok and action.verb == "open" and not self.memory.remedies.due:
            self.shut.add(action.args[0])

    def barred(self, layout: Layout, things: Sequence[str | None], clutter: AbstractSet[str | None]) -> Flags:
        """Returns which location refuses which object: [things, locations].

        Args:
            layout: the map.
            things: ids; None for ghosts.
            clutter: objects that need not be moved anywhere: they are not put back to a holder that is being emptied.
        """
        always = np.array([p.relation == "floor" or (p.openable and p.id in self.shut) for p in layout.places], np.bool_)
        rows = np.tile(always, (len(things), 1))
        for k, thing in enumerate(things):
            out = {holder for one, holder in self.pairs if one == thing} if self.pairs else set()
            out |= self.memory.clearing if thing in clutter else set()
            if out:
                rows[k] |= np.array([p.id in out for p in layout.places], np.bool_)
        return rows

    def unreachable(self, layout: Layout) -> Flags:
        """Returns which locations cannot be opened or walked to now: [locations]."""
        refused = {a.args[0] for a in self.memory.refused if a.verb in ("walk", "open")} | self.shut
        return np.array([p.openable and p.id in refused for p in layout.places], np.bool_)


Vector = npt.NDArray[np.float64]
MOST_SLOTS = 1 << 14
"""The maximum number of objects of a problem."""


class Wanted(NamedTuple):
    """What a row of the belief represents.

    Attributes:
        subject: a class or id.
        source: the class or id of where it must come from; None: anywhere.
    """

    subject: str
    source: str | None = None


def wanted_by(literal: Literal) -> Wanted:
    """Returns the key of the rows that can serve a literal."""
    return Wanted(literal.subject, literal.source)


class Rearrangement:
    """One task in one home, as far as it is known.

    Args:
        goal: the goal.
        schemas: the verbs of the world.
        all_seen: True with full observation.
        ban_goal_places: True to give probability 0 to the targets of a literal that requires one object: if the object were
            there, the episode would be over.
        clutter: True to include visible objects that occur in no literal.

    Attributes:
        world: all observations, merged.
        refusals: what was learned from refused actions.
        verbs: the verbs of the world.
        layout: the map.
        aim: the goal as it was given, and its tracker.
        goal: the goal in terms of the known objects; a literal with a source refers to objects still to be found there.
        table: the belief; its rows are the first objects of the problem.
        surroundings: the belief over objects beside the goal's; empty unless `imagine` was called.
        priors: class -> (columns,) its prior, as far as the planner has set one.
        placements: the literals that only move objects to furniture of the map.
        due: those of them that the search works on now: not while one of their objects must first be prepared or used.
        uses_held: True if an object in the hand must be prepared or used before anything else is done with it.
        fetched: the other literals about objects that can be carried. Where these objects are is part of the belief, too.
        things: index of an object in the last `problem()` -> its id, or None for a ghost.
    """

    def __init__(self, goal: Goal, schemas: tuple[ActionSchema, ...], *, all_seen: bool = False, ban_goal_places: bool = True,
                 clutter: bool = False):
        self.world = KnownWorld(all_seen=all_seen)
        self.refusals = Refusals()
        self.verbs = frozenset(schema.verb for schema in schemas)
        self.layout = Layout((), ())
        self.table = BeliefTable(())
        self.surroundings = Surroundings()
        self._imagined: tuple[str, ...] = ()
        self._imagined_slots: dict[int, int] = {}
        self.priors: dict[str, Vector] = {}
        self._ban, self._clutter = ban_goal_places, clutter
        self._rows: dict[str, int] = {}
        self._keys: list[Wanted] = []
        self._required_rows: Mapping[Wanted, int] = {}
        self.things: list[str | None] = []
        self._take_goal(goal)

    def _take_goal(self, goal: Goal) -> None:
        self.aim, self.goal = GoalTracker(goal), goal
        self.placements: tuple[Literal, ...] = ()
        self.due: tuple[Literal, ...] = ()
        self.uses_held = False
        self.fetched: tuple[Literal, ...] = ()

    def set_goal(self, goal: Goal) -> None:
        """Replaces the goal; the knowledge of the world is kept."""
        self._take_goal(goal)
        self._ground_goal()
        self._rebuild()
        self._update_surroundings()

    def imagine(self, classes: Iterable[str]) -> None:
        """Adds one object of each of these classes to the belief and to the sampled states, beside those of the goal."""
        self._imagined = tuple(classes)
        self._update_surroundings()

    # --- observations and outcomes -------------------------------------------------
    def see(self, observation: Observation) -> bool:
        """Processes an observation. Returns True if it tells something new about where objects are."""
        news = self.world.see(observation)
        layout = layout_of(self.world.entities.values())
        if layout != self.layout:
            self.layout = layout
            self.priors = {}
            news = True
        self._ground_goal()
        if self.table.places != self._columns() or self._required() != self._required_rows:
            self._rebuild()
        elif news:
            self._update_belief()
        else:
            self._update_located()
        self._update_surroundings()
        return news

    def _update_surroundings(self) -> None:
        if self._imagined:
            known = self.world.entities.values()
            fixed = {e.cls for e in known if e.category != "object"} - {e.cls for e in known if e.category == "object"}
            self.surroundings.take(c for c in self._imagined if c not in self.classes() and c not in fixed)
            self.surroundings.update(self.world, self.table.places, np.flatnonzero(self.table.looked).tolist(), self.prior,
                                     lambda thing: self._place_of(thing, self.columns))

    def update(self, outcome: Outcome) -> None:
        """Learns from a refused action: no space, a door that does not open."""
        taken = self.world.place_of(outcome.action.args[0]) if outcome.ok and outcome.action.verb == "grab" else None
        self.refusals.update(outcome, taken[0] if taken else None)
        if not outcome.ok:
            self._add_ghosts_for_refused()

    def _add_ghosts_for_refused(self) -> None:
        """Adds a ghost for each located object that all targets refuse: another one of its class must be found."""
        for key, count in self._required_rows.items():
            rows = [r for r, k in enumerate(self._keys) if k == key]
            able = sum(1 for r in rows if self.table.located[r] is None or self._can_serve(key, self.table.located[r]))
            for _ in range(count - able):
                self._add_row(key)

    # --- the map ----------------------------------------------------------------
    def _columns(self) -> tuple[str, ...]:
        return tuple(p.id for p in self.layout.places[: self.columns])

    @property
    def columns(self) -> int:
        """The number of locations in the belief: all furniture, and the floors of rooms without known furniture."""
        mapped = {p.room for p in self.layout.places if p.relation != "floor"}
        return sum(1 for p in self.layout.places if p.relation != "floor" or p.room not in mapped)

    @property
    def unmapped(self) -> tuple[int, ...]:
        """The rooms without known furniture."""
        mapped = {p.room for p in self.layout.places if p.relation != "floor"}
        return tuple(r for r in range(len(self.layout.rooms)) if r not in mapped)

    # --- the rows ---------------------------------------------------------------
    def _ground_goal(self) -> None:
        """Rewrites the goal in terms of the objects known now."""
        if self.aim.see(self.world, self.refusals.memory.no_space):
            self.goal = self.aim.pursued
        self.placements = tuple(x for x in self.goal.literals
                                if x.predicate in ("inside", "on") and not x.states and self._targets(x))
        self.fetched = tuple(x for x in self.goal.literals if x not in self.placements and self._is_fetched(x))
        pending = [] if len(self.placements) == len(self.goal.literals) else [
            r.literal for r in progress(self.goal, self.world.merged()) if not r.reached]
        used = [e for e in self.world.entities.values() if pending and is_first_used(e, pending)]
        self.due = tuple(x for x in self.placements if x not in pending or not any(is_a(e, x.subject) for e in used))
        self.uses_held = any(e.id in self.world.agent.holding for e in used)

    def _is_fetched(self, literal: Literal) -> bool:
        """Returns True if a literal beyond placement is about objects that can be carried, as far as is known."""
        if literal.subject in (THING, LIGHT, ROBOT) or literal.every or is_several(literal.subject):
            return False
        if literal.predicate != "holds" and literal.act not in HELD_ACTS and not literal.states - LAST_STATES:
            return False
        known = [e for e in self.world.entities.values() if is_a(e, literal.subject)]
        return all(e.category == "object" and GRABBABLE in e.properties for e in known)

    def _targets(self, literal: Literal) -> tuple[int, ...]:
        return targets_of(self.layout, literal)

    def _required(self) -> dict[Wanted, int]:
        """Returns key -> the number of such objects that the goal requires in total.

        Literals about places and the hand need objects of their own; a state or an act may be that of one of these objects.
        """
        counts: Counter[Wanted] = Counter()
        for literal in (*self.placements, *(x for x in self.fetched if x.predicate in CARRIED)):
            counts[wanted_by(literal)] += literal.count
        for literal in self.fetched:
            counts[wanted_by(literal)] = max(counts[wanted_by(literal)], literal.count)
        return {key: 1 if self.class_of(key.subject) != key.subject else count for key, count in counts.items()}

    def class_of(self, key: str) -> str:
        """Returns the class of a subject that may be an id."""
        if key in self.world.entities:
            return self.world.entities[key].cls
        known = {e.cls for e in self.world.entities.values()}
        return key if key in known else re.sub(r"_\d+$", "", key)

    def classes(self) -> tuple[str, ...]:
        """Returns the goal's classes in the belief: those of the placements' subjects."""
        return tuple(dict.fromkeys(self.class_of(key.subject) for key in self._required()))

    def all_classes(self) -> tuple[str, ...]:
        """Returns all classes in the belief: the goal's first."""
        return *self.classes(), *self.surroundings.table.classes

    def prior(self, cls: str) -> Vector:
        """Returns the prior of a class: (columns,); uniform until it is set."""
        return self.priors.get(cls, np.full(max(1, self.columns), 1.0 / max(1, self.columns)))

    def set_prior(self, cls: str, vector: Vector) -> None:
        """Sets the prior of a class: (columns,); it is normalized."""
        self.priors[cls] = normalised(vector)
        for row, own in enumerate(self.table.classes):
            if own == cls:
                self.table.prior[row] = self._prior_of(self._keys[row])
                self.table.reset(row)
        self.surroundings.set_prior(cls, self.priors[cls])

    def _rebuild(self) -> None:
        """Rebuilds the rows. An operator's edits of remaining rows are kept."""
        old = self.table
        self._required_rows = self._required()
        self.table = BeliefTable(self._columns())
        self._rows, self._keys = {}, []
        for key, count in self._required_rows.items():
            for _ in range(count):
                self._add_row(key)
        self._update_belief()
        if old.places == self.table.places:
            self.table.adopt(old)

    def _add_row(self, key: Wanted) -> int:
        self._keys.append(key)
        return self.table.add(self.class_of(key.subject), self._prior_of(key), self._barred(key))

    def _prior_of(self, key: Wanted) -> Vector:
        """Returns the prior of a row: (columns,), the prior of its class restricted to its source.

        Uniform over the source where the prior is 0. A source that is not on the map does not restrict it.
        """
        prior, source = self.prior(self.class_of(key.subject)), self._source_columns(key)
        if not source.any():
            return prior
        there = np.where(source, prior, 0.0)
        return normalised(there if there.sum() > 0 else source.astype(float))

    def _source_columns(self, key: Wanted) -> npt.NDArray[np.bool_]:
        """Returns whether each place is a source, or holds a source that is no furniture: (columns,)."""
        literal = Literal("is", key.subject, source=key.source)
        found = {e.id if e.category == "furniture" else (self.world.place_of(e.id) or ("",))[0]
                 for e in origins(literal, self.world)}
        return np.array([p.id in found for p in self.layout.places[: self.columns]], bool)

    def _update_belief(self) -> None:
        """Updates the belief with what was observed."""
        looked = [k for k, p in enumerate(self.layout.places[: self.columns]) if (p.id, p.relation) in self.world.looked]
        self.table.look(looked)
        self._update_located()
        for entity in self.world.entities.values():
            if entity.category == "object" and GRABBABLE in entity.properties and entity.id not in self._rows:
                self._assign_row(entity)

    def _update_located(self) -> None:
        """Updates the rows of found objects, which may have moved or disappeared."""
        for thing, row in list(self._rows.items()):
            if thing in self.world.entities:
                self.table.locate(row, thing, self._place_of(thing, self.columns))
            else:
                self.table.lose(row)
                del self._rows[thing]

    def _place_of(self, thing: str, limit: int) -> int:
        place = self.world.place_of(thing)
        if place is None:
            room = self.world.entities[thing].room
            place = (room, "floor") if room is not None and thing not in self.world.agent.holding else ("", "")
        index = self.layout.index(*place)
        return index if index < limit else -1

    def _assign_row(self, entity: Entity) -> None:
        """Assigns a found object to the row of a ghost, or to a new row if no ghost of its class is left."""
        # a row with a source matches an id only
        keys = [k for k in self._required_rows if k.source is None and is_a(entity, k.subject)]
        if not keys or len(self.table) >= MOST_SLOTS - 1:
            return
        ghosts = [r for r, key in enumerate(self._keys) if key in keys and self.table.located[r] is None]
        exact = [r for r in ghosts if self._keys[r].subject == entity.id]
        row = (exact or ghosts or [-1])[0]
        if row < 0:
            row = self._add_row(keys[0])
        self._rows[entity.id] = row
        self.table.locate(row, entity.id, self._place_of(entity.id, self.columns))

    # --- search problem ---------------------------------------------------------
    def ghosts(self) -> tuple[tuple[int, ...], Vector]:
        """Returns the ghosts to find and their belief.

        Returns:
            (n,) their indices, as many as the literals require beyond the located objects; (n, all places) their probabilities.
        """
        slots: list[int] = []
        for key, count in self._required_rows.items():
            rows = [r for r, k in enumerate(self._keys) if k == key]
            located = sum(1 for r in rows if self._can_serve(key, self.table.located[r]))
            slots += [r for r in rows if self.table.located[r] is None][: max(0, count - located)]
        belief = np.zeros((len(slots), len(self.layout.places)))
        for k, slot in enumerate(slots):
            belief[k, : self.columns] = self.table.row(slot)
        return tuple(slots), belief

    def sampled(self) -> tuple[tuple[int, ...], Vector]:
        """Returns all objects whose places are sampled: the ghosts, then those of the surroundings; as `ghosts`."""
        slots, belief = self.ghosts()
        beside = np.zeros((len(self._imagined_slots), len(self.layout.places)))
        for k, row in enumerate(self._imagined_slots.values()):
            beside[k, : self.columns] = self.surroundings.table.row(row)
        return (*slots, *self._imagined_slots), np.concatenate((belief, beside))

    def take(self, facet: Belief) -> None:
        """Applies an operator's edit of the belief.

        Raises:
            UsageError: the facet has other places, or values that are not probabilities.
        """
        self.table.take(facet)
        if len(self.surroundings.table):
            self.surroundings.table.take(facet)

    def _can_serve(self, key: Wanted, thing: str | None) -> bool:
        """Returns True if a located object can serve a literal: not all targets have refused it permanently."""
        if thing is None:
            return False
        targets = {self.layout.places[t].id for x in self.placements if wanted_by(x) == key for t in self._targets(x)}
        return not targets or not all((thing, target) in self.refusals.memory.too_small for target in targets)

    def _barred(self, key: Wanted) -> npt.NDArray[np.bool_] | None:
        """Returns the columns where a ghost cannot be because its literal would hold: (columns,).

        None if the placements require several objects of that kind, since one of them may be there already.
        """
        mine = [x for x in self.placements if wanted_by(x) == key]
        if not self._ban or len(mine) != 1 or mine[0].count != 1:
            return None
        barred = np.zeros(self.columns, bool)
        barred[[t for t in self._targets(mine[0]) if t < self.columns]] = True
        return barred

    def exhausted(self) -> tuple[str, ...]:
        """Returns the labels of objects still to be found for which every place is ruled out."""
        return tuple(self.table.labels[s] for s in self.ghosts()[0] if self.table.exhausted(s))

    def problem(self) -> tuple[Problem, State]:
        """Returns the goal and the map as a search problem, and the current knowledge state."""
        slots = {r: thing for thing, r in self._rows.items()}
        things = [slots.get(r) for r in range(len(self.table))] + self._without_row()
        unseen = self.surroundings.unseen()
        self._imagined_slots = dict(zip(range(len(things), MOST_SLOTS), unseen, strict=False))
        things += [None] * len(self._imagined_slots)
        where = [self._where(thing) for thing in things]
        wants = tuple(self._want(literal, things) for literal in self.due)
        used = {slot for want in wants for slot in want.slots}
        clutter = {thing for k, thing in enumerate(things) if thing is not None and k not in used}
        barred = self.refusals.barred(self.layout, things, clutter)
        self.things = things
        return Problem(self.layout, wants, len(things), barred, len(self.table)), self._knowledge(things, where)

    def _without_row(self) -> list[str | None]:
        """Returns objects without a row: held ones, and clutter if it is included."""
        found = [t for t in self.world.agent.holding if t not in self._rows and t in self.world.entities]
        if self._clutter:
            found += [e.id for e in self.world.entities.values()
                      if e.category == "object" and GRABBABLE in e.properties and e.id not in self._rows and e.id not in found]
        return [*found[: MOST_SLOTS - len(self.table)]]

    def _where(self, thing: str | None) -> int:
        if thing is None:
            return NOWHERE
        if thing in self.world.agent.holding:
            return IN_HAND
        place = self._place_of(thing, len(self.layout.places))
        return place if place >= 0 else NOWHERE

    def _want(self, literal: Literal, things: list[str | None]) -> Want:
        named = {x.subject for x in self.goal.literals}
        slots = [i for i in range(len(self.table)) if self._matches(literal, i, things[i], named)]
        targets = self._targets(literal)
        return Want(tuple(slots), targets, literal.count)

    def _matches(self, literal: Literal, row: int, thing: str | None, named: AbstractSet[str]) -> bool:
        if thing is not None:
            claimed = thing in named and is_claimed(thing, literal, self.goal.literals, self.world.entities)
            return literal.source is None and is_a(self.world.entities[thing], literal.subject) and not claimed
        key = self._keys[row]
        return literal.source == key.source and literal.subject in (key.subject, self.table.classes[row])

    def looked(self) -> Flags:
        """Returns which locations need not be searched because no ghost can be there: [all places]."""
        slots, _ = self.ghosts()
        seen = self.table.ruled[list(slots)].all(axis=0) if slots else self.table.looked
        rest = [(p.id, "floor") in self.world.looked for p in self.layout.places[self.columns:]]
        flags: Flags = np.concatenate((seen, np.array(rest, np.bool_))) | self.refusals.unreachable(self.layout)
        return flags

    def _knowledge(self, things: list[str | None], where: list[int]) -> State:
        agent, layout = self.world.agent, self.layout
        rooms = [r for r, _ in layout.rooms]
        spots = {s: k for k, s in enumerate(layout.spots)}
        at = next((spots[i] for i in agent.near if i in spots), -1)
        near = things.index(agent.near[0]) if agent.near and agent.near[0] in things else -1
        held = next((i for i, place in enumerate(where) if place == IN_HAND), -1)
        opened = np.array([p.openable and is_open(self.world.entities[p.id]) for p in layout.places], np.bool_)
        room = rooms.index(agent.room) if agent.room in rooms else 0
        return knowledge_of((room, at, near, held), opened, where, self.looked())

    @property
    def names(self) -> list[str]:
        """Index of an object -> its id; a ghost is named by its kind (`apple`, `apple_other2`), since no entity has that id."""
        return [t or self._ghost_name(i) for i, t in enumerate(self.things)]

    def kind(self, row: int) -> str:
        """Returns the name of a ghost: its class, the id in the goal, or class and source (`apple_from_fridge_1`)."""
        if row in self._imagined_slots:
            return self.ghost_class(row)
        return self._kind(self._keys[row], self.table.classes[row])

    def ghost_class(self, index: int) -> str:
        """Returns the class of an object of the last `problem()` that was not found."""
        row = self._imagined_slots.get(index)
        return self.table.classes[index] if row is None else self.surroundings.table.classes[row]

    def _kind(self, key: Wanted, cls: str) -> str:
        return f"{cls}_from_{key.source}" if key.source else key.subject if key.subject in self.world.entities else cls

    def _ghost_name(self, row: int) -> str:
        if row in self._imagined_slots:
            return self.ghost_class(row)
        kind, kinds = self.kind(row), [self.kind(r) for r in range(row)]
        return f"{kind}_other{kinds.count(kind) + 1}" if kind in kinds else kind

    @property
    def named_goal(self) -> Goal:
        """The goal in which objects sought at a source are named like their ghosts."""
        return replace(self.goal, literals=tuple(self._named(x) for x in self.goal.literals))

    def _named(self, literal: Literal) -> Literal:
        if not literal.source or literal not in self.placements:
            return literal
        return replace(literal, subject=self._kind(wanted_by(literal), self.class_of(literal.subject)), source=None)

    # --- facets -----------------------------------------------------------------
    def facet(self) -> Belief:
        """Returns the belief as a facet."""
        needed = {self.class_of(key.subject) for key in self._required_rows}
        return self.surroundings.beside(self.table.facet({c: c in needed for c in self.table.classes}))

    def progress(self) -> GoalProgress:
        """Returns the progress of the goal, as far as it is known."""
        return GoalProgress(self.aim.progress())
