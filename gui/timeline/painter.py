"""Paints the timeline: ruler, turns, marks, annotation tracks, playhead."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPen

from gui.theme import Theme
from gui.timeline.layout import x_of
from gui.timeline.model import UNSAVED, Block, Flag
from gui.timeline.tracks import Bar, TrackWindow
from gui.timeline.viewport import Viewport
from gui.widgets import CENTRE, draw_block, draw_text, rounded, text_width

_TONES = {"planner": "planner_act", "operator": "operator_act", "failed": "bad", "live": "planner_act"}
_FILLS = {"planner": "accent_bg", "operator": "operator_bg", "failed": "bad_bg", "live": "surface"}
SHADES = (0.95, 0.4, 0.7)
"""Opacity of thinking, waiting for the model, acting."""
MOST_AHEAD = 3
"""Number of future turns that are named."""


class TimelinePainter:
    """Paints the visible part of a story."""

    def __init__(self, theme: Theme, painter: QPainter, viewport: Viewport):
        self.theme, self.p, self.rows, self._result_of = theme, painter, viewport.rows, viewport.result_of
        self.story, self.layout, self.offset, self.wall = viewport.story, viewport.layout, viewport.offset, viewport.wall

    def back(self, labels: tuple[str, ...], keys: tuple[str, ...]) -> None:
        """Paints the names of the rows and their sunken bands."""
        px, rows = self.theme.px, self.rows
        bands = [(rows.turns, rows.turns_high, "Turns", ""), (rows.marks, rows.row_high, "Marks", "")]
        bands += [(rows.track(k), rows.row_high, label, key) for k, (label, key) in enumerate(zip(labels, keys, strict=True))]
        for y, high, label, key in bands:
            draw_text(self.p, self.theme, QRectF(px(14), y, px(82), high), label, "small", "muted", 500)
            if key:
                cap = QRectF(px(98), y + 1, px(18), high - 2)
                draw_block(self.p, self.theme, cap, "raised", "line_strong", 3)
                draw_text(self.p, self.theme, cap, key, "micro", "text", 600, CENTRE)
            draw_block(self.p, self.theme, QRectF(rows.left, y, rows.room, high), "sunken")
        if not self.story.blocks:
            band = QRectF(rows.left, rows.turns, rows.room, rows.turns_high)
            draw_text(self.p, self.theme, band, self.story.no_blocks, "small", "faint", align=CENTRE)

    def turns(self, within: Iterable[int], shown: int) -> None:
        """Paints the blocks with the indices `within` (`shown` is on display), and the text after the last one."""
        rows, px = self.rows, self.theme.px
        self.p.save()
        self.p.setClipRect(QRectF(rows.left, 0, rows.room, rows.marks))
        for k in within:
            left, width = self.layout.spans[k]
            self._turn(self.story.blocks[k], rows.left + left - self.offset, width, k == shown)
        end = rows.left + self.layout.end - self.offset + px(14)
        if self.story.blocks and rows.right - end > px(40):
            after = QRectF(end, rows.turns, rows.right - end - 4, rows.turns_high)
            if self.story.ahead:
                half = after.height() / 2
                self._ahead(end, after.adjusted(0, half, 0, 0))
                after.setHeight(half)
            draw_text(self.p, self.theme, after, self.story.left, "small", "faint")
        self.p.restore()

    def _ahead(self, x: float, line: QRectF) -> None:
        """Paints the future turns at which a breakpoint stops the run."""
        theme, px = self.theme, self.theme.px
        for turn in self.story.ahead[:MOST_AHEAD]:
            words = f"stops at turn {turn}"
            wide = text_width(theme, words, "small")
            if x + wide + px(18) > self.rows.right:
                return
            self.p.drawPixmap(int(x), int(line.center().y() - px(9) / 2), theme.pixmap("breakpoint_on", px(9), "bad"))
            draw_text(self.p, theme, QRectF(x + px(14), line.y(), wide + 4, line.height()), words, "small", "muted")
            x += px(30) + wide

    def _turn(self, block: Block, x: float, width: float, shown: bool) -> None:
        theme, px, rows = self.theme, self.theme.px, self.rows
        rect = QRectF(x + 1, rows.turns, width - 3, rows.turns_high)
        strong = block.tone == "live" or shown
        number = str(block.moment.turn)
        if width >= text_width(theme, number, "small", 650) + 4:
            where = QRectF(x + 3, px(7), width, px(18))
            draw_text(self.p, theme, where, number, "small", "text" if strong else "muted", 650 if strong else 500)
        if self.story.stops(block.moment):
            beside = x + 3 + text_width(theme, number, "small", 650) + px(4)
            at = beside if beside + px(9) <= x + width else x + 2
            self.p.drawPixmap(int(at), px(12), theme.pixmap("breakpoint_on", px(9), "bad"))
        self._ground(block, rect)
        tone = _TONES[block.tone]
        side = px(16)
        if rect.width() >= side + px(6):
            self.p.drawPixmap(int(rect.x() + min(px(7), (rect.width() - side) / 2)), int(rect.y() + px(6)),
                              theme.pixmap(block.icon, side, tone))
        text = QRectF(rect.x() + px(28), rect.y() + 1, rect.width() - px(32), px(16))
        if text.width() >= px(22):
            verb = f"{block.lead} {block.verb}".strip()
            draw_text(self.p, theme, text, verb, "small", "muted")
            draw_text(self.p, theme, text.translated(0, px(14)), block.target, "small", "text", 600)
        self._parts(block, rect, tone)
        self._result(block, rect)

    def _result(self, block: Block, rect: QRectF) -> None:
        """Paints what a turn of a failed run brought along its upper edge: progress whole, a lost turn as dashes."""
        result = self._result_of(block.moment)
        if result is None or not (result.is_lost or result.is_progress):
            return
        self.p.setPen(QPen(self.theme.colour("bad" if result.is_lost else "good"), self.theme.px(3),
                           Qt.PenStyle.DotLine if result.is_lost else Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap))
        self.p.drawLine(QPointF(rect.left() + 2, rect.top() + 1), QPointF(rect.right() - 2, rect.top() + 1))

    def _ground(self, block: Block, rect: QRectF) -> None:
        theme, tone = self.theme, _TONES[block.tone]
        pen = QPen(Qt.PenStyle.NoPen)
        if block.tone == "live":
            pen = QPen(theme.colour(tone), 1.4, Qt.PenStyle.DashLine)
        elif block.tone == "operator":
            pen = QPen(theme.colour(tone), 1)
        self.p.setPen(pen)
        self.p.setBrush(theme.colour(_FILLS[block.tone]))
        self.p.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)
        if block.tone == "failed":
            self.p.setPen(Qt.PenStyle.NoPen)
            self.p.setBrush(QBrush(theme.tinted("bad", 0.35), Qt.BrushStyle.BDiagPattern))
            self.p.drawPath(rounded(rect, 4))

    def _parts(self, block: Block, rect: QRectF, tone: str) -> None:
        """Paints the parts of the turn's time along its lower edge."""
        x, room, whole = rect.x() + 4, rect.width() - 8, block.wall if self.wall else block.seconds
        self.p.setPen(Qt.PenStyle.NoPen)
        for part, shade in zip(block.parts, SHADES, strict=True):
            width = room * part / whole
            self.p.setBrush(self.theme.tinted(tone, shade))
            self.p.drawRect(QRectF(x, rect.bottom() - 3.5, max(0.0, width - 1), 2))
            x += width

    def marks(self, flags: tuple[Flag, ...], y: float) -> None:
        """Paints icons, with as much of their text as fits before the next icon."""
        rows, px = self.rows, self.theme.px
        placed = sorted((x, k) for k, flag in enumerate(flags) if (x := x_of(flag, self.story.blocks, self.layout)) is not None)
        edges = [*(x for x, _ in placed[1:]), rows.room + self.offset][: len(placed)]
        self.p.save()
        self.p.setClipRect(QRectF(rows.left, y, rows.room, rows.row_high))
        for (at, k), after in zip(placed, edges, strict=True):
            flag, x, side = flags[k], rows.left + at - self.offset, px(14)
            x = max(x, rows.left + side / 2) if at >= self.offset else x  # one at the left edge stays whole
            picture = self.theme.pixmap(flag.icon, side, flag.tone)
            self.p.drawPixmap(int(x - side / 2), int(y + (rows.row_high - side) / 2), picture)
            room = after - at - px(20)
            if room >= px(24):
                draw_text(self.p, self.theme, QRectF(x + px(10), y, room, rows.row_high), flag.text, "micro", "muted")
        self.p.restore()

    def playhead(self, x: float, text: str, bottom: float) -> QRectF:
        """Paints the line and its pill. Returns the rectangle of the pill."""
        theme, px, rows = self.theme, self.theme.px, self.rows
        self.p.setPen(QPen(theme.colour("selection"), 1.6))
        self.p.drawLine(QPointF(x, px(22)), QPointF(x, bottom - 4))
        width = text_width(theme, text, "small", 650) + px(18)
        left = min(max(x - width / 2, rows.left), rows.right - width + px(8))  # the tools to the left are not painted again
        pill = QRectF(left, px(6), width, px(18))
        draw_block(self.p, theme, pill, "selection_bg", radius=pill.height() / 2)
        draw_text(self.p, theme, pill, text, "small", "selection", 650, CENTRE)
        return pill


STILL_OPEN = "still open"


class TrackPainter:
    """Paints points as discs and states as bars. An open state is dashed and says so. Labels of others are hollow."""

    def __init__(self, theme: Theme, painter: QPainter, viewport: Viewport, tracks: TrackWindow):
        self._theme, self._p, self._rows, self._offset = theme, painter, viewport.rows, viewport.offset
        self._first, self._most = tracks.first, tracks.count
        self._unsaved: frozenset[str] = frozenset()

    def paint(self, bars: Iterable[Bar], colours: dict[str, str], chosen: str, annotator: str,
              unsaved: frozenset[str]) -> None:
        """Paints all visible bars. Those of `unsaved` labels say so."""
        rows, self._unsaved = self._rows, unsaved
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
            radius = px(5)
            if rows.left <= left <= rows.right:  # one at an edge stays whole
                left = min(max(left, rows.left + radius + 1), rows.right - radius - 1)
            centre = QPointF(left, top + rows.row_high / 2)
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
        unsaved, rating = a.id in self._unsaved, f"{a.rating} of 5" if a.rating is not None else ""
        text = UNSAVED if unsaved else STILL_OPEN if not a.paired else a.note or rating
        if not text:
            return
        wide = text_width(self._theme, text, "micro")
        if wide > room:
            x = self._rows.left + bar.right - self._offset + px(6)
        band = QRectF(x, top, max(0.0, self._rows.right - x), self._rows.row_high)
        draw_text(self._p, self._theme, band, text, "micro", "bad" if unsaved else "warn" if not a.paired else "text")
