"""The dollhouse picture: the house from above or any side, with the robot's path and a glow where the goal object may be."""

from __future__ import annotations

import math
from functools import partial
from typing import ClassVar

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QHideEvent,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPen,
    QPixmap,
    QPolygonF,
    QRadialGradient,
    QWheelEvent,
)
from PySide6.QtWidgets import QWidget

from core.planning.facets import View
from core.simulator.orbit import orbit_of
from gui.control.frame_images import FrameImages
from gui.control.free_view import FreeView
from gui.panels.frames.badges import Badges
from gui.panels.frames.carrying import Carrying, Cutout, cut_out, placed
from gui.panels.frames.overlays import projected
from gui.panels.frames.pane import Pane, draw_box
from gui.panels.frames.turning import NOTCH, Turning, aspect_of, clip_of
from gui.theme import Theme
from gui.widgets import draw_mark
from gui.widgets.numbers import probability

LEAST_NUMBER = 0.10
STEPS = ((0.0, 1.0), (0.35, 0.62), (0.7, 0.2), (1.0, 0.0))
"""How a glow fades: pairs of (share of its radius, share of its strength)."""
COARSE = 4
"""Pixels of the picture for each pixel of the glow image."""
DESIGNED_FOR = 720.0
"""Width of the picture, in pixels, for which the sizes of marks are given."""
LEAST_GHOST = 28.0
"""Pixels: the longer side of a dragged thing is drawn at least as long as this."""
SLACK = 5
"""Pixels that the pointer may move in a click."""


class Dollhouse(Pane):
    """The dollhouse pane. It shows the whole picture on the stage."""

    view: View = "dollhouse"
    paints_after: ClassVar[int] = 12
    _lit: tuple[object, QPixmap] | None = None

    asked_lift = Signal(str)
    """The id of the thing that is dragged from now on. Whoever can lift it calls `carrying.lift`."""
    dropped = Signal(object, object)
    """The WorldMoment and the WorldChange of a drop."""
    put_down = Signal()
    """A drag of a thing has ended."""

    def __init__(self, theme: Theme, images: FrameImages, view: FreeView):
        super().__init__(theme, images)
        self.turning, self.carrying = Turning(self), Carrying(self, view)
        self.carrying.changed.connect(self.update)
        self._ghost: tuple[object, Cutout | None] = (None, None)
        self._lit_place: tuple[object, Cutout | None] = (None, None)
        self.drop_says = ""
        """What a drop does besides, as the end of a caption."""
        self._pressed: QPointF | None = None
        self._last = QPointF()
        self._drags = False

    def scale(self, wide: float, high: float) -> float:
        """Returns the smaller scale, at which all of the picture is visible."""
        return min(wide, high)

    def overlay(self, painter: QPainter, badges: Badges) -> None:
        """Draws the path, the selection, the probabilities and the goal objects that were found."""
        if self.layers.path:
            self._draw_path(painter)
        self._draw_selected(painter, badges)
        for point, p in self._glow():
            if p >= LEAST_NUMBER and self.layers.figures:
                badges.pill(point, probability(p), self.theme.picture("belief"))
        if self.layers.labels:
            self._draw_found(painter, badges)
        if self.carrying.thing:
            self._draw_carried(painter, badges)

    def _glow(self) -> list[tuple[QPointF, float]]:
        if not self.layers.glow:
            return []
        return [(point, p) for place, p in self.data.glow if (point := self.anchor(place)) is not None]

    def lit(self, picture: QPixmap, rect: QRectF) -> QPixmap:
        """Returns the picture with the glow on it. The glow covers the house only, not the stage around it."""
        glow = self._glow()
        if not glow:
            return picture
        key = (picture.cacheKey(), self.theme.picture("belief").rgba(), tuple((point.toTuple(), p) for point, p in glow))
        if self._lit is None or self._lit[0] != key:
            lit = picture.copy()
            painter = QPainter(lit)
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
            painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_SourceAtop)
            painter.drawImage(QRectF(0, 0, rect.width(), rect.height()), self._light(glow, rect))
            painter.end()
            self._lit = (key, lit)
        return self._lit[1]

    def _light(self, glow: list[tuple[QPointF, float]], rect: QRectF) -> QImage:
        """Returns the glow alone, at low resolution. It is soft, and sixteen times fewer pixels are faster to draw."""
        size = QSize(max(1, math.ceil(rect.width() / COARSE)), max(1, math.ceil(rect.height() / COARSE)))
        light = QImage(size, QImage.Format.Format_ARGB32_Premultiplied)
        light.fill(Qt.GlobalColor.transparent)
        painter = QPainter(light)
        painter.scale(size.width() / max(1.0, rect.width()), size.height() / max(1.0, rect.height()))
        painter.translate(-rect.topLeft())
        for point, p in reversed(glow):
            self._draw_glow(painter, point, p)
        painter.end()
        return light

    def anchor(self, entity_id: str) -> QPointF | None:
        """Returns the position of an entity in the picture, in pixels of the pane.

        This is the centre of its box. For a room it is the mean centre of the furniture in it. Returns None if nothing is in
        sight.
        """
        if (box := self.box_of(entity_id)) is not None:
            return box.center()
        inside = [box.center() for i in self.data.rooms.get(entity_id, ()) if (box := self.box_of(i)) is not None]
        if not inside:
            return None
        return QPointF(sum(p.x() for p in inside) / len(inside), sum(p.y() for p in inside) / len(inside))

    # --- turning, moving, zooming -------------------------------------------------
    def begin_turning(self) -> bool:
        """Prepares for a change of the viewpoint. Returns False if this picture cannot be turned."""
        return self.turning.begin(self.frame, self.place(), self.size())

    def zoom(self, notches: float, at: QPointF | None = None) -> None:
        """Goes nearer to what is drawn at a point of the pane, by default in its middle."""
        if self.begin_turning():
            self.turning.zoom(notches, QPointF(self.rect().center()) if at is None else at, self.size())

    def push(self, right: float, up: float) -> None:
        """Moves the view over the house by shares of the picture's height."""
        if self.begin_turning():
            self.turning.push(right, up)

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Begins a click or a drag."""
        self._pressed, self._last, self._drags = event.position(), event.position(), False

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Moves a thing, or else turns the house, or with Shift moves it."""
        if self._pressed is None or not event.buttons():
            return
        if self.carrying.thing:
            self._point(event.position())
            return
        if not self._drags:
            if (event.position() - self._pressed).manhattanLength() < SLACK:
                return
            if event.buttons() == Qt.MouseButton.LeftButton and self._lift(event.position()):
                return
            if not self.begin_turning():
                return
            self._drags = True
        by, self._last = event.position() - self._last, event.position()
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self.turning.move(by, self.size())
        else:
            self.turning.turn(by, self.size())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Selects the entity under the pointer if it was not moved; the right button also opens its menu."""
        pressed, self._pressed = self._pressed, None
        if self.carrying.thing:
            self._point(event.position())
            self.put_back(drop=True)
        elif pressed is None or self._drags:
            return
        elif event.button() == Qt.MouseButton.LeftButton:
            self.picked.emit(self.under(pressed))
        elif event.button() == Qt.MouseButton.RightButton:
            self.ask_menu(pressed, event.globalPosition().toPoint())

    def _lift(self, at: QPointF) -> bool:
        """Lifts the thing under the pressed button. Returns False if there is none that can be moved."""
        assert self._pressed is not None, "a button is pressed"
        thing = self.under(self._pressed)
        if not thing or thing in self.data.fixed or self.frame is None:
            return False
        self.asked_lift.emit(thing)
        if not self.carrying.thing:
            return False
        _application().installEventFilter(self)  # Esc cancels, whatever has the focus
        self._point(at)
        return True

    def _point(self, at: QPointF) -> None:
        """Carries the thing to a point of the pane."""
        orbit = orbit_of(self.frame.matrix) if self.frame is not None else None
        place = self.place()
        clip = clip_of(at - place.topLeft(), place.size().toSize())
        aim = partial(orbit.point_at, clip, aspect_of(place.size().toSize())) if orbit is not None else None
        self.carrying.point(at, self.under(at), aim)

    def put_back(self, *, drop: bool = False) -> None:
        """Ends a drag of a thing: with `drop` it comes to lie where it is, otherwise nothing changes."""
        if not self.carrying.thing:
            return
        moment = self.carrying.moment
        change = self.carrying.end()
        self._pressed = None
        _application().removeEventFilter(self)
        if drop and change is not None:
            self.dropped.emit(moment, change)
        self.put_down.emit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """Takes Esc while a thing is dragged."""
        if not isinstance(event, QKeyEvent) or event.key() != Qt.Key.Key_Escape or not isinstance(watched, QWidget):
            return False
        event.accept()
        if event.type() == QEvent.Type.KeyPress:
            self.put_back()
        return True

    def hideEvent(self, event: QHideEvent) -> None:  # noqa: N802 - Qt's name
        """Ends a drag."""
        super().hideEvent(event)
        self.put_back()

    def _draw_carried(self, painter: QPainter, badges: Badges) -> None:
        """Draws the place under the dragged thing, the thing at the pointer, and what a drop would do."""
        frame, carrying = self.frame, self.carrying
        if frame is None:
            return
        tone = self.theme.picture("good") if carrying.change is not None else self.theme.colour("bad")
        if carrying.target:
            tint = QColor(tone)
            tint.setAlphaF(0.5)
            key = (id(frame.pixels), carrying.target, tint.rgba())
            if self._lit_place[0] != key:
                self._lit_place = key, cut_out(frame, carrying.target, tint)
            if (place := self._lit_place[1]) is not None:
                painter.drawPixmap(self._rect_of(place), place.image, QRectF(place.image.rect()))
        if self._ghost[0] != (ghost_key := (id(frame.pixels), carrying.thing)):
            self._ghost = ghost_key, cut_out(frame, carrying.thing)
        if (ghost := self._ghost[1]) is not None:
            rect = self._rect_of(ghost)
            draw_box(painter, rect, "belief", tone)
            larger = max(1.0, LEAST_GHOST / max(rect.width(), rect.height()))
            rect.setSize(rect.size() * larger)
            rect.moveCenter(carrying.at)
            painter.setOpacity(0.85)
            painter.drawPixmap(rect, ghost.image, QRectF(ghost.image.rect()))
            painter.setOpacity(1.0)
            draw_box(painter, rect, "selected", tone)
        says = f"{carrying.words}{self.drop_says}" if carrying.change is not None else carrying.words
        badges.around(carrying.at + QPointF(0, 26), says[:1].upper() + says[1:], tone=tone, must=True)

    def _rect_of(self, cutout: Cutout) -> QRectF:
        corner = self.at(0, 0)
        return placed(cutout, corner, (self.at(1, 0) - corner).x())

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:  # noqa: N802 - Qt's name
        """Leaves the right button to drags and clicks."""
        if event.reason() != QContextMenuEvent.Reason.Mouse:
            super().contextMenuEvent(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Asks what can be done with the entity under the pointer; beside all entities, shows the whole house again."""
        if event.button() != Qt.MouseButton.LeftButton:
            return
        if self.under(event.position()):
            super().mouseDoubleClickEvent(event)
        else:
            self.turning.reset()

    def wheelEvent(self, event: QWheelEvent) -> None:  # noqa: N802 - Qt's name
        """Zooms at the pointer."""
        self.zoom(event.angleDelta().y() / NOTCH, event.position())
        event.accept()

    def _draw_glow(self, painter: QPainter, point: QPointF, p: float) -> None:
        radius = (34 + 78 * math.sqrt(p)) * 1.3 * self.place().width() / DESIGNED_FOR
        light = QRadialGradient(point, radius)
        for at, strength in STEPS:
            light.setColorAt(at, self.theme.picture("belief", 0.96 * strength * min(1.0, 1.75 * math.sqrt(p))))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(light)
        painter.drawEllipse(point, radius, radius)

    def _draw_path(self, painter: QPainter) -> None:
        if self.frame is None:
            return
        points, way = ([self.at(x, y) for x, y in projected(self.frame, line)] for line in (self.data.path, self.data.way))
        if not points:
            return
        target = self.anchor(self.data.planned)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        line = self.theme.picture("path")
        for pen in (QPen(QColor(0, 0, 0, 110), 5), QPen(line, 2.6)):
            pen.setCapStyle(Qt.PenCapStyle.RoundCap)
            painter.setPen(pen)
            painter.drawPath(_smooth(points))
        if target is not None and _distance(points[-1], target) > 16:
            self._draw_leg(painter, [points[-1], *way[1:]], target)
        if len(points) > 1:
            draw_mark(painter, "circle", points[0].x(), points[0].y(), 4, QColor("#10141A"), line)
        draw_mark(painter, "circle", points[-1].x(), points[-1].y(), 4.5, line, QColor(0, 0, 0, 160))

    def _draw_leg(self, painter: QPainter, way: list[QPointF], end: QPointF) -> None:
        """Draws the planned way: a dotted line along its corners to an arrow that stops short of the target."""
        start = next((point for point in reversed(way) if _distance(point, end) > 16), way[0])
        unit = (end - start) / _distance(start, end)
        tip, side = end - unit * 12, QPointF(-unit.y(), unit.x())
        line = self.theme.picture("path")
        leg = _smooth([*way[: way.index(start) + 1], tip])
        for pen in (QPen(QColor(0, 0, 0, 110), 4.2), QPen(line, 2.2, Qt.PenStyle.DotLine)):
            pen.setCapStyle(Qt.PenCapStyle.RoundCap)
            painter.setPen(pen)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawPath(leg)
        painter.setPen(QPen(QColor(0, 0, 0, 160), 1.5))
        painter.setBrush(line)
        painter.drawPolygon(QPolygonF([tip + unit * 9, tip - unit * 4 + side * 6, tip - unit * 4 - side * 6]))

    def _draw_found(self, painter: QPainter, badges: Badges) -> None:
        """Draws the goal objects whose location is known: a dot if they are where the goal wants them, otherwise a diamond."""
        marks: list[tuple[str, QPointF]] = []
        for thing, place, done in self.data.found:
            at_itself = self.anchor(thing)
            point = at_itself if at_itself is not None else self.anchor(place)
            if point is None or thing == self.data.selected:
                continue
            tone = self.theme.picture("good" if done else "goal")
            draw_mark(painter, "circle" if done else "diamond", point.x(), point.y(), 6, tone, QColor(0, 0, 0, 160))
            badges.keep(QRectF(point.x() - 7, point.y() - 7, 14, 14))
            marks.append((thing, point))
        for thing, point in marks:
            badges.around(point, self.data.names.display(thing))

    def _draw_selected(self, painter: QPainter, badges: Badges) -> None:
        box = self.box_of(self.data.selected)
        if box is None:
            return
        tone = self.theme.picture("selection")
        draw_box(painter, box, "selected", tone)
        if self.layers.labels:
            badges.beside(box, self.data.names.display(self.data.selected), self.data.selected_says, tone, must=True,
                          ring=tone)


def _application() -> QCoreApplication:
    app = QCoreApplication.instance()
    assert app is not None, "widgets need one"
    return app


def _distance(one: QPointF, other: QPointF) -> float:
    return math.hypot(one.x() - other.x(), one.y() - other.y())


ROUNDED = 10.0
"""Pixels of a path before and after a corner that are rounded: more would lead through the wall beside a door."""


def _smooth(points: list[QPointF]) -> QPainterPath:
    """Returns a line from the first point to the last that rounds the corners between them."""
    path = QPainterPath(points[0])
    for k, here in enumerate(points[1:], 1):
        path.lineTo(_towards(here, points[k - 1]))
        path.quadTo(here, _towards(here, points[min(k + 1, len(points) - 1)]))
    return path


def _towards(here: QPointF, other: QPointF) -> QPointF:
    """Returns the point where the rounding of a corner ends, on the way to another one."""
    return here + (other - here) * min(0.5, ROUNDED / max(_distance(here, other), 1e-6))
