"""A recording in the window: where it is, whether it plays, how fast. Reading happens off the GUI thread, newest wish first."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QElapsedTimer, QObject, QTimer, Signal

from core.planning.moment import Moment
from core.session.snapshot import Snapshot
from gui.control.background import BackgroundJobs
from gui.control.recording_files import RecordingFiles

if TYPE_CHECKING:
    from core.recording.index import Entry
    from gui.control.open_recording import OpenRecording

TICK = 33
"""Milliseconds between two moments while it plays."""
SPEEDS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
LONGEST_WAIT = 2.0
"""Seconds nothing happens for before the player goes on to the next event: a run may have been paused for an hour."""


class Replay(QObject):
    """Plays one recording at a time. All signals come on the GUI thread."""

    opened = Signal(object)
    """A OpenRecording, read and ready."""
    failed = Signal(str, object)
    """The name of a file that cannot be opened, and why."""
    moved = Signal(object)
    """The Snapshot of the moment that is shown now."""
    ticked = Signal()
    """Time went on, and nothing happened in it."""
    changed = Signal()
    """It plays or not, at another speed, looped or not; or it opens or closes."""

    def __init__(self, shelf: RecordingFiles):
        super().__init__()
        self._shelf = shelf
        self.reel: OpenRecording | None = None
        self.loading: Path | None = None
        self.speed, self.loop = 1.0, False
        self.number = -1
        """The event that is shown."""
        self.seconds = 0.0
        self._wanted: int | None = None
        self._at: int | None = None
        self._busy = False
        self.jobs = BackgroundJobs("replay")
        self._timer = QTimer(self)
        self._timer.setInterval(TICK)
        self._timer.timeout.connect(self._on_tick)
        self._gone = QElapsedTimer()

    # --- the file ----------------------------------------------------------
    def open(self, path: Path, at: int | None = None) -> None:
        """Read a recording and show it at an event's number, by default at its first turn; `opened` or `failed` follows."""
        self.pause()
        self.loading, self._at = path, at
        self.changed.emit()
        self.jobs.do(lambda: self._shelf.reel(path), self._on_opened, lambda error: self._on_failed(path, error))

    def _on_opened(self, reel: OpenRecording) -> None:
        if reel.path != self.loading:  # closed or another one wanted meanwhile
            self.jobs.do(reel.recording.close, lambda _: None, lambda _: None)
            return
        self.close()
        self.reel, self.loading = reel, None
        self.number, self.seconds, self._wanted = -1, 0.0, None
        self.opened.emit(reel)
        self.changed.emit()
        self.seek(self._first_told(reel) if self._at is None else self._at)

    @staticmethod
    def _first_told(reel: OpenRecording) -> int:
        """The end of the first turn: the first moment at which panels have something to show."""
        return next(iter(reel.turns.values())).last if reel.turns else reel.recording.numbers[-1]

    def _on_failed(self, path: Path, error: Exception) -> None:
        self.loading = None
        self.failed.emit(path.name, error)
        self.changed.emit()

    def close(self) -> None:
        """Let the recording go."""
        self.pause()
        reel, self.reel, self.loading, self._wanted = self.reel, None, None, None
        if reel is not None:
            self.jobs.do(reel.recording.close, lambda _: None, lambda _: None)
            self.changed.emit()

    def end(self, patience: float) -> None:
        """The window closes; a file that is being read is waited for `patience` seconds."""
        self.close()
        self.jobs.close(patience)

    # --- moments -------------------------------------------------------------
    @property
    def length(self) -> float:
        """Seconds from its beginning to its end."""
        return self.reel.recording.seconds if self.reel is not None else 0.0

    def seek(self, number: int) -> None:
        """Show what was known after this event."""
        if self.reel is None:
            return
        numbers = self.reel.recording.numbers
        self._wanted = min(max(number, numbers[0]), numbers[-1])
        self._read_next()

    def seek_seconds(self, seconds: float) -> None:
        """Show a moment."""
        if self.reel is None:
            return
        self.seconds = min(max(0.0, seconds), self.length)
        number = self.reel.recording.number_at(seconds=self.seconds)
        if number == self.number and self._wanted is None and not self._busy:
            self.ticked.emit()
        else:
            self.seek(number)

    def seek_turn(self, moment: Moment) -> None:
        """Show how a turn ended."""
        if self.reel is not None and moment in self.reel.turns:
            self.seek(self.reel.turns[moment].last)

    def step_event(self, by: int) -> None:
        """On, or back, by single events."""
        if self.reel is not None:
            self.pause()
            self.seek(self.reel.recording.number_beside(self._wanted if self._wanted is not None else self.number, by))

    def jump(self, by: int, *kinds: str) -> Entry | None:
        """To the next mark, or the one before; of some kinds, or any. Returns it."""
        if self.reel is None:
            return None
        marks = [m for m in self.reel.marks if not kinds or m.kind in kinds]
        found = [m for m in marks if (m.number > self.number if by > 0 else m.number < self.number)]
        if not found:
            return None
        mark = found[0] if by > 0 else found[-1]
        self.pause()
        self.seek(mark.number)
        return mark

    def _read_next(self) -> None:
        reel, wanted = self.reel, self._wanted
        if self._busy or reel is None or wanted is None:
            return
        self._busy, self._wanted = True, None
        self.jobs.do(lambda: reel.recording.snapshot_at(wanted), lambda snapshot: self._on_read(reel, wanted, snapshot),
                        lambda error: self._on_unread(reel, error))

    def _on_read(self, reel: OpenRecording, number: int, snapshot: Snapshot) -> None:
        self._busy = False
        if reel is self.reel:
            self.number = number
            if not self.playing:
                self.seconds = snapshot.at
            self.moved.emit(snapshot)
        self._read_next()

    def _on_unread(self, reel: OpenRecording, error: Exception) -> None:
        self._busy = False
        if reel is self.reel:
            self.pause()
            self.failed.emit(reel.path.name, error)
        self._read_next()

    # --- playing ---------------------------------------------------------------
    @property
    def playing(self) -> bool:
        """Whether time goes on by itself."""
        return self._timer.isActive()

    def play(self) -> None:
        """Go on from here; from its end, begin again."""
        if self.reel is None:
            return
        if self.number >= self.reel.recording.numbers[-1]:
            self.seek_seconds(0.0)
        self._gone.start()
        self._timer.start()
        self.changed.emit()

    def pause(self) -> None:
        """Stay here."""
        if self._timer.isActive():
            self._timer.stop()
            self.changed.emit()

    def toggle(self) -> None:
        """Play or pause."""
        if self.playing:
            self.pause()
        else:
            self.play()

    def set_speed(self, speed: float) -> None:
        """How many seconds of the recording a second shows."""
        self.speed = min(SPEEDS, key=lambda known: abs(known - speed))
        self.changed.emit()

    def set_loop(self, loop: bool) -> None:
        """Begin again at the end."""
        self.loop = loop
        self.changed.emit()

    def _on_tick(self) -> None:
        reel = self.reel
        if reel is None or self._busy:  # a slow reader holds time up rather than skipping events
            self._gone.restart()
            return
        seconds = self.seconds + self._gone.restart() / 1000 * self.speed
        recording = reel.recording
        following = recording.time_of(recording.number_beside(self.number, 1))
        if following - seconds > LONGEST_WAIT * max(1.0, self.speed):
            seconds = following
        if seconds < self.length:
            self.seek_seconds(seconds)
        elif self.number < recording.numbers[-1]:
            self.seek_seconds(self.length)
        elif self.loop:
            self.seek_seconds(0.0)
        else:
            self.pause()


