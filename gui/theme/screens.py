"""The size and place of windows: each is wholly on a screen, whatever was wanted or saved, and however small the screen is."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPoint, QRect, QSize
from PySide6.QtGui import QGuiApplication, QRegion
from PySide6.QtWidgets import QDialog, QWidget

from gui.theme.theme import Theme

TITLE = 30
"""Pixels of a window's title bar, which lies above its geometry."""
LEAST = (640, 385)
"""Width and height in pixels at 100 % text size that the main window needs. On a smaller screen the text is smaller."""
GEOMETRY = "geometry"
"""The setting that keeps the place of the main window."""
BESIDE = 40
"""Pixels of a window that stay in view beside a dialog."""


def areas() -> list[QRect]:
    """Returns the parts of the screens that windows may use, in pixels of the desktop, the first screen first."""
    return [screen.availableGeometry() for screen in QGuiApplication.screens()]


def placed(wanted: QRect, screens: Sequence[QRect]) -> QRect:
    """Returns where a window goes: unchanged if it is on the screens with its title bar, also across two of them.

    Otherwise it is moved into the screen that shows most of it, or else the nearest one, and made no larger than that.

    Args:
        wanted: its place without the title bar, in pixels of the desktop.
        screens: what `areas` returns.
    """
    whole, union = wanted.adjusted(0, -TITLE, 0, 0), QRegion()
    for screen in screens:
        union += screen
    if not screens or (QRegion(whole) - union).isEmpty():
        return wanted

    def seen(screen: QRect) -> tuple[int, int]:
        on = screen.intersected(whole)
        return on.width() * on.height(), -(screen.center() - wanted.center()).manhattanLength()

    room = max(screens, key=seen).adjusted(0, TITLE, 0, 0)
    size = wanted.size().boundedTo(room.size())
    x = min(max(wanted.x(), room.x()), room.right() + 1 - size.width())
    y = min(max(wanted.y(), room.y()), room.bottom() + 1 - size.height())
    return QRect(QPoint(x, y), size)


def keep_on_screen(window: QWidget, screens: Sequence[QRect]) -> None:
    """Moves and shrinks a window that is not wholly on the screens. A maximized one is left to the desktop."""
    if window.isMaximized() or window.isFullScreen() or window.isMinimized():
        return
    place = placed(window.geometry(), screens)
    if place != window.geometry():
        window.setGeometry(place)


def largest_text(room: QSize) -> float:
    """Returns the largest text size (1 is 100 %) at which the main window fits a room in pixels, in steps of 1 %."""
    return int(min(room.width() / LEAST[0], room.height() / LEAST[1]) * 100) / 100


def fit(dialog: QDialog, theme: Theme, wide: int, high: int) -> None:
    """Resizes a dialog to a width and height in pixels at 100 % text size, and no larger than its window has room for."""
    window: QWidget = dialog
    while (parent := window.parentWidget()) is not None:
        window = parent.window()
    room = window.size() - QSize(BESIDE, BESIDE) if window is not dialog else dialog.screen().availableSize()
    dialog.resize(QSize(theme.px(wide), theme.px(high)).boundedTo(room))
