"""The shapes of the paper's figure. Each kind of node differs in shape as well as in colour."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter, QPolygonF


class Dress(NamedTuple):
    """The colour tokens of a shape: outline, fill, text."""

    line: str
    fill: str
    text: str


DRESS: Mapping[str, Dress] = {
    "goal": Dress("text", "raised", "text"),
    "blocked": Dress("blocked", "bad_bg", "bad"),
    "condition": Dress("condition", "warn_bg", "condition"),
    "resolution": Dress("resolution", "raised", "resolution"),
    "candidate": Dress("line_strong", "raised", "text"),
    "chosen": Dress("good", "good_bg", "good"),
    "banned": Dress("line_strong", "surface", "faint"),
}
CUT = 0.24
"""The share of an octagon's height by which its corners are cut."""


def draw_shape(painter: QPainter, shape: str, rect: QRectF) -> None:
    """Draws an octagon, diamond, pill or rectangle with the painter's pen and brush.

    Args:
        painter: its pen draws the outline, its brush the fill.
        shape: a key of `DRESS`, or "pill". Goals and resolutions are rectangles.
        rect: the bounding rectangle.
    """
    if shape == "condition":
        middle = rect.center()
        painter.drawPolygon(QPolygonF([QPointF(rect.left(), middle.y()), QPointF(middle.x(), rect.top()),
                                       QPointF(rect.right(), middle.y()), QPointF(middle.x(), rect.bottom())]))
    elif shape == "blocked":
        painter.drawPolygon(_octagon(rect))
    elif shape in ("pill", "candidate", "chosen", "banned"):
        painter.drawRoundedRect(rect, rect.height() / 2, rect.height() / 2)
    else:
        painter.drawRoundedRect(rect, 3, 3)


def _octagon(rect: QRectF) -> QPolygonF:
    k, x, y, right, low = CUT * rect.height(), rect.left(), rect.top(), rect.right(), rect.bottom()
    corners = ((x + k, y), (right - k, y), (right, y + k), (right, low - k), (right - k, low), (x + k, low), (x, low - k),
               (x, y + k))
    return QPolygonF([QPointF(*corner) for corner in corners])
