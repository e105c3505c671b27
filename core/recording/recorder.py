"""Hears a session and writes it down, on a thread of its own: nothing is waited for but the end of a turn, and that briefly.

The thread works when a turn is over, while the session waits for it, and otherwise once a second: working on each event at once
would have it and the planner take turns at the interpreter, which costs the planner far more than the work itself.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from core.commands import Retry
from core.errors import DataError
from core.events import Acted, CommandTaken, Ended, Event, Failed, Recovered, Resumed, Shown
from core.facets import Frame
from core.recording.codec import Codec
from core.recording.pictures import TOO_SLOW, left_out
from core.recording.secret_values import Guard, keys_in_environment
from core.recording.spool import Disk, Spool
from core.recording.tape import Tape
from core.recording.telling import Line

Tell = Callable[[Failed | Recovered], None]
"""How a recorder speaks to its session; called on any thread, and must return at once."""
WITHOUT = "Go on without recording"
OPTIONS = ("Try again", WITHOUT)


@dataclass(frozen=True, slots=True)
class Limits:
    """What a recorder may take.

    Attributes:
        frames: pictures that may wait for the disk; further ones are left out, and that is said.
        events: events that may wait; more means that the disk hangs, and the session is paused.
        patience: seconds the session waits at the end of a turn until the turn is in the system's hands.
        flush: seconds after which a turn that goes on is written as far as it is.
        batch: events after which it is, too.
        sync: least seconds between two waits for the device: quicker turns share one.
    """

    frames: int = 16
    events: int = 20_000
    patience: float = 0.5
    flush: float = 1.0
    batch: int = 256
    sync: float = 0.25


@dataclass(frozen=True, slots=True)
class _TurnOver:
    """All events before it are to be written now."""

    written: threading.Event = field(default_factory=threading.Event)


@dataclass(frozen=True, slots=True)
class _Retry:
    """The operator wants it tried again."""


@dataclass(frozen=True, slots=True)
class _Over:
    """No more events."""


class Recorder:
    """Writes one MCAP file. `hear` is a session's listener: subscribe it before all others that write something down.

    Args:
        path: a file that does not exist yet.
        tell: hears what went wrong, and what was mended.
        kept: events of the session up to now, when it is switched on late.
        began: nanoseconds since 1970 when the session's clock stood at 0; untold, it is taken from the first event heard.
        secrets: texts that must not be written; those of the environment always are among them.

    Raises:
        DataError: the file exists already or cannot be made.
    """

    def __init__(self, path: Path, tell: Tell, *, kept: Iterable[Event] = (), began: int | None = None,
                 codec: Codec | None = None, secrets: Iterable[str] = (), limits: Limits | None = None):
        self.path, self.began, self._tell, self._limits = path, began, tell, limits or Limits()
        self.thinned = 0
        self._queue: queue.SimpleQueue[Event | _TurnOver | _Retry | _Over] = queue.SimpleQueue()
        self._lock, self._frames, self._events = threading.Lock(), 0, 0
        self._crowded = self._hanging = self._closed = False
        self._wake = threading.Event()
        self._work = _Work(Disk(path), codec or Codec(), Guard((*keys_in_environment(), *secrets)), self)
        self._thread = threading.Thread(target=self._run, name="recorder", daemon=True)
        self._thread.start()
        for event in kept:
            self._put(event)
        self._say(_TurnOver())  # turns that are over must not wait for the end of the next one

    @property
    def broken(self) -> str:
        """Why nothing reaches the disk now; empty while all is well."""
        return self._work.broken

    @property
    def written(self) -> int:
        """Bytes that the file holds now."""
        return self._work.written

    def hear(self, event: Event) -> None:
        """Take one event; at the end of a turn, wait until it is written, but not for long."""
        if self._closed:
            return
        self._put(event)
        what = event.what
        if isinstance(what, Resumed) or (isinstance(what, CommandTaken) and isinstance(what.command, Retry)):
            self._say(_Retry())
        if isinstance(what, Acted | Ended):
            over = _TurnOver()
            self._say(over)
            over.written.wait(self._limits.patience)

    def close(self) -> None:
        """Write what waits, and the index. May be called twice.

        Raises:
            DataError: not everything could be written.
        """
        if not self._closed:
            self._closed = True
            self._say(_Over())
        self._thread.join()
        if self._work.broken:
            raise DataError(f"the end of {self.path} could not be written: {self._work.broken}; what was written before is "
                            "kept, and mended when the file is opened")

    def tell(self, what: Failed | Recovered) -> None:
        """Tell the session."""
        self._tell(what)

    # --- on the session's thread -------------------------------------------
    def _say(self, item: _TurnOver | _Retry | _Over) -> None:
        """Something to do at once."""
        self._queue.put(item)
        self._wake.set()

    def _put(self, event: Event) -> None:
        frame = isinstance(event.what, Shown) and isinstance(event.what.facet, Frame)
        with self._lock:
            crowded = frame and (self._frames >= self._limits.frames or bool(self._work.broken))
            self._frames += frame and not crowded
            self._events += 1
            hanging = self._events > self._limits.events and not self._hanging
            self._hanging = self._hanging or hanging
            news = crowded and not self._crowded
            self._crowded = crowded or (self._crowded and not frame)
            self.thinned += crowded
            many = self._events >= self._limits.batch or self._frames >= self._limits.frames // 2
        self._queue.put(left_out(event, TOO_SLOW) if crowded else event)
        if many:
            self._wake.set()
        if news:
            self.tell(Failed("recorder", "thinned", "the disk is too slow for all pictures: some are left out, events are not",
                             waits=False))
        if hanging:
            self.tell(Failed("recorder", "slow", f"{self._events:,} events wait for the disk: is {self.path.parent} reachable?",
                             True, OPTIONS))

    def _taken(self, event: Event) -> None:
        with self._lock:
            self._events -= 1
            self._hanging = self._hanging and self._events > 0
            what = event.what
            self._frames -= isinstance(what, Shown) and isinstance(what.facet, Frame) and what.facet.pixels.size > 0

    # --- on the recorder's thread ------------------------------------------
    def _run(self) -> None:
        while self._drained():
            self._wake.wait(self._work.patience())
            self._wake.clear()

    def _drained(self) -> bool:
        """Do all that waits; False when there will be no more."""
        work = self._work
        while True:
            try:
                item = self._queue.get_nowait()
            except queue.Empty:
                work.idle()
                return True
            match item:
                case Event():
                    work.add(item)
                    self._taken(item)
                case _TurnOver():
                    work.flush()
                    item.written.set()
                case _Retry():
                    work.retry()
                case _Over():
                    work.finish()
                    return False


class _Work:
    """What the recorder's thread does."""

    def __init__(self, disk: Disk, codec: Codec, guard: Guard, recorder: Recorder):
        self._disk, self._codec, self._guard, self._recorder = disk, codec, guard, recorder
        self._limits = recorder._limits
        self.broken = ""
        self._spool = Spool()
        self._tape: Tape | None = None
        self._refused: set[str] = set()
        self._flushed = self._synced = time.monotonic()
        self._fresh = self._unsynced = False

    @property
    def written(self) -> int:
        """Bytes in the file."""
        return self._disk.size

    def patience(self) -> float:
        """Seconds until it should look again although nobody said so."""
        return self._limits.sync if self._unsynced else self._limits.flush

    def add(self, event: Event) -> None:
        """One event."""
        if self._tape is None:
            began = self._recorder.began
            heard = time.time_ns() - round(event.at * 1e9)
            self._tape = Tape(self._spool, self._codec, self._guard, heard if began is None else began)
        try:
            self._tape.add(event)
        except DataError as error:
            self._refuse(event, str(error), self._tape)
        except Exception as error:  # noqa: BLE001 - an odd value must reach the operator, not end the thread unseen
            kind = type(event.what).__name__
            self._refuse(event, f"{kind} could not be recorded: {type(error).__name__}: {error}", self._tape)
        self._fresh = True
        if time.monotonic() - self._flushed > self._limits.flush:
            self.flush()

    def _refuse(self, event: Event, why: str, tape: Tape) -> None:
        """A kind of value nobody taught the recording: said once, and left out."""
        tape.log(Line("error", "recorder", why), event)
        if why not in self._refused:
            self._refused.add(why)
            self._recorder.tell(Failed("recorder", "refused", why, waits=False))

    def flush(self) -> None:
        """All that was added, to the file; not while it is broken."""
        if self._tape is None or self.broken:
            return
        self._tape.flush()
        self._flushed, self._fresh = time.monotonic(), False
        self._append()

    def _append(self) -> None:
        try:
            with self._spool.waiting() as data:
                self._disk.append(data)
        except OSError as error:
            self._stop(error)
            return
        self._spool.forget()
        self._unsynced = True

    def _sync(self) -> None:
        try:
            self._disk.sync()
        except OSError as error:
            self._stop(error)
            return
        self._synced, self._unsynced = time.monotonic(), False

    def _stop(self, error: OSError) -> None:
        self.broken = error.strerror or str(error)
        self._recorder.tell(Failed("recorder", "disk", f"recording to {self._disk.path} stopped: {self.broken}; make "
                                   "room, then try again (nothing is lost so far)", True, OPTIONS))

    def idle(self) -> None:
        """Nothing waits to be written: a good moment to wait for the device."""
        if self._fresh and time.monotonic() - self._flushed > self._limits.flush:
            self.flush()
        if self._unsynced and not self.broken and time.monotonic() - self._synced >= self._limits.sync:
            self._sync()

    def retry(self) -> None:
        """Write again what could not be written."""
        if self.broken:
            self.broken = ""
            self.flush()
            if not self.broken:
                self._recorder.tell(Recovered("recorder", f"recording to {self._disk.path} goes on; nothing was lost"))

    def finish(self) -> None:
        """Everything, the index, and the device."""
        self.broken = ""
        if self._tape is None:
            self._tape = Tape(self._spool, self._codec, self._guard, time.time_ns())
        self._tape.finish()
        self._append()
        if not self.broken:
            self._sync()
        self._disk.close()
