"""The frames panel: both pictures, their layers, the cards shown when there is no picture, and the requests for pictures."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from PySide6.QtCore import QObject, QRect, QSize, Qt, QTimer
from PySide6.QtGui import QAction, QHideEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QWidgetAction

from core.planning.facets import Belief, Frame, View
from core.session.commands import Look, Retry
from core.session.events import Began
from core.session.snapshot import Snapshot
from gui.control.context import Context, Selected
from gui.control.snapshot_texts import change_words
from gui.panels.base import Panel, open_thing_menu
from gui.panels.frames.dollhouse import Dollhouse
from gui.panels.frames.overlays import NAMES, OverlayData, is_own, moment_words, next_action, overlay_data, room_of, title_of
from gui.panels.frames.pane import FirstPerson, Layers, Pane
from gui.widgets import CardState, Namer, Segment, StaleOverlay, StateAction, StateCard, tool_action

SETTLED_MS = 200
LONGEST, LEAST, STEP = 960, 64, 8
"""Pixels: a picture's longest side, its shortest side, and the rounding step.

Sizes are rounded, so that a splitter moved slightly requests no new picture.
"""


class Asking(QObject):
    """Posts a `Look` command when views and size have settled. It does not post the same command twice in a row."""

    def __init__(self, parent: QObject, post: Callable[[Look], None]):
        super().__init__(parent)
        self._post = post
        self._wanted, self._said = Look(()), Look(())
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(SETTLED_MS)
        self._timer.timeout.connect(self._say)

    def want(self, views: tuple[View, ...], size: QSize, ratio: float) -> None:
        """Sets the views to draw and the size of their panes. The command is posted once they have settled."""
        width, height = fitted(size, ratio)
        self._wanted = Look(views, width, height) if views else Look(())
        if self._wanted == self._said:
            self._timer.stop()
        else:
            self._timer.start()

    def again(self) -> None:
        """Requests the pictures again, because a new run has not received the request."""
        self._said = Look(())
        self.say_now()

    def say_now(self) -> None:
        """Posts the request now, without waiting for the size to settle."""
        self._timer.stop()
        self._say()

    def _say(self) -> None:
        if self._wanted != self._said:
            self._said = self._wanted
            self._post(self._wanted)


def fitted(size: QSize, ratio: float) -> tuple[int, int]:
    """Returns the width and height to draw for a pane, in pixels.

    The shape is that of the pane. The size is capped, and at least the smallest picture that a renderer accepts.
    """
    width, height = max(1.0, size.width() * ratio), max(1.0, size.height() * ratio)
    scale = min(1.0, LONGEST / max(width, height))
    return _grained(width * scale), _grained(height * scale)


def _grained(length: float) -> int:
    return max(LEAST, round(length / STEP) * STEP)


MODES: tuple[tuple[str, tuple[View, ...]], ...] = (
    ("First person", ("first person",)), ("Dollhouse", ("dollhouse",)), ("Both", ("first person", "dollhouse")))
PICTURE = 4 / 3
"""Width divided by height that suits both cameras. At this ratio, halving the width and halving the height fit equally well."""
LAYERS = (("boxes", "Boxes", "B"), ("labels", "Labels", "L"), ("path", "Path", "P"), ("glow", "Belief glow", "G"))
GUTTER = 6
LATE_MS = 700
"""A picture of the previous turn is called stale only if the new one takes longer than this, in milliseconds."""


class FramesPanel(Panel):
    """The frames panel: first person, dollhouse or both.

    A click selects an object; a double click asks what else can be done with it.
    """

    name: ClassVar[str] = "frames"
    title: ClassVar[str] = "Frames"
    facets = frozenset({Frame})
    icon: ClassVar[str] = "frames"
    previews: ClassVar[bool] = True
    interval: ClassVar[int] = 0

    def __init__(self, context: Context):
        super().__init__(context)
        theme = context.theme
        self._snapshot = Snapshot()
        self._namer = Namer()
        self._began: Began | None = None
        self._pointed = ""
        self.panes: dict[View, Pane] = {"first person": FirstPerson(theme, context.images),
                                         "dollhouse": Dollhouse(theme, context.images)}
        self._overlays = {view: StaleOverlay(theme, pane) for view, pane in self.panes.items()}
        self.card = StateCard(theme)
        self.modes = Segment(theme, tuple(name for name, _ in MODES), 2, "Pictures shown")
        self._modes_action = QWidgetAction(self)
        self._modes_action.setDefaultWidget(self.modes)
        self.modes.setAttribute(Qt.WidgetAttribute.WA_WState_ExplicitShowHide, False)  # otherwise it stays hidden in the header
        self.layer_actions = {key: self._layer(key, text, hotkey) for key, text, hotkey in LAYERS}
        self.asking = Asking(self, context.post)
        self.late = QTimer(self)
        self.late.setSingleShot(True)
        self.late.setInterval(LATE_MS)
        self._connect()

    def _layer(self, key: str, text: str, hotkey: str) -> QAction:
        action = tool_action(self, self.context.theme, text, key, checkable=True, checked=True, key=hotkey)
        action.toggled.connect(lambda _: self.redraw())
        return action

    def _connect(self) -> None:
        selection = self.context.selection
        self.card.setParent(self)
        for pane in self.panes.values():
            pane.setParent(self)
            pane.picked.connect(self._pick)
            pane.opened.connect(selection.asked_override)
            pane.asked_menu.connect(lambda thing, at: open_thing_menu(self.context, thing, self, at))
        self.modes.chosen.connect(lambda _: self._arrange())
        selection.changed.connect(lambda _: self.redraw())
        selection.pointed.connect(self._point)
        self.late.timeout.connect(self.redraw)

    # --- what it shows -------------------------------------------------------
    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Shows the newest frames and the layers over them."""
        if snapshot.began is not self._began:
            self._began = snapshot.began
            self._namer.forget()
            self.asking.again()
        if (snapshot.turn, snapshot.branch) != (self._snapshot.turn, self._snapshot.branch):
            self.late.start()
        self._snapshot = snapshot
        if self.has_changed(*snapshot.frames.values(), snapshot.facet(Belief), snapshot.seen, snapshot.goal, snapshot.progress,
                            next_action(snapshot), snapshot.turn, snapshot.branch, snapshot.failure, snapshot.altered,
                            snapshot.status == "ended"):
            self.redraw()

    def headline(self) -> str:
        """Returns what a click does, or the reason why the pictures are limited."""
        notices = [frame.notice for frame in self._snapshot.frames.values() if frame.notice]
        hint = "click an object to select it everywhere" if self._snapshot.frames else ""
        return notices[0] if notices else change_words(self._snapshot) or hint

    def tools(self) -> tuple[QAction, ...]:
        """Returns the choice of pictures and one action for each layer."""
        return (self._modes_action, *self.layer_actions.values())

    def restyle(self) -> None:
        """Takes the colours and sizes of the theme again."""
        self.redraw()
        for pane in self.panes.values():
            pane.update()

    # --- drawing ---------------------------------------------------------------
    @property
    def views(self) -> tuple[View, ...]:
        """The views that are shown."""
        return MODES[self.modes.index][1]

    def layers(self) -> Layers:
        """Returns the layers that are shown."""
        return Layers(**{key: action.isChecked() for key, action in self.layer_actions.items()})

    def redraw(self) -> None:
        """Draws the panel again at once."""
        snapshot = self._snapshot
        names = self._namer.of(snapshot.seen)
        over = overlay_data(snapshot, names, self.context.selection.thing(), self._pointed)
        for view, pane in self.panes.items():
            frame = snapshot.frames.get(view)
            pane.show_frame(frame)
            pane.dress(over, self.layers(), self._caption(view, frame, over))
            self._overlays[view].say(self.stale(view))
        self._show_state()

    def _caption(self, view: View, frame: Frame | None, over: OverlayData) -> str:
        """Returns the caption of a picture: what it shows, or without a picture what is missing."""
        if frame is None or frame.is_missing:
            why = f" · {frame.notice}" if frame is not None and frame.notice else ""
            return f"{NAMES[view]} · no picture of turn {max(1, self._snapshot.turn)}{'' if why else ' yet'}{why}"
        parts = [title_of(frame, view)]
        if view == "first person" and not frame.title and (room := room_of(frame, self._snapshot)):
            parts.append(over.names.display(room))
        parts.append(moment_words(frame, self._snapshot))
        if words := change_words(self._snapshot):
            parts.append(words)
        if view == "dollhouse" and not frame.title and over.thing and over.glow and self.layer_actions["glow"].isChecked():
            parts.append(f"glow: where the {over.thing} may be")
        return " · ".join(parts)

    def stale(self, view: View) -> str:
        """Returns the text shown over a picture of another turn, or "".

        In a live run the text appears only if the new picture is late, because drawing takes a tenth of a second.
        """
        frame, snapshot = self._snapshot.frames.get(view), self._snapshot
        if frame is None or is_own(frame, snapshot):
            return ""
        if not self.context.live:
            return f"Picture of {moment_words(frame, snapshot)} · there is none of turn {snapshot.turn}"
        return "" if self.late.isActive() else f"Picture of {moment_words(frame, snapshot)} · the next one is being drawn"

    def _show_state(self) -> None:
        state = self._state()
        if state is not None:
            self.card.show_state(state)
        self.card.setVisible(state is not None)
        for view, pane in self.panes.items():
            pane.setVisible(view in self.views and state is None)

    def _state(self) -> CardState | None:
        """Returns the card to show in place of the pictures, or None if the pictures are shown."""
        snapshot = self._snapshot
        failure = snapshot.failure
        if failure is not None and failure.part in ("simulator", "camera"):
            again = StateAction("Try again", "retry", lambda: self.context.post(Retry()), primary=True)
            return CardState("failed", f"The {failure.part} stopped", failure.message, actions=(again,))
        if any(view in snapshot.frames for view in self.views):
            return None
        if snapshot.began is None:
            return CardState("empty", "No pictures yet", "What the robot sees, and the house from above, once a run begins.",
                             "frames")
        if not self.context.live:
            heading = f"No picture of turn {max(1, snapshot.turn)}"
            return CardState("empty", heading, "It was not drawn, or is not kept any more.", "frames")
        return CardState("waiting", "Waiting for the picture", "The simulator draws it when the turn begins.")

    # --- layout ------------------------------------------------------------------
    def _arrange(self) -> None:
        """Lays out the pictures. Both are split along the side that leaves each nearer to the ratio `PICTURE`."""
        area, views = self.rect().adjusted(GUTTER, GUTTER, -GUTTER, -GUTTER), self.views
        wide = area.width() >= PICTURE * area.height()
        for k, view in enumerate(views):
            self.panes[view].setGeometry(_part(area, k, len(views), wide=wide))
        self.card.setGeometry(area)
        self._show_state()
        if self.isVisible():
            self.asking.want(views, self.panes[views[0]].size(), self.devicePixelRatioF())

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Lays out the pictures again."""
        super().resizeEvent(event)
        self._arrange()

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802 - Qt's name
        """Requests pictures."""
        super().showEvent(event)
        self._arrange()

    def hideEvent(self, event: QHideEvent) -> None:  # noqa: N802 - Qt's name
        """Requests no pictures while the panel is hidden."""
        super().hideEvent(event)
        self.asking.want((), self.size(), 1.0)

    # --- the operator ----------------------------------------------------------
    def _pick(self, entity_id: str) -> None:
        self.context.selection.select(Selected("thing", entity_id) if entity_id else None)

    def _point(self, pointed: Selected | None) -> None:
        thing = pointed.id if pointed is not None and pointed.kind == "thing" else ""
        if thing != self._pointed:
            self._pointed = thing
            self.redraw()


def _part(area: QRect, k: int, count: int, *, wide: bool) -> QRect:
    """Returns the k-th of `count` equal parts of an area; the parts are side by side if `wide`."""
    length = area.width() if wide else area.height()
    each = (length - GUTTER * (count - 1)) // count
    start = k * (each + GUTTER)
    if wide:
        return QRect(area.x() + start, area.y(), each, area.height())
    return QRect(area.x(), area.y() + start, area.width(), each)
