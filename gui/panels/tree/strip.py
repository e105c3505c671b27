"""The strips above and below a tree: one to find a node, one with the number of folded nodes."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from gui.theme import Theme
from gui.widgets import Button, Line
from gui.widgets.search import FindField


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
