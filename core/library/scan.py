"""Brings the index up to date with the files: what is new or changed is read, what vanished is marked."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Final

from core.library.entry import Entry, FileState, State
from core.library.index import Index
from core.library.summary import Summary, file_state, summarise, with_labels
from core.recording.codec import Codec
from core.recording.files import HIDDEN, LABELS, labels_of_user, sidecar

BATCH_SECONDS: Final = 0.25
"""How long recordings are read before they are added to the index together."""
MOST_DEEP: Final = 12
"""How many folders within folders are looked into. A folder may hold a link to itself."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far an update is.

    Attributes:
        done, total: recordings read, and to be read.
        troubles: folders that cannot be read, one line each.
    """

    done: int
    total: int
    troubles: tuple[str, ...] = ()

    @property
    def is_over(self) -> bool:
        """True at the end of the update."""
        return self.done == self.total


NO_FOLDER: Final = "there is no such folder"


def recordings_in(folders: Sequence[Path]) -> tuple[dict[Path, FileState], tuple[str, ...]]:
    """Returns the recordings in some folders and below, and a line for each folder that cannot be read.

    Hidden files are left out, except for autosaves.
    """
    found: dict[Path, FileState] = {}
    troubles: list[str] = []
    for folder in folders:
        _look_into(folder, found, troubles, MOST_DEEP)
    return found, tuple(troubles)


def _look_into(folder: Path, found: dict[Path, FileState], troubles: list[str], deep: int) -> None:
    try:
        with os.scandir(folder) as listed:
            inside = {one.name: one for one in listed}
    except FileNotFoundError:
        troubles.append(f"{folder}: {NO_FOLDER}")
        return
    except OSError as error:
        troubles.append(f"{folder}: {error.strerror or error}")
        return
    for _, one in sorted(inside.items()):
        hidden = one.name.startswith(".") and not one.name.startswith(HIDDEN)
        try:
            if one.name.endswith(".mcap") and not hidden and one.is_file():
                path, about = Path(one.path), one.stat()
                labelled = sidecar(path).name in inside
                found[path] = file_state(path) if labelled else FileState(about.st_size, about.st_mtime_ns)
            elif not hidden and deep and one.is_dir():
                _look_into(Path(one.path), found, troubles, deep - 1)
        except OSError:
            continue  # it vanished meanwhile


def update(index: Index, folders: Sequence[Path], codec: Codec, *, stopped: Callable[[], bool] = lambda: False,
           rest: Callable[[], object] = lambda: None) -> Iterator[Progress]:
    """Brings an index up to date with the files in some folders. Entries of other folders stay as they are.

    A vanished file keeps its entry, marked as gone, unless it was an autosave, or the same run was found under another name.

    Args:
        index: the index.
        folders: absolute paths of the folders to look into.
        codec: decodes labels.
        stopped: returns True to end the update early; what was read until then is kept.
        rest: called before each recording is read; a window lets its own thread go first.

    Yields:
        The progress, at first and then each time entries were changed.

    Raises:
        DataError: the index cannot be used.
    """
    files, troubles = recordings_in(folders)
    known = {entry.path: entry for entry in index.entries(folders)}
    states = _with_labels(files, known)
    mark_states(index, known, states)
    new = sorted((path for path in files if is_stale(known.get(path), states[path])), key=lambda path: -files[path].modified)
    yield Progress(0, len(new), troubles)
    batch: list[Summary] = []
    since = monotonic()
    for done, path in enumerate(new, 1):
        rest()
        if stopped():
            break
        batch.append(summarise(path, files[path], codec))
        if done == len(new) or monotonic() - since > BATCH_SECONDS:
            index.put(batch)
            batch, since = [], monotonic()
            yield Progress(done, len(new), troubles)
    if batch:
        index.put(batch)
    _forget_moved(index)


def pending(index: Index, folders: Sequence[Path]) -> int:
    """Returns how many recordings an update would read.

    Raises:
        DataError: the index cannot be read.
    """
    files, _ = recordings_in(folders)
    known = {entry.path: entry for entry in index.entries(folders)}
    return sum(is_stale(known.get(path), file) for path, file in _with_labels(files, known).items())


def _with_labels(files: Mapping[Path, FileState], known: Mapping[Path, Entry]) -> dict[Path, FileState]:
    """Returns the states with those of the labels in the user's data folder, of runs that are known."""
    try:
        with os.scandir(labels_of_user("").parent) as listed:
            kept = {one.name.removesuffix(LABELS): one for one in listed if one.name.endswith(LABELS)}
    except OSError:
        return dict(files)  # there is no folder of labels yet
    found = dict(files)
    for path, file in files.items():
        entry = known.get(path)
        if entry is not None and (one := kept.get(entry.identity)) is not None:
            with suppress(OSError):  # it vanished meanwhile
                found[path] = with_labels(file, one.stat())
    return found


def mark_states(index: Index, known: Mapping[Path, Entry], files: Mapping[Path, FileState]) -> None:
    """Marks entries whose files vanished, changed, or are there again as they were.

    A vanished autosave is no loss to tell of: the console saved its run under a name, or threw it away.
    """
    states: list[tuple[Path, State]] = []
    thrown_away: list[Path] = []
    for path, entry in known.items():
        file = files.get(path)
        if file is None and not entry.named:
            thrown_away.append(path)
        elif file is None:
            states += [(path, "gone")] if entry.state != "gone" else []
        elif file != entry.file:
            states += [(path, "changed")] if entry.state in ("ok", "damaged", "gone") else []
        elif entry.state in ("gone", "changed"):
            states.append((path, "damaged" if entry.problem else "ok"))
    if thrown_away:
        index.remove(thrown_away)
    if states:
        index.mark(states)


def is_stale(entry: Entry | None, file: FileState) -> bool:
    """Returns True if a file must be read: it is new, has changed, or was being recorded when it was read."""
    return entry is None or entry.file != file or entry.state == "recording"


def _forget_moved(index: Index) -> None:
    """Removes entries of vanished files whose runs are in other files: these were renamed, moved, or are copies."""
    entries = index.entries()
    here = {entry.identity for entry in entries if entry.state != "gone"} - {""}
    moved = [entry.path for entry in entries if entry.state == "gone" and entry.identity in here]
    if moved:
        index.remove(moved)
