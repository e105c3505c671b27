"""The finished episodes of a folder of results: `runs.jsonl`, one line of JSON each. Lines are checked as they are read."""

from __future__ import annotations

import json
from codecs import BOM_UTF8
from collections.abc import Collection, Iterable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from types import TracebackType
from typing import Annotated, Final

import msgspec

from core.common.files import AppendedFile, append_lines
from core.suites.origin import Number, Origin
from core.suites.suite import Row, Suite
from core.views.wording import count

ROWS: Final = "runs.jsonl"
CURE: Final = "make room, or choose another --out"
UTF16: Final = "not UTF-8, perhaps UTF-16: an editor has saved the file so"
Key = tuple[str, str, int]
"""Contestant, cell and seed of an episode: it is in a folder once."""
Figure = Annotated[float, msgspec.Meta(ge=-1e15, le=1e15)]


class _Line(msgspec.Struct):
    contestant: str
    cell: str
    seed: Number
    figures: dict[str, Figure]
    origin: Origin | None = None


_DECODER: Final = msgspec.json.Decoder(_Line)


def key_of(row: Row) -> Key:
    """Returns the key of an episode."""
    return row.contestant, row.cell, row.seed


def row_of(line: bytes) -> Row:
    """Returns the episode that a line holds. What a later version adds is ignored.

    Raises:
        msgspec.DecodeError: it is not JSON, or a value is of another type.
        UnicodeDecodeError: it is not UTF-8.
    """
    found = _DECODER.decode(line)
    return Row(found.contestant, found.cell, found.seed, found.figures, found.origin)


@dataclass(frozen=True, slots=True)
class ReadRows:
    """What was read of a file of episodes.

    Attributes:
        rows: the episodes in the order in which they were finished, each once.
        size, lines: how many bytes and lines were read.
        strange: how many lines are no episode of this evaluation.
        first: the first of these, and why; empty if there is none.
        doubles: how many lines repeat an episode.
    """

    rows: tuple[Row, ...] = ()
    size: int = 0
    lines: int = 0
    strange: int = 0
    first: str = ""
    doubles: int = 0

    def notice(self, path: Path) -> str:
        """Returns in one line what does not count, and what to do about it; empty if everything counts."""
        parts = []
        if self.strange:
            lines = count(self.strange, "line is", "lines are")
            parts.append(f"{lines} no episode of this evaluation (the first is {self.first})")
        if self.doubles:
            parts.append(f"{count(self.doubles, 'line repeats', 'lines repeat')} an episode")
        return f"{path}: {', and '.join(parts)}: not counted; correct or delete them, or leave them" if parts else ""


NONE_READ: Final = ReadRows()
"""Of an empty file."""


@dataclass(frozen=True, slots=True)
class Played:
    """Which episodes a folder can hold.

    Attributes:
        suite: what is played.
        contestants: the names of the contestants; empty: they are not known.
    """

    suite: Suite
    contestants: Collection[str] = field(default_factory=tuple)

    def fault(self, row: Row) -> str:
        """Returns why an episode cannot be of this evaluation; empty if it can."""
        if row.cell not in self.suite.cells:
            return f"there is no cell {row.cell[:60]!r}"
        if self.contestants and row.contestant not in self.contestants:
            return f"nothing says who {row.contestant[:60]!r} is"
        if not any(measure.key in row.figures for measure in self.suite.measures):
            return "it has none of the suite's figures"
        rates = (row.figures.get(measure.key, 0.0) for measure in self.suite.measures if measure.rate)
        return "" if all(0.0 <= value <= 1.0 for value in rates) else "a rate is not between 0 and 1"


def read_rows(path: Path, played: Played, before: ReadRows = NONE_READ) -> ReadRows:
    """Returns what a file of episodes holds. What follows its last complete line is left for the next time.

    Args:
        path: the file; it may be missing.
        played: which episodes it can hold.
        before: what was read earlier: only what was added since is read, unless the file is shorter now.

    Raises:
        OSError: it cannot be read.
    """
    size = path.stat().st_size if path.exists() else 0
    if size < before.size:
        before = NONE_READ
    if size == before.size:
        return before
    with path.open("rb") as stream:
        stream.seek(before.size)
        added = stream.read()
    added = added[:added.rfind(b"\n") + 1]
    return replace(_with_lines(before, added.splitlines(), played), size=before.size + len(added))


def _with_lines(before: ReadRows, lines: Iterable[bytes], played: Played) -> ReadRows:
    rows = {key_of(row): row for row in before.rows}
    number, strange, first, doubles = before.lines, before.strange, before.first, before.doubles
    for line in lines:
        number += 1
        if not line.strip():
            continue
        row, fault = _checked(line, played)
        if row is None:
            strange += 1
            first = first or f"line {number}: {fault}"
        elif rows.setdefault(key_of(row), row) is not row:
            doubles += 1
    return ReadRows(tuple(rows.values()), before.size, number, strange, first, doubles)


def _checked(line: bytes, played: Played) -> tuple[Row | None, str]:
    """Returns the episode of a line; or None, and why it is none."""
    try:
        row = row_of(line.removeprefix(BOM_UTF8))  # some editors put it in
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        return None, UTF16 if b"\0" in line else " ".join(str(error).split())[:120]
    fault = played.fault(row)
    return (None, fault) if fault else (row, "")


def close_last_line(folder: Path) -> None:
    """Ends a line that a killed process has left half-written. No other line is touched.

    Raises:
        DataError: the file cannot be written.
    """
    append_lines(folder / ROWS, cure=CURE)


class RowsFile:
    """The file to which finished episodes are appended. Each is on disk before `add` returns.

    Raises:
        DataError: in all methods: it cannot be written; it is as it was.
    """

    def __init__(self, folder: Path):
        self._file = AppendedFile(folder / ROWS, CURE)

    def add(self, row: Row) -> None:
        """Appends an episode."""
        self._file.add(json.dumps(asdict(row)))

    def __enter__(self) -> RowsFile:
        self._file.__enter__()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._file.__exit__(kind, error, trace)
