"""Watched expressions: which there are, and their values at the end of each turn of the run or recording."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from functools import partial

from PySide6.QtCore import QObject, Signal

from core.common.readings import Unknown, Value
from core.common.shared_list import SharedList
from core.planning.facets import Moment
from core.planning.measures import FacetIndex
from core.session.checked_expressions import Expression, watch
from core.session.events import Began
from core.session.expressions import ExpressionError
from core.session.snapshot import Snapshot
from core.session.turns import Turn, line_of
from gui.control.kept_settings import KeptSettings, Texts

ReadTurn = Callable[[Moment, Callable[[Snapshot | None], None]], None]
MOST = 6
"""Watches at once; each takes a row under the timeline."""
KEY = "watches"
Series = tuple[tuple[int, Value], ...]
"""(turn, value) of the turns of a line."""


class Watches(QObject):
    """The watched expressions, kept with the settings. A turn's value is the one at its end.

    Args:
        read_turn: reads the last snapshot of a turn and passes it on, at once or later; None if it is not kept.
    """

    changed = Signal()
    """There are other watches, or other values."""

    def __init__(self, read_turn: ReadTurn):
        super().__init__()
        self._read_turn = read_turn
        self._watched: tuple[Expression, ...] = ()
        self._values: dict[Moment, dict[str, Value]] = {}
        self._snapshot = Snapshot()
        self.index = FacetIndex()
        """What the expressions in the window read of the newest facets; they are computed once for all."""
        self._began: Began | None = None
        self._turns: SharedList[Turn] = SharedList()
        self._left: deque[Moment] = deque()
        self._is_reading = self._is_asking = False
        """Whether a turn is being read, and whether it is asked for at this moment: it may come at once."""
        self.keep_in(KeptSettings())

    @property
    def watched(self) -> tuple[Expression, ...]:
        """The expressions, in the order they were added."""
        return self._watched

    @property
    def texts(self) -> tuple[str, ...]:
        """The expressions as they are written."""
        return tuple(expression.text for expression in self._watched)

    @property
    def snapshot(self) -> Snapshot:
        """The newest snapshot of the run or recording."""
        return self._snapshot

    def keep_in(self, settings: KeptSettings) -> None:
        """Takes the watches of other windows, and keeps changes. What is no expression of this version is left out."""
        self._settings = settings
        settings.follow(KEY, self._read_kept)
        self._read_kept()

    def add(self, text: str) -> bool:
        """Adds an expression. Returns False if it is watched already, or there are too many.

        Raises:
            ExpressionError: it cannot be plotted.
        """
        found = watch(" ".join(text.split()))
        if found in self._watched or len(self._watched) >= MOST:
            return False
        self._change(lambda known: dict.fromkeys((*known, found.text)))
        return True

    def remove(self, text: str) -> None:
        """Removes an expression."""
        self._change(lambda known: [one for one in known if one != text])

    def _change(self, change: Callable[[Texts], Iterable[str]]) -> None:
        self._settings.change_texts(KEY, lambda known: change(tuple(one.text for one in _expressions(known))))

    def _read_kept(self) -> None:
        self._watched = _expressions(self._settings.texts(KEY))
        self._read_all()

    # --- values ----------------------------------------------------------------
    def now(self, expression: Expression) -> Value:
        """Returns its value in the newest snapshot."""
        return expression.value(self._snapshot, index=self.index)

    def series(self, expression: Expression, branch: int) -> Series:
        """Returns the values of the turns that lead to a branch's newest moment, without those that could not be read."""
        snapshot = self._snapshot
        found = [(turn.number, self._values.get(turn.moment, {}).get(expression.text))
                 for turn in line_of(snapshot.turns, snapshot.branches, branch)]
        if branch == snapshot.branch and snapshot.ended is None and snapshot.current is not None:
            found.append((snapshot.turn, self.now(expression)))
        return tuple((number, value) for number, value in found if value is not None)

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Takes the newest snapshot of the run or recording."""
        if snapshot is self._snapshot:
            return
        self._snapshot = snapshot
        new = snapshot.turns.since(self._turns)
        if new is None or snapshot.began is not self._began:
            self._began, self._values = snapshot.began, {}
            self._left.clear()
            new = snapshot.turns
        self._turns = snapshot.turns
        for turn in new:
            self._values.pop(turn.moment, None)  # it may have been played again
            self._left.append(turn.moment)
        self._read_next()
        if self._watched:
            self.changed.emit()

    def _read_all(self) -> None:
        """Reads all turns again that lack a value."""
        self._left = deque(turn.moment for turn in self._turns)
        self._read_next()
        self.changed.emit()

    def _read_next(self) -> None:
        """Reads turns that are over, one after the other. The newest one is not over before the next begins."""
        snapshot = self._snapshot
        while self._left and self._watched and not self._is_reading:
            moment = self._left[0]
            if moment == snapshot.moment and snapshot.ended is None:
                return
            self._left.popleft()
            if any(expression.text not in self._values.get(moment, {}) for expression in self._watched):
                self._is_reading = self._is_asking = True
                self._read_turn(moment, partial(self._take, moment, self._began))
                self._is_asking = False

    def _take(self, moment: Moment, began: Began | None, found: Snapshot | None) -> None:
        self._is_reading = False
        if found is not None and began is self._began:
            self._values[moment] = {expression.text: expression.value(found) for expression in self._watched}
            self.changed.emit()
        if not self._is_asking:
            self._read_next()


def _expressions(kept: Texts) -> tuple[Expression, ...]:
    """Returns the expressions of some texts. Earlier versions kept all as the lines of one."""
    found = [line for text in kept for line in text.split("\n") if is_watch(line)]
    return tuple(map(watch, dict.fromkeys(found)))[:MOST]


def is_watch(text: str) -> bool:
    """Returns True if a text is an expression that can be plotted."""
    try:
        watch(text)
    except ExpressionError:
        return False
    return True


def known(series: Iterable[tuple[int, Value]]) -> tuple[tuple[int, float | None], ...]:
    """Returns numbers for a plot: 1 and 0 for true and false, None where the value is unknown."""
    return tuple((number, None if isinstance(value, Unknown | str) else float(value)) for number, value in series)
