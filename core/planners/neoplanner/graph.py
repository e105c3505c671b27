"""The state-space graph: what was seen, what was tried there, and where it led. Paper, section IV-D."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, NamedTuple

from core.world.vocabulary import Value

ROOT, INVALID = 0, 1
"""Two fixed nodes: every episode begins with an edge from the one, every refused action leads to the other."""


class Tried(NamedTuple):
    """An action taken in a state: the node it led to last, and the best reward it got there (log-transformed)."""

    target: int
    reward: float


@dataclass(frozen=True, slots=True)
class State(Value):
    """A node.

    Attributes:
        key: the text that is the state.
        title: what people call it: the room.
        value: V(s).
        visits: n_s.
        menu: |a_s|, how many actions there may be.
        tried: what was done here, in order.
    """

    key: str
    title: str = ""
    value: float = 0.0
    visits: int = 0
    menu: int = 1
    tried: Mapping[str, Tried] = field(default_factory=lambda: MappingProxyType({}))


class StateSpace:
    """A directed graph of states; actions that lead to the same state are one edge. Copies share nothing that changes."""

    def __init__(self) -> None:
        import networkx as nx  # imported here: whoever lists the planners does not need it, and it takes a fifth of a second

        self._graph: Any = nx.DiGraph()
        self._index: dict[str, int] = {}
        self._graph.add_node(ROOT, state=State("", "root"))
        self._graph.add_node(INVALID, state=State("", "invalid"))

    def __deepcopy__(self, memo: dict[int, object]) -> StateSpace:
        made = copy.copy(self)
        made._graph, made._index = self._graph.copy(), dict(self._index)  # attributes are frozen: a shallow copy will do
        return made

    def __len__(self) -> int:
        """States seen."""
        return len(self._index)

    def __getitem__(self, node: int) -> State:
        found: State = self._graph.nodes[node]["state"]
        return found

    def __iter__(self) -> Iterator[int]:
        """Nodes of states, in the order they were first seen."""
        return iter(self._index.values())

    def find(self, key: str) -> int | None:
        """The node of a state, or None."""
        return self._index.get(key)

    def parents(self, node: int) -> list[int]:
        """Nodes with an edge to this one."""
        return list(self._graph.predecessors(node))

    def add(self, key: str, title: str, menu: int) -> int:
        """The node of a state, new or known."""
        node = self._index.get(key)
        if node is None:
            node = INVALID + 1 + len(self._index)
            self._index[key] = node
            self._graph.add_node(node, state=State(key, title, menu=max(1, menu)))
        return node

    def set_value(self, node: int, value: float) -> None:
        """V(s)."""
        self._graph.nodes[node]["state"] = replace(self[node], value=value)

    def visit(self, node: int) -> None:
        """Count an arrival."""
        self._graph.nodes[node]["state"] = replace(self[node], visits=self[node].visits + 1)

    def begin(self, node: int) -> None:
        """An episode begins here."""
        self._graph.add_edge(ROOT, node)
        self.visit(ROOT)
        self.visit(node)

    def record(self, source: int, action: str, target: int, reward: float) -> None:
        """An action was taken.

        The world hides part of its state: where the same action led last counts, and the best reward it got there, because
        what was earned once in an episode is not earned again in the same one.
        """
        state = self[source]
        old = state.tried.get(action)
        if old is not None and old.target == target:
            reward = max(reward, old.reward)
        tried = MappingProxyType({**state.tried, action: Tried(target, reward)})
        self._graph.nodes[source]["state"] = replace(state, tried=tried)
        if old is not None and old.target != target and all(t.target != old.target for t in tried.values()):
            self._graph.remove_edge(source, old.target)
        self._graph.add_edge(source, target)
        self.visit(target)

    def valid(self, node: int) -> list[tuple[str, Tried]]:
        """Actions that led elsewhere: neither refused nor without effect."""
        return [(a, t) for a, t in self[node].tried.items() if t.target not in (INVALID, node)]

    def restore(self, node: int, state: State) -> None:
        """Put a state in as it was saved; edges follow from what was tried."""
        self._graph.nodes[node]["state"] = state
        for tried in state.tried.values():
            self._graph.add_edge(node, tried.target)

    def restore_starts(self, nodes: tuple[int, ...], begun: int) -> None:
        """So many episodes began, in these states."""
        for node in nodes:
            self._graph.add_edge(ROOT, node)
        self._graph.nodes[ROOT]["state"] = replace(self[ROOT], visits=begun)

    def starts(self) -> list[int]:
        """Nodes in which an episode began."""
        return list(self._graph.successors(ROOT))
