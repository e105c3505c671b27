"""A recording that is open in the window, with everything that was read once when it was opened."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from core.planning.moment import Moment
from core.recording.annotations import AnnotationHistory, read_annotations
from core.recording.codec import Codec
from core.recording.index import Entry, entries
from core.recording.reader import Recording, TurnMark, open_recording
from core.session.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class OpenRecording:
    """A recording and what the window needs of it at any moment, read once.

    Attributes:
        reader: the open file.
        end: the snapshot at its end.
        turns: the turns by branch and number.
        marks: faults, edits, overrides, labels and branch points, in order.
        book: the annotations and their undo history.
        odd: a message about lines of the annotations' file that could not be read, or empty.
    """

    reader: Recording
    end: Snapshot
    turns: dict[Moment, TurnMark]
    marks: tuple[Entry, ...]
    book: AnnotationHistory
    odd: str

    @property
    def path(self) -> Path:
        """The file."""
        return self.reader.path


def read_recording(path: Path, codec: Codec) -> OpenRecording:
    """Opens a recording and reads it once. A recording that was cut off is repaired.

    Raises:
        DataError: it is no recording, or cannot be read.
    """
    recording = open_recording(path, codec)
    try:
        turns = {Moment(t.branch, t.number): t for t in recording.turns()}
        book, odd = read_annotations(recording)
        recording.read_on()  # panels read logs on the GUI thread, which must not wait for the file
        return OpenRecording(recording, recording.snapshot_at(), turns, entries(recording), book, odd)
    except BaseException:
        recording.close()
        raise
