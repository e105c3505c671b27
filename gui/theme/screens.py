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
GAP = 6
"""Pixels between a dialog and what it asks about."""


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


def beside(pointed: QRect, size: QSize, room: QRect, gap: int, least: QSize | None = None) -> QRect:
    """Returns where a card or a dialog goes: to a side of what it is about, where it hides none of it, or else least of it.

    Of several such sides it takes the one where it keeps its size, and then the one with the most room left.

    Args:
        pointed: what it is about.
        size: the size that it would like.
        room: where it may lie.
        gap: pixels between both.
        least: the size that it needs; None: it keeps its size.
    """
    least = (least or size).boundedTo(room.size())
    x, y = pointed.center().x(), pointed.center().y()
    sides = ((room.bottom() - pointed.bottom() - gap, 0, 1), (pointed.top() - room.top() - gap, 0, -1),
             (room.right() - pointed.right() - gap, 1, 0), (pointed.left() - room.left() - gap, -1, 0))

    def lies(side: tuple[int, int, int]) -> QRect:
        free, across, down = side
        most = QSize(free, room.height()) if across else QSize(room.width(), free)
        place = QRect(QPoint(0, 0), size.boundedTo(most).expandedTo(least))
        place.moveCenter(QPoint(x, y))
        place.translate(across * ((pointed.width() + place.width() + 1) // 2 + gap),
                        down * ((pointed.height() + place.height() + 1) // 2 + gap))
        place.moveTo(min(max(place.x(), room.left()), room.right() + 1 - place.width()),
                     min(max(place.y(), room.top()), room.bottom() + 1 - place.height()))
        return place

    def cost(side: tuple[int, int, int]) -> tuple[int, int, int]:
        place = lies(side)
        hidden = place.intersected(pointed)
        lost = size.width() * size.height() - place.width() * place.height()
        return hidden.width() * hidden.height(), lost, (place.width() if side[1] else place.height()) - side[0]

    return lies(min(sides, key=cost))


def put_beside(dialog: QDialog, judged: QRect) -> None:
    """Moves a dialog beside what it asks about, and makes it smaller if it would hide that otherwise.

    Args:
        dialog: not yet shown.
        judged: what it asks about, in pixels of the desktop; empty: it is not in view, and the dialog stays where it is.
    """
    screen = next((screen for screen in areas() if screen.contains(judged.center())), None)
    if judged.isEmpty() or screen is None:
        return
    title = QSize(0, TITLE)
    least = dialog.minimumSizeHint().expandedTo(dialog.minimumSize())
    frame = beside(judged, dialog.size() + title, screen, GAP, least + title)
    dialog.setGeometry(frame.adjusted(0, TITLE, 0, 0))


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
