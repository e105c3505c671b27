"""The tables of the library's index: how they are made and checked, and how entries are stored in them and read."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import astuple, fields
from functools import cache
from pathlib import Path
from typing import Any, Final

import msgspec

from core.common.errors import DataError
from core.common.files import is_read_only
from core.common.sqlite_errors import is_damage
from core.library.checking import checked
from core.library.entry import Entry, FileState, State
from core.library.summary import Summary, Words

VERSION: Final = 3
"""A change of `Entry`, of `Words` or of how they are read needs another version."""
BUSY_SECONDS: Final = 5.0
"""How long a write waits for another console's."""
TEXT_PARTS: Final = tuple(field.name for field in fields(Words))
LISTS: Final = frozenset({"labels", "ratings", "annotators"})
"""Fields that are stored as JSON."""
COLUMNS: Final = tuple(field.name for field in fields(Entry) if field.name != "file")
FILE_FIELDS: Final = tuple(field.name for field in fields(FileState))
ALL: Final = (*COLUMNS, *(f"file_{name}" for name in FILE_FIELDS))
TABLES: Final = ("entries", "thumbnails", "words")
SCHEMA: Final = f"""
    CREATE TABLE entries (id INTEGER PRIMARY KEY AUTOINCREMENT, {", ".join(ALL)});
    CREATE UNIQUE INDEX by_path ON entries (path);
    CREATE TABLE thumbnails (id INTEGER PRIMARY KEY, jpeg BLOB);
    CREATE VIRTUAL TABLE words USING fts5({", ".join(TEXT_PARTS)}, detail = column, tokenize = 'unicode61 remove_diacritics 2');
    PRAGMA user_version = {VERSION};
"""
PUT_WORDS: Final = f"INSERT INTO words (rowid, {', '.join(TEXT_PARTS)}) VALUES (?{', ?' * len(TEXT_PARTS)})"
INSERT: Final = f"INSERT INTO entries ({', '.join(ALL)}) VALUES ({', '.join('?' * len(ALL))})"
SELECT: Final = f"SELECT id, {', '.join(ALL)} FROM entries"
LAST_ROW: Final = 2**62
"""A larger number of a row is damaged: SQLite has none left for further rows."""


class Damaged(Exception):  # noqa: N818 - it never leaves the index
    """The file is no index of this version, or a value in it is none that was put there."""


def shows_damage(error: Exception) -> bool:
    """Returns True if an error says that the file is damaged, or no index."""
    return isinstance(error, Damaged) or is_damage(error)


def connected(path: Path) -> tuple[sqlite3.Connection, bool]:
    """Opens an index, makes its tables if they are missing, and returns whether they were those of another version.

    Raises:
        Damaged: the file is no index.
        PermissionError: it is read-only.
        sqlite3.Error: it cannot be opened, or is damaged.
    """
    is_old = False
    if is_read_only(path):
        raise PermissionError("it is read-only")
    db = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    db.text_factory = lambda data: data.decode(errors="replace")
    try:
        db.execute("PRAGMA trusted_schema = OFF")  # a file from elsewhere must not execute code
        is_ready = _is_ready(db)  # what is no index stays as it is
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = NORMAL")
        if not is_ready:
            db.execute("BEGIN IMMEDIATE")
            try:
                is_old = _make(db)
                db.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):
                    db.execute("ROLLBACK")
                raise
        last = db.execute("SELECT max(seq) FROM sqlite_sequence UNION ALL SELECT max(id) FROM entries").fetchall()
        if any(row is not None and not (isinstance(row, int) and row < LAST_ROW) for (row,) in last):
            raise Damaged("the numbers of its rows are used up")
        for table in TABLES:
            db.execute(f"SELECT * FROM {table} LIMIT 1").fetchone()
    except BaseException:
        db.close()
        raise
    return db, is_old


def _is_ready(db: sqlite3.Connection) -> bool:
    """Returns True if the tables are those of this version, False if they are missing or those of another version.

    Raises:
        Damaged: there are others.
    """
    version, there = db.execute("PRAGMA user_version").fetchone()[0], _tables(db)
    if version == VERSION and there == _own_tables():
        return True
    if there and (version in (0, VERSION) or there.keys() != _own_tables().keys()):
        raise Damaged("it is no index of the library")
    return False


def _make(db: sqlite3.Connection) -> bool:
    """Makes the tables. Returns whether they take the place of those of another version.

    Another console may have made them meanwhile.
    """
    if _is_ready(db):
        return False
    there = _tables(db)
    for name in TABLES if there else ():
        db.execute(f"DROP TABLE {name}")
    for statement in filter(str.strip, SCHEMA.split(";")):
        db.execute(statement)
    return bool(there)


def _tables(db: sqlite3.Connection) -> Mapping[str, str]:
    """Returns how each table and index was made, by name; without those that SQLite makes itself."""
    named = "NOT GLOB 'sqlite_*' AND name NOT GLOB 'words_*'"
    return dict(db.execute(f"SELECT name, sql FROM sqlite_master WHERE name {named}"))


@cache
def _own_tables() -> Mapping[str, str]:
    db = sqlite3.connect(":memory:")
    try:
        db.executescript(SCHEMA)
        return _tables(db)
    finally:
        db.close()


def add(db: sqlite3.Connection, summaries: Iterable[Summary]) -> None:
    """Adds entries, in place of those of the same files."""
    for summary in summaries:
        remove(db, [summary.entry.path])
        row = db.execute(INSERT, _row(summary.entry)).lastrowid
        db.execute("INSERT INTO thumbnails VALUES (?, ?)", (row, summary.thumbnail))
        db.execute(PUT_WORDS, (row, *map(_plain, astuple(summary.words))))


def remove(db: sqlite3.Connection, paths: Iterable[Path]) -> None:
    """Removes the entries of files."""
    for path in paths:
        found = db.execute("SELECT id FROM entries WHERE path = ?", (os.fsencode(path),)).fetchall()
        remove_rows(db, [row for (row,) in found])


def remove_rows(db: sqlite3.Connection, rows: Iterable[int]) -> None:
    """Removes entries by their rows."""
    for row in rows:
        db.execute("DELETE FROM entries WHERE id = ?", (row,))
        db.execute("DELETE FROM thumbnails WHERE id = ?", (row,))
        db.execute("DELETE FROM words WHERE rowid = ?", (row,))


def mark(db: sqlite3.Connection, states: Iterable[tuple[Path, State]]) -> None:
    """Sets the states of the entries of files."""
    db.executemany("UPDATE entries SET state = ? WHERE path = ?", [(state, os.fsencode(path)) for path, state in states])


def clear(db: sqlite3.Connection) -> None:
    """Removes all entries."""
    for table in TABLES:
        db.execute(f"DELETE FROM {table}")


def _row(entry: Entry) -> tuple[object, ...]:
    """Returns the values of an entry as they are stored. Names of files are bytes, because they need not be texts."""
    values = {name: getattr(entry, name) for name in COLUMNS}
    values |= {name: msgspec.json.encode([_plain(value) for value in values[name]]).decode() for name in LISTS}
    return (*(os.fsencode(value) if name == "path" else _plain(value) for name, value in values.items()), *astuple(entry.file))


def _plain(value: Any) -> Any:
    """Returns a text that can be stored: a text from outside may hold halves of characters."""
    return value.encode(errors="replace").decode() if isinstance(value, str) else value


def entry_of(stored: Sequence[Any]) -> Entry | None:
    """Returns the entry of stored values, each of which is checked; None if one is damaged."""
    values = dict(zip(COLUMNS, stored, strict=False))
    try:
        values |= {name: msgspec.json.decode(values[name]) for name in LISTS}
        values["path"] = Path(os.fsdecode(values["path"]))
        values["named"] = {0: False, 1: True}.get(values["named"])
        return checked(values | {"file": dict(zip(FILE_FIELDS, stored[len(COLUMNS):], strict=True))})
    except (DataError, TypeError, ValueError, RecursionError, msgspec.DecodeError):
        return None
