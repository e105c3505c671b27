"""Keeps the labels that a window gives to a recording in files, and reads what other windows give to the same recording.

Every change is written to two files: one in the user's data folder, which is named after the run and found wherever the
recording is moved or copied to on this computer, and one beside the recording, which goes along to other computers. Each file
that lacks changes gets all of them the next time this window gives a label.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from core.common.errors import DataError
from core.recording.files import labels_of_user, sidecar
from core.recording.label_file import LabelFile, files_of
from core.recording.label_log import LabelLog
from core.session.annotation import Change, Unsaved

RETRY = 5.0
"""Seconds after which labels that could not be written are tried again."""


class LabelStore:
    """The files of one run's labels. Used by one thread.

    Args:
        run: `Recording.identity` of the run.
        present: returns the present path of the recording; None while it has none.
        live: the changes that the recording itself holds.
        is_live: the run goes on and records its own labels: they are not written beside the recording.

    Attributes:
        log: all changes that are known.
    """

    def __init__(self, run: str, present: Callable[[], Path | None], live: Iterable[Change] = (), *, is_live: bool = False):
        self.run, self._present, self._live, self._is_live = run, present, dict.fromkeys(live), is_live
        self.log = LabelLog(self._live)
        self._given: dict[Change, None] = {}
        """The changes of this window."""
        self._files: dict[Path, LabelFile] = {}
        self._elsewhere: LabelFile | None = None
        self._found: list[Change] = []
        """What was read from the files while they were written."""
        self._inherited: list[Change] = []
        """What another store of the run knew that was not in the recording when it was opened again."""
        self._why, self._tried = "", 0.0
        self._beside: Path | None = None
        """Where the recording was when labels were last written."""

    @property
    def path(self) -> Path | None:
        """The present path of the recording; None while it has none."""
        return self._present()

    # --- reading -----------------------------------------------------------
    def read(self) -> tuple[Change, ...]:
        """Returns the changes that were not known, from all files of the recording. A file that cannot be read is left out."""
        path, found, inherited = self._present(), self._found, self._inherited
        self._found, self._inherited = [], []
        for place in (labels_of_user(self.run),) if path is None else files_of(path, self.run):
            try:
                found += self._file(place).read()
            except DataError:
                continue  # opening the recording has said so; what this window gives is in the other file
        return (*inherited, *(change for change in found if self.log.take(change)))

    def _file(self, path: Path) -> LabelFile:
        if path not in self._files:
            self._files[path] = LabelFile(path, self.run, self._live)
        return self._files[path]

    # --- writing -----------------------------------------------------------
    def give(self, changes: Iterable[Change]) -> None:
        """Takes changes of this window, and writes them."""
        for change in changes:
            self.log.take(change)
            self._given[change] = None
        self.save()

    def take_over(self, other: LabelStore) -> None:
        """Takes what another store of the same run knows and was given: when the recording was opened, not all was written."""
        self._elsewhere = other._elsewhere
        self._inherited += [change for change in other.log.changes() if self.log.take(change)]
        if other._given:
            self.give(other._given)

    def save(self) -> None:
        """Writes every change that a file lacks."""
        self._why, self._tried, self._beside = "", time.monotonic(), self._present()
        path, changes = self._beside, [change for change in self.log.changes() if change not in self._live]
        number = None if path is None else _number_of(sidecar(path))
        with suppress(OSError):  # writing the file reports it
            labels_of_user(self.run).parent.mkdir(parents=True, exist_ok=True)
        self._write_all(changes)
        if path is not None and self._present() != path:  # it was moved while its labels were written beside its former name
            self._beside = self._present()
            self._write_all(changes)
            if _number_of(sidecar(path)) != number:  # made just now, for a recording that was not there any more
                self._remove_beside(path)

    def _write_all(self, changes: Iterable[Change]) -> None:
        for file in self._targets():
            try:
                self._write(file, changes)
            except DataError as error:
                self._why = " ".join(str(error).split())

    def _remove_beside(self, former: Path) -> None:
        """Removes the file of labels that was made beside a former name, if the one beside the present name holds them all."""
        left, present = self._file(sidecar(former)), self._present()
        if present is None or self._is_live or former.exists():
            return
        with suppress(DataError, OSError):  # then they stay; they are found by their run
            self._found += left.read()
            if left.held and left.held.keys() <= self._file(sidecar(present)).held.keys():
                left.path.unlink()

    def _write(self, file: LabelFile, changes: Iterable[Change]) -> None:
        """Writes the changes that a file lacks, and reads them again: what another program damaged counts as missing."""
        self._found += file.read()
        file.append(changes)
        self._found += file.read()

    def retry(self) -> None:
        """Writes again what is not saved: at once beside a recording that has moved, otherwise if it was not tried just now."""
        if self.unsaved and (self._present() != self._beside or time.monotonic() - self._tried > RETRY):
            self.save()

    def save_elsewhere(self, path: Path) -> None:
        """Writes all labels to another file, to which later ones go as well.

        Raises:
            DataError: it cannot be written.
        """
        file = LabelFile(path, self.run, self._live)
        self._write(file, [change for change in self.log.changes() if change not in self._live])
        self._elsewhere = file

    def _targets(self) -> Iterator[LabelFile]:
        """Yields the files that should hold every change: the one that is written at once first."""
        yield self._file(labels_of_user(self.run))
        path = self._present()
        if path is not None and not self._is_live:
            yield self._file(sidecar(path))
        if self._elsewhere is not None:
            yield self._elsewhere

    # --- what is not saved ------------------------------------------------------
    @property
    def unsaved(self) -> Unsaved:
        """The labels of this window that are not beside the recording, nor where the annotator chose to save them."""
        path = self._present()
        if self._is_live or path is None:
            return Unsaved()
        users, *others = self._targets()
        missing = [change for change in self._given if not any(change in file.held for file in others)]
        lost = {change.key for change in missing if change not in users.held}
        return Unsaved(frozenset(change.key for change in missing), len(lost), path, self._why) if missing else Unsaved()


def _number_of(path: Path) -> int | None:
    """Returns the number by which the disk knows a file, whatever its name; None if there is none."""
    try:
        return path.stat().st_ino
    except OSError:
        return None
