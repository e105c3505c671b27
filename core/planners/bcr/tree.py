"""The tree of the paper: goals, actions tried for them, conditions that block those, actions that may resolve these."""

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
    """One node; what changes about it is a new node of the same id.

    Attributes:
        id: never used again for another node.
        parent: id, or ROOT for a goal.
        goal: index of the literal of the goal this branch serves.
        action: of an action: what is tried; arguments not known yet are classes or `?property`.
        also: of an action: needs beside those of its verb (a toaster is switched on when the bread is in it).
        need: of a condition: the literal that must hold.
        certain: of an action: it surely has the effect it stands here for; otherwise possibly.
        added: an operator put it here.
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
    """A condition that no longer blocks: what it was, how it was resolved, and at which step."""

    need: Need
    blocked: Action
    by: Action | None
    step: int


class Tree:
    """Frozen nodes in one table; parents stand before their children."""

    def __init__(self) -> None:
        self.nodes: dict[int, Node] = {}
        self._next = 0

    def add(self, parent: int, kind: Kind, goal: int, action: Action | None = None, need: Need | None = None,
            also: tuple[Need, ...] = (), *, certain: bool = True, added: bool = False) -> Node:
        """A new node."""
        node = Node(self._next, parent, kind, goal, action, also, need, certain, added)
        self.nodes[node.id] = node
        self._next += 1
        return node

    def children(self, node_id: int) -> list[Node]:
        """In the order in which they came."""
        return [n for n in self.nodes.values() if n.parent == node_id]

    def below(self, node_id: int) -> Iterator[Node]:
        """Everything under a node, itself not included."""
        for child in self.children(node_id):
            yield child
            yield from self.below(child.id)

    def drop(self, node_id: int) -> None:
        """Take a branch out."""
        for node in (*self.below(node_id), self.nodes[node_id]):
            del self.nodes[node.id]

    def above(self, node: Node) -> Iterator[Node]:
        """From a node's parent to its goal."""
        while node.parent != ROOT:
            node = self.nodes[node.parent]
            yield node

    def leaves(self, resolved: frozenset[Need] = frozenset()) -> list[Node]:
        """Actions that no condition blocks, but for those taken as resolved."""
        blocked = {n.parent for n in self.nodes.values() if n.kind == "condition" and n.need not in resolved}
        return [n for n in self.nodes.values() if n.kind == "action" and n.id not in blocked]

    def depth(self, node: Node) -> int:
        """Blocked actions above a node."""
        return sum(1 for n in self.above(node) if n.kind == "action")

    def rename(self, node_id: int, names: Mapping[str, str]) -> None:
        """A class has become a thing: say so in a node and everything under it."""
        for node in (self.nodes[node_id], *self.below(node_id)):
            self.nodes[node.id] = replace(
                node, also=tuple(_named(n, names) for n in node.also), need=_named(node.need, names) if node.need else None,
                action=Action(node.action.verb, _all(node.action.args, names)) if node.action else None)


def _named(need: Need, names: Mapping[str, str]) -> Need:
    return Need(need.kind, _all(need.args, names))


def _all(args: tuple[str, ...], names: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(names.get(a, a) for a in args)
