"""A file that loses nothing when the disk is full: what cannot be written waits in memory until it can."""

from __future__ import annotations

import io
import os
import shutil
import sys
import time
from pathlib import Path
from typing import BinaryIO

from core.errors import DataError

HIDDEN = ".unrecorded "
"""How the names of files begin that hold runs nobody wants recorded yet."""


class Spool(io.BytesIO):
    """What a writer has produced and the disk does not have yet; positions count from the file's beginning."""

    def __init__(self) -> None:
        super().__init__()
        self._before = 0

    def tell(self) -> int:
        """The position in the file."""
        return self._before + super().tell()

    def waiting(self) -> memoryview:
        """What is not on the disk."""
        return self.getbuffer()

    def forget(self) -> None:
        """It is on the disk now."""
        self._before += super().tell()
        self.seek(0)
        self.truncate()


class Disk:
    """A new file, appended to in whole pieces, and locked as long as it is being written.

    Raises:
        DataError: it exists already, or cannot be made.
    """

    def __init__(self, path: Path):
        self.path = path
        try:
            self._file = path.open("xb", buffering=0)
        except FileExistsError as error:
            raise _taken(path) from error
        except OSError as error:
            raise DataError(f"cannot record to {path}: {error.strerror or error}; choose a folder that takes files") from error
        lock(self._file)
        self.size = self.ending = 0
        """Bytes in it, and how many of them are its end."""
        self._old_name: Path | None = None

    def append(self, data: memoryview) -> None:
        """All of it, or nothing.

        Raises:
            OSError: it cannot be written now; the file is as it was.
        """
        done = 0
        try:
            while done < len(data):
                done += self._file.write(data[done:]) or 0
        except OSError:
            os.ftruncate(self._file.fileno(), self.size)
            self._file.seek(self.size)
            raise
        self.size += done

    def end(self, data: bytes) -> None:
        """What makes it whole, once.

        Raises:
            OSError: it cannot be written now; the file is as it was.
        """
        self.append(memoryview(data))
        self.ending = len(data)

    def moved(self, path: Path) -> Disk:
        """The same file under another name; where names cannot be given so (another disk), a copy of it.

        Raises:
            DataError: there is such a file already, or it cannot be made.
        """
        try:
            os.link(self.path, path)
        except FileExistsError as error:
            raise _taken(path) from error
        except OSError:
            other = self.copied(path, self.size)
            self.close()
            self.path.unlink(missing_ok=True)
            return other
        try:
            self.path.unlink(missing_ok=True)
        except PermissionError:  # Windows keeps the old name of a file that is open
            self._old_name = self.path
        self.path = path
        return self

    def copied(self, path: Path, size: int) -> Disk:
        """A new file that begins like this one.

        Args:
            path: where.
            size: bytes to copy.

        Raises:
            DataError: there is such a file already, or it cannot be made.
        """
        other = Disk(path)
        try:
            with self.path.open("rb") as file:
                shutil.copyfileobj(file, other._file)
            os.ftruncate(other._file.fileno(), size)
            other._file.seek(size)
        except OSError as error:
            other.close()
            path.unlink(missing_ok=True)
            raise DataError(f"cannot record to {path}: {error.strerror or error}; choose a folder with more room") from error
        other.size = size
        return other

    def held(self) -> BinaryIO | None:
        """An open file that keeps this one locked after `close`; None where files cannot be locked."""
        return None if sys.platform == "win32" else os.fdopen(os.dup(self._file.fileno()), "rb")

    def sync(self) -> None:
        """Wait until the device has it."""
        os.fsync(self._file.fileno())

    def close(self) -> None:
        """No more."""
        self._file.close()
        if self._old_name is not None:
            self._old_name.unlink(missing_ok=True)
            self._old_name = None


def _taken(path: Path) -> DataError:
    return DataError(f"{path} exists already and recordings are never overwritten: choose another name")


def hidden_name(folder: Path) -> Path:
    """A name for a file that nobody asked for."""
    return folder / f"{HIDDEN}{os.getpid()}-{time.time_ns()}.mcap"


def lock(file: BinaryIO | io.FileIO) -> bool:
    """Hold a file for this process until it is closed; whether it was free. Where locks are unknown it always is."""
    if sys.platform == "win32":
        return True
    import fcntl

    try:
        fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
