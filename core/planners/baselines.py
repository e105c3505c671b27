"""The baselines of the papers: the oracle, the greedy planner, UCT, and the language model as policy alone.

The greedy planner is the reference for the search: it has the belief of LLM-MCTS, and the simulations must improve on it.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

from core.common.parameters import Parameters, parameter
from core.goals.literals import Goal, GoalRecord, Literal, LiteralProgress
from core.goals.progress import GoalWatch, progress
from core.goals.tracker import concrete
from core.planners.shared.belief_why import why_by_policy, why_by_rule
from core.planners.shared.rearrangement_planner import REMEDY, RearrangementParameters, RearrangementPlanner
from core.planners.shared.search_planner import SearchParameters, SearchPlanner
from core.planners.shared.why import planned, quoted, said
from core.planning.belief import LEAST
from core.planning.expert_shots import retrieved
from core.planning.explanation import DecisionEvidence, Evidence, Sentence
from core.planning.facets import Belief, Facet, GoalProgress, Grounded, Plan, PositionAnswers, RankedAction, Ranking
from core.planning.goal_work import next_step, why_stuck
from core.planning.planner import Decision, Planner, Sent, Thought, Turn, Yielded
from core.planning.regression import Memory
from core.planning.trajectories import Trajectory
from core.search.few_shot import format_of
from core.search.language_model import PolicyModel, PolicySettings, WorldModelSettings, as_replies, ask_priors
from core.search.model import State
from core.search.policy_prompt import PROMPTS, goal_text
from core.search.problem import Move, Problem
from core.search.search import ACTIONS, Policy, Request, knowledge_key
from core.search.translation import Names
from core.world.vocabulary import Action, ActionSchema, Observation, Outcome

PATIENCE = 6
"""Refusals in a row after which the planner gives up instead of looping."""
CHOICES = 50
"""How often in a turn other objects and places are chosen because a ban rules out the first ones."""


class Oracle(Planner):
    """The expert for rearrangement and appliance goals in any world with the common vocabulary."""

    name: ClassVar[str] = "oracle"
    title: ClassVar[str] = "Oracle"
    shows: ClassVar[frozenset[type[Facet]]] = frozenset({Plan, GoalProgress})
    omniscient: ClassVar[bool] = True

    @classmethod
    def why(cls, decision: DecisionEvidence, other: Action) -> tuple[Sentence, ...]:
        """Returns why an action was chosen: by the goal part it works on."""
        return (*planned(decision, other), *_goal_part(decision))

    def begin(self, goal: Goal, schemas: tuple[ActionSchema, ...], seed: int) -> None:
        """Starts a new episode. The expert uses no random numbers, so the seed is ignored."""
        del seed
        self._verbs = frozenset(schema.verb for schema in schemas)
        self._goal, self._memory, self._refusals = goal, Memory(), 0
        self._watch = GoalWatch(goal)
        self._chosen: dict[Literal, str] = {}
        self._gold_path: tuple[Action, ...] = ()

    def guide(self, way: tuple[Action, ...]) -> None:
        """Stores the world's own sequence of actions, which is followed to its end; a step that is refused is passed over."""
        self._gold_path = way

    def last_look(self, observation: Observation) -> Iterable[Facet]:
        """Returns the progress of the goal."""
        return (GoalProgress(progress(self._goal, observation, self._watch.see(observation))),)

    def plan(self, observation: Observation) -> Thought:
        """Decides for the first action towards the first literal that can be worked on."""
        record = self._watch.see(observation)
        asked = progress(self._goal, observation, record)
        yield GoalProgress(asked)
        reports = progress(concrete(self._goal, observation, record, self._memory.no_space), observation, record)
        if over := _why_over(asked, reports):
            return Decision(None, over)
        if self._gold_path and self._gold_path[0] not in self.banned:
            yield Plan(self._gold_path, "the world's own way")
            return Decision(self._gold_path[0], "the world's own way")
        if self._refusals >= PATIENCE:
            return Decision(None, f"{self._refusals} actions in a row were refused")
        remedy = self._memory.remedies.next(self.banned, self._verbs)
        if remedy is not None:
            yield Plan((remedy,), REMEDY)
            return Decision(remedy, REMEDY)
        while True:
            action, because = self._first_step(observation, record)
            if action is None:
                return Decision(None, because)
            yield Plan((action,), because)
            if action not in self.banned:  # an operator may have banned it during the yield
                return Decision(action, because)

    def _first_step(self, world: Observation, record: GoalRecord) -> tuple[Action | None, str]:
        """Returns the first action towards the first literal that can be worked on, and that literal; else None and why.

        What a ban rules out is replaced by other objects and places that the goal allows.
        """
        full = set(self._memory.no_space)
        for _ in range(CHOICES):
            goal = concrete(self._goal, world, record, full)
            step = next_step(progress(goal, world, record), world, self._memory, self._verbs, self._chosen, self.banned)
            again = {x if x not in full else (x[0], "") for x in step.ruled_out} - full
            if step.action is not None or not again:
                break
            full |= again
        return step.action, str(step.literal) if step.literal else why_stuck(step)

    def update(self, outcome: Outcome) -> None:
        """Learns from a refusal. A refusal that rules out a place permanently counts as progress."""
        known = len(self._memory.too_small)
        self._memory.update(outcome)
        if self._gold_path and outcome.action == self._gold_path[0]:
            self._gold_path = self._gold_path[1:]  # also after a refusal: the world's own solutions contain steps it refuses
        learned = len(self._memory.too_small) > known
        self._refusals = 0 if outcome.ok or learned else self._refusals + 1


def _goal_part(decision: DecisionEvidence) -> Iterator[Sentence]:
    """Yields how far the goal part is that the plan of the turn is for."""
    plan, goal = decision.fresh(Plan), decision.fresh(GoalProgress)
    part = next((p for p in goal.literals if plan is not None and str(p.literal) == plan.because), None) if goal else None
    if part is not None:
        yield said("goal", f"That plan is for the goal part {quoted(str(part.literal))}, which has {part.have} of "
                           f"{part.literal.count}.", Evidence("goal", "goal"),
                   figures={"have": part.have, "count": part.literal.count})


def _why_over(asked: tuple[LiteralProgress, ...], reports: tuple[LiteralProgress, ...]) -> str:
    """Returns why nothing is left to do; empty if something is.

    Args:
        asked: the progress of the goal as it was given.
        reports: the progress of what is to be worked on.
    """
    broken = next((r.literal for r in asked if r.literal.never and not r.reached), None)
    if broken is not None:
        return f"the goal cannot be reached any more: {broken}"
    return "the goal is reached" if all(r.reached for r in reports) else ""


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

    def prepare(self) -> Generator[Yielded, Sent, None]:
        """Requests the object positions of the wanted classes."""
        if self.parameters.world == "model":
            yield from ask_priors(self._task, WorldModelSettings(floor=self.parameters.floor, least=LEAST))

    def choose(self, problem: Problem, knowledge: State) -> Turn:
        """Decides by the greedy policy."""
        return (yield from self.decided(knowledge, problem.greedy(knowledge, self.weights()), "the greedy rule"))


class Uct(SearchPlanner):
    """Monte Carlo tree search without a language model."""

    name: ClassVar[str] = "uct"
    title: ClassVar[str] = "UCT"
    presets: ClassVar[Mapping[str, Parameters]] = {
        "paper": SearchParameters(
            exploration=24.0, depth=20, actions="admissible", rollout="uniform", reward="goal", urgency=False,
            selection="ucb1", worlds="each", strike_refused=False, loop_guard=False, ban_goal_places=False, final="value"),
        "macros": SearchParameters(),
    }
    parameters: SearchParameters

    def prepare(self) -> Generator[Yielded, Sent, None]:
        """Does nothing: the belief is uniform."""
        yield from ()

    def policy(self) -> Policy | None:
        """Returns None: the priors are uniform."""
        return None

    def consult(self, requests: tuple[Request, ...]) -> Generator[Yielded, Sent, None]:
        """Does nothing: without a policy there are no requests."""
        del requests
        yield from ()


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
        self._policy_model = PolicyModel(PolicySettings(), seed)

    def sees_clutter(self) -> bool:
        """Returns True if all admissible actions are choices: then every visible object can be acted on."""
        return self.parameters.actions == "admissible"

    def forget(self) -> None:
        """Discards the policy's answers, which depend on the goal and the belief."""
        self._policy_model.forget()

    def prepare(self) -> Generator[Yielded, Sent, None]:
        """Requests the object positions of the wanted classes, and the similarity of the shots to the goal."""
        asked, wanted = goal_text(self._task.aim.asked), self.parameters.shots
        if self._shots[:2] != (asked, wanted):
            self._shots = asked, wanted, (yield from retrieved(asked, wanted))
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
