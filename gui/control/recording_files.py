"""The window's access to recording files. What reads and writes them is imported when a session or a file first needs it.

MCAP, Protobuf, msgspec, Pillow and the codec's tables take a third of the time until the window is shown, and are needed on
other threads than the GUI thread. Modules that show recordings import nothing else
that reads or writes files at the start.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from core.planning.facets import Moment
from core.planning.simulation_facets import Margins
from core.recording.files import library_index, recordings_folder, running_folder
from core.session.event_lines import UNLABELLED

if TYPE_CHECKING:
    from core.planning.examples import Example
    from core.recording.codec import Codec
    from core.recording.exports import Exported
    from core.recording.failures.labels import Proposal
    from core.recording.label_log import LabelLog
    from core.recording.reader import Recording, TurnMark
    from core.recording.recorder import Autosave
    from core.session.events import Event
    from core.session.session import Session
    from core.session.snapshot import Snapshot


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Stop:
    """A moment of a recording that can be gone to: a mark of the run, or where a label begins.

    Attributes:
        kind: of the mark, or `label`.
        number: the last event up to it.
        annotator: who gave the label; None for marks.
    """

    kind: str
    number: int
    turn: int
    text: str
    annotator: str | None = None


@dataclass(frozen=True, slots=True)
class OpenRecording:
    """A recording and what the window needs of it at any moment, read once.

    Attributes:
        reader: the open file.
        end: the snapshot at its end.
        turns: the turns by branch and number.
        annotations: the annotations, as they were when it was opened. Used on the GUI thread from then on.
        start: the number of the first event that is shown, see `Recording.start`.
        warning: a message about lines of the annotations' file that could not be read, or empty.
    """

    reader: Recording
    end: Snapshot
    turns: dict[Moment, TurnMark]
    annotations: LabelLog
    start: int
    warning: str

    @property
    def path(self) -> Path:
        """The file."""
        return self.reader.path

    def worded(self) -> Iterator[Event]:
        """Yields the events that have a line in the log, without those about labels, whose lines come from `annotations`."""
        return self.reader.of_kind(*UNLABELLED, pictured=False)

    @property
    def stops(self) -> tuple[Stop, ...]:
        """The marks and labels, in order."""
        marks = (Stop(m.kind, self.reader.number_at(seconds=m.at), m.turn, m.text) for m in self.end.marks)
        labels = (Stop("label", self.reader.number_at(seconds=a.at), a.turn, f"{a.label}: {a.note}" if a.note else a.label,
                       a.annotator) for a in self.annotations.annotations.values())
        return tuple(sorted((*marks, *labels), key=lambda stop: stop.number))


@cache
def standard_codec() -> Codec:
    """Returns the codec of Belvedere's own types. It is shared, because encoding a type again costs less."""
    from core.recording.codec import Codec

    return Codec()


@dataclass(frozen=True, slots=True)
class RecordingFiles:
    """The folders of recordings, and the functions that write and read them.

    Attributes:
        folder: where recordings are saved.
        codec: returns the codec that they are written and read with.
        running: a hidden folder beside the recordings, for the autosave files of runs that are not recorded.
        index: the file of the library's index.
    """

    folder: Path
    codec: Callable[[], Codec] = standard_codec
    running: Path | None = None
    index: Path | None = None

    @classmethod
    def of_user(cls) -> RecordingFiles:
        """Returns the folders of the user who is logged in."""
        return cls(recordings_folder(), running=running_folder(), index=library_index())

    def autosave(self, session: Session) -> Autosave:
        """Returns an autosave for a session: its events go to a hidden file, which can be given a name at any time."""
        from core.recording.recorder import Autosave

        return Autosave(self.running or self.folder, session.report, codec=self.codec(), secrets=session.setup.secrets)

    def first_snapshot(self) -> Snapshot:
        """Returns the snapshot of a session before its first event. Its older model calls are compressed."""
        from core.recording.paged_list import paged_snapshot

        return paged_snapshot(self.codec())

    def left_behind(self) -> list[str]:
        """Names the unrecorded runs that a killed console left. Returns a line about each, and about cut-off recordings."""
        from core.recording.cut_off import what_was_left

        return what_was_left(self.running or self.folder, self.folder, self.codec())

    def read_turn(self, path: Path, turn: int) -> Snapshot:
        """Returns the last snapshot of a turn of a recording, which is closed again. Its logs must not be read.

        Raises:
            DataError: it cannot be read, or has no such turn.
        """
        from core.recording.reader import open_recording

        with open_recording(path, self.codec()) as recording:
            return recording.snapshot_at(turn=turn)

    def open(self, path: Path) -> OpenRecording:
        """Opens a recording and reads it once.

        Raises:
            DataError: it is no recording, or cannot be read.
        """
        from core.recording.annotations import read_annotations
        from core.recording.reader import open_recording

        recording = open_recording(path, self.codec())
        try:
            turns = {Moment(t.branch, t.number): t for t in recording.turns()}
            labels, warning = read_annotations(recording)
            recording.read_on()  # panels read logs on the GUI thread, which must not wait for the file
            return OpenRecording(recording, recording.snapshot_at(), turns, labels, recording.start, warning)
        except BaseException:
            recording.close()
            raise

    def failure_of(self, path: Path, branch: int) -> Proposal | None:
        """Returns why a branch of a run failed, as its file shows it. None if it did not fail.

        The file may be being written: None also if it does not hold the branch yet.

        Raises:
            DataError: the file cannot be read.
        """
        from core.recording.failures.causes import propose
        from core.recording.failures.run import READ
        from core.recording.reader import open_recording

        with open_recording(path, self.codec()) as recording:
            known = {number for number, _, _ in recording.snapshot_at().branches}
            return propose(recording.of_kind(*READ), branch) if branch in known else None

    def read_folder(self, folder: Path, read: Callable[[Recording], T]) -> tuple[tuple[T, ...], tuple[str, ...]]:
        """Returns what `read` finds in each recording of a folder, and a line for each that cannot be read.

        Raises:
            UsageError: there is no recording.
        """
        from core.recording.reader import read_each, recordings_in

        left_out: list[str] = []
        return tuple(read_each(recordings_in((folder,)), read, left_out.append, self.codec())), tuple(left_out)

    def share(self, path: Path, decision: Moment, out: Path, selected: str, panels: tuple[str, ...], *,
              watches: Sequence[str] = (), margins: Margins | None = None) -> None:
        """Writes one decision: a link if `out` has the suffix of links, otherwise a page.

        Args:
            path: the recording, or the file that a live run is written to.
            decision: the turn.
            out: the file to write.
            selected: the id of the object that the link selects; or empty.
            panels: the names of the panels that the link shows.
            watches: expressions whose values the page shows.
            margins: what would change the decision; None: that is not known.

        Raises:
            BelvedereError: the file cannot be read or written, or does not hold the turn.
        """
        from core.recording import permalink
        from core.recording.exports import export_all
        from core.recording.reader import open_recording

        if out.suffix != permalink.SUFFIX:
            export_all((path,), "html", out, self.codec(), decision=decision, watches=watches, margins=margins)
            return
        with open_recording(path, self.codec()) as recording:
            permalink.write(recording, out, decision, selected=selected, panels=panels)

    def keep_example(self, path: Path, decision: Moment) -> tuple[Example, ...]:
        """Keeps one decision as an example for prompts. Returns it with its number; nothing if it is kept already.

        Args:
            path: the recording, or the file that a live run is written to.
            decision: the turn.

        Raises:
            DataError: the file cannot be read, the set cannot be written, or the turn is no example.
        """
        from core.recording.examples import ExampleSet, example_of
        from core.recording.reader import open_recording

        with open_recording(path, self.codec()) as recording:
            return ExampleSet().add((example_of(recording, decision),))

    def forget_example(self, number: int) -> None:
        """Removes an example for prompts.

        Raises:
            DataError: there is none of that number, or the set cannot be written.
        """
        from core.recording.examples import ExampleSet

        ExampleSet().remove(number)

    def export(self, paths: Sequence[Path], to: str, out: Path, watches: Sequence[str] = ()) -> Exported:
        """Writes a recording in another form; several only in a form that takes many. Forms that can show the watches.

        Raises:
            BelvedereError: as `core.recording.exports.export`.
        """
        from core.recording.exports import WATCHED, export_all

        return export_all(paths, to, out, self.codec(), watches=watches if to in WATCHED else ())
