"""The timeline: one block for each turn, marks, annotation tracks, and a playhead that can be dragged into the past."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QEvent, QPoint, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QFrame, QSizePolicy, QToolTip

from core.planning.facets import Moment
from core.recording.failures.labels import Proposal
from core.session.breakpoints import hit_words
from core.session.snapshot import Snapshot
from gui.control.console import Console
from gui.control.context import Selected
from gui.control.key_labels import KeyLabel, key_tool
from gui.recordings.labelling import Labelling
from gui.theme.tokens import MOTION
from gui.timeline.layout import Rows, x_at
from gui.timeline.model import Block, BlockCache, Story, story_of
from gui.timeline.painter import TimelinePainter, TrackPainter
from gui.timeline.tracks import LabelEditor, TrackWindow
from gui.timeline.viewport import Viewport
from gui.widgets import SMOOTH, Button, PopupMenu, Tool, tool_action
from gui.widgets.numbers import clock, count


class Timeline(QFrame):
    """The timeline, 126 px high with two tracks, 20 px more for each further one.

    A click or drag shows a turn; End is the present.

    On the tracks, edges and points can be dragged, a double-click opens a label, and Delete removes the chosen label.
    """

    asked_label = Signal(object)
    """An Annotation to open."""
    asked_share = Signal(object)
    """The Moment of a decision to share."""
    asked_example = Signal(object)
    """The Moment of a decision to keep as an example."""

    def __init__(self, console: Console, labelling: Labelling):
        super().__init__()
        self._labelling, self.tracks = labelling, TrackWindow(labelling)
        self.label_editor = LabelEditor(labelling, self.asked_label.emit)
        self._console, self._theme = console, console.context.theme
        self.viewport = Viewport(self._theme, self.tracks)
        self._cache = BlockCache()
        self._dragging = False
        self._newest, self._place = Snapshot(), tuple[object, ...]()
        self._later = QTimer(self, singleShot=True, interval=MOTION["publish"])
        self._later.timeout.connect(self._show_newest)
        self.setObjectName("Card")
        self.setAccessibleName("Timeline")
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._tools = [key_tool(console.context, self, icon, tip, act) for icon, tip, act in (
            ("first", "First turn ({Home})", console.first_turn),
            ("prev", "Previous turn ({Left})", lambda: console.turn_by(-1)),
            ("next", "Next turn ({Right})", lambda: console.turn_by(1)),
            ("last", "Live ({End})", console.go_live))]
        self._wall = tool_action(self, self._theme, "Include the time spent waiting for you", "clock", self._turn_wall,
                                 checkable=True)
        self._tools.append(Tool(self._theme, self._wall))
        self._fork = Button(self._theme, "Fork here", "fork", "operator", lambda: console.fork())
        KeyLabel(console.context, self._fork, self._fork.setToolTip, "A new branch from this turn ({Ctrl+Shift+F})")
        for part in (*self._tools, self._fork):
            part.setParent(self)
        self._fork.hide()
        console.live_snapshot.connect(self.show_snapshot)
        console.replay.ticked.connect(self.update)
        labelling.changed.connect(self._relabel)
        self._restyle()

    # --- what it shows -----------------------------------------------------
    @property
    def story(self) -> Story:
        """The story that is shown."""
        return self.viewport.story

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Takes the newest snapshot, whichever turn the panels show. Within a turn it is drawn ten times a second."""
        self._newest = snapshot
        place = snapshot.began, snapshot.turn, snapshot.branch, snapshot.status, snapshot.ended, self._console.moment
        if place != self._place:
            self._place = place
            self._show_newest()
        elif not self._later.isActive():
            self._later.start()

    def _show_newest(self) -> None:
        self._later.stop()
        snapshot = self._newest
        if snapshot.event <= 0:
            self.viewport.follow = True
        shown_story = self._console.story if self._console.moment is not None else snapshot
        self._fork.setVisible(self._console.moment is not None and not self._console.replaying)
        story = story_of(shown_story, self._console.context.names.of(shown_story), self._console.begun, self._cache)
        if story != self.story:
            self._arrange(story)
            turns = "; ".join(b.tip.splitlines()[0] for b in story.blocks[-12:])
            self.setAccessibleDescription(f"{count(len(story.blocks), 'turn')}. {turns}")
        tools = max(tool.geometry().right() for tool in self._tools) + 1
        self.update(tools, 0, self.width() - tools, self.height())  # the tools are slow to paint, and never move

    def show_failure(self, failure: Proposal | None) -> None:
        """Marks what each turn of a failed run brought, and its key moments; None: nothing."""
        self.viewport.failure = failure
        self.update()

    def _arrange(self, story: Story) -> None:
        self.viewport.arrange(story, self.width())
        self._update_bars()

    def _turn_wall(self) -> None:
        self.viewport.wall = self._wall.isChecked()
        self._arrange(self.story)
        self.update()

    def fit(self, high: int) -> None:
        """Shows fewer tracks in a low window, whose panels need the room. The others can be scrolled to."""
        self.tracks.fit(high / self._theme.scale, recording=self._console.replaying)
        self._relabel()

    def _update_bars(self) -> None:
        low, high = self.viewport.pixels
        left = low - self.viewport.rows.room  # texts may reach into view
        self.label_editor.show(self.story.blocks, self.viewport.layout, (left, high))

    def _relabel(self) -> None:
        self.tracks.settle(self._labelling.visible.values())
        if self.height() != self._high():
            self._restyle()
        self._update_bars()
        self.update()

    def _high(self) -> int:
        return self._theme.px(86) + self._theme.px(20) * self.tracks.count

    # --- mouse -------------------------------------------------------------
    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Takes a label's edge, or shows this turn."""
        x, track = event.position().x(), self.viewport.track_at(event.position().y())
        left = event.button() == Qt.MouseButton.LeftButton
        if left and not (track >= 0 and self.label_editor.press(track, self.viewport.content_x(x))):
            moment = self.viewport.moment_at(x)
            if moment is not None:
                self._dragging = True
                self._go(moment, x)
        self.update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Drags an edge or the playhead, or shows a tooltip."""
        x, y = event.position().x(), event.position().y()
        if self.label_editor.dragging and self.story.blocks:
            self.label_editor.move(self.viewport.seconds_at(x))
            self._update_bars()
            self.update()
            return
        moment, track = self.viewport.moment_at(x), self.viewport.track_at(y)
        if self._dragging and moment is not None:
            self._go(moment, x)
            return
        edge = track >= 0 and self.label_editor.edge(track, self.viewport.content_x(x))
        self.setCursor(Qt.CursorShape.SizeHorCursor if edge else Qt.CursorShape.ArrowCursor)
        tip = self.label_editor.tip(track, self.viewport.content_x(x)) if track >= 0 else ""
        if y < self.viewport.rows.track(0) and moment is not None:
            tip = self._tip(self.story.blocks[self.viewport.block_of(moment)])
        QToolTip.showText(event.globalPosition().toPoint(), tip, self)

    def _tip(self, block: Block) -> str:
        """Returns the tooltip of a turn: what was done, what a turn of a failed run brought, and the stops at breakpoints."""
        names, result = self.story.names, self.viewport.result_of(block.moment)
        brought = [f"{'Lost: ' if result.is_lost else ''}{names.with_names(result.text)}"] if result and result.text else []
        return "\n".join((block.tip, *brought, *(hit_words(hit, names.with_names) for hit in self.story.stops(block.moment))))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Ends a drag."""
        del event
        self._dragging = False
        self.label_editor.release()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Opens a label."""
        track = self.viewport.track_at(event.position().y())
        if track >= 0 and self.label_editor.press(track, self.viewport.content_x(event.position().x())):
            self.label_editor.release()
            self.label_editor.open()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:  # noqa: N802 - Qt's name
        """Opens the menu of a label, or of a turn."""
        track = self.viewport.track_at(event.pos().y())
        if track < 0:
            self._open_turn_menu(event)
            return
        if not self.label_editor.press(track, self.viewport.content_x(event.pos().x())):
            return
        self.label_editor.release()
        chosen, menu = self.label_editor.now(), PopupMenu(self)
        menu.add("Edit …", self.label_editor.open)
        if chosen is not None and not chosen.paired:
            menu.add("End here", self.label_editor.end_here)
        menu.add("Delete", self.label_editor.delete)
        menu.open_at(event.globalPos())
        self.update()

    def _open_turn_menu(self, event: QContextMenuEvent) -> None:
        moment = self.viewport.moment_at(event.pos().x())
        if moment is not None and moment.turn > 0:
            menu = PopupMenu(self)
            menu.add("Share this decision …", partial(self.asked_share.emit, moment))
            menu.add("Keep as an example", partial(self.asked_example.emit, moment))
            menu.open_at(event.globalPos())

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """Deletes or opens the chosen label on Delete or Enter."""
        if event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace) and self.label_editor.now() is not None:
            self.label_editor.delete()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.label_editor.now() is not None:
            self.label_editor.open()
        else:
            super().keyPressEvent(event)

    def _go(self, moment: Moment, x: float) -> None:
        """Shows a turn of the run; of a recording, the exact moment."""
        if self._console.replaying:
            self._console.replay.pause()
            self._console.replay.seek_seconds(self.viewport.seconds_at(x))
        elif moment != self._console.moment:
            self._console.go_to(moment)
            self._console.context.selection.select(Selected("turn", number=moment.turn))

    def wheelEvent(self, event: QWheelEvent) -> None:  # noqa: N802 - Qt's name
        """Scrolls turns or tracks that do not fit."""
        up = event.angleDelta().y() > 0
        if self.viewport.track_at(event.position().y()) >= 0 and self.tracks.scroll(-1 if up else 1):
            self.update()
            return
        delta = event.angleDelta()
        self.viewport.scroll((delta.y() or delta.x()) / 2)
        self._update_bars()
        self.update()

    # --- Qt ----------------------------------------------------------------
    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """As high as its tracks need."""
        return QSize(self._theme.px(600), self.height())

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Lays the blocks out again."""
        super().resizeEvent(event)
        self._arrange(self.story)

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802 - Qt's name
        """Adapts to a change of theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange:
            self._restyle()

    def _restyle(self) -> None:
        px = self._theme.px
        self.setFixedHeight(self._high())
        *steps, wall = self._tools
        for k, tool in enumerate(steps):
            tool.move(px(8) + k * px(25), px(4))
        wall.move(px(104), px(34))
        self._arrange(self.story)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        """Paints everything."""
        super().paintEvent(event)
        painter, viewport = QPainter(self), self.viewport
        painter.setRenderHint(SMOOTH)
        paint = TimelinePainter(self._theme, painter, viewport)
        labels = self.tracks.labels
        paint.back(tuple(label.name.capitalize() for label in labels), tuple(label.key for label in labels))
        shown = viewport.block_of(self._console.moment)
        paint.turns(viewport.shown(), shown)
        paint.marks(viewport.flags(self.label_editor.untracked, self._labelling.unsaved), viewport.rows.marks)
        self._paint_labels(TrackPainter(self._theme, painter, viewport, self.tracks))
        if viewport.story.blocks:
            self._playhead(paint, viewport.rows, shown)
        painter.end()

    def _paint_labels(self, paint: TrackPainter) -> None:
        paint.scroll(len(self._labelling.tracks))
        colours = {label.name: label.colour for label in self._labelling.tracks if label.colour}
        paint.paint(self.label_editor.bars, colours, self.label_editor.chosen, self._labelling.annotator,
                    self._labelling.unsaved)

    def _playhead(self, paint: TimelinePainter, rows: Rows, shown: int) -> None:
        if self._console.replaying:
            x = rows.left + x_at(self._console.replay.seconds, self.story.blocks, self.viewport.layout) - self.viewport.offset
            paint.playhead(min(max(x, rows.left), rows.right), self._replay_words(), self.height())
            return
        live = self._console.moment is None
        left, width = self.viewport.layout.spans[shown]
        x = min(max(rows.left + left + width - self.viewport.offset - 1, rows.left), rows.right)
        block = self.story.blocks[shown]
        text = f"live · {clock(self.story.worked)}" if live else f"turn {block.moment.turn} · replay"
        if live and self.story.ended:
            text = f"ended · {clock(self.story.worked)}"
        pill = paint.playhead(x, text, self.height())
        if not live:
            self._place_fork(pill, rows)

    def _replay_words(self) -> str:
        moment = self._console.moment
        turn = f"turn {moment.turn} · " if moment is not None and moment.turn else ""
        return f"{turn}{clock(self._console.worked_at(self._console.replay.seconds))}"

    def _place_fork(self, pill: QRectF, rows: Rows) -> None:
        """Places the button beside the pill, on the side that has room."""
        px = self._theme.px
        self._fork.setFixedHeight(px(22))
        width = self._fork.sizeHint().width()
        x = pill.right() + px(6)
        if x + width > rows.right:
            x = pill.left() - px(6) - width
        where = QPoint(int(x), px(4))
        if self._fork.pos() != where or self._fork.width() != width:
            self._fork.setGeometry(where.x(), where.y(), width, px(22))
