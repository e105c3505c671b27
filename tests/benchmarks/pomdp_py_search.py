"""pomdp-py's POUCT (Cython) on the domain of our search: the rules in plain Python, uniform rollouts over primitive actions.

Importing this raises ImportError without pomdp-py: `pip install -e ".[bench]"`.
"""

from __future__ import annotations

import random
from bisect import bisect_left
from collections.abc import Callable
from itertools import accumulate
from typing import Any

import pomdp_py

from tests.benchmarks.homes import Beginning, four_rooms
from tests.benchmarks.plain_model import Moment, PlainModel

DEPTH, DISCOUNT, EXPLORATION = 20, 0.95, 1.0


class Wrapped:
    """A value as pomdp-py wants it: of one of its own classes, equal by what is inside."""

    def __init__(self, value: Any):
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Wrapped) and self.value == other.value

    def __hash__(self) -> int:
        return hash(self.value)


def models_of(model: PlainModel) -> tuple[Any, Any, Any, Any]:
    """The domain's policy, transition, observation and reward models; the first one's `states` wraps a moment."""
    states = type("State", (Wrapped, pomdp_py.State), {})
    actions = type("Action", (Wrapped, pomdp_py.Action), {})
    observations = type("Observation", (Wrapped, pomdp_py.Observation), {})

    class Uniform(pomdp_py.RolloutPolicy):  # type: ignore[misc]
        def __init__(self) -> None:
            self.states = states

        def get_all_actions(self, state: Wrapped, history: Any = None) -> list[Any]:
            return [actions(a) for a in model.relevant(state.value)]

        def rollout(self, state: Wrapped, history: Any = None) -> Any:
            return random.choice(self.get_all_actions(state))

    class Transition(pomdp_py.TransitionModel):  # type: ignore[misc]
        def sample(self, state: Wrapped, action: Wrapped) -> Any:
            return states(model.moved(state.value, action.value)[0])

    class Seeing(pomdp_py.ObservationModel):  # type: ignore[misc]
        def sample(self, next_state: Wrapped, action: Wrapped) -> Any:
            known = next_state.value.known
            return observations((known, tuple(p for k, p in enumerate(next_state.value.where) if known >> k & 1)))

    class Reward(pomdp_py.RewardModel):  # type: ignore[misc]
        def sample(self, state: Wrapped, action: Wrapped, next_state: Wrapped) -> float:
            return model.moved(state.value, action.value)[1]

    return Uniform(), Transition(), Seeing(), Reward()


def agent_of(beginning: Beginning) -> Any:
    """Problem and belief as pomdp-py's agent."""
    sums = [(i, [*accumulate(row[:-1].tolist()), 2.0]) for i, row in zip(beginning.ghosts, beginning.belief, strict=True)]
    models = models_of(PlainModel(beginning.problem))
    moment = Moment.of(beginning.knowledge)

    class Ghosts(pomdp_py.GenerativeDistribution):  # type: ignore[misc]
        def random(self) -> Any:
            where = list(moment.where)
            for item, cumulative in sums:
                where[item] = bisect_left(cumulative, random.random())
            return models[0].states(moment._replace(where=tuple(where)))

    return pomdp_py.Agent(Ghosts(), *models)


def plan_uniformly(simulations: int) -> Callable[[], int]:
    """Returns a function that plans once with so many simulations in the four-rooms home, and returns how many it did."""
    beginning = four_rooms()

    def plan() -> int:
        random.seed(0)
        agent = agent_of(beginning)
        planner = pomdp_py.POUCT(max_depth=DEPTH, discount_factor=DISCOUNT, num_sims=simulations, exploration_const=EXPLORATION,
                                 rollout_policy=agent.policy_model)
        planner.plan(agent)
        return int(planner.last_num_sims)

    return plan
