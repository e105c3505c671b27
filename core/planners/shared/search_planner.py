"""The base class of planners that search: one tree for each decision, shown while it grows, restarted after operator edits.

What-if questions are answered by searches of their own: the same knowledge with another belief, other parameters or bans,
without model requests.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Generator, Iterable, Iterator, Set
from dataclasses import dataclass, replace
from time import monotonic
from typing import ClassVar

from core.common.errors import UsageError
from core.common.parameters import changed, parameter
from core.goals.literals import Goal
from core.planners.shared.rearrangement_planner import RearrangementParameters, RearrangementPlanner
from core.planning.belief_facets import Belief
from core.planning.explanation import DecisionEvidence, Sentence
from core.planning.facets import Facet, GoalProgress, Plan
from core.planning.planner import Decision, Sent, Turn, WhatIf, Yielded
from core.planning.search_facets import Ranking, SearchTree
from core.planning.simulation_facets import Simulations
from core.search import search_facets
from core.search.compilation.preparation import preparation
from core.search.margins import margins
from core.search.model import HELD, State
from core.search.problem import Macro, Problem
from core.search.repeated_simulation import sampled_belief, simulation_steps, tree_along
from core.search.search import FIRST_PAUSE, Key, KnownAnswers, Options, Policy, Request, Search, knowledge_key
from core.search.translation import to_actions
from core.search.why import why
from core.world.vocabulary import Action, ActionSchema, Observation, Outcome

FIRST, FACTOR = 1_000, 4
"""The simulations of the first answer, and the factor between successive answers."""
MOST_VISITED = 5000
"""The maximum number of knowledge states the loop guard remembers."""
LEAST_LEFT = 10
"""The minimum number of steps a search looks ahead, for episodes beyond their usual length."""
UNBOUNDED = 1 << 60
"""The number of simulations while the time of a decision is not over."""
SHOW_EVERY = 20_000
"""The maximum number of simulations between two updates of the facets; before that, updates come at 25, 100, 400, 1600 and so
on."""


@dataclass(frozen=True)
class SearchParameters(RearrangementParameters):
    """Parameters of the search."""

    simulations: int = parameter(100, "simulations for each decision", low=1, high=1_000_000)
    seconds: float = parameter(0.0, "time for each decision, instead of a number of simulations; then results depend on the "
                               "machine. It ends earlier when the tree has ten million actions. 0: by simulations", low=0,
                               high=3600, unit="s")
    exploration: float = parameter(1.0, "c of PUCT, for returns of 0 to 10", low=0, high=1000)
    selection: str = parameter("puct", "how actions are selected in the tree: PUCT with the policy as prior, or UCB1 without",
                               choices=("puct", "ucb1"))
    discount: float = parameter(0.95, "γ: what a step later is worth", low=0.01, high=1)
    depth: int = parameter(0, "steps a simulation goes; 0: the steps left of the episode", low=0, high=1000, unit="steps")
    precision: float = parameter(0.0, "ε: simulations end where γ^depth falls below it; 0: never", low=0, high=0.99)
    horizon: int = parameter(30, "steps an episode usually has", low=1, high=100_000, unit="steps")
    actions: str = parameter("macros", "what the tree branches over: macros within a room, relevant or all admissible actions",
                             choices=("macros", "relevant", "admissible"))
    rollout: str = parameter("greedy", "below the tree: the greedy searcher on simulated knowledge, uniform, or nothing",
                             choices=("greedy", "uniform", "none"))
    reward: str = parameter("literals", "10 shared over the things the goal asks for, or only for all of it",
                            choices=("literals", "goal"))
    urgency: bool = parameter(True, "an action not tried yet counts as good as the best one tried")
    worlds: str = parameter("common", "samples of the belief: one for each simulation (Algorithm 1), one for the decision (its "
                            "code), or common: the n-th try of every action meets the n-th sample",
                            choices=("common", "each", "one"))
    strike_refused: bool = parameter(True, "an action that the world has just refused is not offered again at the root")
    loop_guard: bool = parameter(True, "never step, with nothing new seen, into a state of knowledge visited before")
    counting: str = parameter("usual", "a rollout counts as a visit of its leaf, and the policy is asked for each state of "
                              "knowledge; or as Algorithm 1 is printed: it does not, and is asked for each history",
                              choices=("usual", "paper"))
    backup: str = parameter("mean", "Q of an action: the mean of its returns (Algorithm 1), or their mean weighted by "
                            "softmax(return / 10) (its code)", choices=("mean", "softmax"))
    final: str = parameter("visits", "the action chosen: most visits, or highest value (Algorithm 1)",
                           choices=("visits", "value"))


class SearchPlanner(RearrangementPlanner):
    """Base class of planners that search. A subclass provides the belief and the policy."""

    shows: ClassVar[frozenset[type[Facet]]] = frozenset({Belief, SearchTree, Simulations, Ranking, GoalProgress, Plan})
    parameters: SearchParameters

    def begin(self, goal: Goal, schemas: tuple[ActionSchema, ...], seed: int) -> None:
        """Starts a new episode. Until its machine code is there, the search runs interpreted, with the same results."""
        super().begin(goal, schemas, seed)
        preparation()
        self._visited: dict[Key, None] = {}
        self._deepen_requests: list[tuple[Action | None, int]] = []
        self._ranking: Ranking | None = None
        self._finished = Finished(None)

    @classmethod
    def why(cls, decision: DecisionEvidence, other: Action) -> tuple[Sentence, ...]:
        """Returns why the search chose an action: from its ranking, its priors and its simulations."""
        return why(decision, other)

    # --- for subclasses to implement ------------------------------------------
    @abstractmethod
    def policy(self) -> Policy | None:
        """Returns the heuristic policy, prepared for one decision."""

    @abstractmethod
    def consult(self, requests: tuple[Request, ...]) -> Generator[Yielded, Sent, None]:
        """Requests the policy's answers for knowledge states."""

    def root_facets(self, search: Search) -> Iterable[Facet]:
        """Returns further facets about the root, to be shown with its ranking."""
        del search
        return ()

    def sees_clutter(self) -> bool:
        """Returns True if the tree branches over all admissible actions: then every visible object can be acted on."""
        return self.parameters.actions == "admissible"

    def forget(self) -> None:
        """Clears the loop guard: another goal changes the knowledge states, and another belief makes other ways worthwhile."""
        self._visited = {}

    def update(self, outcome: Outcome) -> None:
        """Records the executed action. The search that chose it is given up."""
        super().update(outcome)
        self._finished = Finished(None)

    # --- one decision -----------------------------------------------------------
    def choose(self, problem: Problem, knowledge: State) -> Turn:
        """Searches, shows the result, and decides for the best macro.

        A useless object in the hand is put down without a search.
        """
        settings = self.parameters
        relief = problem.relief(knowledge)
        if settings.actions == "macros" and relief:
            return (yield from self.decided(knowledge, relief, "the hand holds nothing of use"))
        search = self.search(problem, knowledge, self.policy())
        while True:
            yield from self._run(search, settings)
            if self.interrupted():
                return None
            if not search.moves:
                if self.banned:
                    return (yield from self.otherwise(problem, knowledge))
                return Decision(None, "nothing is left that can be done")
            decision = yield from self._decide_by_search(search, knowledge)
            if not self._deepen_requests:
                self._ranking = None
                return decision
            self._queue = ()

    def search(self, problem: Problem, knowledge: State, policy: Policy | None) -> Search:
        """Returns a search for the current state, not started yet."""
        settings, task = self.parameters, self._task
        self._visit(knowledge_key(problem, knowledge))
        slots, rows = task.sampled()
        left = max(settings.horizon - task.world.step, LEAST_LEFT)
        visited = self._visited if settings.loop_guard else {}
        refused = task.refusals.memory.refused if settings.strike_refused else frozenset[Action]()
        guard = Guard(problem, knowledge, visited, self.banned | refused, task.names)
        return Search(problem, knowledge, slots, rows, self.options(), policy, self._rng, left, guard)

    def _decide_by_search(self, search: Search, knowledge: State) -> Turn:
        """Shows the result of the search and decides for its best macro. Questions are about this search from here on."""
        self._finished = Finished(search)
        self._ranking = search_facets.ranking(search, self._task, self._planned(search))
        for yielded in self._result(search, self._ranking):
            yield yielded
            if self.interrupted():
                return None
        best = search.ranked()[0]
        because = f"{search.visits()[best]} of {search.simulations} simulations"
        return (yield from self.decided(knowledge, search.moves[best].steps, because))

    def _result(self, search: Search, ranking: Ranking) -> Generator[Facet | tuple[()], None, None]:
        """Yields the facets of a finished search, each as soon as it is made, and checkpoints while the last one is made."""
        yield ranking
        yield from self.root_facets(search)
        yield search_facets.tree(search, self._task)
        yield (yield from search_facets.simulations(search, self._task))

    def _run(self, search: Search, settings: SearchParameters) -> Generator[Yielded, Sent, None]:
        """Simulates with a checkpoint every few milliseconds.

        The facets are updated when the number of simulations has quadrupled, whatever the number of checkpoints in between.
        The caller shows the result of the last simulation.
        """
        shown: Facet | None = None
        root: tuple[Facet, ...] = ()
        due = FIRST_PAUSE
        self._deepen(search)
        since = monotonic() if settings.seconds else 0.0
        for requests in search.run(lambda: self._budget(search, since)):
            if requests:
                yield from self.consult(requests)
            elif search.simulations:
                is_last = search.is_done(self._budget(search, since))
                fresh = (shown is None and is_last) or (search.simulations >= due and not is_last)
                if fresh:
                    while due <= search.simulations:
                        due += min(3 * due, SHOW_EVERY)
                    shown = self._ranking = search_facets.ranking(search, self._task, self._planned(search))
                yield shown if shown is not None else ()
                if fresh and not root:
                    root = tuple(self.root_facets(search))
                    yield from root
                if fresh and not is_last and not self.interrupted():
                    yield search_facets.tree(search, self._task, search_facets.MOST_MEANWHILE)
            self._deepen(search)
            if self.parameters is not settings and replace(self.parameters, simulations=settings.simulations) != settings:
                self._stale = True
            if self.interrupted():
                return

    def _budget(self, search: Search, since: float) -> int:
        """Returns how many simulations to do: no more once the time since a reading of the clock is over, if that decides."""
        p = self.parameters
        if not p.seconds:
            return p.simulations
        return search.simulations if search.is_large or monotonic() - since >= p.seconds else UNBOUNDED

    def _planned(self, search: Search) -> int:
        """Returns the number of simulations to show as the whole: those done if the time decides."""
        return search.simulations if self.parameters.seconds else self.parameters.simulations

    def deepen(self, action: Action | None, visits: int) -> None:
        """Adds simulations at the next checkpoint, or continues a finished search.

        Raises:
            UsageError: no search is running, or the action is not in its ranking.
        """
        ranked = () if self._ranking is None else self._ranking.actions
        if not ranked or (action is not None and not any(action in r.steps for r in ranked)):
            raise UsageError(f"{action or 'nothing'} is not being searched now: choose an action of the ranking while it is")
        self._deepen_requests.append((action, visits))

    def _deepen(self, search: Search) -> None:
        """Passes the operator's requests to the search: for each, the first root edge that contains the action."""
        wanted, self._deepen_requests = self._deepen_requests, []
        for action, visits in wanted:
            ranked = search_facets.ranking(search, self._task, 0).actions
            about = next((k for k, r in enumerate(ranked) if action == r.steps[-1]), None)
            about = next((k for k, r in enumerate(ranked) if action in r.steps), None) if about is None else about
            if action is None or about is not None:
                search.deepen(None if about is None else search.ranked()[about], visits)

    def options(self) -> Options:
        """Returns the search options."""
        settings = self.parameters
        return Options(settings.exploration, settings.discount, settings.depth, settings.precision, settings.actions,
                       settings.rollout, settings.reward, settings.urgency, settings.worlds, settings.final,
                       counting=settings.counting, selection=settings.selection, backup=settings.backup)

    def _visit(self, key: Key) -> None:
        self._visited[key] = None
        while len(self._visited) > MOST_VISITED:
            del self._visited[next(iter(self._visited))]

    # --- what-if questions ------------------------------------------------------
    def what_if(self, question: WhatIf, observation: Observation) -> Iterator[tuple[Facet, ...]]:
        """Runs a new search with this planner's next random numbers. Yields nothing if there is nothing to search.

        Raises:
            UsageError: a parameter does not exist, the belief is about other places, or the simulation is not known.
        """
        task = self._task
        if question.repeat >= 0:
            yield from self._repeated(question.repeat)
            return
        if question.margins:
            yield from self._margins()
            return
        self.parameters = changed(self.parameters, dict(question.parameters))
        self.banned = self.banned if question.banned is None else question.banned
        task.see(observation)
        if isinstance(question.edit, Belief):
            task.take(question.edit)
            self._visited = {}  # as after an edit; the policy's answers are kept, because no new ones can be requested
        problem, knowledge = task.problem()
        if task.progress().reached or not self._workable(problem, knowledge):
            return
        most = min(question.simulations, int(dict(question.parameters).get("simulations", question.simulations)))
        policy = self.policy()
        search = self.search(problem, knowledge, policy and KnownAnswers(policy))
        mark = FIRST
        for _ in search.run(lambda: most):
            if mark <= search.simulations < most:
                mark *= FACTOR
                yield self._answer(search, most)
            else:
                yield ()
        yield self._answer(search, most)

    def _margins(self) -> Iterator[tuple[Facet, ...]]:
        """Yields what would change the present decision, more complete each time."""
        search = self._finished.search
        if search is None or not search.moves:
            return
        for found in margins(search, self._task):
            yield () if found is None else (found,)

    def _repeated(self, number: int) -> Iterator[tuple[Facet, ...]]:
        """Yields the steps of a simulation of the present decision, its world as a belief, and its path in the tree."""
        search = self._finished.search
        if search is None:
            raise UsageError("no search is finished in this turn: go on to its decision, or go back to the turn in which this "
                             "action was searched")
        if number >= search.logged:
            raise UsageError(f"simulation {number + 1} is not kept: only the first {search.logged} are")
        repeated = yield from search.repeat(number)
        yield (simulation_steps(search, self._task, repeated), sampled_belief(search, self._task, repeated),
                tree_along(search, self._task, repeated))

    def _answer(self, search: Search, most: int) -> tuple[Facet, ...]:
        """Returns belief, ranking, tree and plan."""
        if not search.moves:
            return ()
        steps = self.actions_of(search.knowledge, search.best().steps)
        return (self._task.facet(), search_facets.ranking(search, self._task, most), *self.root_facets(search),
                search_facets.tree(search, self._task), Plan(steps, f"{search.simulations} simulations"))


class Finished:
    """The search of the present decision. Copies of the planner share it, because nothing changes it but its planner."""

    def __init__(self, search: Search | None):
        self.search = search

    def __deepcopy__(self, memo: object) -> Finished:
        """Returns itself."""
        del memo
        return self


class Guard:
    """Excludes macros that are banned, were just refused, or lead back to a visited state without new observations."""

    def __init__(self, problem: Problem, knowledge: State, visited: dict[Key, None], refused: Set[Action],
                 names: list[str]):
        self._problem, self._knowledge, self._visited = problem, knowledge, visited
        self._refused, self._names = refused, names

    def __call__(self, macro: Macro) -> bool:
        """Returns True if a macro must not be taken."""
        after = self._knowledge.copy()
        actions = to_actions(self._problem.layout, self._names, macro, int(after.robot[HELD]))
        if not self._refused.isdisjoint(actions):
            return True
        for primitive in macro:
            self._problem.step(after, primitive)
        return not self._problem.reveals_news(after) and knowledge_key(self._problem, after) in self._visited
