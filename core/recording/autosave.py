"""Keeps a session's events on disk, so that a recording that starts late holds the episode from its first turn."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path

from core.common.errors import DataError
from core.recording.codec import Codec
from core.recording.files import HIDDEN, FinishedRun, lock, move_recording, new_recording
from core.recording.recorder import Limits, Recorder, Report, TurnOver
from core.session.events import Event


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
    def recorder(self) -> Recorder | None:
        """The recorder while a recording is on; otherwise None."""
        return self._recorder if self._recorder.path is not None and not self._closed else None

    @property
    def path(self) -> Path | None:
        """The file of the recording that is on, or that was on when the session ended; None without one."""
        return self._recorder.path

    def on_event(self, event: Event) -> TurnOver | None:
        """Takes one event."""
        return self._recorder.on_event(event)

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


def left_behind(running: Path, folder: Path) -> list[Path]:
    """Names the autosaves of consoles that were killed, so that they become recordings.

    Args:
        running: the folder of autosaves.
        folder: the folder of recordings.

    Returns:
        The new recordings.
    """
    return [named for path in sorted(running.glob(f"{HIDDEN}*.mcap")) if (named := _named(path, folder)) is not None]


def _named(path: Path, folder: Path) -> Path | None:
    """Returns the file under its new name; None if it belongs to a running console, or cannot be moved."""
    try:
        with path.open("rb") as file:
            if not lock(file):
                return None
        about = path.stat()
        if not about.st_size:
            path.unlink()
            return None
        named = new_recording(folder, "unrecorded", "", datetime.fromtimestamp(about.st_mtime).astimezone())
        move_recording(path, named)
        return named
    except (OSError, DataError):
        return None
