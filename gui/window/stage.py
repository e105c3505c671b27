"""The middle of the window: the frames, the card of a state over them, and below them how the run ended."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QRect, QSize
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from gui.control.context import Context
from gui.theme import Theme
from gui.widgets import Banner, CardState, StateCard
from gui.window.docks import Card
from gui.window.layout_fitting import FRAMES, GAP


class Overlay(QWidget):
    """Dims the frames and shows one card in their middle; a waiting card is at the bottom, without dimming."""

    def __init__(self, theme: Theme, parent: QWidget, room: Callable[[], QRect]):
        """Creates an empty overlay.

        Args:
            theme: the colours and fonts.
            parent: the widget to cover.
            room: returns the area it may cover, in the parent's pixels.
        """
        super().__init__(parent)
        self._room, self._theme = room, theme
        self._content: QWidget | None = None
        self._low = False
        self._box = QFrame(self)
        self._box.setObjectName("Dialog")
        self._column = QVBoxLayout(self._box)
        self._column.setContentsMargins(1, 1, 1, 1)
        self.hide()

    def show_content(self, content: QWidget | None, low: bool = False) -> None:
        """Shows a widget in the card; None hides the card. `low` places it at the bottom, without dimming."""
        old = self._column.takeAt(0)
        if old is not None and (widget := old.widget()) is not None and widget is not content:
            widget.hide()
            widget.deleteLater()
        self._low, self._content = low, content
        self.setVisible(content is not None)
        if content is not None:
            self._column.addWidget(content)
            self.place()
            self.raise_()

    def place(self) -> None:
        """Fits the card into the available area."""
        content = self._content
        if content is None:
            return
        stage = self._room()
        px = self._theme.px
        hint = content.sizeHint()
        room = QSize(min(px(620 if self._low else 560), stage.width() - px(24)), stage.height() - px(24))
        width = min(room.width(), max(hint.width(), px(320 if self._low else 400)))
        high = content.heightForWidth(width - 2) if content.hasHeightForWidth() else hint.height()
        high = min(room.height(), high + 2 if self._low else max(high + px(36), px(120)))
        if self._low:
            x, y = stage.x() + (stage.width() - width) // 2, stage.bottom() - high - px(15)
            self.setGeometry(x, y, width, high)
            self._box.setGeometry(0, 0, width, high)
        else:
            self.setGeometry(stage)
            self._box.setGeometry((self.width() - width) // 2, max(0, (self.height() - high) // 2), width, high)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        """Paints the dimming."""
        del event
        if not self._low:
            painter = QPainter(self)
            painter.fillRect(self.rect(), self._theme.tinted("canvas", 0.62))
            painter.end()


class Stage(QWidget):
    """The frames and the overlay."""

    def __init__(self, context: Context):
        super().__init__()
        self._theme = context.theme
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        self.card = Card(context, "frames")
        column.setSpacing(GAP)
        column.addWidget(self.card, 1)
        self._strip = QFrame()
        self._strip.setObjectName("Card")
        self._strip_column = QVBoxLayout(self._strip)
        self._strip_column.setContentsMargins(1, 1, 1, 1)
        self._strip.hide()
        column.addWidget(self._strip)
        self.overlay = Overlay(self._theme, self, lambda: self.rect().adjusted(1, self._theme.px(29), -1, -1))
        self._state: CardState | None = None

    def minimumSizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """The least size of the frames."""
        return QSize(FRAMES, FRAMES)

    def show_state(self, state: CardState | None) -> None:
        """Shows a state of the run, or none."""
        if _same(state, self._state):
            return
        self._state = state
        below = state is not None and state.kind in ("done", "large")
        self._show_strip(state if below else None)
        if state is None or below:
            self.overlay.show_content(None)
        else:
            low = state.kind == "waiting"
            self.overlay.show_content(Banner(self._theme, state) if low else StateCard(self._theme, state), low)

    @property
    def has_state(self) -> bool:
        """Whether a state is shown, over or under the frames."""
        return self._state is not None

    def _show_strip(self, state: CardState | None) -> None:
        """Shows how a run ended, under the frames, so that they stay visible."""
        old = self._strip_column.takeAt(0)
        if old is not None and (widget := old.widget()) is not None:
            widget.hide()
            widget.deleteLater()
        if state is not None:
            self._strip_column.addWidget(Banner(self._theme, state, low=True))
        self._strip.setVisible(state is not None)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Moves the card with the window."""
        super().resizeEvent(event)
        self.overlay.place()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802 - Qt's name
        """Adapts to a change of theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange:
            self.overlay.place()


def _same(one: CardState | None, other: CardState | None) -> bool:
    """Whether two states have equal texts. The functions behind the buttons are created anew each time."""
    if one is None or other is None:
        return one is other
    return _words(one) == _words(other)


def _words(state: CardState) -> tuple[str, ...]:
    return (state.kind, state.heading, state.text, state.mono, *(a.text for a in (*state.choices, *state.actions)))
