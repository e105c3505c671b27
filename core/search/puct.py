"""Monte Carlo tree search over beliefs with PUCT selection: Algorithm 1 of the LLM-MCTS paper, and what makes it work better.

The search knows nothing of language. Where it wants a policy's word it yields a `Request` and goes on when the policy can
answer;
several trials may wait at once, kept apart by virtual loss.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Generator, Sequence
from itertools import accumulate

import numpy as np
import numpy.typing as npt

from core.search import macros as ways
from core.search.model import CLOSE, OPEN, OPENED, PUT, ROOM, WALK, WHERE, Macro, Problem, State, copied, mask
from core.search.nodes import Key, Knowledge, Node, Options, Policy, Request, Trial, knowledge_key
from core.search.rollouts import Rollouts

REWARD = 10.0
"""Of a goal reached, as in the released code."""
CHUNK = 25
"""Simulations between two checkpoints."""
OPTIONS: dict[str, Callable[[Problem, State, int, int], list[Macro]]] = {
    "macros": ways.macros, "relevant": ways.relevant, "admissible": ways.admissible,
}


class Search:
    """One decision's search.

    Args:
        problem: goal and map.
        knowledge: what is known now.
        ghosts: (n, P) belief of the ghosts, rows as in `ghost_slots`; each row sums to 1.
        steps_left: horizon where `options.depth` is 0.
        banned: edges of the root that must not be taken.
    """

    def __init__(self, problem: Problem, knowledge: Knowledge, ghost_slots: Sequence[int], ghosts: npt.NDArray[np.float64],
                 options: Options, policy: Policy, rng: np.random.Generator, steps_left: int,
                 banned: Callable[[Macro], bool] = lambda macro: False):
        self.problem, self.knowledge, self.options, self.policy = problem, knowledge, options, policy
        self.root, self.simulations = Node(), 0
        self._banned, self._draws = banned, _Draws(rng)
        rows = zip(ghost_slots, ghosts, strict=True)
        self._cumulative = [(i, [*accumulate(row[:-1].tolist()), 2.0]) for i, row in rows]
        self._horizon = _horizon(options, steps_left)
        believed = dict(zip(ghost_slots, ghosts.tolist(), strict=True))
        self.rollouts = Rollouts(problem, believed, options, self._horizon, self._draws)
        self._satisfied = problem.satisfied(knowledge.state[WHERE])
        self._worlds: list[list[tuple[int, int]]] = []
        self._tried: list[int] = []
        self._actions = OPTIONS[options.actions]
        self._forced: list[int] = []
        self._extra = 0
        self._ghost_bits = mask(list(ghost_slots))
        self._target_bits = mask([target for want in problem.wants for target in want.targets])
        self._spot_bits = [0] * len(problem.layout.spots)
        for place, spot in enumerate(problem.layout.spot):
            self._spot_bits[spot] |= 1 << place

    # --- the loop ---------------------------------------------------------------
    def run(self, budget: Callable[[], int]) -> Generator[tuple[Request, ...], None, None]:
        """Simulate until `budget()`; yields () as a checkpoint and requests when trials wait for the policy's word."""
        waiting: list[tuple[Trial, Request]] = []
        while self.simulations + len(waiting) < budget() + self._extra:
            trial = Trial(self.knowledge, self.root, self._satisfied)
            request = self._descend(trial)
            if request is None:
                self._finish(trial)
            else:
                known = any(request.key == other.key for _, other in waiting)
                waiting.append((trial, request))
                self._lose(trial, 1)
                if known or len(waiting) >= self.options.batch or trial.node is self.root:
                    yield from self._resume(waiting)
                    waiting = []
            if self.simulations % CHUNK == 0:
                yield ()
        yield from self._resume(waiting)

    def _resume(self, waiting: list[tuple[Trial, Request]]) -> Generator[tuple[Request, ...], None, None]:
        """Have the policy asked, then let the trials go on; one that meets another unknown state waits again."""
        while waiting:
            yield tuple({request.key: request for _, request in waiting}.values())
            again = []
            for trial, _ in waiting:
                self._lose(trial, -1)
                request = self._descend(trial)
                if request is None:
                    self._finish(trial)
                else:
                    again.append((trial, request))
                    self._lose(trial, 1)
            waiting = again

    def _lose(self, trial: Trial, sign: int) -> None:
        """Virtual loss: count the edges of a waiting trial as tried in vain, so that the next trial goes elsewhere."""
        for node, edge, _, _ in trial.path:
            node.counts[edge] += sign
            node.visits += sign

    # --- down -------------------------------------------------------------------
    def _descend(self, trial: Trial) -> Request | None:
        """Down to a leaf, the goal or the horizon; a request when a node is expanded with a word the policy has not given."""
        while trial.depth < self._horizon and not trial.done:
            node = trial.node
            if node.actions is None:
                if node is not self.root and node.visits == 0:
                    return None
                request = self._expand(node, trial)
                if request is not None:
                    return request
            if not node.actions:
                return None
            edge = self._forced.pop() if self._forced and node is self.root else self._select(node)
            if node is self.root and not trial.drawn:
                self._draw(trial, edge)
            self._act(trial, edge)
        return None

    def _expand(self, node: Node, trial: Trial) -> Request | None:
        actions = self._actions(self.problem, trial.state, trial.known, trial.looked)
        if node is self.root:
            allowed = [a for a in actions if not self._banned(a)]
            actions = allowed or actions
        key = self._key(trial)
        priors = self.policy.distribution(key, actions) if len(actions) > 1 else [1.0] * len(actions)
        if priors is None:
            path = tuple(n.actions[e] for n, e, _, _ in trial.path if n.actions)
            return Request(key, self._knowledge(trial), tuple(actions), path)
        node.fill(actions, priors)
        if node is self.root:
            self._tried = [0] * len(actions)
        return None

    def _key(self, trial: Trial) -> Key:
        """What the policy's answers are kept by: the knowledge state; for macros, only as much of it as bears on the answer.

        Once nothing is left to find, it no longer matters what was looked into; nor does it matter at which spot the robot
        stands
        or what is open, where no goal thing lies, belongs or may be.
        """
        knowledge = Knowledge(trial.state, trial.known, trial.looked)
        if self.options.actions != "macros":
            return knowledge_key(self.problem, knowledge)
        room, at, near, held, opened, where = trial.state
        known = trial.known
        matters = self._target_bits
        for i in range(self.problem.task):
            if known >> i & 1 and where[i] >= 0:
                matters |= 1 << where[i]
        finding = self._ghost_bits & ~known
        here = self._spot_bits[at] if at >= 0 else 0
        if not here & (matters | (~trial.looked if finding else 0)):
            at = -1
        placed = tuple(where[i] if known >> i & 1 else -2 for i in range(self.problem.task))
        return (room, at, near, held, opened & matters, trial.looked if finding else -1, placed)

    def _knowledge(self, trial: Trial) -> Knowledge:
        """What the robot would know in a simulated state: ghosts it has not met are nowhere."""
        state = copied(trial.state)
        state[WHERE] = [p if trial.known >> i & 1 or p == -1 else -2 for i, p in enumerate(state[WHERE])]
        return Knowledge(state, trial.known, trial.looked)

    def _select(self, node: Node) -> int:
        """PUCT: Q + c·prior·sqrt(N)/(n+1); edges are sorted by prior, so only the first unvisited one can win among its like.

        With `urgency`, an unvisited edge has the value of the best visited one; sqrt(N+1) lets the prior speak on the first
        visit.
        """
        counts, totals, priors = node.counts, node.totals, node.priors
        root = self.options.exploration * math.sqrt(node.visits + 1)
        best, chosen, fresh, top = -math.inf, 0, -1, 0.0
        for edge, count in enumerate(counts):
            if count:
                mean = totals[edge] / count
                top = max(top, mean)
                score = mean + root * priors[edge] / (1 + count)
                if score > best:
                    best, chosen = score, edge
            elif fresh < 0:
                fresh = edge
        if fresh >= 0 and (top if self.options.urgency else 0.0) + root * priors[fresh] > best:
            return fresh
        return chosen

    def _draw(self, trial: Trial, edge: int) -> None:
        """Sample a world. With common worlds the n-th try of every action of the root meets the n-th world."""
        trial.drawn = True
        if self.options.worlds != "each":
            number = self._tried[edge] if self.options.worlds == "common" else 0
            self._tried[edge] += 1
            if number == len(self._worlds):
                self._worlds.append(self._sample())
            world = self._worlds[number]
        else:
            world = self._sample()
        for slot, place in world:
            trial.state[WHERE][slot] = place
        trial.satisfied = self.problem.satisfied(trial.state[WHERE])

    def _sample(self) -> list[tuple[int, int]]:
        return [(slot, bisect_left(cumulative, self._draws())) for slot, cumulative in self._cumulative]

    def _act(self, trial: Trial, edge: int) -> None:
        """Do an edge's macro in the sampled world, and go to the child of what was observed."""
        node, state, problem = trial.node, trial.state, self.problem
        assert node.actions is not None
        reward, discount = 0.0, 1.0
        found: list[tuple[int, int]] = []
        for action in node.actions[edge]:
            done = problem.step(action, state)
            trial.depth += 1
            if action < WALK or OPEN <= action < CLOSE:
                found += self._see(trial)
            elif PUT <= action < OPEN:
                reward += discount * self._gain(trial)
            discount *= self.options.discount
            if not done:
                break
        trial.path.append((node, edge, reward, discount))
        children = node.children[edge]
        key = tuple(found)
        child = children.get(key)
        if child is None:
            child = children[key] = Node()
            child.reached = trial.done
        trial.node = child

    def _see(self, trial: Trial) -> list[tuple[int, int]]:
        """Slots located by what has come into sight."""
        state = trial.state
        new = self.problem.shown(state[ROOM], state[OPENED]) & ~trial.looked
        if not new:
            return []
        trial.looked |= new
        found = []
        for slot, place in enumerate(state[WHERE]):
            if place >= 0 and new >> place & 1 and not trial.known >> slot & 1:
                trial.known |= 1 << slot
                found.append((slot, place))
        return found

    def _gain(self, trial: Trial) -> float:
        """The reward of a put: each literal's share as it is reached, or all at the goal."""
        satisfied = self.problem.satisfied(trial.state[WHERE])
        gained, trial.satisfied = satisfied - trial.satisfied, satisfied
        trial.done = satisfied >= self.problem.size
        if self.options.reward == "literals":
            return REWARD * gained / self.problem.size
        return REWARD if trial.done and gained else 0.0

    # --- and up -----------------------------------------------------------------
    def _finish(self, trial: Trial) -> None:
        """Roll out, and back the return up."""
        leaf, returned = trial.node, 0.0
        if not trial.done and trial.depth < self._horizon:
            if not trial.drawn:
                self._draw(trial, 0)
            returned = self.rollouts(trial.state, trial.known, trial.looked, trial.depth)
        if leaf.actions is None:
            leaf.visits += 1
        for node, edge, reward, discount in reversed(trial.path):
            returned = reward + discount * returned
            node.visits += 1
            node.counts[edge] += 1
            node.totals[edge] += returned
        self.simulations += 1

    # --- the operator -----------------------------------------------------------
    def deepen(self, edge: int | None, visits: int) -> None:
        """More simulations, beyond the budget: through one edge of the root, or through all until none has fewer than any."""
        counts = self.root.counts
        edges = range(len(counts)) if edge is None else (edge,)
        more = [e for e in edges for _ in range(max(counts) - counts[e] if edge is None else visits)]
        self._forced += more
        self._extra += len(more)

    # --- the outcome ------------------------------------------------------------
    def ranked(self) -> list[int]:
        """Edges of the root, best first: by visits then value, or (Algorithm 1) by value; ties go to the likelier."""
        root = self.root
        values = [root.value(e) for e in range(len(root.actions or ()))]
        known = [-math.inf if v is None else v for v in values]
        if self.options.final == "visits":
            return sorted(range(len(known)), key=lambda e: (-root.counts[e], -known[e], -root.priors[e]))
        return sorted(range(len(known)), key=lambda e: (-known[e], -root.priors[e]))


def _horizon(options: Options, steps_left: int) -> int:
    """Steps a simulation goes: the search depth or what is left, and no further than the discount's precision reaches."""
    depth = min(options.depth, steps_left) if options.depth else steps_left
    if options.precision > 0 and options.discount < 1:
        depth = min(depth, math.ceil(math.log(options.precision) / math.log(options.discount)))
    return max(1, depth)


class _Draws:
    """Uniform numbers in [0, 1), drawn in blocks because one at a time is slow."""

    def __init__(self, rng: np.random.Generator):
        self._rng = rng
        self._block: list[float] = []

    def __call__(self) -> float:
        if not self._block:
            self._block = self._rng.random(256).tolist()
        return self._block.pop()
