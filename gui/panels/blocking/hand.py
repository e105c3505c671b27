"""An operator's acts on the blocking tree: shown at once, told to the session, undone like any other."""

from __future__ import annotations

from collections.abc import Callable

from core.commands import Edit
from core.facets import BlockingNode, BlockingTree
from core.world import Action
from gui.context import Context
from gui.panels.blocking import acts
from gui.panels.blocking.undoing import EditTree


class Hand:
    """What may be done to nodes. In the past nothing happens.

    Args:
        context: where commands and undo go.
        tree: gives the tree as it is shown now.
        show: shows an edited tree until the planner has taken it.
    """

    def __init__(self, context: Context, tree: Callable[[], BlockingTree | None], show: Callable[[BlockingTree], None]):
        self._context, self._tree, self._show = context, tree, show

    def choose(self, node: BlockingNode) -> None:
        """Have a candidate taken next, whatever the model says."""
        if acts.may_choose(node):
            self._do(f"choose {node.text}", acts.chosen(node.id), acts.chosen(node.id, by_operator=False))

    def ban(self, node: BlockingNode) -> None:
        """No candidate any more; or one again."""
        free = acts.in_state(node.id, "candidate", by_operator=False)
        barred = acts.in_state(node.id, "banned", by_operator=True)
        if acts.may_ban(node):
            self._do(f"ban {node.text}", barred, free)
        elif acts.is_banned_here(node):
            self._do(f"allow {node.text}", free, barred)

    def resolve(self, node: BlockingNode) -> None:
        """Take a condition as resolved, until the world denies it; or take that back."""
        if node.kind not in ("condition", "resolution"):
            return
        done, undone = (acts.in_state(node.id, "reached", by_operator=True),
                        acts.in_state(node.id, "blocked", by_operator=False))
        if node.state == "reached":
            self._do(f"unresolved: {node.text}", undone, done)
        else:
            self._do(f"resolved: {node.text}", done, undone)

    def add(self, resolution: int, action: Action, words: str) -> None:
        """A further action that may resolve something; `resolution` is the id of its node."""
        self._do(f"add {words}", acts.added(resolution, action, words), acts.removed(resolution, action))

    def _do(self, words: str, there: acts.Change, back: acts.Change) -> None:
        if self._context.live:
            self._context.undo.push(EditTree(words, there, back, self._tree, self._say))

    def _say(self, tree: BlockingTree, why: str) -> None:
        self._show(tree)
        self._context.post(Edit(tree, why))
