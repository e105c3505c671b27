"""The logs of a recorded run. Each item is decoded when it is first accessed, so that a seek does not decode items in vain."""

from __future__ import annotations

import threading
from bisect import bisect_left, bisect_right
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from core.common.errors import DataError
from core.common.shared_list import LazyList, SharedList
from core.planning.facets import Grounded, Grounding, Ranking
from core.recording.catalogue import Catalogue
from core.recording.run_index import RunIndex
from core.session.events import Acted, Asked, AskedAside, Decided, Event, Replied, Rewound, Shown, Switched, TurnBegan
from core.session.snapshot import Snapshot, call_of, turn_acted, turn_begun, turn_decided
from core.session.turns import Branches, Call, Turn, places_of

T = TypeVar("T")
MOST_LINES = 8
"""Number of lines of turns that are kept."""


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
        return self._make_at(place) if found is None else found

    def _make_at(self, index: int) -> T:
        with self._lock:
            found = self._items[index]
            if found is None:
                found = self._items[index] = self._make(index)
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
        answered, model_calls, tokens_in, tokens_out = index.spent.at(row)
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
            raise DataError(f"event {c.numbers[row]} is of a branch that was never made") from error
