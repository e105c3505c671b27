"""Writes files that are rewritten or appended to, so that a kill, a power cut or a full disk costs nothing that was there.

A file is replaced as a whole: the new content is written beside it, synced, and takes its place. Lines are appended whole, or
not at all. Processes that change the same file do so one after the other. docs/files.md lists which file is written how.
"""

from __future__ import annotations

import os
import stat
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import FileIO
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Final

from core.common.errors import DataError

CURE: Final = "make room, or choose another folder"
PATIENCE: Final = 10.0
"""How many seconds a file is waited for that another process is changing."""
LONGEST_NAME: Final = 255
"""Bytes that a file's name may have."""
LOOK: Final = 0.02
"""Seconds between two looks at a lock."""


def cannot_write(path: Path, error: Exception, cure: str = CURE) -> DataError:
    """Returns the error for a file that cannot be written."""
    return DataError(f"cannot write {path}: {_why(error)}; {cure}")


def check_folder(path: Path) -> None:
    """Checks that the folder of a file that a person has named exists: a mistyped one is not made.

    Raises:
        DataError: it does not.
    """
    if not path.parent.is_dir():
        raise DataError(f"cannot write {path}: there is no folder {path.parent}; make it, or choose another one")


def _why(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


def is_file(path: Path) -> bool:
    """Returns True if there is a file that can be reached. A name that no file can have is none."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def is_folder(path: Path) -> bool:
    """Returns True if there is a folder that can be reached."""
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False


def is_read_only(path: Path) -> bool:
    """Returns True if there is a file that this process may not write. To replace it could still be allowed."""
    return is_file(path) and not os.access(path, os.W_OK, effective_ids=os.access in os.supports_effective_ids)


# --- one process at a time -----------------------------------------------------
def lock(file: BinaryIO | FileIO, *, shared: bool = False) -> bool:
    """Locks an open file for this process until it is closed. Returns False if another process holds it. True on Windows.

    Args:
        file: the file.
        shared: only against locks that are not shared, which writers hold.
    """
    if sys.platform == "win32":
        return True
    import fcntl

    try:
        fcntl.flock(file.fileno(), (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        return True
    return True


@contextmanager
def locked(path: Path, busy: str, *, patience: float = PATIENCE) -> Iterator[None]:
    """Holds a lock as long as the block runs. The lock of a killed process is released.

    Args:
        path: the lock: an empty file, which stays. It is made if it is missing, and its folder, too.
        busy: the message if another process holds it.
        patience: how many seconds it is waited for.

    Raises:
        DataError: another process holds it, or it cannot be made.
    """
    end = time.monotonic() + patience
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_fifo():  # opening it would wait for somebody who reads
            raise OSError("it is a pipe, not a file")
        file = FileIO(path, "a")
    except (OSError, ValueError) as error:
        raise cannot_write(path, error) from error
    with file:
        if not lock_by(file, end):
            raise DataError(busy)
        yield


def lock_by(file: BinaryIO | FileIO, end: float) -> bool:
    """Locks a file as `lock` does. Returns False if another process still holds it at `end` (of `time.monotonic`)."""
    while not lock(file):
        if time.monotonic() >= end:
            return False
        time.sleep(LOOK)
    return True


# --- replaced as a whole ---------------------------------------------------------
@contextmanager
def replacing(path: Path, cure: str = CURE, *, makes_folder: bool = False, patience: float = PATIENCE) -> Iterator[Path]:
    """Yields the name of a new file beside a file, whose place it takes when the block has written it without an error.

    Others who replace the same file wait meanwhile, so what the block reads of it is the newest. If anything fails, the file
    stays as it was. Links are followed. A read-only file is not replaced. What is no file, such as a pipe, cannot be replaced:
    its own name is yielded.

    Args:
        path: the file.
        cure: what to do if it cannot be written.
        makes_folder: make its folder if it is missing; otherwise that is an error: who names a place may have mistyped it.
        patience: how many seconds others who replace the file are waited for.

    Raises:
        DataError: the file cannot be written.
    """
    try:
        target = Path(os.path.realpath(path))
        if target.exists() and not target.is_file():
            yield path
            return
        if is_read_only(target):
            raise PermissionError("it is read-only")
        if makes_folder:
            target.parent.mkdir(parents=True, exist_ok=True)
        draft = _draft_of(target)
        with _own(draft, target, patience) as file:
            try:
                yield draft
                os.fsync(file.fileno())
                _take_place(file, draft, target)
            except BaseException:
                with suppress(OSError):
                    draft.unlink()
                raise
        _sync_folder(target.parent)
    except (OSError, ValueError) as error:  # a name with a zero byte is a ValueError
        raise cannot_write(path, error, cure) from error


def _draft_of(target: Path) -> Path:
    """Returns the name of the new file; that of a file with a long name has only its beginning. No file name is longer."""
    ending = os.fsencode(f".part{target.suffix}")
    stem = os.fsencode(target.stem)[:max(1, LONGEST_NAME - len(ending) - 1)]
    return target.with_name(os.fsdecode(b"." + stem + ending))


@contextmanager
def _own(draft: Path, target: Path, patience: float) -> Iterator[FileIO]:
    """Opens a draft that is empty and that no other process writes. One that a killed process has left is used again."""
    end = time.monotonic() + patience
    while True:
        with FileIO(draft, "a") as file:
            if not lock_by(file, end):
                raise DataError(f"{target}: another process is changing it; wait for it, or end it")
            if not is_at(os.fstat(file.fileno()), draft):  # another process has just put it in the place of the file
                continue
            file.truncate(0)
            yield file
            return


def is_at(about: os.stat_result, path: Path) -> bool:
    """Returns True if a path names a file, by what `os.fstat` says about the file when it is open.

    Raises:
        OSError: it cannot be found out.
    """
    try:
        return os.path.samestat(about, path.stat())
    except FileNotFoundError:
        return False


def _take_place(file: FileIO, draft: Path, target: Path) -> None:
    with suppress(FileNotFoundError):
        draft.chmod(stat.S_IMODE(target.stat().st_mode))
    if sys.platform == "win32":
        file.close()  # an open file cannot be renamed there
    draft.replace(target)


def _sync_folder(folder: Path) -> None:
    """Makes the names in a folder outlast a power cut, where folders can be synced."""
    with suppress(OSError):
        number = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(number)
        finally:
            os.close(number)


def replace_file(path: Path, content: bytes, cure: str = CURE, *, makes_folder: bool = False) -> None:
    """Replaces a file as a whole, or makes it; the arguments are those of `replacing`.

    Raises:
        DataError: it cannot be written; the old file is unchanged.
    """
    with replacing(path, cure, makes_folder=makes_folder) as draft:
        draft.write_bytes(content)


# --- appended to -------------------------------------------------------------------
class AppendedFile:
    """A file of lines that only grows. Each line is on disk before `add` returns, or the file is as it was.

    What others appended stays, also a last line that a kill has cut off: the next one begins on a line of its own. If the file
    is deleted or replaced meanwhile, as editors do when they save, the next line goes to the file that has its name then.

    Args:
        path: the file; made if it is missing.
        cure: what to do if it cannot be written.

    Raises:
        DataError: in all methods: it cannot be written.
    """

    def __init__(self, path: Path, cure: str = CURE):
        self._path, self._cure = path, cure
        try:
            self._file = self._opened()
        except (OSError, ValueError) as error:
            raise cannot_write(path, error, cure) from error

    def _opened(self) -> FileIO:
        is_new = not self._path.exists()
        if not (is_new or self._path.is_file()):  # it takes lines but keeps none
            raise DataError(f"cannot write {self._path}: it is a pipe, a folder or a device, not a file; move it away")
        file = FileIO(self._path, "a+")
        if is_new:
            _sync_folder(self._path.parent)
        return file

    def _lock(self) -> None:
        """Locks the file that has the name now."""
        end = time.monotonic() + PATIENCE
        while True:
            if not lock_by(self._file, end):
                raise OSError("another process is writing to it")
            if is_at(os.fstat(self._file.fileno()), self._path):
                return
            file = self._opened()
            self._file.close()
            self._file = file

    def add(self, *lines: str) -> None:
        """Appends lines, without their ends, all or none."""
        try:
            self._lock()
            self._append("".join(f"{line}\n" for line in lines).encode())
        except (OSError, ValueError) as error:
            raise cannot_write(self._path, error, self._cure) from error
        finally:
            _unlock(self._file)

    def _append(self, data: bytes) -> None:
        size = self._file.seek(0, os.SEEK_END)
        if size:
            self._file.seek(size - 1)
            data = data if self._file.read(1) == b"\n" else b"\n" + data
        try:
            done = 0
            while done < len(data):  # a disk that becomes full takes a part
                done += self._file.write(data[done:])
            os.fsync(self._file.fileno())
        except OSError:
            self._file.truncate(size)
            raise

    def __enter__(self) -> AppendedFile:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._file.close()


def _unlock(file: FileIO) -> None:
    if sys.platform != "win32":
        import fcntl

        with suppress(OSError):
            fcntl.flock(file.fileno(), fcntl.LOCK_UN)


def append_lines(path: Path, *lines: str, cure: str = CURE) -> None:
    """Appends lines to a file, all or none; see `AppendedFile`.

    Raises:
        DataError: it cannot be written.
    """
    with AppendedFile(path, cure) as file:
        file.add(*lines)
