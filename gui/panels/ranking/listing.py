"""The rows of the ranking: which actions are listed, and in what order."""

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
"""Rows with fewer visits are drawn faint."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row: an action of the ranking, or one that the operator banned (then `ranked` may be None)."""

    action: Action
    ranked: RankedAction | None
    banned: bool = False

    @property
    def visits(self) -> int:
        """The number of simulations that began with the action."""
        return self.ranked.visits if self.ranked is not None else 0

    @property
    def faint(self) -> bool:
        """True if the action is banned or has too few visits to judge it."""
        return self.banned or self.visits < LEAST_VISITS


@dataclass(frozen=True, slots=True)
class Listing:
    """The rows, and how many actions are left out: never visited, or not about the goal."""

    rows: tuple[Row, ...] = ()
    unvisited: int = 0
    filtered: int = 0

    def index_of(self, action: Action | None) -> int:
        """Returns the row of an action, or -1."""
        return next((k for k, row in enumerate(self.rows) if row.action == action), -1)


def telling(ranked: RankedAction) -> Action:
    """Returns the action that stands for a macro: its last step."""
    return ranked.steps[-1]


def make_listing(ranking: Ranking, banned: frozenset[Action], *, goal: Goal | None = None, room: int = 10_000,
                 order: Sequence[Action] = ()) -> Listing:
    """Returns the rows to show.

    Args:
        ranking: best first.
        banned: the banned actions; they are listed last.
        goal: lists only actions about objects of this goal; None: all actions.
        room: how many rows fit; unvisited actions beyond that are only counted.
        order: the order to keep while rows must not move.
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
    """Returns True if the action has an object or location that the goal names."""
    named = {name for literal in goal.literals for name in (literal.subject, literal.target) if name}
    return any(arg in named or split_id(arg)[0] in named for arg in action.args)


def lead(ranking: Ranking) -> float | None:
    """Returns by how much the best action's value exceeds the next one's; None if fewer than two have a value."""
    values = sorted((r.value for r in ranking.actions if r.value is not None), reverse=True)
    return values[0] - values[1] if len(values) > 1 else None


def not_possible(snapshot: Snapshot) -> int:
    """Returns how many actions were listed as impossible now; 0 if no list was requested."""
    listed = snapshot.options
    if listed is None or listed.thing:
        return 0
    return sum(not verdict.ok for _, verdict in listed.options)


def row_words(row: Row, names: Names) -> str:
    """Returns a row as text."""
    if row.banned:
        return f"{names.phrase(row.action)}, banned"
    ranked = row.ranked
    if ranked is None or ranked.value is None:
        return f"{names.phrase(row.action)}, never visited"
    lost = "best" if not ranked.loss else f"loss {ranked.loss:.1f}"
    return f"{names.phrase(row.action)}, {ranked.visits} visits, value {ranked.value:.2f}, {lost}"
