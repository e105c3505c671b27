"""A finished run in an autosave: saved under a name, removed, or left for the next start to find."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import BinaryIO

from core.common.errors import DataError
from core.recording.naming import sidecar


class FinishedRun:
    """The autosave of a run that has ended, with the labels beside it.

    The file stays locked until it is saved, removed or released, so that no other console takes it for one left by a crash.

    Args:
        path: the autosave, a complete recording.
        held: an open file that carries the lock; None where files cannot be locked.
    """

    def __init__(self, path: Path, held: BinaryIO | None):
        self.path, self._held = path, held

    @property
    def size(self) -> int:
        """Its size in bytes; 0 once it is gone."""
        try:
            return self.path.stat().st_size
        except OSError:
            return 0

    def save(self, path: Path) -> Path:
        """Moves the run to a recording of this name, labels included.

        Raises:
            DataError: the name is taken, or the file cannot be moved.
        """
        move_recording(self.path, path)
        self.path = path
        self.release()
        return path

    def remove(self) -> None:
        """Deletes the run and its labels.

        Raises:
            DataError: it cannot be deleted.
        """
        self.release()
        try:
            sidecar(self.path).unlink(missing_ok=True)
            self.path.unlink(missing_ok=True)
        except OSError as error:
            raise DataError(f"cannot remove {self.path}: {error.strerror or error}") from error

    def release(self) -> None:
        """Releases the lock. A file that still has no name gets one at the next start."""
        if self._held is not None:
            self._held.close()
            self._held = None


def move_recording(old: Path, new: Path) -> None:
    """Moves a recording and the labels beside it.

    Raises:
        DataError: the name is taken, or the file cannot be moved.
    """
    if new.exists():
        raise DataError(f"{new} exists already and recordings are never overwritten: choose another name")
    try:
        shutil.move(old, new)
        if sidecar(old).exists():
            shutil.move(sidecar(old), sidecar(new))
    except OSError as error:
        raise DataError(f"cannot save the run as {new}: {error.strerror or error}; choose another folder") from error
