"""The prompts for the policy of the search: what is known and believed (ours), or what is visible (Listing 1 of Zhao et al.).

Both state a goal, the completed actions and an observation. They differ in what else the model is told, and in whether it
chooses among the listed admissible actions or writes a plan in its own words.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

import numpy as np

from core.planning.model_requests import Expects, ModelRequest, prompt, prompt_text
from core.planning.names import Names
from core.planning.observation_text import SEPARATOR, text_of, visible_facts
from core.planning.prompt_facts import PlaceFact, PolicyFacts, VisiblePolicyFacts, place_facts
from core.search.model import AT, HELD, IN_HAND, NEAR, ROOM, Ints, State, placed
from core.search.rearrangement import Rearrangement
from core.search.search import Request
from core.search.translation import to_actions
from core.world.known_world import is_open
from core.world.vocabulary import OPENABLE, Action, AgentState, Entity, Observation, Relation, spaced

MOST_HISTORY = 60
"""The maximum number of history actions in a prompt."""
Belief = tuple[str, tuple[tuple[str, float], ...]]
PURPOSE = "policy"
"""The purpose of requests to the policy."""
NEXT_EXAMPLE = ("\nGoal:", "\nCompleted actions:", "\nCurrent observation:")
"""Where a plan ends: the prompt tells each task in these parts."""


class PolicyPrompt(ABC):
    """Everything a policy prompt needs that does not change during one decision.

    Args:
        task: the task; its `problem()` has been called.
        names: the display names.
        history: the executed actions.
        form: the examples that show the reply format; empty: the prompt's own example.

    Attributes:
        own_example: the name of the prompt's own example.
    """

    own_example: ClassVar[str]

    def __init__(self, task: Rearrangement, names: Names, history: Sequence[Action], form: str = ""):
        self._task, self._names, self._history = task, names, tuple(history[-MOST_HISTORY:])
        self._form = form or prompt_text("llm_mcts", self.own_example)
        self._things = task.names
        self._problem, self._now = task.problem()
        self._held = int(self._now.robot[HELD])
        self._rooms = ", ".join(dict.fromkeys(names(r) for r, _ in task.layout.rooms))

    @abstractmethod
    def ask(self, request: Request) -> ModelRequest:
        """Returns the model request for a knowledge state, with one sample at temperature 0."""

    def phrases(self, request: Request) -> list[tuple[str, ...]]:
        """Returns for each choice the phrases of its actions."""
        return [tuple(self._names.phrase(a) for a in steps) for steps in self._steps(request)]

    def _sentences(self, request: Request) -> tuple[str, ...]:
        return tuple(", ".join(p) for p in self.phrases(request))

    def _steps(self, request: Request) -> list[tuple[Action, ...]]:
        held = int(request.knowledge.robot[HELD])
        return [to_actions(self._task.layout, self._things, move.steps, held) for move in request.moves]

    def _done_before(self, request: Request) -> tuple[Action, ...]:
        """Returns the executed actions, followed by the simulated ones up to a knowledge state."""
        steps = tuple(step for macro in request.path for step in macro)
        return *self._history, *to_actions(self._task.layout, self._things, steps, self._held)

    def _told(self, actions: Sequence[Action]) -> str:
        return SEPARATOR.join(map(self._names.phrase, actions)) or "none"

    def _room(self, request: Request) -> str:
        return self._task.layout.rooms[int(request.knowledge.robot[ROOM])][0]


class VisiblePrompt(PolicyPrompt):
    """Listing 1: all visible objects with their places, the goal, the completed actions; no belief and no map.

    The reply is a plan in the model's own words. Its first action is compared with the admissible ones, which the prompt does
    not list.
    """

    own_example: ClassVar[str] = "visible_policy_format"

    def ask(self, request: Request) -> ModelRequest:
        """Returns the model request for a history: the observation is the one that the simulated actions lead to."""
        facts = self.facts(request)
        messages = prompt("llm_mcts", "visible_policy", verbs=self._names.verbs(), rooms=self._rooms, examples=self._form,
                          goal=facts.goal.in_words, history=self._told(self._done_before(request)),
                          observation=text_of(facts.visible))
        return ModelRequest(PURPOSE, messages, f"in {self._room(request)}", facts, compare="all",
                            against=self._sentences(request), ends=NEXT_EXAMPLE)

    def facts(self, request: Request) -> VisiblePolicyFacts:
        """Returns the facts of a history."""
        seen = self.observed(request) if request.path else self._task.world.seen
        rooms = tuple((r, cls, self._names(r)) for r, cls in self._task.layout.rooms)
        return VisiblePolicyFacts(self._task.named_goal, rooms, visible_facts(seen, self._names),
                                  tuple(map(str, self._done_before(request))))

    def observed(self, request: Request) -> Observation:
        """Returns what the robot would see in a simulated state: its room without what is inside closed furniture."""
        knowledge, world = request.knowledge, self._task.world
        room, held = self._room(request), tuple(self._things[i] for i in np.flatnonzero(knowledge.where == IN_HAND))
        found = {e.id: (e, relation) for e, relation, place in self._simulated(knowledge)
                 if world.all_seen or place == room or e.id in held}
        shown = [(e, relation) for e, relation in found.values()
                 if world.all_seen or relation is None or not _is_shut(relation, found)]
        return Observation(AgentState(room, holding=held), tuple(e for e, _ in shown),
                           tuple(relation for _, relation in shown if relation))

    def _simulated(self, knowledge: State) -> Iterator[tuple[Entity, Relation | None, str | None]]:
        """Yields each known entity with its relation to its holder and its room, as a simulated state has them."""
        world, layout = self._task.world, self._task.layout
        numbers = {thing: i for i, thing in enumerate(self._task.things) if thing is not None}
        for entity in world.entities.values():
            relation, moved = world.relations.get(entity.id), numbers.get(entity.id)
            if entity.category == "furniture":
                inside = layout.index(entity.id, "inside")
                if inside >= 0 and OPENABLE in entity.properties:
                    entity = replace(entity, states=entity.states - {"open", "closed"}
                                     | {"open" if knowledge.opened[inside] else "closed"})
                yield entity, relation, entity.room
            elif moved is None or int(knowledge.where[moved]) == int(self._now.where[moved]):
                root = world.entities.get(world.root(entity.id)[0], entity)
                yield entity, relation, root.room
            elif int(knowledge.where[moved]) != IN_HAND:
                yield self._at(entity, int(knowledge.where[moved]))
            else:
                yield entity, None, None
        for i, thing in enumerate(self._task.things):
            if thing is None and knowledge.known[i]:
                cls = self._task.ghost_class(i)
                ghost = Entity(self._things[i], cls, spaced(cls), "object")
                yield self._at(ghost, int(knowledge.where[i])) if knowledge.where[i] >= 0 else (ghost, None, None)

    def _at(self, entity: Entity, place: int) -> tuple[Entity, Relation | None, str | None]:
        """Returns an object at a location of the map."""
        there = self._task.layout.places[place]
        room = self._task.layout.rooms[there.room][0]
        if there.relation == "floor":
            return replace(entity, room=room), None, room
        return replace(entity, room=room), Relation(there.relation, entity.id, there.id), room


def _is_shut(relation: Relation, found: Mapping[str, tuple[Entity, Relation | None]]) -> bool:
    """Returns True if a closed container is around an object, directly or further out."""
    seen: set[str] = set()
    link: Relation | None = relation
    while link is not None and link.object in found and link.object not in seen:
        seen.add(link.object)
        holder, above = found[link.object]
        if link.kind == "inside" and not is_open(holder):
            return True
        link = above
    return False


class KnowledgePrompt(PolicyPrompt):
    """What is known and believed: the objects of the goal, the map, the likeliest places, and the admissible actions."""

    own_example: ClassVar[str] = "policy_format"

    def __init__(self, task: Rearrangement, names: Names, history: Sequence[Action], form: str = ""):
        super().__init__(task, names, history, form)
        self._places = place_facts(task.world.entities.values())
        self._always_open = frozenset(p.id for p in task.layout.places if p.relation == "inside" and not p.openable)
        self._classes = [task.world.entities[t].cls if t else task.kind(i) for i, t in enumerate(task.things)]
        self._belief = self._ranked_belief()
        self._map = ", ".join(f"{names(p.id)} in the {names(p.room)}" for p in self._places)

    def ask(self, request: Request) -> ModelRequest:
        """Returns the model request for a knowledge state: the reply is one of the admissible actions."""
        facts, sentences = self.facts(request), self._sentences(request)
        messages = prompt("llm_mcts", "policy", verbs=self._names.verbs(), rooms=self._rooms, furniture=self._map,
                          goal=facts.goal.in_words, history=self._told(self._done_before(request)),
                          observation=self._observation(facts), choices="; ".join(sentences), examples=self._form)
        return ModelRequest(PURPOSE, messages, f"in {facts.room}", facts, Expects(choices=sentences), compare="unsure")

    def _ranked_belief(self) -> tuple[tuple[int, Belief], ...]:
        slots, rows = self._task.ghosts()
        ids = [p.id for p in self._task.layout.places]
        found = []
        for slot, row in zip(slots, rows, strict=True):
            order = np.argsort(-row, kind="stable")
            found.append((slot, (self._task.kind(slot), tuple((ids[k], float(row[k])) for k in order if row[k] > 0))))
        return tuple(found)

    def facts(self, request: Request) -> PolicyFacts:
        """Returns the facts of a knowledge state."""
        knowledge, layout, things = request.knowledge, self._task.layout, self._things
        robot, known, where = knowledge.robot.tolist(), knowledge.known, knowledge.where
        spot = layout.spots[robot[AT]] if robot[AT] >= 0 else None
        near = things[robot[NEAR]] if robot[NEAR] >= 0 else None
        held = robot[HELD]
        seen = tuple((things[i], self._classes[i], layout.places[p].relation, layout.places[p].id)
                     for i, p in enumerate(where[: self._problem.model.in_goal].tolist()) if p >= 0 and known[i])
        places = layout.places
        return PolicyFacts(
            self._task.named_goal, self._done(where), layout.rooms[robot[ROOM]][0],
            tuple(x for x in (near, spot) if x is not None),
            ((things[held], self._classes[held]),) if held >= 0 else (), seen, self._places,
            self._always_open | {p.id for k, p in enumerate(places) if knowledge.opened[k]},
            frozenset(p.id for k, p in enumerate(places) if knowledge.looked[k]),
            tuple(belief for slot, belief in self._belief if not known[slot]),
            tuple(", ".join(map(str, steps)) for steps in self._steps(request)), tuple(map(str, self._done_before(request))))

    def _done(self, where: Ints) -> tuple[int, ...]:
        counts = {literal: placed(self._problem.model, where, k) for k, literal in enumerate(self._task.due)}
        return tuple(min(counts.get(literal, 0), literal.count) for literal in self._task.goal.literals)

    def _observation(self, facts: PolicyFacts) -> str:
        names = self._names
        parts = [f"you are in the {names(facts.room)}"]
        parts += [f"you are holding the {names(thing)}" for thing, _ in facts.holding]
        parts += [f"the {names(t)} is {relation} the {names(place)}" for t, _, relation, place in facts.seen]
        doors = [p for p in facts.places if p.room == facts.room and p.inside and p.id not in self._always_open]
        parts += [_state(p, facts, names) for p in doors]
        searched = [names(p.id) for p in facts.places if p.id in facts.searched and p.room != facts.room]
        parts += [f"already searched elsewhere: {' and '.join(searched)}"] if searched else []
        for cls, row in facts.belief:
            likely = [names(place) for place, _ in row if place not in facts.searched][:5]
            parts += [f"the {names(cls)} is not found yet and likely at the {' or the '.join(likely)}"] if likely else []
        return ", ".join(dict.fromkeys(parts)) + "."


def _state(place: PlaceFact, facts: PolicyFacts, names: Names) -> str:
    searched = " and searched" if place.id in facts.searched else ""
    return f"the {names(place.id)} is {'open' if place.id in facts.open else 'closed'}{searched}"


PROMPTS: dict[str, type[PolicyPrompt]] = {"knowledge": KnowledgePrompt, "visible": VisiblePrompt}
"""The prompts by the values of the planners' parameter `policy_prompt`."""
