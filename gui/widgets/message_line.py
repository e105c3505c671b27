"""A line of messages whose refusals can be read whole, however narrow it is."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QHideEvent, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QSizePolicy, QWidget

from gui.theme import Role, Theme
from gui.widgets.text import Line, Prose


class MessageLine(Line):
    """A line of messages. What it tells and has no room for is shown whole in a card above it, until the next text or a click.

    Attributes:
        card: that card, made at its first use; None before.
    """

    def __init__(self, theme: Theme, text: str = "", role: Role = "small", tone: str = "muted"):
        super().__init__(theme, text, role, tone)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.card: MessageCard | None = None
        self._tells = False
        self._fitting = QTimer(self, interval=0, singleShot=True)
        self._fitting.timeout.connect(self._fit)

    def tell(self, text: str, tone: str) -> None:
        """Shows a message that must be read whole."""
        self.say(text, tone)
        self._tells = True
        self._fitting.start()

    def say(self, text: str, tone: str = "") -> None:
        """Shows a text that may be cut."""
        super().say(text, tone)
        self._tells = False
        self._fit()

    def _fit(self) -> None:
        cut = self._tells and self.isVisible() and self.sizeHint().width() > self.width() + 1
        if cut:
            self.card = self.card or MessageCard(self._theme, self.window())
            self.card.show_above(self, self.text, self._tone)
        elif self.card is not None:
            self.card.hide()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Shows the card or hides it, as the room demands."""
        super().resizeEvent(event)
        self._fitting.start()

    def hideEvent(self, event: QHideEvent) -> None:  # noqa: N802 - Qt's name
        """Hides the card."""
        super().hideEvent(event)
        self._fit()


class MessageCard(QFrame):
    """The whole of a message over its window. A click closes it."""

    def __init__(self, theme: Theme, window: QWidget):
        super().__init__(window)
        self._theme = theme
        self.setObjectName("Popup")
        self.text = Prose(theme, "", "small", "warn")
        self.text.setParent(self)
        self.text.setTextInteractionFlags(Qt.TextInteractionFlag.NoTextInteraction)
        self.hide()

    def show_above(self, line: Line, text: str, tone: str) -> None:
        """Shows a text above a line, inside of the window."""
        px, window = self._theme.px, line.window()
        inner = min(px(560), window.width() - px(40))
        self.text.say(text, tone)
        self.text.setGeometry(px(12), px(8), inner, self.text.heightForWidth(inner))
        self.resize(inner + px(24), self.text.height() + px(16))
        at = line.mapTo(window, line.rect().topLeft())
        x = min(at.x(), window.width() - self.width() - px(8))
        above = at.y() - self.height() - px(4)
        self.move(max(0, x), above if above >= 0 else at.y() + line.height() + px(4))
        self.show()
        self.raise_()

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Closes the card."""
        del event
        self.hide()
