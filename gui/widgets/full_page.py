"""A page that fills the window in place of the console, such as the library."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QSizePolicy, QWidget

from gui.theme import Theme
from gui.widgets.buttons import Button, PopupMenu
from gui.widgets.message_line import MessageLine
from gui.widgets.text import Line


class FullPage(QFrame):
    """The base of such pages. A subclass lays out `back`, `heading` and `news` with its own widgets.

    Args:
        theme: fonts and colours.
        title: the heading.

    Attributes:
        left: the operator goes back to the console.
        back: the button that emits `left`.
        heading: the page's title.
        news: the message at the foot of the page.
    """

    left = Signal()

    def __init__(self, theme: Theme, title: str):
        super().__init__()
        self._theme = theme
        self.setObjectName("Card")
        self.setAccessibleName(title)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)  # hidden, it must not widen the window
        self.back = Button(theme, "Back to the console", "left", act=self.left.emit)
        self.back.setToolTip("Back to the console (Esc)")
        self.heading = Line(theme, title, "heading", "text", 650, shrinks=False)
        self.news = MessageLine(theme)

    def say(self, text: str, tone: str = "muted") -> None:
        """Shows a message at the foot of the page."""
        (self.news.tell if tone in ("warn", "bad") else self.news.say)(text, tone)

    def open_menu(self, under: QWidget, fill: Callable[[PopupMenu], object]) -> PopupMenu:
        """Opens a menu below a button. `fill` adds its lines."""
        menu = PopupMenu(self)
        fill(menu)
        menu.open_under(under)
        return menu

    def event(self, event: QEvent) -> bool:
        """Keeps plain keys, such as letters and Space, from the actions of the console, which is hidden behind the page."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and _is_plain(event):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """Escape goes back to the console. Other plain keys end here: they would label the run behind the page."""
        if event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        elif not _is_plain(event):
            super().keyPressEvent(event)


def _is_plain(event: QKeyEvent) -> bool:
    """Returns True for a key that types a character."""
    modifiers = event.modifiers()
    return bool(event.text()) and event.text().isprintable() and modifiers in (
        Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier)
