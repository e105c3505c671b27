"""The index of the library: a SQLite file in the user's cache, with full-text search (FTS5).

It holds nothing that is not in the recordings, and repairs itself if the file is damaged: a file of another kind is renamed,
one of another version is filled again, and entries that are damaged are read again. Several consoles may use it at the same
time; each thread opens an `Index` of its own.
"""

from __future__ import annotations

import os
import sqlite3
import tempfile
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Final, Self, TypeVar, get_args

from core.common.errors import DataError
from core.common.files import is_folder
from core.common.sqlite_errors import is_busy, move_aside
from core.library import tables
from core.library.entry import FIELDS, Entry, State
from core.library.listing import Listing
from core.library.query import Query, TextTerm, parse
from core.library.summary import Summary
from core.library.tables import Damaged
from core.views.wording import count

Order = tuple[tuple[Path, ...], str, str, bool]
"""Folders, sort, group and blind, as for `Index.find`."""
NOTES: Final = "notes"
"""The part of the words that annotators said."""
STATES: Final = frozenset(get_args(State))
T = TypeVar("T")


class Index:
    """An open index. Used by one thread at a time; close it, or use it in a `with`.

    Attributes:
        path: the file that is used.
        notice: why the index is kept elsewhere, or what of it is made again, in one line; empty if nothing is wrong.

    Args:
        path: the file; made if it is missing. If that is not possible, the index is kept in a temporary file.

    Raises:
        DataError: a temporary file cannot be made either.
    """

    def __init__(self, path: Path):
        self.path, self.notice = path, ""
        self._rows: list[tuple[int, Entry]] = []
        """The rows and entries as they were read last. An entry that was read again has another row; states change in place."""
        self._listings: dict[Order, Listing] = {}
        """The same in the orders that were asked for."""
        self._stamp: tuple[int, int] | None = None
        self._temporary: tempfile.TemporaryDirectory[str] | None = None
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._db = self._opened()
        except (OSError, ValueError, sqlite3.Error) as error:
            self._db = self._elsewhere(error)

    @property
    def is_temporary(self) -> bool:
        """True if the index is in a temporary file, which is removed when this object is closed."""
        return self._temporary is not None

    # --- the file ----------------------------------------------------------
    def _opened(self) -> sqlite3.Connection:
        """Opens the file. What is no index is moved aside."""
        try:
            db, is_old = tables.connected(self.path)
        except (sqlite3.Error, Damaged) as error:
            if not tables.shows_damage(error):
                raise
            return self._made_again()
        if is_old:
            self.notice = "the index was of another version and is made again from the recordings"
        return db

    def _made_again(self) -> sqlite3.Connection:
        aside = move_aside(self.path)
        self.notice = f"the index was damaged: it is made again from the recordings, and the old one is kept as {aside}"
        return tables.connected(self.path)[0]

    def _elsewhere(self, error: Exception) -> sqlite3.Connection:
        """Opens an index in a temporary file."""
        why = str((error.strerror if isinstance(error, OSError) else None) or error)
        why = "another program holds it" if is_busy(error) else "a folder has this name" if is_folder(self.path) else why
        at = self.path
        self.notice = f"the index cannot be kept in {at} ({why}): it is made again at each start until it can"
        try:
            self._temporary = tempfile.TemporaryDirectory(prefix="belvedere-", ignore_cleanup_errors=True)
            self.path = Path(self._temporary.name) / "library.sqlite"
            return tables.connected(self.path)[0]
        except (OSError, sqlite3.Error) as second:
            self._remove_temporary()
            raise DataError(f"the index of the library can be kept neither in {at} ({why}) nor in a temporary folder "
                            f"({second}): make room") from second

    def _remove_temporary(self) -> None:
        temporary, self._temporary = self._temporary, None
        if temporary is not None:
            temporary.cleanup()

    def _do(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Does something with the database; once more with a new one if this one turns out to be damaged.

        Raises:
            DataError: another console holds the index for too long, or the disk is full.
        """
        try:
            return work(self._db)
        except (sqlite3.Error, Damaged) as error:
            if not tables.shows_damage(error):
                raise self._unusable(error) from error
        self._db.close()
        self._rows, self._stamp = [], None
        try:
            self._db = self._made_again()
            return work(self._db)
        except (OSError, sqlite3.Error, Damaged) as error:
            raise self._unusable(error) from error

    def _unusable(self, error: Exception) -> DataError:
        why = "another console is writing to it: wait, and try again" if is_busy(error) else f"{error}: make room"
        return DataError(f"the index of the library, {self.path}, cannot be used: {why}")

    def _write(self, work: Callable[[sqlite3.Connection], None]) -> None:
        def transaction(db: sqlite3.Connection) -> None:
            db.execute("BEGIN IMMEDIATE")
            try:
                work(db)
                db.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):
                    db.execute("ROLLBACK")
                raise

        self._do(transaction)

    def close(self) -> None:
        """Closes the file, and removes a temporary one. May be called twice."""
        self._db.close()
        self._remove_temporary()

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
        new = tuple(summaries)
        self._write(lambda db: tables.add(db, new))

    def remove(self, paths: Iterable[Path]) -> None:
        """Removes entries. The files are not touched.

        Raises:
            DataError: the index cannot be written.
        """
        old = tuple(paths)
        self._write(lambda db: tables.remove(db, old))

    def mark(self, states: Iterable[tuple[Path, State]]) -> None:
        """Sets the states of entries.

        Raises:
            DataError: the index cannot be written.
        """
        new = tuple(states)
        self._write(lambda db: tables.mark(db, new))

    def clear(self) -> None:
        """Removes all entries.

        Raises:
            DataError: the index cannot be written.
        """
        self._write(tables.clear)

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
        query = "SELECT jpeg FROM thumbnails JOIN entries USING (id) WHERE path = ?"
        row = self._do(lambda db: db.execute(query, (os.fsencode(path),)).fetchone())
        return row[0] if row is not None and isinstance(row[0], bytes) else b""

    def _all(self) -> list[tuple[int, Entry]]:
        """Returns all rows and entries. Only what changed since the last call is read; what is damaged is removed."""
        found = self._do(self._changes)
        if found is None:
            return self._rows
        states, rows, stamp = found
        known = dict(self._rows) | {row: entry for row, entry in rows.items() if entry is not None}
        damaged = [row for row in states if row not in known or states[row] not in STATES]
        self._rows = [(row, known[row] if known[row].state == state else replace(known[row], state=state))
                      for row, state in states.items() if row in known and state in STATES]
        self._stamp = stamp
        self._listings.clear()
        if damaged:
            self._forget(damaged)
        return self._rows

    def _changes(self, db: sqlite3.Connection) -> tuple[dict[int, State], dict[int, Entry | None], tuple[int, int]] | None:
        """Returns the states of all rows, new rows, and a stamp of this content; None if nothing has changed.

        An entry is None if it is damaged.
        """
        stamp = db.execute("PRAGMA data_version").fetchone()[0], db.total_changes  # changes by others, and our own
        if stamp == self._stamp:
            return None
        new: dict[int, Entry | None] = {}
        with db:  # one transaction: another console may replace entries between the two queries
            db.execute("BEGIN")
            states: dict[int, State] = dict(db.execute("SELECT id, state FROM entries"))
            unknown = states.keys() - dict(self._rows).keys()
            if unknown:
                found = db.execute(f"{tables.SELECT} WHERE id >= ?", (min(unknown),))
                new = {row: tables.entry_of(values) for row, *values in found}
        return states, new, stamp

    def _forget(self, rows: Sequence[int]) -> None:
        """Removes damaged rows, so that their recordings are read again."""
        self._write(lambda db: tables.remove_rows(db, rows))
        entries = count(len(rows), "damaged entry of the index is", "damaged entries of the index are")
        self.notice = f"{entries} read again from the recordings"

    def _rows_with(self, term: TextTerm, *, blind: bool) -> list[int]:
        parts = [part for part in tables.TEXT_PARTS if part == (term.part or part) and not (blind and part == NOTES)]
        if not parts:
            return []
        match = f"{{{' '.join(parts)}}}: (" + " AND ".join(f'"{word}"*' for word in term.words) + ")"
        query = "SELECT rowid FROM words WHERE words MATCH ?"
        return self._do(lambda db: [row for (row,) in db.execute(query, (match,))])


def is_in(path: Path, folders: Iterable[Path]) -> bool:
    """Returns True if a file is in one of some folders, however deep."""
    text = os.fspath(path)
    return any(text.startswith(os.path.join(folder, "")) for folder in folders)  # noqa: PTH118 - with the separator at the end
