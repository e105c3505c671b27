"""What a killed console has left: autosaves, which get a name, and cut-off recordings; and what of them can be read."""

from __future__ import annotations

import heapq
import os
import re
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from core.common.errors import DataError
from core.common.files import append_lines, lock
from core.recording.annotations import read_annotations
from core.recording.codec import Codec
from core.recording.container import MAGIC
from core.recording.files import HIDDEN, REPAIRED, is_being_written, move_recording, new_recording, sidecar
from core.recording.reader import open_recording
from core.session.run_summary import summary_of
from core.views.wording import count

MOST_LOOKED_AT = 20
RECENT = 7 * 24 * 3600.0
"""Seconds in which a recording was written that is told of at a start. An older one is read as far as it goes all the same."""
ORIGINAL = re.compile(r"\.cut-off(-\d+)?$")
"""Matches the end of the name, without `.mcap`, that earlier versions gave to the original beside its repaired copy."""


TOLD = "told.txt"
"""The file, beside autosaves, with time and size of the cut-off recordings that were told of: each is told of once."""


def what_was_left(running: Path, folder: Path, codec: Codec) -> list[str]:
    """Names the autosaves of killed consoles. Returns a line about each, and about each recording that was cut off since.

    Args:
        running: the folder of autosaves.
        folder: the folder of recordings. The newest are looked at.
        codec: decodes labels.
    """
    named = left_behind(running, folder, codec)
    unsaved = [f"its unsaved run is now {path.name}: {_described(path, codec)}" for path in named]
    found = {path: f"{about.st_mtime_ns} {about.st_size}" for path in (*named, *_cut_off(folder)) if (about := _about(path))}
    told = _told(running)
    new = {path: key for path, key in found.items() if key not in told}
    if new:
        with suppress(DataError):  # they are told of again
            append_lines(running / TOLD, *dict.fromkeys(new.values()))
    return [*unsaved, *(f"{path.name} was cut off: {_described(path, codec)}" for path in new if path not in named)]


def left_behind(running: Path, folder: Path, codec: Codec) -> list[Path]:
    """Names the autosaves of consoles that were killed, so that they become recordings. Returns these.

    One in which nothing was done, of a console that was only opened, is removed.

    Args:
        running: the folder of autosaves.
        folder: the folder of recordings.
        codec: decodes events and labels.
    """
    return [named for path in sorted(running.glob(f"{HIDDEN}*.mcap")) if (named := _named(path, folder, codec)) is not None]


def _named(path: Path, folder: Path, codec: Codec) -> Path | None:
    """Returns the file under its new name; None if it belongs to a running console, holds nothing, or cannot be moved."""
    try:
        with path.open("rb") as file:
            if not lock(file):
                return None
            if sys.platform == "win32":  # a file that is open can be neither moved nor removed there
                file.close()
            about = path.stat()
            if not about.st_size or _is_idle(path, codec):
                path.unlink()
                return None
            named = new_recording(folder, "unrecorded", "", datetime.fromtimestamp(about.st_mtime).astimezone())
            move_recording(path, named)  # still locked: a console that is making this file waits until it is decided
            return named
    except (OSError, DataError):
        return None


def _is_idle(path: Path, codec: Codec) -> bool:
    """Returns True if nothing is in an autosave that a window would keep, and nothing of it is lost."""
    if sidecar(path).exists():
        return False
    try:
        with open_recording(path, codec) as recording:
            if recording.count("Acted"):
                return False
            done = summary_of(recording.snapshot_at())
            return not (done.is_worth_keeping or recording.is_damaged or read_annotations(recording)[0].annotations)
    except DataError:
        return False


def _about(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except OSError:
        return None  # it vanished meanwhile


def _told(running: Path) -> frozenset[str]:
    try:
        return frozenset((running / TOLD).read_text("utf-8").splitlines())
    except (OSError, UnicodeDecodeError):
        return frozenset()


def _cut_off(folder: Path) -> list[Path]:
    """Returns the newest recordings of a folder that lack their end, are not being written and have no repaired copy there.

    The newest comes first.
    """
    newest = heapq.nlargest(MOST_LOOKED_AT, _recordings(folder))
    since = time.time() - RECENT
    return [path for changed, path in newest if changed > since
            and not (_is_whole(path) or is_being_written(path) or path.with_stem(path.stem + REPAIRED).exists())]


def _recordings(folder: Path) -> Iterator[tuple[float, Path]]:
    try:
        with os.scandir(folder) as listed:
            for one in listed:
                if one.name.endswith(".mcap") and not one.name.startswith(".") and not ORIGINAL.search(one.name[:-5]):
                    yield one.stat().st_mtime, Path(one.path)
    except OSError:
        return  # there are no recordings yet, or the folder cannot be listed, which the library says


def _is_whole(path: Path) -> bool:
    """Returns whether a file ends as recordings do, or cannot be read at all."""
    try:
        with path.open("rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - len(MAGIC)))
            return file.read() == MAGIC
    except OSError:
        return True


def _described(path: Path, codec: Codec) -> str:
    """Returns how much of a recording can be read, and its folder. It is not repaired."""
    try:
        with open_recording(path, codec) as recording:
            turns, labels = recording.count("Acted"), len(read_annotations(recording)[0].annotations)
    except DataError as error:
        return f"{' '.join(str(error).split())}; it is in {path.parent}"
    found = [count(number, word) for number, word in ((turns, "turn"), (labels, "label")) if number]
    return f"{' and '.join(found) or 'no turn'} can be read; it is in {path.parent}"
