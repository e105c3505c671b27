"""Checks breakpoints at the events of a run, each only when something that it names has changed."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace

from core.common.readings import Read, Value
from core.planning.facets import Facet, Moment
from core.planning.measures import FacetIndex
from core.planning.search_facets import Ranking
from core.session.breakpoints import Breakpoint, Breakpoints
from core.session.checked_expressions import Expression, condition, in_words
from core.session.events import Decided, Event, Rewound, Shown, Switched
from core.session.quantities import State
from core.session.snapshot import Snapshot, turn_decided
from core.world import vocabulary

Found = tuple[Breakpoint, str, int]
"""A breakpoint, what matched, and how often it was true so far."""


class PointChecker:
    """Follows the events of a run and returns the breakpoints that each makes true.

    A breakpoint is hit when its expression becomes true, once more in each later turn in which it is found true, and each time
    when it names something momentary, such as the chosen action or a reply.

    Args:
        points: the breakpoints that are set.

    Attributes:
        silent: returns True while a recorded past is replayed: nothing is checked then.
    """

    def __init__(self, points: Breakpoints):
        self._points = points
        self.silent: Callable[[], bool] = lambda: False
        self._now, self._index = Snapshot(), FacetIndex()
        self._earlier: dict[type[Facet], Facet] = {}
        """The facet of each kind that was shown before the newest one on this line of turns."""
        self._counts: Counter[Breakpoint] = Counter()
        self._true_in: dict[Breakpoint, Moment] = {}
        """The turn in which a breakpoint was hit last, while its expression stays true."""
        self._sorted: tuple[Breakpoint, ...] = ()
        self._by_change: dict[type, list[tuple[Read[State], Breakpoint, Expression]]] = {}

    def see(self, event: Event, now: Snapshot) -> tuple[Found, ...]:
        """Returns the breakpoints that an event makes true. Decisions are checked by `before_action`.

        Args:
            event: the event.
            now: the snapshot after it.
        """
        what, before, self._now = event.what, self._now.facets, now
        if isinstance(what, Rewound | Switched):
            self._earlier.clear()
        if not isinstance(what, Shown):
            return () if isinstance(what, Decided) else self._check(type(what), now)
        kind = type(what.facet)
        if kind in before:
            self._earlier[kind] = before[kind][0]
        return () if what.of is not None else self._check(kind, now)

    def before_action(self, decided: Decided) -> tuple[Found, ...]:
        """Returns the breakpoints that a decision makes true, before it is emitted and executed."""
        now = self._now
        if now.current is not None and self._checked(Decided):
            now = replace(now, current=turn_decided(now.current, decided, now.fresh(Ranking)))
        return self._check(Decided, now)

    def _checked(self, change: type) -> Sequence[tuple[Read[State], Breakpoint, Expression]]:
        """Returns the breakpoints that are checked at a change."""
        if self._sorted is not self._points.active:
            self._sort()
        found = self._by_change.get(change) or (self._by_change.get(Shown) if issubclass(change, Facet) else None) or ()
        return () if found and self.silent() else found

    def _check(self, change: type, now: Snapshot) -> tuple[Found, ...]:
        checked, found = self._checked(change), list[Found]()
        if not checked:
            return ()
        state = State(now, self._earlier, self._index)
        for test, point, expression in checked:
            if test(state) is not True:
                if self._true_in:
                    self._true_in.pop(point, None)
            elif change in expression.momentary or self._true_in.get(point) != now.moment:
                self._true_in[point] = now.moment
                self._counts[point] += 1
                if self._counts[point] >= point.from_hit:
                    found.append((point, _matched(change, expression, state), self._counts[point]))
        for point, _, _ in found:
            if point.once:
                self._points.remove(point)
        return tuple(found)

    def _sort(self) -> None:
        self._sorted = self._points.active
        by_change: defaultdict[type, list[tuple[Read[State], Breakpoint, Expression]]] = defaultdict(list)
        for point in self._sorted:
            found = condition(point.expression)
            for change in found.changes:
                by_change[change].append((found.test, point, found))
        for change, points in by_change.items():
            if issubclass(change, Facet):  # names that any facet changes are checked with those that this kind changes
                points += [point for point in by_change.get(Shown, ()) if point not in points]
        self._by_change = dict(by_change)
        self._true_in = {point: moment for point, moment in self._true_in.items() if point in self._sorted}


def _matched(change: type, expression: Expression, state: State) -> str:
    """Returns the values that an expression was true for: `before open fridge_1, gap 0.15`."""
    def words(name: str, value: Value) -> str:
        if name == "action" and change is Decided:
            return f"before {vocabulary.in_words(str(value))}"
        return f"{name} {in_words(value)}"

    readings = sorted(expression.readings(state.now, state.earlier, state.index), key=lambda reading: reading[0] != "action")
    told = [reading for reading in readings if reading[0] != "turn"] or readings  # every hit says its turn
    return ", ".join(words(name, value) for name, value in told)
