"""An index of a recorded run: which rows of the catalogue make up each turn and call, and which rows must always be folded.

Ordinary turns (a beginning, requests and replies, a decision, an action) only append to a snapshot's logs and replace what the
turn before left. The state at the beginning of a turn therefore depends on few events, however many there are before it.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Callable
from dataclasses import dataclass, field
from operator import add

from core.common.errors import DataError
from core.recording.catalogue import LASTING, OPERATOR, Catalogue, Numbers, numbers_of
from core.session.events import Event, Switched

Read = Callable[[int], Event]


@dataclass(slots=True)
class Sums:
    """Running totals of some counts after each of some rows."""

    rows: list[int] = field(default_factory=list)
    totals: list[tuple[int, ...]] = field(default_factory=list)
    now: tuple[int, ...] = (0, 0, 0, 0)

    def add(self, row: int, *more: int) -> None:
        """Adds to the counts, at a row."""
        self.now = tuple(map(add, self.now, more))
        self.rows.append(row)
        self.totals.append(self.now)

    def at(self, row: int) -> tuple[int, ...]:
        """Returns the totals after the event of a row."""
        place = bisect_right(self.rows, row)
        return self.totals[place - 1] if place else (0, 0, 0, 0)


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
        spent: totals of answered calls, model calls, tokens in, tokens out.
        broken: the first row that cannot be read; what follows it is not indexed.
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
    spent: Sums = field(default_factory=Sums)
    broken: int | None = None

    def start(self, row: int) -> int:
        """Returns the row at which the turn of a row begins; -1 before the first."""
        place = bisect_right(self.starts, row)
        return self.starts[place - 1] if place else -1


def build_run_index(catalogue: Catalogue, read: Read) -> RunIndex:
    """Returns the index of a recorded run.

    Args:
        catalogue: its events.
        read: returns an event by its row; called only for events whose quick fields are unknown.
    """
    builder = _IndexBuilder(catalogue, read)
    steps = [builder.step(name) for name in catalogue.names]
    kinds, index = catalogue.kinds, builder.index
    for row in catalogue.folded():
        try:
            steps[kinds[row]](row)
        except DataError:
            index.broken = row
            break
    return index


class _IndexBuilder:
    """Builds the index, and holds what is open at the present row."""

    def __init__(self, catalogue: Catalogue, read: Read):
        self.index = RunIndex()
        self._quick_fields, self._read = catalogue.quick_fields, read
        self._waiting: dict[int, list[int]] = {}
        self._aside: dict[int, list[int]] = {}
        self._current: int | None = None
        self._listed: tuple[int, ...] = ()
        self._paused: tuple[int, ...] = ()
        self._ended_branches: set[int] = set()
        """The branches that have ended."""
        self._branches = catalogue.branches

    def step(self, name: str) -> Callable[[int], None]:
        """Returns the method that handles a kind of event."""
        match name:
            case "TurnBegan":
                return self._began
            case "Asked" | "AskedAside":
                return self._asked if name == "Asked" else self._asked_aside
            case "Replied":
                return self._replied
            case "Grounded":
                return self._grounded
            case "Decided":
                return self._decided
            case "Acted":
                return self._acted
            case "Ended":
                return self._ended
            case "ActionsListed" | "Paused" | "Resumed" | "CommandTaken":
                return self._handler_of(name)
            case "Rewound" | "Switched":
                return self._diverted
            case _:
                return self.index.special.append

    def _handler_of(self, name: str) -> Callable[[int], None]:
        match name:
            case "ActionsListed":
                return self._listed_actions
            case "Paused":
                return self._paused_run
            case "Resumed":
                return self._resumed
            case _:
                return self._commanded

    def _numbers(self, row: int) -> Numbers:
        found = self._quick_fields.get(row)
        return numbers_of(self._read(row).what) if found is None else found

    def _began(self, row: int) -> None:
        self.index.starts.append(row)
        self._current = row
        self._ended_branches.discard(self._branches[row])
        if self._waiting or self._aside or self._listed or self._paused:
            asked = [k for rows in (*self._waiting.values(), *self._aside.values()) for k in rows]
            self.index.left[row] = sorted((*asked, *self._listed, *self._paused))

    def _asked(self, row: int) -> None:
        self._waiting.setdefault(self._numbers(row)[0], []).append(row)

    def _asked_aside(self, row: int) -> None:
        self._aside.setdefault(self._numbers(row)[0], []).append(row)

    def _replied(self, row: int) -> None:
        """An answer goes to all questions of its number; one to an operator's own leaves the planner's waiting."""
        number, *spent = self._numbers(row)
        aside = self._aside.pop(number, [])
        waiting = self._waiting.get(number, []) if aside else self._waiting.pop(number, [])
        self.index.calls.extend([(asked, row) for asked in (*waiting, *aside)])
        self.index.spent.add(row, len(waiting) + len(aside), *spent)

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
            self._current, self._listed = None, ()

    def _listed_actions(self, row: int) -> None:
        self._listed = (row,)

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
        self._listed = ()
        what = self._read(row).what
        if isinstance(what, Switched) and what.branch in self._ended_branches:
            self._paused = ()

    def _keep_last_start(self) -> None:
        if self.index.starts:
            insort(self.index.special, self.index.starts[-1])

    def _turn_broken_off(self, row: int) -> None:
        self.index.special.append(row)
        self._waiting, self._current = {}, None
