"""The operator's actions on the nodes of a blocking tree. Every edit goes through the undo stack."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from core.llm.grounding import ground_action
from core.planners.bcr.recorded_types import ADD, CHOOSE, BlockingNode, BlockingTree
from core.session.commands import ListActions
from core.session.snapshot import Snapshot
from core.views.values import Edit
from core.world.vocabulary import Action
from gui.control.context import Context, EditableFacet
from gui.control.edit_steps import EditStep
from gui.panels.base import Offer
from gui.theme import Theme
from gui.theme.boxes import hbox
from gui.widgets import Line, Names
from gui.widgets.search import FindField

MAIN = (CHOOSE, ADD)
"""What E does to a node."""


class NodeActions:
    """Edits the blocking tree that a panel shows. The edits apply to the newest tree.

    Args:
        context: gives the undo stack and whether the run is live.
        redraw: shows the tree again after an edit.
        adding: the strip in which the operator types a further action. None if the panel has none.
    """

    def __init__(self, context: Context, redraw: Callable[[], None], adding: AddStrip | None = None):
        self._context, self._adding = context, adding
        self._below: BlockingNode | None = None
        """The condition or resolution below which an action is being added."""
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
        edits = node.edits if self._context.live else ()
        return [Offer(f"{edit.title}{' …' if edit is ADD else ''}", partial(self.make, node, edit), "E" if edit in MAIN else "",
                      edit.icon) for edit in edits if edit is not ADD or self._adding is not None]

    def act(self, node: BlockingNode, key: str) -> bool:
        """Makes the edit of a node that a key stands for. Returns False if it stands for none."""
        found = next((edit for edit in node.edits if edit.key == key), None)
        if found is not None:
            self.make(node, found)
        return found is not None

    def make(self, node: BlockingNode, edit: Edit) -> None:
        """Makes an edit of a node, or asks for the action to add."""
        if edit is ADD:
            self.ask_addition(node)
        elif edit in node.edits:
            self._push(f"{edit.title}: {node.text}", node, lambda tree: tree.with_edit(node, edit.name))

    def _push(self, words: str, node: BlockingNode, change: Callable[[BlockingTree], BlockingTree]) -> None:
        now = self._facet.current
        if now is not None and now.node(node.id) is not None and self._context.live:
            step = EditStep(now, change(now))
            self._facet.push_edit(words, step.there(now), step.back)

    def ask_addition(self, node: BlockingNode) -> None:
        """Opens the strip for a further action that resolves a condition. `node` is the condition or its resolution."""
        if self._adding is None or not self._context.live or self.tree is None or ADD not in node.edits:
            return
        self._below = node
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
        if (below := self._below) is not None:
            self._push(f"add {words}", below, lambda tree: tree.with_addition(below, action, words))


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
