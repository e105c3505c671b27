"""A recording as the window holds it: opened, and read once."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from core.planning.moment import Moment
from core.recording.annotations import Book, read_book
from core.recording.codec import Codec
from core.recording.index import Entry, entries
from core.recording.reader import Recording, TurnMark, open_recording
from core.session.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class OpenRecording:
    """A recording that was read once: all that is asked of it at any moment.

    Attributes:
        end: what was known at its end.
        marks: faults, edits, overrides, labels, branch points, in order.
        book: the annotations, and what can be undone of them.
        odd: lines of the annotations' file that could not be read, in words; or empty.
    """

    recording: Recording
    end: Snapshot
    turns: dict[Moment, TurnMark]
    marks: tuple[Entry, ...]
    book: Book
    odd: str

    @property
    def path(self) -> Path:
        """The file."""
        return self.recording.path


def read_reel(path: Path, codec: Codec) -> OpenRecording:
    """Open a recording and read it once; one that was cut off is mended.

    Raises:
        DataError: it is none, or cannot be read.
    """
    recording = open_recording(path, codec)
    try:
        turns = {Moment(t.branch, t.number): t for t in recording.turns()}
        book, odd = read_book(recording)
        recording.read_on()  # panels look at logs on the GUI thread: it must not wait for the file, nor hear it is damaged
        return OpenRecording(recording, recording.snapshot_at(), turns, entries(recording), book, odd)
    except BaseException:
        recording.close()
        raise
