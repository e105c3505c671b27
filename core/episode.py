"""One episode: a planner acts in a world until the goal is reached, the steps are used up, or it sees no way on."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from core.facets import Facet
from core.goals import Goal, LiteralProgress, progress
from core.planner import Decision, Planner
from core.simulator import Simulator
from core.world import Observation, Outcome


@dataclass(frozen=True, slots=True)
class Episode:
    """What came of it.

    Attributes:
        ended: why it ended, when not by reaching the goal or using up the steps.
        thinking: seconds in the planner.
        acting: seconds in the simulator.
    """

    goal: Goal
    success: bool
    literals: tuple[LiteralProgress, ...]
    outcomes: tuple[Outcome, ...]
    ended: str
    thinking: float
    acting: float


Listener = Callable[[int, Facet | Decision | Outcome], None]
"""Hears (turn, what happened) as it happens."""


class _Clock:
    """Seconds spent in one part."""

    def __init__(self) -> None:
        self.total = 0.0

    def __enter__(self) -> None:
        self._since = time.perf_counter()

    def __exit__(self, *ignored: object) -> None:
        self.total += time.perf_counter() - self._since


def run_episode(planner: Planner, simulator: Simulator, goal: Goal, seed: int, max_steps: int, hear: Listener) -> Episode:
    """Play one episode from the simulator's present state; every facet, decision and outcome is told to `hear`."""
    thinking, acting = _Clock(), _Clock()
    planner.begin(goal, simulator.schemas, seed)
    outcomes: list[Outcome] = []
    ended = ""
    while len(outcomes) < max_steps and not _reached(goal, simulator):
        with acting:
            seen = simulator.reveal() if planner.omniscient else simulator.observe()
        with thinking:
            decision = _think(planner, seen, len(outcomes) + 1, hear)
        if decision.action is None:
            ended = decision.because
            break
        with acting:
            outcome = simulator.step(decision.action)
        outcomes.append(outcome)
        planner.update(outcome)
        hear(len(outcomes), outcome)
    literals = progress(goal, simulator.reveal())
    return Episode(goal, all(p.reached for p in literals), literals, tuple(outcomes), ended, thinking.total, acting.total)


def _reached(goal: Goal, simulator: Simulator) -> bool:
    return all(p.reached for p in progress(goal, simulator.reveal()))


def _think(planner: Planner, seen: Observation, turn: int, hear: Listener) -> Decision:
    thought = planner.plan(seen)
    while True:
        try:
            shown = next(thought)
            assert isinstance(shown, Facet), "only planners that ask nothing are played here"
            hear(turn, shown)
        except StopIteration as done:
            decision: Decision = done.value
            hear(turn, decision)
            return decision
