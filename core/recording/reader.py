"""A recording open for reading: its events, the snapshot at any moment, its pictures and calls."""

from __future__ import annotations

import hashlib
import json
import re
import threading
from bisect import bisect_left, bisect_right
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

import numpy as np

from core.common.errors import BelvedereError, DataError, UsageError
from core.planning.facets import Frame, Moment, View
from core.recording.catalogue import Catalogue, PictureLookup, catalogue
from core.recording.codec import Codec
from core.recording.files import is_being_written, path_of
from core.recording.losses import EventError, lost_bytes, lost_values
from core.recording.mcap_messages import FORMAT, READ_FORMATS, jpeg_in, metadata_of
from core.recording.pictures import with_pixels
from core.recording.scan import Scan
from core.recording.states import StateIndex
from core.session.events import Began, Event, Rewound, Shown
from core.session.snapshot import Snapshot
from core.views.wording import count

T = TypeVar("T")
MOST_CHUNKS_BYTES = 64 * 2**20
MOST_EVENTS = 256
MOST_UNFIT = 50
"""How many events that do not follow from those before them are left out one by one."""
RUN = re.compile("[0-9a-f]{24}")
"""Matches the id of a run."""


@dataclass(frozen=True, slots=True)
class TurnMark:
    """A turn on the timeline: the numbers of its first and last event, and the times at which it began and was completed."""

    number: int
    branch: int
    first: int
    last: int
    began: float
    ended: float | None


class Recording:
    """Reads one file. Safe to use from several threads. Close it, or use it in a `with`.

    Events are addressed by their numbers, which may have gaps.

    Attributes:
        metadata: planner, simulator, scene, provider, seed, goal, versions as text.
        codec: the codec its values are decoded with.
    """

    def __init__(self, scan: Scan, found: Catalogue, codec: Codec):
        self.path, self.codec, self._scan, self._catalogue = scan.path, codec.forgiving(), scan, found
        self._lock = threading.RLock()
        self._chunks: OrderedDict[int, bytes] = OrderedDict()
        self._held = 0
        self._event = lru_cache(MOST_EVENTS)(self._read)
        self._index: StateIndex | None = None
        self._is_growing = not found.finished and is_being_written(scan.path)
        self.metadata: Mapping[str, str] = found.metadata.get("belvedere") or self._metadata()
        if self.metadata.get("format", FORMAT) not in READ_FORMATS:
            raise DataError(f"{self.path.name} is of format {self.metadata['format'][:20]}, this version reads {FORMAT}: "
                            "open it with a newer Belvedere")
        if not found.has_checksums:
            self.check()
        elif found.damages:
            self._lose_orphans()
        self._sound(lambda: self._states)

    def _metadata(self) -> Mapping[str, str]:
        """Returns the metadata of a file whose writer left it out, from the beginning of the run; empty without that."""
        began = next(self.of_kind("Began"), None)
        return metadata_of(began.what, self._catalogue.zero, self.codec) if began and isinstance(began.what, Began) else {}

    @property
    def notice(self) -> str:
        """That the recording is partial, and what is left out because its package is not installed, in one line.

        Empty if it is whole. A damaged event of a file with checksums is known only once it was read: see `check`.
        """
        lost = sorted({*self._catalogue.left_out, *self.codec.left_out})
        left_out = f"left out, as the package they belong to is not installed here: {', '.join(lost)}"
        return "; ".join(filter(None, (self._partial(), left_out if lost else "")))

    def _partial(self) -> str:
        """Returns that only a part of the recording can be read; empty if it is whole."""
        if not self.damage:
            return ""
        if self._is_growing:
            return f"{self.path.name} is being recorded now: this is the beginning of it"
        turns = self.count("Acted")
        return (f"{self.path.name} is only partly there, {count(turns, 'turn')} of it: {self.damage} "
                "(`recover` saves what is left as a whole file)")

    # --- contents -----------------------------------------------------
    def __len__(self) -> int:
        return len(self._catalogue.numbers)

    @property
    def numbers(self) -> range:
        """The range from the first event's number to the last's."""
        return range(self._catalogue.numbers[0], self._catalogue.numbers[-1] + 1)

    @property
    def start(self) -> int:
        """The number of the first event at which the start of the episode can be seen.

        The first turn has begun, and what the planner believes then is shown. Of a recording without turns, the first event.
        """
        c = self._catalogue
        begun, acted = c.rows("TurnBegan"), c.rows("Acted", "Ended")
        if not begun:
            return c.numbers[0]
        last = acted[0] if acted else len(self)
        shown = (rows[0] for kind in ("GoalProgress", "Belief") if (rows := c.rows(kind)) and begun[0] < rows[0] < last)
        return c.numbers[max((begun[0], *shown))]

    @property
    def identity(self) -> str:
        """The id of the run, the same for each copy of the recording, and for no other run.

        Recordings of earlier versions name none: theirs is a digest of how and when the run began, or of its first event.
        """
        run = self.metadata.get("run", "")
        if RUN.fullmatch(run):
            return run
        first = next(self.raw(self._catalogue.kind(0))) if not self.metadata else b""
        return hashlib.sha256(first or json.dumps(dict(self.metadata), sort_keys=True).encode()).hexdigest()[:24]

    @property
    def seconds(self) -> float:
        """The time of its last event, in seconds since the session began."""
        return self._catalogue.times[-1]

    @property
    def end(self) -> Mapping[str, str]:
        """The outcome as the recorder noted it last: success, reason, branch. Empty without an end, and in earlier files."""
        return self._catalogue.metadata.get("belvedere.end", {})

    @property
    def is_over(self) -> bool:
        """True if the branch that was played last has ended, and no turn was begun since."""
        rows = self._catalogue.rows("Ended", "TurnBegan", "Rewound", "Switched")
        return bool(rows) and self._catalogue.kind(rows[-1]) == "Ended"

    @property
    def damage(self) -> str:
        """What is wrong with the file, in words; empty if it is whole."""
        found = self._catalogue
        parts = "" if found.finished else "it was cut off", lost_bytes(found.damages), lost_values(found.losses)
        return "; ".join(filter(None, parts))

    @property
    def is_damaged(self) -> bool:
        """Whether something in the file cannot be read, apart from an end that is missing."""
        return bool(self._catalogue.damages or self._catalogue.losses)

    def count(self, *names: str) -> int:
        """Returns the number of events of some kinds of payload or facet."""
        return len(self._catalogue.rows(*names))

    def turns(self) -> tuple[TurnMark, ...]:
        """Returns all turns, in the order they were played."""
        c = self._catalogue
        begun, acted = c.rows("TurnBegan"), c.rows("Acted")
        ends = [row - 1 for row in begun[1:]] + [len(self) - 1]
        found = []
        for row, end in zip(begun, ends[:len(begun)], strict=True):
            place = bisect_right(acted, end) - 1
            ended = c.times[acted[place]] if place >= 0 and acted[place] > row else None
            found.append(TurnMark(c.turns[row], c.branches[row], c.numbers[row], c.numbers[end], c.times[row], ended))
        return tuple(found)

    def number_at(self, *, seconds: float | None = None, turn: int | None = None, branch: int | None = None) -> int:
        """Returns the number of the last event up to a moment, or up to the end of a turn (the last one of that number).

        Raises:
            DataError: there is no such turn.
        """
        c = self._catalogue
        if seconds is not None:
            return c.numbers[max(0, bisect_right(c.times, seconds) - 1)]
        begun = c.rows("TurnBegan")
        fits = (k for k in reversed(range(len(begun))) if c.turns[begun[k]] == turn and branch in (None, c.branches[begun[k]]))
        place = next(fits, None)
        if place is None:
            on = "" if branch is None else f" of branch {branch}"
            raise DataError(f"{self.path.name} holds no turn {turn}{on}: it has {len(begun)}")
        return c.numbers[begun[place + 1] - 1 if place + 1 < len(begun) else len(c.numbers) - 1]

    def decided_at(self, moment: Moment) -> int:
        """Returns the number of the event at which a turn's action was executed.

        Without one: of the last event before the run left the turn or ended, or of the last event of all.

        Raises:
            DataError: there is no such turn.
        """
        c, last = self._catalogue, self.number_at(turn=moment.turn, branch=moment.branch)
        end = bisect_right(c.numbers, last) - 1
        begun = c.rows("TurnBegan")
        first = begun[bisect_right(begun, end) - 1]
        done = next((row for row in c.rows("Acted", "Rewound", "Switched", "Ended") if first < row <= end), None)
        return last if done is None else c.numbers[done if c.kind(done) == "Acted" else done - 1]

    def number_beside(self, number: int, by: int) -> int:
        """Returns the number of the event `by` rows after (or before) one; the first or last if there is none."""
        numbers = self._catalogue.numbers
        row = bisect_right(numbers, number) - 1 + by
        return numbers[min(max(row, 0), len(numbers) - 1)]

    @property
    def worked(self) -> float:
        """Seconds of work up to its last event, without the time spent waiting for a person."""
        return self._catalogue.worked[-1]

    def worked_at(self, seconds: float) -> float:
        """Returns how many of the seconds up to a moment were work."""
        return float(np.interp(seconds, self._catalogue.times, self._catalogue.worked))

    def time_of(self, number: int) -> float:
        """Returns the time of an event, in seconds."""
        return self._catalogue.times[max(0, bisect_right(self._catalogue.numbers, number) - 1)]

    # --- events ------------------------------------------------------------
    def events(self, first: int = 0, last: int | None = None) -> Iterator[Event]:
        """Yields the events numbered `first` to `last`, pictures included, without those that cannot be read."""
        numbers = self._catalogue.numbers
        end = len(numbers) if last is None else bisect_right(numbers, last)
        yield from self._readable(range(bisect_left(numbers, first), end))

    def of_kind(self, *names: str, pictured: bool = True) -> Iterator[Event]:
        """Yields the events of some kinds of payload (`Acted`) or facet (`Belief`), without reading any other.

        Those that cannot be read are left out.

        Args:
            names: the names of the classes.
            pictured: False leaves out the pixels of frames, which take most of the time.
        """
        yield from self._readable(self._catalogue.rows(*names), pictured=pictured)

    def _readable(self, rows: Iterable[int], *, pictured: bool = True) -> Iterator[Event]:
        for row in rows:
            with self._lock:
                event = self._read_or_lose(row, pictured=pictured)
            if event is not None:
                yield event

    def check(self) -> None:
        """Reads every event once. Those that cannot be read are left out from now on, and `notice` names them."""
        for _ in self.events():
            pass
        with self._lock:
            self._lose_orphans()

    def _lose_orphans(self) -> None:
        """Leaves out the events of branches of which nothing says where they began, and those that lead there."""
        c, made = self._catalogue, {0}
        for row in c.rows("Rewound"):
            event = self._read_or_lose(row)
            if event is not None and isinstance(event.what, Rewound) and event.what.parent in made:
                made.add(event.what.branch)
        lost = np.flatnonzero(~np.isin(np.array(c.branches), list(made))).tolist()
        if any(not c.is_lost(row) for row in lost):
            self._lose(lost, "the beginning of its branch is missing")

    def _read_or_lose(self, row: int, *, pictured: bool = True) -> Event | None:
        """Returns an event; None if it cannot be read: then it is left out from now on."""
        if self._catalogue.is_lost(row):
            return None
        try:
            return self._read(row, pictured=pictured)
        except EventError as error:
            self._lose(error.rows, error.why)
            return None

    def _lose(self, rows: Iterable[int], why: str) -> None:
        self._catalogue.lose(rows, why)
        self._index = None

    def _sound(self, make: Callable[[], T]) -> T:
        """Returns what `make` does. Events that it needs and that cannot be used are left out.

        Raises:
            DataError: there are too many of them.
        """
        for attempt in range(MOST_UNFIT):
            try:
                return make()
            except EventError as error:
                with self._lock:
                    self._lose(error.rows, error.why)
                if attempt == 0:
                    self.check()
        return make()

    @property
    def _states(self) -> StateIndex:
        """The index of what is not left out."""
        if self._index is None:
            self._index = StateIndex(self._catalogue, self._event, self.codec, self._lock)
        return self._index

    def raw(self, *names: str) -> Iterator[bytes]:
        """Yields the events of some kinds as they are recorded: JSON, not decoded and not checked.

        Raises:
            DataError: a chunk is damaged.
        """
        c = self._catalogue
        for row in c.rows(*names):
            with self._lock:
                yield self._data(c.chunk[row])[c.start[row]:c.end[row]]

    # --- moments -----------------------------------------------------------
    def snapshot_at(self, number: int | None = None, *, turn: int | None = None, seconds: float | None = None) -> Snapshot:
        """Returns the snapshot after an event, at the end of a turn, or at a moment; without any of these, at the end.

        The items of its logs (turns, calls, groundings, line) are read from the file when they are first accessed. Access them
        before the file is closed, or call `read_on` first.

        Events that cannot be read are left out.

        Raises:
            DataError: there is no such turn. Access to an item of a log may raise it, too, if the event is damaged.
        """
        if turn is not None or seconds is not None:
            number = self.number_at(turn=turn, seconds=seconds)
        with self._lock:
            numbers = self._catalogue.numbers
            row = len(numbers) - 1 if number is None else bisect_right(numbers, number) - 1
            return self._sound(lambda: self._states.at(row))

    def figures(self) -> Snapshot:
        """Returns the snapshot at the end without facets, pictures, calls and groundings, which costs little.

        Raises:
            DataError: too many events cannot be used.
        """
        with self._lock:
            return self._sound(lambda: self._states.figures())

    def end_of(self, turn: TurnMark) -> Snapshot:
        """Returns the last snapshot of a turn: after its last event, before the run went back or to another branch.

        Raises:
            DataError: an event it depends on is damaged.
        """
        moment, number = Moment(turn.branch, turn.number), turn.last
        while (snapshot := self.snapshot_at(number)).moment != moment and number > turn.first:
            number = self.number_beside(number, -1)
        return snapshot

    def before_action(self, turn: TurnMark) -> int:
        """Returns the number of the last event of a turn before its action was executed, or of its last event.

        Raises:
            DataError: an event is damaged.
        """
        moment = Moment(turn.branch, turn.number)
        acted = next((event.number for event in self.of_kind("Acted") if event.moment == moment), None)
        return turn.last if acted is None else self.number_beside(acted, -1)

    def read_on(self) -> None:
        """Reads all items of the snapshots' logs. They are then available without the file and at no cost."""
        self._sound(lambda: [None for _ in self._states.read_on()])  # each item takes the lock, so that a seek need not wait

    def frames_at(self, seconds: float) -> dict[View, Frame]:
        """Returns each camera's picture of the turn at a moment, or of the nearest turn before it."""
        snapshot = self.snapshot_at(seconds=seconds)
        return dict(snapshot.frames) if seconds >= snapshot.at else {}

    @property
    def picture_rows(self) -> PictureLookup:
        """The rows of pictures by the turn they show."""
        return self._sound(lambda: self._states).pictures

    def jpeg_of(self, row: int) -> bytes:
        """Returns a picture as it was recorded.

        Args:
            row: the row of the event that shows it, as `picture_rows` returns it.

        Raises:
            DataError: it is damaged.
        """
        with self._lock:
            found = self._picture(self._catalogue.numbers[row])
        if found is None:
            raise DataError(f"{self.path.name}: the picture of event {self._catalogue.numbers[row]} is gone")
        return jpeg_in(found)

    def jpegs(self, view: View) -> Iterator[tuple[int, bytes]]:
        """Yields (event number, JPEG) of every stored picture of a camera, in the order they arrived."""
        c = self._catalogue
        for row in c.shown.get(f"Frame {view}", ()):
            if c.numbers[row] % 2**32 in c.pictures:
                yield c.numbers[row], self.jpeg_of(row)

    # --- the file ----------------------------------------------------------
    def present_path(self) -> Path:
        """Returns the file's present path, also after another program has renamed or moved it. `path` is changed to it.

        A file that was moved to another disk or deleted is not found: `path` then stays as it was.
        """
        with self._lock:
            if not self._scan.file.closed:
                self.path = self._scan.path = path_of(self._scan.file, self.path)
            return self.path

    def close(self) -> None:
        """Closes the file. May be called twice."""
        with self._lock:
            self._scan.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def _read(self, row: int, *, pictured: bool = True) -> Event:
        c = self._catalogue
        data = self._data(c.chunk[row])[c.start[row]:c.end[row]]
        try:
            event = self.codec.loads(data, Event)
            what = event.what
            if event.worked != c.worked[row]:  # earlier formats do not record it
                event = replace(event, worked=c.worked[row])
            if pictured and isinstance(what, Shown) and isinstance(what.facet, Frame):
                frame = what.facet.dated(event.turn, event.branch)
                event = replace(event, what=Shown(self._pictured(row, frame)))
        except DataError as error:
            raise EventError((row,), str(error), f"{self.path.name}, event {c.numbers[row]}") from error
        return event

    def _pictured(self, row: int, frame: Frame) -> Frame:
        """Returns a frame with its picture, which is black if it cannot be read."""
        message, black = self._picture(self._catalogue.numbers[row]), with_pixels(frame, None)
        if message is None:
            return black
        try:
            return with_pixels(frame, jpeg_in(message))
        except DataError as error:
            self._catalogue.lose_picture(row, str(error))
            self._index = None
            return black

    def _picture(self, number: int) -> bytes | None:
        """Returns the message that holds the picture of an event; None if there is none."""
        place = self._catalogue.pictures.get(number % 2**32)
        return None if place is None else self._data(place[0])[place[1]:place[2]]

    def _data(self, chunk: int) -> bytes:
        """Returns the unpacked content of a chunk."""
        data = self._chunks.get(chunk)
        if data is None:
            if self._scan.file.closed:
                raise DataError(f"{self.path.name} is closed: open it again")
            data = self._chunks[chunk] = self._scan.data_at(self._catalogue.chunks[chunk])
            self._held += len(data)
            while len(self._chunks) > 1 and self._held > MOST_CHUNKS_BYTES:
                self._held -= len(self._chunks.popitem(last=False)[1])
        else:
            self._chunks.move_to_end(chunk)
        return data


def open_recording(path: Path, codec: Codec | None = None, progress: Callable[[float], None] | None = None, *,
                   checked: bool = False) -> Recording:
    """Opens a recording, which is only read. Of a file that is cut off, damaged or being written the intact parts are read.

    Args:
        path: the recording.
        codec: decodes its values.
        progress: receives the share of the file that is catalogued, 0 to 1.
        checked: read everything in it once, so that `notice` names all that cannot be read.

    Raises:
        DataError: it is not a recording, or nothing in it can be read.
    """
    scan, codec = Scan(path), codec or Codec()
    try:
        recording = Recording(scan, catalogue(scan, codec.knows_facet, progress), codec)
        if checked:
            recording.check()
        return recording
    except BaseException:
        scan.close()
        raise


def recordings_in(paths: Iterable[Path]) -> tuple[Path, ...]:
    """Returns recordings given as files or folders, each once. Hidden files of a folder are left out.

    Raises:
        UsageError: a path does not exist, or there is no recording.
    """
    found: dict[Path, None] = {}
    paths = tuple(paths)
    for path in paths:
        if path.is_dir():
            found |= dict.fromkeys(sorted(p for p in path.rglob("*.mcap") if not p.name.startswith(".")))
        elif path.is_file():
            found[path] = None
        else:
            raise UsageError(f"there is no file or folder {path}: give recordings (.mcap), or folders that hold some")
    if not found:
        raise UsageError(f"no recording (.mcap) is in {', '.join(map(str, paths))}: give files, or folders that hold some")
    return tuple(found)


def read_each(files: Iterable[Path], read: Callable[[Recording], T], left_out: Callable[[str], object],
              codec: Codec | None = None) -> list[T]:
    """Returns what `read` finds in each recording. One that cannot be read, or only in part, is told in a line."""
    found, codec = [], codec or Codec()
    for file in files:
        try:
            with open_recording(file, codec, checked=True) as recording:
                found.append(read(recording))
                if recording.damage:
                    left_out(recording.notice)
        except BelvedereError as error:
            left_out(f"left out: {error}")
    return found
