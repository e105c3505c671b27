"""A row of buttons under a list. If their texts would be cut, only the icons stay and the tooltips hold the texts."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QEvent, QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from gui.theme import Theme
from gui.widgets.buttons import Button
from gui.widgets.painting import text_width


class ButtonRow(QWidget):
    """A row of buttons of equal width. Each must have an icon."""

    def __init__(self, theme: Theme, buttons: Iterable[Button]):
        super().__init__()
        self._theme, self._buttons = theme, tuple(buttons)
        self._tips = {button: button.toolTip() for button in self._buttons}
        self._row = QHBoxLayout(self)
        for button in self._buttons:
            button.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
            self._row.addWidget(button, 1)
        self._measure()

    def _measure(self) -> None:
        px = self._theme.px
        self._row.setContentsMargins(px(8), 0, px(8), 0)
        self._row.setSpacing(px(5))
        for button in self._buttons:
            button.setMinimumWidth(px(30))
        self.fit()

    def fit(self) -> None:
        """Chooses between texts and icons. Call it after the text of a button changed."""
        px, count = self._theme.px, len(self._buttons)
        each = (self.width() - px(16) - px(5) * (count - 1)) / max(1, count)
        words = max(text_width(self._theme, b.accessibleName(), "body", 600) for b in self._buttons)
        narrow = each < words + px(15 + 24)
        for button in self._buttons:
            name = button.accessibleName()
            button.setText("" if narrow else f" {name}")
            tip = self._tips[button]
            button.setToolTip(": ".join(filter(None, (name, tip))) if narrow else tip)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Chooses between texts and icons for the new width."""
        super().resizeEvent(event)
        self.fit()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802 - Qt's name
        """Takes the sizes of the theme again."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange:
            self._measure()

    def minimumSizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """Returns the least size: room for the icons."""
        px, count = self._theme.px, len(self._buttons)
        return QSize(px(16) + px(30) * count + px(5) * (count - 1), px(28))


def list_over(theme: Theme, rows: QWidget, buttons: ButtonRow) -> QWidget:
    """Returns a widget with a list and its buttons below."""
    part = QWidget()
    column = QVBoxLayout(part)
    column.setContentsMargins(0, 0, 0, theme.px(6))
    column.setSpacing(theme.px(4))
    column.addWidget(rows, 1)
    column.addWidget(buttons)
    return part
