"""Marks and text that painters share. The shape of a mark carries the same meaning as its colour."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Literal

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFontMetricsF, QPainter, QPainterPath, QPen, QPolygonF

from gui.theme import Role, Theme
from gui.theme.tokens import contrast

Shape = Literal["circle", "ring", "square", "triangle", "diamond", "octagon"]

SMOOTH = QPainter.RenderHint.Antialiasing
LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
CENTRE = Qt.AlignmentFlag.AlignCenter
IN_LINE = (LEFT, RIGHT, CENTRE)
"""The alignments of single lines."""
DARK_INK, LIGHT_INK = "#0E0B06", "#FFFFFF"
LEAST_NAME = 3
"""The least number of letters of a name that must remain for its number to be useful."""
SMALL_LOSS, MIDDLING_LOSS = 0.03, 0.15
"""Shares of the goal's reward below which a loss counts as small, or as medium."""

TONES = ("accent", "warn", "good", "operator_act", "resolution", "muted")
FILLS = (Qt.BrushStyle.SolidPattern, Qt.BrushStyle.BDiagPattern, Qt.BrushStyle.Dense4Pattern, Qt.BrushStyle.FDiagPattern,
         Qt.BrushStyle.CrossPattern, Qt.BrushStyle.Dense6Pattern)
LINES = (Qt.PenStyle.SolidLine, Qt.PenStyle.DashLine, Qt.PenStyle.DotLine, Qt.PenStyle.DashDotLine, Qt.PenStyle.SolidLine,
         Qt.PenStyle.DashLine)
"""Colour, filling and line of the planners in a chart, so that colour is never alone; from the seventh on they repeat."""


def brush_of(theme: Theme, k: int) -> QBrush:
    """Returns the filling of the bars of a planner."""
    return QBrush(theme.colour(TONES[k % len(TONES)]), FILLS[k % len(FILLS)])


def pen_of(theme: Theme, k: int, width: float = 1.8) -> QPen:
    """Returns the line of a planner, which keeps its width on the screen."""
    pen = QPen(theme.colour(TONES[k % len(TONES)]), width, LINES[k % len(LINES)])
    pen.setCosmetic(True)
    return pen


def draw_text(
    painter: QPainter,
    theme: Theme,
    rect: QRectF,
    text: str,
    role: Role = "small",
    tone: str | QColor = "text",
    weight: int = 400,
    align: Qt.AlignmentFlag = LEFT,
    mono: bool = False,
    elide: bool = True,
) -> float:
    """Draws one line of text in a rectangle and returns its width in pixels.

    A text that is too long is cut with …; of `cabinet 2` the number stays.

    Args:
        painter: the painter to draw with.
        theme: the fonts and colours.
        rect: the room for the text, in pixels.
        text: the text.
        role: its role in the type scale.
        tone: a colour token, or a colour.
        weight: 400 to 700.
        align: its alignment in the rectangle.
        mono: whether it is in the monospaced font.
        elide: whether a text that does not fit is cut. If not, `align` may wrap it (TextWordWrap).
    """
    lettering = theme.lettering(role, weight, mono)
    painter.setFont(lettering.font)
    painter.setPen(theme.colour(tone) if isinstance(tone, str) else tone)
    if elide and lettering.width(text) > rect.width() + 1:
        text = _cut(lettering.metrics, text, rect.width() + 1)
    if align not in IN_LINE or "\n" in text:
        painter.drawText(rect, align, text)
        return lettering.width(text)
    line, x = lettering.line(text), rect.x()
    if align != LEFT:
        x += (rect.width() - line.width) / (1 if align == RIGHT else 2)
    painter.drawStaticText(QPointF(x, rect.y() + (rect.height() - line.height) / 2), line.text)
    return line.width


def _cut(metrics: QFontMetricsF, text: str, width: float) -> str:
    name, _, number = text.rpartition(" ")
    left = width - metrics.horizontalAdvance(f" {number}")
    if name and number.isdecimal() and left > metrics.horizontalAdvance(name[:LEAST_NAME] + "…"):
        return f"{metrics.elidedText(name, Qt.TextElideMode.ElideRight, left)} {number}"
    return metrics.elidedText(text, Qt.TextElideMode.ElideRight, width)


def text_width(theme: Theme, text: str, role: Role = "small", weight: int = 400, mono: bool = False) -> float:
    """Returns the width of a text in pixels."""
    return theme.lettering(role, weight, mono).width(text)


def draw_mark(
    painter: QPainter, shape: Shape, x: float, y: float, radius: float, fill: QColor | None = None, pen: QColor | None = None
) -> None:
    """Draws a mark centred on (x, y): filled, outlined (1.5 px), or both."""
    painter.setPen(QPen(pen, 1.5) if pen is not None else Qt.PenStyle.NoPen)
    painter.setBrush(QBrush(fill) if fill is not None else Qt.BrushStyle.NoBrush)
    if shape in ("circle", "ring"):
        painter.drawEllipse(QPointF(x, y), radius, radius)
    else:
        painter.drawPolygon(_corners(shape, x, y, radius))


def _corners(shape: Shape, x: float, y: float, r: float) -> QPolygonF:
    k, s = r * 0.414, r * 0.85
    points = {
        "square": ((-s, -s), (s, -s), (s, s), (-s, s)),
        "triangle": ((0, -r), (r, r * 0.8), (-r, r * 0.8)),
        "diamond": ((0, -r), (r, 0), (0, r), (-r, 0)),
        "octagon": ((-k, -r), (k, -r), (r, -k), (r, k), (k, r), (-k, r), (-r, k), (-r, -k)),
    }[shape]
    return QPolygonF([QPointF(x + dx, y + dy) for dx, dy in points])


@cache
def ink_on(ground: str) -> QColor:
    """Returns the colour of text on a colour such as `#FFD978`: the dark or the light ink, whichever has more contrast."""
    return QColor(max((DARK_INK, LIGHT_INK), key=lambda ink: contrast(ink, ground)))


def mark_path(shape: Shape) -> QPainterPath:
    """Returns a mark of diameter 1 around the origin as a path."""
    path = QPainterPath()
    if shape in ("circle", "ring"):
        path.addEllipse(QPointF(0, 0), 0.5, 0.5)
    else:
        path.addPolygon(_corners(shape, 0, 0, 0.5))
        path.closeSubpath()
    return path


@contextmanager
def saved(painter: QPainter) -> Iterator[None]:
    """Restores the painter's state at the end of the block, also if painting in slices is stopped early."""
    painter.save()
    try:
        yield
    finally:
        painter.restore()


def loss_mark(loss: float | None, reward: float = 10.0) -> tuple[str, Shape]:
    """Returns the colour token and the shape of a loss against the best action. None means never visited."""
    if loss is None:
        return "idle", "ring"
    if loss < SMALL_LOSS * reward:
        return "good", "circle"
    return ("warn", "triangle") if loss < MIDDLING_LOSS * reward else ("bad", "square")


def draw_loss(
    painter: QPainter, theme: Theme, x: float, y: float, radius: float, loss: float | None, reward: float = 10.0
) -> None:
    """Draws the mark of a loss, centred on (x, y)."""
    tone, shape = loss_mark(loss, reward)
    colour = theme.colour(tone)
    draw_mark(painter, shape, x, y, radius, None if shape == "ring" else colour, colour if shape == "ring" else None)


def rounded(rect: QRectF, radius: float) -> QPainterPath:
    """Returns a rounded rectangle as a path, to clip by."""
    path = QPainterPath()
    path.addRoundedRect(rect, radius, radius)
    return path


def draw_block(
    painter: QPainter, theme: Theme, rect: QRectF, fill: str, line: str = "", radius: float = 4.0, width: float = 1.0
) -> None:
    """Draws a rounded block with a sharp outline of `width` pixels; no outline if `line` is empty."""
    painter.setPen(QPen(theme.colour(line), width) if line else Qt.PenStyle.NoPen)
    painter.setBrush(theme.colour(fill))
    inset = width / 2 if line else 0.0
    painter.drawRoundedRect(rect.adjusted(inset, inset, -inset, -inset), radius, radius)


def draw_level(painter: QPainter, theme: Theme, track: QRectF, share: float, tone: str) -> None:
    """Draws a value as a level in an upright track. Both height and colour show it; `share` is from 0 to 1."""
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(theme.colour("line_strong"))
    painter.drawRoundedRect(track, 2, 2)
    if share > 0:
        high = max(2.0, track.height() * share)
        painter.setBrush(theme.colour(tone))
        painter.drawRoundedRect(QRectF(track.x(), track.bottom() - high, track.width(), high), 2, 2)
