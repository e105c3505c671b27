"""The offline answer to policy requests: the greedy policy, applied to what the prompt says."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from core.goals.literals import Literal
from core.planning.model_requests import ModelRequest
from core.planning.offline_answers import Prior, register, worded
from core.planning.prompt_facts import PlaceFact, PolicyFacts
from core.search.model import HELD, IN_HAND, Flags, Floats
from core.search.problem import Layout, Place, Problem, Want, knowledge_of
from core.search.translation import targets_of, to_actions


def choose(facts: PolicyFacts) -> int | None:
    """Returns the index of the choice the greedy policy takes; None if it has nothing to do or no choice is similar."""
    rule = _Rule(facts)
    macro = rule.problem.greedy(rule.knowledge, rule.weights)
    wanted = [str(a) for a in to_actions(rule.layout, rule.things, macro, int(rule.knowledge.robot[HELD]))]
    return _closest(wanted, facts.choices) if wanted else None


def _closest(wanted: Sequence[str], choices: Sequence[str]) -> int | None:
    """Returns the index of the most similar choice, or None.

    In this order: equal, same last action, same first action, same verb and object, a walk to the object. A choice may be
    several actions, joined by commas.
    """
    split = [re.split(r",\s*", choice) for choice in choices]
    thing = wanted[-1].split()[:2]
    ranks = (
        [c == list(wanted) for c in split], [c[-1] == wanted[-1] for c in split], [c[0] == wanted[0] for c in split],
        [c[-1].split()[:2] == thing for c in split], [c[0] == " ".join(["walk", *thing[1:]]) for c in split],
    )
    return next((fits.index(True) for fits in ranks if True in fits), None)


class _Rule:
    """The facts of a policy prompt as a search problem."""

    def __init__(self, facts: PolicyFacts):
        self.layout = _layout(facts.places, facts.room)
        self._index: dict[str, int] = {}
        for k, place in enumerate(self.layout.places):
            self._index.setdefault(place.id, k)
        self.things: list[str] = []
        self._classes: list[str] = []
        where: list[int] = []
        for thing, cls in facts.holding:
            self._add(thing, cls)
            where.append(IN_HAND)
        for thing, cls, relation, holder in facts.seen:
            self._add(thing, cls)
            where.append(self._place(holder, relation))
        wants = tuple(self._want(x) for x in facts.goal.literals if x.predicate in ("inside", "on") and not x.states)
        self.problem = Problem(self.layout, wants, len(where))
        self.weights = self._weights(facts)
        self.knowledge = knowledge_of(self._robot(facts), self._flags(facts.open), where, self._flags(facts.searched))

    def _add(self, thing: str, cls: str) -> None:
        self.things.append(thing)
        self._classes.append(cls)

    def _place(self, place: str, relation: str) -> int:
        exact = self.layout.index(place, relation)
        return exact if exact >= 0 else self._index.get(place, 0)

    def _want(self, literal: Literal) -> Want:
        slots = tuple(i for i, cls in enumerate(self._classes) if literal.subject in (cls, self.things[i]))
        targets = targets_of(self.layout, literal)
        return Want(slots, targets, literal.count)

    def _flags(self, ids: frozenset[str]) -> Flags:
        return np.array([p.id in ids for p in self.layout.places], np.bool_)

    def _weights(self, facts: PolicyFacts) -> Floats:
        weights = np.zeros(len(self.layout.places))
        for _, row in facts.belief:
            for place, probability in row:
                weights[self._index.get(place, 0)] += probability
        return weights

    def _robot(self, facts: PolicyFacts) -> tuple[int, int, int, int]:
        spots = {s: k for k, s in enumerate(self.layout.spots)}
        rooms = [r for r, _ in self.layout.rooms]
        at = next((spots[i] for i in facts.at if i in spots), -1)
        near = self.things.index(facts.at[0]) if facts.at and facts.at[0] in self.things else -1
        return rooms.index(facts.room), at, near, 0 if facts.holding else -1


@lru_cache(64)
def _layout(places: tuple[PlaceFact, ...], room: str) -> Layout:
    """Returns the map. All containers count as openable; those that are not appear among the open ones."""
    rooms = tuple(dict.fromkeys([*((p.room, p.room_cls) for p in places), (room, room)]))
    rooms = tuple({r: (r, cls) for r, cls in reversed(rooms)}.values())
    index = {r: k for k, (r, _) in enumerate(rooms)}
    found = [Place(p.id, p.cls, "inside" if p.inside else "on", index[p.room], p.inside) for p in places]
    floors = [Place(r, cls, "floor", k, False) for k, (r, cls) in enumerate(rooms)]
    return Layout(rooms, (*found, *floors))


def _answer(facts: PolicyFacts, ask: ModelRequest, prior: Prior) -> str:
    """Returns the chosen action as the prompt phrases it; empty if the rules have nothing to do."""
    del prior
    choice = choose(facts)
    return worded(None if choice is None else facts.choices[choice], facts.choices, ask)


register(PolicyFacts, _answer)
