"""Shows only the frames in the window, and restores the layout."""

from __future__ import annotations

from PySide6.QtWidgets import QDockWidget, QMainWindow, QToolBar, QWidget

from gui.window.arrangement import Arrangement


class FramesOnly:
    """Hides everything around the central widget of a window, and shows it again."""

    def __init__(self, window: QMainWindow, arrangement: Arrangement):
        self._window, self._arrangement = window, arrangement
        self._hidden: tuple[QWidget, ...] = ()

    @property
    def on(self) -> bool:
        """Whether only the frames are shown."""
        return bool(self._hidden)

    def enter(self) -> None:
        """Hides bars, docks and the status line. Floating docks stay."""
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
        """Shows everything again. Returns True if only the frames were shown."""
        if not self.on:
            return False
        for part in self._hidden:
            part.show()
        self._hidden = ()
        self._arrangement.resume()
        return True
