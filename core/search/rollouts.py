"""What a simulation does below the tree: the greedy searcher on what it would know, or the paper's uniform policy."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from core.search.macros import Looks, greedy, relevant
from core.search.model import CLOSE, GRAB, NEAR_TO, OPEN, OPENED, PUT, ROOM, WALK, WHERE, Macro, Problem, State

if TYPE_CHECKING:
    from core.search.nodes import Options

REWARD = 10.0
"""Of a goal reached."""
MOST_TRIES = 10_000
"""Draws after which a state is taken to have no admissible action (a bare room with one table)."""


class Rollouts:
    """Plays on from a leaf to the horizon and returns the discounted reward.

    The greedy rollout acts on simulated *knowledge*, never on the sampled truth: a clairvoyant one makes looking seem useless.
    """

    def __init__(self, problem: Problem, ghosts: Mapping[int, Sequence[float]], options: Options, horizon: int,
                 draw: Callable[[], float]):
        self._problem, self._ghosts, self._draw, self._horizon = problem, ghosts, draw, horizon
        self._discount, self._literals, self._kind = options.discount, options.reward == "literals", options.rollout
        self._relevant = options.actions != "admissible"
        self._weights: dict[int, list[float]] = {}
        self._looks: Looks = {}
        self._ids = _primitives(problem)

    def __call__(self, state: State, known: int, looked: int, depth: int) -> float:
        """The return from here; `state` is used up."""
        if self._kind == "greedy":
            return self._greedy(state, known, looked, depth)
        return self._uniform(state, known, looked, depth) if self._kind == "uniform" else 0.0

    def weights(self, known: int) -> list[float]:
        """Place -> expected number of ghosts there, given which slots are located by now."""
        found = self._weights.get(known)
        if found is None:
            found = [0.0] * len(self._problem.layout.places)
            for slot, row in self._ghosts.items():
                if not known >> slot & 1:
                    found = [a + b for a, b in zip(found, row, strict=True)]
            self._weights[known] = found
        return found

    def _greedy(self, state: State, known: int, looked: int, depth: int) -> float:
        problem, where = self._problem, state[WHERE]
        satisfied, returned, discount = problem.satisfied(where), 0.0, 1.0
        weights = self.weights(known)
        while depth < self._horizon:
            macro = greedy(problem, state, known, looked, weights, self._looks)
            if not macro:
                return returned
            for action in macro:
                if not problem.step(action, state):
                    return returned
                depth += 1
                discount *= self._discount
                if action < WALK or OPEN <= action < CLOSE:
                    seen = known
                    known, looked = self._see(state, known, looked)
                    if seen != known:
                        weights = self.weights(known)
                elif PUT <= action < OPEN and depth <= self._horizon:
                    gained, satisfied = self._gained(where, satisfied)
                    returned += discount / self._discount * gained
                    if satisfied >= problem.size:
                        return returned
        return returned

    def _gained(self, where: list[int], before: int) -> tuple[float, int]:
        satisfied = self._problem.satisfied(where)
        if self._literals:
            return REWARD * (satisfied - before) / self._problem.size, satisfied
        return (REWARD if satisfied >= self._problem.size else 0.0), satisfied

    def _see(self, state: State, known: int, looked: int) -> tuple[int, int]:
        new = self._problem.shown(state[ROOM], state[OPENED]) & ~looked
        if new:
            for slot, place in enumerate(state[WHERE]):
                if place >= 0 and new >> place & 1:
                    known |= 1 << slot
        return known, looked | new

    def _uniform(self, state: State, known: int, looked: int, depth: int) -> float:
        problem, where = self._problem, state[WHERE]
        satisfied, returned, discount = problem.satisfied(where), 0.0, 1.0
        while depth < self._horizon:
            action = self._any(state, known, looked)
            if action is None:
                return returned
            known, looked = self._see(state, known, looked)
            depth += 1
            if PUT <= action < OPEN:
                gained, satisfied = self._gained(where, satisfied)
                returned += discount * gained
                if satisfied >= problem.size:
                    return returned
            discount *= self._discount
        return returned

    def _any(self, state: State, known: int, looked: int) -> int | None:
        """Do a random admissible action: drawn from all by rejection, or from those that matter."""
        if not self._relevant:
            for _ in range(MOST_TRIES):
                action = self._ids[int(self._draw() * len(self._ids))]
                if self._problem.step(action, state):
                    return action
            return None
        options: list[Macro] = relevant(self._problem, state, known, looked)
        if not options:
            return None
        action = options[int(self._draw() * len(options))][0]
        self._problem.step(action, state)
        return action


def _primitives(problem: Problem) -> list[int]:
    """Every primitive action there could be; a lone room cannot be left, but something else can always be done or undone."""
    layout = problem.layout
    ids = list(range(len(layout.rooms)))
    ids += [WALK + layout.spot[p] for p, usable in enumerate(layout.usable) if usable]
    ids += [base + i for base in (NEAR_TO, GRAB) for i in range(problem.slots)]
    return ids + [base + p for base in (PUT, OPEN, CLOSE) for p, usable in enumerate(layout.usable) if usable]
