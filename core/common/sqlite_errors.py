"""What errors of SQLite mean, and what to do with a file that is damaged."""

from __future__ import annotations

import itertools
import sqlite3
from contextlib import suppress
from pathlib import Path
from typing import Final

DAMAGE: Final = frozenset({
    sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT, sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CONSTRAINT,
    sqlite3.SQLITE_MISMATCH})
"""Codes of a file that is damaged or belongs to another program: statements that are right fail with SQLITE_ERROR there."""


def code_of(error: Exception) -> int | None:
    """Returns SQLite's code of an error: the low byte of the extended code; None if it is none of SQLite's."""
    return vars(error).get("sqlite_errorcode", 0) & 0xFF if isinstance(error, sqlite3.Error) else None


def is_damage(error: Exception) -> bool:
    """Returns True if the file is damaged or belongs to another program."""
    return code_of(error) in DAMAGE


def is_busy(error: Exception) -> bool:
    """Returns True if another process or thread holds the file."""
    return code_of(error) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def move_aside(path: Path) -> Path:
    """Gives a damaged file, with what belongs to it, an unused name that ends in `.damaged`. Returns that name.

    Raises:
        OSError: it cannot be renamed.
    """
    names = (path.with_name(f"{path.stem}{number}.damaged") for number in itertools.chain([""], itertools.count(2)))
    aside = next(name for name in names if not name.exists())
    path.replace(aside)
    for suffix in ("-wal", "-shm"):  # they may contain the latest entries
        with suppress(FileNotFoundError):
            path.with_name(path.name + suffix).replace(aside.with_name(aside.name + suffix))
    return aside
