"""Converts the tree to the facet shown to an operator, and an edited facet back to operator marks."""

from __future__ import annotations

from core.common.errors import UsageError
from core.goals.literals import Literal
from core.planners.bcr.conditions import CONDITIONS, Need
from core.planners.bcr.recorded_types import BlockingNode, BlockingState, BlockingTree, ResolvedBranch
from core.planners.bcr.selection import Words
from core.planners.bcr.tree import GoalTrees, Node, OperatorMarks
from core.world.action_phrases import definite
from core.world.vocabulary import Action, spaced

SHOWN = 60
"""The maximum number of resolved branches shown: the last ones."""


def shown(trees: GoalTrees, words: Words, chosen: Action | None, banned: frozenset[Action], loops: int) -> BlockingTree:
    """Returns the facet. A condition node of the planner becomes two nodes: the condition and its resolution."""
    nodes: list[BlockingNode] = []
    free = {n.id for n in trees.tree.leaves(trees.marks.resolved)}
    for node in _in_order(trees):
        parent = _resolution(node.parent) if node.parent >= 0 and node.kind == "action" and _is_condition(trees, node) \
            else 2 * node.parent if node.parent >= 0 else -1
        nodes += _facet_nodes(node, parent, trees, words, node.id not in free, chosen, banned)
    history = tuple(ResolvedBranch(words.resolved(b.need), words.action(b.blocked), words.action(b.by) if b.by else "", b.step)
                    for b in trees.history[-SHOWN:])
    return BlockingTree(tuple(nodes), history, loops)


def _in_order(trees: GoalTrees) -> list[Node]:
    return [n for goal in trees.tree.children(-1) for n in (goal, *trees.tree.below(goal.id))]


def _is_condition(trees: GoalTrees, node: Node) -> bool:
    return trees.tree.nodes[node.parent].kind == "condition"


def _resolution(node_id: int) -> int:
    return 2 * node_id + 1


def _wanted(literal: Literal) -> str:
    """Returns what a literal requires of its subject, in short: `on the kitchen table`, `closed`."""
    if literal.target:
        how = {"away": "no longer at"}.get(literal.predicate, literal.predicate)
        return f"{how} {definite(spaced(literal.target))}"
    if literal.predicate == "holds":
        return "in the hand"
    return ", ".join(sorted(map(spaced, literal.states)))


def _facet_nodes(node: Node, parent: int, trees: GoalTrees, words: Words, blocked: bool, chosen: Action | None,
                 banned: frozenset[Action]) -> list[BlockingNode]:
    if node.kind == "goal":
        literal = trees.goals.goal.literals[node.goal]
        done = node.goal in trees.reached and not trees.tree.children(node.id)
        return [BlockingNode(2 * node.id, parent, "goal", str(literal), "reached" if done else "open",
                             (literal.subject_words, _wanted(literal)))]
    if node.kind == "condition" and node.need is not None:
        own, kind, about = node.need in trees.marks.resolved, CONDITIONS[node.need.kind], words.about(node.need)
        return [BlockingNode(2 * node.id, parent, "condition", words.blocks(node.need), "reached" if own else "blocked",
                             (kind.short, about), by_operator=own),
                BlockingNode(_resolution(node.id), 2 * node.id, "resolution", words.resolved(node.need),
                             "reached" if own else "open", (kind.short_resolved, about), by_operator=own)]
    assert node.action is not None, "an action's"
    marks = trees.marks
    state: BlockingState = "blocked" if blocked else "candidate"
    if node.action in marks.banned or node.action in banned:
        state = "banned"
    elif not blocked and node.action in (chosen, marks.chosen):
        state = "chosen"
    own = node.added or node.action in marks.banned or (state == "chosen" and node.action == marks.chosen)
    return [BlockingNode(2 * node.id, parent, "action", words.action(node.action), state, words.short(node.action), node.action,
                         node.certain, own)]


def edited(facet: BlockingTree, before: BlockingTree, trees: GoalTrees) -> OperatorMarks:
    """Returns the operator marks of an edit.

    Args:
        facet: the edited facet.
        before: the facet that was shown.
        trees: the planner's trees.

    Raises:
        UsageError: the edit refers to removed nodes, or adds an action where none can be.
    """
    old = {n.id: n for n in before.nodes}
    marks = OperatorMarks(None, trees.marks.banned, trees.marks.resolved, dict(trees.marks.added))
    for node in facet.nodes:
        if node.state == "chosen" and node.by_operator:
            marks.chosen = node.action
        if node.id < 0:
            _add(node, marks, trees)
        elif node.id in old and node.state != old[node.id].state:
            _change(node, old[node.id].state, marks, trees)
    return _without_removed(facet, old, marks, trees)


def _change(node: BlockingNode, before: BlockingState, marks: OperatorMarks, trees: GoalTrees) -> None:
    if node.action is not None:
        if node.state == "banned":
            marks.banned |= {node.action}
        elif before == "banned":
            marks.banned -= {node.action}
        return
    need = _need(node, trees)
    marks.resolved = marks.resolved | {need} if node.state == "reached" else marks.resolved - {need}


def _need(node: BlockingNode, trees: GoalTrees) -> Need:
    own = trees.tree.nodes.get(node.id // 2)
    if own is None or own.need is None:
        raise UsageError(f"“{node.text}” is no condition of the tree any more: look at the present one")
    return own.need


def _add(node: BlockingNode, marks: OperatorMarks, trees: GoalTrees) -> None:
    parent = trees.tree.nodes.get(node.parent // 2)
    if node.action is None or parent is None or parent.need is None:
        raise UsageError("a resolution is an action below a condition that still blocks: choose one in the tree")
    there = marks.added.get(parent.need, ())
    if node.action not in there:
        marks.added[parent.need] = (*there, node.action)


def _without_removed(facet: BlockingTree, old: dict[int, BlockingNode], marks: OperatorMarks,
                     trees: GoalTrees) -> OperatorMarks:
    """Removes the marks of added actions that the edit no longer contains (an undo)."""
    kept = {n.id for n in facet.nodes}
    for node in old.values():
        own, under = trees.tree.nodes.get(node.id // 2), trees.tree.nodes.get(node.parent // 2)
        added = node.id < 0 or (own is not None and own.added)
        if node.id not in kept and added and under is not None and under.need is not None:
            marks.added[under.need] = tuple(a for a in marks.added.get(under.need, ()) if a != node.action)
    return marks
