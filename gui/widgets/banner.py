"""A state in one low strip: icon, text, and buttons side by side.

It is used for messages that must not cover what they are about.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from gui.theme import Theme
from gui.widgets.painting import text_width
from gui.widgets.state_card import CardState, Glyph, state_buttons
from gui.widgets.text import Line


class Banner(QWidget):
    """A banner of about 62 px. A `low` one has 38 px and its text in one line."""

    def __init__(self, theme: Theme, state: CardState, *, low: bool = False):
        super().__init__()
        self._theme, self._state, self._low = theme, state, low
        self.setAccessibleName(state.heading)
        self.setAccessibleDescription(state.text)
        self._row = row = QHBoxLayout(self)
        self._glyph = Glyph(theme, 11 if low else 20)
        row.addWidget(self._glyph)
        self._heading = Line(theme, state.heading, "body", "text", 600)
        self._text = Line(theme, state.text, "small", "muted")
        self._text.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        words = QHBoxLayout() if low else QVBoxLayout()
        if not low:
            words.addStretch(1)
        words.addWidget(self._heading)
        words.addWidget(self._text, 1)
        if not low:
            words.addStretch(1)
        row.addLayout(words, 1)
        self._buttons = state_buttons(theme, state.actions)
        for button in self._buttons:
            row.addWidget(button, 0, Qt.AlignmentFlag.AlignVCenter)
        self._words = words
        self._measure()

    def _measure(self) -> None:
        """Sets the sizes for the current text size."""
        px, low = self._theme.px, self._low
        self._row.setContentsMargins(px(12), px(4 if low else 7), px(6 if low else 12), px(4 if low else 7))
        self._row.setSpacing(px(8 if low else 12))
        self._words.setSpacing(px(10) if low else 0)
        self._glyph.show_state(self._state)
        self._glyph.setFixedWidth(px(24 if low else 46))

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802 - Qt's name
        """Takes the sizes of the theme again."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange:
            self._measure()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Hides icons before texts if there is too little room."""
        super().resizeEvent(event)
        if self._low:
            self._fit_low()
            return
        narrow = self.width() < self.sizeHint().width() - 8
        self._glyph.setVisible(not narrow)
        for button, action in zip(self._buttons, self._state.actions, strict=True):
            button.setText("" if narrow and action.icon else f" {action.text}")
            button.setToolTip(action.text if narrow else "")

    def _fit_low(self) -> None:
        """Hides what does not fit: the sentence first, then the texts of the buttons, then the glyph."""
        px, theme = self._theme.px, self._theme
        heading = int(text_width(theme, self._state.heading, "body", 600)) + 2
        full = [int(text_width(theme, a.text, "body", 600)) + px(48) for a in self._state.actions]
        room = self.width() - px(18) - heading - px(8)
        narrow = room < sum(full) + px(32)
        buttons = sum(px(42) for _ in full) if narrow else sum(full)
        self._glyph.setVisible(room >= buttons + px(40))
        left = room - buttons - (px(32) if not self._glyph.isHidden() else 0)
        self._text.setVisible(left >= min(px(120), text_width(theme, self._state.text)))
        self.setToolTip(f"{self._state.heading}\n{self._state.text}")
        for button, action in zip(self._buttons, self._state.actions, strict=True):
            button.setText("" if narrow and action.icon else f" {action.text}")
            button.setToolTip(action.text if narrow else "")

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """Returns the size that shows all texts."""
        px, state = self._theme.px, self._state
        words = max(text_width(self._theme, state.heading, "body", 600), text_width(self._theme, state.text))
        buttons = sum(int(text_width(self._theme, a.text, "body", 600)) + px(58) for a in state.actions)
        return QSize(int(words) + buttons + px(46 + 12 * 3 + 8), px(38 if self._low else 62))

    def minimumSizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """Returns the least size. The texts are cut to fit any width."""
        return QSize(self._theme.px(60), self.sizeHint().height())
