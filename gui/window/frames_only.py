"""The frames alone in the window, and the layout back again."""

from __future__ import annotations

from PySide6.QtWidgets import QDockWidget, QMainWindow, QToolBar, QWidget

from gui.window.arrangement import Arrangement


class FramesOnly:
    """Hides everything around the middle of a window, and shows it again."""

    def __init__(self, window: QMainWindow, arrangement: Arrangement):
        self._window, self._arrangement = window, arrangement
        self._hidden: tuple[QWidget, ...] = ()

    @property
    def on(self) -> bool:
        """Whether the frames are alone."""
        return bool(self._hidden)

    def enter(self) -> None:
        """Hide bars, docks and the status line; docks that float stay where they are."""
        if self.on:
            return
        window = self._window
        self._arrangement.pause()
        bars = [bar for bar in window.findChildren(QToolBar) if bar.parent() is window and not bar.isHidden()]
        self._hidden = (*bars, window.statusBar())
        docks = [dock for dock in window.findChildren(QDockWidget) if not dock.isHidden() and not dock.isFloating()]
        for part in (*self._hidden, *docks):
            part.hide()

    def leave(self) -> bool:
        """Show everything again. Returns whether the frames were alone."""
        if not self.on:
            return False
        for part in self._hidden:
            part.show()
        self._hidden = ()
        self._arrangement.resume()
        return True
