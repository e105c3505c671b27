"""The runs of a window and the files that keep them: recording, showing, exporting, batches, examples."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject

from gui.control.console import Console
from gui.control.parts import Parts
from gui.recordings.batch import Batch
from gui.recordings.example_keeping import ExampleKeeper
from gui.recordings.recorders import Recorders
from gui.recordings.runs import Runs
from gui.recordings.viewer import RecordingExport, RecordingViewer


class KeptRuns(QObject):
    """Makes what keeps runs in files and brings them back, and ends it.

    Attributes:
        recorders: records each run.
        viewer: shows recordings.
        runs: the list of the runs.
        batch: plays many episodes one after the other.
        exporter: writes recordings in other formats.
        examples: keeps decisions as examples for prompts.
    """

    def __init__(self, console: Console, parts: Parts):
        super().__init__()
        self.viewer = RecordingViewer(console, parts.make_setup, parts.files.folder)
        self.recorders = Recorders(parts.files, console)
        self.runs = Runs(console, self.recorders, self.viewer)
        self.batch = Batch(console, self.recorders)
        self.exporter = RecordingExport(console, parts.files)
        self.examples = ExampleKeeper(console, self.recorders)

    def silence(self) -> None:
        """Emits nothing any more: the window is gone."""
        for source in (self.runs, self.batch, self.recorders):
            source.blockSignals(True)

    def close(self, left: Callable[[], float]) -> None:
        """Ends all jobs, after the run. The runs are settled later, because other jobs may still read them."""
        self.recorders.close(left())
        for jobs in (self.exporter.jobs, self.batch.jobs, self.examples.jobs):
            jobs.close(left())
