"""The state-space graph of NeoPlanner: visited states with their values, and the selection of a path through them.

The graph is that of section IV-D of the paper, values follow equations 1 to 5, the selection is section IV-A, `selectplan`, and
the chance of the exploration objective is equation 6. PAPER follows the text literally; TUNED differs in the parameters that
PAPER sets.
"""

from __future__ import annotations

import copy
import math
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, NamedTuple

from core.common.parameters import Parameters, parameter
from core.planners.neoplanner.recorded_types import PathBound, Scores, StateEdge, StateGraph, StateNode
from core.world.vocabulary import Value


# --- parameters -------------------------------------------------------------------
@dataclass(frozen=True)
class NeoParameters(Parameters):
    """Parameters of NeoPlanner; the help texts give the paper's names of the constants."""

    graph: bool = parameter(True, "plan on the state-space graph and avoid what was tried; off: only what the model proposes")
    exploration: float = parameter(0.9, "C: weight of the exploration term (eq. 1)", low=0, high=100)
    step_size: float = parameter(0.2, "alpha: step size of the TD update (eq. 5)", low=0.001, high=1)
    decay: float = parameter(0.9, "gamma: decay of later rewards (eq. 5)", low=0, high=1)
    nonlinearity: float = parameter(3.0, "n: how fast K falls as actions are tried (eq. 4)", low=1, high=20)
    sweeps: int = parameter(10, "i: TD sweeps after each round at most", low=1, high=1000)
    threshold: float = parameter(0.2, "sweeps end when the mean absolute change of the values is below this", low=0, high=10)
    default_value: float = parameter(0.0, "V default: value of a state not visited yet (eq. 2)", low=-10, high=10)
    edge_rewards: bool = parameter(True, "choose among ways on by reward and value of what follows; off: by its value alone")
    best_reward: bool = parameter(True, "an edge keeps the best reward it ever got; off: the last one (section IV-D)")
    skip_loops: bool = parameter(True, "a path never comes back to a state; off: it ends where the best way on comes back")
    skip_idle: bool = parameter(True, "actions without effect count neither in values nor as ways on; off: they are edges from "
                                      "a state to itself like any other")
    menu_per_thing: float = parameter(3.0, "actions worth trying in a state, for each thing in sight (|a_s|); "
                                           "0: every filling of every kind of action", low=0, high=100)
    open_loop: bool = parameter(False, "ask before the known path is executed, then execute path and proposal to the "
                                       "end without checks; off: an unexpected result ends the plan")
    rounds: int = parameter(4, "j: rounds of planning and doing in an episode", low=1, high=100)
    horizon: int = parameter(8, "proposed actions done in a round", low=1, high=200)
    ask_again: bool = parameter(True, "ask again within a round when an answer is done before the horizon")
    tries: int = parameter(2, "answers to a question until one is usable, at most", low=1, high=10)
    listed: bool = parameter(True, "servers that can are asked to answer only with a list of actions")
    guess: bool = parameter(True, "take a random action if no answer was usable; off: do only the known way")
    only_known_kinds: bool = parameter(True, "leave out proposed actions of no allowed kind, and first ones to be avoided; "
                                             "off: do every sentence of an answer that is a list")
    explore: float = parameter(0.3, "sigma: the objective is to explore with a chance of sigma/ln N (eq. 6)", low=0, high=0.5)
    explore_from: int = parameter(2, "N of eq. 6 before the first exploration; with N below 2 the chance is 1", low=0, high=100)
    learner: bool = parameter(True, "write down after each episode what was learnt, and read it in the next")
    most_learnings: int = parameter(400, "lines kept of what was learnt", low=1, high=5000)
    lessons: bool = parameter(False, "learn after a success too; in the suite scienceworld begin with what was learnt in the "
                                     "tasks before (section VI); off: begin with a blank memory")
    trace: int = parameter(40, "steps of the episode that the prompt tells; -1: all", low=-1, high=500)
    remarks: bool = parameter(True, "tell with the steps how the score changed and how each room looked last; off: actions and "
                                    "observations only")
    temperature: float = parameter(0.5, "temperature of the proposals; -1: as the model is set", low=-1, high=2)
    stand_in: str = parameter("words", "how the offline provider (not an LLM) answers: plain rules with a table of everyday "
                                       "words, plain rules, or careful random", choices=("words", "rules", "random"))
    memory: str = parameter("", "file (JSON) that graph and learnings are resumed from and saved to after each episode; "
                                "empty: a blank memory")


TUNED = NeoParameters()
PAPER = NeoParameters(
    threshold=0.001, edge_rewards=False, best_reward=False, skip_loops=False, skip_idle=False, menu_per_thing=0.0,
    open_loop=True, horizon=200, ask_again=False, tries=10, listed=False, guess=False, only_known_kinds=False, explore_from=0,
    most_learnings=5000, lessons=True, trace=-1, remarks=False)
"""The paper's algorithm. One reply for each round is appended to the known way, and all of it is executed without a check
(`solve`). Only V(s') decides among known actions; an edge keeps its last reward; |a_s| counts every possible sentence.

The paper states sigma = 0.3. It does not state C, alpha, gamma, n, V default, i, j and the threshold: C to j are those of
the released code. The threshold of the code, 0.2, would end the updates after one sweep on a chain of five states, so it is
smaller here.

TUNED changes what keeps these settings from completing a small world: V(s') does not include the reward on the way to s', and
rewards given once in an episode look to the graph like rewards for repeating a loop."""


# --- the graph --------------------------------------------------------------------
ROOT, INVALID = 0, 1
"""Two fixed nodes: every episode starts with an edge from ROOT, and every refused action leads to INVALID."""


class Tried(NamedTuple):
    """An action taken in a state.

    Attributes:
        target: the node it last led to.
        reward: the reward on the way there (log-transformed): the best one or the last one, see `StateSpace.record`.
    """

    target: int
    reward: float


@dataclass(frozen=True, slots=True)
class State(Value):
    """A node.

    Attributes:
        key: the text that identifies the state.
        title: the name for people: the room.
        value: V(s).
        visits: n_s.
        menu: |a_s|, the number of possible actions.
        tried: the actions taken here, in order.
    """

    key: str
    title: str = ""
    value: float = 0.0
    visits: int = 0
    menu: int = 1
    tried: Mapping[str, Tried] = field(default_factory=lambda: MappingProxyType({}))


class StateSpace:
    """A directed graph of states. Actions that lead to the same state share an edge. Copies are independent."""

    def __init__(self) -> None:
        import networkx as nx  # imported here because it takes a fifth of a second and listing the planners does not need it

        self._graph: Any = nx.DiGraph()
        self._index: dict[str, int] = {}
        self._graph.add_node(ROOT, state=State("", "root"))
        self._graph.add_node(INVALID, state=State("", "invalid"))

    def __deepcopy__(self, memo: dict[int, object]) -> StateSpace:
        made = copy.copy(self)
        made._graph, made._index = self._graph.copy(), dict(self._index)  # attributes are frozen, so a shallow copy is enough
        return made

    def __len__(self) -> int:
        """Returns the number of visited states."""
        return len(self._index)

    def __getitem__(self, node: int) -> State:
        found: State = self._graph.nodes[node]["state"]
        return found

    def __iter__(self) -> Iterator[int]:
        """Iterates over the nodes of states in the order of their first visit."""
        return iter(self._index.values())

    def find(self, key: str) -> int | None:
        """Returns the node of a state, or None."""
        return self._index.get(key)

    def parents(self, node: int) -> list[int]:
        """Returns the nodes with an edge to this one."""
        return list(self._graph.predecessors(node))

    def add(self, key: str, title: str, menu: int) -> int:
        """Returns the node of a state, new or existing."""
        node = self._index.get(key)
        if node is None:
            node = INVALID + 1 + len(self._index)
            self._index[key] = node
            self._graph.add_node(node, state=State(key, title, menu=max(1, menu)))
        return node

    def set_value(self, node: int, value: float) -> None:
        """Sets V(s)."""
        self._graph.nodes[node]["state"] = replace(self[node], value=value)

    def visit(self, node: int) -> None:
        """Counts a visit."""
        self._graph.nodes[node]["state"] = replace(self[node], visits=self[node].visits + 1)

    def begin(self, node: int) -> None:
        """Records the start of an episode in this state."""
        self._graph.add_edge(ROOT, node)
        self.visit(ROOT)
        self.visit(node)

    def record(self, source: int, action: str, target: int, reward: float, *, best: bool = True) -> None:
        """Records an action: section IV-D, and "add or update a, r(s, a) as edge" in `updatestatespacegraph`.

        The world is partially observable. The last target of an action counts.

        Args:
            source: the node of the state in which it was taken.
            action: the sentence.
            target: the node it led to.
            reward: its reward (log-transformed).
            best: keep the best reward on the way there, because a reward that is earned once in an episode is not earned
                again in the same one. False: keep this one, as in the paper.
        """
        state = self[source]
        old = state.tried.get(action)
        if best and old is not None and old.target == target:
            reward = max(reward, old.reward)
        tried = MappingProxyType({**state.tried, action: Tried(target, reward)})
        self._graph.nodes[source]["state"] = replace(state, tried=tried)
        if old is not None and old.target != target and all(t.target != old.target for t in tried.values()):
            self._graph.remove_edge(source, old.target)
        self._graph.add_edge(source, target)
        self.visit(target)

    def valid(self, node: int, *, skip_idle: bool = True) -> list[tuple[str, Tried]]:
        """Returns the actions that were not refused; with `skip_idle` only those that led to another state."""
        return [(a, t) for a, t in self[node].tried.items() if t.target != INVALID and not (skip_idle and t.target == node)]

    def restore(self, node: int, state: State) -> None:
        """Restores a saved state and the edges of its tried actions."""
        self._graph.nodes[node]["state"] = state
        for tried in state.tried.values():
            self._graph.add_edge(node, tried.target)

    def restore_starts(self, nodes: tuple[int, ...], begun: int) -> None:
        """Restores the start states and the number of episodes."""
        for node in nodes:
            self._graph.add_edge(ROOT, node)
        self._graph.nodes[ROOT]["state"] = replace(self[ROOT], visits=begun)

    def starts(self) -> list[int]:
        """Returns the nodes in which episodes started."""
        return list(self._graph.successors(ROOT))


# --- values -----------------------------------------------------------------------
def transformed(reward: float) -> float:
    """Returns sign(r) ln(1 + |r|), so that large rewards do not dominate small ones."""
    return math.copysign(math.log1p(abs(reward)), reward) if reward else 0.0


def sweep(space: StateSpace, p: NeoParameters) -> int:
    """Runs TD(0) over all states until the mean absolute change is small (eq. 5). Returns the number of sweeps.

    Later states are updated first, so that one sweep propagates a reward back along a path; the paper states no order.
    """
    nodes = list(space)[::-1]
    for done in range(p.sweeps):
        change = 0.0
        for node in nodes:
            before = value = space[node].value
            for _, tried in space.valid(node, skip_idle=p.skip_idle):
                value += p.step_size * (tried.reward + p.decay * space[tried.target].value - value)
            if value != before:
                space.set_value(node, value)
                change += abs(value - before)
        if change / max(1, len(nodes)) < p.threshold:
            return done + 1
    return p.sweeps


def untried(space: StateSpace, node: int, p: NeoParameters) -> float:
    """Returns K_s: the share of the state's actions that were not tried, to the power n (eq. 4)."""
    state = space[node]
    return float(max(0.0, (state.menu - len(state.tried)) / state.menu) ** p.nonlinearity)


def bonus(space: StateSpace, node: int, p: NeoParameters) -> float:
    """Returns the exploration term C sqrt(ln N / n_s), where N is the visits of all its parents (eq. 1)."""
    visits = sum(space[parent].visits for parent in space.parents(node))
    return p.exploration * math.sqrt(math.log(max(1, visits)) / max(1, space[node].visits))


def worth(space: StateSpace, tried: Tried, p: NeoParameters) -> float:
    """Returns the value of a transition without exploration: V(s'), optionally with the reward on the way."""
    value = space[tried.target].value
    return tried.reward + p.decay * value if p.edge_rewards else value


def exploring(space: StateSpace, node: int, p: NeoParameters) -> float:
    """Returns the upper bound of trying a new action here (eq. 2)."""
    return p.default_value + untried(space, node, p) * p.exploration * math.sqrt(math.log(max(1, space[node].visits)))


def known_bound(space: StateSpace, node: int, tried: Tried, p: NeoParameters) -> float:
    """Returns the bound of a known action in a state: V(s') + K_s C sqrt(ln N / n_s') (eq. 3)."""
    return worth(space, tried, p) + untried(space, node, p) * bonus(space, tried.target, p)


def explore_chance(p: NeoParameters, explored: int) -> float:
    """Returns P_explore = sigma / ln N (eq. 6).

    The equation gives no probability for N of 0 and 1, where ln N is not positive; there the chance is 1, unless sigma is 0.

    Args:
        p: the parameters; N starts at `explore_from`.
        explored: how often the exploration objective has been used.
    """
    count = p.explore_from + explored
    return min(1.0, p.explore / math.log(count)) if count > 1 else float(p.explore > 0)


# --- selection of a path ----------------------------------------------------------
@dataclass(frozen=True, slots=True)
class Leg(Value):
    """One action of a selected path and its expected next state."""

    action: str
    target: int


@dataclass(frozen=True, slots=True)
class Selection(Value):
    """A path through known states.

    Attributes:
        path: the actions.
        end: the last state of the path, where new actions are requested.
        avoid: the actions tried there.
        because: why it ends: a leaf, exploring is better, a loop.
        bounds: what was compared in each state of the path.
    """

    path: tuple[Leg, ...]
    end: int
    avoid: tuple[str, ...]
    because: str
    bounds: tuple[PathBound, ...] = ()


def select(space: StateSpace, here: int, p: NeoParameters, banned: Collection[str] = ()) -> Selection:
    """Returns the path from the current state (`selectplan`). It contains no refused or banned actions.

    At each state the action with the largest V+ is taken (eq. 1), as in the paper's algorithm. The path ends if a new action
    has a larger bound (eq. 2) than that action (eq. 3).
    """
    path, bounds = list[Leg](), list[PathBound]()
    seen, node = {here}, here
    while True:
        known = space.valid(node, skip_idle=p.skip_idle)
        ways = [(a, t) for a, t in known if a not in banned and not (p.skip_loops and t.target in seen)]
        action, tried = best_way(space, ways, p) if ways else ("", None)
        new, bound = exploring(space, node, p), None if tried is None else known_bound(space, node, tried, p)
        bounds.append(PathBound(node, space[node].visits, space[node].value, untried(space, node, p), new, bound, action))
        if tried is None or bound is None:
            because = "leaf"
            break
        if new > bound:
            because = "exploring"
            break
        if tried.target in seen:
            because = "loop"
            break
        path.append(Leg(action, tried.target))
        seen.add(tried.target)
        node = tried.target
    return Selection(tuple(path), node, tuple(space[node].tried), because, tuple(bounds))


def best_way(space: StateSpace, ways: Sequence[tuple[str, Tried]], p: NeoParameters) -> tuple[str, Tried]:
    """Returns the known action with the largest V+ of the state it leads to (eq. 1)."""
    return max(ways, key=lambda way: worth(space, way[1], p) + bonus(space, way[1].target, p))


# --- facets -----------------------------------------------------------------------
LONGEST = 90
CARRIED = re.compile(r"^\s+(?:an?|the|some)?\s*(.+?)(?:[,.(].*)?$")


def shown(space: StateSpace, here: int, selection: Selection, p: NeoParameters) -> StateGraph:
    """Returns all states, the current state, and the selected path."""
    nodes = tuple(_node(space, n, p) for n in space)
    edges = tuple(edge for n in space for edge in _edges(space, n))
    path = (here, *(leg.target for leg in selection.path))
    refused = tuple(a for a in selection.avoid if _refused(space, selection.end, a))
    return StateGraph(nodes, edges, here, path, selection.avoid, refused, tuple(space.starts()), selection.because,
                      selection.bounds)


def _refused(space: StateSpace, node: int, action: str) -> bool:
    tried = space[node].tried.get(action)
    return tried is not None and tried.target == INVALID


def _node(space: StateSpace, node: int, p: NeoParameters) -> StateNode:
    state = space[node]
    refused = sum(t.target == INVALID for t in state.tried.values())
    ways = space.valid(node, skip_idle=p.skip_idle)
    bound = known_bound(space, node, best_way(space, ways, p)[1], p) if ways else None
    return StateNode(node, state.title, detail(state.key), state.value, state.value + bonus(space, node, p), state.visits,
                     len(state.tried), refused, state.menu, _frontier(space, node, p), untried(space, node, p),
                     exploring(space, node, p), bound)


def _frontier(space: StateSpace, node: int, p: NeoParameters) -> bool:
    """Returns True if a plan that reaches this state ends here."""
    bounds = [known_bound(space, node, t, p) for _, t in space.valid(node, skip_idle=p.skip_idle)]
    return not bounds or exploring(space, node, p) > max(bounds)


def _edges(space: StateSpace, node: int) -> Collection[StateEdge]:
    found: dict[int, list[str]] = {}
    rewards: dict[int, float] = {}
    for action, tried in space[node].tried.items():
        found.setdefault(tried.target, []).append(action)
        rewards[tried.target] = max(tried.reward, rewards.get(tried.target, tried.reward))
    return [StateEdge(node, target, tuple(actions), rewards[target]) for target, actions in found.items()]


def detail(key: str) -> str:
    """Returns the carried objects and notes from the text of a state."""
    scene, _, notes = key.partition("\nNOTES ")
    lines = scene.rpartition("\nACCESS ")[2].splitlines()
    carried = [found.group(1).removeprefix("substance called ") for line in lines if (found := CARRIED.match(line))]
    parts = [notes, f"carrying {', '.join(carried)}" if carried else ""]
    return " · ".join(part for part in parts if part)[:LONGEST]


MOST_POINTS = 4000

NOTHING = Scores(((0, 0.0),), (), 0, 0.0, 0.0, 0)


def after_action(now: Scores, score: float) -> Scores:
    """Returns the scores after one more interaction."""
    count = now.interactions + 1
    points = now.points if score == now.score else (*now.points, (count, score))[-MOST_POINTS:]
    best, best_at = (score, count) if score > now.best else (now.best, now.best_at)
    return Scores(points, now.ends, count, score, best, best_at, now.most)


def after_episode(now: Scores) -> Scores:
    """Returns the scores after the end of an episode; the next one starts at 0."""
    ends = (*now.ends, (now.interactions, now.score))[-MOST_POINTS:]
    points = now.points if now.score == 0 else (*now.points, (now.interactions, 0.0))[-MOST_POINTS:]
    return Scores(points, ends, now.interactions, 0.0, now.best, now.best_at, now.most)
