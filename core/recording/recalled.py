"""The logs of a recorded run, each item read when it is first looked at: a seek must not decode what nobody asks for."""

from __future__ import annotations

import threading
from bisect import bisect_left, bisect_right
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, TypeVar, overload

from core.errors import DataError
from core.events import Acted, Asked, AskedAside, Decided, Event, Replied, Rewound, Shown, Switched, TurnBegan
from core.facets import Grounded, Grounding, Ranking
from core.lineage import places_of
from core.log import Log
from core.recording.catalogue import Catalogue
from core.recording.course import Course
from core.snapshot import Call, Snapshot, Turn, call_of, turn_acted, turn_begun, turn_decided
from core.world import Action

T = TypeVar("T")
MOST_PATHS = 8
"""Branches whose actions are kept listed."""


class Recalled(Sequence[T]):
    """A list whose items are made when they are first looked at, and kept: looked at again, they are the same ones.

    Args:
        make: the item of a place.
        lock: held meanwhile.
    """

    __slots__ = ("_items", "_lock", "_make")

    def __init__(self, length: int, make: Callable[[int], T], lock: threading.RLock):
        self._items: list[T | None] = [None] * length
        self._make, self._lock = make, lock

    def __len__(self) -> int:
        return len(self._items)

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[T]: ...
    def __getitem__(self, index: int | slice) -> T | Sequence[T]:
        if isinstance(index, slice):
            return [self[k] for k in range(*index.indices(len(self._items)))]
        found = self._items[index]
        return self._made(index) if found is None else found

    def _made(self, index: int) -> T:
        with self._lock:
            found = self._items[index]
            if found is None:
                found = self._items[index] = self._make(index)
            return found


class Past:
    """The turns, calls, groundings and paths of a recording.

    Args:
        read: an event by its row.
        ranking: what was ranked in the turn of a row, as far as it was shown by then.
        lock: held while something is read; logs are looked at on any thread.
    """

    def __init__(self, catalogue: Catalogue, course: Course, read: Callable[[int], Event],
                 ranking: Callable[[int], Ranking | None], lock: threading.RLock):
        self._catalogue, self._course, self._read, self._ranking, self._lock = catalogue, course, read, ranking, lock
        self._decided = catalogue.rows(Decided.__name__)
        self.turns = Recalled(len(course.turns), self._turn, lock)
        self.calls = Recalled(len(course.calls), self._call, lock)
        self.groundings = Recalled(len(course.grounded), self._grounding, lock)
        self._paths: OrderedDict[int, tuple[Recalled[Action], int]] = OrderedDict()
        self._logs: dict[str, tuple[Sequence[Any], Log[Any]]] = {}

    def dressed(self, snapshot: Snapshot, row: int) -> Snapshot:
        """A snapshot with what was logged and spent up to a row."""
        course = self._course
        answered, model_calls, tokens_in, tokens_out = course.spent.at(row)
        path, length = self._path(row, snapshot.branches)
        return replace(
            snapshot, turns=self._log("turns", self.turns, bisect_right(course.acted, row)),
            calls=self._log("calls", self.calls, answered), path=self._log("path", path, length),
            groundings=self._log("groundings", self.groundings, bisect_left(course.grounded, (row + 1, 0))),
            model_calls=model_calls, tokens_in=tokens_in, tokens_out=tokens_out)

    def _log(self, name: str, items: Sequence[T], length: int) -> Log[T]:
        """The beginning of a log; the one handed out last, where it is the same: who looks at it compares by identity."""
        before = self._logs.get(name)
        if before is None or before[0] is not items or len(before[1]) != length:
            before = self._logs[name] = items, Log.beginning(items, length)
        return before[1]

    # --- items -------------------------------------------------------------
    def _turn(self, place: int) -> Turn:
        first, last = self._course.turns[place]
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
        question, answer = (self._read(row) for row in self._course.calls[place])
        assert isinstance(question.what, Asked | AskedAside)
        assert isinstance(answer.what, Replied)
        return replace(call_of(question, question.what), reply=answer.what.reply)

    def _grounding(self, place: int) -> Grounding:
        row, number = self._course.grounded[place]
        what = self._read(row).what
        assert isinstance(what, Shown)
        assert isinstance(what.facet, Grounded)
        return what.facet.replies[number]

    # --- the path ------------------------------------------------------------
    def _path(self, row: int, branches: tuple[tuple[int, int | None, int], ...]) -> tuple[Recalled[Action], int]:
        """The actions of the branch that is played at a row, and how many of them are done by then."""
        course = self._course
        place = bisect_right(course.diverted, row)
        since = course.diverted[place - 1] if place else -1
        if since not in self._paths:
            before = bisect_right(course.acted, since)
            steps = self._steps(since, before, branches) if place else []
            until = bisect_left(course.acted, course.diverted[place]) if place < len(course.diverted) else len(course.acted)
            done = len(steps) - before
            self._paths[since] = self._along([*steps, *range(before, until)]), done
            if len(self._paths) > MOST_PATHS:
                self._paths.popitem(last=False)
        actions, done = self._paths[since]
        return actions, done + bisect_right(course.acted, row)

    def _along(self, steps: list[int]) -> Recalled[Action]:
        def action(k: int) -> Action:
            outcome = self.turns[steps[k]].outcome
            assert outcome is not None, "turns are logged when they were acted out"
            return outcome.action
        return Recalled(len(steps), action, self._lock)

    def _steps(self, row: int, before: int, branches: tuple[tuple[int, int | None, int], ...]) -> list[int]:
        """Which turns lead to where the run was diverted to.

        Raises:
            DataError: it was diverted to a branch that was never made.
        """
        what, c = self._read(row).what, self._catalogue
        assert isinstance(what, Rewound | Switched)
        played = [(c.turns[first], c.branches[first]) for first, _ in self._course.turns[:before]]
        try:
            line = places_of(played, branches, what.branch)
        except KeyError as error:
            raise DataError(f"event {c.numbers[row]} goes to a branch that was never made") from error
        return [place for place in line if played[place][0] < what.turn]
