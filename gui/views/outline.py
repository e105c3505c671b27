"""The rows of a table or a tree: which items are shown in which order, folded or filtered, and how items are found again."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
import numpy.typing as npt

from core.views.addresses import Address
from core.views.values import Item, Table, Tree

Ints = npt.NDArray[np.int64]
ALL_OPEN = 400
"""Up to so many items a tree is open at first; of a larger one only the roots are shown."""


class Outline:
    """The items of a table or tree in the order of their rows: below each item its children.

    Folding and filtering touch arrays only: of 100,000 items they take a millisecond. Nothing here is done while painting.

    Attributes:
        items: (n,) all items, in the order of the view.
        order: (n,) the indices of the items from top to bottom, nothing folded.
        depth: (n,) the number of items above each item, by index.
        rows: the indices of the items that are shown, from top to bottom.
    """

    def __init__(self, view: Table | Tree):
        self.items: Sequence[Item] = view.items
        self.is_tree = isinstance(view, Tree) and any(item.parent >= 0 for item in view.items)
        count = len(self.items)
        parents = (item.parent if self.is_tree else -1 for item in view.items)
        self._parents = np.fromiter(parents, np.int64, count)
        self._children: list[list[int]] | None = None
        self.order, self.depth, self._size = self._walk() if self.is_tree else (
            np.arange(count), np.zeros(count, np.int64), np.ones(count, np.int64))
        self._place = np.empty(count, np.int64)
        self._place[self.order] = np.arange(count)
        self.folded: set[int] = set()
        """The indices of the items whose children are hidden."""
        self._wanted: npt.NDArray[np.bool_] | None = None
        self._all: bool | None = None
        self._toggled: dict[Address, bool] = {}
        self.rows = self.order
        self._fold_at_first()

    def _walk(self) -> tuple[Ints, Ints, Ints]:
        """Returns the order, the depth of each item, and the number of items in its branch."""
        below: list[list[int]] = [[] for _ in self.items]
        roots, parents = list[int](), self._parents.tolist()
        for k, parent in enumerate(parents):
            (roots if parent < 0 else below[parent]).append(k)
        order, depth, size = list[int](), [0] * len(parents), [1] * len(parents)
        left = roots[::-1]
        while left:
            k = left.pop()
            order.append(k)
            left += below[k][::-1]
        for k, parent in enumerate(parents):
            if parent >= 0:
                depth[k] = depth[parent] + 1
        for k in range(len(parents) - 1, -1, -1):
            if parents[k] >= 0:
                size[parents[k]] += size[k]
        self._children = [*below, roots]
        return np.array(order, np.int64), np.array(depth, np.int64), np.array(size, np.int64)

    # --- what is shown -------------------------------------------------------
    def _fold_at_first(self) -> None:
        folded = len(self.items) > ALL_OPEN if self._all is None else self._all
        self.folded = set(np.flatnonzero(self._size > 1).tolist()) if folded else set()
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

    @property
    def is_filtered(self) -> bool:
        """Whether only what was searched for is shown."""
        return self._wanted is not None

    def has_children(self, index: int) -> bool:
        """Returns True if there are items below an item."""
        return bool(self._size[index] > 1)

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
        """Shows only the items that have all words, in lower case, and those above them. No words: all."""
        if not words:
            self._wanted = None
        else:
            found = np.fromiter((all(word in text for word in words) for text in map(_searched, self.items)), bool,
                                len(self.items))
            for k in np.flatnonzero(found)[::-1].tolist() if self.is_tree else ():
                while (k := int(self._parents[k])) >= 0 and not found[k]:
                    found[k] = True
            self._wanted = found
        self._show()

    def row_of(self, index: int) -> int:
        """Returns the row of an item, or -1 if it is not shown."""
        if not 0 <= index < len(self.items):
            return -1
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
        """Folds and opens what was folded and opened by hand in an earlier view, as far as it is still there."""
        self._all, self._toggled = before._all, dict(before._toggled)
        if self._all is not None or self._toggled:
            self._fold_at_first()


def _searched(item: Item) -> str:
    parts = (item.text, item.place, item.note, *(mark.word for mark in item.marks), *map(str, item.values))
    return " ".join(parts).lower()
