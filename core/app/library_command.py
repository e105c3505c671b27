"""The command `library`: brings the index of recordings up to date and lists what a query finds, as a table or JSON."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from core.common.errors import UsageError
from core.common.terminal import encodable
from core.common.visible import path_text
from core.library.entry import FIELDS, Entry
from core.library.index import Index
from core.library.query import parse
from core.library.scan import update
from core.recording.codec import Codec
from core.recording.files import library_index, recordings_folder, running_folder
from core.suites.table import grid
from core.views.wording import count

COLUMNS = ("date", "outcome", "planner", "preset", "scene", "seed", "turns", "calls", "label", "goal", "file")
MOST_WIDE = 60
"""The maximum width of a column of the table, in characters."""
EVERY = 500
"""Number of recordings between two lines about the progress."""


def library(args: argparse.Namespace, say: Callable[[str], None]) -> None:
    """Prints what is found.

    Args:
        args: `folders`, `find`, `sort`, `json`, `rebuild` and `index`.
        say: receives messages on progress and on folders and files that cannot be read.

    Raises:
        UsageError: the query is wrong, or a folder is missing.
        DataError: the index cannot be used.
    """
    query = parse(args.find)
    if args.sort.removeprefix("-") not in FIELDS:
        raise UsageError(f"--sort {args.sort}: give {', '.join(FIELDS)}; with - before it the largest come first")
    folders = _folders(args.folders)
    with Index(args.index or library_index()) as index:
        if args.rebuild:
            index.clear()
        _update(index, folders, say)
        found = index.find(query, folders, args.sort) if folders else []
        if index.notice:  # something was damaged, which may have shown only in the search
            say(index.notice)
            index.notice = ""
            _update(index, folders, say)
            found = index.find(query, folders, args.sort) if folders else []
    if args.json:
        value = [plain(entry) for entry in found]
        sys.stdout.write(json.dumps(value, ensure_ascii=not encodable(value), indent=2) + "\n")
        return
    if found:
        sys.stdout.write(table(found) + "\n")
    say(f"{count(len(found), 'recording')}" + (f" for {args.find}" if args.find else ""))


def _folders(given: Sequence[Path]) -> list[Path]:
    for folder in given:
        if not folder.is_dir():
            raise UsageError(f"there is no folder {folder}: give folders that hold recordings (.mcap)")
    return [folder.resolve() for folder in given] or list(filter(os.path.isdir, (recordings_folder(), running_folder())))


def _update(index: Index, folders: Sequence[Path], say: Callable[[str], None]) -> None:
    told, troubles = 0, list[str]()
    for progress in update(index, folders, Codec()):
        if progress.total and (progress.done - told >= EVERY or progress.is_over):
            told = progress.done
            say(f"{progress.done:,} of {progress.total:,} recordings read")
        troubles = [*troubles, *(line for line in progress.troubles if line not in troubles)]
    for line in troubles:
        say(line)


def plain(entry: Entry) -> dict[str, Any]:
    """Returns an entry as JSON data."""
    value = asdict(entry)
    del value["file"]
    return value | {"path": path_text(entry.path), "size": entry.file.size, "began": entry.date, "rating": entry.rating}


def table(found: Sequence[Entry]) -> str:
    """Returns entries as a table in Markdown. Files that are not whole say so in the column of the outcome."""
    return grid([FIELDS[name].title for name in COLUMNS], [[_cell(entry, name) for name in COLUMNS] for entry in found])


def _cell(entry: Entry, name: str) -> str:
    if name == "outcome" and entry.state != "ok":
        return f"{entry.state}: {entry.trouble}"[:MOST_WIDE]
    text = ", ".join("" if value is None else f"{value:g}" if isinstance(value, float) else str(value)
                     for value in FIELDS[name].values(entry))
    text = " ".join(text.replace("|", "/").split())
    return text if len(text) <= MOST_WIDE else f"{text[:MOST_WIDE - 1]}…"
