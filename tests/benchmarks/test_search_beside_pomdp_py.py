"""pomdp-py's POUCT (Cython) on the same domain as our search, both with uniform rollouts over the relevant primitive actions.

`pip install -e ".[bench]"`, then `pytest tests/benchmarks -k pomdp --benchmark-enable`: look at the ratio of the two.
"""

from __future__ import annotations

import random
from bisect import bisect_left
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np
import pytest
from core.search.puct import REWARD, Search
from core.search.uniform import UniformPolicy

from core.rearrangement import Rearrangement
from core.search.macros import relevant
from core.search.model import CLOSE, OPEN, OPENED, PUT, ROOM, WALK, WHERE, Problem
from core.search.nodes import Knowledge, Options
from tests.benchmarks.test_search_speed import TEXT
from tests.planners.by_hand import goal_of, home

SIMULATIONS, DEPTH, DISCOUNT, EXPLORATION = 100, 20, 0.95, 1.0


class Moment(NamedTuple):
    """A state of the domain with what the robot knows in it, hashable as pomdp-py wants it."""

    state: tuple[Any, ...]
    known: int
    looked: int

    @classmethod
    def of(cls, state: list[Any], known: int, looked: int) -> Moment:
        return cls((*state[:WHERE], tuple(state[WHERE])), known, looked)

    def thawed(self) -> list[Any]:
        return [*self.state[:WHERE], list(self.state[WHERE])]


def moved(problem: Problem, moment: Moment, action: int) -> tuple[Moment, tuple[tuple[int, int], ...], float]:
    """What an action does: the next state, the slots newly located, and the reward."""
    state, known, looked = moment.thawed(), moment.known, moment.looked
    before = problem.satisfied(state[WHERE])
    problem.step(action, state)
    found = []
    if action < WALK or OPEN <= action < CLOSE:
        new = problem.shown(state[ROOM], state[OPENED]) & ~looked
        looked |= new
        for slot, place in enumerate(state[WHERE]):
            if place >= 0 and new >> place & 1 and not known >> slot & 1:
                known |= 1 << slot
                found.append((slot, place))
    gained = problem.satisfied(state[WHERE]) - before if PUT <= action < OPEN else 0
    return Moment.of(state, known, looked), tuple(found), REWARD * gained / problem.size


class Wrapped:
    """A value as pomdp-py wants it: of one of its own classes, equal by what is inside."""

    def __init__(self, value: Any):
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Wrapped) and self.value == other.value

    def __hash__(self) -> int:
        return hash(self.value)


def models_of(pomdp_py: Any, problem: Problem) -> tuple[Any, Any, Any, Any]:
    """The domain's policy, transition, observation and reward models; the first one's `states` wraps a moment."""
    states = type("State", (Wrapped, pomdp_py.State), {})
    actions = type("Action", (Wrapped, pomdp_py.Action), {})
    observations = type("Observation", (Wrapped, pomdp_py.Observation), {})

    class Uniform(pomdp_py.RolloutPolicy):  # type: ignore[misc]
        def __init__(self) -> None:
            self.states = states

        def get_all_actions(self, state: Wrapped, history: Any = None) -> list[Any]:
            moment = state.value
            return [actions(a) for (a,) in relevant(problem, moment.thawed(), moment.known, moment.looked)]

        def rollout(self, state: Wrapped, history: Any = None) -> Any:
            return random.choice(self.get_all_actions(state))

    class Transition(pomdp_py.TransitionModel):  # type: ignore[misc]
        def sample(self, state: Wrapped, action: Wrapped) -> Any:
            return states(moved(problem, state.value, action.value)[0])

    class Seeing(pomdp_py.ObservationModel):  # type: ignore[misc]
        def sample(self, next_state: Wrapped, action: Wrapped) -> Any:
            state, known, _ = next_state.value
            return observations((known, tuple(p for k, p in enumerate(state[WHERE]) if known >> k & 1)))

    class Reward(pomdp_py.RewardModel):  # type: ignore[misc]
        def sample(self, state: Wrapped, action: Wrapped, next_state: Wrapped) -> float:
            return moved(problem, state.value, action.value)[2]

    return Uniform(), Transition(), Seeing(), Reward()


def agent_of(pomdp_py: Any, problem: Problem, knowledge: Knowledge, slots: Any, rows: Any) -> Any:
    """Problem and belief as pomdp-py's agent."""
    cumulative = [(i, [*accumulate(row[:-1].tolist()), 2.0]) for i, row in zip(slots, rows, strict=True)]
    models = models_of(pomdp_py, problem)

    class Ghosts(pomdp_py.GenerativeDistribution):  # type: ignore[misc]
        def random(self) -> Any:
            state = [*knowledge.state[:WHERE], list(knowledge.state[WHERE])]
            for slot, sums in cumulative:
                state[WHERE][slot] = bisect_left(sums, random.random())
            return models[0].states(Moment.of(state, knowledge.known, knowledge.looked))

    return pomdp_py.Agent(Ghosts(), *models)


@pytest.mark.benchmark(group="100 simulations, uniform rollouts, relevant primitives")
@pytest.mark.parametrize("engine", ["ours", "pomdp-py"])
def test_a_hundred_simulations_beside_pomdp_py(benchmark: Any, engine: str) -> None:
    pomdp_py = pytest.importorskip("pomdp_py", reason='pip install -e ".[bench]"')
    with home() as simulator:
        mind = Rearrangement(goal_of(simulator, TEXT), simulator.schemas)
        mind.see(simulator.observe())
        problem, knowledge = mind.problem()
        slots, rows = mind.ghosts()
    options = Options(exploration=EXPLORATION, discount=DISCOUNT, depth=DEPTH, actions="relevant", rollout="uniform",
                      worlds="each")

    def ours() -> int:
        search = Search(problem, knowledge, slots, rows, options, UniformPolicy(), np.random.default_rng(0), 30)
        for _ in search.run(lambda: SIMULATIONS):
            pass
        return search.simulations

    def theirs() -> int:
        agent = agent_of(pomdp_py, problem, knowledge, slots, rows)
        planner = pomdp_py.POUCT(max_depth=DEPTH, discount_factor=DISCOUNT, num_sims=SIMULATIONS, exploration_const=EXPLORATION,
                                 rollout_policy=agent.policy_model)
        planner.plan(agent)
        return int(planner.last_num_sims)

    assert benchmark(ours if engine == "ours" else theirs) == SIMULATIONS
