"""LLM-MCTS: a language model as commonsense world model and as heuristic policy of a Monte Carlo tree search.

Zhao, Lee, Hsu: Large Language Models as Commonsense Knowledge for Large-Scale Task Planning (NeurIPS 2023). Preset `paper`
follows Algorithm 1. Preset `tuned` is what works within thirty steps: macro actions, greedy rollouts on simulated knowledge,
common worlds, shaped returns, a loop guard, and the most visited action as decision.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

from core.common.errors import UsageError
from core.common.parameters import Parameters, parameter
from core.goals.literals import Goal
from core.planners.llm_mcts import offline_plan as offline_plan  # registers the offline answers
from core.planners.llm_mcts import offline_policy as offline_policy
from core.planners.llm_mcts.few_shot import format_of
from core.planners.llm_mcts.goal import goal_request, read_goal, says_all, translation
from core.planners.llm_mcts.policy_model import PolicyModel, PolicySettings, mixture
from core.planners.llm_mcts.policy_prompt import PROMPTS
from core.planners.llm_mcts.world_model import WorldModel, WorldModelSettings
from core.planners.shared.search_planner import SearchParameters, SearchPlanner
from core.planning.belief import LEAST
from core.planning.belief_facets import PositionAnswers
from core.planning.examples import Example, alike, likeness_ask, likeness_of
from core.planning.expert_shots import object_classes, retrieved
from core.planning.facets import Facet, Grounded
from core.planning.names import Names
from core.planning.planner import Sent, Yielded, as_replies
from core.planning.search_facets import PolicyMixture
from core.planning.trajectories import Trajectory
from core.search.search import Options, Policy, Request, Search
from core.world.vocabulary import GRABBABLE, ActionSchema


@dataclass(frozen=True)
class LlmMctsParameters(SearchParameters):
    """Parameters of the model requests and the search."""

    goal_by: str = parameter("rules", "who translates the instruction into a goal for the search: the rules, or the model (the "
                             "paper, Listing 3); what decides on success stays the same", choices=("rules", "model"))
    world: str = parameter("model", "what is believed before looking: what the model says, or all places alike",
                           choices=("model", "uniform"))
    world_objects: str = parameter("goal", "whose positions are asked for and sampled: of the goal's objects, or of all that "
                                   "the expert's trajectories or this home mention (the paper)", choices=("goal", "all"))
    world_samples: int = parameter(50, "M: answers about each class, where the server gives no probabilities", low=1, high=200)
    world_temperature: float = parameter(0.5, "temperature of these answers; -1: as the model is set", low=-1, high=2)
    world_scores: bool = parameter(True, "ask for probabilities of the places, not samples, where the server gives them")
    floor: float = parameter(0.2, "share of the belief spread over all places alike", low=0, high=1)
    least: float = parameter(LEAST, "share of the samples that a place without a sample counts as", low=0, high=1)
    policy_says: str = parameter("model", "the heuristic policy: the model's, or all actions alike",
                                 choices=("model", "uniform"))
    policy_prompt: str = parameter("knowledge", "what the policy's prompt tells: what is known and believed, with the actions "
                                   "to choose from; or only what is visible, for plans in free words (Listing 1)",
                                   choices=("knowledge", "visible"))
    policy_samples: int = parameter(1, "M: answers for each state of knowledge", low=1, high=50)
    policy_temperature: float = parameter(0.0, "temperature of these answers; -1: as the model is set", low=-1, high=2)
    policy_top_p: float = parameter(1.0, "nucleus sampling of these answers", low=0.01, high=1)
    mixing: float = parameter(0.5, "λ: share of the policy spread over all actions alike", low=0, high=1)
    answers: str = parameter("vote", "how answers become a policy: share of the votes, softmax of the summed similarity (the "
                             "paper), or the mean of each answer's softmax (its code)",
                             choices=("vote", "softmax", "mean-softmax"))
    sharpness: float = parameter(1.0, "factor within the softmax: 1 in the paper's text, 100 in its code", low=0, high=1000)
    examples: int = parameter(3, "K: decisions that went well in tasks like this one, shown in the policy's prompt, as far as "
                              "any were kept", low=0, high=20)
    shots: int = parameter(0, "K: whole trajectories of the expert for tasks like this one, shown in the policy's prompt; the "
                           "paper's code shows 3", low=0, high=20)
    shot_characters: int = parameter(6000, "what these trajectories may take of the prompt; observations are shortened first",
                                     low=0, high=1_000_000, unit="characters")
    batch: int = parameter(1, "questions asked at the same time, with virtual loss", low=1, high=64)
    ask_after: int = parameter(0, "visits of a state of knowledge before the model is asked about it; until then all "
                               "actions count alike there", low=0, high=1_000_000)
    most_questions: int = parameter(0, "questions to the policy for each decision; 0: any number", low=0, high=1_000_000)
    wrong_answers: float = parameter(0.0, "share of the policy's answers replaced by a random action, to try robustness",
                                     low=0, high=1)


TUNED = LlmMctsParameters(simulations=300, batch=4, ask_after=10, most_questions=8)
PAPER = LlmMctsParameters(
    goal_by="model", world_objects="all", world_scores=False, floor=0.0, ban_goal_places=False,
    policy_prompt="visible", policy_samples=5, policy_temperature=0.6, policy_top_p=0.9, answers="softmax", examples=0, shots=3,
    exploration=24.0, depth=20, actions="admissible", rollout="uniform", reward="goal", urgency=False, worlds="each",
    strike_refused=False, loop_guard=False, counting="paper", final="value",
)
PRESETS = {
    "tuned": TUNED,
    "paper": PAPER,
    "paper-code": replace(PAPER, answers="mean-softmax", sharpness=100.0, worlds="one", backup="softmax"),
    "no-policy": replace(TUNED, policy_says="uniform"),
    "uniform-prior": replace(TUNED, world="uniform"),
}


class LlmMcts(SearchPlanner):
    """Monte Carlo tree search with the belief and the policy of a language model."""

    name: ClassVar[str] = "llm-mcts"
    title: ClassVar[str] = "LLM-MCTS"
    shows: ClassVar[frozenset[type[Facet]]] = SearchPlanner.shows | {Grounded, PolicyMixture, PositionAnswers}
    presets: ClassVar[Mapping[str, Parameters]] = PRESETS
    asks: ClassVar[bool] = True
    parameters: LlmMctsParameters
    _examples: tuple[Example, ...] = ()
    _likeness: tuple[str, Mapping[str, float]] = ("", {})  # for the last requested goal
    _shots: tuple[str, int, tuple[Trajectory, ...]] = ("", 0, ())  # the goal and K they were retrieved for
    _translated: Goal | None = None  # the goal that was translated last, as it was given

    def study(self, examples: tuple[Example, ...]) -> None:
        """Stores the examples. Those with a similar task are included in the prompt."""
        self._examples = examples

    def begin(self, goal: Goal, schemas: tuple[ActionSchema, ...], seed: int) -> None:
        """Starts a new episode."""
        super().begin(goal, schemas, seed)
        self._translated = None
        self._policy_model, self._world_model = PolicyModel(self._policy_settings(), seed), WorldModel()

    def options(self) -> Options:
        """Returns the search options, including when the policy is called."""
        p = self.parameters
        return replace(super().options(), batch=p.batch, mixing=p.mixing, earned=p.ask_after, questions=p.most_questions)

    def prepare(self) -> Generator[Yielded, Sent, None]:
        """Requests the object positions of the wanted classes, and the similarity of the examples and shots to the goal."""
        p, asked = self.parameters, self._task.aim.asked.in_words
        if p.goal_by == "model":
            yield from self._translate_goal()
        if self._examples and p.examples and p.policy_says == "model" and self._likeness[0] != asked:
            ask = likeness_ask(self._examples, asked)
            sent = yield ask
            self._likeness = asked, likeness_of(ask, as_replies(sent)[0])
        if p.policy_says == "model" and self._shots[:2] != (asked, p.shots):
            self._shots = asked, p.shots, (yield from retrieved(asked, p.shots))
        if p.world_objects == "all" and not self._task.world.all_seen:
            seen = (e.cls for e in self._task.world.entities.values() if e.category == "object" and GRABBABLE in e.properties)
            self._task.imagine((*object_classes(), *sorted(set(seen))))
        if p.world == "model":
            how = WorldModelSettings(p.world_samples, p.world_temperature, p.floor, p.least, p.world_scores)
            yield from self._world_model.ask_priors(self._task, how)

    def _translate_goal(self) -> Generator[Yielded, Sent, None]:
        """Requests the translation of the instruction, once, and searches for what it states if that is possible here."""
        given = self._task.aim.asked
        if given == self._translated or not says_all(given):
            return
        ask = goal_request(given)
        sent = yield ask
        reply = as_replies(sent)[0]
        self._translated = given
        try:
            goal = read_goal(reply, given.text, self._task.world.entities.values(), object_classes())
        except UsageError as error:
            yield Grounded((translation(ask, reply, None, str(error)),))
            return
        yield Grounded((translation(ask, reply, goal),))
        if goal != given:
            self._translated = goal
            self.forget()
            self._task.set_goal(goal)

    def policy(self) -> Policy | None:
        """Returns the language model as policy, or None for uniform priors."""
        if self.parameters.policy_says == "uniform":
            return None
        self._policy_model.settings = self._policy_settings()
        if self.parameters.counting == "paper":
            self._policy_model.forget()  # its answers are for the histories of the last tree
        names = Names(self._task.world.entities.values(), self._schemas)
        shots = alike(self._examples, self._task.aim.asked.in_words, self.parameters.examples, likeness=self._likeness[1])
        form = format_of(shots, self._schemas, self._shots[2], self.parameters.shot_characters)
        self._prompt = PROMPTS[self.parameters.policy_prompt](self._task, names, self._history, form)
        return self._policy_model

    def consult(self, requests: tuple[Request, ...]) -> Generator[Yielded, Sent, None]:
        """Requests the policy for several knowledge states in parallel."""
        asks = tuple(self._policy_model.ask(request, self._prompt) for request in requests)
        sent = yield asks[0] if len(asks) == 1 else asks
        yield Grounded(tuple(self._policy_model.take(request, ask, reply, self._prompt)
                             for request, ask, reply in zip(requests, asks, as_replies(sent), strict=True)))

    def root_facets(self, search: Search) -> Iterable[Facet]:
        """Returns the parts of the prior, once the model has been asked about the root."""
        found = mixture(search, self._task, self._policy_model)
        return () if found is None else (found,)

    def forget(self) -> None:
        """Discards the policy's answers, which depend on the goal and the belief."""
        super().forget()
        self._policy_model.forget()

    def _policy_settings(self) -> PolicySettings:
        p = self.parameters
        return PolicySettings(p.answers, p.sharpness, p.policy_samples, p.policy_temperature, p.policy_top_p, p.wrong_answers)


class LlmMctsFullyObservable(LlmMcts):
    """The ablation with full observation."""

    name: ClassVar[str] = "llm-mcts-fully-observable"
    title: ClassVar[str] = "LLM-MCTS, sees everything"
    omniscient: ClassVar[bool] = True
