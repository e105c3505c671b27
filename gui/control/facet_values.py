"""The facets of two snapshots side by side: which kinds differ, in which of their parts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.planning.facets import Facet, heading_of, view_of
from core.session.snapshot import Snapshot
from core.views.changes import same
from core.views.diff import Aligned, Difference, aligned, diff, figures_of
from core.views.fields import parts_of, short_text
from core.views.values import View
from gui.widgets.numbers import count

FIRST = ("Ranking", "Blocking tree", "State graph", "State dictionary", "Belief")
"""The kinds that are opened first if they differ."""
LONGEST = 60
"""The maximum number of characters of a value in the text about a difference."""
MISSING = "not shown"


@dataclass(frozen=True, slots=True)
class FacetDifference:
    """One kind of facet in two snapshots.

    Attributes:
        title: the name of the kind.
        same: whether both snapshots hold it, with equal values.
        left: the parts that differ, with their values in the left snapshot. Empty if nothing differs.
        right: the same of the right snapshot.
        facets: the facet of each side; None if it was not shown.
    """

    title: str
    same: bool
    left: str = ""
    right: str = ""
    facets: tuple[Facet | None, Facet | None] = (None, None)

    @property
    def views(self) -> tuple[View | None, View | None]:
        """The view of each side."""
        left, right = self.facets
        return None if left is None else view_of(left), None if right is None else view_of(right)


Pair = tuple[Snapshot, Snapshot]


@dataclass(frozen=True, slots=True)
class Compared:
    """Two snapshots compared, and the items of one kind.

    Attributes:
        pair: the snapshots.
        kinds: a comparison for every kind of facet.
        chosen: the kind whose items were found; None: none was chosen.
        items: what is new, gone, moved or changed in it.
        rows: both sides of it in one row each, if its items have a weight.
        differing: how many of these rows differ.
        figures: the figures of these rows that matter most.
    """

    pair: Pair
    kinds: tuple[FacetDifference, ...]
    chosen: FacetDifference | None = None
    items: tuple[Difference, ...] = ()
    rows: tuple[Aligned, ...] = ()
    differing: int = 0
    figures: tuple[str, ...] = ()


def compared(pair: Pair, chosen: str, before: Compared | None, *, opens: bool) -> Compared:
    """Returns two snapshots compared. Two large trees take half a second: call it off the GUI thread.

    Args:
        pair: the snapshots.
        chosen: the title of the kind whose items are wanted.
        before: the last comparison; that of the same snapshots is used again.
        opens: choose the first kind that differs if `chosen` is empty.
    """
    kinds = before.kinds if before is not None and before.pair is pair else facet_differences(*pair)
    differ = [kind.title for kind in kinds if not kind.same]
    if not chosen and opens:
        chosen = next((title for title in FIRST if title in differ), next(iter(differ), ""))
    kind = next((kind for kind in kinds if kind.title == chosen), None)
    if kind is None:
        return Compared(pair, kinds)
    left, right = kind.views
    rows, items = aligned(left, right), () if kind.same else diff(left, right)
    differing = sum(row.kind != "same" for row in rows)
    return Compared(pair, kinds, kind, items, rows, differing, figures_of(left or right))


def is_same_moment(left: Snapshot, right: Snapshot) -> bool:
    """Returns True if both snapshots belong to the same turn of the same branch of the same run."""
    return left.began is right.began and left.moment == right.moment


def has_same_facets(left: Snapshot, right: Snapshot) -> bool:
    """Returns True if both snapshots hold the very same facets."""
    return left.facets.keys() == right.facets.keys() and all(left.facet(kind) is right.facet(kind) for kind in left.facets)


def facet_differences(left: Snapshot, right: Snapshot) -> tuple[FacetDifference, ...]:
    """Returns a comparison for every kind of facet that one of two snapshots holds: those that differ first, then by name."""
    rows = [_difference(kind, left.facet(kind), right.facet(kind)) for kind in {**left.facets, **right.facets}]
    return tuple(sorted(rows, key=lambda row: (row.same, row.title)))


def _difference(kind: type[Facet], left: Facet | None, right: Facet | None) -> FacetDifference:
    if left is None or right is None:
        left_words, right_words = (MISSING if facet is None else "shown" for facet in (left, right))
        return FacetDifference(heading_of(kind), False, left_words, right_words, (left, right))
    pairs = [(name, a, b) for (name, a), (_, b) in zip(parts_of(left), parts_of(right), strict=True) if not same(a, b)]
    return FacetDifference(heading_of(kind), not pairs, " · ".join(_text(name, a, b) for name, a, b in pairs),
                           " · ".join(_text(name, b, a) for name, a, b in pairs), (left, right))


def _text(name: str, value: object, other: object) -> str:
    """Returns a part that differs as text: its name with its value, or with the number of items if it has several."""
    name = name.replace("_", " ")
    items = [part for _, part in parts_of(value)]
    if not items or isinstance(value, np.ndarray):
        return f"{name} {short_text(value)[:LONGEST]}"
    others = [part for _, part in parts_of(other)]
    if len(items) != len(others):
        return f"{name}: {count(len(items), 'item')}"
    differing = sum(not same(a, b) for a, b in zip(items, others, strict=True))
    return f"{name}: {differing} of {count(len(items), 'item')} differ"
