"""One search: chunks of compiled simulations, and between them the requests to the policy.

The compiled part returns after a chunk of simulations (about two milliseconds), so that the caller can pause the search, show
it or call the policy. Copying and repeating is divided into chunks of counted work, too: nothing holds a command up for long.
Which requests are made, and in which order, depends on the seed and the answers only, not on time or chunks.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from core.search import macros, retrace, rollouts, simulate
from core.search.model import HELD, NOTHING, NOWHERE, OVERSHOOT, Model, State
from core.search.policy_table import empty_table, key_width, with_answer, write_key
from core.search.problem import Macro, Move, Problem
from core.search.rollouts import Belief, Random, Scratch
from core.search.simulate import ANSWERED, FORCED, LIMIT, PAUSE, QUESTIONS, SIMULATIONS, WAITING, Settings
from core.search.translation import to_actions
from core.search.tree import EDGES, NODES, Tree, Trials, empty_log, empty_tree, empty_trials, grown
from core.world.vocabulary import Action

Key = bytes
"""The key of a knowledge state, see `policy_table.write_key`."""
Answer = Mapping[int, float]
"""The policy's answer for a knowledge state: action -> weight, not negative; empty if the reply was not usable."""


@dataclass(frozen=True, slots=True)
class Options:
    """The options of a search. Each field is documented at the planner parameter of the same name."""

    exploration: float = 1.0
    discount: float = 0.95
    depth: int = 0
    precision: float = 0.0
    actions: str = "macros"
    rollout: str = "greedy"
    reward: str = "literals"
    urgency: bool = True
    worlds: str = "common"
    final: str = "visits"
    batch: int = 1
    earned: int = 0
    questions: int = 0
    mixing: float = 0.5
    counting: str = "usual"
    selection: str = "puct"
    backup: str = "mean"


class Request(NamedTuple):
    """A request to the policy.

    Attributes:
        key: the key of the knowledge state, under which the answer is stored.
        knowledge: the knowledge state.
        moves: the actions available there.
        path: the actions from the root to there.
    """

    key: Key
    knowledge: State
    moves: tuple[Move, ...]
    path: tuple[Macro, ...]


class Repeated(NamedTuple):
    """A simulation that was repeated from the log.

    Attributes:
        number: its number, from 0.
        world: the number of its sampled world; -1: none.
        path: the edges of its path in the tree.
        ends: the number of primitive actions up to the end of each edge; those after the last are the rollout's.
        steps: all primitive actions.
        returns: the return from each edge of the path, then that of the rollout.
        before: for each edge of the path before this simulation: simulations through it, the sum of their weights, and the
            weighted sum of their returns.
        weights: for each edge of the path, the weight of its return.
    """

    number: int
    world: int
    path: tuple[int, ...]
    ends: tuple[int, ...]
    steps: tuple[int, ...]
    returns: tuple[float, ...]
    before: tuple[tuple[int, float, float], ...]
    weights: tuple[float, ...]

    @property
    def depth(self) -> int:
        """The number of primitive actions in the tree."""
        return self.ends[-1] if self.ends else 0


class _Memory(NamedTuple):
    """Memory for repeating simulations."""

    trials: Trials
    scratch: Scratch
    random: Random
    returns: npt.NDArray[np.float64]
    ends: npt.NDArray[np.int32]


class Policy(Protocol):
    """The heuristic policy of PUCT."""

    def answer(self, key: Key) -> Answer | None:
        """Returns the stored answer for a knowledge state; None if it has not been requested yet."""


class KnownAnswers:
    """A policy with the stored answers only; without an answer, all actions have the same prior.

    Args:
        policy: the policy whose answers are known.
        key: the state for which there is another answer.
        answer: that answer; None: the stored one.
    """

    def __init__(self, policy: Policy, key: Key | None = None, answer: Answer | None = None):
        self._policy, self._key, self._answer = policy, key, answer

    def answer(self, key: Key) -> Answer:
        """Returns the stored answer, or an empty one."""
        if self._answer is not None and key == self._key:
            return self._answer
        return self._policy.answer(key) or {}


def knowledge_key(problem: Problem, knowledge: State) -> Key:
    """Returns a key that is equal for equal knowledge states of the same problem."""
    key = np.zeros(key_width(problem.model), np.int32)
    write_key(problem.model, knowledge, np.zeros(0, np.int32), False, key)
    return key.tobytes()


FIRST_PAUSE, MOST_WITHOUT_PAUSE, MOST_INTERPRETED = 25, 200, 5
"""Simulations before the first checkpoint, and the maximum between two, if compiled (about 2 milliseconds) and interpreted.

The maxima divide the numbers at which planners show a search (25, 100, 400, 1600 ...): what is shown does not depend on them.
The first one is the number before the first checkpoint times a power of two."""
ACTIONS = {"macros": macros.MACROS, "relevant": macros.RELEVANT, "admissible": macros.ADMISSIBLE}
ROLLOUTS = {"greedy": rollouts.GREEDY, "uniform": rollouts.UNIFORM, "none": rollouts.NONE}
WORLDS = {"common": simulate.COMMON, "each": simulate.EACH, "one": simulate.ONE}
MOST_EDGES = 10_000_000
"""The number of edges (36 bytes each) at which a search bounded by time ends."""
MOST_LOGGED = 4096
"""The number of simulations of a search that are logged, so that they can be repeated and compared."""
ANY_NUMBER = -1
"""No limit on the number of requests."""


class Search:
    """A Monte Carlo tree search from one knowledge state.

    Args:
        problem: the goal and the map.
        knowledge: what is known now; ghosts are NOWHERE.
        ghosts: objects whose locations are sampled.
        belief: [len(ghosts), P] the probability of each location; each row sums to 1.
        options: the search options.
        policy: the heuristic policy; None: uniform priors.
        rng: the source of the seeds.
        steps_left: the horizon if `options.depth` is 0.
        banned: returns True for root actions that must not be taken; if it bans all of them, none is banned.

    Attributes:
        tree: the tree so far.
        log: its first simulations.
        moves: the root actions, in the order of the root's edges.
        root_key: the key of the policy's answer for the root; None until the search has it.
        steps_left: the horizon if `options.depth` is 0.
    """

    def __init__(self, problem: Problem, knowledge: State, ghosts: Sequence[int], belief: npt.NDArray[np.float64],
                 options: Options, policy: Policy | None, rng: np.random.Generator, steps_left: int,
                 banned: Callable[[Macro], bool] = lambda macro: False):
        self.problem, self.knowledge, self.options, self._policy = problem, knowledge, options, policy
        model, horizon = problem.model, _horizon(options, steps_left)
        moves = problem.moves(knowledge, ACTIONS[options.actions])
        self.moves = [move for move in moves if not banned(move.steps)] or moves
        self.steps_left, self._banned, self._seeds = steps_left, banned, rng.integers(0, 2**64, 2, np.uint64)
        self._random = self._seeds[:1].copy()
        self._settings = Settings(
            horizon, float(options.exploration), float(options.discount), ACTIONS[options.actions], ROLLOUTS[options.rollout],
            options.reward == "literals", options.urgency, WORLDS[options.worlds], policy is not None, options.earned,
            float(options.mixing), self._seeds[1], options.counting == "paper", options.selection == "ucb1",
            options.backup == "softmax")
        cumulative = np.cumsum(belief, axis=1)
        cumulative[:, -1:] = 2.0
        self._belief = Belief(np.array(ghosts, np.int32), np.ascontiguousarray(belief, float), cumulative)
        actions = problem.room_for_actions()
        self._scratch = Scratch(actions, np.zeros(len(ghosts), np.int32), np.zeros(len(ghosts), np.int32),
                                np.zeros(model.room_of.size), np.zeros(len(problem.layout.rooms)), np.zeros(0, np.int32))
        width = key_width(model)
        self._table = empty_table(16, width, 256)
        self._trials = empty_trials(max(1, options.batch), model.room_of.size, len(knowledge.where), horizon + OVERSHOOT, width)
        first = next_pause(0, simulate.run.is_compiled)
        self._progress = np.array([0, 0, first, 0, 0, options.questions or ANY_NUMBER, 0, 0], np.int64)
        self._forced, self._tried = np.zeros(0, np.int32), np.zeros(len(self.moves), np.int64)
        self.tree, self.log = empty_tree(*self._spare_capacity()), empty_log(MOST_LOGGED)
        self._extra = 0
        self.root_key: Key | None = None
        self._actions: tuple[tuple[Action, ...], ...] | None = None
        self.tree.used[NODES], self.tree.node_next[0], self.tree.node_parent[0] = 1, -1, -1
        actions[:len(self.moves)] = [move.action for move in self.moves]
        simulate.add_edges(self.tree, 0, actions, len(self.moves), policy is not None)

    def _spare_capacity(self) -> tuple[int, int, int]:
        """Returns capacity for nodes, edges and found objects: enough for a few hundred simulations, and always for one."""
        return 256, 256 * max(16, len(self.moves)) + self._scratch.actions.size, 256 + len(self._belief.ghosts)

    @property
    def simulations(self) -> int:
        """The number of simulations done."""
        return int(self._progress[SIMULATIONS])

    def actions(self, names: Sequence[str]) -> tuple[tuple[Action, ...], ...]:
        """Returns the primitive actions of each root action: the same objects each time, because a search is shown often.

        Args:
            names: index of an object -> its id.
        """
        if self._actions is None:
            layout, held = self.problem.layout, int(self.knowledge.robot[HELD])
            self._actions = tuple(to_actions(layout, names, move.steps, held) for move in self.moves)
        return self._actions

    @property
    def is_large(self) -> bool:
        """Whether the tree has so many edges that a search without a number of simulations should end."""
        return bool(self.tree.used[EDGES] >= MOST_EDGES)

    # --- the loop ---------------------------------------------------------------
    def run(self, budget: Callable[[], int]) -> Generator[tuple[Request, ...], None, None]:
        """Simulates until `budget()` simulations are done.

        Yields:
            () at a checkpoint, or requests to the policy.
        """
        progress = self._progress
        while True:
            progress[LIMIT] = budget() + self._extra
            reason = simulate.run(self.problem.model, self._belief, self.knowledge, self._settings, self.tree, self._tried,
                                  self._trials, self.log, self._table, self._forced, self._scratch, self._random, progress)
            if reason == simulate.ASKS:
                yield from self._request_answers()
            elif reason == simulate.FULL:
                self.tree = yield from grown(self.tree, *self._spare_capacity())
            else:
                yield ()
                progress[PAUSE] = next_pause(self.simulations, simulate.run.is_compiled)
                if reason == simulate.DONE and self.is_done(budget()):
                    return

    def is_done(self, budget: int) -> bool:
        """Returns True if `budget` simulations are done, and those that the operator added."""
        return self.simulations >= budget + self._extra

    def _request_answers(self) -> Generator[tuple[Request, ...], None, None]:
        """Yields requests for the states of the waiting trials that the policy has not answered yet, and stores the answers.

        If no requests are left, the remaining states get an empty answer.
        """
        assert self._policy is not None, "without a policy nothing waits"
        waiting = self._trials.order[:self._progress[WAITING]].tolist()
        rows = {self._trials.key[row].tobytes(): row for row in reversed(waiting)}
        unknown = {key: row for key, row in reversed(rows.items()) if self._policy.answer(key) is None}
        if self._progress[QUESTIONS] != ANY_NUMBER:
            unknown = dict(list(unknown.items())[:self._progress[QUESTIONS]])
            self._progress[QUESTIONS] -= len(unknown)
        if unknown:
            yield tuple(self._request(key, row) for key, row in unknown.items())
        for key, row in rows.items():
            self._table = with_answer(self._table, self._trials.key[row], self._policy.answer(key) or {})
        self.root_key = next((self._trials.key[row].tobytes() for row in waiting if self._trials.node[row] == 0), self.root_key)
        self._progress[ANSWERED] = 1

    def _request(self, key: bytes, row: int) -> Request:
        trials, node = self._trials, int(self._trials.node[row])
        known, where = trials.known[row].copy(), trials.where[row].copy()
        where[~known & (where >= 0)] = NOWHERE
        knowledge = State(trials.robot[row].copy(), trials.opened[row].copy(), where, known, trials.looked[row].copy())
        moves = [self.problem.move(knowledge, int(self.tree.edge_action[edge])) for edge in self.tree.edges(node)]
        return Request(key, knowledge, tuple(moves), self.line(node))

    def line(self, node: int) -> tuple[Macro, ...]:
        """Returns the primitive actions of each edge on the path from the root to a node."""
        state, steps, tree = self.knowledge.copy(), [], self.tree
        for passed in tree.line(node):
            steps.append(self.problem.do(state, int(tree.edge_action[tree.node_parent[passed]])))
            for item, location in tree.observed(passed):
                state.where[item], state.known[item] = location, True
        return tuple(steps)

    # --- other searches with the same random numbers -------------------------------
    @property
    def belief(self) -> npt.NDArray[np.float64]:
        """The belief: [ghosts, P], read-only."""
        belief = self._belief.probability.view()
        belief.setflags(write=False)
        return belief

    def again(self, belief: npt.NDArray[np.float64] | None = None, options: Options | None = None,
              answer: Answer | None = None) -> Search:
        """Returns a search from the same knowledge with the same random numbers, not begun. It asks the policy nothing new.

        Args:
            belief: another belief, as `belief`; None: the same.
            options: other options; None: the same.
            answer: another answer of the policy for the root; None: the same.
        """
        policy = None if self._policy is None else KnownAnswers(self._policy, self.root_key, answer)
        other = Search(self.problem, self.knowledge, self.ghosts, self._belief.probability if belief is None else belief,
                       options or self.options, policy, np.random.default_rng(0), self.steps_left, self._banned)
        other._random, other._settings = self._seeds[:1].copy(), other._settings._replace(world_seed=self._seeds[1])
        return other

    def root_answer(self) -> Answer | None:
        """Returns the policy's answer for the root; None without a policy, or if it was not asked."""
        return None if self._policy is None or self.root_key is None else self._policy.answer(self.root_key)

    # --- the past simulations ------------------------------------------------------
    @property
    def ghosts(self) -> tuple[int, ...]:
        """The objects whose locations are sampled."""
        return tuple(self._belief.ghosts.tolist())

    @property
    def horizon(self) -> int:
        """The maximum number of primitive actions of a simulation; a macro action may pass it."""
        return self._settings.horizon

    @property
    def logged(self) -> int:
        """The number of simulations that can be repeated: the first `MOST_LOGGED`."""
        return min(self.simulations, MOST_LOGGED)

    def summary(self) -> Generator[tuple[()], None, retrace.Summary]:
        """Returns a summary of the logged simulations. Yields a checkpoint after each chunk of a few milliseconds."""
        summary, _ = yield from self._repeat_first(self.logged)
        return summary

    def _repeat_first(self, number: int) -> Generator[tuple[()], None, tuple[retrace.Summary, retrace.Sums]]:
        """Returns a summary of the first `number` simulations, and what they added to each edge. Yields between chunks."""
        found = retrace.empty_summary(number, len(self.problem.wants), len(self._belief.ghosts))
        memory, sums, first = self._memory, retrace.empty_sums(int(self.tree.used[EDGES])), 0
        while first < number:
            last = min(next_pause(first, retrace.summarise.is_compiled), number)
            part = retrace.part_of(found, first, last)
            retrace.summarise(*self._fixed(memory.trials), self.log, *memory[1:], first, part, sums)
            first = last
            yield ()
        return found, sums

    def world(self, number: int) -> list[int]:
        """Returns the locations of the ghosts in a sampled world."""
        trials = self._memory.trials
        simulate.start_trial(self.problem.model, self.knowledge, trials, 0)
        with np.errstate(over="ignore"):
            simulate.enter_world(self.problem.model, self._belief, self._settings, trials, 0, number)
        places: list[int] = trials.where[0, self._belief.ghosts].tolist()
        return places

    def repeated(self, number: int) -> Repeated:
        """Repeats a logged simulation.

        Raises:
            IndexError: it is not logged.
        """
        return finished(self.repeat(number))

    def repeat(self, number: int) -> Generator[tuple[()], None, Repeated]:
        """Returns a repeated simulation, as `repeated`. Yields a checkpoint after each chunk of those before it."""
        if not 0 <= number < self.logged:
            raise IndexError(number)
        memory = self._memory
        _, sums = yield from self._repeat_first(number)
        with np.errstate(over="ignore"):
            count = retrace.repeat(*self._fixed(memory.trials), self.log, number, *memory[1:])
        path = memory.trials.edge[0, :count].tolist()
        trail = memory.scratch.trail
        steps = trail[:np.argmax(trail == NOTHING)].tolist()
        returns = memory.returns[:count + 1].tolist()
        return Repeated(number, int(self.log.world[number]), tuple(path), tuple(memory.ends[:count].tolist()), tuple(steps),
                        tuple(returns), tuple((int(n), float(weight), float(total)) for n, weight, total in
                                              zip(*(of[path] for of in sums), strict=True)),
                        tuple(simulate.weight_of(value, self._settings.softmax) for value in returns[:count]))

    @cached_property
    def _memory(self) -> _Memory:
        """Memory for repeating simulations; each repetition overwrites it."""
        horizon = self._settings.horizon
        columns = self._trials.edge.shape[1]
        model = self.problem.model
        trials = empty_trials(1, model.room_of.size, len(self.knowledge.where), columns, self._trials.key.shape[1])
        return _Memory(trials, retrace.with_trail(self._scratch, horizon), np.zeros(1, np.uint64), np.zeros(columns + 1),
                       np.zeros(columns, np.int32))

    def _fixed(self, trials: Trials) -> tuple[Model, Belief, State, simulate.Settings, Tree, Trials]:
        return self.problem.model, self._belief, self.knowledge, self._settings, self.tree, trials

    # --- the operator -----------------------------------------------------------
    def deepen(self, edge: int | None, visits: int) -> None:
        """Adds simulations to the budget.

        Args:
            edge: the root edge to simulate; None: all root edges, until all have equally many visits.
            visits: the number of simulations for one edge.
        """
        counts = self.visits().tolist()
        edges = range(len(counts)) if edge is None else (edge,)
        more = [e for e in edges for _ in range(max(counts) - counts[e] if edge is None else visits)]
        waiting = self._forced[:self._progress[FORCED]]
        self._forced = np.concatenate((waiting, np.array(more, np.int32)))
        self._progress[FORCED] = len(self._forced)
        self._extra += len(more)

    # --- result -----------------------------------------------------------------
    def visits(self) -> npt.NDArray[np.int64]:
        """Returns the visits of each root edge."""
        return self.tree.edge_visits[:len(self.moves)].copy()

    def priors(self) -> npt.NDArray[np.float64]:
        """Returns the prior of each root edge."""
        return self.tree.edge_prior[:len(self.moves)].copy()

    def values(self) -> list[float | None]:
        """Returns the mean return of each root edge; None before its first visit."""
        return [self.tree.value(edge) for edge in range(len(self.moves))]

    def ranked(self) -> list[int]:
        """Returns the root edges, best first: by visits, then value; or by value (Algorithm 1). Ties go to the higher prior."""
        visits, priors = self.visits(), self.priors()
        known = [-math.inf if value is None else value for value in self.values()]
        if self.options.final == "visits":
            return sorted(range(len(known)), key=lambda e: (-visits[e], -known[e], -priors[e]))
        return sorted(range(len(known)), key=lambda e: (-known[e], -priors[e]))

    def best(self) -> Move:
        """Returns the best root action."""
        return self.moves[self.ranked()[0]]


T = TypeVar("T")


def finished(work: Generator[tuple[()], None, T]) -> T:
    """Runs a generator to its end, ignoring its checkpoints. Returns its result."""
    while True:
        try:
            next(work)
        except StopIteration as end:
            result: T = end.value
            return result


def next_pause(simulations: int, is_compiled: bool) -> int:
    """Returns at which number of simulations to pause next, after so many of them.

    Interpreted, a search pauses in the same places as if it were compiled, and more often: what it shows is the same.
    """
    if not is_compiled:
        return (simulations // MOST_INTERPRETED + 1) * MOST_INTERPRETED
    pause = FIRST_PAUSE
    while pause <= simulations and pause < MOST_WITHOUT_PAUSE:
        pause *= 2
    return pause if pause > simulations else (simulations // MOST_WITHOUT_PAUSE + 1) * MOST_WITHOUT_PAUSE


def _horizon(options: Options, steps_left: int) -> int:
    """Returns the horizon in steps: the depth or the steps left, limited to where the discount falls below the precision."""
    depth = min(options.depth, steps_left) if options.depth else steps_left
    if options.precision > 0 and options.discount < 1:
        depth = min(depth, math.ceil(math.log(options.precision) / math.log(options.discount)))
    return max(1, depth)
