"""Keeps for a day what servers refuse, so that the next connection to one does not find it out again."""

from __future__ import annotations

import contextlib
import hashlib
import json
import time
from collections.abc import Callable
from pathlib import Path

from core.common.errors import DataError
from core.common.files import replacing
from core.common.json_fields import read_json
from core.llm.dialect import Dialect, as_json, read_dialect

FILE = "servers-1.json"  # the number is the version of the format
DAY = 86_400.0
MOST_SERVERS, MOST_BYTES = 100, 2**20
Entries = dict[str, dict[str, object]]


class KnownServers:
    """What is known about servers, in a file that several processes share.

    It is only a shortcut: a file that is missing, damaged or cannot be written means that servers are asked again. Another
    server may answer at the same address one day, so nothing is kept for longer.

    Args:
        folder: the folder of the file.
    """

    def __init__(self, folder: Path):
        self._path = folder / FILE

    def get(self, server: str) -> Dialect | None:
        """Returns what is known about a server; None if nothing is."""
        entry = self._entries().get(_digest(server))
        return None if entry is None else read_dialect(entry.get("dialect"))

    def put(self, server: str, dialect: Dialect) -> None:
        """Keeps what was learned about a server."""
        self._change(lambda known: {**known, _digest(server): {"at": time.time(), "dialect": as_json(dialect)}})

    def forget(self, server: str) -> None:
        """Removes what is known about a server."""
        if _digest(server) in self._entries():
            self._change(lambda known: {name: entry for name, entry in known.items() if name != _digest(server)})

    def _entries(self) -> Entries:
        """Returns the entries of the last day, the oldest first."""
        try:
            found = read_json(self._path, "delete it", most_bytes=MOST_BYTES)
        except DataError:
            return {}
        valid = {name: entry for name, entry in found.items() if _is_fresh(entry)} if isinstance(found, dict) else {}
        return dict(sorted(valid.items(), key=lambda pair: pair[1]["at"])[-MOST_SERVERS:])

    def _change(self, change: Callable[[Entries], Entries]) -> None:
        with contextlib.suppress(DataError, OSError):  # then the next connection asks again
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with replacing(self._path) as draft:
                draft.write_text(json.dumps(change(self._entries())), encoding="utf-8")


def _digest(server: str) -> str:
    """Returns the name of a server's entry. A name that somebody has mistaken for a key's field is not written."""
    return hashlib.sha256(server.encode("utf-8", "surrogatepass")).hexdigest()[:24]


def _is_fresh(entry: object) -> bool:
    at = entry.get("at") if isinstance(entry, dict) else None
    return isinstance(at, int | float) and 0 <= time.time() - at < DAY
