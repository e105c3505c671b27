"""A small card over the tree that explains an action."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from gui.theme import Theme
from gui.widgets import Button, Line, Prose


class WhyCard(QFrame):
    """A card with a heading, lines of evidence, and a button that shows the call behind them. A click elsewhere closes it."""

    def __init__(self, theme: Theme, parent: QWidget, heading: str, lines: tuple[str, ...],
                 show_call: Callable[[], None] | None):
        super().__init__(parent, Qt.WindowType.Popup)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setObjectName("Dialog")
        self.setAccessibleName(heading)
        self.setAccessibleDescription(" ".join(lines))
        column = QVBoxLayout(self)
        column.setContentsMargins(theme.px(14), theme.px(10), theme.px(14), theme.px(12))
        column.setSpacing(theme.px(5))
        column.addWidget(Line(theme, heading, "body", "text", 650))
        for line in lines:
            column.addWidget(Prose(theme, line))
        if show_call is not None:
            button = Button(theme, "Show the call", "model")
            button.clicked.connect(show_call)
            button.clicked.connect(self.close)
            column.addWidget(button, 0, Qt.AlignmentFlag.AlignLeft)
        self.setFixedWidth(theme.px(320))

    def open_at(self, point: QPoint) -> None:
        """Shows the card beside a point, within the screen."""
        self.adjustSize()
        area = self.screen().availableGeometry()
        self.move(min(point.x(), area.right() - self.width()), min(point.y(), area.bottom() - self.height()))
        self.show()
