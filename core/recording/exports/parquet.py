"""The lines of `jsonl` as a table of one type of row, for programs that refuse rows of different kinds, such as polars.

What all events have is in columns; the rest of a line is JSON in the column `content`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa  # type: ignore[import-not-found,import-untyped,unused-ignore]
import pyarrow.parquet as pq  # type: ignore[import-not-found,import-untyped,unused-ignore]

from core.recording.exports.jsonl import lines
from core.recording.reader import Recording

ROWS = 1000
"""Rows that are kept in memory until they are written."""


def write(recording: Recording, out: Path) -> Path:
    """Writes a row about the recording, a row per event, and a row per label."""
    whole, text, real = pa.int64(), pa.string(), pa.float64()
    schema = pa.schema([("line", text), ("number", whole), ("at", real), ("worked", real), ("turn", whole), ("branch", whole),
                        ("event", text), ("content", text)])
    with out.open("wb") as opened, pq.ParquetWriter(opened, schema) as file:  # by its name, pyarrow opens only what is UTF-8
        rows = _rows(recording)
        while some := list(islice(rows, ROWS)):
            file.write_table(pa.Table.from_pylist(some, schema))
    return out


def _rows(recording: Recording) -> Iterator[dict[str, Any]]:
    for row in lines(recording):
        common = {name: row.pop(name, None) for name in ("line", "number", "at", "worked", "turn", "branch", "event")}
        yield {**common, "content": json.dumps(row)}
