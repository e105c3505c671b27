"""Snapshots of a recording at any event.

A seek folds the events from the beginning of its turn, and the few before that still matter. Ordinary turns (a beginning,
requests and replies, a decision, an action) only append to a snapshot's logs and replace what the turn before left. The state
at the beginning of a turn therefore depends on few events, however many there are before it. What is only replaced or appended
to (facets, turns, calls) is looked up instead of folded, and decoded when it is first accessed. A seek into the last turn of a
long run therefore costs no more than one into the first.
"""

from __future__ import annotations

import threading
from bisect import bisect_left, bisect_right, insort
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from types import MappingProxyType
from typing import Any, TypeVar

from core.common.errors import BelvedereError, DataError
from core.common.shared_list import LazyList, SharedList
from core.planning.facets import Facet, Frame, Grounded, Grounding, Moment, Ranking, View
from core.recording.catalogue import LASTING, OPERATOR, Catalogue, Numbers, PictureLookup, numbers_of
from core.recording.losses import EventError
from core.session.events import Acted, Asked, AskedAside, Decided, Event, Replied, Rewound, Shown, Switched, TurnBegan
from core.session.snapshot import NO_FACETS, Facets, Snapshot, call_of, fold, turn_acted, turn_begun, turn_decided
from core.session.turns import Branches, Call, Turn, places_of

Read = Callable[[int], Event]
T = TypeVar("T")
MOST_LINES = 8
"""Number of lines of turns that are kept."""
EVERY = 24
MOST_KEYFRAMES = 4096


class KeyframeIndex:
    """Computes snapshots on demand and keeps keyframes on the way.

    Args:
        read: returns an event by its row.
        lock: held while the items of a snapshot's logs are read, on any thread.
        every: number of folded events from one keyframe to the next.
        most_keyframes: maximum number of keyframes.
    """

    def __init__(self, catalogue: Catalogue, read: Read, lock: threading.RLock | None = None, every: int = EVERY,
                 most_keyframes: int = MOST_KEYFRAMES):
        self._catalogue, self._read, self._every = catalogue, read, every
        self.pictures = PictureLookup(catalogue)
        self._index = build_run_index(catalogue, read)
        self._logs = StoredLogs(catalogue, self._index, read, self._ranking, lock or threading.RLock())
        self._turns, self._special = Keyframes(most_keyframes // 2), Keyframes(most_keyframes // 2)
        self._last = self._turns.kept[0]

    @property
    def keyframes(self) -> list[tuple[int, Snapshot]]:
        """All keyframes that are kept."""
        return [*self._special.kept, *self._turns.kept]

    def at(self, row: int) -> Snapshot:
        """Returns the snapshot after the event of a row; -1: before the first.

        Raises:
            DataError: an event it depends on is damaged, or does not follow from those before it.
        """
        if row < 0:
            return Snapshot()
        start = self._index.start(row)
        at, snapshot = self._turns.before(row)
        if at < self._last[0] <= row:
            at, snapshot = self._last
        if at < start:
            at, snapshot = start, self._at_turn_start(start)
            self._turns.keep(start, snapshot)
        snapshot = self._fold_rows(snapshot, at, row)
        self._last = row, snapshot
        return self._with_facets(self._logs.fill(snapshot, row), row)

    def read_on(self) -> Iterator[object]:
        """Yields every item of the logs. Each is read unless it was read before."""
        for log in (self._logs.turns, self._logs.calls, self._logs.groundings):
            yield from log

    def _at_turn_start(self, row: int) -> Snapshot:
        """Returns the snapshot after the event that begins a turn."""
        index = self._index
        at, snapshot = self._special.before(row - 1)
        late = index.special[bisect_right(index.special, at):bisect_left(index.special, row)]
        for count, special in enumerate(late, 1):
            if special in index.within:
                states = snapshot.branch_states  # what was reported since the turn began still holds
                snapshot = replace(self._fold(snapshot, index.within[special]), branch_states=states)
            snapshot = self._fold(snapshot, special)
            if count % self._every == 0:
                self._special.keep(special, snapshot)
        for other in (*index.left.get(row, ()), row):
            snapshot = self._fold(snapshot, other)
        return snapshot

    def _fold_rows(self, snapshot: Snapshot, at: int, row: int) -> Snapshot:
        """Folds the snapshot from one row to another."""
        rows = [k for k in range(at + 1, row + 1) if not self._catalogue.is_shown(k)]
        for count, k in enumerate(rows, 1):
            snapshot = self._fold(snapshot, k)
            if count % self._every == 0:
                self._turns.keep(k, snapshot)
        return snapshot

    def _fold(self, snapshot: Snapshot, row: int) -> Snapshot:
        """Returns the snapshot after one more event.

        A decision's loss depends on the ranking of that moment, which is looked up for it.

        Raises:
            DataError: the event is damaged, or refers to something that was never recorded.
        """
        event = self._read(row)
        try:
            if not isinstance(event.what, Decided):
                return fold(snapshot, event)
            facets = {type(facet): (facet, moment) for facet, moment in self._known(Ranking.__name__, row)}
            return replace(fold(replace(snapshot, facets=MappingProxyType(facets)), event), facets=snapshot.facets)
        except DataError:
            raise
        except (BelvedereError, LookupError, TypeError, ValueError) as error:
            raise EventError((row,), f"it does not follow from those before it: {error}", f"event {event.number}") from error

    def _newest(self, kind: str, row: int, since: int = -1) -> Iterator[tuple[Facet, Moment]]:
        """Yields the newest facet of a kind after row `since` and up to `row`, and its moment; nothing if there is none."""
        rows = self._catalogue.shown.get(kind, ())
        place = bisect_right(rows, row) - 1
        if place >= 0 and rows[place] > since:
            event = self._read(rows[place])
            if isinstance(event.what, Shown):
                yield event.what.facet, event.what.of or event.moment

    def _known(self, kind: str, row: int) -> Iterator[tuple[Facet, Moment]]:
        """Yields the same, limited to the present line: after a change of branch, its known facets are recorded again."""
        diverted = self._index.diverted
        place = bisect_right(diverted, row) - 1
        return self._newest(kind, row, diverted[place] if place >= 0 else -1)

    def _ranking(self, row: int) -> Ranking | None:
        """Returns the ranking of the turn of an event, as far as it was shown by then."""
        here = Moment(self._catalogue.branches[row], self._catalogue.turns[row])
        shown = (facet for facet, moment in self._known(Ranking.__name__, row) if moment == here)
        return next((facet for facet in shown if isinstance(facet, Ranking)), None)

    def _with_facets(self, snapshot: Snapshot, row: int) -> Snapshot:
        """Returns the snapshot with the newest facets up to a row, and with the pictures of its turn, even late ones."""
        facets, c = self._facets_at(row), self._catalogue
        if c.is_shown(row) and not c.is_lost(row):
            snapshot = replace(snapshot, event=c.numbers[row], at=c.times[row], worked=c.worked[row], turn=c.turns[row],
                               branch=c.branches[row])
        return replace(snapshot, facets=facets, at_action=self._at_action(facets, row),
                       frames=MappingProxyType(self._frames(snapshot)))

    def _facets_at(self, row: int) -> Facets:
        facets: dict[type[Facet], tuple[Facet, Moment]] = {}
        for kind in self._kinds:
            facets |= {type(facet): (facet, moment) for facet, moment in self._known(kind, row)}
        return MappingProxyType(facets)

    @property
    def _kinds(self) -> tuple[str, ...]:
        """The kinds of facet that replace those before, without pictures."""
        return tuple(kind for kind in self._catalogue.shown if not kind.startswith(Frame.__name__))

    def _at_action(self, facets: Facets, row: int) -> Facets:
        """Returns the facets when the action of a row's turn was executed; none before that.

        Args:
            facets: those of the row. They are the same unless one was shown after the action, at the end of a run.
            row: the row.
        """
        index, shown = self._index, self._catalogue.shown
        acted, diverted = (rows[place] if (place := bisect_right(rows, row) - 1) >= 0 else -1
                           for rows in (index.acted, index.diverted))
        if acted <= max(index.start(row), diverted):
            return NO_FACETS
        is_same = all(bisect_right(shown[kind], row) == bisect_right(shown[kind], acted) for kind in self._kinds)
        return facets if is_same else self._facets_at(acted)

    def _frames(self, snapshot: Snapshot) -> dict[View, Frame]:
        acted, found = snapshot.current is None, dict[View, Frame]()
        for view in self.pictures.views:
            row = self.pictures.near(view, snapshot.moment, acted=acted)
            what = None if row is None else self._read(row).what
            if isinstance(what, Shown) and isinstance(what.facet, Frame):
                found[view] = what.facet
        return found


class Keyframes:
    """Snapshots after some rows, at most `most` of them. When there are more, every other one is dropped."""

    def __init__(self, most: int):
        self._most = most
        self.kept: list[tuple[int, Snapshot]] = [(-1, Snapshot())]

    def before(self, row: int) -> tuple[int, Snapshot]:
        """Returns the last keyframe that is not after a row."""
        return self.kept[bisect_right(self.kept, row, key=_row) - 1]

    def keep(self, row: int, snapshot: Snapshot) -> None:
        """Stores a keyframe. It replaces the keyframe of the same row."""
        place = bisect_left(self.kept, row, key=_row)
        self.kept[place:place + (place < len(self.kept) and self.kept[place][0] == row)] = [(row, snapshot)]
        if len(self.kept) > self._most:
            self.kept = self.kept[::2]


def _row(keyframe: tuple[int, Snapshot]) -> int:
    return keyframe[0]


# --- the index of a run ----------------------------------------------------
@dataclass(slots=True)
class RunIndex:
    """The index. It is built in one pass over the events that do more than replace a facet.

    Attributes:
        starts: rows that begin a turn.
        turns: (row that began it, row that completed it) of each completed turn; `acted` holds the latter.
        calls: (row of the request, row of the reply), in order of the replies.
        grounded: (row that reports how replies were interpreted, index of the reply in it), in order.
        diverted: rows at which the run went to another branch, or back.
        special: rows that are always folded: commands that leave a trace, faults, labels, operators' decisions, and the last
            turn begun on a branch that was left.
        within: row of an operator's decision -> row that began its turn; outside a turn a decision leaves no mark.
        left: row that begins a turn -> rows that still matter then: open requests, the list of actions, a pause.
        replied: rows of replies.
        spent: totals of answered calls, model calls, tokens in and tokens out, after so many replies.
    """

    starts: list[int] = field(default_factory=list)
    turns: list[tuple[int, int]] = field(default_factory=list)
    acted: list[int] = field(default_factory=list)
    calls: list[tuple[int, int]] = field(default_factory=list)
    grounded: list[tuple[int, int]] = field(default_factory=list)
    diverted: list[int] = field(default_factory=list)
    special: list[int] = field(default_factory=list)
    within: dict[int, int] = field(default_factory=dict)
    left: dict[int, list[int]] = field(default_factory=dict)
    replied: list[int] = field(default_factory=list)
    spent: list[tuple[int, int, int, int]] = field(default_factory=lambda: [(0, 0, 0, 0)])

    def start(self, row: int) -> int:
        """Returns the row at which the turn of a row begins; -1 before the first."""
        place = bisect_right(self.starts, row)
        return self.starts[place - 1] if place else -1


def build_run_index(catalogue: Catalogue, read: Read) -> RunIndex:
    """Returns the index of a recorded run.

    Args:
        catalogue: its events.
        read: returns an event by its row; called only for events whose quick fields are unknown.

    Raises:
        DataError: such an event is damaged.
    """
    builder = _IndexBuilder(catalogue, read)
    steps = [builder.step(name) for name in catalogue.names]
    kinds = catalogue.kinds
    for row in catalogue.folded():
        steps[kinds[row]](row)
    return builder.index


LISTS = frozenset({"ActionsListed", "ChangesListed"})
"""Events of which the last one counts, until an action is executed."""


class _IndexBuilder:
    """Builds the index, and holds what is open at the present row."""

    def __init__(self, catalogue: Catalogue, read: Read):
        self.index = RunIndex()
        self._quick_fields, self._read = catalogue.quick_fields, read
        self._waiting: dict[int, list[int]] = {}
        self._aside: dict[int, list[int]] = {}
        self._current: int | None = None
        self._listed: dict[str, int] = {}
        self._paused: tuple[int, ...] = ()
        self._ended_branches: set[int] = set()
        """The branches that have ended."""
        self._branches = catalogue.branches

    def step(self, name: str) -> Callable[[int], None]:
        """Returns the method that handles a kind of event."""
        steps: dict[str, Callable[[int], None]] = {
            "TurnBegan": self._began, "Asked": self._asked, "AskedAside": self._asked_aside, "Replied": self._replied,
            "Grounded": self._grounded, "Decided": self._decided, "Acted": self._acted, "Ended": self._ended,
            "Paused": self._paused_run, "Resumed": self._resumed,
            "CommandTaken": self._commanded, "Rewound": self._diverted, "Switched": self._diverted,
        }
        if name in LISTS:
            return partial(self._list, name)
        return steps.get(name, self.index.special.append)

    def _numbers(self, row: int) -> Numbers:
        found = self._quick_fields.get(row)
        return numbers_of(self._read(row).what) if found is None else found

    def _began(self, row: int) -> None:
        self.index.starts.append(row)
        self._current = row
        self._ended_branches.discard(self._branches[row])
        if self._waiting or self._aside or self._listed or self._paused:
            asked = [k for rows in (*self._waiting.values(), *self._aside.values()) for k in rows]
            self.index.left[row] = sorted((*asked, *self._listed.values(), *self._paused))

    def _asked(self, row: int) -> None:
        self._waiting.setdefault(self._numbers(row)[0], []).append(row)

    def _asked_aside(self, row: int) -> None:
        self._aside.setdefault(self._numbers(row)[0], []).append(row)

    def _replied(self, row: int) -> None:
        """An answer goes to all questions of its number; one to an operator's own leaves the planner's waiting."""
        number, model_calls, tokens_in, tokens_out = self._numbers(row)
        aside = self._aside.pop(number, [])
        waiting = self._waiting.get(number, []) if aside else self._waiting.pop(number, [])
        self.index.calls.extend([(asked, row) for asked in (*waiting, *aside)])
        calls, models, sent, received = self.index.spent[-1]
        self.index.replied.append(row)
        calls += len(waiting) + len(aside)
        self.index.spent.append((calls, models + model_calls, sent + tokens_in, received + tokens_out))

    def _grounded(self, row: int) -> None:
        self.index.grounded.extend([(row, k) for k in range(self._numbers(row)[0])])

    def _decided(self, row: int) -> None:
        if self._current is not None and self._numbers(row) == OPERATOR:
            self.index.special.append(row)
            self.index.within[row] = self._current
            self._waiting = {}

    def _acted(self, row: int) -> None:
        if self._current is not None:
            self.index.turns.append((self._current, row))
            self.index.acted.append(row)
            self._current, self._listed = None, {}

    def _list(self, name: str, row: int) -> None:
        self._listed[name] = row

    def _paused_run(self, row: int) -> None:
        self._paused = (row,)

    def _resumed(self, row: int) -> None:
        self._paused = ()

    def _commanded(self, row: int) -> None:
        if self._numbers(row) == LASTING:
            self.index.special.append(row)

    def _ended(self, row: int) -> None:
        """The end of a branch. That the branch had gone on after an earlier end shows in the last turn begun on it."""
        self._keep_last_start()
        self._turn_broken_off(row)
        self._ended_branches.add(self._branches[row])
        self._paused = ()

    def _diverted(self, row: int) -> None:
        """A change of branch. The state of the branch that is left shows in the last turn begun on it."""
        self._keep_last_start()
        self.index.diverted.append(row)
        self._turn_broken_off(row)
        self._listed = {}
        what = self._read(row).what
        if isinstance(what, Switched) and what.branch in self._ended_branches:
            self._paused = ()

    def _keep_last_start(self) -> None:
        if self.index.starts:
            insort(self.index.special, self.index.starts[-1])

    def _turn_broken_off(self, row: int) -> None:
        self.index.special.append(row)
        self._waiting, self._current = {}, None


# --- logs, decoded on access -------------------------------------------------
class StoredLog(LazyList[T]):
    """A list whose items are made when they are first accessed, and kept. Later accesses return the same objects.

    Args:
        make: returns the item at an index.
        lock: held while an item is made.
    """

    __slots__ = ("_items", "_lock", "_make")

    def __init__(self, length: int, make: Callable[[int], T], lock: threading.RLock):
        self._items: list[T | None] = [None] * length
        self._make, self._lock = make, lock

    def __len__(self) -> int:
        return len(self._items)

    def at(self, place: int) -> T:
        """Returns the item at an index, and makes it if it does not exist yet."""
        found = self._items[place]
        if found is None:
            with self._lock:
                found = self._items[place]
                if found is None:
                    found = self._items[place] = self._make(place)
        return found


class StoredLogs:
    """The turns, calls, groundings and lines of a recording.

    Args:
        read: returns an event by its row.
        ranking: returns the ranking of the turn of a row, as far as it was shown by then.
        lock: held while something is read; logs are accessed on any thread.
    """

    def __init__(self, catalogue: Catalogue, index: RunIndex, read: Callable[[int], Event],
                 ranking: Callable[[int], Ranking | None], lock: threading.RLock):
        self._catalogue, self._index, self._read, self._ranking, self._lock = catalogue, index, read, ranking, lock
        self._decided = catalogue.rows(Decided.__name__)
        self.turns = StoredLog(len(index.turns), self._turn, lock)
        self.calls = StoredLog(len(index.calls), self._call, lock)
        self.groundings = StoredLog(len(index.grounded), self._grounding, lock)
        self._played_again_rows: dict[int, list[int]] = {}
        self._lines: OrderedDict[tuple[int, int], StoredLog[Turn]] = OrderedDict()
        self._logs: dict[str, tuple[Sequence[Any], SharedList[Any]]] = {}

    def fill(self, snapshot: Snapshot, row: int) -> Snapshot:
        """Returns a snapshot with the logs and the totals up to a row."""
        index = self._index
        answered, model_calls, tokens_in, tokens_out = index.spent[bisect_right(index.replied, row)]
        line, length = self._line(row, snapshot.branches)
        return replace(
            snapshot, turns=self._log("turns", self.turns, bisect_right(index.acted, row)),
            calls=self._log("calls", self.calls, answered), line=self._log("line", line, length),
            groundings=self._log("groundings", self.groundings, bisect_left(index.grounded, (row + 1, 0))),
            model_calls=model_calls, tokens_in=tokens_in, tokens_out=tokens_out)

    def _log(self, name: str, items: Sequence[T], length: int) -> SharedList[T]:
        """Returns the beginning of a log. An unchanged one is the same object, because its readers compare by identity."""
        before = self._logs.get(name)
        if before is None or before[0] is not items or len(before[1]) != length:
            before = self._logs[name] = items, SharedList.beginning(items, length)
        return before[1]

    # --- items -------------------------------------------------------------
    def _turn(self, place: int) -> Turn:
        first, last = self._index.turns[place]
        began, acted = self._read(first), self._read(last)
        assert isinstance(began.what, TurnBegan)
        assert isinstance(acted.what, Acted)
        turn = turn_begun(began, began.what)
        for row in self._decided[bisect_right(self._decided, first):bisect_left(self._decided, last)]:
            what = self._read(row).what
            assert isinstance(what, Decided)
            turn = turn_decided(turn, what, self._ranking(row))
        return turn_acted(turn, acted, acted.what)

    def _call(self, place: int) -> Call:
        question, answer = (self._read(row) for row in self._index.calls[place])
        assert isinstance(question.what, Asked | AskedAside)
        assert isinstance(answer.what, Replied)
        return replace(call_of(question, question.what), reply=answer.what.reply)

    def _grounding(self, place: int) -> Grounding:
        row, number = self._index.grounded[place]
        what = self._read(row).what
        assert isinstance(what, Shown)
        assert isinstance(what.facet, Grounded)
        return what.facet.replies[number]

    # --- the line ------------------------------------------------------------
    def _line(self, row: int, branches: Branches) -> tuple[StoredLog[Turn], int]:
        """Returns the line of turns played at a row, and how many of them are completed by then.

        A line ends where the run changes its branch or plays a turn again.
        """
        index = self._index
        place = bisect_right(index.diverted, row)
        since = index.diverted[place - 1] if place else -1
        until = bisect_left(index.acted, index.diverted[place]) if place < len(index.diverted) else len(index.acted)
        again = self._played_again(since, until, branches)
        done = bisect_right(index.acted, row)
        place = bisect_left(again, done)
        first = again[place - 1] + 1 if place else bisect_right(index.acted, since)
        last = again[place] if place < len(again) else until
        if (since, first) not in self._lines:
            self._lines[since, first] = self._log_of([*self._steps(since, first, branches), *range(first, last)])
            if len(self._lines) > MOST_LINES:
                self._lines.popitem(last=False)
        line = self._lines[since, first]
        return line, len(line) - (last - done)

    def _log_of(self, steps: list[int]) -> StoredLog[Turn]:
        return StoredLog(len(steps), lambda k: self.turns[steps[k]], self._lock)

    def _played_again(self, since: int, until: int, branches: Branches) -> list[int]:
        """Returns which turns between one change of branch and the next were played before on their branch."""
        if since not in self._played_again_rows:
            before = bisect_right(self._index.acted, since)
            steps, numbers = self._steps(since, before, branches), self._catalogue.turns
            latest, found = -1 if not steps else numbers[self._index.turns[steps[-1]][0]], []
            for place in range(before, until):
                number = numbers[self._index.turns[place][0]]
                if number <= latest:
                    found.append(place)
                latest = max(latest, number)
            self._played_again_rows[since] = found
        return self._played_again_rows[since]

    def _steps(self, since: int, acted: int, branches: Branches) -> list[int]:
        """Returns which of the first `acted` completed turns lead to the branch that the run is on after row `since`.

        Raises:
            DataError: they are of a branch that was never made.
        """
        if since < 0 and not acted:
            return []
        c, index = self._catalogue, self._index
        what = self._read(since).what if since >= 0 else None
        branch = what.branch if isinstance(what, Rewound | Switched) else c.branches[index.acted[acted - 1]]
        try:
            return places_of(((c.turns[first], c.branches[first]) for first, _ in index.turns[:acted]), branches, branch)
        except KeyError as error:
            row = since if since >= 0 else index.acted[acted - 1]
            raise EventError((row,), "it is of a branch that was never made", f"event {c.numbers[row]}") from error
