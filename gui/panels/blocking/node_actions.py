"""The operator's actions on the nodes of a blocking tree. Every edit goes through the undo stack."""

from __future__ import annotations

from collections.abc import Callable

from core.planners.bcr.recorded_types import BlockingNode, BlockingTree
from core.session.commands import ListActions
from core.session.snapshot import Snapshot
from core.world.vocabulary import Action
from gui.control.context import Context
from gui.control.editable_facet import EditableFacet
from gui.panels.base import Offer
from gui.panels.blocking import tree_edits
from gui.panels.blocking.add_strip import AddStrip
from gui.panels.blocking.undo_edit import EditTree
from gui.widgets import Names


class Hand:
    """Edits the blocking tree that a panel shows. The edits apply to the newest tree.

    Args:
        context: gives the undo stack and whether the run is live.
        show: shows an edited tree at once.
    """

    def __init__(self, context: Context, show: Callable[[BlockingTree], None]):
        self._context, self._show = context, show
        self._held = EditableFacet(context, BlockingTree)

    @property
    def tree(self) -> BlockingTree | None:
        """Returns the tree to show: the operator's pending edit if there is one, otherwise the session's latest."""
        return self._held.shown

    def hear(self, snapshot: Snapshot) -> None:
        """Takes the snapshot that the panel shows."""
        self._held.show_snapshot(snapshot)

    def offers(self, node: BlockingNode) -> list[Offer]:
        """Returns the actions on a node. There are none while the past is shown."""
        if not self._context.live:
            return []
        found = []
        if tree_edits.may_choose(node):
            found.append(Offer("Choose this next", lambda: self.choose(node), "E", "check"))
        if tree_edits.may_ban(node) or tree_edits.is_banned_here(node):
            words = "Allow it again" if tree_edits.is_banned_here(node) else "Ban it from the candidates"
            found.append(Offer(words, lambda: self.ban(node), icon="ban"))
        if node.kind in ("condition", "resolution"):
            words = "Mark as unresolved" if node.state == "reached" else "Mark as resolved"
            found.append(Offer(words, lambda: self.resolve(node), icon="check"))
        return found

    def choose(self, node: BlockingNode) -> None:
        """Makes the planner take a candidate next, whatever the model answers."""
        if tree_edits.may_choose(node):
            self._do(f"choose {node.text}", tree_edits.chosen(node.id), tree_edits.chosen(node.id, by_operator=False))

    def ban(self, node: BlockingNode) -> None:
        """Bans a candidate, or lifts the operator's ban."""
        free = tree_edits.in_state(node.id, "candidate", by_operator=False)
        barred = tree_edits.in_state(node.id, "banned", by_operator=True)
        if tree_edits.may_ban(node):
            self._do(f"ban {node.text}", barred, free)
        elif tree_edits.is_banned_here(node):
            self._do(f"allow {node.text}", free, barred)

    def resolve(self, node: BlockingNode) -> None:
        """Marks a condition as resolved until an observation contradicts it, or marks it as unresolved again."""
        if node.kind not in ("condition", "resolution"):
            return
        done, undone = (tree_edits.in_state(node.id, "reached", by_operator=True),
                        tree_edits.in_state(node.id, "blocked", by_operator=False))
        if node.state == "reached":
            self._do(f"unresolved: {node.text}", undone, done)
        else:
            self._do(f"resolved: {node.text}", done, undone)

    def _do(self, words: str, there: tree_edits.Change, back: tree_edits.Change) -> None:
        if self._context.live:
            self._context.undo.push(EditTree(words, there, back, lambda: self._held.current, self._say))

    def _say(self, tree: BlockingTree, why: str) -> None:
        """Posts an edited tree to the session and shows it at once."""
        self._held.post_edit(tree, why)
        if (shown := self.tree) is not None:
            self._show(shown)


class AddingHand(Hand):
    """A `Hand` that can also add actions under a resolution.

    Args:
        context: gives the undo stack and whether the run is live.
        adding: the strip in which the operator types the action.
        show: shows an edited tree at once.
    """

    def __init__(self, context: Context, adding: AddStrip, show: Callable[[BlockingTree], None]):
        super().__init__(context, show)
        self._adding, self._below = adding, -1
        adding.taken.connect(self._add)

    def offers(self, node: BlockingNode) -> list[Offer]:
        """Returns the actions on a node, including the addition of a resolving action."""
        found = super().offers(node)
        if self._context.live and node.kind in ("condition", "resolution"):
            found.append(Offer("Add a resolution …", lambda: self.ask_addition(node), "E", "add"))
        return found

    def ask_addition(self, node: BlockingNode) -> None:
        """Opens the strip for a further action that resolves a condition. `node` is the condition or its resolution."""
        if not self._context.live or self.tree is None or node.kind not in ("condition", "resolution"):
            return
        below = (n.id for n in self.tree.nodes if n.parent == node.id and n.kind == "resolution")
        self._below = node.id if node.kind == "resolution" else next(below, -1)
        self._context.post(ListActions())
        self._adding.open()

    def list_additions(self, snapshot: Snapshot, names: Names) -> None:
        """Sets the actions that can be added: those admissible now, and those in the tree.

        Args:
            snapshot: holds the options listed by the simulator, if they have been listed.
            names: display names of objects.
        """
        listed = [a for a, verdict in snapshot.options.options if verdict.ok] if snapshot.options else []
        known = [n.action for n in self.tree.nodes if n.action is not None] if self.tree is not None else []
        self._adding.offer([(a, names.phrase(a)) for a in dict.fromkeys((*listed, *known))])

    def _add(self, action: Action, words: str) -> None:
        if self._below >= 0:
            self._do(f"add {words}", tree_edits.added(self._below, action, words), tree_edits.removed(self._below, action))
