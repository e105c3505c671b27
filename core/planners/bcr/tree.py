"""The tree of the paper: goals, actions for them, conditions that block these actions, and actions that resolve those."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from core.planners.bcr.blocking_table import Need
from core.world.vocabulary import Action, Value

Kind = Literal["goal", "action", "condition"]
ROOT = -1


@dataclass(frozen=True, slots=True)
class Node(Value):
    """One immutable node; a changed node replaces the old one under the same id.

    Attributes:
        id: never reused for another node.
        parent: id, or ROOT for a goal.
        kind: goal, action or condition.
        goal: index of the goal literal this branch serves.
        action: of an action node: the action; arguments not known yet are classes or `?property`.
        also: of an action node: needs beyond those of its verb (a toaster is switched on when the bread is in it).
        need: of a condition node: the literal that must hold.
        certain: of an action node: True if it surely has the effect it is chosen for, False if possibly.
        added: True if an operator added it.
    """

    id: int
    parent: int
    kind: Kind
    goal: int
    action: Action | None = None
    also: tuple[Need, ...] = ()
    need: Need | None = None
    certain: bool = True
    added: bool = False


@dataclass(frozen=True, slots=True)
class Branch(Value):
    """A condition that no longer blocks.

    Attributes:
        need: the literal that did not hold.
        blocked: the action it blocked.
        by: the action that resolved it.
        step: the step at which it was resolved.
    """

    need: Need
    blocked: Action
    by: Action | None
    step: int


class Tree:
    """A table of nodes, parents before their children."""

    def __init__(self) -> None:
        self.nodes: dict[int, Node] = {}
        self._next = 0

    def add(self, parent: int, kind: Kind, goal: int, action: Action | None = None, need: Need | None = None,
            also: tuple[Need, ...] = (), *, certain: bool = True, added: bool = False) -> Node:
        """Adds a node and returns it."""
        node = Node(self._next, parent, kind, goal, action, also, need, certain, added)
        self.nodes[node.id] = node
        self._next += 1
        return node

    def children(self, node_id: int) -> list[Node]:
        """Returns the children of a node in the order of their creation."""
        return [n for n in self.nodes.values() if n.parent == node_id]

    def below(self, node_id: int) -> Iterator[Node]:
        """Yields all descendants of a node."""
        for child in self.children(node_id):
            yield child
            yield from self.below(child.id)

    def drop(self, node_id: int) -> None:
        """Removes a node and its descendants."""
        for node in (*self.below(node_id), self.nodes[node_id]):
            del self.nodes[node.id]

    def above(self, node: Node) -> Iterator[Node]:
        """Yields the ancestors of a node, from its parent to its goal."""
        while node.parent != ROOT:
            node = self.nodes[node.parent]
            yield node

    def leaves(self, resolved: frozenset[Need] = frozenset()) -> list[Node]:
        """Returns the actions that no condition blocks, except conditions marked as resolved."""
        blocked = {n.parent for n in self.nodes.values() if n.kind == "condition" and n.need not in resolved}
        return [n for n in self.nodes.values() if n.kind == "action" and n.id not in blocked]

    def depth(self, node: Node) -> int:
        """Returns the number of blocked actions above a node."""
        return sum(1 for n in self.above(node) if n.kind == "action")

    def rename(self, node_id: int, names: Mapping[str, str]) -> None:
        """Replaces classes by the ids of found objects in a node and its descendants."""
        for node in (self.nodes[node_id], *self.below(node_id)):
            self.nodes[node.id] = replace(
                node, also=tuple(_named(n, names) for n in node.also), need=_named(node.need, names) if node.need else None,
                action=Action(node.action.verb, _all(node.action.args, names)) if node.action else None)


def _named(need: Need, names: Mapping[str, str]) -> Need:
    return Need(need.kind, _all(need.args, names))


def _all(args: tuple[str, ...], names: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(names.get(a, a) for a in args)
