"""The player of a recording: position, playing or paused, speed. Files are read off the GUI thread, the newest seek first."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QElapsedTimer, QObject, QTimer, Signal

from core.planning.facets import Moment
from core.session.snapshot import Snapshot
from gui.control.background import BackgroundJobs
from gui.control.recording_files import RecordingFiles

if TYPE_CHECKING:
    from core.recording.reader import Recording
    from gui.control.recording_files import OpenRecording, Stop

Place = int | Callable[["Recording"], int]
"""The number of an event, or a function that finds it in a recording; it raises DataError if the recording is a wrong one."""
TICK = 33
"""Milliseconds between two updates while a recording plays."""
SPEEDS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
LONGEST_WAIT = 2.0
"""Longest time without an event that is played, in seconds; then the player goes on to the next event. A run may have been
paused for an hour."""


class Replay(QObject):
    """Plays one recording at a time. All signals are emitted on the GUI thread.

    The thread of `jobs` owns all files: it opens and closes them. A file is closed even if the GUI thread never receives it.
    """

    opened = Signal(object)
    """An OpenRecording, read and ready."""
    failed = Signal(str, object)
    """The name of a file that cannot be opened, and the error."""
    moved = Signal(object)
    """The Snapshot of the moment shown now."""
    ticked = Signal()
    """Time passed without an event."""
    changed = Signal()
    """Playing, speed or loop changed, or a recording was opened or closed."""

    def __init__(self, files: RecordingFiles):
        super().__init__()
        self._files = files
        self._readers: set[Recording] = set()
        """The files that are open. Only the thread of `jobs` uses this."""
        self.recording: OpenRecording | None = None
        self.loading: Path | None = None
        self.speed, self.loop = 1.0, False
        self.number = -1
        """Number of the event that is shown; -1 until the first one of a recording has been read."""
        self.sought = -1
        """Number of the event that was asked for last: the one that is shown, or that is being read."""
        self.seconds = 0.0
        self._wanted: int | None = None
        self._busy = False
        self.jobs = BackgroundJobs("replay")
        self._timer = QTimer(self, interval=TICK)
        self._timer.timeout.connect(self._on_tick)
        self._gone = QElapsedTimer()

    # --- the file ----------------------------------------------------------
    def open(self, path: Path, at: Place | None = None) -> None:
        """Reads a recording and shows it at an event's number, by default at its first turn. Emits `opened` or `failed`."""
        self.pause()
        self.loading = path
        self.changed.emit()
        self.jobs.do(lambda: self._open_file(path, at), self._on_opened, lambda error: self._on_failed(path, error))

    def _on_opened(self, found: tuple[OpenRecording, int]) -> None:
        recording, number = found
        if recording.path != self.loading:  # closed, or another one was requested meanwhile
            self._let_go(recording)
            return
        self.pause()
        former, self.recording, self.loading = self.recording, recording, None  # at once: the run is not shown in between
        if former is not None:
            self._let_go(former)
        self.number, self.seconds, self._wanted = -1, 0.0, None
        self.seek(number)  # it is read later; who hears that the recording is open can go on from this place at once
        self.opened.emit(recording)
        self.changed.emit()

    @staticmethod
    def _first_content(recording: OpenRecording) -> int:
        """The number of the last event of the first turn: the first moment at which panels have something to show."""
        return next(iter(recording.turns.values())).last if recording.turns else recording.reader.numbers[-1]

    def _on_failed(self, path: Path, error: Exception) -> None:
        if path != self.loading:  # closed, or another one was requested meanwhile, which this must not stop
            return
        self.loading = None
        self.failed.emit(path.name, error)
        self.changed.emit()

    def close(self) -> None:
        """Closes the recording."""
        self.pause()
        recording, self.recording, self.loading, self._wanted = self.recording, None, None, None
        if recording is not None:
            self._let_go(recording)
            self.changed.emit()

    def end(self, patience: float) -> None:
        """Closes the recording and ends the thread; a file that is being read is waited for at most `patience` seconds.

        If that takes longer, the thread goes on, and closes the file when it is read.
        """
        self.close()
        self.jobs.do(self._close_files, lambda _: None, lambda _: None)
        self.jobs.close(patience)

    def _let_go(self, recording: OpenRecording) -> None:
        """Closes the file of a recording, after the jobs that read it."""
        self.jobs.do(lambda: self._close_files(recording.reader), lambda _: None, lambda _: None)

    # --- on the thread of `jobs` -----------------------------------------------
    def _open_file(self, path: Path, at: Place | None) -> tuple[OpenRecording, int]:
        recording = self._files.open(path)
        try:
            number = self._first_content(recording) if at is None else at if isinstance(at, int) else at(recording.reader)
        except BaseException:
            recording.reader.close()
            raise
        self._readers.add(recording.reader)
        return recording, number

    def _close_files(self, *readers: Recording) -> None:
        """Closes some files, by default all that are open."""
        for reader in readers or tuple(self._readers):
            reader.close()
            self._readers.discard(reader)

    # --- moments -------------------------------------------------------------
    @property
    def length(self) -> float:
        """Seconds from the beginning of the recording to its end."""
        return self.recording.reader.seconds if self.recording is not None else 0.0

    @property
    def at_start(self) -> bool:
        """Whether the start is shown, or about to be shown: before it there is nothing to see."""
        return self.recording is not None and self.sought <= self.recording.start

    def seek(self, number: int) -> None:
        """Shows the snapshot after this event. Before the first turn there is nothing to see: then it shows the start."""
        if self.recording is None:
            return
        self.sought = self._wanted = min(max(number, self.recording.start), self.recording.reader.numbers[-1])
        self._read_next()

    def seek_seconds(self, seconds: float) -> None:
        """Shows a moment, in seconds from the beginning."""
        if self.recording is None:
            return
        self.seconds = min(max(0.0, seconds), self.length)
        number = max(self.recording.reader.number_at(seconds=self.seconds), self.recording.start)
        if number == self.number and self._wanted is None and not self._busy:
            self.ticked.emit()
        else:
            self.seek(number)

    def seek_turn(self, moment: Moment) -> None:
        """Shows the end of a turn."""
        if self.recording is not None and moment in self.recording.turns:
            self.seek(self.recording.turns[moment].last)

    def read_turn(self, moment: Moment, take: Callable[[Snapshot | None], None]) -> None:
        """Reads the end of a turn without showing it. Passes on None if there is no such turn, or the recording was closed."""
        recording = self.recording
        if recording is None or moment not in recording.turns:
            take(None)
            return
        turn = recording.turns[moment]
        self.jobs.do(lambda: recording.reader.end_of(turn),
                     lambda snapshot: take(snapshot if recording is self.recording else None), lambda _: take(None))

    def read_other(self, path: Path, turn: int, take: Callable[[Snapshot | None], None]) -> None:
        """Reads the end of a turn of another recording. Passes on None if there is no such turn, or it cannot be read."""
        self.jobs.do(lambda: self._files.read_turn(path, turn), take, lambda _: take(None))

    def step_event(self, by: int) -> None:
        """Steps forward or back by single events."""
        if self.recording is not None:
            self.pause()
            self.seek(self.recording.reader.number_beside(self.sought, by))

    def jump(self, by: int, *kinds: str, passes: Callable[[str | None], bool] = lambda annotator: True) -> Stop | None:
        """Seeks the next mark or label, or the previous one if `by` is negative, and returns it.

        `kinds` restricts the kinds of marks; `passes` says whose labels are among them.
        """
        if self.recording is None:
            return None
        found = [stop for stop in self.recording.stops if (not kinds or stop.kind in kinds)
                 and passes(stop.annotator)
                 and (stop.number > self.number if by > 0 else stop.number < self.number)]
        if not found:
            return None
        stop = found[0] if by > 0 else found[-1]
        self.pause()
        self.seek(stop.number)
        return stop

    def _read_next(self) -> None:
        recording, wanted = self.recording, self._wanted
        if self._busy or recording is None or wanted is None:
            return
        self._busy, self._wanted = True, None
        self.jobs.do(lambda: recording.reader.snapshot_at(wanted), lambda snapshot: self._on_read(recording, wanted, snapshot),
                        lambda error: self._on_unread(recording, error))

    def _on_read(self, recording: OpenRecording, number: int, snapshot: Snapshot) -> None:
        self._busy = False
        if recording is self.recording:
            self.number = number
            if not self.playing:
                self.seconds = snapshot.at
            self.moved.emit(snapshot)
        self._read_next()

    def _on_unread(self, recording: OpenRecording, error: Exception) -> None:
        self._busy = False
        if recording is self.recording:
            self.pause()
            self.failed.emit(recording.path.name, error)
        self._read_next()

    # --- playing ---------------------------------------------------------------
    @property
    def playing(self) -> bool:
        """Whether the recording is playing."""
        return self._timer.isActive()

    def play(self) -> None:
        """Plays on from here; at the end, from the beginning."""
        if self.recording is None:
            return
        if self.number >= self.recording.reader.numbers[-1]:
            self.seek_seconds(0.0)
        self._gone.start()
        self._timer.start()
        self.changed.emit()

    def pause(self) -> None:
        """Pauses."""
        if self._timer.isActive():
            self._timer.stop()
            self.changed.emit()

    def toggle(self) -> None:
        """Plays or pauses."""
        if self.playing:
            self.pause()
        else:
            self.play()

    def set_speed(self, speed: float) -> None:
        """Sets the speed: seconds of the recording for each second of playing. The nearest of `SPEEDS` is taken."""
        self.speed = min(SPEEDS, key=lambda known: abs(known - speed))
        self.changed.emit()

    def set_loop(self, loop: bool) -> None:
        """Sets whether playing starts again at the end."""
        self.loop = loop
        self.changed.emit()

    def _on_tick(self) -> None:
        recording = self.recording
        if recording is None or self._busy:  # a slow reader delays the playing rather than skipping events
            self._gone.restart()
            return
        seconds = self.seconds + self._gone.restart() / 1000 * self.speed
        reader = recording.reader
        following = reader.time_of(reader.number_beside(self.number, 1))
        if following - seconds > LONGEST_WAIT * max(1.0, self.speed):
            seconds = following
        if seconds < self.length:
            self.seek_seconds(seconds)
        elif self.number < reader.numbers[-1]:
            self.seek_seconds(self.length)
        elif self.loop:
            self.seek_seconds(0.0)
        else:
            self.pause()


