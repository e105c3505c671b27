"""A persistent cache of replies by request key, and a provider that uses it."""

from __future__ import annotations

import contextlib
import json
import sqlite3
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import ClassVar, NamedTuple, TypeVar

from core.common.cancellation import Cancellation
from core.common.errors import DataError
from core.common.files import locked
from core.common.sqlite_errors import is_damage, move_aside
from core.llm.constrained import fits, kind_of
from core.llm.model import LanguageModel, Wrapper
from core.llm.reply_checks import reply_of, reply_text, uselessness
from core.llm.server_errors import shortened
from core.planning.model_requests import ModelReply, ModelRequest

FILE = "replies-1.sqlite"  # the number is the version of the schema
MAX_BYTES = 256 * 2**20
MOST_BODY = 32 * 2**20  # the maximum number of characters of one reply
BUSY_PATIENCE = 5.0  # seconds to wait for another writing process
FRESH = 60.0  # seconds within which further uses of a reply are not recorded
SCHEMA = """
CREATE TABLE IF NOT EXISTS replies (
    key TEXT PRIMARY KEY, size INTEGER NOT NULL, used REAL NOT NULL, source TEXT NOT NULL, purpose TEXT NOT NULL,
    body TEXT NOT NULL) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS by_use ON replies (used, size);
"""
T = TypeVar("T")


class Kept(NamedTuple):
    """A reply from the cache.

    Attributes:
        reply: the reply.
        judged: False if it was kept by a version that took halves of replies for whole ones (before 2026-11-27).
    """

    reply: ModelReply
    judged: bool


class ReplyCache:
    """Replies in an SQLite file, for several threads and processes; without a folder, in memory until it is closed.

    It never raises an error: unreadable entries count as missing, and `notice` reports the problem. A damaged file is renamed
    and kept.

    Args:
        folder: the folder of the file; None keeps replies in memory.
        max_bytes: the maximum size of all replies; the least recently used are removed first.
    """

    def __init__(self, folder: Path | None = None, max_bytes: int = MAX_BYTES):
        self.persistent = folder is not None
        self.notice = ""
        self._notices: dict[str, bool] = {}
        """Notice -> whether it was returned by `news`."""
        self._path = None if folder is None else folder / FILE
        self._max_bytes = max_bytes
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        with self._lock:
            self._attempt(lambda connection: None)

    def get(self, key: str) -> ModelReply | None:
        """Returns the reply to a request, marked as cached; or None."""
        found = self.find(key)
        return None if found is None else found.reply

    def find(self, key: str) -> Kept | None:
        """Returns the reply to a request, marked as cached, and whether it is known how it ended; or None."""
        with self._lock:
            row = self._attempt(lambda connection: _read(connection, key))
            found = None if row is None else _decoded(row)
            if row is not None and found is None:
                self._note("a reply in the cache could not be read; the question is asked again")
        return found

    def put(self, key: str, ask: ModelRequest, reply: ModelReply) -> None:
        """Stores a reply, replacing an earlier one."""
        body = reply_text(reply, judged=True)
        values = (key, len(body), time.time(), reply.source, ask.purpose, body)
        with self._lock:
            self._attempt(lambda connection: _write(connection, values, self._max_bytes))

    def count(self) -> int:
        """Returns the number of replies."""
        with self._lock:
            return self._attempt(lambda connection: int(connection.execute("SELECT count(*) FROM replies").fetchone()[0])) or 0

    def clear(self) -> None:
        """Removes all replies."""
        with self._lock:
            self._attempt(lambda connection: connection.execute("DELETE FROM replies"))

    def news(self) -> tuple[str, ...]:
        """Returns problems with the file since the last call, one line each. Each problem is returned once."""
        with self._lock:
            fresh = tuple(words for words, handed_out in self._notices.items() if not handed_out)
            self._notices.update(dict.fromkeys(fresh, True))
        return fresh

    def close(self) -> None:
        """Closes the file. May be called twice; later use opens it again."""
        with self._lock:
            self._disconnect()

    def _attempt(self, work: Callable[[sqlite3.Connection], T]) -> T | None:
        """Executes an operation and repairs the file if necessary. Returns None if it is not possible."""
        for is_last in (False, True):
            try:
                self._connection = self._connection or self._connect()
                with self._connection:
                    return work(self._connection)
            except (sqlite3.Error, OSError, DataError) as error:
                if is_last or not is_damage(error) or self._path is None:
                    self._note(f"the cache of replies cannot be used ({error}): replies are not kept")
                    break
                self._disconnect()
                self._repair(self._path)
        return None

    def _connect(self) -> sqlite3.Connection:
        """Opens the file. One process after the other does so, because SQLite does not wait for who creates it."""
        if self._path is None:
            return self._opened()
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with locked(self._path.with_suffix(".lock"), "other processes keep opening it", patience=BUSY_PATIENCE):
            return self._opened()

    def _opened(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self._path or ":memory:", timeout=BUSY_PATIENCE, check_same_thread=False)
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("PRAGMA synchronous=NORMAL")
            connection.execute("PRAGMA trusted_schema=OFF")  # a file from elsewhere must not execute code
            connection.executescript(SCHEMA)
            connection.execute("SELECT key, size, used, source, purpose, body FROM replies LIMIT 1").fetchone()
        except sqlite3.Error:
            connection.close()
            raise
        return connection

    def _repair(self, path: Path) -> None:
        """Renames a damaged file, unless another process has done so already."""
        with contextlib.suppress(sqlite3.Error, OSError, DataError):
            self._connection = self._connect()
            if self._connection.execute("PRAGMA quick_check(1)").fetchone() == ("ok",):
                return
        self._disconnect()
        try:
            aside = move_aside(path)
        except OSError as error:
            self._note(f"the cache of replies is damaged and cannot be moved aside: {error}")
            return
        self._note(f"the cache of replies was damaged: it was moved aside to {aside}, and a new one was begun")

    def _note(self, words: str) -> None:
        self.notice = words = shortened(words)
        self._notices.setdefault(words, False)

    def _disconnect(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()


def _read(connection: sqlite3.Connection, key: str) -> str | None:
    row = connection.execute("SELECT body, used FROM replies WHERE key = ? AND length(body) <= ?", (key, MOST_BODY)).fetchone()
    if row is None:
        return None
    now = time.time()
    if now - row[1] > FRESH:
        connection.execute("UPDATE replies SET used = ? WHERE key = ?", (now, key))
    return str(row[0])


def _write(connection: sqlite3.Connection, values: tuple[object, ...], max_bytes: int) -> None:
    connection.execute("INSERT OR REPLACE INTO replies VALUES (?, ?, ?, ?, ?, ?)", values)
    total = connection.execute("SELECT total(size) FROM replies").fetchone()[0]
    if total <= max_bytes:
        return
    surplus = total - 0.9 * max_bytes  # removes 10 % more, so that not every new reply has to remove others
    for key, size in connection.execute("SELECT key, size FROM replies ORDER BY used").fetchall():
        if surplus <= 0:
            break
        connection.execute("DELETE FROM replies WHERE key = ?", (key,))
        surplus -= size


def _decoded(body: str) -> Kept | None:
    try:
        value = json.loads(body)
        reply = reply_of(value)
    except (ValueError, RecursionError, DataError):  # written by another version: treated as missing and soon overwritten
        return None
    return Kept(replace(reply, cached=True, seconds=0.0, first_token=0.0, rate=0.0), value.get("judged") is True)


def _has_form(reply: ModelReply, ask: ModelRequest) -> bool:
    """Returns True if a reply has the form that its request requires, which no half of a reply has."""
    return bool(reply.scores) or (kind_of(ask.expects) != "text" and all(fits(ask.expects, text) for text in reply.texts))


class Cached(Wrapper):
    """A layer that looks replies up in a cache, and keeps new ones there.

    Useless replies (empty, a web page) are not stored, nor are replies that are cut off, since either may be an accident. A
    complete reply in the model's own words is stored with its `misfit`. Of replies stored by earlier versions, only those with
    the required form are certainly whole; the others are requested again. The file is not trusted: the inner layers complete
    what is taken from it.

    Args:
        model: the inner layer.
        cache: the replies; None: none are kept.
        every: also store useless and cut-off replies, and take them from the cache. Then a repeated run gets equal replies.

    Attributes:
        cache: the replies; None: none are kept.
    """

    name: ClassVar[str] = "cached"

    def __init__(self, model: LanguageModel, cache: ReplyCache | None, *, every: bool = False):
        super().__init__(model)
        self.cache, self._every = cache, every
        self._lock = threading.Lock()
        self._taken = 0

    def news(self) -> tuple[str, ...]:
        """Returns problems of the cache and of the inner layers."""
        return (() if self.cache is None else self.cache.news()) + self.model.news()

    def answer(self, ask: ModelRequest, cancelled: Cancellation) -> ModelReply:
        """Returns the cached reply (with the tokens of the original call), else that of the inner layer."""
        if self.cache is None or ask.compare == "only":  # what is compared needs no model
            return self.model.answer(ask, cancelled)
        key = ask.key(self._provider.source)
        found = self.cache.find(key)
        if found is not None and self._keeps(found.reply) and (found.judged or self._every or _has_form(found.reply, ask)):
            with self._lock:
                self._taken += 1
            return self.model.complete(ask, found.reply)
        reply = self.model.answer(ask, cancelled)
        if self._keeps(reply):
            self.cache.put(key, ask, reply)
        return reply

    def taken_from_cache(self) -> int:
        """Returns how many replies came from the cache since the last call."""
        with self._lock:
            count, self._taken = self._taken, 0
        return count

    def close(self) -> None:
        """Closes the inner layers and the cache's file (later use opens it again)."""
        self.model.close()
        if self.cache is not None:
            self.cache.close()

    def _keeps(self, reply: ModelReply) -> bool:
        if not (reply.texts or reply.scores):
            return False
        return self._every or (not uselessness(reply) and reply.misfit not in ("cut", "empty"))
