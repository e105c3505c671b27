"""The recorder: a session's listener that writes events to a file on a thread of its own. The autosave is one without a name.

An event is encoded on the session's thread, where this is quick because its values are in memory. The recorder's thread would
have to share the interpreter with the planner, so it gets the work that needs no interpreter: pictures, compression, the disk.
It works at the end of each turn and otherwise once a second. The planner does not wait for it. Listeners that subscribed after
the recorder receive the end of a turn only after the turn is written.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from core.common.errors import DataError
from core.common.redaction import Redactor
from core.llm.keys import keys_in_environment
from core.planning.facets import Frame
from core.recording.codec import Codec
from core.recording.files import Disk, FinishedRun
from core.recording.pictures import TOO_SLOW, left_out
from core.recording.writer import OPTIONS, Limits, QueuedEvent, RecordingWriter, Report, encoded
from core.session.commands import Retry
from core.session.events import Acted, CommandTaken, Ended, Event, Failed, Resumed, Shown
from core.session.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class TurnOver:
    """Asks the thread to write all events before it. Others wait for it at most until `until` (of `time.monotonic`)."""

    until: float
    written: threading.Event = field(default_factory=threading.Event)

    def done(self) -> bool:
        """Returns True if the events are written, or if the deadline has passed."""
        return self.written.is_set() or time.monotonic() > self.until

    def wait(self) -> None:
        """Blocks until then."""
        self.written.wait(max(0.0, self.until - time.monotonic()))


class Recorder:
    """Writes MCAP files. `on_event` follows a session; let it follow before all others.

    Args:
        place: a file that does not exist yet; or a folder, for an autosave. An autosave is a hidden file that can be named at
            any time, and is removed at the end if it was never named.
        report: receives failures and recoveries.
        secrets: texts that must not be written, in addition to the API keys in the environment.
        hidden: whether `place` is a folder.

    Raises:
        DataError: the file exists already or cannot be made.
    """

    def __init__(self, place: Path, report: Report, *, codec: Codec | None = None, secrets: Iterable[str] = (),
                 limits: Limits | None = None, hidden: bool = False):
        self.path: Path | None = None if hidden else place
        self._report, self._limits, self._codec = report, limits or Limits(), codec or Codec()
        self.thinned = 0
        self._kept: FinishedRun | None = None
        self._queue: queue.SimpleQueue[QueuedEvent | Callable[[], object]] = queue.SimpleQueue()
        """Events to write, and functions to call between them."""
        self._lock, self._frames, self._events = threading.Lock(), 0, 0
        self._crowded = self._hanging = self._closed = self._finished = self._over = False
        self._began: int | None = None
        self._wake = threading.Event()
        disk, folder = (None, place) if hidden else (Disk(place), place.parent)
        redactor = Redactor((*keys_in_environment(), *secrets))
        self._writer = RecordingWriter(disk, folder, self._codec, redactor, self._limits, report,
                                       self._clock_origin, self._on_moved)
        self._thread = threading.Thread(target=self._run, name="recorder", daemon=True)
        self._thread.start()

    @property
    def run(self) -> str:
        """The identity of the run, as `Recording.identity` returns it."""
        return self._writer.run

    @property
    def broken(self) -> str:
        """Why nothing is written to disk now; empty while writing works."""
        return self._writer.broken

    @property
    def turns(self) -> int:
        """Number of turns on disk."""
        return self._writer.turns_on_disk

    @property
    def completed(self) -> Path | None:
        """The file that was last completed with an index."""
        return self._writer.completed

    @property
    def written(self) -> int:
        """Size of the file in bytes."""
        return self._writer.written

    @property
    def file(self) -> Path | None:
        """The file that is written to now, hidden or named; None while there is none."""
        return self._writer.file

    def on_event(self, event: Event, now: Snapshot | None = None) -> TurnOver | None:
        """Takes one event. At the end of a turn it returns a handle that reports when the turn is written.

        Args:
            event: the event.
            now: the snapshot after it, from which keyframes are made and the outcome is noted; None: the recording has neither.
        """
        if self._closed:
            return None
        self._put(event, now)
        what = event.what
        if isinstance(what, Resumed) or (isinstance(what, CommandTaken) and isinstance(what.command, Retry)):
            self._send(self._writer.retry)
        if not isinstance(what, Acted | Ended):
            return None
        over = TurnOver(time.monotonic() + self._limits.patience)
        self._send(partial(self._write_turn, over))
        return over

    def name(self, path: Path) -> None:
        """Turns a hidden recording into a named file, from its first event on. Waits for the disk.

        Raises:
            DataError: the file exists already or cannot be made.
        """
        self._call(partial(self._writer.name, path))
        self.path = path

    def unname(self) -> None:
        """Completes the file with an index, and continues as a hidden recording. Waits for the disk.

        Raises:
            DataError: not everything could be written.
        """
        path, self.path = self.path, None
        try:
            self._call(self._writer.unname)
        except DataError as error:
            raise DataError(_unfinished(path, str(error))) from error

    def close(self, *, keep: bool = False) -> FinishedRun | None:
        """Writes what is queued, and the index. May be called twice.

        Args:
            keep: keep an autosave that has no name yet, instead of deleting it.

        Returns:
            The autosave that was kept.

        Raises:
            DataError: not everything could be written.
        """
        if not self._closed:
            self._closed = True
            self._send(partial(self._finish, keep))
        self._thread.join()
        if self._writer.broken and self.path is not None:
            raise DataError(_unfinished(self.path, f"{self._writer.broken}; {self._writer.on_disk}"))
        if self._writer.broken and keep:
            raise DataError(f"this run could not be kept: {self._writer.broken}")
        return self._kept

    # --- on the session's thread -------------------------------------------
    def _send(self, act: Callable[[], object]) -> None:
        """Queues a function for the thread and wakes it."""
        self._queue.put(act)
        self._wake.set()

    def _call(self, act: Callable[[], None]) -> None:
        """Calls a function on the thread and waits until it is done.

        Raises:
            DataError: the function raised it, or the thread has ended.
        """
        call = _Call(act)
        with self._lock:
            if self._over:
                raise DataError(OVER)
            self._queue.put(call)
        self._wake.set()
        call.done.result()

    def catch_up(self) -> None:
        """Waits until every event received so far was handed to the disk, however slow it is. Any thread but the recorder's.

        Raises:
            DataError: the recording has ended already.
        """
        self._call(self._writer.flush)

    def _on_moved(self, path: Path) -> None:
        """Called on the recorder's thread: another program deleted or damaged the file, and it was saved under a new name."""
        if self.path is not None:
            self.path = path

    def _clock_origin(self) -> int:
        """Returns the time at which the session's clock stood at 0, in nanoseconds since 1970."""
        return time.time_ns() if self._began is None else self._began

    def _put(self, event: Event, now: Snapshot | None) -> None:
        if self._began is None:
            self._began = time.time_ns() - round(event.at * 1e9)
        frame = isinstance(event.what, Shown) and isinstance(event.what.facet, Frame)
        with self._lock:
            crowded = frame and (self._frames >= self._limits.frames or bool(self.broken))
            self._frames += frame and not crowded
            self._events += 1
            hanging = self._events > self._limits.events and not self._hanging
            self._hanging = self._hanging or hanging
            news = crowded and not self._crowded
            self._crowded = crowded or (self._crowded and not frame)
            self.thinned += crowded
            many = self._events >= self._limits.batch or self._frames >= self._limits.frames // 2
        if frame:
            self._queue.put(QueuedEvent(left_out(event, TOO_SLOW) if crowded else event, now, None))
        else:
            self._queue.put(QueuedEvent(event, now, *encoded(self._codec, event)))
        if many:
            self._wake.set()
        if self.path is None:  # an autosave does not report failures; placeholders mark the pictures it lacks
            return
        if news:
            why = "the disk is too slow for all pictures: some are left out, events are not"
            self._report(Failed("recorder", "thinned", why, waits=False))
        if hanging:
            why = f"{self._events:,} events wait for the disk: is {self.path.parent} reachable?"
            self._report(Failed("recorder", "slow", why, True, OPTIONS))

    def _taken(self, event: Event) -> None:
        with self._lock:
            self._events -= 1
            self._hanging = self._hanging and self._events > 0
            what = event.what
            self._frames -= isinstance(what, Shown) and isinstance(what.facet, Frame) and what.facet.pixels.size > 0

    # --- on the recorder's thread ------------------------------------------
    def _run(self) -> None:
        try:
            while not self._finished:
                self._handle_queue()
                self._wake.wait(0.0 if self._finished else self._writer.seconds_to_wait())
                self._wake.clear()
        finally:
            self._refuse_calls()

    def _refuse_calls(self) -> None:
        """Answers the calls that came after the end; no more are taken."""
        with self._lock:
            self._over = True
        with suppress(queue.Empty):
            while True:
                item = self._queue.get_nowait()
                if isinstance(item, _Call):
                    item.done.set_exception(DataError(OVER))

    def _handle_queue(self) -> None:
        """Handles everything in the queue, up to the call that finishes the file."""
        while not self._finished:
            try:
                item = self._queue.get_nowait()
            except queue.Empty:
                self._writer.idle()
                return
            if isinstance(item, QueuedEvent):
                self._writer.add(item)
                self._taken(item.event)
            else:
                item()

    def _write_turn(self, over: TurnOver) -> None:
        self._writer.flush()
        over.written.set()

    def _finish(self, keep: bool) -> None:
        self._kept = self._writer.finish(keep=keep)
        self._finished = True


OVER = "this recording has ended already"


@dataclass(frozen=True, slots=True)
class _Call:
    """A function that another thread waits for; `done` gets its error."""

    act: Callable[[], None]
    done: Future[None] = field(default_factory=Future)

    def __call__(self) -> None:
        try:
            self.act()
        except BaseException as error:
            self.done.set_exception(error)
            if not isinstance(error, DataError):
                raise
        else:
            self.done.set_result(None)


def _unfinished(path: Path | None, why: str) -> str:
    return (f"the end of {path} could not be written: {why}; what is on disk is kept and can be read")


class Autosave:
    """A session's listener. Its recording can be named at any time, and completed, as often as wanted.

    Every run is written to a hidden file, the autosave. It is deleted when the session ends, unless it was named or is kept. It
    survives a crash.

    Args:
        folder: where hidden files are put; made if there is something to write.
        report: receives failures and recoveries of a named recording.
    """

    def __init__(self, folder: Path, report: Report, *, codec: Codec | None = None, secrets: Iterable[str] = (),
                 limits: Limits | None = None):
        self._recorder = Recorder(folder, report, codec=codec, secrets=secrets, limits=limits, hidden=True)
        self._lock, self._closed = threading.Lock(), False
        self._kept: FinishedRun | None = None

    @property
    def run(self) -> str:
        """The identity of the run, as `Recording.identity` returns it."""
        return self._recorder.run

    @property
    def recorder(self) -> Recorder | None:
        """The recorder while a recording is on; otherwise None."""
        return self._recorder if self._recorder.path is not None and not self._closed else None

    @property
    def path(self) -> Path | None:
        """The file of the recording that is on, or that was on when the session ended; None without one."""
        return self._recorder.path

    @property
    def file(self) -> Path | None:
        """The file that is written to now, hidden or named; None while there is none."""
        return self._recorder.file

    def on_event(self, event: Event, now: Snapshot | None = None) -> TurnOver | None:
        """Takes one event: see `Recorder.on_event`."""
        return self._recorder.on_event(event, now)

    def catch_up(self) -> None:
        """See `Recorder.catch_up`. Returns at once if the recording has ended: then everything was written."""
        with suppress(DataError):  # it ended meanwhile; a disk that fails is reported by the recorder
            self._recorder.catch_up()

    def record(self, path: Path) -> Recorder:
        """Begins to record, with all turns from the first one.

        Raises:
            DataError: the file exists already or cannot be made.
        """
        with self._lock:
            if self.recorder is None:
                self._recorder.name(path)
            return self._recorder

    def stop(self) -> None:
        """Ends the recording, if there is one.

        Raises:
            DataError: not everything could be written.
        """
        with self._lock:
            if self.recorder is not None:
                self._recorder.unname()

    def close(self, *, keep: bool = False) -> FinishedRun | None:
        """Called at the end of the session: completes the recording that is on. Later calls return what the first one returned.

        Args:
            keep: keep the autosave of a run that is not being recorded, instead of deleting it.

        Returns:
            The autosave that was kept.

        Raises:
            DataError: not everything could be written.
        """
        with self._lock:
            if not self._closed:
                self._closed = True
                self._kept = self._recorder.close(keep=keep)
            return self._kept
