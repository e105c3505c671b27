"""The index of the library: a SQLite file in the user's cache, with full-text search (FTS5).

It holds nothing that is not in the recordings. One that is damaged, or of another version, is thrown away and filled again.
Several consoles may use it at the same time; each thread opens an `Index` of its own.
"""

from __future__ import annotations

import json
import os
import sqlite3
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import astuple, fields, replace
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from core.common.errors import DataError
from core.common.visible import path_of, path_text
from core.library.entry import FIELDS, Entry, FileState, State
from core.library.listing import Listing
from core.library.query import Query, TextTerm, parse
from core.library.summary import Summary, Words

VERSION: Final = 1
"""A change of `Entry`, of `Words` or of how they are read needs another version."""
BUSY_SECONDS: Final = 5.0
"""How long a write waits for another console's."""
TEXT_PARTS: Final = tuple(field.name for field in fields(Words))
NOTES: Final = "notes"
"""The part of the words that annotators said."""
Order = tuple[tuple[Path, ...], str, str, bool]
"""Folders, sort, group and blind, as for `Index.find`."""
LISTS: Final = frozenset({"labels", "ratings", "annotators"})
"""Fields that are stored as JSON."""
COLUMNS: Final = tuple(field.name for field in fields(Entry) if field.name != "file")
FILE_COLUMNS: Final = tuple(f"file_{field.name}" for field in fields(FileState))
ALL: Final = (*COLUMNS, *FILE_COLUMNS)
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


class Index:
    """An open index. Used by one thread at a time; close it, or use it in a `with`.

    Attributes:
        notice: why the index is kept elsewhere or had to be thrown away, in one line; empty if neither.

    Args:
        path: the file; made if it is missing. If that is not possible, the index is kept in a temporary file.
    """

    def __init__(self, path: Path):
        self.path, self.notice = path, ""
        self._rows: list[tuple[int, Entry]] = []
        """The rows and entries as they were read last. An entry that was read again has another row; states change in place."""
        self._listings: dict[Order, Listing] = {}
        """The same in the orders that were asked for."""
        self._stamp: tuple[int, int] | None = None
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._db = self._opened()
        except (OSError, sqlite3.OperationalError) as error:
            self.path = Path(tempfile.mkdtemp(prefix="belvedere-")) / path.name
            self.notice = f"the index cannot be kept in {path.parent} ({error}): it is made again at each start"
            self._db = self._opened()

    # --- the file ----------------------------------------------------------
    def _opened(self) -> sqlite3.Connection:
        try:
            return self._connected()
        except sqlite3.OperationalError:
            raise
        except sqlite3.DatabaseError:
            self.notice = "the index was damaged and is made again from the recordings"
            self._delete()
            return self._connected()

    def _connected(self) -> sqlite3.Connection:
        db = sqlite3.connect(self.path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
        try:
            db.execute("PRAGMA journal_mode = WAL")
            db.execute("PRAGMA synchronous = NORMAL")
            version = db.execute("PRAGMA user_version").fetchone()[0]
            if version != VERSION:
                self._make(db, version)
            for table in ("entries", "thumbnails", "words"):
                db.execute(f"SELECT * FROM {table} LIMIT 1").fetchone()
        except BaseException:
            db.close()
            raise
        return db

    def _make(self, db: sqlite3.Connection, version: int) -> None:
        """Makes the tables, in place of those of another version."""
        db.execute("BEGIN IMMEDIATE")
        try:
            if db.execute("PRAGMA user_version").fetchone()[0] != VERSION:  # another console may have made them meanwhile
                for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name IN"
                                          " ('entries', 'thumbnails', 'words')").fetchall():
                    db.execute(f"DROP TABLE {name}")
                for statement in filter(str.strip, SCHEMA.split(";")):
                    db.execute(statement)
            db.execute("COMMIT")
        except BaseException:
            db.execute("ROLLBACK")
            raise
        if version:
            self.notice = "the index was of another version and is made again from the recordings"

    def _delete(self) -> None:
        for end in ("", "-wal", "-shm"):
            with suppress(FileNotFoundError):
                os.unlink(f"{self.path}{end}")  # noqa: PTH108 - the name has an ending

    @contextmanager
    def _guarded(self) -> Iterator[sqlite3.Connection]:
        """Turns errors of the database into one line.

        Raises:
            DataError: another console holds the index for too long, the disk is full, or the index is damaged. A damaged one is
                thrown away first, so that the next call finds an empty one.
        """
        try:
            yield self._db
        except sqlite3.OperationalError as error:
            why = "another console is writing to it: wait, and try again" if "locked" in str(error) else str(error)
            raise DataError(f"the index of the library cannot be used: {why}") from error
        except sqlite3.DatabaseError as error:
            self._db.close()
            self._rows, self._stamp = [], None
            self._delete()
            self._db = self._connected()
            raise DataError("the index was damaged and is made again from the recordings") from error

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with self._guarded() as db:
            db.execute("BEGIN IMMEDIATE")
            try:
                yield db
                db.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):
                    db.execute("ROLLBACK")
                raise

    def close(self) -> None:
        """Closes the file. May be called twice."""
        self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    # --- writing -----------------------------------------------------------
    def put(self, summaries: Iterable[Summary]) -> None:
        """Adds entries, or replaces those of the same files.

        Raises:
            DataError: the index cannot be written.
        """
        with self._writing() as db:
            for summary in summaries:
                _remove(db, summary.entry.path)
                row = db.execute(INSERT, _row(summary.entry)).lastrowid
                db.execute("INSERT INTO thumbnails VALUES (?, ?)", (row, summary.thumbnail))
                db.execute(PUT_WORDS, (row, *map(_clean, astuple(summary.words))))

    def remove(self, paths: Iterable[Path]) -> None:
        """Removes entries. The files are not touched.

        Raises:
            DataError: the index cannot be written.
        """
        with self._writing() as db:
            for path in paths:
                _remove(db, path)

    def mark(self, states: Iterable[tuple[Path, State]]) -> None:
        """Sets the states of entries.

        Raises:
            DataError: the index cannot be written.
        """
        with self._writing() as db:
            for path, state in states:
                db.execute("UPDATE entries SET state = ? WHERE path = ?", (state, path_text(path)))

    def clear(self) -> None:
        """Removes all entries.

        Raises:
            DataError: the index cannot be written.
        """
        with self._writing() as db:
            for table in ("entries", "thumbnails", "words"):
                db.execute(f"DELETE FROM {table}")

    # --- reading -----------------------------------------------------------
    def entries(self, folders: Sequence[Path] = ()) -> list[Entry]:
        """Returns all entries, or those of files in some folders, in no particular order.

        Raises:
            DataError: the index cannot be read.
        """
        return [entry for _, entry in self._all() if not folders or is_in(entry.path, folders)]

    def find(self, query: str | Query = "", folders: Sequence[Path] = (), sort: str = "-date", group: str = "", *,
             blind: bool = False) -> list[Entry]:
        """Returns the entries that a query holds of, in order.

        Args:
            query: a query, or the text of one.
            folders: files in these folders only; none: all.
            sort: the name of a field; with `-` before it the largest come first.
            group: the name of a field: entries are sorted by it first.
            blind: nothing that annotators said is returned, sorted by or found.

        Raises:
            UsageError: the text is no query.
            DataError: the index cannot be read.
        """
        query = parse(query) if isinstance(query, str) else query
        hits = [(self._rows_with(term, blind=blind), term.negated) for term in query.texts]
        return self.listing(folders, sort, group, blind=blind).select(query.conditions, hits)

    def listing(self, folders: Sequence[Path] = (), sort: str = "-date", group: str = "", *, blind: bool = False) -> Listing:
        """Returns all entries in order; the arguments are those of `find`. Until something changes, this is done once.

        Raises:
            DataError: the index cannot be read.
        """
        rows, order = self._all(), (tuple(folders), sort, group, blind)
        found = self._listings.get(order)
        if found is None:
            some = [one for one in rows if not folders or is_in(one[1].path, folders)]
            if blind:
                some = [(row, replace(entry, labels=(), ratings=(), annotators=())) for row, entry in some]
            some.sort(key=lambda one: os.fspath(one[1].path))
            for name in filter(None, (sort, group)):
                key = FIELDS[name.removeprefix("-")].key
                some.sort(key=lambda one, key=key: key(one[1]), reverse=name.startswith("-"))  # type: ignore[misc]
            found = self._listings[order] = Listing(some)
        return found

    def thumbnail(self, path: Path) -> bytes:
        """Returns the small picture of a recording as JPEG; empty if there is none.

        Raises:
            DataError: the index cannot be read.
        """
        with self._guarded() as db:
            found = db.execute("SELECT jpeg FROM thumbnails JOIN entries USING (id) WHERE path = ?", (path_text(path),))
            row = found.fetchone()
        return b"" if row is None else bytes(row[0])

    def _all(self) -> list[tuple[int, Entry]]:
        """Returns all rows and entries. Only what changed since the last call is read."""
        with self._guarded() as db:
            stamp = db.execute("PRAGMA data_version").fetchone()[0], db.total_changes  # changes by others, and our own
            if stamp == self._stamp:
                return self._rows
            with db:  # one transaction: another console may replace entries between the two queries
                db.execute("BEGIN")
                states: dict[int, State] = dict(db.execute("SELECT id, state FROM entries"))
                known = dict(self._rows)
                new = states.keys() - known.keys()
                if new:
                    known.update((row, _entry(values)) for row, *values in db.execute(f"{SELECT} WHERE id >= ?", (min(new),)))
        self._rows = [(row, known[row] if known[row].state == state else replace(known[row], state=state))
                      for row, state in states.items()]
        self._stamp = stamp
        self._listings.clear()
        return self._rows

    def _rows_with(self, term: TextTerm, *, blind: bool) -> list[int]:
        parts = [part for part in TEXT_PARTS if part == (term.part or part) and not (blind and part == NOTES)]
        if not parts:
            return []
        match = f"{{{' '.join(parts)}}}: (" + " AND ".join(f'"{word}"*' for word in term.words) + ")"
        with self._guarded() as db:
            return [row for (row,) in db.execute("SELECT rowid FROM words WHERE words MATCH ?", (match,))]


def is_in(path: Path, folders: Iterable[Path]) -> bool:
    """Returns True if a file is in one of some folders, however deep."""
    text = os.fspath(path)
    return any(text.startswith(os.path.join(folder, "")) for folder in folders)  # noqa: PTH118 - with the separator at the end


def _remove(db: sqlite3.Connection, path: Path) -> None:
    found = db.execute("SELECT id FROM entries WHERE path = ?", (path_text(path),)).fetchone()
    if found is not None:
        db.execute("DELETE FROM entries WHERE id = ?", found)
        db.execute("DELETE FROM thumbnails WHERE id = ?", found)
        db.execute("DELETE FROM words WHERE rowid = ?", found)


def _row(entry: Entry) -> tuple[object, ...]:
    values = ((name, getattr(entry, name)) for name in COLUMNS)
    return (*(path_text(value) if name == "path" else json.dumps(value) if name in LISTS else _clean(value)
              for name, value in values), *astuple(entry.file))


def _clean(value: object) -> object:
    """Returns a value that SQLite takes: a text must be valid Unicode."""
    return value.encode("utf-8", "backslashreplace").decode() if isinstance(value, str) else value


def _entry(values: Sequence[Any]) -> Entry:
    known = dict(zip(COLUMNS, values, strict=False))
    for name in LISTS:
        known[name] = () if known[name] == "[]" else tuple(json.loads(known[name]))
    known["path"], known["named"] = path_of(known["path"]), bool(known["named"])
    return Entry(file=FileState(*values[len(COLUMNS):]), **known)
