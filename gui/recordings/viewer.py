"""Opens recordings in the window, closes them, and continues live from them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFileDialog, QWidget

from core.app.run_request import Request
from core.planning.facets import Moment
from core.session.events import Began
from core.session.snapshot import Snapshot
from gui.control.choices import MakeSetup
from gui.control.console import Console
from gui.control.recording_files import continued, take_over
from gui.control.replay import SPEEDS

if TYPE_CHECKING:
    from core.recording.takeover import TakeOver
    from core.session.setup import Setup
    from gui.control.open_recording import OpenRecording


def request_of(began: Began) -> Request:
    """Returns the request that makes a recorded run again."""
    return Request(began.planner, parameters=MappingProxyType(dict(vars(began.parameters))), simulator=began.simulator,
                   scene=began.scene, provider=began.provider, seed=began.seed, task=began.goal.text,
                   max_steps=began.most_steps)


MOST = 2**62
"""Greater than the number of any event: the end of a recording."""


@dataclass(frozen=True, slots=True)
class _Run:
    """A run of this window that is opened."""

    path: Path
    name: str
    request: Request
    go_on: bool


class RecordingViewer(QObject):
    """Opens, closes and takes over recordings. The console shows what the replay reads."""

    def __init__(self, console: Console, make_setup: MakeSetup, folder: Path):
        super().__init__()
        self._console, self._replay, self._make_setup, self._folder = console, console.replay, make_setup, folder
        self._before: Request | None = None
        self._run: _Run | None = None
        """The run of this window that is being opened or shown."""
        self._replay.opened.connect(self._on_opened)
        self._replay.failed.connect(self._on_failed)
        self._replay.moved.connect(self._on_moved)
        console.asked_take_over.connect(self.take_over)

    # --- opening ---------------------------------------------------------------
    def ask(self, window: QWidget) -> None:
        """Lets the operator choose a recording."""
        folder = self._folder if self._folder.is_dir() else Path.home()
        dialog = QFileDialog(window, "Open a recording", str(folder), "Recordings (*.mcap);;All files (*)")
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setOption(QFileDialog.Option.ReadOnly)  # it opens files, and must not offer to delete any
        dialog.fileSelected.connect(lambda path: self.open(Path(path)))
        dialog.finished.connect(lambda _: dialog.deleteLater())
        dialog.open()

    def open(self, path: Path) -> None:
        """Shows a recording instead of the run."""
        self._console.message.emit(f"Opening {path.name}", "muted")
        self._run = None
        self._replay.open(path)

    def open_run(self, path: Path, name: str, request: Request, *, at: int | None = None, go_on: bool = False) -> None:
        """Shows an earlier run of this window, by default at its end, or continues it as a live run if `go_on`."""
        self._console.message.emit(f"Opening {name}", "muted")
        self._run = _Run(path, name, request, go_on)
        self._replay.open(path, MOST if at is None else at)

    @property
    def name(self) -> str:
        """The name of what is shown: a run of this window, or a file."""
        recording = self._replay.recording
        if self._run is not None and self.is_run:
            return self._run.name
        return recording.path.name if recording is not None else ""

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
                       max_steps=recorded.max_steps)

    def _on_opened(self, recording: OpenRecording) -> None:
        console = self._console
        self._before = self._before or console.request
        console.asked_choices.emit()  # the layout depends on the facets its planner shows, which are in the list of parts
        console.show_recording(self._request(recording), recording.end)
        if self._run is not None and self._run.go_on:
            self._take_over(recording, recording.reader.numbers[-1])
        for line in (recording.reader.notice, recording.odd):
            if line:
                console.message.emit(line, "warn")

    def _on_failed(self, name: str, error: Exception) -> None:
        text = " ".join(str(error).split())
        self._console.message.emit(text if name in text else f"{name}: {text}", "bad")
        if not self._console.replaying and self._console.runner.phase == "idle" and self._console.snapshot.event < 0:
            self._console.prepare()

    def _on_moved(self, snapshot: Snapshot) -> None:
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

    def take_over(self) -> None:
        """Starts a live run from the moment shown: the recorded past, then the planner and the operator."""
        if self._replay.recording is not None:
            self._replay.pause()
            self._take_over(self._replay.recording, self._replay.number)

    def _take_over(self, recording: OpenRecording, number: int) -> None:
        request = self._request(recording)
        self._console.message.emit("Taking over: the recorded turns are replayed first", "muted")
        self._replay.jobs.do(lambda: take_over(recording.reader, number), lambda past: self._go_on(request, past),
                                lambda error: self._console.message.emit(" ".join(str(error).split()), "bad"))

    def _go_on(self, request: Request, past: TakeOver) -> None:
        self._before = None
        for command in past.script[-1].commands:
            self._console.context.standing.follow(command)
        self._console.go_on_from(request, partial(self._continued, request, past))

    def _continued(self, request: Request, past: TakeOver) -> Setup:
        """Returns the setup; called on the session's thread. The goal is the recorded one and is not parsed again."""
        return continued(self._make_setup(replace(request, task="")), past)

    # --- acts ------------------------------------------------------------------
    def jump(self, by: int, *kinds: str) -> None:
        """Seeks the next mark, or the previous one if `by` is negative."""
        mark = self._replay.jump(by, *kinds)
        if mark is not None:
            self._console.message.emit(f"{mark.kind}: {mark.text}", "muted")
        elif self._console.replaying:
            self._console.message.emit("No later mark" if by > 0 else "No earlier mark", "muted")

    def faster(self, by: int) -> None:
        """Chooses the next speed, or the previous one if `by` is negative."""
        place = SPEEDS.index(self._replay.speed) + by
        self._replay.set_speed(SPEEDS[min(max(place, 0), len(SPEEDS) - 1)])
