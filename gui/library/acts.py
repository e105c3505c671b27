"""What can be done with recordings of the library: open, take over, compare two, export many, move to the system's bin."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PySide6.QtCore import QFile, QObject, Signal

from core.common.errors import BelvedereError, DataError
from core.common.visible import path_text
from core.library.entry import Entry
from core.recording.files import is_being_written, sidecar
from gui.control.background import BackgroundJobs
from gui.control.console import Console
from gui.control.recording_files import RecordingFiles
from gui.recordings.viewer import BLIND, END, SUFFIXES, RecordingViewer, free_path
from gui.widgets.numbers import count


@dataclass(frozen=True, slots=True)
class Exporting:
    """How far an export of several recordings is.

    Attributes:
        done, total: recordings written, and to be written.
        to: the form.
    """

    done: int
    total: int
    to: str


class LibraryActs(QObject):
    """Carries out what the operator asks for.

    Attributes:
        exporting: an export goes on; None: it is over.
        asked_comparison: the recording that was opened shall be compared with this one.
        binned: recordings of these paths were moved to the bin.
    """

    exporting = Signal(object)
    asked_comparison = Signal(object)
    binned = Signal(object)

    def __init__(self, console: Console, viewer: RecordingViewer, files: RecordingFiles):
        super().__init__()
        self._console, self._viewer, self._files = console, viewer, files
        self._then: tuple[Path, Callable[[], object]] | None = None
        """What to do when a recording has been opened."""
        self._cancelled, self._done = threading.Event(), 0
        self.is_blind: Callable[[], bool] = lambda: False
        """Returns whether the operator labels without seeing what others said."""
        self.jobs = BackgroundJobs("library acts")
        console.replay.opened.connect(self._on_opened)

    # --- one or two ----------------------------------------------------------
    def open(self, entry: Entry) -> None:
        """Shows a recording instead of the run."""
        self._open(entry, lambda: None)

    def take_over(self, entry: Entry) -> None:
        """Starts a live run that goes on from the end of a recording."""
        self._open(entry, self._viewer.take_over, at_end=True)

    def compare(self, one: Entry, other: Entry) -> None:
        """Opens a recording, and compares it with another turn by turn."""
        self._open(one, lambda: self.asked_comparison.emit(other.path))

    def _open(self, entry: Entry, then: Callable[[], object], *, at_end: bool = False) -> None:
        if entry.state == "gone":
            self._console.message.emit(f"{entry.path.name} is not in {entry.path.parent} any more", "warn")
            return
        self._then = entry.path, then
        self._viewer.open(entry.path, END if at_end else None)

    def _on_opened(self, _: object) -> None:
        then, self._then = self._then, None
        recording = self._console.replay.recording
        if then is not None and recording is not None and recording.path == then[0]:
            then[1]()

    # --- many ----------------------------------------------------------------
    def export(self, entries: Sequence[Entry], to: str, folder: Path) -> None:
        """Writes recordings in another form to a folder, one after the other. Existing files are not overwritten."""
        from core.recording.exports import JOINED, MANY, WITHOUT_LABELS  # imported here: the window does not wait for it

        if self.is_blind() and to not in WITHOUT_LABELS:
            self._console.message.emit(BLIND, "warn")
            return
        paths = [entry.path for entry in entries if entry.state not in ("gone", "recording")]
        if not paths:
            self._console.message.emit("None of these can be exported: they are gone, or still being recorded", "warn")
            return
        cancelled, watches = threading.Event(), self._console.context.watches.texts
        self._cancelled, self._done = cancelled, 0
        self.exporting.emit(Exporting(0, len(paths), to))
        groups = [tuple(paths)] if to in MANY or to in JOINED else [(path,) for path in paths]
        troubles: list[str] = []
        notes: list[str] = []
        for group in groups:
            self.jobs.do(partial(self._write, group, to, folder, watches, cancelled, troubles, notes),
                         partial(self._on_written, to, len(paths), len(group)), self._console.report)
        self.jobs.do(cancelled.is_set, partial(self._on_exported, folder, len(paths), troubles, notes), self._console.report)

    def cancel(self) -> None:
        """Ends an export after the recording that is being written."""
        self._cancelled.set()

    def _write(self, paths: tuple[Path, ...], to: str, folder: Path, watches: tuple[str, ...], cancelled: threading.Event,
               troubles: list[str], notes: list[str]) -> bool:
        """Called on the thread of the jobs. Returns whether the recordings were written.

        Args:
            paths: the recordings.
            to: the form.
            folder: where it is written.
            watches: expressions that it shows, if it can.
            cancelled: nothing is written if it is set.
            troubles: gets why nothing was written.
            notes: gets what differs in the written file from the recordings.
        """
        if cancelled.is_set():
            return False
        name = paths[0].stem if len(paths) == 1 else f"{to} of {len(paths)} recordings"
        out = free_path(folder / f"{name}{SUFFIXES.get(to, f'.{to}')}")
        try:
            made = self._files.export(paths, to, out, watches)
        except (BelvedereError, OSError) as error:
            name = paths[0].name if len(paths) == 1 else out.name
            troubles.append(f"{name}: {' '.join(str(error).split())}")
            return False
        notes += [f"{out.name}: {missing}" for missing in made.missing]
        return True

    def _on_written(self, to: str, total: int, number: int, _: bool) -> None:
        self._done += number
        self.exporting.emit(Exporting(self._done, total, to))

    def _on_exported(self, folder: Path, total: int, troubles: list[str], notes: list[str], cancelled: bool) -> None:
        self.exporting.emit(None)
        if cancelled:
            self._console.message.emit(f"Export cancelled; what was written is in {folder}", "warn")
        elif troubles:
            self._console.message.emit(f"Exported to {folder}, except: {_first_of([*troubles, *notes])}", "warn")
        elif notes:
            self._console.message.emit(f"{count(total, 'recording')} exported to {folder}; {_first_of(notes)}", "warn")
        else:
            self._console.message.emit(f"{count(total, 'recording')} exported to {folder}", "good")

    def move_to_bin(self, entries: Sequence[Entry]) -> None:
        """Moves recordings and their labels to the system's bin. The recording that is shown stays."""
        shown = self._console.replay.recording
        here = [entry.path for entry in entries if entry.state != "gone"]
        paths = [path for path in here if shown is None or shown.path != path]
        if len(paths) < len(here):
            self._console.message.emit("The recording that is open stays: close it first", "warn")
        if paths:
            moved: list[Path] = []
            self.jobs.do(partial(_to_bin, paths, moved), partial(self._on_binned, moved), partial(self._on_bin_failed, moved))

    def _on_binned(self, moved: list[Path], _: None) -> None:
        self._console.message.emit(f"{count(len(moved), 'recording')} moved to the bin", "good")
        self.binned.emit(moved)

    def _on_bin_failed(self, moved: list[Path], error: Exception) -> None:
        self._console.report(error)
        self.binned.emit(moved)


def _first_of(lines: Sequence[str]) -> str:
    """Returns the first line, and how many follow."""
    return f"{lines[0]} (and {len(lines) - 1} more)" if len(lines) > 1 else lines[0]


def _to_bin(paths: Sequence[Path], moved: list[Path]) -> None:
    """Moves recordings to the system's bin, and adds their paths to `moved`.

    Raises:
        DataError: one is being written, or there is no bin for it. Those before it were moved.
    """
    for path in paths:
        if is_being_written(path):
            raise DataError(f"{path.name} stays: a console has it open")
        for file in (path, sidecar(path)):
            if file.exists() and not move_file_to_bin(file):
                raise DataError(f"{file.name} stays: the system has no bin for {file.parent}; delete it there if it shall go")
        moved.append(path)


def move_file_to_bin(path: Path) -> bool:
    """Returns whether a file could be moved to the system's bin. It is never deleted instead.

    Qt cannot name a file whose name is not UTF-8, and would move another one.
    """
    return path_text(path) == os.fspath(path) and bool(QFile.moveToTrash(os.fspath(path)))
