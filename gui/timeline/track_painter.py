"""Paints the annotation tracks."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from gui.theme import Theme
from gui.timeline.painter import Rows
from gui.timeline.tracks import Bar
from gui.widgets import draw_text, text_width

STILL_OPEN = "still open"


class TrackPainter:
    """Paints points as discs and states as bars. An open state is dashed and says so. Labels of others are hollow."""

    def __init__(self, theme: Theme, painter: QPainter, rows: Rows, offset: float, first: int, most: int):
        """Creates the painter.

        Args:
            theme: the colours and fonts.
            painter: paints on the widget.
            rows: positions of the rows.
            offset: pixels by which the content is scrolled.
            first: the uppermost visible track.
            most: number of visible tracks.
        """
        self._theme, self._p, self._rows, self._offset, self._first, self._most = theme, painter, rows, offset, first, most

    def paint(self, bars: Iterable[Bar], colours: dict[str, str], chosen: str, annotator: str) -> None:
        """Paints all visible bars."""
        rows = self._rows
        self._p.save()
        self._p.setClipRect(QRectF(rows.left, 0, rows.room, 10_000))
        for bar in bars:
            if self._first <= bar.track < self._first + self._most:
                tone = QColor(colours.get(bar.annotation.label) or self._theme.colour("operator_act"))
                mine = bar.annotation.annotator == annotator
                self._one(bar, tone, mine, bar.annotation.id == chosen)
        self._p.restore()

    def scroll(self, count: int) -> None:
        """Paints a thin handle that shows which of all tracks are visible."""
        if count <= self._most:
            return
        px, top, step = self._theme.px, self._rows.track(0), self._rows.track_step
        high = step * self._most
        self._p.setPen(Qt.PenStyle.NoPen)
        self._p.setBrush(self._theme.colour("line_strong"))
        handle = QRectF(px(6), top + high * self._first / count, px(3), high * self._most / count)
        self._p.drawRoundedRect(handle, 1.5, 1.5)

    def _one(self, bar: Bar, tone: QColor, mine: bool, chosen: bool) -> None:
        rows, px = self._rows, self._theme.px
        top = rows.track(bar.track - self._first)
        left, right = rows.left + bar.left - self._offset, rows.left + bar.right - self._offset
        fill = QColor(tone)
        fill.setAlphaF(0.35 if mine else 0.0)
        self._p.setPen(QPen(self._theme.colour("selection") if chosen else tone, 2.0 if chosen else 1.2))
        self._p.setBrush(fill)
        if bar.is_point:
            centre, radius = QPointF(left, top + rows.row_high / 2), px(5)
            self._p.setBrush(tone if mine else fill)
            self._p.drawEllipse(centre, radius, radius)
            self._words(bar, left + radius + px(4), top, tone)
            return
        rect = QRectF(left, top + 2, max(px(4), right - left), rows.row_high - 4)
        if bar.annotation.until is None:
            self._p.setPen(QPen(self._p.pen().color(), 1.2, Qt.PenStyle.DashLine))
        self._p.drawRoundedRect(rect, 3, 3)
        self._p.setPen(QPen(tone, 2.5))  # the edges, which can be dragged
        edges = (rect.left(), rect.right()) if bar.annotation.until is not None else (rect.left(),)
        for x in edges:
            self._p.drawLine(QPointF(x, rect.top()), QPointF(x, rect.bottom()))
        self._words(bar, left + px(6), top, tone, rect.width() - px(8))

    def _words(self, bar: Bar, x: float, top: float, tone: QColor, room: float = 120.0) -> None:
        """Paints the note, or that the end is missing: inside the bar if there is room, else beside it."""
        a, px = bar.annotation, self._theme.px
        text = STILL_OPEN if not a.paired else a.note or (f"{a.rating} of 5" if a.rating is not None else "")
        if not text:
            return
        wide = text_width(self._theme, text, "micro")
        if wide > room:
            x = self._rows.left + bar.right - self._offset + px(6)
        band = QRectF(x, top, max(0.0, self._rows.right - x), self._rows.row_high)
        draw_text(self._p, self._theme, band, text, "micro", "warn" if not a.paired else "text")
