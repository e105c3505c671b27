"""The rows of a table or a tree: which items are shown in which order, folded or filtered, and how items are found again."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from math import isnan

import numpy as np
import numpy.typing as npt

from core.views.addresses import Address
from core.views.values import Cell, Item, Table, Tree

Ints = npt.NDArray[np.int64]
ALL_OPEN, SMALL = 400, 12
"""Up to so many items a tree is open at first; of a larger one only branches of up to so many are."""


DIGITS = re.compile(r"(\d+)")


@dataclass(frozen=True, slots=True)
class Sorting:
    """By what the items below each item are sorted.

    Attributes:
        title: that of a column; empty: by their texts.
        backwards: the largest first. Those without a value come last in any case.
    """

    title: str
    backwards: bool = False


class Outline:
    """The items of a table or tree in the order of their rows: below each item its children.

    Folding and filtering touch arrays only: of 100,000 items they take a millisecond. Nothing here is done while painting.

    Attributes:
        items: (n,) all items, in the order of the view.
        order: (n,) the indices of the items from top to bottom, nothing folded.
        depth: (n,) the number of items above each item, by index.
        rows: the indices of the items that are shown, from top to bottom. Chips are in the rows of their parents.
        has_folds: there are rows below any row.
        has_chips: there are items that stand in the rows of others.
    """

    def __init__(self, view: Table | Tree):
        self.items: Sequence[Item] = view.items
        self.is_tree = isinstance(view, Tree) and any(item.parent >= 0 for item in view.items)
        count = len(self.items)
        parents = (item.parent for item in view.items)
        self._parents = np.fromiter(parents, np.int64, count) if self.is_tree else np.full(count, -1)
        self._children = self._grouped() if self.is_tree else None
        self._titles = [column.title for column in view.columns]
        self.sorting: Sorting | None = None
        """By what the items are sorted; None: they are in the order of the view."""
        self.order = np.arange(count)
        self.depth, self._size = self._measured() if self.is_tree else (np.zeros(count, np.int64), np.ones(count, np.int64))
        self._folds = self._size > 1
        self._chips: npt.NDArray[np.bool_] | None = None
        if self.is_tree and isinstance(view, Tree) and view.chips:
            self._chips = ~self._folds & (self._parents >= 0)
            self._folds = self._folds & np.isin(np.arange(count), self._parents[~self._chips])
        self.has_folds, self.has_chips = bool(self._folds.any()), self._chips is not None
        self._place = np.arange(count)
        if self.is_tree:
            self._arrange()
        self.folded: set[int] = set()
        """The indices of the items whose children are hidden."""
        self._wanted: npt.NDArray[np.bool_] | None = None
        self._all: bool | None = None
        self._toggled: dict[Address, bool] = {}
        self.rows = self.order
        self._fold_at_first()

    def _grouped(self) -> list[list[int]]:
        """Returns the indices of the children of each item, and last those at the root."""
        below: list[list[int]] = [[] for _ in range(len(self.items) + 1)]
        for k, parent in enumerate(self._parents.tolist()):
            below[parent].append(k)  # -1 is the last one
        return below

    def _measured(self) -> tuple[Ints, Ints]:
        """Returns the depth of each item, and the number of items in its branch."""
        parents = self._parents.tolist()
        depth, size = [0] * len(parents), [1] * len(parents)
        for k, parent in enumerate(parents):
            if parent >= 0:
                depth[k] = depth[parent] + 1
        for k in range(len(parents) - 1, -1, -1):
            if parents[k] >= 0:
                size[parents[k]] += size[k]
        return np.array(depth, np.int64), np.array(size, np.int64)

    def _arrange(self) -> None:
        """Sets the order of the items: below each item its children, sorted if that is wanted."""
        groups = self._children if self._children is not None else [list(range(len(self.items)))]
        if self.sorting is not None:
            groups = self._sorted(groups, self.sorting)
        order, left = list[int](), groups[-1][::-1]
        while left:
            order.append(k := left.pop())
            if self._children is not None:
                left += groups[k][::-1]
        self.order = np.array(order, np.int64)
        self._place[self.order] = np.arange(len(order))

    def _sorted(self, groups: list[list[int]], by: Sorting) -> list[list[int]]:
        column = self._titles.index(by.title) if by.title else -1
        keys = [_sort_key(item.text if column < 0 else item.values[column] if column < len(item.values) else None)
                for item in self.items]
        known = [sorted((k for k in group if keys[k] is not None), key=lambda k: keys[k] or (), reverse=by.backwards)
                 for group in groups]
        return [some + [k for k in group if keys[k] is None] for some, group in zip(known, groups, strict=True)]

    def sort(self, by: Sorting | None) -> None:
        """Sorts the items below each item; None: as they are in the view. A title that no column has is None."""
        self.sorting = None if by is None or (by.title and by.title not in self._titles) else by
        self._arrange()
        self._show()

    # --- what is shown -------------------------------------------------------
    def _fold_at_first(self) -> None:
        most = SMALL if len(self.items) > ALL_OPEN else ALL_OPEN
        if self._all is not None:
            most = 1 if self._all else len(self.items)
        self.folded = set(np.flatnonzero(self._folds & (self._size > most)).tolist())
        for address, closed in self._toggled.items():
            if (index := self.index_of(address)) >= 0 and self.has_children(index):
                (self.folded.add if closed else self.folded.discard)(index)
        self._show()

    def _show(self) -> None:
        """Sets `rows` to what is neither folded nor filtered away. A filter opens what it finds."""
        if self._wanted is not None:
            self.rows = self.order[self._wanted[self.order]]
        elif not self.folded:
            self.rows = self.order
        else:
            closed = np.fromiter(self.folded, np.int64, len(self.folded))
            starts = self._place[closed]
            edges = np.zeros(len(self.order) + 1, np.int64)
            np.add.at(edges, starts + 1, 1)
            np.add.at(edges, starts + self._size[closed], -1)
            self.rows = self.order[np.cumsum(edges[:-1]) == 0]
        if self._chips is not None:
            self.rows = self.rows[~self._chips[self.rows]]

    def is_chip(self, index: int) -> bool:
        """Returns True if an item stands in the row of its parent."""
        return self._chips is not None and index >= 0 and bool(self._chips[index])

    def chips_of(self, index: int) -> Sequence[int]:
        """Returns the items that stand in the row of an item, from left to right."""
        return () if self._chips is None or self._children is None else [k for k in self._children[index] if self._chips[k]]

    @property
    def is_filtered(self) -> bool:
        """Whether only what was searched for is shown."""
        return self._wanted is not None

    def has_children(self, index: int) -> bool:
        """Returns True if there are rows below the row of an item."""
        return bool(self._folds[index])

    def is_open(self, index: int) -> bool:
        """Returns True if the children of an item are shown."""
        return self._wanted is not None or index not in self.folded

    def fold(self, index: int, *, folded: bool) -> None:
        """Hides or shows the children of an item."""
        if self.has_children(index):
            self._toggle(index, folded)
            self._show()

    def _toggle(self, index: int, folded: bool) -> None:
        self._toggled[self.address_of(index)] = folded
        (self.folded.add if folded else self.folded.discard)(index)

    def fold_all(self, *, folded: bool) -> None:
        """Hides the children of all items, or shows them."""
        self._all, self._toggled = folded, {}
        self._fold_at_first()

    def open_to(self, index: int) -> None:
        """Opens everything above an item, so that it is shown."""
        closed = self.folded.intersection(self._above(index))
        for k in closed:
            self._toggle(k, False)
        if closed:
            self._show()

    def filter(self, words: Sequence[str]) -> None:
        """Shows only the items that have all words, in lower case, with those above and below them. No words: all."""
        if not words:
            self._wanted = None
        else:
            found = np.fromiter((all(word in text for word in words) for text in map(searched, self.items)), bool,
                                len(self.items))
            hits = np.flatnonzero(found)
            end = 0
            for place in np.sort(self._place[hits]).tolist() if self.is_tree else ():
                if place >= end:  # otherwise it lies below one that was found
                    end = place + int(self._size[self.order[place]])
                    found[self.order[place:end]] = True
            for k in hits[::-1].tolist() if self.is_tree else ():
                while (k := int(self._parents[k])) >= 0 and not found[k]:
                    found[k] = True
            self._wanted = found
        self._show()

    def row_of(self, index: int) -> int:
        """Returns the row of an item, of a chip that of its parent; -1 if it is not shown."""
        if not 0 <= index < len(self.items):
            return -1
        index = int(self._parents[index]) if self.is_chip(index) else index
        place = self._place[index]
        row = int(np.searchsorted(self._place[self.rows], place))
        return row if row < len(self.rows) and self.rows[row] == index else -1

    def parent(self, index: int) -> int:
        """Returns the index of the item above an item, or -1."""
        return int(self._parents[index])

    def _above(self, index: int) -> Collection[int]:
        found = list[int]()
        while (index := int(self._parents[index])) >= 0:
            found.append(index)
        return found

    # --- addresses -----------------------------------------------------------
    def _siblings(self, parent: int) -> Sequence[int]:
        return range(len(self.items)) if self._children is None else self._children[parent]

    def address_of(self, index: int) -> Address:
        """Returns the address of an item, as `core.views.addresses.addresses_of` does."""
        path = [index, *self._above(index)][::-1]
        return tuple(self._name(k) for k in path)

    def _name(self, index: int) -> str:
        key, number = self.items[index].key, 0
        for other in self._siblings(int(self._parents[index])):
            number += self.items[other].key == key
            if other == index:
                break
        return key if number == 1 else f"{key} #{number}"

    def index_of(self, address: Address) -> int:
        """Returns the index of the item at an address, or -1."""
        at = -1
        for name in address:
            at = self._child(at, name)
            if at < 0:
                return -1
        return at

    def _child(self, parent: int, name: str) -> int:
        key, _, number = name.rpartition(" #")
        seen: dict[str, int] = {}
        for k in self._siblings(parent):
            own = self.items[k].key
            if own not in (name, key):
                continue
            seen[own] = seen.get(own, 0) + 1
            if (own == name and seen[own] == 1) or (own == key and number == str(seen[own]) and seen[own] > 1):
                return k
        return -1

    def carry(self, before: Outline) -> None:
        """Sorts as an earlier view was sorted, and folds and opens what was folded and opened by hand there."""
        if before.sorting is not None:
            self.sort(before.sorting)
        self._all, self._toggled = before._all, dict(before._toggled)
        if self._all is not None or self._toggled:
            self._fold_at_first()


def _sort_key(value: Cell) -> tuple[object, ...] | None:
    """Returns what a value is sorted by: numbers come before texts, and numbers in texts count as such. None: no value."""
    match value:
        case None | "":
            return None
        case frozenset():
            return _sort_key(", ".join(sorted(value)))
        case str():
            return 1, *(int(part) if part.isdecimal() else part for part in DIGITS.split(value.casefold()))
    return None if isnan(value) else (0, value)


def searched(item: Item) -> str:
    """Returns what a search looks at, in lower case."""
    parts = (item.text, item.place, item.note, *(mark.word for mark in item.marks), *map(str, item.values))
    return " ".join(parts).lower()
