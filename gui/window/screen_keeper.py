"""Keeps the windows on the screens that there are, and the text no larger than the screen has room for."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QByteArray, QObject, QRect, QSize, Qt, QTimer
from PySide6.QtGui import QGuiApplication, QScreen
from PySide6.QtWidgets import QApplication

from gui.theme.screens import TITLE, areas, keep_on_screen, largest_text, placed
from gui.window.main_window import MainWindow

DEFAULT = QSize(1440, 900)
"""The size of the main window at the first start, in pixels, where the screen has room for it."""


class ScreenKeeper(QObject):
    """Places the main window at the start, and all windows again when a screen comes, goes or changes.

    `screens` returns the parts of the screens that windows may use.
    """

    def __init__(self, window: MainWindow, screens: Callable[[], Sequence[QRect]] = areas):
        super().__init__(window)
        self._window, self._screens = window, screens
        self._look = QTimer(self, interval=0, singleShot=True)
        self._look.timeout.connect(self.look)

    def begin(self, geometry: object) -> None:
        """Places the window where it was, or in the default size, before it is shown, and follows the screens from now on.

        It is maximized if it had to be made smaller to fit: then the desktop knows best how much room there is.
        """
        window = self._window
        if not (isinstance(geometry, QByteArray) and window.restoreGeometry(geometry)):
            window.resize(DEFAULT)
        wanted = window.geometry()
        self.look()
        if placed(wanted, self._screens()).size() != wanted.size():
            window.setWindowState(window.windowState() | Qt.WindowState.WindowMaximized)
        app = QApplication.instance()
        if isinstance(app, QGuiApplication):
            app.screenAdded.connect(self._follow)
            app.screenRemoved.connect(lambda _: self._look.start())
            for screen in app.screens():
                self._follow(screen)

    def _follow(self, screen: QScreen) -> None:
        screen.availableGeometryChanged.connect(lambda _: self._look.start())
        self._look.start()

    def look(self) -> None:
        """Moves and shrinks what is not on a screen, and adapts the text to the screen of the main window."""
        screens, main = self._screens(), self._window
        if not screens:
            return
        place = placed(main.geometry(), screens)
        screen = next((screen for screen in screens if screen.contains(place.center())), screens[0])
        room = screen.size() - QSize(0, TITLE)
        main.fit_text(largest_text(room.expandedTo(place.size())))
        main.setMinimumSize(main.minimumSize().boundedTo(room))
        for window in (main, *(w for w in QApplication.topLevelWidgets() if w is not main and w.isVisible())):
            if window.windowType() != Qt.WindowType.Popup:
                keep_on_screen(window, screens)
