"""The state-space graph: visited states, actions tried in them, and where these led. Paper, section IV-D."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, NamedTuple

from core.world.vocabulary import Value

ROOT, INVALID = 0, 1
"""Two fixed nodes: every episode starts with an edge from ROOT, and every refused action leads to INVALID."""


class Tried(NamedTuple):
    """An action taken in a state.

    Attributes:
        target: the node it last led to.
        reward: the best reward it got on the way there (log-transformed).
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

    def record(self, source: int, action: str, target: int, reward: float) -> None:
        """Records an action.

        The world is partially observable. The last target of an action counts, and the best reward on the way there, because a
        reward that is earned once in an episode is not earned again in the same one.
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
        """Returns the actions that led to another state: neither refused nor without effect."""
        return [(a, t) for a, t in self[node].tried.items() if t.target not in (INVALID, node)]

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
