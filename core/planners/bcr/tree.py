"""The tree of the paper: goals, actions for them, conditions that block these actions, and actions that resolve those.

`GoalTrees` updates it to the situation: resolved conditions go, new resolutions come, and what blocks a tried action is added.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal as Choice

from core.goals.kinds import is_a
from core.goals.literals import ABOUT_ROBOT, Literal, LiteralProgress
from core.goals.progress import progress
from core.planners.bcr.conditions import Need, Situation, allowed, needs_of
from core.planners.bcr.resolutions import Goals, ResolutionOptions, Way, ways
from core.planning.goal_work import is_shut_in
from core.planning.regression import work_order
from core.world.vocabulary import Action, Value

Kind = Choice["goal", "action", "condition"]
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
        self._children: dict[int, dict[int, None]] = {}
        """The ids of each node's children, in the order of their creation."""
        self._next = 0

    def add(self, parent: int, kind: Kind, goal: int, action: Action | None = None, need: Need | None = None,
            also: tuple[Need, ...] = (), *, certain: bool = True, added: bool = False) -> Node:
        """Adds a node and returns it."""
        node = Node(self._next, parent, kind, goal, action, also, need, certain, added)
        self.nodes[node.id] = node
        self._children.setdefault(parent, {})[node.id] = None
        self._next += 1
        return node

    def children(self, node_id: int) -> list[Node]:
        """Returns the children of a node in the order of their creation."""
        return [self.nodes[child] for child in self._children.get(node_id, ())]

    def below(self, node_id: int) -> Iterator[Node]:
        """Yields all descendants of a node, each before its own."""
        left = self.children(node_id)[::-1]
        while left:
            node = left.pop()
            yield node
            left += self.children(node.id)[::-1]

    def drop(self, node_id: int) -> None:
        """Removes a node and its descendants."""
        del self._children[self.nodes[node_id].parent][node_id]
        for node in (*self.below(node_id), self.nodes[node_id]):
            del self.nodes[node.id]
            self._children.pop(node.id, None)

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


# --- the trees of all goal literals -----------------------------------------------
MOST_HISTORY = 200


@dataclass
class OperatorMarks:
    """The operator's marks on the tree.

    Attributes:
        chosen: the action to take next, instead of the model's selection.
        banned: actions that are never candidates.
        resolved: needs that count as satisfied until the world reports otherwise.
        added: unmet need -> additional resolution actions.
    """

    chosen: Action | None = None
    banned: frozenset[Action] = frozenset()
    resolved: frozenset[Need] = frozenset()
    added: dict[Need, tuple[Action, ...]] = field(default_factory=dict)


class GoalTrees:
    """The trees of all goal literals."""

    def __init__(self, goals: Goals, marks: OperatorMarks | None = None):
        self.goals, self.tree, self.marks = goals, Tree(), marks or OperatorMarks()
        self.history: tuple[Branch, ...] = ()
        self.reached: set[int] = set()

    def regrown(self) -> GoalTrees:
        """Returns trees without nodes for the same goals, marks and history, because another table applies."""
        made = GoalTrees(self.goals, self.marks)
        made.history, made.reached = self.history, self.reached
        return made

    def grow(self, now: Situation, options: ResolutionOptions, last: Action | None, *, recheck: bool) -> None:
        """Updates the trees to the situation.

        Args:
            now: the situation.
            options: which actions are offered.
            last: the last successful action, recorded as the cause of resolved conditions.
            recheck: True to add literals that held once and are violated again.
        """
        reports = progress(self.goals.goal, now.view)
        self.marks.resolved = frozenset(n for n in self.marks.resolved if n not in now.reported)
        for index, report in enumerate(reports):
            done = report.reached or (not recheck and index in self.reached)
            if report.reached:
                self.reached.add(index)
            goal = next((n for n in self.tree.children(ROOT) if n.goal == index), None) or self.tree.add(ROOT, "goal", index)
            roots = [] if done or self._waits(report.literal, reports, now) else self.goals.roots(index, now)
            self._sync(goal, roots, now)
            self._prune(goal, now, options, last)

    def _waits(self, literal: Literal, reports: tuple[LiteralProgress, ...], now: Situation) -> bool:
        """Returns True for a literal about the robot itself or a door while others are open that would undo it.

        They are those about objects, those whose subject must be looked for, and those before it in the order of work. Closing
        waits for what is taken out.
        """
        others = [r.literal for r in reports if not r.reached and r.literal != literal]
        if literal.predicate not in ABOUT_ROBOT:
            return any(is_shut_in(x, literal, now.view) for x in others)
        return any(x.predicate not in ABOUT_ROBOT for x in others) or (
            _is_known(literal, now) and any(not _is_known(x, now) or work_order(x) < work_order(literal) for x in others))

    def _prune(self, parent: Node, now: Situation, options: ResolutionOptions, last: Action | None) -> None:
        for action in self.tree.children(parent.id):
            for condition in self.tree.children(action.id):
                need = condition.need
                assert need is not None, "a condition's"
                if now.holds(need) or need not in self._needs(self.tree.nodes[action.id], now):
                    if action.action is not None:
                        branch = Branch(need, action.action, last, now.view.step)
                        self.history = (*self.history[1 - MOST_HISTORY:], branch)
                    self.tree.drop(condition.id)
                elif need in self.marks.resolved:  # it stays in the tree, so that the operator can undo the mark
                    self._sync(condition, [], now)
                else:
                    self._sync(condition, self._ways(need, now, options), now)
                    self._prune(condition, now, options, last)

    def _ways(self, need: Need, now: Situation, options: ResolutionOptions) -> list[Way]:
        return [*ways(need, now, options), *(Way(a, certain=False) for a in self.marks.added.get(need, ()))]

    def _met(self, need: Need, now: Situation) -> bool:
        return need in self.marks.resolved or now.holds(need)

    def _needs(self, node: Node, now: Situation) -> tuple[Need, ...]:
        if node.action is None:
            return ()
        blame = allowed(node.action)
        return (*node.also, *needs_of(node.action, now.family), *((blame,) if blame in now.reported else ()))

    def _sync(self, parent: Node, wanted: Iterable[Way], now: Situation) -> None:
        """Replaces a node's actions by the wanted ones. If an object of a class was found, its branch is kept and renamed."""
        on_path = {n.action for n in self.tree.above(parent)}
        left = [root for root in wanted if root.action not in on_path]
        for node in self.tree.children(parent.id):
            found = next(((root, names) for exactly in (True, False) for root in left
                          if (names := _names(node, root, now)) is not None and not (exactly and names)), None)
            if found is None:
                self.tree.drop(node.id)
                continue
            left.remove(found[0])
            if found[1]:
                self.tree.rename(node.id, found[1])
        added = self.marks.added.get(parent.need, ()) if parent.need else ()
        for root in left:
            self.tree.add(parent.id, "action", parent.goal, root.action, None, root.also, certain=root.certain,
                          added=root.action in added)

    # --- candidates -----------------------------------------------------------------
    def candidates(self, banned: frozenset[Action], now: Situation) -> list[Node]:
        """Returns the leaves, each action once, without actions refused since something last changed."""
        found: dict[Action, Node] = {}
        for node in self.tree.leaves(self.marks.resolved):
            action = node.action
            if action is None or action in banned | self.marks.banned:
                continue
            if action not in now.memory.refused or now.blame(action) is not None:
                found.setdefault(action, node)
        return list(found.values())

    def attempt(self, action: Action, now: Situation, options: ResolutionOptions) -> Need | None:
        """Adds the first unmet need of an action as its condition and returns it; None if nothing is known to block it."""
        found = None
        for node in [n for n in self.tree.leaves(self.marks.resolved) if n.action == action]:
            need = next((n for n in self._needs(node, now) if not self._met(n, now)), None)
            if need is not None:
                found = need
                condition = self.tree.add(node.id, "condition", node.goal, need=need)
                self._sync(condition, self._ways(need, now, options), now)
        return found


def _is_known(literal: Literal, now: Situation) -> bool:
    """Returns True if an entity is known that a literal about the robot can be about."""
    return literal.predicate == "standing" or bool(now.instances(literal.subject) or now.rooms_called(literal.subject))


def _names(node: Node, root: Way, now: Situation) -> dict[str, str] | None:
    """Returns the class -> id replacements that turn a node into the wanted action.

    Returns:
        {} if it is that action already, None if it is another action.
    """
    if node.action is None or node.action.verb != root.action.verb or len(node.also) != len(root.also):
        return None
    pairs = [(node.action.args, root.action.args), *((a.args, b.args) for a, b in zip(node.also, root.also, strict=True))]
    names: dict[str, str] = {}
    for old, new in pairs:
        if len(old) != len(new) or not all(a == b or _stands_for(a, b, now) for a, b in zip(old, new, strict=True)):
            return None
        names |= {a: b for a, b in zip(old, new, strict=True) if a != b}
    return names


def _stands_for(term: str, thing: str, now: Situation) -> bool:
    """Returns True if an observed object is an instance of a class or `+class`, or has a `?property`."""
    entity = now.entity(thing)
    if entity is None or now.entity(term) is not None:
        return False
    return term[1:] in entity.properties if term.startswith("?") else is_a(entity, term.removeprefix("+").partition("@")[0])
