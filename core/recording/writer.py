"""The recording writer: runs on the recorder's thread and turns events into bytes of a file on disk."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from core.common.errors import DataError
from core.common.redaction import Redactor
from core.recording.codec import Codec
from core.recording.files import (
    Disk,
    DurableFile,
    FinishedRun,
    forget_labels,
    free_name,
    hidden_name,
    recordings_folder,
)
from core.recording.keyframes import Keyframes
from core.recording.mcap_messages import Line, McapMessages
from core.recording.pictures import without_pixels
from core.session.events import Acted, Event, Failed, Recovered, TurnBegan
from core.session.snapshot import Snapshot
from core.views.wording import count

Report = Callable[[Failed | Recovered], None]
"""Passes failures and recoveries of a recorder to its session. Called on any thread; must return at once."""
WITHOUT = "Go on without recording"
OPTIONS = ("Try again", WITHOUT)


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a recorder.

    Attributes:
        frames: number of pictures that may wait for the disk; further ones are left out, and that is reported.
        events: number of events that may wait; more mean that the disk hangs, and the session is paused.
        patience: maximum seconds for which listeners wait until the end of a turn is handed to the operating system.
        flush: seconds after which the events of an unfinished turn are written.
        batch: number of events after which they are written, too.
        sync: minimum seconds between two waits for the device; quicker turns share one.
    """

    frames: int = 16
    events: int = 20_000
    patience: float = 0.5
    flush: float = 1.0
    batch: int = 256
    sync: float = 0.25


@dataclass(frozen=True, slots=True)
class QueuedEvent:
    """An event that waits to be written.

    Attributes:
        now: the snapshot after it, if keyframes are made and the outcome is noted.
        encoded: its bytes; None for pictures, which take long to encode.
        refused: why it cannot be written.
    """

    event: Event
    now: Snapshot | None
    encoded: bytes | None
    refused: str = ""


def encoded(codec: Codec, event: Event) -> tuple[bytes, str]:
    """Returns the bytes of an event without pixels and ""; or b"" and why it cannot be encoded."""
    try:
        return codec.encode(without_pixels(event)), ""
    except Exception as error:  # noqa: BLE001 - an odd value must reach the operator, not end the run or a thread unseen
        return b"", _refusal(event, error)


def _refusal(event: Event, error: Exception) -> str:
    """Returns why an event cannot be recorded."""
    if isinstance(error, DataError):
        return str(error)
    return f"{type(event.what).__name__} could not be recorded: {type(error).__name__}: {error}"


class RecordingWriter:
    """Writes one file after the other. Each of them begins with the first event.

    A file is hidden until it is named. A hidden file is removed at the end, and its failures are not reported.

    Args:
        disk: the file, if it is named from the beginning.
        folder: where a hidden file is made, once there is something to write.
        began: returns the time at which the session's clock stood at 0, in nanoseconds since 1970.
        on_moved: receives the new name when a recording had to be saved elsewhere.
    """

    def __init__(self, disk: Disk | None, folder: Path, codec: Codec, redactor: Redactor, limits: Limits, report: Report,
                 began: Callable[[], int], on_moved: Callable[[Path], None]):
        self._disk, self._folder, self._codec, self._redactor = disk, folder, codec, redactor
        self._limits, self._report, self._began, self._on_moved = limits, report, began, on_moved
        self.named, self.run = disk is not None, secrets.token_hex(12)
        self._was_named = self.named
        """Whether the file has a name; the identity of the run, the same in each of its files."""
        self._completed_disk: tuple[Disk, int] | None = None
        """The file that was last completed, and how many of its bytes the next file begins with."""
        self.broken = ""
        """Why nothing is written to disk now; empty while writing works."""
        self._buffer = DurableFile()
        self._messages: McapMessages | None = None
        self._keyframes: Keyframes | None = Keyframes(codec)
        self._refused: dict[str, None] = {}
        self.last_turn = self.turns = self.turns_on_disk = 0
        """Number of the last turn on disk; count of completed turns; count of completed turns on disk."""
        self._newest = 0
        self.completed: Path | None = None
        """The file that was last completed with an index."""
        self._flushed = self._synced = self._checked = time.monotonic()
        self._unwritten = self._unsynced = False

    @property
    def file(self) -> Path | None:
        """The file that is written to now, hidden or named; None while there is none."""
        return self._disk.path if self._disk is not None else None

    @property
    def written(self) -> int:
        """Size of the file in bytes."""
        return self._disk.size if self._disk is not None else 0

    def seconds_to_wait(self) -> float:
        """Returns the seconds after which the thread should look again without being woken."""
        return self._limits.sync if self._unsynced else self._limits.flush

    # --- events ------------------------------------------------------------
    def add(self, queued: QueuedEvent) -> None:
        """Adds one event."""
        event, data, why = queued.event, queued.encoded, queued.refused
        if data is None:
            data, why = encoded(self._codec, event)
        messages = self._open_messages()
        if isinstance(event.what, TurnBegan):
            self._write_keyframe(messages)
        if not why:
            try:
                messages.add(event, data)
            except Exception as error:  # noqa: BLE001 - an odd picture must reach the operator, not end the thread unseen
                why = _refusal(event, error)
        if isinstance(event.what, Acted):
            self.turns, self._newest = self.turns + 1, event.turn
        if why:
            self._refuse(event, why, messages)
        self._follow(event, queued.now, messages)
        self._unwritten = True
        if time.monotonic() - self._flushed > self._limits.flush:
            self.flush()

    def _follow(self, event: Event, now: Snapshot | None, messages: McapMessages) -> None:
        """Takes the snapshot after an event: the next keyframe is made of it, and its outcome is written."""
        if now is None:
            self._keyframes = None
            return
        if self._keyframes is not None:
            self._keyframes.take(event, now)
        messages.outcome(now.outcome)

    def _open_messages(self) -> McapMessages:
        if self._messages is None:
            self._messages = McapMessages(self._buffer, self._codec, self._redactor, self._began(), self.run)
        return self._messages

    def _write_keyframe(self, messages: McapMessages) -> None:
        """Adds a keyframe after the last event, if there are events since the one before it.

        If a value cannot be recorded, there are no keyframes from then on; the event that holds it is refused as well.
        """
        made = self._keyframes
        if made is None or not made.is_due or made.newest is None:
            return
        try:
            messages.keyframe(made.newest, made.make())
        except DataError as error:
            self._keyframes = None
            messages.log(Line("info", "recorder", f"no keyframes from here on: {error}"), made.newest)

    def _refuse(self, event: Event, why: str, messages: McapMessages) -> None:
        """Leaves out an event that cannot be encoded. Each reason is reported once, and only for a named recording."""
        messages.log(Line("error", "recorder", why), event)
        if why not in self._refused:
            self._refused[why] = None
            if self.named:
                self._report_refused(why)

    def _report_refused(self, why: str) -> None:
        self._report(Failed("recorder", "refused", why, waits=False))

    # --- the disk ----------------------------------------------------------
    def flush(self) -> None:
        """Writes everything that was added to the file, unless writing is broken."""
        if self._messages is None or self.broken:
            return
        self._messages.flush()
        self._flushed, self._unwritten = time.monotonic(), False
        self._append()

    def _append(self) -> None:
        try:
            if self._disk is None:
                self._folder.mkdir(parents=True, exist_ok=True)
                self._disk = self._new_disk(hidden_name(self._folder))
            self._check()
            with self._buffer.waiting() as data:
                self._disk.append(data)
        except (OSError, DataError) as error:
            self._report_broken(error)
            return
        self._buffer.forget()
        self._unsynced = self.named
        self.last_turn, self.turns_on_disk = self._newest, self.turns

    def _sync(self) -> None:
        assert self._disk is not None, "something was appended to it"
        try:
            self._check()
            self._disk.sync()
        except (OSError, DataError) as error:
            self._report_broken(error)
            return
        self._synced, self._unsynced = time.monotonic(), False

    def _report_broken(self, error: OSError | DataError) -> None:
        self.broken = (error.strerror if isinstance(error, OSError) else "") or str(error)
        if self.named and self._disk is not None:
            self._report(Failed("recorder", "disk", f"recording to {self._disk.path} stopped: {self.broken}; {self.on_disk}; "
                                "make room, then try again", True, OPTIONS))

    @property
    def on_disk(self) -> str:
        """How much of the run is on disk: `the run up to turn 7 is on disk, 2 turns are only in memory`."""
        waiting = self.turns - self.turns_on_disk
        safe = f"the run up to turn {self.last_turn} is on disk" if self.last_turn else "no turn is on disk"
        return f"{safe}, {count(waiting, 'turn is', 'turns are')} only in memory"

    # --- files that other programs change ------------------------------------------------
    def _check(self) -> None:
        """If another program deleted, moved or cut the file, saves everything in a new file and continues there.

        Raises:
            DataError: a new file cannot be made anywhere.
        """
        old = self._disk
        self._checked = time.monotonic()
        why = old.fault() if old is not None else ""
        if old is None or not why:
            return
        if not self.named:
            self._folder.mkdir(parents=True, exist_ok=True)
            self._disk, _ = old.rescued(hidden_name(self._folder))
            return
        self._disk, lost = self._saved_elsewhere(old)
        self._on_moved(self._disk.path)
        found = f"{lost:,} bytes of it are lost" if lost else "nothing was lost"
        # No Recovered follows: it would clear a failure of another part that the run waits for.
        self._report(Failed("recorder", "moved", f"{old.path} {why} while it was being recorded: the recording goes on in "
                            f"{self._disk.path}, {found}", waits=False))

    def _saved_elsewhere(self, old: Disk) -> tuple[Disk, int]:
        """Returns a new file and the number of bytes lost.

        The file is beside the old one, or in the recordings folder if the old folder is gone.
        """
        beside = (old.path.parent,) if old.path.parent.is_dir() else ()
        problem = DataError(f"{old.path.parent} is gone")
        for folder in (*beside, recordings_folder(), self._folder):
            try:
                return old.rescued(free_name(folder, old.path.stem))
            except DataError as error:
                problem = error
        raise problem

    def idle(self) -> None:
        """Called when no event waits to be written: a good moment to wait for the device."""
        if self._unwritten and time.monotonic() - self._flushed > self._limits.flush:
            self.flush()
        if self._unsynced and not self.broken and time.monotonic() - self._synced >= self._limits.sync:
            self._sync()
        elif self.named and not self.broken and time.monotonic() - self._checked >= self._limits.flush:
            try:
                self._check()
            except (OSError, DataError) as error:
                self._report_broken(error)

    def retry(self) -> None:
        """Writes again what could not be written."""
        if self.broken:
            self.broken = ""
            self.flush()
            if not self.broken and self.named and self._disk is not None:
                self._report(Recovered("recorder", f"recording to {self._disk.path} goes on; nothing was lost"))

    # --- files -------------------------------------------------------------
    def _new_disk(self, path: Path) -> Disk:
        """Makes a new file that begins with the events that are no longer in the buffer.

        Raises:
            DataError: it exists already or cannot be made.
        """
        if self._completed_disk is None:
            return Disk(path)
        disk, size = self._completed_disk
        return disk.copied(path, size)  # it stays open: the next file may have to be made again

    def name(self, path: Path) -> None:
        """Turns the hidden file into a recording, from its first event on.

        Raises:
            DataError: the file exists already or cannot be made.
        """
        self._disk = self._new_disk(path) if self._disk is None else self._disk.moved(path)
        self.named, self._was_named, self.broken = True, True, ""
        self.flush()
        for why in self._refused:
            self._report_refused(why)

    def unname(self) -> None:
        """Completes the recording. Later events go into a hidden file that begins with a copy of it.

        Raises:
            DataError: not everything could be written.
        """
        why, disk = self._complete(), self._disk
        assert disk is not None, "a recording has a file"
        disk.release()
        self._close_completed()
        self._completed_disk, self._disk = (disk, disk.size - disk.ending), None
        self.named, self.broken, self._unsynced = False, "", False  # there is no file now that could be waited for
        if why:
            raise DataError(why)

    def finish(self, *, keep: bool = False) -> FinishedRun | None:
        """Completes a recording. An autosave is completed and returned with `keep`, and otherwise deleted."""
        if self.named or keep:
            self._complete()
        self._close_completed()
        disk = self._disk
        if disk is None:
            return None
        held = disk.lock_holder() if keep and not self.named and not self.broken else None
        is_ours = not disk.fault()
        disk.close()
        if self.named:
            return None
        if keep and not self.broken:
            return FinishedRun(disk.path, held, self._only_here)
        if not keep and is_ours:
            disk.path.unlink(missing_ok=True)
            with suppress(OSError):  # they would be of no recording
                forget_labels(self._only_here)
        return None

    @property
    def _only_here(self) -> str:
        """The identity of the run if it was never recorded under a name; otherwise empty."""
        return "" if self._was_named else self.run

    def _close_completed(self) -> None:
        if self._completed_disk is not None:
            self._completed_disk[0].close()
            self._completed_disk = None

    def _complete(self) -> str:
        """Writes everything that is left, the index, and waits for the device. Returns what went wrong."""
        self.broken = ""
        messages = self._open_messages()
        self._write_keyframe(messages)
        self.flush()
        if not self.broken and self._disk is not None:
            try:
                self._disk.end(messages.ending())
            except OSError as error:
                self._report_broken(error)
        if not self.broken:
            self._sync()
        if not self.broken and self._disk is not None:
            self.completed = self._disk.path
        return self.broken

