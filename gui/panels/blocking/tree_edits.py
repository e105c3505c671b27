"""The operator's edits of a blocking tree, as functions from one tree to the next. The planner adopts the result unchanged."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from core.planners.bcr.recorded_types import BlockingNode, BlockingState, BlockingTree
from core.world.vocabulary import Action

Change = Callable[[BlockingTree], BlockingTree | None]
"""Returns the tree after an edit, or None if the tree no longer has the node."""


def node_of(tree: BlockingTree | None, node_id: int) -> BlockingNode | None:
    """Returns a node by its id, or None."""
    return next((n for n in tree.nodes if n.id == node_id), None) if tree is not None else None


def may_choose(node: BlockingNode) -> bool:
    """Returns True if the operator can choose the node: a candidate that the operator has not already chosen."""
    return node.kind == "action" and (node.state == "candidate" or (node.state == "chosen" and not node.by_operator))


def may_ban(node: BlockingNode) -> bool:
    """Returns True if the node can be banned: a candidate, chosen or not."""
    return node.kind == "action" and node.state in ("candidate", "chosen")


def is_banned_here(node: BlockingNode) -> bool:
    """Returns True if an operator banned the node in the tree, so that the ban can be lifted there."""
    return node.kind == "action" and node.state == "banned" and node.by_operator


def chosen(node_id: int, *, by_operator: bool = True) -> Change:
    """Returns an edit that chooses a candidate. Any other chosen node becomes a candidate again.

    Args:
        node_id: the candidate.
        by_operator: if False, the edit takes back the choice instead.
    """

    def change(tree: BlockingTree) -> BlockingTree | None:
        if node_of(tree, node_id) is None:
            return None
        nodes = []
        for n in tree.nodes:
            if n.id == node_id:
                n = replace(n, state="chosen" if by_operator else "candidate", by_operator=by_operator)
            elif n.state == "chosen":
                n = replace(n, state="candidate", by_operator=False)
            nodes.append(n)
        return replace(tree, nodes=tuple(nodes))

    return change


def in_state(node_id: int, state: BlockingState, *, by_operator: bool) -> Change:
    """Returns an edit that sets the state of a node. A condition and its resolution change together.

    Args:
        node_id: the node.
        state: the new state.
        by_operator: whether the new state is marked as the operator's.
    """

    def change(tree: BlockingTree) -> BlockingTree | None:
        node = node_of(tree, node_id)
        if node is None:
            return None
        pair = {node_id} if node.kind == "action" else _pair(tree, node)
        return replace(tree, nodes=tuple(
            replace(n, state=_fitting(n, state), by_operator=by_operator) if n.id in pair else n for n in tree.nodes))

    return change


def _fitting(node: BlockingNode, state: BlockingState) -> BlockingState:
    """Returns the state for a node: if a condition becomes blocked, its resolution becomes open."""
    return "open" if state == "blocked" and node.kind == "resolution" else state


def _pair(tree: BlockingTree, node: BlockingNode) -> set[int]:
    if node.kind == "condition":
        return {node.id, *(n.id for n in tree.nodes if n.parent == node.id and n.kind == "resolution")}
    return {node.id, node.parent} if node.kind == "resolution" else {node.id}


def added(parent: int, action: Action, words: str) -> Change:
    """Returns an edit that adds a candidate.

    Args:
        parent: the id of the resolution it is added to.
        action: the action.
        words: its text.
    """

    def change(tree: BlockingTree) -> BlockingTree | None:
        if node_of(tree, parent) is None:
            return None
        number = min((n.id for n in tree.nodes), default=0)
        node = BlockingNode(min(number, -1) - 1, parent, "action", words, "candidate", (words, ""), action, certain=False,
                            by_operator=True)
        return replace(tree, nodes=(*tree.nodes, node))

    return change


def removed(parent: int, action: Action) -> Change:
    """Returns an edit that removes an action added by an operator.

    Args:
        parent: the id of the resolution it was added to.
        action: the action.
    """

    def change(tree: BlockingTree) -> BlockingTree | None:
        kept = tuple(n for n in tree.nodes if not (n.parent == parent and n.action == action and n.by_operator))
        return replace(tree, nodes=kept) if len(kept) < len(tree.nodes) else None

    return change
