"""A pane with one picture (fits it, draws the layers over it, finds the entity under a click), and the first-person pane."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import ClassVar

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QHelpEvent,
    QImage,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPen,
    QPixmap,
)
from PySide6.QtWidgets import QToolTip, QWidget

from core.planning.facets import Frame, View
from gui.control.frame_images import FrameImages
from gui.panels.frames.badges import Badges
from gui.panels.frames.overlays import LEAST_BOX, MOST_BOXES, MOST_FOUND, OverlayData
from gui.theme import Theme
from gui.widgets import CENTRE, SMOOTH, draw_text, rounded
from gui.widgets.numbers import probability


@dataclass(frozen=True, slots=True)
class Layers:
    """Which layers are drawn."""

    boxes: bool = True
    labels: bool = True
    path: bool = True
    glow: bool = True
    figures: bool = True
    """Whether probabilities are written beside the likely places."""


class Pane(QWidget):
    """The base class of both panes. A subclass fits the picture and draws its layers."""

    view: View
    paints_after: ClassVar[int] = 0
    """Milliseconds from a change to painting. One pane after the other, because both at once take too long."""
    picked = Signal(str)
    """Emitted with the id of the clicked entity; empty if there is none."""
    opened = Signal(str)
    """Emitted with the id of the entity that was double-clicked."""
    asked_menu = Signal(str, QPoint)
    """Emitted with the id of the entity that was right-clicked, and the point of the screen."""

    def __init__(self, theme: Theme, images: FrameImages):
        super().__init__()
        self.theme, self._images = theme, images
        self.frame: Frame | None = None
        self.data, self.layers, self.caption = OverlayData(), Layers(), ""
        self._boxes: dict[str, tuple[int, int, int, int]] = {}
        self._image = QImage()
        self._fitted: tuple[tuple[int, int, int, float], QPixmap] | None = None
        self._changed = QTimer(self, interval=self.paints_after, singleShot=True)
        self._changed.timeout.connect(self.update)
        self.setMinimumSize(120, 90)
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    # --- what it shows -------------------------------------------------------
    def show_frame(self, frame: Frame | None) -> None:
        """Shows a frame. A frame that is missing counts as none."""
        if frame is self.frame:
            return
        self.frame = None if frame is not None and frame.is_missing else frame
        self._boxes = dict(frame.boxes) if frame is not None else {}
        self._image = self._images.of(self.frame) if self.frame is not None else QImage()
        self._changed.start()

    def dress(self, data: OverlayData, layers: Layers, caption: str) -> None:
        """Sets the layers and the caption."""
        if (data, layers, caption) != (self.data, self.layers, self.caption):
            self.data, self.layers, self.caption = data, layers, caption
            self.setAccessibleName(caption)
            self.setAccessibleDescription(self.words())
            self._changed.start()

    def words(self) -> str:
        """Describes the picture in words: the goal objects in it and the likely locations."""
        names = self.data.names
        goal = ", ".join(names.display(i) for i in self._boxes if i in self.data.goal)
        likely = ", ".join(f"{names.display(i)} {p:.2f}" for i, p in self.data.glow[:5])
        believed = f" Where {self.data.glows_for} may be: {likely}." if likely else ""
        return f"Goal objects in sight: {goal or 'nothing'}.{believed}"

    # --- geometry ------------------------------------------------------------
    def scale(self, wide: float, high: float) -> float:
        """Returns the scale of the picture.

        Args:
            wide: the scale at which the picture is as wide as the pane.
            high: the scale at which it is as high as the pane.
        """
        raise NotImplementedError

    def _corner(self) -> tuple[float, float, float]:
        """Returns x and y of the picture's upper left corner, in pixels of the pane, and its scale. It is centred."""
        width, height = self._image.width(), self._image.height()
        scale = self.scale(self.width() / max(1, width), self.height() / max(1, height))
        return (self.width() - width * scale) / 2, (self.height() - height * scale) / 2, scale

    def place(self) -> QRectF:
        """Returns the rectangle of the picture in the pane, in pixels."""
        left, top, scale = self._corner()
        return QRectF(left, top, self._image.width() * scale, self._image.height() * scale)

    def at(self, x: float, y: float) -> QPointF:
        """Returns the position in the pane of a pixel of the frame."""
        left, top, scale = self._corner()
        return QPointF(left + x * scale, top + y * scale)

    def box_of(self, entity_id: str) -> QRectF | None:
        """Returns the box of a visible entity in pixels of the pane, clipped to it; None if it is not visible."""
        box = self._boxes.get(entity_id)
        if box is None:
            return None
        left, top, scale = self._corner()
        x, y = max(3.0, left + box[0] * scale), max(3.0, top + box[1] * scale)
        width = min(self.width() - 3.0, left + box[2] * scale) - x
        height = min(self.height() - 3.0, top + box[3] * scale) - y
        return QRectF(x, y, width, height) if width > 2 and height > 2 else None

    def under(self, position: QPointF) -> str:
        """Returns the id of the entity drawn at a position, or ""."""
        if self.frame is None:
            return ""
        rect = self.place()
        x = int((position.x() - rect.x()) * self._image.width() / rect.width())
        y = int((position.y() - rect.y()) * self._image.height() / rect.height())
        if not (0 <= x < self._image.width() and 0 <= y < self._image.height()):
            return ""
        if self.frame.ids is not None:
            return self.frame.names[int(self.frame.ids[y, x])]
        hit = [(name, b) for name, b in self._boxes.items() if b[0] <= x < b[2] and b[1] <= y < b[3]]
        return min(hit, key=lambda found: (found[1][2] - found[1][0]) * (found[1][3] - found[1][1]))[0] if hit else ""

    # --- drawing -------------------------------------------------------------
    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        """Paints the stage, the picture, the layers and the caption."""
        del event
        painter = QPainter(self)
        painter.fillRect(self.rect(), self.theme.colour("surface"))
        painter.setRenderHints(SMOOTH | QPainter.RenderHint.SmoothPixmapTransform)
        painter.setClipPath(rounded(QRectF(self.rect()), 5))
        painter.fillRect(self.rect(), self.theme.colour("sunken"))
        if self.frame is not None:
            rect = self.place()
            fitted = self._fit(rect)
            painter.drawPixmap(rect.topLeft(), self.lit(fitted, rect))
            badges = Badges(painter, self.theme, QRectF(self.rect()))
            caption = QPainterPath()
            caption.addRect(badges.corner(self.caption))
            painter.setClipPath(rounded(QRectF(self.rect()), 5).subtracted(caption))  # no layer covers it
            self.overlay(painter, badges)
        else:
            draw_text(painter, self.theme, QRectF(self.rect()), self.caption, "small", "muted", align=CENTRE)
        painter.end()

    def _fit(self, rect: QRectF) -> QPixmap:
        ratio = self.devicePixelRatioF()
        width, height = round(rect.width() * ratio), round(rect.height() * ratio)
        key = (self._image.cacheKey(), width, height, ratio)
        if self._fitted is None or self._fitted[0] != key:
            image = self._image
            if (image.width(), image.height()) != (width, height):
                image = image.scaled(width, height, mode=Qt.TransformationMode.SmoothTransformation)
            pixmap = QPixmap.fromImage(image)
            pixmap.setDevicePixelRatio(ratio)
            self._fitted = (key, pixmap)
        return self._fitted[1]

    def lit(self, picture: QPixmap, rect: QRectF) -> QPixmap:
        """Returns the picture with the glow on it, if a subclass draws one. `rect` is the rectangle of the picture."""
        del rect
        return picture

    def overlay(self, painter: QPainter, badges: Badges) -> None:
        """Draws the layers over the picture."""
        raise NotImplementedError

    # --- the operator ----------------------------------------------------------
    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Selects the entity under the pointer."""
        if event.button() == Qt.MouseButton.LeftButton:
            self.picked.emit(self.under(event.position()))

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Asks what can be done with the entity under the pointer."""
        if found := self.under(event.position()):
            self.opened.emit(found)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:  # noqa: N802 - Qt's name
        """Selects the entity and asks for its menu."""
        self.ask_menu(QPointF(event.pos()), event.globalPos())

    def ask_menu(self, position: QPointF, at: QPoint) -> None:
        """Selects the entity at a position and asks for its menu, at a point of the screen."""
        if found := self.under(position):
            self.picked.emit(found)
            self.asked_menu.emit(found, at)

    def event(self, event: QEvent) -> bool:
        """Shows a tooltip that names the entity under the pointer."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            found = self.under(QPointF(event.pos()))
            QToolTip.showText(event.globalPos(), self._tip(found), self)
            return True
        return super().event(event)

    def _tip(self, entity_id: str) -> str:
        if not entity_id:
            return ""
        chance = next((f" · {self.data.thing} {p:.2f}" for place, p in self.data.glow if place == entity_id), "")
        return self.data.names.full(entity_id) + chance


SHADE = QColor(0, 0, 0, 120)
"""Drawn under every line, so that the line is visible on light and dark pictures."""


class FirstPerson(Pane):
    """The first-person pane. The picture covers all of it."""

    view: View = "first person"

    def scale(self, wide: float, high: float) -> float:
        """Returns the larger scale: the picture covers the pane, and the rest is cut off equally on both sides."""
        return max(wide, high)

    def overlay(self, painter: QPainter, badges: Badges) -> None:
        """Draws the boxes. The selected box is on top and gets its caption first."""
        likely = {place: p for place, p in self.data.glow if p >= LEAST_BOX}
        kinds = {"selected": [self.data.selected] if self.data.selected else []}
        if self.layers.glow:
            kinds["belief"] = [i for i in list(likely)[:MOST_BOXES] if i != self.data.selected]
        if self.layers.boxes:
            wanted = (i for i in self._boxes if i in self.data.goal and i not in (self.data.selected, *likely))
            kinds["goal"] = list(islice(wanted, MOST_FOUND))
        found = [(kind, i, box) for kind, ids in kinds.items() for i in ids if (box := self.box_of(i)) is not None]
        for kind, _, box in reversed(found):
            draw_box(painter, box, kind, self.theme.picture(kind.replace("selected", "selection")))
        if self.layers.labels:
            for kind, entity_id, box in found:
                self._caption(badges, kind, entity_id, box, likely)

    def _caption(self, badges: Badges, kind: str, entity_id: str, box: QRectF, likely: dict[str, float]) -> None:
        name = self.data.names.display(entity_id)
        if kind == "selected":
            tone = self.theme.picture("selection")
            says = self.data.selected_says if self.layers.figures else ""
            badges.beside(box, name, says or ("goal" if entity_id in self.data.goal else ""), tone,
                          must=True, ring=tone)
        elif kind == "belief":
            says = probability(likely[entity_id]) if self.layers.figures else ""
            badges.beside(box, name, says, self.theme.picture("belief"))
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
