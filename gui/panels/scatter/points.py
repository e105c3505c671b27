"""The points of the scatter chart over the last updates, the ranges of its axes, and the positions of its labels."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF

from core.planning.facets import Moment
from core.planning.search_facets import RankedAction, Ranking
from core.world.vocabulary import Action

UPDATES = 5


@dataclass(frozen=True, slots=True)
class Point:
    """A visited action with its visits and value."""

    action: Action
    ranked: RankedAction
    visits: int
    value: float


class Trails:
    """The newest points and the last positions of each, oldest first. Another turn or branch clears the positions."""

    def __init__(self) -> None:
        self.points: tuple[Point, ...] = ()
        self._past: dict[Action, deque[tuple[float, int]]] = {}
        self._ranking: Ranking | None = None
        self._moment: Moment | None = None

    def take(self, ranking: Ranking | None, moment: Moment | None) -> bool:
        """Takes a ranking. Returns False if it is the same object as before."""
        if ranking is self._ranking:
            return False
        if ranking is None or moment != self._moment or self._fell_back(ranking):
            self._past.clear()
        self._ranking, self._moment = ranking, moment
        actions = ranking.actions if ranking is not None else ()
        self.points = tuple(Point(r.steps[-1], r, r.visits, r.value) for r in actions if r.value is not None and r.steps)
        for point in self.points:
            past = self._past.setdefault(point.action, deque(maxlen=UPDATES + 1))
            if not past or past[-1] != (point.value, point.visits):
                past.append((point.value, point.visits))
        return True

    def of(self, action: Action) -> tuple[tuple[float, int], ...]:
        """Returns (value, visits) of an action at the last updates, the newest last."""
        return tuple(self._past.get(action, ()))

    def _fell_back(self, ranking: Ranking) -> bool:
        """Returns True if the search restarted within the turn."""
        return self._ranking is not None and ranking.simulations < self._ranking.simulations


@dataclass(frozen=True, slots=True)
class Range:
    """The interval that an axis spans, in units of the data."""

    low: float
    high: float

    def suits(self, needed: Range) -> bool:
        """Returns True if an axis of this range can stay: all that is needed fits, and fills at least a third of it."""
        return self.low <= needed.low and needed.high <= self.high and 3 * (needed.high - needed.low) >= self.high - self.low


def value_range(values: Iterable[float]) -> Range:
    """Returns a range a little wider than the values, so that marks do not touch the edges.

    Its ends are multiples of a quarter of the spread's power of ten: the axis stays the same while values change a little.
    """
    known = list(values)
    low, high = (min(known), max(known)) if known else (0.0, 1.0)
    spread = max(high - low, 0.5)
    grain = 10 ** math.floor(math.log10(spread)) / 4
    return Range(math.floor((low - 0.08 * spread) / grain) * grain, math.ceil((high + 0.1 * spread) / grain) * grain)


def visits_range(most: int) -> Range:
    """Returns the range of log10(visits + 1). It begins above 0 and below the lowest tick."""
    return Range(0.12, math.ceil(2 * math.log10(max(most, 3) + 1) * 1.05) / 2)


def value_ticks(span: Range, most: int = 8) -> list[float]:
    """Returns round numbers within a range, about `most` of them."""
    rough = (span.high - span.low) / max(1, most)
    power = 10 ** math.floor(math.log10(rough))
    step = next(power * k for k in (1, 2, 5, 10) if power * k >= rough)
    first = math.ceil(span.low / step)
    return [k * step for k in range(first, math.floor(span.high / step) + 1)]


def visit_ticks(span: Range) -> list[int]:
    """Returns the visit counts 1, 3, 10, 30 … within a range of log10(visits + 1)."""
    found, power = list[int](), 1
    while math.log10(power + 1) <= span.high:
        found += [power * k for k in (1, 3) if span.low <= math.log10(power * k + 1) <= span.high]
        power *= 10
    return found


def radius(prior: float, scale: float) -> float:
    """Returns the radius of a mark in pixels. It grows with the square root of the prior."""
    return (4.5 + 13.5 * math.sqrt(max(0.0, min(1.0, prior)))) * scale


def place_labels(points: Sequence[tuple[QPointF, float]], sizes: Sequence[tuple[float, float]],
                 area: QRectF) -> list[QRectF | None]:
    """Returns a rectangle for each label beside its mark, or None where there is no room.

    A label covers neither labels nor other marks. Only the first label may cover a mark rather than be left out.
    """
    marks = [QRectF(p.x() - r, p.y() - r, 2 * r, 2 * r) for p, r in points]
    taken: list[QRectF] = []
    found: list[QRectF | None] = []
    for k, (width, height) in enumerate(sizes):
        point, r = points[k]
        others = [m for j, m in enumerate(marks) if j != k] + taken
        spots = _spots(point, r, width, height)
        fitting = [s for s in spots if area.contains(s)]
        free = next((s for s in fitting if not any(s.intersects(o) for o in others)), None)
        if free is None:  # the first label may cover a mark, but never another label
            free = next((s for s in fitting if not any(s.intersects(o) for o in taken)), None) if k == 0 else None
        found.append(free)
        if free is not None:
            taken.append(free)
    return found


def _spots(p: QPointF, r: float, width: float, height: float) -> list[QRectF]:
    """Returns the rectangles to try in turn: right, left, above, below, the corners, then further up and down."""
    gap, top = r + 5, p.y() - height / 2
    beside = [QRectF(p.x() + gap, top, width, height), QRectF(p.x() - gap - width, top, width, height)]
    over = [QRectF(p.x() - width / 2, p.y() - gap - height + 2, width, height),
            QRectF(p.x() - width / 2, p.y() + gap - 2, width, height)]
    corners = [QRectF(x, y, width, height)
               for y in (p.y() - r - height, p.y() + r) for x in (p.x() + r, p.x() - r - width)]
    further = [s.translated(0, dy) for dy in (-height, height, -2 * height, 2 * height) for s in beside]
    return [*beside, *over, *corners, *further]
