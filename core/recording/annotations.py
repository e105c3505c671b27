"""Annotations of a recording: points, intervals and ratings, made live or later. They are never written into the recording.

Everything is a change from one annotation to another (or from, or to, nothing), so undoing is the reverse change. Changes made
later are lines of a file beside the recording, which is only appended to.
"""

from __future__ import annotations

import json
import os
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType

import msgspec

from core.common.errors import DataError
from core.common.json_fields import MOST_SIDECAR_BYTES
from core.recording.files import sidecar
from core.recording.reader import Recording
from core.session.annotation import Annotation, Change
from core.session.snapshot import gather

__all__ = ["Annotation", "AnnotationHistory", "Change", "append", "closed_intervals", "final", "made_live", "read_annotations",
           "sidecar", "unpaired"]
MOST_LINE = 2**20


def _empty() -> Mapping[str, Annotation]:
    return MappingProxyType({})


@dataclass(frozen=True, slots=True)
class AnnotationHistory:
    """All annotations of a recording, and the changes that can be undone and redone. Every operation returns a new history."""

    annotations: Mapping[str, Annotation] = field(default_factory=_empty)
    done: tuple[Change, ...] = ()
    undone: tuple[Change, ...] = ()

    def do(self, change: Change) -> AnnotationHistory:
        """Returns the history after a change. Changes that were undone can no longer be redone.

        Raises:
            DataError: the change does not fit the annotations.
        """
        return replace(self.applied(change), done=(*self.done, change), undone=())

    def undo(self) -> tuple[AnnotationHistory, Change | None]:
        """Undoes the last change. Also returns the change that does so, for the file; None if there is nothing to undo."""
        if not self.done:
            return self, None
        last = self.done[-1]
        return replace(self.applied(last.undone), done=self.done[:-1], undone=(*self.undone, last)), last.undone

    def redo(self) -> tuple[AnnotationHistory, Change | None]:
        """Redoes the change that was undone last. Also returns it; None if there is nothing to redo."""
        if not self.undone:
            return self, None
        last = self.undone[-1]
        return replace(self.applied(last), done=(*self.done, last), undone=self.undone[:-1]), last

    def applied(self, change: Change) -> AnnotationHistory:
        """Returns the history after a change that cannot be undone, such as one read from a file."""
        now = dict(self.annotations)
        _apply(now, change)
        return replace(self, annotations=MappingProxyType(now))

    def in_order(self) -> tuple[Annotation, ...]:
        """Returns the annotations by time."""
        return tuple(sorted(self.annotations.values(), key=lambda a: (a.at, a.id)))

    def new_id(self, annotator: str) -> str:
        """Returns an unused id."""
        number = 1 + sum(a.annotator == annotator for a in self.annotations.values())
        while f"{annotator or 'somebody'} {number}" in self.annotations:
            number += 1
        return f"{annotator or 'somebody'} {number}"


def _apply(now: dict[str, Annotation], change: Change) -> None:
    """Applies a change in place.

    Raises:
        DataError: it does not fit the annotations; nothing is changed then.
    """
    before, after = change.before, change.after
    if before is not None and now.get(before.id) != before:
        raise DataError(f"the annotation '{before.id}' is not there any more as it was: read the annotations again")
    if after is not None and after.id in now and (before is None or after.id != before.id):
        raise DataError(f"there is an annotation '{after.id}' already")
    if before is not None:
        del now[before.id]
    if after is not None:
        now[after.id] = after


# --- made live -------------------------------------------------------------
def made_live(recording: Recording) -> tuple[Annotation, ...]:
    """Returns the labels given during the run, as they were at its end."""
    known: dict[str, Annotation] = {}
    for event in recording.of_kind("Annotated", "Relabelled"):
        gather(known, event)
    return tuple(known.values())


def unpaired(annotations: Iterable[Annotation]) -> tuple[Annotation, ...]:
    """Returns the intervals without an end."""
    return tuple(a for a in annotations if not a.paired)


def closed_intervals(annotations: Iterable[Annotation], end: float) -> tuple[Change, ...]:
    """Returns changes that end every open interval: where the annotator's same label begins again, or at `end`."""
    known = sorted(annotations, key=lambda a: a.at)
    begins: dict[tuple[str, str], list[float]] = defaultdict(list)
    for a in known:
        begins[a.label, a.annotator].append(a.at)
    changes = []
    for a in unpaired(known):
        later = begins[a.label, a.annotator]
        following = bisect_right(later, a.at)
        until = later[following] if following < len(later) else max(end, a.at)
        changes.append(Change(a, replace(a, until=until)))
    return tuple(changes)


def final(annotations: Iterable[Annotation]) -> tuple[Annotation, ...]:
    """Returns the labels that hold, where an adjudicator's decision stands in the place of what it settles."""
    known = tuple(annotations)
    settled = {key for a in known for key in a.settles}
    return tuple(a for a in known if a.holds and a.id not in settled)


# --- made later --------------------------------------------------------------
def read_annotations(recording: Recording) -> tuple[AnnotationHistory, str]:
    """Returns all annotations of a recording, live and later ones, and a line about lines that could not be read, or ""."""
    known, skipped = {a.id: a for a in made_live(recording)}, 0
    path = sidecar(recording.path)
    if path.exists():
        for line in _lines(path):
            try:
                _apply(known, _change(line))
            except DataError:
                skipped += 1
    notice = f"{path.name}: {skipped} {'line' if skipped == 1 else 'lines'} left out, damaged or cut off" if skipped else ""
    return AnnotationHistory(MappingProxyType(known)), notice


def append(recording: Path, change: Change) -> None:
    """Appends one change to the file. It is on disk when this returns.

    Raises:
        DataError: it cannot be written.
    """
    path = sidecar(recording)
    line = json.dumps(msgspec.to_builtins(change)) + "\n"
    try:
        with path.open("a+b") as file:
            file.seek(0, os.SEEK_END)
            if file.tell():
                file.seek(-1, os.SEEK_END)
                line = line if file.read(1) == b"\n" else "\n" + line  # the last line was cut off
            file.write(line.encode())
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise DataError(f"cannot write {path}: {error.strerror or error}") from error


def _lines(path: Path) -> Iterable[bytes]:
    try:
        if not path.is_file():
            raise DataError(f"{path} is no file: move it away")
        if path.stat().st_size > MOST_SIDECAR_BYTES:
            raise DataError(f"{path.name} holds more than {MOST_SIDECAR_BYTES / 2**20:g} MB of labels: move it away")
        with path.open("rb") as file:
            while line := file.readline(MOST_LINE):
                if line.strip():
                    yield line
    except OSError as error:
        raise DataError(f"cannot read {path}: {error.strerror or error}") from error


def _change(line: bytes) -> Change:
    try:
        return msgspec.convert(json.loads(line), Change)
    except (msgspec.ValidationError, OverflowError, RecursionError, ValueError) as error:
        raise DataError(f"a damaged line: {error}") from error
