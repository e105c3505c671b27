"""The greedy planner: place the held object; else fetch the nearest located one; else search where finds per step are highest.

It is the reference for the search, with the same belief as LLM-MCTS: the simulations must improve on it.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import dataclass
from typing import ClassVar

from core.common.parameters import Parameters, parameter
from core.planners.shared.rearrangement_planner import RearrangementParameters, RearrangementPlanner, Turn
from core.planning.belief import LEAST
from core.planning.facets import Belief, Facet, GoalProgress, Grounded, Plan
from core.planning.planner import Sent, Yielded
from core.search.language_model import WorldModelSettings, ask_priors
from core.search.model import State
from core.search.problem import Problem


@dataclass(frozen=True)
class GreedyParameters(RearrangementParameters):
    """Parameters of the belief."""

    world: str = parameter("model", "what is believed before looking: what the model says, or all places alike",
                           choices=("model", "uniform"))
    floor: float = parameter(0.2, "share of the belief spread over all places alike", low=0, high=1)


class Greedy(RearrangementPlanner):
    """The greedy policy with the belief of LLM-MCTS, without search."""

    name: ClassVar[str] = "greedy"
    title: ClassVar[str] = "Greedy"
    shows: ClassVar[frozenset[type[Facet]]] = frozenset({Belief, Grounded, GoalProgress, Plan})
    presets: ClassVar[Mapping[str, Parameters]] = {
        "default": GreedyParameters(), "uniform-prior": GreedyParameters(world="uniform"),
    }
    asks: ClassVar[bool] = True
    parameters: GreedyParameters

    def settings(self) -> GreedyParameters:
        """Returns the current parameters."""
        return self.parameters

    def prepare(self) -> Generator[Yielded, Sent, None]:
        """Requests the object positions of the wanted classes."""
        if self.parameters.world == "model":
            yield from ask_priors(self._task, WorldModelSettings(floor=self.parameters.floor, least=LEAST))

    def choose(self, problem: Problem, knowledge: State) -> Turn:
        """Decides by the greedy policy."""
        return (yield from self.decided(knowledge, problem.greedy(knowledge, self.weights()), "the greedy rule"))
