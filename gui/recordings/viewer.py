"""A recording in the window: opened, played by a strip over the panels, closed, continued as a live run, and exported."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QRectF, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QFileDialog, QFrame, QSizePolicy, QWidget

from core.app.run_request import Request
from core.common.user_folders import home
from core.common.visible import readable
from core.goals.formal_text import formal
from core.planning.facets import Moment
from core.recording.permalink import SUFFIX, Permalink, beside, not_beside, read_link
from core.session.commands import Command, Pause, Step
from core.session.events import Began
from core.session.snapshot import Snapshot
from gui.control.background import BackgroundJobs
from gui.control.choices import MakeSetup
from gui.control.console import Console
from gui.control.context import Selected
from gui.control.key_labels import KeyLabel, key_tool
from gui.control.recording_files import RecordingFiles
from gui.control.replay import SPEEDS, Place
from gui.recordings.failures import FailureReview
from gui.theme.boxes import hbox
from gui.widgets import SMOOTH, Button, Line, PopupMenu, Tool, draw_block, tool_action
from gui.widgets.numbers import clock

if TYPE_CHECKING:
    from core.recording.takeover import TakeOver
    from core.session.setup import Setup
    from gui.control.recording_files import OpenRecording

SUFFIXES = {"lerobot": "", "labels": ".labels.csv", "otlp": ".otlp.json", "replies": ".replies.jsonl", "link": SUFFIX}
"""The ends of the names of exported files, where they are not the form's own name."""
PAUSE = Pause()
BLIND = "This would show labels of other annotators: say that you have finished first (Labels and annotator)"
END = 2**62
"""Greater than the number of any event: the end of a recording."""


class RecordingViewer(QObject):
    """Opens, closes and takes over recordings, also by a link. The console shows what the replay reads."""

    asked_recording = Signal(object)
    """A Permalink whose recording is not beside it: the operator says where it is."""
    asked_panels = Signal(object)
    """The names of the panels that a link wants shown."""
    unreadable = Signal(str, str)
    """The name of a file that cannot be shown, and why."""

    def __init__(self, console: Console, make_setup: MakeSetup, folder: Path):
        super().__init__()
        self._console, self._replay, self._make_setup, self._folder = console, console.replay, make_setup, folder
        self._before: Request | None = None
        self._run: _Run | None = None
        """The run of this window that is being opened or shown."""
        self._link: Permalink | None = None
        """The link by which a recording is being opened."""
        self._told = self._opening = ""
        """What cannot be read of the recording that is shown, as it was said."""
        self._replay.opened.connect(self._on_opened)
        self._replay.failed.connect(self._on_failed)
        self._replay.moved.connect(self._on_moved)
        console.asked_take_over.connect(self.take_over)

    # --- opening ---------------------------------------------------------------
    def ask(self, window: QWidget, link: Permalink | None = None) -> QFileDialog:
        """Lets the operator choose a recording or a link; or the recording that a link leads to."""
        folder = self._folder if self._folder.is_dir() else home()
        dialog = QFileDialog(window, "Open a recording" if link is None else f"Where is {link.recording}?", str(folder),
                             f"Recordings and links (*.mcap *{SUFFIX});;All files (*)" if link is None else
                             "Recordings (*.mcap);;All files (*)")
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setOption(QFileDialog.Option.ReadOnly)  # it opens files, and must not offer to delete any
        dialog.fileSelected.connect(lambda path: self.open(Path(path)) if link is None else self._open_linked(Path(path), link))
        dialog.rejected.connect(self._prepare_if_empty)
        dialog.finished.connect(lambda _: dialog.deleteLater())
        dialog.open()
        return dialog

    def open(self, path: Path, at: Place | None = None) -> None:
        """Shows a recording instead of the run; of a link, the recording beside it at the decision it leads to.

        Args:
            path: the recording or link.
            at: the place in a recording; by default its first turn.
        """
        self._tell_opening(readable(path.name))
        self._run = self._link = None
        if path.suffix == SUFFIX:
            self._replay.jobs.do(lambda: _linked(path), partial(self._follow, path), partial(self._on_failed, path.name))
        else:
            self._replay.open(path, at)

    def _tell_opening(self, name: str) -> None:
        self._opening = f"Opening {name}"
        self._console.message.emit(self._opening, "muted")

    def open_turn(self, path: Path, turn: int) -> None:
        """Shows a recording instead of the run, at the action of a turn of its first branch; 0: as `open` does."""
        self.open(path, (lambda recording: recording.decided_at(Moment(0, turn))) if turn else None)

    def _follow(self, path: Path, found: tuple[Permalink, Path | None]) -> None:
        link, recording = found
        if recording is not None:
            self._open_linked(recording, link)
        else:
            self._console.message.emit(not_beside(path, link), "warn")
            self.asked_recording.emit(link)

    def _open_linked(self, path: Path, link: Permalink) -> None:
        self._run, self._link = None, link
        self._replay.open(path, link.number_in)

    def open_run(self, path: Path, name: str, request: Request, *, at: int | None = None, go_on: bool = False) -> None:
        """Shows an earlier run of this window, by default at its end, or continues it as a live run if `go_on`."""
        self._tell_opening(name)
        self._run, self._link = _Run(path, name, request, go_on), None
        self._replay.open(path, END if at is None else at)

    @property
    def name(self) -> str:
        """The name of what is shown: a run of this window, or a file."""
        recording = self._replay.recording
        if self._run is not None and self.is_run:
            return self._run.name
        return readable(recording.path.name) if recording is not None else ""

    @property
    def is_run(self) -> bool:
        """Whether a run of this window is shown rather than a file."""
        return self._run is not None and self._replay.recording is not None and self._run.path == self._replay.recording.path

    def _request(self, recording: OpenRecording) -> Request:
        """Returns the request of what is shown. For a run of this window it includes what a recording does not contain."""
        began = recording.end.began
        if began is None:
            return self._console.request
        recorded = request_of(began)
        if self._run is None or self._run.path != recording.path:
            return recorded
        return replace(self._run.request, parameters=recorded.parameters, seed=recorded.seed, task=recorded.task,
                       max_steps=recorded.max_steps, goal=recorded.goal)

    def _on_opened(self, recording: OpenRecording) -> None:
        console = self._console
        self._before = self._before or console.request
        console.asked_choices.emit()  # the layout depends on the facets its planner shows, which are in the list of parts
        console.show_recording(self._request(recording), recording.end)
        link, self._link = self._link, None
        if link is not None:
            console.context.selection.select(Selected("thing", link.selected) if link.selected else None)
            self.asked_panels.emit(link.panels)
        if self._run is not None and self._run.go_on:
            self._take_over(recording, lambda: recording.reader.numbers[-1])
        self._told = recording.reader.notice
        console.message_over.emit(self._opening)
        for line in (self._told, recording.warning):
            if line:
                console.message.emit(line, "warn")

    def _on_failed(self, name: str, error: Exception) -> None:
        text = " ".join(str(error).split())
        self._console.message.emit(text if name in text else f"{name}: {text}", "bad")
        self.unreadable.emit(name, text)
        self._prepare_if_empty()

    def _prepare_if_empty(self) -> None:
        """Prepares the request if nothing is shown, as at a start with a file that cannot be opened."""
        if not self._console.replaying and self._console.runner.phase == "idle" and self._console.snapshot.event < 0:
            self._console.prepare()

    def _on_moved(self, snapshot: Snapshot) -> None:
        recording = self._replay.recording
        if recording is not None and recording.reader.notice != self._told:  # the replay came to a value that cannot be read
            self._told = recording.reader.notice
            self._console.message.emit(self._told, "warn")
            self._replay.changed.emit()
        self._console.show_past(Moment(snapshot.branch, snapshot.turn), snapshot)

    # --- leaving -----------------------------------------------------------------
    def leave(self) -> None:
        """Closes the recording and prepares the former request again."""
        if not self._console.replaying:
            return
        before, self._before = self._before, None
        if before is not None:
            self._console.set_request(before)
        self._console.prepare()

    def take_over(self, moment: Moment | None = None, then: Command | None = None) -> None:
        """Starts a live run from the moment shown: the recorded past, then the planner and the operator.

        Args:
            moment: a turn, from whose beginning it goes on instead.
            then: a command to execute there; a `Step`: it goes on with the operator's changes in that turn, to its decision.
        """
        recording = self._replay.recording
        if recording is None or (moment is not None and moment not in recording.turns):
            return
        self._replay.pause()
        if isinstance(then, Step) and moment is not None:
            self._take_over(recording, partial(recording.reader.before_action, recording.turns[moment]), first=then)
        else:
            number = self._replay.sought if moment is None else recording.turns[moment].first
            self._take_over(recording, lambda: number, *(() if then is None else (then,)))

    def _take_over(self, recording: OpenRecording, find: Callable[[], int], *then: Command, first: Command = PAUSE) -> None:
        """Takes over at the event that `find` returns, off the GUI thread. `first` is the live run's first command."""
        request = self._request(recording)
        self._console.message.emit("Taking over: the recorded turns are replayed first", "muted")
        from core.recording.takeover import take_over

        self._replay.jobs.do(lambda: take_over(recording.reader, find(), *then),
                             lambda past: self._go_on(request, past, first), self._console.report)

    def _go_on(self, request: Request, past: TakeOver, first: Command) -> None:
        self._before = None
        for command in past.script[-1].commands:
            self._console.context.breakpoints.follow(command)
        self._console.go_on_from(request, partial(self._continued, request, past), first)

    def _continued(self, request: Request, past: TakeOver) -> Setup:
        """Returns the setup; called on the session's thread. The goal is the recorded one and is not parsed again."""
        from core.recording.takeover import continued

        return continued(self._make_setup(replace(request, task="", goal="")), past)

    # --- acts ------------------------------------------------------------------
    def jump(self, by: int, *kinds: str) -> None:
        """Seeks the next mark, or the previous one if `by` is negative."""
        mark = self._replay.jump(by, *kinds, passes=self._console.context.label_filter.passes)
        if mark is not None:
            self._console.message.emit(f"Turn {mark.turn}, {mark.kind}: {mark.text}", "muted")
        elif self._console.replaying:
            self._console.message.emit("No later mark" if by > 0 else "No earlier mark", "muted")

    def faster(self, by: int) -> None:
        """Chooses the next speed, or the previous one if `by` is negative."""
        place = SPEEDS.index(self._replay.speed) + by
        self._replay.set_speed(SPEEDS[min(max(place, 0), len(SPEEDS) - 1)])


@dataclass(frozen=True, slots=True)
class _Run:
    path: Path
    name: str
    request: Request
    go_on: bool


def _linked(path: Path) -> tuple[Permalink, Path | None]:
    """Returns a link and its recording; None if that is not beside it."""
    link = read_link(path)
    return link, beside(path, link)


def request_of(began: Began) -> Request:
    """Returns the request that makes a recorded run again."""
    return Request(began.planner, parameters=MappingProxyType(dict(vars(began.parameters))), simulator=began.simulator,
                   scene=began.scene, world=MappingProxyType(dict(began.world)), provider=began.provider, seed=began.seed,
                   task=began.goal.text, max_steps=began.most_steps, goal=formal(began.goal), beside=began.beside)


class ReplayStrip(QFrame):
    """The strip, 38 px high: name and read-only note, transport, speed, loop, take over, close."""

    def __init__(self, console: Console, viewer: RecordingViewer, failures: FailureReview, window: QWidget):
        super().__init__()
        self._console, self._replay, self._theme = console, console.replay, console.context.theme
        self._failures, self._viewer, self._playing = failures, viewer, False
        self._fitted: tuple[object, ...] = ()
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
        self.why = Button(theme, "", "fault", act=lambda: failures.open(window))
        self.why.setToolTip("Why this episode failed, with the evidence")
        self.why.hide()
        failures.changed.connect(self._show_failure)
        self.over = Button(theme, "Take over from here", "fork", "operator", viewer.take_over)
        KeyLabel(console.context, self.over, self.over.setToolTip, "Start a live run from here ({Ctrl+Shift+F})")
        self.leave = Button(theme, "Close", "close", act=viewer.leave)
        self._row = hbox(theme, self._title, (self._name, 1), *self._transport(viewer), self.speed, Tool(theme, self.loop),
                         self._time, self.why, self.over, self.leave, on=self)
        replay.changed.connect(self.refresh)
        replay.moved.connect(lambda _: self._show_time())
        replay.ticked.connect(self._show_time)
        console.context.theme_changed.connect(self._restyle)
        self._restyle()

    def _transport(self, viewer: RecordingViewer) -> list[QWidget]:
        tools: tuple[tuple[str, str, Callable[[], object]], ...] = (
            ("prev", "Previous mark ({[})", partial(viewer.jump, -1)),
            ("left", "Back one event ({Shift+Left})", partial(self._replay.step_event, -1)),
            ("right", "Forward one event ({Shift+Right})", partial(self._replay.step_event, 1)),
            ("next", "Next mark ({]})", partial(viewer.jump, 1)))
        made = [key_tool(self._console.context, self, icon, tip, act) for icon, tip, act in tools]
        return [*made[:2], self.play, *made[2:]]

    def refresh(self) -> None:
        """Shows what is playing, and how."""
        recording, playing = self._replay.recording, self._replay.playing
        self._playing = playing
        self.speed.dress(speed_words(self._replay.speed))
        if recording is not None:
            self._title.say("Earlier run · read-only" if self._viewer.is_run else "Recording · read-only", "selection")
            began = recording.reader.metadata.get("began", "")[:16].replace("T", " ")
            notice = recording.reader.notice
            parts = [self._viewer.name, f"of {began}" if began else "", notice]
            self._name.say(" · ".join(filter(None, parts)), "warn" if notice else "muted")
            self._name.setToolTip(readable(recording.path))
        self._show_time()
        self._fit()

    def _show_failure(self) -> None:
        self.why.setVisible(bool(self._failures.words))
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Chooses between texts and icons for the new width."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Leaves out texts of buttons, the plainest first, until the row fits the strip."""
        buttons = ((self.leave, "Close", "close"), (self.play, *(("Pause", "pause") if self._playing else ("Play", "run"))),
                   (self.why, self._failures.words, "fault"), (self.over, "Take over from here", "fork"))
        fitted = self.width(), self._theme.scale, self._title.text, tuple(words for _, words, _ in buttons)
        if fitted == self._fitted:
            return
        self._fitted = fitted
        for bare in range(len(buttons) + 1):
            for k, (button, words, icon) in enumerate(buttons):
                button.dress(words if k >= bare else "", icon)
                button.setAccessibleName(words)
            self._row.invalidate()
            if self._row.totalMinimumSize().width() <= self.width():
                break

    def _show_time(self) -> None:
        now, length = map(self._console.worked_at, (self._replay.seconds, self._replay.length))
        self._time.say(f"{clock(now)} of {clock(length)}", "text")

    def _offer_speeds(self) -> None:
        menu = PopupMenu(self)
        for speed in SPEEDS:
            menu.add(speed_words(speed), partial(self._replay.set_speed, speed), checked=speed == self._replay.speed)
        menu.open_under(self.speed)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        """Paints the background in the selection colour, like the playhead."""
        del event
        painter = QPainter(self)
        painter.setRenderHint(SMOOTH)
        draw_block(painter, self._theme, QRectF(self.rect()), "selection_bg", "selection", 7)
        painter.end()

    def _restyle(self) -> None:
        px = self._theme.px
        self.setFixedHeight(px(38))
        self._row.setContentsMargins(px(12), px(4), px(8), px(4))
        self._row.setSpacing(px(8))
        self._row.setAlignment(Qt.AlignmentFlag.AlignVCenter)
        self.speed.setFixedWidth(px(52))
        self._fit()


def speed_words(speed: float) -> str:
    """Formats a speed: `¼×`, `½×`, `2×`."""
    return {0.25: "¼×", 0.5: "½×"}.get(speed, f"{speed:g}×")


class RecordingExport(QObject):
    """Exports off the GUI thread; an existing export is not overwritten."""

    def __init__(self, console: Console, files: RecordingFiles):
        super().__init__()
        self._console, self._files, self.jobs = console, files, BackgroundJobs("export")

    def write(self, to: str) -> None:
        """Exports the recording to a format and reports the file."""
        console, recording = self._console, self._console.replay.recording
        if recording is None:
            console.message.emit("Open the recording first: a file that is still being written cannot be exported", "warn")
            return
        from core.recording.exports import WITHOUT_LABELS  # imported here: the window does not wait for it

        if console.context.label_filter.hidden and to not in WITHOUT_LABELS:
            console.message.emit(BLIND, "warn")
            return
        path = recording.reader.path
        out = free_path(path.with_suffix(SUFFIXES.get(to, f".{to}")))
        console.message.emit(f"Writing {out.name}", "muted")
        watches = console.context.watches.texts
        self.jobs.do(lambda: self._files.export((path,), to, out, watches),
                     lambda made: console.message.emit("; ".join((f"Exported to {made.path}", *made.missing)),
                                                       "warn" if made.missing else "good"),
                     console.report)


def free_path(path: Path) -> Path:
    """Returns the path, or the first path with a number appended that does not exist yet."""
    k, found = 2, path
    while found.exists():
        found = path.with_name(f"{path.stem}-{k}{path.suffix}")
        k += 1
    return found
