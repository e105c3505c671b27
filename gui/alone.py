"""The frames alone in the window, and the layout back again."""

from __future__ import annotations

from PySide6.QtCore import QByteArray
from PySide6.QtWidgets import QDockWidget, QMainWindow, QToolBar, QWidget


class Alone:
    """Hides all that stands around the middle of a window, and remembers how it stood."""

    def __init__(self, window: QMainWindow):
        self._window = window
        self._before: QByteArray | None = None
        self._hidden: tuple[QWidget, ...] = ()

    @property
    def on(self) -> bool:
        """Whether the frames are alone."""
        return self._before is not None

    def enter(self) -> None:
        """Hide bars, docks and the status line; docks that float stay where they are."""
        if self._before is not None:
            return
        window = self._window
        self._before = window.saveState()
        around: list[QWidget] = [bar for bar in window.findChildren(QToolBar) if bar.parent() is window and not bar.isHidden()]
        around += [dock for dock in window.findChildren(QDockWidget) if not dock.isHidden() and not dock.isFloating()]
        self._hidden = (*around, window.statusBar())
        for part in self._hidden:
            part.hide()

    def leave(self) -> bool:
        """Everything as it was; whether the frames were alone."""
        before, self._before = self._before, None
        if before is None:
            return False
        for part in self._hidden:
            part.show()
        self._window.restoreState(before)
        self._hidden = ()
        return True
