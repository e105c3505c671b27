"""The window's door to the files of recordings: all of it is loaded when a session or a file first wants it.

MCAP, Protobuf, msgspec, Pillow and the codec's tables take a third of the time in which the window stands, and are wanted on
other threads than its own. Whoever shows recordings gets them here, and imports nothing that reads or writes files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from core.recording.naming import recordings_folder, running_folder
from core.session.annotation import Annotation, Change

if TYPE_CHECKING:
    from core.recording.annotations import Book
    from core.recording.autosave import Autosave
    from core.recording.codec import Codec
    from core.recording.exports import Exported
    from core.recording.reader import Recording
    from core.recording.takeover import TakeOver
    from core.session.session import Session
    from core.session.setup import Setup
    from core.session.snapshot import Snapshot
    from gui.control.open_recording import OpenRecording


@cache
def standard_codec() -> Codec:
    """The types of Belvedere itself; one for all, as what was written with it once is written again at less cost."""
    from core.recording.codec import Codec

    return Codec()


@dataclass(frozen=True, slots=True)
class RecordingFiles:
    """Where recordings are put, and what they are written and read with.

    Attributes:
        running: where runs are kept that nobody records; untold, beside the recordings.
    """

    folder: Path
    codec: Callable[[], Codec] = standard_codec
    running: Path | None = None

    @classmethod
    def of_user(cls) -> RecordingFiles:
        """That of whoever is logged in."""
        return cls(recordings_folder(), running=running_folder())

    def keeper(self, session: Session) -> Autosave:
        """Keeps a session's events in a hidden file, which can be named at any time."""
        from core.recording.autosave import Autosave

        return Autosave(self.running or self.folder, session.report, codec=self.codec(), secrets=session.setup.secrets)

    def first_snapshot(self) -> Snapshot:
        """Of a session before its first event; what it asks and is answered goes to the disk once it is old."""
        from core.recording.paged_list import roomy_snapshot

        return roomy_snapshot(self.codec())

    def left_behind(self) -> list[Path]:
        """Names for what nobody recorded and a killed console left."""
        from core.recording.autosave import left_behind

        return left_behind(self.running or self.folder, self.folder)

    def reel(self, path: Path) -> OpenRecording:
        """Open a recording and read it once; one that was cut off is mended.

        Raises:
            DataError: it is none, or cannot be read.
        """
        from gui.control.open_recording import read_reel

        return read_reel(path, self.codec())

    def export(self, path: Path, to: str, out: Path) -> Exported:
        """Write a recording in another form, one of `forms`.

        Raises:
            BelvedereError: as `core.recording.exports.export`.
        """
        from core.recording.exports import export_all

        return export_all((path,), to, out, self.codec())


def forms() -> Mapping[str, str]:
    """What recordings can be exported as, and what that is."""
    from core.recording.exports import about

    return about()


def take_over(recording: Recording, number: int) -> TakeOver:
    """The past of an event, to go on from.

    Raises:
        DataError: the recording does not hold the run's beginning, or a part of it is damaged.
    """
    from core.recording import takeover

    return takeover.take_over(recording, number)


def continued(setup: Setup, past: TakeOver) -> Setup:
    """A setup of the recorded run's parts that goes on from its past."""
    from core.recording import takeover

    return takeover.continued(setup, past)


def book_of(annotations: Mapping[str, Annotation]) -> Book:
    """Annotations as a book that changes can be made in."""
    from core.recording.annotations import Book

    return Book(annotations)


def mended(annotations: Iterable[Annotation], end: float) -> tuple[Change, ...]:
    """Changes that give every state an end."""
    from core.recording import annotations as labels

    return labels.mended(annotations, end)


def append(recording: Path, change: Change) -> None:
    """Write one change of a recording's annotations down.

    Raises:
        DataError: it cannot be written.
    """
    from core.recording import annotations as labels

    labels.append(recording, change)
