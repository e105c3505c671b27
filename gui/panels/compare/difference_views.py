"""What differs in the planner's data, as tables: its kinds; of one, the items that differ, or all with both sides."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from core.views.diff import EMPTY, Aligned, Change
from core.views.diff import Kind as Way
from core.views.entries import Entry
from core.views.values import Column, Item, Mark, Table, Tone, Tree
from gui.control.facet_values import Compared, FacetDifference
from gui.widgets.numbers import count

Words = Mapping[Way, str]
BY_TIME: Words = MappingProxyType({"new": "new", "gone": "gone", "moved": "moved", "changed": "changed"})
BY_SIDE: Words = MappingProxyType({**BY_TIME, "new": "only right", "gone": "only left"})
"""What a difference is called between two moments, and between two planners."""
TONES: Mapping[Way, Tone] = MappingProxyType({"new": "good", "gone": "bad", "moved": "aim", "changed": "warn"})
SAME, DIFFERS = Mark("the same", "muted"), Mark("differs", "warn")
MOST_FIGURES = 2
"""The figures of an item that are written on both sides. Differences of the others that matter are shown, too."""
VALUES = (Column("values", about="the values on both sides, and by how much they differ"),)
SIDES = (Column("left", importance=1), Column("right", importance=1), Column("difference", importance=2))


def kinds_view(kinds: Sequence[FacetDifference], title: str) -> Table:
    """Returns a row for every kind of facet, also of other packages: whether both sides are equal, or how they differ."""
    items = (Item(kind.title, kind.title, (kind.left or None, kind.right or None), (SAME if kind.same else DIFFERS,))
             for kind in kinds)
    return Table(tuple(items), SIDES[:2], texts=Column(title), title="Planner data of both sides")


def items_view(found: Compared, words: Words) -> Table:
    """Returns the items that differ: how they do, their values on both sides, and by how much."""
    kinds = Counter(item.kind for item in found.items)
    counts = " · ".join(f"{kinds[way]:,} {word}" for way, word in words.items() if kinds[way])
    title = f"{found.chosen.title}: {counts}" if found.chosen is not None and counts else ""
    items = tuple(Item(item.name, item.name, (" · ".join(map(change_words, item.changes)),), (_mark(item.kind, words),))
                  for item in found.items)
    return Table(items, VALUES, texts=Column(title), title="Items that differ")


def sides_view(found: Compared, words: Words) -> Tree:
    """Returns all items, such as those of two rankings or two trees: the figures left and right, and how they differ."""
    above, items = list[int](), list[Item]()
    for row in found.rows:
        del above[row.depth:]
        shown = found.figures[:MOST_FIGURES]
        sides = (EMPTY if entry is None else ", ".join(figure_words(name, entry) for name in shown)
                 for entry in (row.left, row.right))
        values = (*sides, ", ".join(changes_of(row, found.figures)) or None)
        mark = SAME if row.kind == "same" else _mark(row.kind, words)
        items.append(Item(row.name, row.name, values, (mark,), parent=above[-1] if above else -1))
        above.append(len(items) - 1)
    title = f"{found.differing} of {count(len(items), 'row')} differ"
    return Tree(tuple(items), SIDES, texts=Column(title), title="Both sides")


def _mark(way: Way, words: Words) -> Mark:
    return Mark(words[way], TONES[way])


def figure_words(name: str, item: Entry) -> str:
    """Returns a figure of an item, such as `N 40`."""
    value = dict(item.values).get(name)
    return f"{name} {value:.3g}" if isinstance(value, float) else f"{name} {EMPTY if value is None else value}"


def changes_of(row: Aligned, figures: Sequence[str]) -> Iterator[str]:
    """Yields each of these figures that differs on both sides, such as `N +12`, then the place: `1 → 2`."""
    if row.left is None or row.right is None:
        return
    left, right = dict(row.left.values), dict(row.right.values)
    for name in figures:
        one, other = left.get(name), right.get(name)
        if isinstance(one, float | int) and isinstance(other, float | int) and one != other:
            yield f"{name} {by_words(other - one)}"
    if row.left.place != row.right.place:
        yield f"{row.left.place} → {row.right.place}".replace("rank ", "")


def by_words(by: float) -> str:
    """Returns by how much a figure differs, with its sign: `+12`."""
    return f"{'+' if by > 0 else '−'}{abs(by):.3g}"


def change_words(change: Change) -> str:
    """Returns a change as text, such as `N 40 → 52 (+12)`; with an empty side only the other one."""
    name = f"{change.name} " if change.name else ""
    if change.left and change.right:
        by = "" if change.by is None else f" ({by_words(change.by)})"
        return f"{name}{change.left} → {change.right}{by}"
    return f"{name}{change.left or change.right}" if change.by is None else name
