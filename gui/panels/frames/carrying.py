"""Moving a thing by dragging it in the dollhouse: what is lifted, what is under it, and what a drop would change."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QObject, QPointF, QRectF, Signal
from PySide6.QtGui import QColor, QImage, QPixmap

from core.planning.facets import Frame
from core.session.replica import WorldMoment
from core.simulator.base import ChangeKind, WorldChange
from core.world.vocabulary import CONTAINER, SURFACE, FloorPoint, definite
from gui.control.free_view import FreeView, Lifted, Tried
from gui.widgets import Names

ON_FURNITURE = "drop it on furniture"
Aim = Callable[[float], FloorPoint | None]
"""Returns the point of the house under the pointer, in metres, at a height above the floor; None if there is none."""


@dataclass(frozen=True, slots=True)
class Cutout:
    """A part of a picture, and where it lies: x0, y0, x1, y1 in pixels of the frame."""

    image: QPixmap
    box: tuple[int, int, int, int]


class Carrying(QObject):
    """The thing that is being dragged.

    Attributes:
        thing: its id; empty: nothing is dragged.
        moment: the state of the world that is changed.
        at: the pointer, in pixels of the pane.
        change: what a drop would change; None: nothing.
        target: id of what the thing would come to lie on or in; empty if nothing is under the pointer.
        words: what a drop would do, or why it does nothing.
    """

    changed = Signal()

    def __init__(self, parent: QObject, view: FreeView):
        super().__init__(parent)
        self._view = view
        self.names = Names()
        self.thing, self.target, self.words = "", "", ""
        self.moment: WorldMoment | None = None
        self.at = QPointF()
        self.change: WorldChange | None = None
        self._under = self._refusal = ""
        self._aim: Aim | None = None
        self._lifted: Lifted | None = None
        view.lifted.connect(self._take_lifted)
        view.tried.connect(self._take_tried)
        view.failed.connect(self._take_failure)

    def lift(self, thing: str, moment: WorldMoment, names: Names, refusal: str = "") -> None:
        """Begins to drag a thing, and asks where it can be put. `refusal` says why nothing can be moved at this moment."""
        self.thing, self.moment, self.names, self._lifted, self._under = thing, moment, names, None, ""
        self._refusal = refusal
        if not refusal:
            self._view.lift(moment, thing)
        self._judge()

    def point(self, at: QPointF, under: str, aim: Aim | None = None) -> None:
        """Takes the position of the pointer, the id of what is drawn under it, and how to find the point of the house there."""
        self.at, self._aim = at, aim
        if under != self._under:
            self._under = under
            self._judge()
        self.changed.emit()

    def end(self) -> WorldChange | None:
        """Ends the drag. Returns the change that a drop makes here; None if it makes none."""
        change = None if self.change is None else self._aimed(self.change)
        self.thing, self.moment, self._lifted = "", None, None
        self.change, self.target, self.words = None, "", ""
        self.changed.emit()
        return change

    def _aimed(self, change: WorldChange) -> WorldChange | None:
        """Returns a change with the point under the pointer, where the world obeys points; None if it would change nothing."""
        lifted = self._lifted
        assert lifted is not None, "there is no change before it is known where the thing can go"
        if change.kind == "on" and self._aim is not None and (top := lifted.tops.get(change.to)) is not None:
            change = replace(change, point=self._aim(top))
        return None if change.point is None and change.to == lifted.lies_on and change.kind == "on" else change

    # --- what a drop would do -----------------------------------------------
    def _judge(self) -> None:
        self.change, self.target, self.words = None, "", ""
        name, lifted = self.names.definite(self.thing), self._lifted
        if lifted is None:
            self.words = self._refusal or f"{name}: where it can go is being worked out"
            return
        moves: dict[tuple[str, ChangeKind], WorldChange] = {(c.to, c.kind): c for c in lifted.changes if c.kind != "state"}
        if lifted.lies_on in lifted.tops:
            moves[lifted.lies_on, "on"] = WorldChange(self.thing, "on", lifted.lies_on)  # elsewhere on the same table
        if not moves:
            self.words = f"{name} cannot be put elsewhere"
            return
        places = _with_holders(self._under, lifted, self.thing)
        for place in places:
            for kind in _relations(lifted, place):
                change = moves.get((place, kind))
                if change is not None:
                    self.change, self.target = change, place
                    self.words = f"put {name} {'in' if kind == 'inside' else 'on'} {self._definite(place)}"
                    return
        if not places:
            self.words = f"{name}: {ON_FURNITURE}"
            return
        self.target = next((p for p in places if _is_furniture(lifted, p)), places[0])
        self.words = f"{name} does not go there"
        assert self.moment is not None, "set with `thing`"
        self._view.try_change(self.moment, WorldChange(self.thing, _relations(lifted, self.target)[0], self.target))

    def _definite(self, entity_id: str) -> str:
        return definite(self.names.display(entity_id))

    def _take_lifted(self, lifted: Lifted) -> None:
        if lifted.thing == self.thing and lifted.moment == self.moment:
            self._lifted, self.names = lifted, Names(lifted.entities.values())
            self._judge()
            self.changed.emit()

    def _take_tried(self, tried: Tried) -> None:
        if self.change is None and (tried.change.thing, tried.change.to) == (self.thing, self.target) and tried.refusal:
            self.words = self.names.with_names(tried.refusal)
            self.changed.emit()

    def _take_failure(self, why: str) -> None:
        if self.thing:
            self.words = why
            self.changed.emit()


def _with_holders(under: str, lifted: Lifted, thing: str) -> list[str]:
    """Returns what is under the pointer and what that lies in or on, without the dragged thing and what lies on it."""
    found: list[str] = []
    while under and under not in found:
        found.append(under)
        under = lifted.holders.get(under, "")
    return found[found.index(thing) + 1:] if thing in found else found


def _relations(lifted: Lifted, place: str) -> tuple[ChangeKind, ...]:
    """Returns how a thing can be related to a place, the relation that a drop prefers first: `on` if it is made for none."""
    entity = lifted.entities.get(place)
    if entity is None:
        return ("on",)
    preferred: tuple[ChangeKind, ...] = ("on", "inside") if "closed" in entity.states else ("inside", "on")
    made_for = {"on": SURFACE, "inside": CONTAINER}
    return tuple(kind for kind in preferred if made_for[kind] in entity.properties) or ("on",)


def _is_furniture(lifted: Lifted, entity_id: str) -> bool:
    entity = lifted.entities.get(entity_id)
    return entity is not None and entity.category == "furniture"


# --- pictures of the thing and of the place under it -----------------------------------
def cut_out(frame: Frame, entity_id: str, tint: QColor | None = None) -> Cutout | None:
    """Returns the pixels of an entity in a frame, transparent around it; None if none is visible.

    Args:
        frame: the picture.
        entity_id: the entity.
        tint: fills the entity's outline instead of its own colours.
    """
    box = dict(frame.boxes).get(entity_id)
    if box is None or frame.ids is None:
        return None
    x0, y0, x1, y1 = box
    mask = frame.ids[y0:y1, x0:x1] == frame.names.index(entity_id)
    pixels: npt.NDArray[np.uint8] = np.zeros((*mask.shape, 4), np.uint8)
    pixels[..., :3] = frame.pixels[y0:y1, x0:x1] if tint is None else (tint.red(), tint.green(), tint.blue())
    pixels[..., 3] = mask * np.uint8(255 if tint is None else tint.alpha())
    image = QImage(pixels.data, mask.shape[1], mask.shape[0], 4 * mask.shape[1], QImage.Format.Format_RGBA8888)
    return Cutout(QPixmap.fromImage(image), box)


def placed(cutout: Cutout, corner: QPointF, scale: float) -> QRectF:
    """Returns the rectangle of a cutout in the pane; `corner` and `scale` place the frame in it."""
    x0, y0, x1, y1 = cutout.box
    return QRectF(corner.x() + x0 * scale, corner.y() + y0 * scale, (x1 - x0) * scale, (y1 - y0) * scale)
