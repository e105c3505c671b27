"""The language model as policy alone: each reply is mapped to the nearest admissible action, which is executed.

The paper's baseline L-Policy, after Huang et al.: Language Models as Zero-Shot Planners (2022). It has no belief of its own and
does not search.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import dataclass
from typing import ClassVar

from core.common.parameters import Parameters, parameter
from core.goals.literals import Goal
from core.planners.shared.rearrangement_planner import RearrangementParameters, RearrangementPlanner, Turn
from core.planning.facets import Belief, Facet, GoalProgress, Grounded, Plan, RankedAction, Ranking
from core.planning.planner import Decision, Sent, Yielded
from core.search.language_model import PolicyModel, PolicyPrompt, PolicySettings, WorldModelSettings, as_replies, ask_priors
from core.search.model import State
from core.search.problem import Move, Problem
from core.search.search import ACTIONS, Request, knowledge_key
from core.search.translation import Names
from core.world.vocabulary import ActionSchema


@dataclass(frozen=True)
class LlmPolicyParameters(RearrangementParameters):
    """Parameters of the model requests."""

    world: str = parameter("model", "what the prompt says of where missing things are: what the model said, or nothing",
                           choices=("model", "uniform"))
    actions: str = parameter("macros", "what it chooses among: macros within a room, relevant or all admissible actions",
                             choices=("macros", "relevant", "admissible"))
    policy_samples: int = parameter(1, "answers for each decision; the one given most often is taken", low=1, high=50)
    policy_temperature: float = parameter(0.0, "temperature of these answers; -1: as the model is set", low=-1, high=2)
    wrong_answers: float = parameter(0.0, "share of the answers replaced by a random action, to try robustness", low=0, high=1)


class LlmPolicy(RearrangementPlanner):
    """Executes the action that the language model names."""

    name: ClassVar[str] = "llm-policy"
    title: ClassVar[str] = "LLM policy"
    shows: ClassVar[frozenset[type[Facet]]] = frozenset({Belief, Grounded, GoalProgress, Plan, Ranking})
    presets: ClassVar[Mapping[str, Parameters]] = {
        "default": LlmPolicyParameters(), "admissible": LlmPolicyParameters(actions="admissible", policy_samples=5,
                                                                           policy_temperature=0.6),
    }
    asks: ClassVar[bool] = True
    parameters: LlmPolicyParameters

    def begin(self, goal: Goal, schemas: tuple[ActionSchema, ...], seed: int) -> None:
        """Starts a new episode."""
        super().begin(goal, schemas, seed)
        self._policy_model = PolicyModel(PolicySettings(), seed)

    def settings(self) -> LlmPolicyParameters:
        """Returns the current parameters."""
        return self.parameters

    def sees_clutter(self) -> bool:
        """Returns True if all admissible actions are choices: then every visible object can be acted on."""
        return self.parameters.actions == "admissible"

    def forget(self) -> None:
        """Discards the policy's answers, which depend on the goal and the belief."""
        self._policy_model.forget()

    def prepare(self) -> Generator[Yielded, Sent, None]:
        """Requests the object positions of the wanted classes."""
        if self.parameters.world == "model":
            yield from ask_priors(self._task, WorldModelSettings())

    def choose(self, problem: Problem, knowledge: State) -> Turn:
        """Requests the policy and decides for the most frequent action; a random choice if no reply was usable."""
        p = self.parameters
        every = problem.moves(knowledge, ACTIONS[p.actions])
        choices = [move for move in every if self.banned.isdisjoint(self.actions_of(knowledge, move.steps))]
        if every and not choices:
            return (yield from self.otherwise(problem, knowledge))
        if not choices:
            return Decision(None, "nothing is left that can be done")
        self._policy_model.settings = PolicySettings(samples=p.policy_samples, temperature=p.policy_temperature,
                                                     wrong=p.wrong_answers)
        request = Request(knowledge_key(problem, knowledge), knowledge, tuple(choices), ())
        if self._policy_model.answer(request.key) is None:
            names = Names(self._task.world.entities.values(), self._schemas)
            briefing = PolicyPrompt(self._task, names, self._history)
            ask = self._policy_model.ask(request, briefing)
            sent = yield ask
            yield Grounded((self._policy_model.take(request, ask, as_replies(sent)[0], briefing),))
            if self.interrupted():
                return None
        weights = [(self._policy_model.answer(request.key) or {}).get(move.action, 0.0) for move in choices]
        prior = [weight / sum(weights) for weight in weights] if any(weights) else [1.0 / len(choices)] * len(choices)
        best = int(self._rng.integers(len(choices))) if len(set(prior)) == 1 else prior.index(max(prior))
        yield self._ranking(knowledge, choices, prior, best)
        because = "what the model said" if max(prior) > min(prior) else "a guess"
        return (yield from self.decided(knowledge, choices[best].steps, because))

    def _ranking(self, knowledge: State, choices: list[Move], prior: list[float], best: int) -> Ranking:
        order = sorted(range(len(choices)), key=lambda k: (k != best, -prior[k]))
        steps = [self.actions_of(knowledge, choices[k].steps) for k in order]
        ranked = [RankedAction(s, prior[k], 0, None, 0.0, None) for s, k in zip(steps, order, strict=True)]
        return Ranking(tuple(ranked), 0, 0, steps[0])
