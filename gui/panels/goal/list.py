"""The painted list of literals: two lines each, with chips that can be clicked."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QAbstractScrollArea, QFrame

from gui.panels.goal.literal_status import Standing
from gui.theme import Theme
from gui.widgets import RIGHT, SMOOTH, ChipLook, draw_block, draw_chip, draw_text, text_width

ROW, CHIP = 54, 20


class GoalList(QAbstractScrollArea):
    """A list with a block for each literal: whether it is reached, its counts, and the objects that satisfy it."""

    picked = Signal(str)

    def __init__(self, theme: Theme):
        super().__init__()
        self._theme = theme
        self._standings: tuple[Standing, ...] = ()
        self._selected = ""
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.viewport().setAutoFillBackground(False)
        self.setAccessibleName("Literals of the goal")

    def show_standings(self, standings: tuple[Standing, ...], selected: str) -> None:
        """Shows literals and the selection."""
        self._standings, self._selected = standings, selected
        self.setAccessibleDescription("; ".join(
            f"{s.words}: {s.real} of {s.literal.count}{', reached' if s.reached else ''}{', ' + s.differs if s.differs else ''}"
            for s in standings))
        self._measure()
        self.viewport().update()

    def _measure(self) -> None:
        high = len(self._standings) * self._theme.px(ROW) + self._theme.px(8)
        self.verticalScrollBar().setRange(0, max(0, high - self.viewport().height()))
        self.verticalScrollBar().setPageStep(self.viewport().height())

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Updates the scroll range."""
        super().resizeEvent(event)
        self._measure()

    def _rect(self, k: int) -> QRectF:
        px = self._theme.px
        return QRectF(px(6), px(6) + k * px(ROW) - self.verticalScrollBar().value(), self.viewport().width() - px(12),
                      px(ROW) - px(6))

    def _chips(self, k: int) -> list[tuple[str, str, QRectF]]:
        """Returns (id, name, rectangle) of the chips of subjects that fit. The last one stands for those that do not fit."""
        px, rect = self._theme.px, self._rect(k)
        x, found, standing = rect.x() + px(26), list[tuple[str, str, QRectF]](), self._standings[k]
        right = rect.right() - px(8) - self._note_width(standing)
        for n, (entity_id, name) in enumerate(standing.subjects):
            rest = len(standing.subjects) - n
            width = text_width(self._theme, name, "small", 500) + px(16)
            if x + width + (px(34) if rest > 1 else 0) > right:
                found.append(("", f"+{rest}", QRectF(x, rect.y() + px(24), px(32), px(CHIP))))
                break
            found.append((entity_id, name, QRectF(x, rect.y() + px(24), width, px(CHIP))))
            x += width + px(4)
        return found

    def _note_width(self, standing: Standing) -> float:
        return text_width(self._theme, standing.differs, "small", 500) + self._theme.px(10) if standing.differs else 0.0

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        """Paints the visible literals."""
        del event
        painter = QPainter(self.viewport())
        painter.setRenderHint(SMOOTH)
        for k, standing in enumerate(self._standings):
            rect = self._rect(k)
            if rect.bottom() > 0 and rect.top() < self.viewport().height():
                self._paint_literal(painter, standing, rect)
                self._paint_subjects(painter, k, standing, rect)
        painter.end()

    def _paint_literal(self, painter: QPainter, standing: Standing, rect: QRectF) -> None:
        theme, px = self._theme, self._theme.px
        tone = "good" if standing.reached else "warn"
        on = bool(standing.target) and standing.target == self._selected
        draw_block(painter, theme, rect, "raised", "selection" if on else "line")
        side, line = px(14), QRectF(rect.x(), rect.y() + px(2), rect.width(), px(22))
        painter.drawPixmap(QPointF(rect.x() + px(8), line.center().y() - side / 2),
                           theme.pixmap("check" if standing.reached else "search", side, tone))
        counted = f"{min(standing.real, standing.literal.count)}/{standing.literal.count}"
        wide = text_width(theme, counted, "body", 650) + px(10)
        draw_text(painter, theme, line.adjusted(px(28), 0, -wide - px(6), 0), standing.words, "body", "text", 600)
        draw_text(painter, theme, line.adjusted(0, 0, -px(8), 0), counted, "body", tone, 650, RIGHT)
        self._paint_share(painter, standing, rect, tone)

    def _paint_share(self, painter: QPainter, standing: Standing, rect: QRectF, tone: str) -> None:
        share = min(1.0, standing.real / max(1, standing.literal.count))
        if share > 0:
            painter.setPen(QPen(self._theme.colour(tone), 2, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap))
            y = rect.bottom() - 1
            painter.drawLine(QPointF(rect.x() + 4, y), QPointF(rect.x() + 4 + (rect.width() - 8) * share, y))

    def _paint_subjects(self, painter: QPainter, k: int, standing: Standing, rect: QRectF) -> None:
        theme, px = self._theme, self._theme.px
        for entity_id, name, where in self._chips(k):
            on = bool(entity_id) and entity_id == self._selected
            draw_chip(painter, theme, where, ChipLook(name, "selection" if on else "good" if standing.reached else "muted",
                                                      "selection_bg" if on else "good_bg" if standing.reached else "sunken"))
        below = QRectF(rect.x() + px(28), rect.y() + px(24), rect.width() - px(36), px(CHIP))
        if not standing.subjects:
            draw_text(painter, theme, below.adjusted(0, 0, -self._note_width(standing), 0), "nothing yet", "small", "faint")
        if standing.differs:
            draw_text(painter, theme, below, standing.differs, "small", "warn", 500, RIGHT)

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Emits `picked`: a click on a chip selects its object, a click elsewhere on the literal selects its target."""
        for k, standing in enumerate(self._standings):
            if self._rect(k).contains(event.position()):
                chip = next((i for i, _, where in self._chips(k) if where.contains(event.position())), "")
                if chosen := chip or standing.target:
                    self.picked.emit(chosen)
