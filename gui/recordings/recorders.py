"""Recording as a toggle, and the file of each run: every session is written to disk; while recording is on, to a named file."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QElapsedTimer, QObject, QTimer, Signal

from core.app.run_request import Request
from core.common.errors import DataError
from core.recording.files import new_recording
from core.session.commands import Command, KeepPictures, Resume, Retry
from core.session.events import Began, Event
from core.session.run_summary import RunSummary, summary_of
from core.session.snapshot import Snapshot
from gui.control.background import BackgroundJobs
from gui.control.console import Console
from gui.control.recording_files import RecordingFiles
from gui.control.runner import SessionListener
from gui.widgets.numbers import clock, count

if TYPE_CHECKING:
    from core.recording.files import FinishedRun
    from core.recording.recorder import Autosave, Recorder
    from core.session.event_bus import Writing
    from core.session.session import Session

LATE_PICTURES = 20.0
"""Longest time in seconds that a recording which is switched off waits for pictures of its turns; a fast run goes on taking
pictures."""


class Recorders(QObject):
    """Recording is a toggle that stays on from run to run. Each run has its own file, which begins with the run's first turn.

    A run that is only prepared makes no recording. Recording starts when the run starts, or when it is switched on later;
    either way the file contains everything from the first turn on.
    """

    changed = Signal()
    runs_changed = Signal()
    """A run began or ended, or its file changed."""
    recorded = Signal(object)
    """The path of a recording that was just finished."""
    _finished = Signal(object)
    found_left = Signal(object)
    """Lines about what a console that did not close properly has left."""
    _left_behind = Signal()

    def __init__(self, files: RecordingFiles, console: Console):
        super().__init__()
        self.files, self.on = files, False
        self.last: Path | None = None
        """The file that was finished last."""
        self.saved = ""
        """A message about what was saved of the last recording, for the command line."""
        self.named: tuple[Request, Path] | None = None
        """A request, and the file that its run is recorded to; other runs are named by date, scene and planner."""
        self.batch_words: Callable[[], str] = lambda: ""
        """Returns how far the batch is that is being recorded, or empty."""
        self._console = console
        self._lock, self._numbers = threading.Lock(), itertools.count(1)
        self._runs: tuple[WindowRun, ...] = ()
        self._run: WindowRun | None = None
        self._recorder: Recorder | None = None
        self._path: Path | None = None
        """The path of the recording a second ago."""
        self._opening = False
        self._stopping: WindowRun | None = None
        self._then: Callable[[], object] = lambda: None
        self._since = QElapsedTimer()
        self.jobs = BackgroundJobs("recordings")
        self._tick = QTimer(self, interval=1000)
        self._tick.timeout.connect(self._look_again)
        self._finished.connect(self._on_finished)
        self._looked = False
        self._left_behind.connect(lambda: self.jobs.do(self.files.left_behind, self._on_left_behind, self._console.report))
        console.live_snapshot.connect(self._on_live)

    @property
    def runs(self) -> tuple[WindowRun, ...]:
        """All runs of this window, in the order they began."""
        with self._lock:
            return self._runs

    @property
    def present(self) -> WindowRun | None:
        """The run of the present session, or of the last one."""
        return self._run

    def run_of(self, began: Began | None) -> WindowRun | None:
        """Returns the run of this window that began with an event; None if there is none."""
        return next((run for run in self.runs if began is not None and run.beginning is began), None)

    @property
    def shown_file(self) -> Path | None:
        """The file of what is shown: the recording, or the file that the run is written to; None if there is none."""
        if (recording := self._console.replay.recording) is not None:
            return recording.path
        return self._run.file if self._run is not None else None

    @property
    def will_have_file(self) -> bool:
        """Whether what is shown is in a file, or will be as soon as the disk has taken it."""
        return self._console.replay.recording is not None or (self._run is not None and self._run.will_have_file)

    def written_file(self) -> Callable[[], Path]:
        """Returns a function that returns the file of what is shown now, once it holds every event so far.

        It waits for the disk, so it is called off the GUI thread. It raises DataError if there is no file any more.
        """
        recording, run = self._console.replay.recording, self._run

        def written() -> Path:
            path = recording.path if recording is not None else run.written_file() if run is not None else None
            if path is None:
                raise DataError("the file of this run is gone: record the run before it ends, then try again")
            return path

        return written

    def forget(self, run: WindowRun) -> None:
        """Removes a run that left nothing from the list."""
        with self._lock:
            self._runs = tuple(other for other in self._runs if other is not run)

    # --- on the session's thread ---------------------------------------------
    def listener_for(self, session: Session, request: Request) -> SessionListener:
        """Returns the listener of the new session of a request, which receives its events first."""
        if not self._looked:
            self._looked = True
            self._left_behind.emit()
        run = WindowRun(next(self._numbers), request, session, self.files, self._leave)
        with self._lock:
            self._run = run
            self._runs = (*self._runs, run)
        self.runs_changed.emit()
        if self.on:
            session.post(KeepPictures())
        return run

    def _leave(self, run: WindowRun) -> None:
        """Finishes the recording of a session that is over, or keeps its autosave."""
        self._finish(run, run.finish)
        self.runs_changed.emit()

    def _finish(self, run: WindowRun, end: Callable[[], None]) -> None:
        recorder = run.recorder
        path = recorder.path if recorder is not None else None
        try:
            end()
        except Exception as error:  # noqa: BLE001 - reported to the operator below
            self._finished.emit((recorder, path, error))
        else:
            path = recorder.completed if recorder is not None else None
            if recorder is not None and path is not None:
                self.saved = f"{count(recorder.turns, 'turn is', 'turns are')} on disk in {path}"
            self._finished.emit((recorder, path, None))

    # --- the operator ----------------------------------------------------------
    def toggle(self) -> None:
        """Starts or stops recording."""
        self.on = not self.on
        if self.on:
            run = self._run
            if run is not None:
                run.wanted = True
                run.post(KeepPictures())
            self._begin()
        else:
            self._end()
        self.changed.emit()

    def go_on_without(self) -> None:
        """Continues the run without recording, when the disk takes no more. What was written is kept."""
        self.on = False
        if self._run is not None:
            self._run.wanted = False
        self._end(self._go_on)
        self.changed.emit()

    def _go_on(self) -> None:
        """Resumes the run after the file was closed.

        A recorder still listening would fail on the disk and pause the run again.
        """
        self._console.runner.post(Retry())
        self._console.runner.post(Resume())

    def words(self) -> tuple[str, str]:
        """The status line's text and tone: how far a batch is; off, waiting for the run, or time and size."""
        words, tone = self._recording_words()
        return " · ".join(filter(None, (self.batch_words(), words))), tone

    def _recording_words(self) -> tuple[str, str]:
        left = self._console.runner.pictures_left
        left += self._stopping.pictures_left if self._stopping is not None else 0
        if left:
            return f"● Finishing a recording · {count(left, 'picture')} left", "operator_act"
        if not self.on:
            return "Recording off", "faint"
        recorder = self._recorder
        if recorder is None:
            return "○ Recording begins with the run", "operator_act"
        if recorder.broken:
            return f"■ Recording stopped: {recorder.broken}", "bad"
        return f"● Recording {clock(self._since.elapsed() / 1000)} · {_size(recorder.written)}", "operator_act"

    def close(self, patience: float) -> None:
        """Finishes all files after the session's end, when the window closes. Waits for jobs at most `patience` seconds."""
        self._tick.stop()
        for run in self.runs:
            self._leave(run)
        self.jobs.close(patience)

    def _look_again(self) -> None:
        """Updates the time every second while recording.

        Reports if the file was deleted and is continued under another name.
        """
        path = self._recorder.path if self._recorder is not None else None
        if path is not None and self._path is not None and path != self._path:
            self._console.message.emit(f"{self._path.name} was deleted or damaged by another program. "
                                       f"The recording goes on in {path}", "warn")
        self._path = path
        self.changed.emit()

    # --- files -------------------------------------------------------------------
    def _on_live(self, snapshot: Snapshot) -> None:
        run = self._run
        if self.on and run is not None and run.recorder is None and snapshot.event >= 0:
            self._begin()

    def _begin(self) -> None:
        """Creates a file for the present run once it has begun, off the GUI thread."""
        console, run = self._console, self._run
        if run is None or run.over or self._opening:
            return
        if not (console.begun and run.wanted) or run.recorder:
            return
        request, self._opening = run.request, True
        named = self.named[1] if self.named is not None and self.named[0] == run.request else None

        def make() -> Recorder | None:
            path = named or new_recording(self.files.folder, request.scene, request.planner, datetime.now().astimezone())
            return run.record(path)

        self.jobs.do(make, lambda recorder: self._begun(run, recorder), self._failed)

    def _begun(self, run: WindowRun, recorder: Recorder | None) -> None:
        self._opening = False
        if recorder is None or run is not self._run or run.over:  # its run, and with it its file, has ended meanwhile
            self.runs_changed.emit()
            if self.on:
                self._begin()  # the next run may have no further event that would start its file
            self.changed.emit()
            return
        self._recorder, self._path = recorder, recorder.path
        self._since.start()
        self._tick.start()
        if not self.on:  # switched off while the file was being created
            self._end(self._then)
        self.changed.emit()

    def _failed(self, error: Exception) -> None:
        """Reports that recording is not possible there, and switches it off."""
        self._opening = self.on = False
        self._stopping = None
        self._console.report(error)
        then, self._then = self._then, lambda: None
        then()
        self.changed.emit()

    def _end(self, then: Callable[[], object] = lambda: None) -> None:
        """Finishes the file, then calls `then`. A file that is still being created is finished after that."""
        run, self._then = self._run, then
        if run is not None and self._recorder is not None:
            run.post(KeepPictures(()))
            self._stopping = run
            self._tick.start()

            def stopped(_: None) -> None:
                self._stopping = None
                then()

            self.jobs.do(lambda: self._finish(run, lambda: _stop(run)), stopped, self._failed)

    def _on_finished(self, finished: tuple[Recorder | None, Path | None, Exception | None]) -> None:
        recorder, path, error = finished
        if path is None and error is None:
            return
        if recorder is self._recorder or self._recorder is None:
            self._recorder = None
            self._tick.stop()
        self.last = path or self.last
        if error is None and path is not None:
            self._console.message.emit(f"Recorded {path.name} in {path.parent}", "muted")
            self.recorded.emit(path)
        elif error is not None:
            self._console.report(error)
        self.changed.emit()

    def _on_left_behind(self, found: list[str]) -> None:
        if found:
            self.found_left.emit(found)


def _stop(run: WindowRun) -> None:
    """Ends a recording during a run once it has the pictures of its turns, after `LATE_PICTURES` seconds at most."""
    until = time.monotonic() + LATE_PICTURES
    while run.pictures_left and time.monotonic() < until and not run.over:
        time.sleep(0.02)
    run.stop_recording()


def _size(count: int) -> str:
    """Formats a number of bytes: `340 kB`, `3.2 MB`."""
    return f"{count / 1e6:.1f} MB" if count >= 1_000_000 else f"{max(1, round(count / 1000))} kB"


class WindowRun(SessionListener):
    """Writes a session's events to a file and remembers what happened to the file.

    `on_event` and `on_end` are called on the session's thread, all else on the GUI thread. Attributes are replaced, never
    changed in place.

    Attributes:
        number: counts from 1 in this window.
        request: the run's request when it began.
        wanted: False after the operator chose to go on without recording: recording does not start again by itself.
        over: whether its session has ended.
        saved: the recording that contains the whole run, if there is one.
        identity: `Recording.identity` of its recordings.
        beginning: the event with which it began; None before.
        kept: the autosave, once the session has ended.
        removed: whether the operator removed it from the list; its autosave is deleted when the window closes.
    """

    def __init__(self, number: int, request: Request, session: Session, files: RecordingFiles,
                 ended: Callable[[WindowRun], None]):
        self.number, self.request, self.began = number, request, datetime.now().astimezone()
        autosave = files.autosave(session)
        self._live: tuple[Session, Autosave] | None = (session, autosave)
        """None once the session has ended: its planner, history and world must not stay in memory with the list of runs."""
        self.identity = autosave.run
        self.beginning: Began | None = None
        self._now = Snapshot()
        self._summed_up: RunSummary | None = None
        self.wanted, self.over, self.removed = True, False, False
        self.saved: Path | None = None
        self.kept: FinishedRun | None = None
        self._saved_size: tuple[int, int, int] | None = None
        """Turns, interventions and labels when the recording was stopped."""
        self._ended, self._finishing = ended, threading.Lock()

    def on_event(self, event: Event, now: Snapshot) -> Writing | None:
        """Writes an event. The returned object tells when it is on disk."""
        self._now = now
        if isinstance(event.what, Began):
            self.beginning = event.what
        return self._live[1].on_event(event, now) if self._live is not None else None

    def on_end(self) -> None:
        """Completes the file when the session is over."""
        self._ended(self)

    def post(self, command: Command) -> None:
        """Posts a command to the session if it has not ended."""
        if (live := self._live) is not None:
            live[0].post(command)

    @property
    def pictures_left(self) -> int:
        """Number of pictures of its recording that are not drawn yet."""
        return live[0].pictures_left if (live := self._live) is not None else 0

    # --- its file ------------------------------------------------------------
    @property
    def recorder(self) -> Recorder | None:
        """The recorder, or None if recording is off."""
        return live[1].recorder if (live := self._live) is not None else None

    def record(self, path: Path) -> Recorder | None:
        """Starts recording, beginning with the first turn. A run that has just ended is saved there, and None is returned.

        Raises:
            DataError: the file exists already or cannot be created.
        """
        with self._finishing:
            if (live := self._live) is not None:
                return live[1].record(path)
            self.save(path)
            return None

    def stop_recording(self) -> None:
        """Ends the recording; the run goes on.

        Raises:
            DataError: not everything could be written.
        """
        live, recorder, size = self._live, self.recorder, self._size()
        path = recorder.path if recorder is not None else None
        if live is not None:
            live[1].stop()
        if path is not None:
            self.saved, self._saved_size = path, size

    def finish(self) -> None:
        """Completes the recording, or keeps the autosave if the run has content. May be called twice.

        Raises:
            DataError: not everything could be written.
        """
        with self._finishing:
            if not self.over:
                try:
                    self._finish()
                finally:
                    self.over, self._live = True, None

    def _finish(self) -> None:
        if self._live is None:
            return
        autosave = self._live[1]
        is_whole = self.saved is not None and self._saved_size == self._size()  # nothing came after the recording was stopped
        self.kept = autosave.close(keep=not is_whole and self.summary.is_worth_keeping)
        if autosave.path is not None:  # read after the end: a recording may start on another thread until then
            self.saved = autosave.path
        elif not is_whole:
            self.saved = None
        self._summed_up, self._now = self.summary, Snapshot()

    @property
    def summary(self) -> RunSummary:
        """The run in a few numbers."""
        return self._summed_up or summary_of(self._now)

    def _size(self) -> tuple[int, int, int]:
        return self.summary.turns, self.summary.acts, self.summary.labels

    @property
    def is_listed(self) -> bool:
        """Whether the run can be viewed."""
        return not self.removed and (not self.over or self.path is not None)

    @property
    def is_unsaved(self) -> bool:
        """Whether deleting its autosave would lose something."""
        return not self.removed and self.saved is None and self.summary.is_worth_keeping

    @property
    def path(self) -> Path | None:
        """The file it can be opened from; None while its session goes on."""
        if not self.over:
            return None
        return self.saved or (self.kept.path if self.kept is not None else None)

    @property
    def file(self) -> Path | None:
        """The file that holds it, also while it is being written; None if there is none."""
        live = self._live
        return live[1].file if live is not None else self.path

    @property
    def will_have_file(self) -> bool:
        """Whether a file holds it, or will as soon as the disk has taken its first events."""
        return self._live is not None or self.path is not None

    def written_file(self) -> Path | None:
        """Returns `file` once it holds every event so far. It waits for the disk, so it is called off the GUI thread."""
        if (live := self._live) is not None:
            live[1].catch_up()
        return self.file

    def save(self, path: Path) -> Path:
        """Makes a recording of the autosave.

        Raises:
            DataError: the name is taken, or the file cannot be moved.
        """
        if self.kept is not None and self.saved is None:
            self.saved, self.kept = self.kept.save(path), None
        return self.saved or path

    def delete(self) -> None:
        """Deletes the autosave, if there is one. A recording stays.

        Raises:
            DataError: it cannot be deleted.
        """
        kept, self.kept = self.kept, None
        if kept is not None:
            kept.remove()
