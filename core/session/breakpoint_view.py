"""The breakpoints with their hits and present values as a view."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from core.planning.measures import FacetIndex
from core.session.breakpoints import Breakpoint, Hit
from core.session.checked_expressions import expression, in_words
from core.session.expressions import ExpressionError
from core.session.snapshot import Snapshot
from core.views.values import Column, Edit, Item, Mark, Table, Tick
from core.views.wording import whole

COLUMNS = (Column("hits", "count", "how often it was true"), Column("turns", "text", "the last turns in which it was"))
FEW = 4
"""Turns that are listed."""
OFF, STOPPED = Mark("off", "muted"), Mark("stopped here", "warn")
TICK, LAST, CHANGE, DELETE = "tick", "last hit", "change", "delete"
"""The names of the edits."""


def breakpoint_view(points: Sequence[Breakpoint], disabled: Collection[Breakpoint], now: Snapshot,
                    index: FacetIndex | None = None) -> Table:
    """Returns a row for each breakpoint: whether it is on, its hits, and its value in a snapshot in words.

    Args:
        points: the breakpoints.
        disabled: those that are off.
        now: holds the hits and the values.
        index: what was computed from the newest facets.
    """
    items = tuple(_item(point, now, index, is_on=point not in disabled) for point in points)
    off = sum(point in disabled for point in points)
    headline = f"{whole(len(points))} set{f' · {off} off' if off else ''}" if points else ""
    return Table(items, COLUMNS, headline=headline, notes="below")


def _item(point: Breakpoint, now: Snapshot, index: FacetIndex | None, *, is_on: bool) -> Item:
    hits = tuple(hit for hit in now.hits if hit.point == point)
    is_stopped = now.stopped is not None and now.stopped.point == point
    marks = (*(() if is_on else (OFF,)), *((STOPPED,) if is_stopped else ()))
    last = (Edit(LAST, "Last hit", key="Return", icon="prev", about="Show the turn of the last hit", any_time=True),)
    edits = (Edit(TICK, "Turn off" if is_on else "Turn on", Tick(is_on), icon="breakpoint"), *(last if hits else ()),
             Edit(CHANGE, "Edit", key="F2", icon="edit"), Edit(DELETE, "Delete", key="Delete", icon="close"))
    values = (hits[-1].count, _turns(hits)) if hits else (0,)
    return Item(point.title, point.title, values, marks, edits=edits, note=value_words(point.expression, now, index))


def _turns(hits: Sequence[Hit]) -> str:
    """Returns the last turns of some hits: `… 3, 5, 6, 9`."""
    turns = list(dict.fromkeys(hit.turn for hit in hits))
    return f"{'… ' * (len(turns) > FEW)}{', '.join(map(str, turns[-FEW:]))}"


def value_words(text: str, now: Snapshot, index: FacetIndex | None = None) -> str:
    """Returns the value of an expression in a snapshot, and of the names in it; or what is wrong with it."""
    try:
        found = expression(text, "truth")
    except ExpressionError as error:
        return str(error).capitalize()
    value, parts = in_words(found.value(now, index=index)), found.readings(now, index=index)
    if value.startswith("unknown") or (len(parts) == 1 and found.text.strip() == parts[0][0]):
        return f"now {value}"
    return f"now {value} · {', '.join(f'{name} {in_words(part)}' for name, part in parts)}"
