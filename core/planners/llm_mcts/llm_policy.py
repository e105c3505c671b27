"""The policy of LLM-MCTS alone, without search: it executes the action that the language model names."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import dataclass
from typing import ClassVar

from core.common.parameters import Parameters, parameter
from core.goals.literals import Goal
from core.planners.llm_mcts import offline_plan as offline_plan  # registers the offline answers
from core.planners.llm_mcts import offline_policy as offline_policy
from core.planners.llm_mcts.few_shot import format_of
from core.planners.llm_mcts.policy_model import PolicyModel, PolicySettings
from core.planners.llm_mcts.policy_prompt import PROMPTS
from core.planners.llm_mcts.why import why_by_policy
from core.planners.llm_mcts.world_model import WorldModel, WorldModelSettings
from core.planners.shared.rearrangement_planner import RearrangementParameters, RearrangementPlanner
from core.planning.belief_facets import Belief, PositionAnswers
from core.planning.expert_shots import retrieved
from core.planning.explanation import DecisionEvidence, Sentence
from core.planning.facets import Facet, GoalProgress, Grounded, Plan
from core.planning.names import Names
from core.planning.planner import Decision, Sent, Turn, Yielded, as_replies
from core.planning.search_facets import RankedAction, Ranking
from core.planning.trajectories import Trajectory
from core.search.model import State
from core.search.problem import Move, Problem
from core.search.search import ACTIONS, Request, knowledge_key
from core.world.vocabulary import Action, ActionSchema


@dataclass(frozen=True)
class LlmPolicyParameters(RearrangementParameters):
    """Parameters of the model requests."""

    world: str = parameter("model", "what is believed of where missing things are: what the model said, or nothing",
                           choices=("model", "uniform"))
    actions: str = parameter("macros", "what it chooses among: macros within a room, relevant or all admissible actions",
                             choices=("macros", "relevant", "admissible"))
    policy_prompt: str = parameter("knowledge", "what the prompt tells: what is known and believed, with the actions to choose "
                                   "from; or only what is visible, for plans in free words (Listing 1)",
                                   choices=("knowledge", "visible"))
    policy_samples: int = parameter(1, "answers for each decision; the one given most often is taken", low=1, high=50)
    policy_temperature: float = parameter(0.0, "temperature of these answers; -1: as the model is set", low=-1, high=2)
    shots: int = parameter(0, "K: whole trajectories of the expert for tasks like this one, shown in the prompt; the paper's "
                           "code shows 3", low=0, high=20)
    shot_characters: int = parameter(6000, "what these trajectories may take of the prompt; observations are shortened first",
                                     low=0, high=1_000_000, unit="characters")
    wrong_answers: float = parameter(0.0, "share of the answers replaced by a random action, to try robustness", low=0, high=1)


class LlmPolicy(RearrangementPlanner):
    """Executes the action that the language model names."""

    name: ClassVar[str] = "llm-policy"
    title: ClassVar[str] = "LLM policy"
    shows: ClassVar[frozenset[type[Facet]]] = frozenset({Belief, PositionAnswers, Grounded, GoalProgress, Plan, Ranking})
    presets: ClassVar[Mapping[str, Parameters]] = {
        "default": LlmPolicyParameters(), "admissible": LlmPolicyParameters(actions="admissible", policy_samples=5,
                                                                           policy_temperature=0.6),
        "few-shot": LlmPolicyParameters(world="uniform", actions="admissible", policy_prompt="visible", policy_samples=5,
                                        policy_temperature=0.6, shots=3),
    }
    asks: ClassVar[bool] = True
    parameters: LlmPolicyParameters
    _shots: tuple[str, int, tuple[Trajectory, ...]] = ("", 0, ())  # the goal and K they were retrieved for

    @classmethod
    def why(cls, decision: DecisionEvidence, other: Action) -> tuple[Sentence, ...]:
        """Returns why an action was chosen: by the model's reply, the shares of the choices, and the belief."""
        return why_by_policy(decision, other)

    def begin(self, goal: Goal, schemas: tuple[ActionSchema, ...], seed: int) -> None:
        """Starts a new episode."""
        super().begin(goal, schemas, seed)
        self._policy_model, self._world_model = PolicyModel(PolicySettings(), seed), WorldModel()

    def sees_clutter(self) -> bool:
        """Returns True if all admissible actions are choices: then every visible object can be acted on."""
        return self.parameters.actions == "admissible"

    def forget(self) -> None:
        """Discards the policy's answers, which depend on the goal and the belief."""
        self._policy_model.forget()

    def prepare(self) -> Generator[Yielded, Sent, None]:
        """Requests the object positions of the wanted classes, and the similarity of the shots to the goal."""
        asked, wanted = self._task.aim.asked.in_words, self.parameters.shots
        if self._shots[:2] != (asked, wanted):
            self._shots = asked, wanted, (yield from retrieved(asked, wanted))
        if self.parameters.world == "model":
            yield from self._world_model.ask_priors(self._task, WorldModelSettings())

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
        if p.policy_prompt == "visible":
            self._policy_model.forget()  # its answers are for the history of the last decision
        request = Request(knowledge_key(problem, knowledge), knowledge, tuple(choices), ())
        if self._policy_model.answer(request.key) is None:
            names = Names(self._task.world.entities.values(), self._schemas)
            form = format_of((), self._schemas, self._shots[2], p.shot_characters)
            briefing = PROMPTS[p.policy_prompt](self._task, names, self._history, form)
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
