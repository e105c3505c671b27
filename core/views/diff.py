"""What differs between two views of one kind: what is new, gone, moved or changed, and by how much.

Two items are the same if their keys are equal, whatever their order; two nodes of trees, if the keys of all nodes above them
are equal, too. Equal keys are told apart by their order.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, TypeGuard

from core.views.entries import STEP, Entry, Ways, entries_of
from core.views.values import (
    Cell,
    Table,
    Tree,
    View,
)
from core.views.values import Kind as ColumnKind

Kind = Literal["new", "gone", "moved", "changed"]
ORDER: tuple[Kind, ...] = ("moved", "new", "gone", "changed")
EMPTY = "–"
ROUNDING = 1e-12
"""The largest difference of two figures, relative and absolute, that comes from the order in which they were added up."""
LEAST = 2
"""The weight from which on nodes below those next to the root are compared side by side."""


@dataclass(frozen=True, slots=True)
class Change:
    """One value of an entry on both sides.

    Attributes:
        by: right minus left, for numbers; else None.
    """

    name: str
    left: str
    right: str
    by: float | None = None


@dataclass(frozen=True, slots=True)
class Difference:
    """An entry that is not the same on both sides.

    Attributes:
        kind: new: only on the right; gone: only on the left; moved: in another place; changed: other values.
        changes: the values that differ; of a new or gone entry all values, with the other side empty.
    """

    kind: Kind
    name: str
    changes: tuple[Change, ...] = ()

    @property
    def size(self) -> float:
        """The largest change of a number, in absolute value; infinite if something is new, gone, moved or no number."""
        sizes = [abs(change.by) if change.by is not None and not math.isnan(change.by) else math.inf for change in self.changes]
        return max(sizes, default=math.inf) if self.kind == "changed" else math.inf


@dataclass(frozen=True, slots=True)
class Aligned:
    """A row of two tables, or a node of two trees, on both sides.

    Attributes:
        depth: the depth of the node, from 0; 0 in a table.
        left, right: it on each side; None: the side does not have it.
    """

    depth: int
    left: Entry | None
    right: Entry | None

    @property
    def name(self) -> str:
        """Its text."""
        entry = self.left or self.right
        assert entry is not None, "one side has it"
        return entry.name.rpartition(STEP)[2]

    @property
    def kind(self) -> Kind | Literal["same"]:
        """How both sides differ, as in `Difference`."""
        if self.left is None or self.right is None:
            return "new" if self.left is None else "gone"
        if self.left.place != self.right.place:
            return "moved"
        return "same" if next(_changes(self.left, self.right), None) is None else "changed"


def aligned(left: View | None, right: View | None) -> tuple[Aligned, ...]:
    """Returns the items of two tables or two trees side by side if they have a weight; of other views none.

    The rows of a table come in the order of the left one, then those that only the right one has. The nodes of a tree come
    below their parents, the heaviest one first; those whose weight is less than `LEAST` on both sides are left out, unless they
    are at the root or next to it.
    """
    ways: Ways = {}
    match left or right:
        case Table(weight=weight) if weight:
            ours, theirs = _by_key(left, ways), _by_key(right, ways)
            return tuple(Aligned(0, ours.get(key), theirs.get(key)) for key in dict.fromkeys((*ours, *theirs)))
        case Tree(weight=weight) if weight:
            return tuple(_nodes(_by_key(left, ways), _by_key(right, ways), ways, weight))
    return ()


def figures_of(view: View | None) -> tuple[str, ...]:
    """Returns the figures that matter most when two views stand side by side: the weight, then a value, then a probability.

    Views that do not stand side by side have none.
    """
    if not isinstance(view, Table | Tree) or not view.weight:
        return ()
    kinds: tuple[ColumnKind, ...] = ("value", "probability")
    others = (next((column.title for column in view.columns if column.kind == kind), "") for kind in kinds)
    return (view.weight, *filter(None, others))


def _nodes(ours: dict[Hashable, Entry], theirs: dict[Hashable, Entry], ways: Ways, weight: str) -> Iterator[Aligned]:
    weights = [(_weight(ours.get(key), weight), _weight(theirs.get(key), weight)) for key in range(len(ways))]
    depths, below = [0] * len(ways), {key: list[int]() for key in range(-1, len(ways))}
    for (parent, *_), key in ways.items():
        assert isinstance(parent, int), "see Ways"
        depths[key] = depths[parent] + 1 if parent >= 0 else 0
        if depths[key] <= 1 or max(weights[key]) >= LEAST:
            below[parent].append(key)
    left_over = below[-1]
    while left_over:
        key = left_over.pop()
        yield Aligned(depths[key], ours.get(key), theirs.get(key))
        left_over += sorted(below[key], key=weights.__getitem__)  # the last one comes first


def _weight(entry: Entry | None, name: str) -> float:
    if entry is None:
        return -1.0
    found = dict(entry.values).get(name)
    return float(found) if isinstance(found, int | float) else 0.0


def diff(left: View | None, right: View | None) -> tuple[Difference, ...]:
    """Returns how the right view differs from the left one: what moved, is new and is gone, then what changed, by size.

    None stands for a view without items.
    """
    ways: Ways = {}
    ours, theirs = _by_key(left, ways), _by_key(right, ways)
    both = [_compared(ours[key], theirs[key]) for key in ours if key in theirs]
    gone = [entry for key, entry in ours.items() if key not in theirs]
    new = [entry for key, entry in theirs.items() if key not in ours]
    rows = [*_moved(gone, new), *(row for row in both if row is not None)]
    return tuple(sorted(rows, key=lambda row: (ORDER.index(row.kind), -row.size)))


def _by_key(view: View | None, ways: Ways) -> dict[Hashable, Entry]:
    """Returns the entries of a view by key. Call it with the same `ways` for both views."""
    return {} if view is None else {entry.key: entry for entry in entries_of(view, ways)}


def _compared(left: Entry, right: Entry) -> Difference | None:
    if left.values == right.values and left.place == right.place:
        return None
    changes = tuple(_changes(left, right))
    name = max(left.name, right.name, key=lambda text: (len(text), text))  # that of a single root is left out on its side
    if left.place != right.place:
        return Difference("moved", name, (Change("", left.place, right.place), *changes))
    return Difference("changed", name, changes) if changes else None


def _changes(left: Entry, right: Entry) -> Iterator[Change]:
    before, after = dict(left.values), dict(right.values)
    for name in {**before, **after}:
        one, other = before.get(name), after.get(name)
        if not _is_same(one, other):
            by = other - one if _is_number(one) and _is_number(other) else None
            if isinstance(one, frozenset) and isinstance(other, frozenset):
                yield Change(name, _listed(one - other), _listed(other - one))
            else:
                yield Change(name, _text(one), _text(other), by)


def _is_number(value: Cell) -> TypeGuard[float | int]:
    return isinstance(value, float | int) and not isinstance(value, bool)


def _is_same(one: Cell, other: Cell) -> bool:
    """Returns True for equal values, for NaN twice, and for numbers that differ by no more than rounding."""
    if isinstance(one, float) and isinstance(other, float):
        return (math.isnan(one) and math.isnan(other)) or math.isclose(one, other, rel_tol=ROUNDING, abs_tol=ROUNDING)
    return one == other


def _moved(gone: list[Entry], new: list[Entry]) -> Iterator[Difference]:
    """Yields what is gone and what is new. An entry with a place whose name is on both lists once has moved."""
    names = [Counter(entry.name for entry in entries) for entries in (gone, new)]
    left, arrived = ({entry.name: entry for entry in entries} for entries in (gone, new))
    once = {name for name, n in names[0].items() if n == 1 == names[1][name] and left[name].place and arrived[name].place}
    for entry in gone:
        if entry.name in once:
            other = arrived[entry.name]
            yield Difference("moved", entry.name, (Change("", entry.place, other.place), *_changes(entry, other)))
        else:
            yield Difference("gone", entry.name, tuple(Change(n, text, "") for n, text in _all(entry)))
    yield from (Difference("new", entry.name, tuple(Change(n, "", text) for n, text in _all(entry)))
                for entry in new if entry.name not in once)


def _all(entry: Entry) -> Iterator[tuple[str, str]]:
    """Yields the place and the values of an entry as text, without those that are empty."""
    texts = (("", entry.place), *((name, _text(value)) for name, value in entry.values))
    yield from (pair for pair in texts if pair[1] not in ("", EMPTY))


def _text(value: Cell) -> str:
    if value is None:
        return EMPTY
    if isinstance(value, frozenset):
        return _listed(value)
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def _listed(values: Iterable[str]) -> str:
    return ", ".join(sorted(values))
