"""The positions (value, visits) of each action at the last updates of a search."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from core.planning.facets import Moment, RankedAction, Ranking
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
