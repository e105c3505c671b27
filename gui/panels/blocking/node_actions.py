"""The operator's actions on the nodes of a blocking tree. Every edit goes through the undo stack."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from core.llm.grounding import ground_action
from core.planners.bcr.recorded_types import BlockingNode, BlockingTree
from core.session.commands import ListActions
from core.session.snapshot import Snapshot
from core.world.vocabulary import Action
from gui.control.context import Context, EditableFacet
from gui.panels.base import Offer
from gui.panels.blocking import tree_edits
from gui.theme import Theme
from gui.theme.boxes import hbox
from gui.widgets import Line, Names
from gui.widgets.search import FindField

RESOLVABLE = ("condition", "resolution")
"""The kinds of node that the operator can mark as resolved, and add actions to."""


class NodeActions:
    """Edits the blocking tree that a panel shows. The edits apply to the newest tree.

    Args:
        context: gives the undo stack and whether the run is live.
        redraw: shows the tree again after an edit.
        adding: the strip in which the operator types a further action. None if the panel has none.
    """

    def __init__(self, context: Context, redraw: Callable[[], None], adding: AddStrip | None = None):
        self._context, self._adding, self._below = context, adding, -1
        self._facet = EditableFacet(context, BlockingTree, redraw)
        if adding is not None:
            adding.taken.connect(self._add)

    @property
    def tree(self) -> BlockingTree | None:
        """Returns the tree to show: the operator's pending edit if there is one, otherwise the session's latest."""
        return self._facet.shown

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Takes the snapshot that the panel shows."""
        self._facet.show_snapshot(snapshot)

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
        if node.kind in RESOLVABLE:
            words = "Mark as unresolved" if node.state == "reached" else "Mark as resolved"
            found.append(Offer(words, lambda: self.resolve(node), icon="check"))
            if self._adding is not None:
                found.append(Offer("Add a resolution …", lambda: self.ask_addition(node), "E", "add"))
        return found

    def choose(self, node: BlockingNode) -> None:
        """Makes the planner take a candidate next, whatever the model answers."""
        if tree_edits.may_choose(node):
            self._facet.push_edit(f"choose {node.text}", tree_edits.chosen(node.id),
                                  tree_edits.chosen(node.id, by_operator=False))

    def ban(self, node: BlockingNode) -> None:
        """Bans a candidate, or lifts the operator's ban."""
        free = tree_edits.in_state(node.id, "candidate", by_operator=False)
        barred = tree_edits.in_state(node.id, "banned", by_operator=True)
        if tree_edits.may_ban(node):
            self._facet.push_edit(f"ban {node.text}", barred, free)
        elif tree_edits.is_banned_here(node):
            self._facet.push_edit(f"allow {node.text}", free, barred)

    def resolve(self, node: BlockingNode) -> None:
        """Marks a condition as resolved until an observation contradicts it, or marks it as unresolved again."""
        if node.kind not in RESOLVABLE:
            return
        done, undone = (tree_edits.in_state(node.id, "reached", by_operator=True),
                        tree_edits.in_state(node.id, "blocked", by_operator=False))
        if node.state == "reached":
            self._facet.push_edit(f"unresolved: {node.text}", undone, done)
        else:
            self._facet.push_edit(f"resolved: {node.text}", done, undone)

    def ask_addition(self, node: BlockingNode) -> None:
        """Opens the strip for a further action that resolves a condition. `node` is the condition or its resolution."""
        if self._adding is None or not self._context.live or self.tree is None or node.kind not in RESOLVABLE:
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
        if self._adding is not None:
            self._adding.offer([(a, names.phrase(a)) for a in dict.fromkeys((*listed, *known))])

    def _add(self, action: Action, words: str) -> None:
        if self._below >= 0:
            self._facet.push_edit(f"add {words}", tree_edits.added(self._below, action, words),
                                  tree_edits.removed(self._below, action))


class AddStrip(QWidget):
    """A text field for a resolving action. The text is grounded to the nearest possible action, which Enter takes."""

    taken = Signal(object, str)
    """Emitted with the action and its text."""

    def __init__(self, theme: Theme):
        super().__init__()
        self._choices: Sequence[tuple[Action, str]] = ()
        self._found: tuple[Action, str] | None = None
        self.field = FindField("Add a resolution, such as open drawer 3")
        self.match = Line(theme, "", "small", "muted", shrinks=False)
        hbox(theme, (self.field, 1), self.match, on=self, margins=(8, 4, 8, 4))
        self.field.textChanged.connect(self._ground)
        self.field.returnPressed.connect(self._take)
        self.field.closed.connect(self.hide)
        self.hide()

    def open(self) -> None:
        """Shows the strip and gives its text field the focus."""
        self.show()
        self.field.clear()
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def offer(self, choices: Sequence[tuple[Action, str]]) -> None:
        """Sets the actions that can be added, with their texts."""
        self._choices = choices
        self._ground(self.field.text())

    def _ground(self, text: str) -> None:
        match = ground_action(text, self._choices) if text.strip() and self._choices else None
        action = match.candidate if match is not None else None
        words = next((w for a, w in self._choices if a == action), "")
        self._found = (action, words) if action is not None else None
        self.match.say(f"{words} · Enter adds it" if self._found else "no such action" if text.strip() else "")

    def _take(self) -> None:
        if self._found is not None:
            self.taken.emit(*self._found)
            self.hide()
