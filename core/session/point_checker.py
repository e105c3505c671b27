"""Checks breakpoints at the events of a run, each only when something that it names has changed."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence

from core.planning.facets import Moment
from core.session.breakpoints import Breakpoint, Breakpoints
from core.session.checked_expressions import Expression, condition, in_words
from core.session.events import Decided, Event, Shown
from core.session.expressions import Read, Value
from core.session.live_state import LiveState
from core.session.quantities import State
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
        self._now = LiveState()
        self._state = State(self._now, self._now.earlier)
        self._counts: Counter[Breakpoint] = Counter()
        self._true_in: dict[Breakpoint, Moment] = {}
        """The turn in which a breakpoint was hit last, while its expression stays true."""
        self._sorted: tuple[Breakpoint, ...] = ()
        self._by_change: dict[type, list[tuple[Read[State], Breakpoint, Expression]]] = {}

    def see(self, event: Event) -> tuple[Found, ...]:
        """Takes an event. Returns the breakpoints that it makes true. Decisions are checked by `before_action`."""
        what, now = event.what, self._now
        now.take(event)
        is_repeated = isinstance(what, Shown) and what.of is not None
        if isinstance(what, Decided) or is_repeated:
            return ()
        return self._check(type(what.facet) if isinstance(what, Shown) else type(what))

    def before_action(self, decided: Decided) -> tuple[Found, ...]:
        """Returns the breakpoints that a decision makes true, before it is emitted and executed."""
        if not self._checked(Decided):
            return ()
        turn = self._now.current
        self._now.decide(decided)
        found = self._check(Decided)
        self._now.current = turn
        return found

    def _checked(self, change: type) -> Sequence[tuple[Read[State], Breakpoint, Expression]]:
        """Returns the breakpoints that are checked at a change."""
        if self._sorted is not self._points.active:
            self._sort()
        found = self._by_change.get(change, ())
        return () if found and self.silent() else found

    def _check(self, change: type) -> tuple[Found, ...]:
        now, state, found = self._now, self._state, list[Found]()
        for test, point, expression in self._checked(change):
            if test(state) is not True:
                if self._true_in:
                    self._true_in.pop(point, None)
            elif change in expression.momentary or self._true_in.get(point) != now.moment:
                self._true_in[point] = now.moment
                self._counts[point] += 1
                if self._counts[point] >= point.from_hit:
                    found.append((point, _matched(change, expression, now), self._counts[point]))
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
        self._by_change = dict(by_change)
        self._true_in = {point: moment for point, moment in self._true_in.items() if point in self._sorted}


def _matched(change: type, expression: Expression, now: LiveState) -> str:
    """Returns the values that an expression was true for: `before open fridge_1, gap 0.15`."""
    def words(name: str, value: Value) -> str:
        if name == "action" and change is Decided:
            return f"before {vocabulary.in_words(str(value))}"
        return f"{name} {in_words(value)}"

    readings = sorted(expression.readings(now, now.earlier), key=lambda reading: reading[0] != "action")
    told = [reading for reading in readings if reading[0] != "turn"] or readings  # every hit says its turn
    return ", ".join(words(name, value) for name, value in told)
