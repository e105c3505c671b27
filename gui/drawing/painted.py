"""A widget's picture, painted a few milliseconds at a time: what was painted before stays in sight until the next is whole."""

from __future__ import annotations

from collections.abc import Callable, Generator, Hashable, Iterator

from PySide6.QtCore import QPointF
from PySide6.QtGui import QPainter, QPixmap
from PySide6.QtWidgets import QWidget

from gui.drawing.slices import Slices
from gui.theme import Theme

Strokes = Callable[[QPainter], Iterator[None]]
"""Paints all that is in sight, and yields wherever it may be interrupted."""
Look = tuple[Hashable, Hashable]
"""How it is dressed; its size and what part is in sight."""


class Painted:
    """What a dense widget paints with: news may come a moment later, what the operator does shows at once.

    A tree of forty nodes takes ten milliseconds and more while a search runs; nothing else of the window would go on meanwhile.

    Args:
        widget: what is painted.
        strokes: paints it.
        place: what part of it is in sight, besides its size: a picture of another part is of no use.
    """

    def __init__(self, widget: QWidget, theme: Theme, strokes: Strokes, place: Callable[[], Hashable] = lambda: None):
        self._widget, self._theme, self._strokes, self._place = widget, theme, strokes, place
        self._slices = Slices(widget, theme.way, self._beside, self._keep)
        self._kept: tuple[Look, QPixmap] | None = None

    def later(self) -> None:
        """There are news: they are painted beside what is in sight, and shown as soon as they are whole."""
        if self._widget.isVisible():
            self._slices.start()
        else:
            self.now()

    def now(self) -> None:
        """Something looks otherwise: the next painting is of all of it."""
        self._slices.stop()
        self._kept = None
        self._widget.update()

    def paint(self) -> None:
        """For the widget's paint event, which may be about a part of the widget only.

        What is painted here is painted whole and shown whole: else the other parts would keep an older picture.
        """
        if self._kept is None or not self._serves(self._kept[0]):
            self._slices.stop()
            self._kept = self._whole()
            self._widget.update()
        painter = QPainter(self._widget)
        painter.drawPixmap(QPointF(0, 0), self._kept[1])
        painter.end()

    def _whole(self) -> tuple[Look, QPixmap]:
        """All of it, at once."""
        work = self._beside()
        while True:
            try:
                next(work)
            except StopIteration as end:
                made: tuple[Look, QPixmap] = end.value
                return made

    def _look(self) -> Look:
        widget, theme = self._widget, self._theme
        dress = theme.name, theme.scale, widget.devicePixelRatioF()
        return dress, (widget.width(), widget.height(), self._place())

    def _serves(self, look: Look) -> bool:
        """Whether a picture may be shown: while the next one is under way, of another place or size too."""
        now = self._look()
        return look == now or (self._slices.busy and look[0] == now[0])

    def _beside(self) -> Generator[None, None, tuple[Look, QPixmap]]:
        look, ratio = self._look(), self._widget.devicePixelRatioF()
        picture = QPixmap(self._widget.size() * ratio)
        picture.setDevicePixelRatio(ratio)
        picture.fill(self._theme.colour("surface"))
        painter = QPainter(picture)
        try:
            yield from self._strokes(painter)
        finally:
            painter.end()
        return look, picture

    def _keep(self, made: tuple[Look, QPixmap]) -> None:
        if made[0] != self._look() and self._kept is not None:
            self._slices.start()  # scrolled or resized meanwhile
            return
        self._kept = made
        self._widget.update()
