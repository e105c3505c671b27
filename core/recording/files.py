"""The files of recordings: where they are and what they are called, and the writing of one that must not be lost.

Data that cannot be written stays in memory until it can. A file that another program deletes or cuts is saved elsewhere. An
autosave is a hidden file; that of a finished run is saved under a name, removed, or left for the next start to find.
"""

from __future__ import annotations

import io
import os
import re
import shutil
import sys
import tempfile
import time
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import BinaryIO, cast

from core.common.errors import DataError
from core.common.files import PATIENCE, append_lines, is_at, lock, lock_by
from core.common.user_folders import cache_folder, data_folder, documents_folder, state_folder

ODD = re.compile(r"[^\w.+-]+")
MOST_ALIKE = 1000


def recordings_folder() -> Path:
    """Returns `Belvedere` in the user's documents folder."""
    return documents_folder() / "Belvedere"


def running_folder() -> Path:
    """Returns the folder of autosaves. It is outside the documents, which other programs may copy to other machines."""
    return state_folder() / "running"


def library_index() -> Path:
    """Returns the file of the library's index. It is in the cache, because it can be made again from the recordings."""
    return cache_folder() / "library.sqlite"


def sidecar(recording: Path) -> Path:
    """Returns the file beside a recording that holds the annotations made later."""
    return recording.with_name(f"{recording.name}{LABELS}")


LABELS = ".annotations.jsonl"
"""The end of the names of files with annotations."""


def labels_of_user(run: str) -> Path:
    """Returns the file in the user's data folder that holds the annotations of a run, wherever its recordings are.

    Args:
        run: `Recording.identity` of the run.
    """
    return data_folder() / "labels" / f"{run}{LABELS}"


def forget_labels(run: str) -> None:
    """Deletes the labels in the user's data folder of a run that is deleted; empty: of none.

    Raises:
        OSError: they cannot be deleted.
    """
    if run:
        labels_of_user(run).unlink(missing_ok=True)


def new_recording(folder: Path, scene: str, planner: str, now: datetime) -> Path:
    """Returns an unused name from date, scene and planner; makes the folder.

    Raises:
        DataError: the folder cannot be made, or holds too many recordings of this second.
    """
    words = [ODD.sub("-", Path(word).stem).strip("-")[:40] for word in (scene, planner)]
    stem = " ".join([f"{now:%Y-%m-%d %H-%M-%S}", *(word for word in words if word)])
    return _free(folder, stem, range(1, MOST_ALIKE))


REPAIRED = " recovered"
"""What the name of the copy has after that of the recording that it repairs."""


def free_name(folder: Path, stem: str, first: int = 2, *, labelled: bool = True) -> Path:
    """Returns an unused name similar to an old one, such as `run 2.mcap`, or with `first` 1 also `run.mcap`; makes the folder.

    A name that only labels have is free if the recording has none beside it (`labelled`): a kill may have parted them.

    Raises:
        DataError: the folder cannot be made, or holds too many recordings of this name.
    """
    return _free(folder, stem, range(first, MOST_ALIKE), labelled=labelled)


def _free(folder: Path, stem: str, numbers: range, *, labelled: bool = True) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(f"cannot make the folder {folder}: {error.strerror or error}; choose another one") from error
    for number in numbers:
        path = folder / f"{stem}{f' {number}' if number > 1 else ''}.mcap"
        if not _is_taken(path, labelled):
            return path
    raise DataError(f"{folder} holds {MOST_ALIKE - 1} recordings of one name: choose another folder")


HIDDEN = ".unrecorded "
"""Prefix of the names of autosaves, the hidden files of runs that are not recorded yet."""
PIECE = 2**20
"""Number of bytes copied at once."""


class DurableFile(io.BytesIO):
    """The buffer of a writer: data that is not on disk yet. Positions count from the beginning of the file."""

    def __init__(self) -> None:
        super().__init__()
        self._before = 0

    def tell(self) -> int:
        """Returns the position in the file."""
        return self._before + super().tell()

    def waiting(self) -> memoryview:
        """Returns the data that is not on disk."""
        return self.getbuffer()

    def forget(self) -> None:
        """Drops the data, once it is on disk."""
        self._before += super().tell()
        self.seek(0)
        self.truncate()


class Disk:
    """A new file to which data is appended in whole pieces. It is locked as long as it is being written.

    Attributes:
        size: number of bytes in it.
        ending: how many of them are the ending (the index).

    Raises:
        DataError: it exists already, or cannot be made.
    """

    def __init__(self, path: Path):
        self.path = path
        try:
            self._file = _made_and_locked(path)
        except FileExistsError as error:
            raise _exists_error(path) from error
        except OSError as error:
            raise DataError(f"cannot record to {path}: {error.strerror or error}; choose a folder that takes files") from error
        self.size = self.ending = 0
        self._old_name: Path | None = None
        self._copy: BinaryIO | None = None
        self._has_inodes = not self._difference()
        """False on file systems whose inodes and link counts carry no information."""
        self._open_copy()

    def append(self, data: memoryview) -> None:
        """Appends all of the data, or nothing.

        Raises:
            OSError: it cannot be written now; the file is unchanged.
        """
        try:
            self._write(data)
        except OSError:
            if self._copy is None:
                raise
            self._drop_copy()  # the copy takes room on the same disk
            self._write(data)
        if self._copy is not None:
            try:
                _write_all(self._copy, data)
            except OSError:
                self._drop_copy()
        self.size += len(data)

    def _write(self, data: memoryview) -> None:
        try:
            _write_all(self._file, data)
        except OSError:
            os.ftruncate(self._file.fileno(), self.size)
            self._file.seek(self.size)
            raise

    def end(self, data: bytes) -> None:
        """Appends the ending that completes the file, once.

        Raises:
            OSError: it cannot be written now; the file is unchanged.
        """
        self.append(memoryview(data))
        self.ending = len(data)

    # --- changes by other programs -----------------------------------------------
    def fault(self) -> str:
        """Returns what another program did to the file, such as `was deleted`; empty while it is unchanged."""
        return self._difference() if self._has_inodes else ""

    def _difference(self) -> str:
        status = os.fstat(self._file.fileno())
        if status.st_nlink == 0:
            return "was deleted"
        if status.st_size != self.size:
            return "was cut short" if status.st_size < self.size else "was written to"
        try:
            same = os.path.samestat(status, self.path.stat())
        except OSError:
            return "was moved or its folder deleted"
        return "" if same else "was replaced by another file"

    def _open_copy(self) -> None:
        """Keeps a second copy of all content in a file without a name.

        The copy survives if the first file is deleted or cut.
        """
        try:
            self._copy = cast(BinaryIO, tempfile.TemporaryFile(dir=self.path.parent, buffering=0))  # noqa: SIM115 - kept
        except OSError:  # no other file can be made in the folder; the recording itself may still be complete
            self._copy = None

    def _drop_copy(self) -> None:
        if self._copy is not None:
            self._copy.close()
            self._copy = None

    def rescued(self, path: Path) -> tuple[Disk, int]:
        """Returns a new file with everything written so far, even if this one is gone, and the number of bytes lost.

        Raises:
            DataError: the new file cannot be made.
        """
        other = Disk(path)
        try:
            saved = self._copy_to(other, self.size)
            for file in filter(None, (other._file, other._copy)):
                os.ftruncate(file.fileno(), self.size)  # positions stay valid if bytes are lost
                file.seek(self.size)
        except OSError as error:
            raise other._abandon(error) from error
        other.size, other.ending = self.size, self.ending
        self.close()
        return other, self.size - saved

    def _copy_to(self, other: Disk, size: int) -> int:
        """Copies the first `size` bytes to a new file, from the second copy if there is one. Returns how many there were."""
        source = self._file if self._copy is None else self._copy
        if source.closed:
            with self.path.open("rb") as file:
                return other._copy_from(file, size)
        try:
            return other._copy_from(source, size)
        finally:
            source.seek(self.size)

    def _copy_from(self, source: BinaryIO | io.FileIO, size: int) -> int:
        found = _copy_bytes(source, self._file, size)
        if self._copy is not None:
            try:
                _copy_bytes(source, self._copy, size)
            except OSError:
                self._drop_copy()
        return found

    # --- names -----------------------------------------------------------------
    def moved(self, path: Path) -> Disk:
        """Returns the same file under another name; if it cannot be linked there (another disk), a copy of it.

        Raises:
            DataError: there is such a file already, or it cannot be made.
        """
        try:
            if self.fault():
                raise OSError
            os.link(self.path, path)
        except FileExistsError as error:
            raise _exists_error(path) from error
        except OSError:
            other = self.copied(path, self.size)
            is_ours = not self.fault()
            self.close()
            if is_ours:
                self.path.unlink(missing_ok=True)
            return other
        try:
            self.path.unlink(missing_ok=True)
        except PermissionError:  # Windows keeps the old name of a file that is open
            self._old_name = self.path
        self.path = path
        return self

    def copied(self, path: Path, size: int) -> Disk:
        """Returns a new file that begins with this one's content.

        Args:
            path: the new file.
            size: number of bytes to copy.

        Raises:
            DataError: there is such a file already, or it cannot be made.
        """
        other = Disk(path)
        try:
            if self._copy_to(other, size) < size:
                raise OSError(f"{self.path} is shorter than it was")
        except OSError as error:
            raise other._abandon(error) from error
        other.size = size
        return other

    def lock_holder(self) -> BinaryIO | None:
        """Returns an open file that keeps this one locked after `close`; None where files cannot be locked."""
        return None if sys.platform == "win32" else os.fdopen(os.dup(self._file.fileno()), "rb")

    def _abandon(self, error: OSError) -> DataError:
        self.close()
        self.path.unlink(missing_ok=True)
        return DataError(f"cannot record to {self.path}: {error.strerror or error}; choose a folder with more room")

    def sync(self) -> None:
        """Waits until the device has stored the data."""
        os.fsync(self._file.fileno())

    def release(self) -> None:
        """Releases the lock. The file can still be copied from, even if another program deletes it."""
        if sys.platform == "win32":
            self.close()
            return
        import fcntl

        fcntl.flock(self._file.fileno(), fcntl.LOCK_UN)

    def close(self) -> None:
        """Closes the file. May be called twice."""
        self._file.close()
        self._drop_copy()
        if self._old_name is not None:
            self._old_name.unlink(missing_ok=True)
            self._old_name = None


def _made_and_locked(path: Path) -> io.FileIO:
    """Returns a new file, locked.

    A file cannot be made and locked at once. Who looks in between for what a killed console left may lock it first, and remove
    it because it is empty: then it is made again. A file that another process keeps locked for long is used without a lock.

    Raises:
        OSError: it exists already, or cannot be made.
    """
    end = time.monotonic() + PATIENCE
    while True:
        file = open(path, "x+b", buffering=0, opener=_appending)  # noqa: SIM115 - kept
        if (lock_by(file, end) and path.exists()) or time.monotonic() >= end:
            return file
        file.close()


def _appending(path: str, flags: int) -> int:
    """Opens a file so that every write goes to its end.

    If another program cuts the file between a check and a write, a write at our own position would fill the gap with zeros and
    bring the file back to its expected length: the next check would find nothing wrong.
    """
    return os.open(path, flags | os.O_APPEND, 0o666)


def _write_all(file: BinaryIO | io.FileIO, data: memoryview | bytes) -> None:
    """Writes all data. An unbuffered file may write only a part of it per call."""
    done = 0
    while done < len(data):
        done += file.write(data[done:]) or 0


def _copy_bytes(source: BinaryIO | io.FileIO, target: BinaryIO | io.FileIO, size: int) -> int:
    """Copies at most `size` bytes from the beginning. Returns how many there were."""
    source.seek(0)
    left = size
    while left and (piece := source.read(min(left, PIECE))):
        _write_all(target, piece)
        left -= len(piece)
    return size - left


def _exists_error(path: Path) -> DataError:
    return DataError(f"{path} exists already and recordings are never overwritten: choose another name")


def path_of(file: BinaryIO, path: Path) -> Path:
    """Returns the present path of an open file that was opened as `path`; `path` if it cannot be found."""
    try:
        about = os.fstat(file.fileno())
        if not about.st_ino or is_at(about, path):
            return path
        handle = Path(f"/proc/self/fd/{file.fileno()}")  # Linux names the file wherever it was moved on its disk
        places = iter((handle.readlink(),)) if handle.is_symlink() else path.parent.iterdir()
        return next((found for found in places if is_at(about, found)), path)
    except OSError:
        return path


def hidden_name(folder: Path) -> Path:
    """Returns a name for an autosave."""
    return folder / f"{HIDDEN}{os.getpid()}-{time.time_ns()}.mcap"


def is_being_written(path: Path) -> bool:
    """Returns True if a console holds the lock of a recording. Always False on Windows."""
    try:
        with path.open("rb") as file:
            return not lock(file, shared=True)
    except OSError:
        return False


class FinishedRun:
    """The autosave of a run that has ended, with the labels beside it.

    The file stays locked until it is saved, removed or released, so that no other console takes it for one left by a crash.

    Args:
        path: the autosave, a complete recording.
        held: an open file that carries the lock; None where files cannot be locked.
        run: identity of the run, if no other file holds it; otherwise empty.
    """

    def __init__(self, path: Path, held: BinaryIO | None, run: str = ""):
        self.path, self._held, self._run = path, held, run

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
        """Deletes the run and its labels, also those in the user's data folder.

        Raises:
            DataError: it cannot be deleted.
        """
        self.release()
        try:
            sidecar(self.path).unlink(missing_ok=True)
            self.path.unlink(missing_ok=True)
            forget_labels(self._run)
        except OSError as error:
            raise DataError(f"cannot remove {self.path}: {error.strerror or error}") from error

    def release(self) -> None:
        """Releases the lock. A file that still has no name gets one at the next start."""
        if self._held is not None:
            self._held.close()
            self._held = None


def move_recording(old: Path, new: Path, *, parted: bool = False) -> None:
    """Moves a recording and the labels beside it. If one of them cannot be moved, both stay.

    Args:
        old: the recording.
        new: its new name.
        parted: a kill may have moved its labels there already.

    Raises:
        DataError: the name is taken, also by labels, or a file cannot be moved.
    """
    if _is_taken(new, sidecar(old).exists() or not parted):
        raise _exists_error(new)
    moved: list[tuple[Path, Path]] = []
    try:
        for source, target in ((sidecar(old), sidecar(new)), (old, new)):  # in this order: labels name their run
            if source.exists() or source == old:
                moved.append((source, target))
                shutil.move(source, target)
    except OSError as error:
        for source, target in moved:
            _move_back(source, target)
        raise DataError(f"cannot move {old.name} to {new}: {error.strerror or error}; choose another folder") from error
    _bring_late_labels(sidecar(old), sidecar(new))


def _bring_late_labels(left: Path, present: Path) -> None:
    """Adds labels that were written beside the old name, while the recording was being moved, to those beside the new one.

    Who writes labels notices only afterwards that the recording has moved.
    """
    with suppress(DataError, OSError, UnicodeDecodeError):  # then they stay; they are found by their run
        if left.exists():
            known = frozenset(present.read_bytes().splitlines()) if present.exists() else frozenset()
            lines = dict.fromkeys(line for line in left.read_bytes().splitlines() if line and line not in known)
            append_lines(present, *(line.decode() for line in lines))
            left.unlink()


def _move_back(source: Path, target: Path) -> None:
    """Undoes a move that may have copied only a part to another disk."""
    with suppress(OSError):  # what cannot be moved back is found at its new place
        if source.exists():
            target.unlink(missing_ok=True)
        elif target.exists():
            shutil.move(target, source)


def _is_taken(path: Path, labelled: bool) -> bool:
    """Returns True if there is a recording of this name, or labels that one with labels beside it would meet."""
    return path.exists() or (labelled and sidecar(path).exists())
