"""Updates the tree to the situation: removes resolved conditions, adds new resolutions, and adds what blocks a tried action."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from core.goals.literals import is_a, progress
from core.planners.bcr.blocking_table import Need, allowed, needs_of
from core.planners.bcr.resolutions import Manner, ways
from core.planners.bcr.root_conditions import Goals, Way
from core.planners.bcr.situation import Situation
from core.planners.bcr.tree import ROOT, Branch, Node, Tree
from core.world.vocabulary import Action

MOST_HISTORY = 200


@dataclass
class Marks:
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


class Grove:
    """The trees of all goal literals."""

    def __init__(self, goals: Goals, marks: Marks | None = None):
        self.goals, self.tree, self.marks = goals, Tree(), marks or Marks()
        self.history: tuple[Branch, ...] = ()
        self.reached: set[int] = set()

    def grow(self, now: Situation, manner: Manner, last: Action | None, *, recheck: bool) -> None:
        """Updates the trees to the situation.

        Args:
            now: the situation.
            manner: which actions are offered.
            last: the last successful action, recorded as the cause of resolved conditions.
            recheck: True to add literals that held once and are violated again.
        """
        reports = progress(self.goals.goal, now.view)
        self.marks.resolved = frozenset(n for n in self.marks.resolved if n not in now.told)
        for index, report in enumerate(reports):
            done = report.reached or (not recheck and index in self.reached)
            if report.reached:
                self.reached.add(index)
            goal = next((n for n in self.tree.children(ROOT) if n.goal == index), None) or self.tree.add(ROOT, "goal", index)
            roots = [] if done else self.goals.roots(index, now)
            self._sync(goal, roots, now)
            self._prune(goal, now, manner, last)

    def _prune(self, parent: Node, now: Situation, manner: Manner, last: Action | None) -> None:
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
                    self._sync(condition, self._ways(need, now, manner), now)
                    self._prune(condition, now, manner, last)

    def _ways(self, need: Need, now: Situation, manner: Manner) -> list[Way]:
        return [*ways(need, now, manner), *(Way(a, certain=False) for a in self.marks.added.get(need, ()))]

    def _met(self, need: Need, now: Situation) -> bool:
        return need in self.marks.resolved or now.holds(need)

    def _needs(self, node: Node, now: Situation) -> tuple[Need, ...]:
        if node.action is None:
            return ()
        blame = allowed(node.action)
        return (*node.also, *needs_of(node.action, now.family), *((blame,) if blame in now.told else ()))

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

    def attempt(self, action: Action, now: Situation, manner: Manner) -> Need | None:
        """Adds the first unmet need of an action as its condition and returns it; None if nothing is known to block it."""
        found = None
        for node in [n for n in self.tree.leaves(self.marks.resolved) if n.action == action]:
            need = next((n for n in self._needs(node, now) if not self._met(n, now)), None)
            if need is not None:
                found = need
                condition = self.tree.add(node.id, "condition", node.goal, need=need)
                self._sync(condition, self._ways(need, now, manner), now)
        return found


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
