"""Keeps the labels of what the window shows in files, and reads what other windows give, on a thread of its own.

Labels that cannot be written stay in memory, are tried again, and are told of until they are saved.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from core.session.annotation import Change, Unsaved
from gui.control.background import BackgroundJobs

if TYPE_CHECKING:
    from core.recording.label_store import LabelStore
    from gui.control.recording_files import OpenRecording

LOOK_MS = 400
"""Milliseconds between two looks at the sizes of the files of labels: what another window gives is seen within a second."""
Found = tuple[str, tuple[Change, ...], Unsaved, Path | None]
"""The run that is shown, what other windows changed, what is not saved, and the present path of the recording."""


class LabelKeeping(QObject):
    """The files of labels. The thread of `jobs` owns the stores; all signals are emitted on the GUI thread.

    Attributes:
        unsaved: what could not be written.
    """

    arrived = Signal(str, object)
    """A run, and the changes of its labels that other windows made."""
    changed = Signal()
    """What is not saved changed."""
    moved = Signal()
    """The recording that is shown has another name or folder now."""
    failed = Signal(object)
    """An error that nobody expected."""
    settled = Signal()
    """Every label given so far was written, or could not be."""

    def __init__(self) -> None:
        super().__init__()
        self.jobs = BackgroundJobs("labels")
        self.unsaved = Unsaved()
        self._stores: dict[str, LabelStore] = {}
        """By run: of the recording that is shown, and of those with labels that are not saved. Used by the thread of `jobs`."""
        self._run = ""
        """The run that is shown; empty: none."""
        self._path: Path | None = None
        self._given: list[str] = []
        """The ids of the labels of all changes so far."""
        self._tried = 0
        """How many of them the thread has tried to write."""
        self._looking = False
        self._timer = QTimer(self, interval=LOOK_MS)
        self._timer.timeout.connect(self._look)

    # --- whose ----------------------------------------------------------------
    def open_recording(self, recording: OpenRecording) -> None:
        """Keeps the labels of a recording that is shown now."""
        run, recorded = recording.reader.identity, recording.annotations.recorded

        def make() -> LabelStore:
            from core.recording.label_store import LabelStore  # imported when first needed, because it loads the codec

            return LabelStore(run, recording.reader.present_path, recorded)

        self._path = recording.path
        self._show(run, make)

    def follow_run(self, run: str, file: Callable[[], Path | None]) -> None:
        """Keeps the labels of a live run, whose recording holds them, too.

        Args:
            run: its identity.
            file: returns the file that it is written to now.
        """
        def make() -> LabelStore:
            from core.recording.label_store import LabelStore

            return LabelStore(run, file, is_live=True)

        self._path = None
        self._show(run, make)

    def leave(self) -> None:
        """Looks at no more files: nothing that can be labelled is shown. What is not saved is still tried again."""
        self._run, self._path = "", None

    def _show(self, run: str, make: Callable[[], LabelStore]) -> None:
        self._run = run
        self._do(lambda: self._open(run, make()))
        self._timer.start()

    # --- giving -----------------------------------------------------------------
    @property
    def pending(self) -> frozenset[str]:
        """The ids of labels that wait to be written."""
        return frozenset(self._given[self._tried:])

    @property
    def left(self) -> Unsaved:
        """What is not saved; of a disk that does not answer, what waits to be written, too."""
        pending, unsaved = self.pending, self.unsaved
        if not pending:
            return unsaved
        return Unsaved(unsaved.keys | pending, unsaved.lost + len(pending - unsaved.keys), unsaved.recording or self._path,
                       unsaved.why or "the disk does not answer")

    def give(self, change: Change) -> None:
        """Writes a change of this window."""
        run = self._run
        if run:
            self._given.append(change.key)
            self._do(lambda: self._give(run, change))

    def try_again(self) -> None:
        """Writes what could not be written, now."""
        self._do(self._save)

    def save_elsewhere(self, path: Path, then: Callable[[], object], failed: Callable[[Exception], object]) -> None:
        """Writes the labels that are not saved, and all others of their recordings, to a file; later ones go there, too."""
        def save() -> Found:
            for store in self._stores.values():
                if store.unsaved:
                    store.save_elsewhere(path)
            return self._found()

        def saved(found: Found) -> None:
            self._take(found)
            then()

        self.jobs.do(save, saved, failed)

    def close(self, patience: float) -> None:
        """Writes what waits, for at most `patience` seconds, and ends the thread. `left` says what is not saved."""
        self._timer.stop()
        self.jobs.do(self._note_unsaved, lambda _: None, lambda _: None)
        self.jobs.close(patience)

    # --- on the thread ------------------------------------------------------------
    def _open(self, run: str, store: LabelStore) -> None:
        former = self._stores.get(run)
        self._stores = {key: one for key, one in self._stores.items() if one.unsaved and key != run}
        self._stores[run] = store
        if former is not None:
            store.take_over(former)

    def _give(self, run: str, change: Change) -> None:
        try:
            self._stores[run].give((change,))
        finally:
            self._tried += 1

    def _save(self) -> None:
        for store in self._stores.values():
            store.save()

    def _note_unsaved(self) -> None:
        self.unsaved = _together([store.unsaved for store in self._stores.values()])

    def _found(self) -> Found:
        """Returns what is new for the window."""
        run = self._run
        store = self._stores.get(run)
        for one in self._stores.values():
            one.retry()
        unsaved = _together([one.unsaved for one in self._stores.values()])
        return run, store.read() if store is not None else (), unsaved, store.path if store is not None else None

    # --- on the GUI thread --------------------------------------------------------
    def _do(self, work: Callable[[], object]) -> None:
        def do() -> Found:
            work()
            return self._found()

        self.jobs.do(do, self._take, self._on_failed)

    def _look(self) -> None:
        if not self._looking and (self._run or self.unsaved):  # a slow disk is not asked again before it has answered
            self._looking = True
            self._do(lambda: None)

    def _take(self, found: Found) -> None:
        self._looking = False
        run, changes, unsaved, path = found
        if changes and run == self._run:
            self.arrived.emit(run, changes)
        if unsaved != self.unsaved:
            self.unsaved = unsaved
            self.changed.emit()
        if run == self._run and self._path is not None and path != self._path:
            self._path = path
            self.moved.emit()
        if not self.pending:
            self.settled.emit()

    def _on_failed(self, error: Exception) -> None:
        self._looking = False
        self.failed.emit(error)


def _together(parts: list[Unsaved]) -> Unsaved:
    """Returns what is not saved of all recordings as one."""
    left = [part for part in parts if part]
    if len(left) < 2:
        return left[0] if left else Unsaved()
    return Unsaved(frozenset().union(*(part.keys for part in left)), sum(part.lost for part in left), left[-1].recording,
                   left[-1].why)
