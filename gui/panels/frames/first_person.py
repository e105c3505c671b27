"""The first-person picture: goal objects in corner brackets, likely locations dashed, the selected object boxed."""

from __future__ import annotations

from itertools import islice

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from core.planning.facets import View
from gui.panels.frames.badges import Badges
from gui.panels.frames.overlays import LEAST_BOX, MOST_BOXES, MOST_FOUND
from gui.panels.frames.pane import Pane
from gui.widgets.numbers import probability

SHADE = QColor(0, 0, 0, 120)
"""Drawn under every line, so that the line is visible on light and dark pictures."""


class FirstPerson(Pane):
    """The first-person pane. The picture covers all of it."""

    view: View = "first person"

    def place(self) -> QRectF:
        """Returns the rectangle of the picture. It covers the pane; the rest is cut off equally on both sides."""
        return self._scaled_to(max(self._scales()))

    def overlay(self, painter: QPainter, badges: Badges) -> None:
        """Draws the boxes. The selected box is on top and gets its caption first."""
        likely = {place: p for place, p in self.scenery.glow if p >= LEAST_BOX}
        kinds = {"selected": [self.scenery.selected] if self.scenery.selected else []}
        if self.layers.glow:
            kinds["belief"] = [i for i in list(likely)[:MOST_BOXES] if i != self.scenery.selected]
        if self.layers.boxes:
            wanted = (i for i in self._boxes if i in self.scenery.goal and i not in (self.scenery.selected, *likely))
            kinds["goal"] = list(islice(wanted, MOST_FOUND))
        found = [(kind, i, box) for kind, ids in kinds.items() for i in ids if (box := self.box_of(i)) is not None]
        for kind, _, box in reversed(found):
            draw_box(painter, box, kind, self.theme.picture(kind.replace("selected", "selection")))
        if self.layers.labels:
            for kind, entity_id, box in found:
                self._caption(badges, kind, entity_id, box, likely)

    def _caption(self, badges: Badges, kind: str, entity_id: str, box: QRectF, likely: dict[str, float]) -> None:
        name = self.scenery.names.display(entity_id)
        if kind == "selected":
            tone = self.theme.picture("selection")
            badges.beside(box, name, self.scenery.selected_says or ("goal" if entity_id in self.scenery.goal else ""), tone,
                          must=True, ring=tone)
        elif kind == "belief":
            badges.beside(box, name, probability(likely[entity_id]), self.theme.picture("belief"))
        else:
            badges.beside(box, name, "goal", self.theme.picture("goal"))


def draw_box(painter: QPainter, box: QRectF, kind: str, colour: QColor) -> None:
    """Draws a box in the style of its kind.

    A selected box is a solid cyan line and a likely location ("belief") a dashed amber one. A goal object has only white
    corners, so that the picture stays visible.
    """
    style = Qt.PenStyle.DashLine if kind == "belief" else Qt.PenStyle.SolidLine
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for pen in (QPen(SHADE, 3.4), QPen(colour, 2.2 if kind == "selected" else 1.5, style)):
        painter.setPen(pen)
        if kind == "goal":
            _draw_corners(painter, box)
        else:
            painter.drawRoundedRect(box, 3, 3)


def _draw_corners(painter: QPainter, box: QRectF) -> None:
    length = min(16.0, box.width() / 3, box.height() / 3)
    corners = ((box.topLeft(), 1, 1), (box.topRight(), -1, 1), (box.bottomLeft(), 1, -1), (box.bottomRight(), -1, -1))
    for corner, right, down in corners:
        painter.drawPolyline([QPointF(corner.x() + right * length, corner.y()), corner,
                              QPointF(corner.x(), corner.y() + down * length)])
