"""Exports the recording that is shown to other formats, next to the recording."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject

from gui.control.background import BackgroundJobs
from gui.control.console import Console
from gui.control.recording_files import RecordingFiles, forms
from gui.window.palette import Entry, needs_input, ranked


class RecordingExport(QObject):
    """Exports off the GUI thread; an existing export is not overwritten."""

    def __init__(self, console: Console, files: RecordingFiles):
        super().__init__()
        self._console, self._files, self.jobs = console, files, BackgroundJobs("export")

    def entries(self) -> list[Entry]:
        """The palette's entries."""
        return [needs_input("Export as …", "save", self._forms, "A format: html, mp4, csv …")]

    def _forms(self, text: str) -> list[Entry]:
        return ranked(text, [Entry(f"{to}: {about}", "save", partial(self.write, to)) for to, about in forms().items()])

    def write(self, to: str) -> None:
        """Exports the recording to a format and reports the file."""
        console, recording = self._console, self._console.replay.recording
        if recording is None:
            console.message.emit("Open the recording first: a file that is still being written cannot be exported", "warn")
            return
        path = recording.reader.path
        out = _free(path.with_suffix("" if to == "lerobot" else f".{'replies.jsonl' if to == 'replies' else to}"))
        console.message.emit(f"Writing {out.name}", "muted")
        self.jobs.do(lambda: self._files.export(path, to, out),
                         lambda made: console.message.emit("; ".join((f"Written: {made.path}", *made.missing)),
                                                        "warn" if made.missing else "good"),
                         lambda error: console.message.emit(" ".join(str(error).split()), "bad"))

    def close(self, patience: float) -> None:
        """Finishes the export under way without reporting it; waits at most `patience` seconds."""
        self.jobs.close(patience)


def _free(path: Path) -> Path:
    """The path, or the first path with a number appended that does not exist yet."""
    k, found = 2, path
    while found.exists():
        found = path.with_name(f"{path.stem}-{k}{path.suffix}")
        k += 1
    return found
