"""The frames panel: both pictures, their layers, the cards shown when there is no picture, and the requests for pictures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import ClassVar

from PySide6.QtCore import QObject, QRect, QSize, Qt, QTimer
from PySide6.QtGui import QAction, QHideEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QWidgetAction

from core.planning.belief_facets import Belief
from core.planning.facets import Frame, Moment, View
from core.session.commands import ChangeWorld, Hold, Look, Release, Retry
from core.session.events import Began
from core.session.replica import WorldMoment, moment_of
from core.session.snapshot import Snapshot
from core.simulator.base import WorldChange
from gui.control.context import Context, Selected
from gui.control.free_view import Drawn, Wanted
from gui.control.snapshot_texts import world_change_words
from gui.panels.base import Offer, Panel, open_thing_menu
from gui.panels.frames.dollhouse import Dollhouse
from gui.panels.frames.overlays import (
    LAST_TURNS,
    MOST_TURNS,
    NAMES,
    OverlayData,
    is_own,
    moment_words,
    next_action,
    overlay_data,
    room_of,
    title_of,
)
from gui.panels.frames.pane import FirstPerson, Layers, Pane
from gui.panels.frames.turning import PUSH
from gui.widgets import CardState, Segment, StaleOverlay, StateAction, StateCard, tool_action

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
ENDED = "the run has ended here: show an earlier turn to move things"
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
        self._began: Began | None = None
        self._pointed = ""
        self.path_turns = LAST_TURNS
        """The number of turns that the path in the dollhouse covers."""
        self.dollhouse = Dollhouse(theme, context.images, context.free_view)
        self.panes: dict[View, Pane] = {"first person": FirstPerson(theme, context.images), "dollhouse": self.dollhouse}
        self._overlays = {view: StaleOverlay(theme, pane) for view, pane in self.panes.items()}
        self.card = StateCard(theme)
        self.modes = Segment(theme, tuple(name for name, _ in MODES), 2, "Pictures shown")
        self._modes_action = QWidgetAction(self)
        self._modes_action.setDefaultWidget(self.modes)
        self.modes.setAttribute(Qt.WidgetAttribute.WA_WState_ExplicitShowHide, False)  # otherwise it stays hidden in the header
        self.layer_actions = {key: self._layer(key, text, hotkey) for key, text, hotkey in LAYERS}
        self.asking = Asking(self, context.post)
        self.whole_house = tool_action(self, theme, "Show the whole house from the usual side", "fit", key="0",
                                       act=self.dollhouse.turning.reset)
        self.whole_house.setEnabled(False)
        self._free: Drawn | None = None
        self._trouble = ""
        self._held = False
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
        self.context.plain_changed.connect(lambda _: self.redraw())
        selection.pointed.connect(self._point)
        self.late.timeout.connect(self.redraw)
        self.dollhouse.turning.changed.connect(self._turned)
        self.dollhouse.asked_lift.connect(self._lift)
        self.dollhouse.dropped.connect(self._drop)
        self.dollhouse.put_down.connect(self._release)
        self.context.free_view.drawn.connect(self._take_view)
        self.context.free_view.failed.connect(self._take_trouble)

    # --- what it shows -------------------------------------------------------
    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Shows the newest frames and the layers over them."""
        if snapshot.began is not self._began:
            if scene_of(snapshot.began) != scene_of(self._began):
                self.dollhouse.turning.forget()
            self._began, self._free, self._trouble = snapshot.began, None, ""
            self.asking.again()
        if (snapshot.turn, snapshot.branch) != (self._snapshot.turn, self._snapshot.branch):
            self.late.start()
        self._snapshot = snapshot
        if self.dollhouse.turning.orbit is not None and (self._free is None or self._free.wanted.moment != moment_of(snapshot)):
            self._want_view()
        if self.has_changed(*snapshot.frames.values(), snapshot.facet(Belief), snapshot.seen, snapshot.goal, snapshot.progress,
                            next_action(snapshot), snapshot.turn, snapshot.branch, snapshot.failure, snapshot.altered,
                            snapshot.status == "ended"):
            self.redraw()

    def headline(self) -> str:
        """Returns what a click does, or the reason why the pictures are limited."""
        if self._trouble:
            return f"Only from the usual side: {self._trouble}"
        notices = [frame.notice for frame in self._snapshot.frames.values() if frame.notice]
        hint = "click an object to select it everywhere, drag to turn the house" if self._snapshot.frames else ""
        return notices[0] if notices else world_change_words(self._snapshot.world_changes) or hint

    def tools(self) -> tuple[QAction, ...]:
        """Returns the choice of pictures and one action for each layer."""
        return (self._modes_action, *self.layer_actions.values(), self.whole_house)

    def offers(self) -> Sequence[Offer]:
        """Returns the keys that change the viewpoint of the dollhouse."""
        house = self.dollhouse
        if not house.isVisible() or house.frame is None:
            return ()
        moves = (("Left", -PUSH, 0.0), ("Right", PUSH, 0.0), ("Up", 0.0, PUSH), ("Down", 0.0, -PUSH))
        of, turns = ("all", MOST_TURNS) if self.path_turns == LAST_TURNS else (f"the last {LAST_TURNS}", LAST_TURNS)
        return (Offer(f"Dollhouse: path of {of} turns", partial(self._show_path, turns), icon="path"),
                Offer("Dollhouse: nearer", partial(house.zoom, 1), "+", "add"),
                Offer("Dollhouse: farther", partial(house.zoom, -1), "-"),
                *(Offer(f"Dollhouse: move {key.lower()}", partial(house.push, right, up), f"Alt+{key}")
                  for key, right, up in moves))

    def _show_path(self, turns: int) -> None:
        self.path_turns = turns
        self.redraw()

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
        return Layers(**{key: action.isChecked() for key, action in self.layer_actions.items()}, figures=not self.context.plain)

    def redraw(self) -> None:
        """Draws the panel again at once."""
        snapshot = self._snapshot
        names = self.context.names.of(snapshot)
        over = overlay_data(snapshot, names, self.context.selection.thing(), self._pointed, self._frame("dollhouse"),
                            self.path_turns)
        for view, pane in self.panes.items():
            frame = self._frame(view)
            pane.show_frame(frame)
            pane.dress(over, self.layers(), self._caption(view, frame, over))
            self._overlays[view].say(self.stale(view))
        self._show_state()

    def _caption(self, view: View, frame: Frame | None, over: OverlayData) -> str:
        """Returns the caption of a picture: what it shows, or without a picture what is missing."""
        if frame is None or frame.is_missing:
            may_come = " yet" if self.context.live else ""
            why = f" · {frame.notice}" if frame is not None and frame.notice else may_come
            return f"{NAMES[view]} · no picture of turn {max(1, self._snapshot.turn)}{why}"
        parts = [title_of(frame, view)]
        if view == "first person" and not frame.title and (room := room_of(frame, self._snapshot)):
            parts.append(over.names.display(room))
        parts.append(moment_words(frame, self._snapshot))
        if words := world_change_words(self._snapshot.world_changes):
            parts.append(words)
        if view == "dollhouse" and self.layer_actions["path"].isChecked() and len(self._snapshot.line) > self.path_turns:
            parts.append(f"path of {self.path_turns} turns")
        if view == "dollhouse" and not frame.title and over.thing and over.glow and self.layer_actions["glow"].isChecked():
            parts.append(f"glow: where {over.glows_for} may be")
        if view == "dollhouse" and self.dollhouse.turning.orbit is not None:
            parts.append("free view" if self._free is not None else "the free view is being prepared")
        return " · ".join(parts)

    def stale(self, view: View) -> str:
        """Returns the text shown over a picture of another turn, or "".

        In a live run the text appears only if the new picture is late, because drawing takes a tenth of a second.
        """
        frame, snapshot = self._frame(view), self._snapshot
        if frame is None or is_own(frame, snapshot):
            return ""
        if not self.context.live and (self._free is None or frame is not self._free.frame):
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
        draws_house = "dollhouse" in self.views and self.context.free_view.open_world is not None
        if any(view in snapshot.frames for view in self.views) or (draws_house and self.dollhouse.turning.orbit is not None):
            return None
        if snapshot.began is None:
            return CardState("empty", "No pictures yet", "What the robot sees, and the house from above, once a run begins.",
                             "frames")
        if not self.context.live:
            heading = f"No picture of turn {max(1, snapshot.turn)}"
            draw = StateAction("Draw the house", "frames", self.dollhouse.turning.begin_without_picture)
            can_draw = draws_house and moment_of(snapshot) is not None and not self._trouble
            why = f"and the house cannot be drawn now: {self._trouble}" if self._trouble else "or is not kept any more."
            return CardState("empty", heading, f"It was not drawn, {why}", "frames", actions=(draw,) if can_draw else ())
        return CardState("waiting", "Waiting for the picture", "The simulator draws it when the turn begins.")

    # --- the free viewpoint of the dollhouse ----------------------------------------
    def _frame(self, view: View) -> Frame | None:
        """Returns the picture to show: from the free viewpoint if there is one, else the run's own."""
        if view == "dollhouse" and self._free is not None and self.dollhouse.turning.orbit is not None:
            return self._free.frame
        return self._snapshot.frames.get(view)

    def _turned(self) -> None:
        turning = self.dollhouse.turning
        self.whole_house.setEnabled(turning.orbit is not None)
        if turning.orbit is not None:
            self._want_view()
        if turning.orbit is None or self._free is None:
            self._free = None
            self.redraw()

    def _want_view(self) -> None:
        turning, moment = self.dollhouse.turning, moment_of(self._snapshot)
        if turning.orbit is not None and moment is not None and self.isVisible():
            size = turning.sizes(self.dollhouse.size(), self.devicePixelRatioF())
            self.context.free_view.want(Wanted(moment, turning.orbit, size))

    def _take_view(self, drawn: Drawn) -> None:
        """Shows a picture from the free viewpoint, unless another moment is shown by now."""
        turning = self.dollhouse.turning
        if turning.orbit is None or drawn.wanted.moment != moment_of(self._snapshot):
            return
        if turning.is_seeking:  # the picture of the whole house follows
            turning.know(drawn.extent, self.dollhouse.size(), drawn.frame)
            if turning.is_seeking:
                self._take_trouble("the size of this world is not known")
            return
        if drawn.frame.notice and not turning.orbit.is_plan:  # the view from the side failed, and a plan came in its place
            self._take_trouble(drawn.frame.notice)
            return
        before, self._free, self._trouble = self._free, drawn, ""
        turning.know(drawn.extent, self.dollhouse.size())
        if before is None or before.wanted.moment != drawn.wanted.moment:
            self.redraw()
        else:
            self.dollhouse.show_frame(drawn.frame)

    def _take_trouble(self, why: str) -> None:
        self._trouble, self._free = why, None
        self.dollhouse.turning.reset()
        self.redraw()
        self.headline_changed.emit()

    # --- moving things -----------------------------------------------------------
    def _lift(self, thing: str) -> None:
        """Lifts a thing of the state that is shown. A run under way waits until it is put down."""
        moment, frame = moment_of(self._snapshot), self.dollhouse.frame
        if moment is None or frame is None or (frame.moment, frame.phase) != (moment.moment, moment.phase):
            return
        self._held = self.context.live and self._snapshot.ended is None
        if self._held:
            self.context.post(Hold())
        self.dollhouse.drop_says = " · takes over from here" if self.context.is_recording() else " · in a fork"
        refusal = ENDED if moment.phase == "after" and self._snapshot.ended is not None else ""
        self.dollhouse.carrying.lift(thing, moment, self.context.names.of(self._snapshot), refusal)

    def _drop(self, moment: WorldMoment, change: WorldChange) -> None:
        """Forks the run with the change of the world at the beginning of the turn that is shown."""
        self.context.fork_with(Moment(moment.branch, moment.turn + (moment.phase == "after")), ChangeWorld(change))

    def _release(self) -> None:
        if self._held:
            self._held = False
            self.context.post(Release())

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
            self._want_view()
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


def scene_of(began: Began | None) -> tuple[str, str] | None:
    """Returns the simulator and scene of a run."""
    return None if began is None else (began.simulator, began.scene)


def _part(area: QRect, k: int, count: int, *, wide: bool) -> QRect:
    """Returns the k-th of `count` equal parts of an area; the parts are side by side if `wide`."""
    length = area.width() if wide else area.height()
    each = (length - GUTTER * (count - 1)) // count
    start = k * (each + GUTTER)
    if wide:
        return QRect(area.x() + start, area.y(), each, area.height())
    return QRect(area.x(), area.y() + start, area.width(), each)
