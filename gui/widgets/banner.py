"""A state in one low strip: glyph, words, buttons side by side. For news that must not cover what they are about."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from gui.theme import Theme
from gui.widgets.painting import text_width
from gui.widgets.state_card import CardState, Glyph, state_buttons
from gui.widgets.text import Line


class Banner(QWidget):
    """About 62 px high."""

    def __init__(self, theme: Theme, state: CardState):
        super().__init__()
        px = theme.px
        self._theme, self._state = theme, state
        self.setAccessibleName(state.heading)
        self.setAccessibleDescription(state.text)
        row = QHBoxLayout(self)
        row.setContentsMargins(px(12), px(7), px(12), px(7))
        row.setSpacing(px(12))
        self._glyph = Glyph(theme)
        self._glyph.show_state(state)
        self._glyph.setFixedWidth(px(46))
        row.addWidget(self._glyph)
        words = QVBoxLayout()
        words.setSpacing(0)
        words.addStretch(1)
        words.addWidget(Line(theme, state.heading, "body", "text", 600))
        words.addWidget(Line(theme, state.text, "small", "muted"))
        words.addStretch(1)
        row.addLayout(words, 1)
        self._buttons = state_buttons(theme, state.actions)
        for button in self._buttons:
            row.addWidget(button, 0, Qt.AlignmentFlag.AlignVCenter)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Where room is short, glyphs make way for words."""
        super().resizeEvent(event)
        narrow = self.width() < self.sizeHint().width() - 8
        self._glyph.setVisible(not narrow)
        for button, action in zip(self._buttons, self._state.actions, strict=True):
            button.setText("" if narrow and action.icon else f" {action.text}")
            button.setToolTip(action.text if narrow else "")

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """Room for all its words."""
        px, state = self._theme.px, self._state
        words = max(text_width(self._theme, state.heading, "body", 600), text_width(self._theme, state.text))
        buttons = sum(int(text_width(self._theme, a.text, "body", 600)) + px(58) for a in state.actions)
        return QSize(int(words) + buttons + px(46 + 12 * 3 + 8), px(62))
