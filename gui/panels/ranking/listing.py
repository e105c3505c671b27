"""Which actions of a ranking are listed, and in what order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.goals.literals import Goal
from core.planning.facets import RankedAction, Ranking
from core.session.snapshot import Snapshot
from core.world.vocabulary import Action
from gui.widgets import Names
from gui.widgets.names import split_id

LEAST_VISITS = 3
"""Rows with fewer visits are faint."""


@dataclass(frozen=True, slots=True)
class Row:
    """One line: an action of the ranking, or one the operator banned (then `ranked` may be None)."""

    action: Action
    ranked: RankedAction | None
    banned: bool = False

    @property
    def visits(self) -> int:
        """Simulations that began with it."""
        return self.ranked.visits if self.ranked is not None else 0

    @property
    def faint(self) -> bool:
        """Too little evidence to be read at a glance."""
        return self.banned or self.visits < LEAST_VISITS


@dataclass(frozen=True, slots=True)
class Listing:
    """The rows, and what is left out of them."""

    rows: tuple[Row, ...] = ()
    unvisited: int = 0
    filtered: int = 0

    def index_of(self, action: Action | None) -> int:
        """The row of an action, or -1."""
        return next((k for k, row in enumerate(self.rows) if row.action == action), -1)


def telling(ranked: RankedAction) -> Action:
    """What a macro is about: its last step."""
    return ranked.steps[-1]


def make_listing(ranking: Ranking, banned: frozenset[Action], *, goal: Goal | None = None, room: int = 10_000,
                 order: Sequence[Action] = ()) -> Listing:
    """The rows to show.

    Args:
        ranking: best first.
        banned: listed last.
        goal: only what has to do with the goal's things; None: everything.
        room: how many rows fit; actions never visited beyond it are only counted.
        order: the order to keep, while rows must not change places.
    """
    rows = [Row(telling(r), r) for r in ranking.actions if r.steps and telling(r) not in banned]
    kept = [row for row in rows if goal is None or about(goal, row.action)]
    if order:
        place = {action: k for k, action in enumerate(order)}
        kept.sort(key=lambda row: place.get(row.action, len(place)))
    ranked = {telling(r): r for r in ranking.actions if r.steps}
    forbidden = [Row(a, ranked.get(a), True) for a in sorted(banned, key=str)]
    spare = max(1, room - len(forbidden) - sum(row.visits > 0 for row in kept))
    unvisited = [row for row in kept if row.visits == 0]
    left_out = set(map(id, unvisited[spare:]))
    shown = [row for row in kept if id(row) not in left_out]
    return Listing((*shown, *forbidden), len(left_out), len(rows) - len(kept))


def about(goal: Goal, action: Action) -> bool:
    """Whether an action has to do with a thing or place of the goal."""
    named = {name for literal in goal.literals for name in (literal.subject, literal.target) if name}
    return any(arg in named or split_id(arg)[0] in named for arg in action.args)


def lead(ranking: Ranking) -> float | None:
    """By how much the best action's value leads the next best."""
    values = sorted((r.value for r in ranking.actions if r.value is not None), reverse=True)
    return values[0] - values[1] if len(values) > 1 else None


def not_possible(snapshot: Snapshot) -> int:
    """How many actions were listed as not possible now; 0 when nobody asked."""
    listed = snapshot.options
    if listed is None or listed.thing:
        return 0
    return sum(not verdict.ok for _, verdict in listed.options)


def row_words(row: Row, names: Names) -> str:
    """A row in words."""
    if row.banned:
        return f"{names.phrase(row.action)}, banned"
    ranked = row.ranked
    if ranked is None or ranked.value is None:
        return f"{names.phrase(row.action)}, never visited"
    lost = "best" if not ranked.loss else f"loss {ranked.loss:.1f}"
    return f"{names.phrase(row.action)}, {ranked.visits} visits, value {ranked.value:.2f}, {lost}"
