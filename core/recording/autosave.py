"""Keeps a session's events on the disk, so that a recording switched on late holds the episode from its first turn."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path

from core.common.errors import DataError
from core.recording.codec import Codec
from core.recording.durable_file import HIDDEN, lock
from core.recording.finished_run import FinishedRun, move_recording
from core.recording.naming import new_recording
from core.recording.recorder import Limits, Recorder, Tell, TurnOver
from core.session.events import Event


class Autosave:
    """A session's listener whose recording can be named at any time, and made whole, as often as one likes.

    What is never named is a hidden file, an autosave: deleted when the session ends, unless it is kept. A crash leaves it.

    Args:
        folder: where hidden files are put; made if there is something to write.
        tell: hears what went wrong with a named recording, and what was mended.
    """

    def __init__(self, folder: Path, tell: Tell, *, codec: Codec | None = None, secrets: Iterable[str] = (),
                 limits: Limits | None = None):
        self._recorder = Recorder(folder, tell, codec=codec, secrets=secrets, limits=limits, hidden=True)
        self._lock, self._closed = threading.Lock(), False
        self._kept: FinishedRun | None = None

    @property
    def recorder(self) -> Recorder | None:
        """What writes the recording that is on."""
        return self._recorder if self._recorder.path is not None and not self._closed else None

    @property
    def path(self) -> Path | None:
        """The file of the recording that is on, or was when the session ended; None without one."""
        return self._recorder.path

    def hear(self, event: Event) -> TurnOver | None:
        """Keep one event."""
        return self._recorder.hear(event)

    def record(self, path: Path) -> Recorder:
        """Begin to record, from the first turn on.

        Raises:
            DataError: the file exists already or cannot be made.
        """
        with self._lock:
            if self.recorder is None:
                self._recorder.name(path)
            return self._recorder

    def stop(self) -> None:
        """End the recording, if there is one.

        Raises:
            DataError: not everything could be written.
        """
        with self._lock:
            if self.recorder is not None:
                self._recorder.unname()

    def close(self, *, keep: bool = False) -> FinishedRun | None:
        """The session is over: finish the recording that is on. Later calls return what the first one returned.

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
    """Give names to runs that nobody recorded and whose console was killed: what was not asked for need not be lost.

    Args:
        running: where they were kept.
        folder: where recordings are put.

    Returns:
        The recordings there are now.
    """
    return [named for path in sorted(running.glob(f"{HIDDEN}*.mcap")) if (named := _named(path, folder)) is not None]


def _named(path: Path, folder: Path) -> Path | None:
    """The file by its new name; None where it belongs to a console that is still there, or cannot be moved."""
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
