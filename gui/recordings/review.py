"""*Next to review*: opens the next recording that the present annotator has not finished, of a selection or of a folder."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from core.common.errors import BelvedereError
from gui.control.background import BackgroundJobs
from gui.control.console import Console
from gui.control.recording_files import RecordingFiles
from gui.recordings.batch import Batch
from gui.recordings.labelling import Labelling
from gui.recordings.viewer import RecordingViewer
from gui.widgets.numbers import count

if TYPE_CHECKING:
    from core.library.entry import FileState

NO_NAME = "Give your name first, so that it is known what you have finished"


class Review(QObject):
    """Walks through the recordings that are left to review.

    Attributes:
        selected: returns the recordings that the operator marked in the library; empty if there are not several.
        asked_name: what was asked for needs the annotator's name, which is not known.
    """

    asked_name = Signal()

    def __init__(self, console: Console, labelling: Labelling, viewer: RecordingViewer, batch: Batch, files: RecordingFiles):
        super().__init__()
        self._console, self._labelling, self._viewer = console, labelling, viewer
        self._batch, self._files = batch, files
        self.selected: Callable[[], tuple[Path, ...]] = tuple
        self.jobs = BackgroundJobs("review")
        self._known: dict[Path, tuple[FileState, frozenset[str], str]] = {}
        """The state of each recording's files, and who has finished it. Used by the thread of the jobs only."""

    def next(self, *, finish: bool = False) -> None:
        """Opens the next recording that this annotator has not finished; with `finish` the one shown is finished first."""
        labelling, console = self._labelling, self._console
        if not labelling.annotator:
            console.message.emit(NO_NAME, "warn")
            self.asked_name.emit()
            return
        if self._batch.active:
            console.message.emit("A batch is being recorded: stop it before you review", "warn")
            return
        if finish and not labelling.finished and (console.replaying or console.runner.phase == "live"):
            labelling.finish()
        shown = console.replay.recording
        now = None if shown is None else shown.path
        marked, folder = self.selected(), self._folder(now)
        done = now if labelling.finished else None
        where = "of the selection" if marked else f"in {folder.name}"
        self.jobs.do(partial(self._left, marked, folder, labelling.annotator, done), partial(self._go, now, where),
                     console.report)

    def _folder(self, now: Path | None) -> Path:
        """Returns the folder of the recording that is shown, else of the last batch, else of all recordings."""
        return now.parent if now is not None else self._batch.folder or self._files.folder

    def _left(self, marked: Sequence[Path], folder: Path, annotator: str, done: Path | None) -> tuple[list[Path], list[Path]]:
        """Returns all recordings that can be reviewed, and those that the annotator has not finished. `done` is known to be."""
        from core.recording.files import HIDDEN, is_being_written

        found = [path for path in marked or sorted(folder.glob("*.mcap"))
                 if not path.name.startswith(HIDDEN) and path.is_file() and not is_being_written(path)]
        finished = {path: self._finished_by(path) for path in found}
        return found, [path for path in found if path != done and annotator not in finished[path]]

    def _finished_by(self, path: Path) -> frozenset[str]:
        from core.library.summary import file_state, labels_kept, with_labels
        from core.recording.annotations import read_annotations
        from core.recording.reader import open_recording

        try:
            state, known = file_state(path), self._known.get(path)
            if known is None or known[0] != with_labels(state, labels_kept(known[2])):
                with open_recording(path, self._files.codec()) as recording:
                    run = recording.identity
                    state = with_labels(state, labels_kept(run))
                    given = read_annotations(recording)[0].annotations.values()
                    self._known[path] = state, frozenset(a.annotator for a in given if a.role == "done"), run
        except (BelvedereError, OSError):
            return frozenset()  # it is not left out: opening it says what is wrong with it
        return self._known[path][1]

    def _go(self, now: Path | None, where: str, found: tuple[list[Path], list[Path]]) -> None:
        everything, left = found
        if not left:
            some = count(len(everything), "recording")
            words = f"Nothing is left to review: you have finished {some} {where}" if everything else f"No recording {where}"
            self._console.message.emit(words, "good" if everything else "warn")
            return
        place = everything.index(now) if now in everything else -1
        order = [path for path in (*everything[place + 1:], *everything[:place + 1]) if path in left]
        if order[0] == now:
            self._console.message.emit(f"Only this one is left to review {where}", "muted")
            return
        self._viewer.open(order[0])
        self._console.message.emit(f"{order[0].name}: {count(len(left), 'recording')} left to review {where}", "muted")
