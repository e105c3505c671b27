"""Moves from panel to panel by keys."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import QObject
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QApplication,
    QLineEdit,
    QMainWindow,
    QPlainTextEdit,
    QStatusBar,
    QTextEdit,
    QToolBar,
    QWidget,
)

from gui.window.docks import Card, Dock


def is_text(widget: QWidget | None) -> bool:
    """Whether letters typed in this widget are text."""
    if isinstance(widget, QTextEdit | QPlainTextEdit | QLineEdit):
        return not widget.isReadOnly()
    return isinstance(widget, QAbstractSpinBox)


class PanelNavigation(QObject):
    """Moves between panels in reading order: left side from top to bottom, frames and what is under them, right side.

    Args:
        window: contains the panels.
        frames: the card in the middle.
        docks: by the names of their panels.
        show: brings a panel into view by its name.
    """

    def __init__(self, window: QMainWindow, frames: Card, docks: Mapping[str, Dock], show: Callable[[str], None]):
        super().__init__(window)
        self._window, self._frames, self._docks, self._show = window, frames, docks, show
        self._marked: Card | None = None
        app = QApplication.instance()
        if isinstance(app, QApplication):
            app.focusChanged.connect(self._on_focus)

    def order(self) -> list[str]:
        """The names of all panels that have a place. Panels behind a tab follow the one in front of them."""
        placed = [dock for dock in self._docks.values() if not dock.isHidden()]
        corner = self._frames.mapTo(self._window, self._frames.rect().topLeft())
        where = {"frames": (corner.x(), corner.y(), 0)}
        for dock in placed:
            group = [dock, *self._window.tabifiedDockWidgets(dock)]
            front = next((d for d in group if not d.visibleRegion().isEmpty()), dock)
            at = front.mapTo(self._window, front.rect().topLeft()) if not front.isFloating() else front.pos()
            where[dock.name] = (at.x(), at.y(), 0 if dock is front else 1)
        return sorted(where, key=lambda name: where[name])

    def go_by(self, step: int) -> None:
        """Goes to the next visible panel, or the previous one, cyclically."""
        cards = self._cards()
        names = [name for name in self.order() if name in cards]
        focus = QApplication.focusWidget()
        here = next((name for name in names if focus is not None and cards[name].isAncestorOf(focus)), "")
        at = (names.index(here) + step) if here else (0 if step > 0 else -1)
        self.go(names[at % len(names)])

    def go_to(self, number: int) -> bool:
        """Goes to a panel by its number from 1, in reading order. Returns False if there is none."""
        names = self.order()
        if number > len(names):
            return False
        self.go(names[number - 1])
        return True

    def go(self, name: str) -> None:
        """Brings a panel into view and gives it the focus."""
        self._show(name)
        card = self._frames if name == "frames" else self._docks[name].card
        card.take_focus()
        self._mark_focus(card)

    def go_to_control(self, step: int) -> None:
        """Goes to the next control, or the previous one, as Tab does in other windows."""
        self._window.focusNextPrevChild(step > 0)

    def keeps_tab(self, widget: QWidget) -> bool:
        """Whether Tab belongs to this widget: in text, and in what lies over the window."""
        if is_text(widget):
            return True
        part: QWidget | None = widget
        while part is not None and part is not self._window:
            if isinstance(part, Card | QToolBar | QStatusBar):
                return False
            part = part.parentWidget()
        return part is None or widget is not self._window

    def _cards(self) -> dict[str, Card]:
        """The visible cards."""
        docks = {name: dock.card for name, dock in self._docks.items() if not dock.visibleRegion().isEmpty()}
        return {"frames": self._frames, **docks}

    def _on_focus(self, old: QWidget | None, new: QWidget | None) -> None:
        del old
        if self._marked is not None and (new is None or not self._marked.isAncestorOf(new)):
            self._mark_focus(None)

    def _mark_focus(self, card: Card | None) -> None:
        before, self._marked = self._marked, card
        if before is not None and before is not card:
            before.mark_focus(shown=False)
        if card is not None:
            card.mark_focus(shown=True)
