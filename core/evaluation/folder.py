"""The folder of a sweep: its finished episodes, its settings, and a lock so that only one process plays it."""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from core.common.errors import DataError
from core.evaluation.suite import Row

NOTE, ROWS, LOCK = "sweep.json", "runs.jsonl", "lock.sqlite"
ELSE = "choose another --out"


@dataclass(frozen=True, slots=True)
class Stamp:
    """What must be the same for all episodes of a folder.

    Attributes:
        model: the source of the replies, as its provider names it.
        settings: the provider's settings that differ from its defaults and may change a reply.
    """

    suite: str
    max_steps: int
    provider: str
    model: str
    settings: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Dates:
    """When a folder's first and last episodes were played: dates in UTC as `2026-11-22`; both empty if unknown."""

    begun: str = ""
    last: str = ""

    def __str__(self) -> str:
        return self.begun if self.begun == self.last else f"{self.begun} to {self.last}"


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Makes the folder and locks it as long as the block runs. The lock of a killed process is released.

    Raises:
        DataError: another process plays in it, or it cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(folder / LOCK, timeout=0, isolation_level=None)
    except (OSError, sqlite3.Error) as error:
        raise unusable(folder, error) from error
    with contextlib.closing(connection):
        try:
            connection.execute("BEGIN EXCLUSIVE")
        except sqlite3.Error as error:
            if error.sqlite_errorcode == sqlite3.SQLITE_BUSY:
                raise DataError(f"another sweep is under way in {folder}: wait for its end, or {ELSE}") from error
            raise unusable(folder, error) from error
        yield


def unusable(folder: Path, error: Exception) -> DataError:
    """Returns the error for a folder that cannot be read or written."""
    return DataError(f"cannot use {folder} for the results: {error}; {ELSE}")


def opened(folder: Path, stamp: Stamp) -> tuple[list[Row], Dates]:
    """Returns the episodes of earlier runs, and their dates. A half-written last line, left by a kill, is removed.

    Raises:
        DataError: the folder cannot be read or written, or holds another sweep.
    """
    path, note = folder / ROWS, folder / NOTE
    today = datetime.now(UTC).date().isoformat()
    try:
        begun = today
        if note.exists():
            before = json.loads(note.read_text(encoding="utf-8"))
            begun = _checked(folder, before, stamp)
        part = note.with_name(f"{NOTE}.part")
        part.write_text(json.dumps({**asdict(stamp), "begun": begun, "last": today}), encoding="utf-8")
        part.replace(note)
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True) if path.exists() else []
        complete = [line for line in lines if line.endswith("\n")]
        if len(complete) < len(lines):
            path.write_text("".join(complete), encoding="utf-8")
        return [Row(**json.loads(line)) for line in complete], Dates(begun, today)
    except (OSError, ValueError, TypeError, RecursionError) as error:
        raise unusable(folder, error) from error


def _checked(folder: Path, before: Any, stamp: Stamp) -> str:
    """Returns the date of the first episode of a folder that holds the same sweep."""
    if not isinstance(before, dict):
        raise DataError(f"{folder / NOTE} does not say what was played: {ELSE}")
    # Folders of earlier versions name no model: only `commonsense` was possible then.
    before = {"model": before.get("provider"), "settings": {}, **before}
    for name, value in asdict(stamp).items():
        if before.get(name) != value:
            raise DataError(f"{folder} holds a sweep with other settings ({name} was {_short(before.get(name))}, now "
                            f"{_short(value)}): {ELSE}")
    begun = before.get("begun", "")
    return begun if isinstance(begun, str) else ""


def _short(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


class RowsFile:
    """The file to which finished episodes are appended. Each is on disk before `add` returns."""

    def __init__(self, folder: Path):
        self._stream = (folder / ROWS).open("a", encoding="utf-8")

    def add(self, rows: Iterable[Row]) -> None:
        """Writes some episodes.

        Raises:
            OSError: they cannot be written.
        """
        for row in rows:
            self._stream.write(json.dumps(asdict(row)) + "\n")
        self._stream.flush()
        os.fsync(self._stream.fileno())

    def __enter__(self) -> RowsFile:
        return self

    def __exit__(self, *error: object) -> None:
        self._stream.close()
