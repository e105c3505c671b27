"""Annotations of a recording: points, intervals and ratings, made live or later. They are never written into the recording.

Everything is a change from one annotation to another (or from, or to, nothing), so undoing is the reverse change. Changes made
later are lines of files beside the recording and in the user's data folder, which are only appended to.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from core.common.errors import DataError
from core.recording.files import sidecar
from core.recording.label_file import LabelFile, files_of, parts_of
from core.recording.label_file import append as append_lines
from core.recording.label_log import LabelLog
from core.recording.reader import Recording
from core.session.annotation import Annotation, Change
from core.session.snapshot import gather
from core.views.wording import count

__all__ = ["Annotation", "Change", "LabelLog", "append", "closed_intervals", "final", "live_changes", "made_live",
           "read_annotations", "sidecar", "unpaired"]


# --- made live -------------------------------------------------------------
def made_live(recording: Recording) -> tuple[Annotation, ...]:
    """Returns the labels given during the run, as they were at its end."""
    return tuple(LabelLog(live_changes(recording)).annotations.values())


def live_changes(recording: Recording) -> tuple[Change, ...]:
    """Returns the changes of labels made during the run, with their versions."""
    known, log, found = dict[str, Annotation](), LabelLog(), list[Change]()
    for event in recording.of_kind("Annotated", "Relabelled"):
        change = gather(known, event)
        found += [log.take_line(part) for part in parts_of(change)] if change is not None else []
    return tuple(found)


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
def read_annotations(recording: Recording) -> tuple[LabelLog, str]:
    """Returns all annotations of a recording, live and later ones, and a line about lines that could not be read, or "".

    Raises:
        DataError: the file beside the recording cannot be read.
    """
    live, notices = live_changes(recording), []
    log, run = LabelLog(live), recording.identity
    for path in files_of(recording.path, run):
        file = LabelFile(path, run, live)
        try:
            for change in file.read():
                log.take(change)
        except DataError as error:
            if path == sidecar(recording.path):
                raise
            notices.append(str(error))
        if skipped := file.skipped + file.cut_off:
            notices.append(f"{path.name}: {count(skipped, 'line')} left out, damaged or cut off")
    return log, "; ".join(notices)


def append(recording: Path, change: Change) -> None:
    """Appends one change to the file beside a recording. It is on disk when this returns.

    Raises:
        DataError: it cannot be written.
    """
    append_lines(sidecar(recording), (change,))
