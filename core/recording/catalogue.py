"""A catalogue of the events in a recording's file, built in one pass: a row per event, with the moment and kind of each.

They are found at the beginning of the event's text. Decoding an event costs about fifty times as much.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, insort
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from math import isfinite, isnan, nan
from types import MappingProxyType
from typing import cast

import numpy as np
from mcap.records import Metadata

from core.common.errors import DataError
from core.planning.facets import Moment, Phase, View
from core.recording.keyframes import ANY, MARK
from core.recording.losses import Loss, LostPlace
from core.recording.mcap_messages import FIRST_TOPICS, OURS, VIEWS, picture_topic
from core.recording.scan import Chunk, Damage, Message, Scan
from core.recording.types import GATHERED

HEAD = re.compile(
    rb'\{"\$":"Event","number":(\d{1,15}),"at":(-?\d{1,18}(?:\.\d{1,20})?(?:e[-+]?\d{1,2})?),"turn":(\d{1,9}),"branch":(\d{1,9}),'
    rb'(?:"worked":(\d{1,18}(?:\.\d{1,20})?(?:e[-+]?\d{1,2})?),)?"what":\{"\$":"(\w{1,60})"'
    rb'(?:,"facet":\{"\$":"(\w{1,60})"(?:,"view":"([a-z ]{1,30})"'
    rb'(?:,"turn":(\d{1,9}),"phase":"(before|after|about)","branch":(\d{1,9}))?)?)?')
"""Matches the beginning of every recorded event."""
HEAD_BYTES = 400
PHASES: Mapping[bytes, Phase] = MappingProxyType({b"before": "before", b"after": "after", b"about": "about"})
ADDED_UP = frozenset(kind.__name__ for kind in GATHERED)
STATES: Mapping[str, Phase] = MappingProxyType({"TurnBegan": "before", "Acted": "after"})
"""The state in which the robot is at an event."""
PICTURES: Mapping[str, View] = MappingProxyType({picture_topic(view): view for view in VIEWS})
MOST_SECONDS = 1e10
"""A later time of an event is none: no run takes three hundred years."""
LOST_EVENT = "an event that cannot be read"
"""The kind of such an event."""
NOT_FOLDED = ("Frame", LOST_EVENT)
MOST_UNNAMED = 64 * 2**20
"""Bytes after which a file without our profile is given up if no event is found in it."""
Place = tuple[int, int, int]
"""The index of a chunk, and the start and end offset in it."""


@dataclass(slots=True)
class Catalogue:
    """One row per event, in the order of their numbers.

    Attributes:
        numbers: event numbers; some may be missing.
        times: seconds since the session began.
        worked: the seconds of `times` in which the session did not wait for a person; in earlier formats derived from pauses.
        kinds: the kind of each event: an index into `names`, such as `Acted` or `Belief`; `known` is the reverse mapping.
        pictures: event number, modulo 2**32 -> where its JPEG is.
        shown: kind of facet (frames by view) that only replaces itself -> rows of the events that show one.
        taken: row of a picture -> the turn whose state it shows, and whether before or after its action.
        keyframes: event number -> the keyframe after that event, as it is recorded.
        chunks: offsets in bytes from the beginning of the file.
        damages: places that could not be read.
        losses: values that could not be read, in the order in which this was found.
        has_checksums: checksums vouch for everything in it.
        left_out: kinds of facet whose package is not installed; the events that show them have no row.
        zero: when the session's clock stood at 0, in nanoseconds since 1970; 0: unknown.
    """

    numbers: array[int] = field(default_factory=lambda: array("q"))
    times: array[float] = field(default_factory=lambda: array("d"))
    worked: array[float] = field(default_factory=lambda: array("d"))
    turns: array[int] = field(default_factory=lambda: array("q"))
    branches: array[int] = field(default_factory=lambda: array("q"))
    kinds: array[int] = field(default_factory=lambda: array("H"))
    names: list[str] = field(default_factory=list)
    known: dict[str, int] = field(default_factory=dict)
    chunk: array[int] = field(default_factory=lambda: array("L"))
    start: array[int] = field(default_factory=lambda: array("L"))
    end: array[int] = field(default_factory=lambda: array("L"))
    pictures: dict[int, Place] = field(default_factory=dict)
    shown: dict[str, array[int]] = field(default_factory=dict)
    taken: dict[int, tuple[Moment, Phase]] = field(default_factory=dict)
    keyframes: dict[int, bytes] = field(default_factory=dict)
    chunks: list[int] = field(default_factory=list)
    metadata: dict[str, dict[str, str]] = field(default_factory=dict)
    damages: list[LostPlace] = field(default_factory=list)
    losses: list[Loss] = field(default_factory=list)
    has_checksums: bool = True
    left_out: set[str] = field(default_factory=set)
    zero: int = 0
    finished: bool = False

    def kind(self, row: int) -> str:
        """Returns the kind of an event: the name of its payload, or for `Shown` of the facet."""
        return self.names[self.kinds[row]]

    def rows(self, *names: str) -> list[int]:
        """Returns the rows of the events of some kinds."""
        return self._rows([name in names for name in self.names])

    def _rows(self, wanted: list[bool]) -> list[int]:
        """Returns the rows of the events of some kinds; `wanted` is parallel to `names`."""
        found: list[int] = np.flatnonzero(np.array(wanted, bool)[np.array(self.kinds)]).tolist()
        return found

    def is_shown(self, row: int) -> bool:
        """Returns True if the event only replaces a facet."""
        return self.names[self.kinds[row]] in self.shown or self.names[self.kinds[row]] in NOT_FOLDED

    def moment(self, row: int) -> Moment:
        """Returns the turn in which an event was recorded."""
        return Moment(self.branches[row], self.turns[row])

    def is_lost(self, row: int) -> bool:
        """Returns True if an event cannot be read."""
        return self.kind(row) == LOST_EVENT

    def lose(self, rows: Iterable[int], why: str) -> None:
        """Leaves events out that cannot be read: from now on they are of no kind that anything looks for."""
        for row in rows:
            if not self.is_lost(row):
                name = self.kind(row)
                self.losses.append(Loss(name, self.moment(row), why))
                self.kinds[row] = self._number_of(LOST_EVENT)
                for kind, shown in self.shown.items():
                    if kind.split()[0] == name and row in shown:
                        shown.remove(row)

    def lose_picture(self, row: int, why: str) -> None:
        """Leaves the picture of an event out; the event stays."""
        if self.pictures.pop(self.numbers[row] % 2**32, None) is not None:
            self.losses.append(Loss("a picture", self.taken[row][0] if row in self.taken else self.moment(row), why))

    def _number_of(self, name: str) -> int:
        """Returns the number of a kind of event."""
        if name not in self.known:
            self.known[name] = len(self.names)
            self.names.append(name)
        return self.known[name]


def catalogue(scan: Scan, knows_facet: Callable[[str], bool], progress: Callable[[float], None] | None = None) -> Catalogue:
    """Builds the catalogue of a file.

    Args:
        scan: the file.
        knows_facet: returns whether a kind of facet can be read here, by the name of its class.
        progress: receives the share of the file that is done, 0 to 1.

    Raises:
        DataError: there is no event in it.
    """
    found, reading = Catalogue(), _Reading(cache(knows_facet))
    for part in scan.walk():
        if isinstance(part, Chunk):
            _add(found, part, reading)
            if scan.by is not None and not found.numbers and part.offset > MOST_UNNAMED:
                raise scan.foreign()
            if progress is not None:
                progress(part.offset / scan.size)
        elif isinstance(part, Metadata):
            found.metadata[part.name] = dict(part.metadata)
        else:
            reading.damages.append((part, len(found.numbers)))
    found.finished = scan.finished
    found.damages = [_placed(found, damage, row) for damage, row in reading.damages]
    if not found.numbers:
        why = f" ({found.damages[0].damage.why})" if found.damages else ""
        raise scan.foreign() if scan.by is not None else DataError(f"{scan.path.name} holds no event that can be read{why}")
    if len(reading.runs) > 1:
        raise DataError(f"{scan.path.name} holds several runs, as if merged by another program: give the recording of one run")
    _put_in_order(found)
    if any(map(isnan, found.worked)):
        found.worked = _worked(found)
    found.pictures = _pictures(reading)
    return found


@dataclass(slots=True)
class _Reading:
    """What is remembered while a file is read.

    Attributes:
        knows_facet: returns whether a kind of facet can be read here.
        topics: the topic of each channel.
        pictures: view, message and place of each JPEG.
        shown: view, time of publication, moment and phase of the event that shows each picture, and its number.
        states: moment and phase -> when the robot was in that state, in nanoseconds since 1970.
        runs: the different beginnings of runs, as they are recorded.
        damages: what cannot be read, and the number of rows before it.
    """

    knows_facet: Callable[[str], bool]
    topics: dict[int, str] = field(default_factory=lambda: dict(enumerate(FIRST_TOPICS, 1)))
    pictures: list[tuple[View, Message, Place]] = field(default_factory=list)
    shown: list[tuple[View, int, tuple[Moment, Phase], int]] = field(default_factory=list)
    states: dict[tuple[Moment, Phase], int] = field(default_factory=dict)
    runs: set[bytes] = field(default_factory=set)
    damages: list[tuple[Damage, int]] = field(default_factory=list)


def _placed(found: Catalogue, damage: Damage, row: int) -> LostPlace:
    """Returns a damaged place with the turns of the events before it and from `row` on, in the order of the file."""
    return LostPlace(damage, found.moment(row - 1) if row else None, found.moment(row) if row < len(found.turns) else None)


def _add(found: Catalogue, chunk: Chunk, reading: _Reading) -> None:
    number = len(found.chunks)
    found.chunks.append(chunk.offset)
    found.has_checksums &= chunk.has_checksum
    reading.topics |= {channel.id: channel.topic for channel in chunk.channels}
    for message in chunk.messages:
        topic = reading.topics.get(message.channel, "")
        if topic in PICTURES:
            place = number, message.start, message.end
            reading.pictures.append((PICTURES[topic], message, place))
        elif chunk.data.startswith(ANY, message.start, message.end):
            if chunk.data.startswith(MARK, message.start, message.end):
                found.keyframes[message.sequence] = chunk.data[message.start:message.end]
        elif chunk.data.startswith(b"{", message.start, message.end) and (not topic or topic.startswith(OURS)):
            _event(found, number, message, chunk.data, reading)


def _event(found: Catalogue, chunk: int, message: Message, data: bytes, reading: _Reading) -> None:
    head = HEAD.match(data, message.start, min(message.end, message.start + HEAD_BYTES))
    if head is None or not all(abs(float(seconds)) <= MOST_SECONDS for seconds in (head[2], head[5] or b"0")):
        reading.damages.append((Damage(chunk, message.end - message.start, "an event that is none"), len(found.numbers)))
        return
    name = (head[7] or head[6]).decode()
    if head[7] is not None and not reading.knows_facet(name):
        found.left_out.add(name)
        return
    row = len(found.numbers)
    found.numbers.append(int(head[1]))
    found.times.append(float(head[2]))
    found.turns.append(int(head[3]))
    found.branches.append(int(head[4]))
    found.worked.append(nan if head[5] is None else float(head[5]))
    found.kinds.append(found._number_of(name))
    found.chunk.append(chunk)
    found.start.append(message.start)
    found.end.append(message.end)
    if name == "Began" and isfinite(found.times[row]):
        found.zero = message.published - round(found.times[row] * 1e9)
        reading.runs.add(data[message.start:message.end])
    elif name in STATES:
        reading.states[Moment(found.branches[row], found.turns[row]), STATES[name]] = message.time
    if head[7] is not None and head[6] == b"Shown" and name not in ADDED_UP:
        view = head[8].decode() if name == "Frame" and head[8] else ""
        found.shown.setdefault(f"{name} {view}".rstrip(), array("q")).append(row)
        if name == "Frame":
            found.taken[row] = _taken(found, row, head)
            reading.shown.append((cast(View, view), message.published, found.taken[row], found.numbers[row]))


def _put_in_order(found: Catalogue) -> None:
    """Puts the rows in the order of the events' numbers, and leaves out events that the file holds again.

    Other writers keep no order between chunks, and may write a part twice.
    """
    numbers = np.array(found.numbers)
    if not len(numbers) or (np.diff(numbers) > 0).all():
        return
    order = np.argsort(numbers, kind="stable")
    is_new = np.concatenate(([True], np.diff(numbers[order]) > 0))
    kept: list[int] = order[is_new].tolist()
    rows = {row: place for place, row in enumerate(kept)}
    for row, first in zip(order[~is_new].tolist(), np.array(kept)[np.cumsum(is_new)[~is_new] - 1].tolist(), strict=True):
        if _is_other(found, row, first):
            found.damages.append(LostPlace(Damage(found.chunks[found.chunk[row]], found.end[row] - found.start[row],
                                                  f"two events of the number {found.numbers[row]}"), *[found.moment(row)] * 2))
    found.numbers, found.turns, found.branches = (
        array("q", [values[k] for k in kept]) for values in (found.numbers, found.turns, found.branches))
    found.times, found.worked = (array("d", [values[k] for k in kept]) for values in (found.times, found.worked))
    found.chunk, found.start, found.end = (
        array("L", [values[k] for k in kept]) for values in (found.chunk, found.start, found.end))
    found.kinds = array("H", [found.kinds[k] for k in kept])
    found.taken = {rows[row]: shown for row, shown in found.taken.items() if row in rows}
    found.shown = {name: array("q", sorted(rows[row] for row in shown if row in rows)) for name, shown in found.shown.items()}


def _is_other(found: Catalogue, row: int, first: int) -> bool:
    """Returns True if two events of one number differ in kind, moment, time or size."""
    return any(values[row] != values[first] for values in (found.kinds, found.turns, found.branches, found.times)) \
        or found.end[row] - found.start[row] != found.end[first] - found.start[first]


def _pictures(reading: _Reading) -> dict[int, Place]:
    """Returns where the JPEG of each event is: by the number of its message, which is the event's.

    Tools that copy messages may drop their numbers. Then it is found by the time of the state that it shows.
    """
    numbers = {(view, number % 2**32) for view, _, _, number in reading.shown}
    if all((view, message.sequence) in numbers for view, message, _ in reading.pictures):
        return {message.sequence: place for _, message, place in reading.pictures}
    places: defaultdict[tuple[View, int], dict[int, Place]] = defaultdict(dict)
    for view, message, place in reading.pictures:
        places[view, message.time][message.published] = place
    taken = {}
    for view, published, state, number in reading.shown:
        here = places[view, reading.states.get(state, published)]
        if published in here or len(here) == 1:
            taken[number % 2**32] = here.get(published) or next(iter(here.values()))
    return taken


def _taken(found: Catalogue, row: int, head: re.Match[bytes]) -> tuple[Moment, Phase]:
    """Returns the moment and phase a picture shows.

    Before format 3 it does not say so, and counts for the turn it arrived in.
    """
    if head[9] is None or not int(head[9]):
        return Moment(found.branches[row], found.turns[row]), "about"
    return Moment(int(head[11]), int(head[9])), PHASES[head[10]]


def _worked(found: Catalogue) -> array[float]:
    """Returns the seconds of work up to each event, which events of earlier formats do not record."""
    worked, now, before = array("d"), 0.0, 0.0
    is_paused = waits_for_person = False
    for row, recorded in enumerate(found.worked):
        gone, before = max(0.0, found.times[row] - before), found.times[row]
        now = recorded if not isnan(recorded) else now + (0.0 if waits_for_person else gone)
        worked.append(now)
        match found.kind(row):
            case "Paused" | "Resumed" | "Ended" as name:
                is_paused, waits_for_person = name == "Paused", name != "Resumed"
            case "Decided" | "Rewound" | "Switched":
                waits_for_person = False
            case "TurnBegan":
                waits_for_person = is_paused
    return worked


Rows = dict[Phase, int]


class PictureLookup:
    """Looks up the pictures of a recording by what they show. Pictures missing from the file are not included.

    Pictures of formats 1 and 2 do not say which turn they show: they count as "about" the turn they arrived in.
    """

    def __init__(self, catalogue: Catalogue):
        self._rows: dict[tuple[View, Moment], Rows] = {}
        self._turns: dict[tuple[View, int], list[int]] = {}
        for view in VIEWS:
            for row in catalogue.shown.get(f"Frame {view}", ()):
                if catalogue.numbers[row] % 2**32 in catalogue.pictures:
                    self._add(view, row, *catalogue.taken[row])

    def _add(self, view: View, row: int, moment: Moment, phase: Phase) -> None:
        if (view, moment) not in self._rows:
            insort(self._turns.setdefault((view, moment.branch), []), moment.turn)
        self._rows.setdefault((view, moment), {})[phase] = row

    @property
    def views(self) -> tuple[View, ...]:
        """The cameras that took pictures."""
        return tuple(view for view in VIEWS if any(key[0] == view for key in self._turns))

    def of(self, view: View, moment: Moment, *, acted: bool = False) -> tuple[int, Phase] | None:
        """Returns the row of a turn's own picture, and what it shows of the turn; None if there is none.

        Args:
            view: the camera.
            moment: the turn.
            acted: prefer the state after the turn's action.
        """
        rows = self._rows.get((view, moment), {})
        wanted: tuple[Phase, ...] = ("after", "before", "about") if acted else ("before", "about")
        return next(((rows[phase], phase) for phase in wanted if phase in rows), None)

    def near(self, view: View, moment: Moment, *, acted: bool) -> int | None:
        """Returns the row of the picture to display for a turn: its own, else of the nearest earlier turn of its branch."""
        own = self.of(view, moment, acted=acted)
        if own is not None:
            return own[0]
        turns = self._turns.get((view, moment.branch), [])
        place = bisect_left(turns, moment.turn)
        earlier = self.of(view, Moment(moment.branch, turns[place - 1]), acted=True) if place else None
        return None if earlier is None else earlier[0]
