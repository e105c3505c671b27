"""The strip above the panels that shows that a recording is open, and plays it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QMenu, QSizePolicy, QWidget

from gui.control.console import Console
from gui.control.key_labels import KeyLabel, label_action
from gui.control.replay import SPEEDS
from gui.recordings.viewer import RecordingViewer
from gui.widgets import SMOOTH, Button, Line, Tool, draw_block, tool_action
from gui.widgets.numbers import clock


class ReplayStrip(QFrame):
    """The strip, 38 px high: name and read-only note, transport, speed, loop, take over, close."""

    def __init__(self, console: Console, viewer: RecordingViewer):
        super().__init__()
        self._console, self._replay, self._theme = console, console.replay, console.context.theme
        self._viewer = viewer
        theme, replay = self._theme, self._replay
        self.setAccessibleName("Recording")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._title = Line(theme, "Recording · read-only", "body", "selection", 650, shrinks=False)
        self._name = Line(theme, "", "small", "muted")
        self._name.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._time = Line(theme, "", "small", "text", 600, shrinks=False)
        self.play = Button(theme, "Play", "run", act=replay.toggle)
        self.speed = Button(theme, "1×", act=self._offer_speeds)
        KeyLabel(console.context, self.speed, self.speed.setToolTip, "Speed ({<} and {>})")
        self.loop = tool_action(self, theme, "Loop", "loop", checkable=True)
        self.loop.toggled.connect(replay.set_loop)
        self.over = Button(theme, "Take over from here", "fork", "operator", viewer.take_over)
        KeyLabel(console.context, self.over, self.over.setToolTip, "Start a live run from here ({Ctrl+Shift+F})")
        self.leave = Button(theme, "Close", "close", act=viewer.leave)
        row = QHBoxLayout(self)
        self._row = row
        row.addWidget(self._title)
        row.addWidget(self._name, 1)
        parts: list[QWidget] = self._transport(viewer)
        for part in (*parts, self.speed, Tool(theme, self.loop), self._time, self.over, self.leave):
            row.addWidget(part)
        replay.changed.connect(self.refresh)
        replay.moved.connect(lambda _: self._show_time())
        replay.ticked.connect(self._show_time)
        self._restyle()

    def _transport(self, viewer: RecordingViewer) -> list[QWidget]:
        tools: tuple[tuple[str, str, Callable[[], object]], ...] = (
            ("prev", "Previous mark ({[})", lambda: viewer.jump(-1)), ("left", "Back one event ({Shift+Left})", self._back),
            ("right", "Forward one event ({Shift+Right})", self._on), ("next", "Next mark ({]})", lambda: viewer.jump(1)))
        made: list[QWidget] = []
        for icon, tip, act in tools:
            action = tool_action(self, self._theme, "", icon, act)
            label_action(self._console.context, action, tip)
            made.append(Tool(self._theme, action))
        return [*made[:2], self.play, *made[2:]]

    def _back(self) -> None:
        self._replay.step_event(-1)

    def _on(self) -> None:
        self._replay.step_event(1)

    def refresh(self) -> None:
        """Shows what is playing, and how."""
        recording, playing = self._replay.recording, self._replay.playing
        self.play.dress("Pause" if playing else "Play", "pause" if playing else "run")
        self.speed.dress(speed_words(self._replay.speed))
        if recording is not None:
            self._title.say("Earlier run · read-only" if self._viewer.is_run else "Recording · read-only", "selection")
            began = recording.reader.metadata.get("began", "")[:16].replace("T", " ")
            notice = recording.reader.notice
            parts = [self._viewer.name, f"of {began}" if began else "", notice]
            self._name.say(" · ".join(filter(None, parts)), "warn" if notice else "muted")
            self._name.setToolTip(str(recording.path))
        self._show_time()

    def _show_time(self) -> None:
        self._time.say(f"{clock(self._replay.seconds)} of {clock(self._replay.length)}", "text")

    def _offer_speeds(self) -> None:
        menu = QMenu(self)
        for speed in SPEEDS:
            action = menu.addAction(speed_words(speed))
            action.setCheckable(True)
            action.setChecked(speed == self._replay.speed)
            action.triggered.connect(lambda _=False, speed=speed: self._replay.set_speed(speed))
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(self.speed.mapToGlobal(self.speed.rect().bottomLeft()))

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        """Paints the background in the selection colour, like the playhead."""
        del event
        painter = QPainter(self)
        painter.setRenderHint(SMOOTH)
        draw_block(painter, self._theme, QRectF(self.rect()), "selection_bg", "selection", 7)
        painter.end()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802 - Qt's name
        """Adapts to a change of theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange:
            self._restyle()

    def _restyle(self) -> None:
        px = self._theme.px
        self.setFixedHeight(px(38))
        self._row.setContentsMargins(px(12), px(4), px(8), px(4))
        self._row.setSpacing(px(8))
        self._row.setAlignment(Qt.AlignmentFlag.AlignVCenter)
        self.speed.setFixedWidth(px(52))


def speed_words(speed: float) -> str:
    """Formats a speed: `¼×`, `½×`, `2×`."""
    return {0.25: "¼×", 0.5: "½×"}.get(speed, f"{speed:g}×")
