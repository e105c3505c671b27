"""Searching the tree for nodes, and the strips above and below it."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from core.planning.facets import SearchTree, TreeNode
from core.world.vocabulary import Action
from gui.theme import Theme
from gui.widgets import Button, Line, Names
from gui.widgets.search import FindField


class Finder:
    """The found nodes, most visited first, returned one after the other."""

    def __init__(self) -> None:
        self._hits: list[TreeNode] = []
        self._at = -1

    def __len__(self) -> int:
        return len(self._hits)

    def look_for(self, text: str, tree: SearchTree, names: Names) -> None:
        """Finds the nodes whose action, as text, contains every word. An empty text finds nothing."""
        words = text.lower().split()
        known: dict[Action, bool] = {}
        self._hits, self._at = [], -1
        for node in tree.nodes if words else ():
            if node.action is None:
                continue
            if node.action not in known:
                phrase = names.phrase(node.action).lower()
                known[node.action] = all(word in phrase for word in words)
            if known[node.action]:
                self._hits.append(node)

    def next(self) -> TreeNode | None:
        """Returns the next hit, starting again after the last; None without hits."""
        if not self._hits:
            return None
        self._at = (self._at + 1) % len(self._hits)
        return self._hits[self._at]


class FindStrip(QWidget):
    """A text field, and the number of nodes found."""

    def __init__(self, theme: Theme, hint: str):
        super().__init__()
        row = QHBoxLayout(self)
        row.setContentsMargins(theme.px(8), theme.px(4), theme.px(8), theme.px(4))
        self.field = FindField(hint)
        self.count = Line(theme, "", "small", "muted", shrinks=False)
        row.addWidget(self.field, 1)
        row.addWidget(self.count)
        self.field.closed.connect(self.hide)
        self.hide()

    def open(self) -> None:
        """Shows the strip and puts the cursor into the field."""
        self.show()
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()


class FoldedStrip(QWidget):
    """The number of folded nodes, with buttons to find one or show all."""

    asked_find = Signal()
    asked_all = Signal()

    def __init__(self, theme: Theme):
        super().__init__()
        row = QHBoxLayout(self)
        row.setContentsMargins(theme.px(10), theme.px(3), theme.px(8), theme.px(3))
        row.setSpacing(theme.px(6))
        self.words = Line(theme, "", "small", "muted", room=120)
        row.addWidget(self.words, 1)
        self.finder, self.opener = Button(theme, "Find a node", "search"), Button(theme, "Show from 1 visit", "filter")
        self.finder.clicked.connect(self.asked_find)
        self.opener.clicked.connect(self.asked_all)
        row.addWidget(self.finder)
        row.addWidget(self.opener)
        self.hide()
