"""One file of changes of labels, to which several processes may append, and where such files of a recording are.

Each line is a change as JSON: `{"run": …, "before": …, "after": …, "version": …}`. `run` is the identity of the recording.
Lines of earlier versions have neither `run` nor `version`: they belong to the recording that the file is named after.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Annotated

import msgspec

from core.common.errors import DataError
from core.common.files import append_lines
from core.common.json_fields import MOST_SIDECAR_BYTES
from core.recording.files import LABELS, labels_of_user, sidecar
from core.recording.label_log import LabelLog
from core.session.annotation import Annotation, Change

MOST_LINE = 2**20
LOOKED_AT = 2**14
"""How many bytes at the beginning and at the end of a file are searched for the run that it is about."""
NAMED = re.compile(rb'^\{"run": "([0-9a-f]{24})"', re.MULTILINE)
"""Matches the beginning of a line that names its run."""
FRESH = 2.0
"""Seconds after a change of a folder in which its time may stay the same although it changes again."""


@dataclass(frozen=True, slots=True)
class _Line:
    before: Annotation | None
    after: Annotation | None
    version: Annotated[int, msgspec.Meta(ge=0, le=2**53)] = 0
    run: str = ""


class LabelFile:
    """One file of changes, read as it grows. Used by one thread.

    Args:
        path: the file, which need not exist.
        run: the run whose changes are read; lines without a run are about it, too.
        live: the changes made during the run.

    Attributes:
        held: the changes of this run that were found in the file.
        skipped: how many lines cannot be read.
    """

    def __init__(self, path: Path, run: str, live: Iterable[Change] = ()):
        self.path, self._run, self._live = path, run, tuple(live)
        self._forget()

    def _forget(self) -> None:
        self.held: dict[Change, None] = {}
        self.skipped, self._read_to, self._file = 0, 0, (0, 0)
        self._log = LabelLog(self._live)
        """What the lines up to here make: lines of earlier versions can be understood only in their order."""

    def read(self) -> tuple[Change, ...]:
        """Returns the changes of lines that were appended since the last call; none if there is no file.

        A line whose end is missing is read again the next time.

        Raises:
            DataError: the file cannot be read.
        """
        try:
            return self._read()
        except FileNotFoundError:
            self._forget()
            return ()
        except OSError as error:
            raise DataError(f"cannot read {self.path}: {error.strerror or error}") from error

    def _read(self) -> tuple[Change, ...]:
        about = self.path.stat()
        if not self.path.is_file():
            raise DataError(f"{self.path} is no file: move it away")
        if about.st_size > MOST_SIDECAR_BYTES:
            raise DataError(f"{self.path.name} holds more than {MOST_SIDECAR_BYTES / 2**20:g} MB of labels: move it away")
        if (about.st_dev, about.st_ino) != self._file or about.st_size < self._read_to:
            self._forget()  # another file has this name now
            self._file = about.st_dev, about.st_ino
        if about.st_size == self._read_to:
            return ()
        found: list[Change] = []
        with self.path.open("rb") as file:
            file.seek(self._read_to)
            while line := file.readline(MOST_LINE):
                is_whole = line.endswith(b"\n")
                if not self._take(line, found, is_last=not is_whole and not file.peek(1)):
                    break
                self._read_to += len(line)
        return tuple(found)

    def _take(self, line: bytes, found: list[Change], *, is_last: bool) -> bool:
        """Takes one line. Returns False if its end may still be written."""
        try:
            changes = self._changes(line) if line.strip() else ()
        except DataError:
            self.skipped += not is_last
            return not is_last
        for change in changes:
            placed = self._log.take_line(change)
            if placed not in self.held:
                self.held[placed] = None
                found.append(placed)
        return True

    def _changes(self, line: bytes) -> tuple[Change, ...]:
        """Returns the changes that a line says; none if it is about another run.

        Raises:
            DataError: it says none.
        """
        try:
            one = msgspec.convert(json.loads(line), _Line)
        except (msgspec.ValidationError, OverflowError, RecursionError, ValueError) as error:
            raise DataError(f"a damaged line: {error}") from error
        return parts_of(Change(one.before, one.after, one.version)) if one.run in ("", self._run) else ()

    @property
    def cut_off(self) -> bool:
        """Whether there is something after the last line that could be read."""
        try:
            return self.path.stat().st_size > self._read_to
        except OSError:
            return False

    def append(self, changes: Iterable[Change]) -> None:
        """Appends those of the changes that were not found in the file, each as a line. Reading finds them there.

        Raises:
            DataError: they cannot be written.
        """
        missing = [change for change in changes if change not in self.held]
        if missing:
            append(self.path, missing, self._run)


def append(path: Path, changes: Iterable[Change], run: str = "") -> None:
    """Appends changes of labels to a file, each as a line. They are on disk when this returns.

    Args:
        path: the file.
        changes: the changes.
        run: identity of the recording's run; empty: the lines do not name it.

    Raises:
        DataError: they cannot be written.
    """
    about = {"run": run} if run else {}
    append_lines(path, *(json.dumps(about | msgspec.to_builtins(change)) for change in changes))


def parts_of(change: Change) -> tuple[Change, ...]:
    """Returns a change as changes of one annotation each: earlier versions could give an annotation another id."""
    before, after = change.before, change.after
    if before is not None and after is not None and before.id != after.id:
        return Change(before, None, change.version), Change(None, after, change.version)
    return (change,) if change.key else ()


# --- where they are --------------------------------------------------------------
def files_of(recording: Path, run: str) -> tuple[Path, ...]:
    """Returns the files that may hold labels of a recording: beside it, elsewhere in its folder, in the user's data folder.

    Args:
        recording: the recording.
        run: its identity; empty: only the file beside it belongs to it.
    """
    named = _by_run(recording.parent).get(run, ()) if run else ()
    return tuple(dict.fromkeys((sidecar(recording), *named, *((labels_of_user(run),) if run else ()))))


def _by_run(folder: Path) -> Mapping[str, tuple[Path, ...]]:
    """Returns the files of labels in a folder that name their run, by run: a recording may have been renamed without them."""
    try:
        changed = folder.stat().st_mtime_ns
    except OSError:
        return MappingProxyType({})
    return _listed(folder, changed) if time.time_ns() - changed > FRESH * 1e9 else _listed.__wrapped__(folder, changed)


@lru_cache(16)
def _listed(folder: Path, changed: int) -> Mapping[str, tuple[Path, ...]]:
    """Returns the files of a folder as it was after its last change. Lines that are appended name the same run."""
    del changed
    found: dict[str, tuple[Path, ...]] = {}
    for path in sorted(_label_files(folder)):
        for run in _runs_in(path):
            found[run] = (*found.get(run, ()), path)
    return MappingProxyType(found)


def _label_files(folder: Path) -> Iterator[Path]:
    try:
        with os.scandir(folder) as listed:
            yield from (Path(one.path) for one in listed if one.name.endswith(LABELS) and one.is_file())
    except OSError:
        return  # a folder that cannot be listed has no files of other names for us; the one beside the recording is tried


def _runs_in(path: Path) -> set[str]:
    """Returns the runs that the first and the last lines of a file name."""
    try:
        with path.open("rb") as file:
            head = file.read(LOOKED_AT)
            file.seek(max(len(head), file.seek(0, os.SEEK_END) - LOOKED_AT))
            return {name.decode() for name in NAMED.findall(head + b"\n" + file.read())}
    except OSError:
        return set()
