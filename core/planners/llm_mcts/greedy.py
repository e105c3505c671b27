"""The greedy planner: the reference for the search of LLM-MCTS, which must improve on it. It has the same belief."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import dataclass
from typing import ClassVar

from core.common.parameters import Parameters, parameter
from core.goals.literals import Goal
from core.planners.llm_mcts.why import why_by_rule
from core.planners.llm_mcts.world_model import WorldModel, WorldModelSettings
from core.planners.shared.rearrangement_planner import RearrangementParameters, RearrangementPlanner
from core.planning.belief import LEAST
from core.planning.belief_facets import Belief, PositionAnswers
from core.planning.explanation import DecisionEvidence, Sentence
from core.planning.facets import Facet, GoalProgress, Grounded, Plan
from core.planning.planner import Sent, Turn, Yielded
from core.search.model import State
from core.search.problem import Problem
from core.world.vocabulary import Action, ActionSchema


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
    shows: ClassVar[frozenset[type[Facet]]] = frozenset({Belief, PositionAnswers, Grounded, GoalProgress, Plan})
    presets: ClassVar[Mapping[str, Parameters]] = {
        "default": GreedyParameters(), "uniform-prior": GreedyParameters(world="uniform"),
    }
    asks: ClassVar[bool] = True
    parameters: GreedyParameters

    @classmethod
    def why(cls, decision: DecisionEvidence, other: Action) -> tuple[Sentence, ...]:
        """Returns why an action was chosen: by the greedy rule's plan, and what is believed of the places."""
        return why_by_rule(decision, other)

    def begin(self, goal: Goal, schemas: tuple[ActionSchema, ...], seed: int) -> None:
        """Starts a new episode."""
        super().begin(goal, schemas, seed)
        self._world_model = WorldModel()

    def prepare(self) -> Generator[Yielded, Sent, None]:
        """Requests the object positions of the wanted classes."""
        if self.parameters.world == "model":
            how = WorldModelSettings(floor=self.parameters.floor, least=LEAST)
            yield from self._world_model.ask_priors(self._task, how)

    def choose(self, problem: Problem, knowledge: State) -> Turn:
        """Decides by the greedy policy."""
        return (yield from self.decided(knowledge, problem.greedy(knowledge, self.weights()), "the greedy rule"))
