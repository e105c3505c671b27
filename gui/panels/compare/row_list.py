"""The rows of a comparison. Each row is made when it is read. No Qt."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

from core.common.shared_list import LazyList
from core.session.branch_comparison import Comparison, Pair
from gui.widgets.numbers import count


@dataclass(frozen=True, slots=True)
class Band:
    """A line of text across both sides.

    Attributes:
        text: what it says.
        strong: whether it marks the first difference.
    """

    text: str
    strong: bool = False


Row = Pair | Band


class Listed(LazyList[Row]):
    """The rows of a comparison: a band that says where the branches diverge, then their turns.

    There is another band above the first turn that differs.

    Args:
        found: the comparison of the two branches.
        differing_only: leaves out turns in which both executed the same action.

    Attributes:
        strong: the index of the band at the first difference, or None if nothing differs.
    """

    def __init__(self, found: Comparison | None = None, *, differing_only: bool = False):
        self._found, self._kept = found, _kept(found, differing_only) if found is not None else range(0)
        first = found.first if found is not None else None
        self.strong = None if first is None else 1 + bisect_left(self._kept, first)

    def __len__(self) -> int:
        if self._found is None:
            return 0
        return 1 + (len(self._kept) + (self.strong is not None) if self._found.pairs else 1)

    def at(self, place: int) -> Row:
        """Returns the row at an index.

        Args:
            place: 0 <= place < len(self).
        """
        found = self._found
        assert found is not None, "without branches there are no rows"
        if place == 0:
            return Band(_parted(found))
        if not found.pairs:
            return Band("No turns since")
        if place == self.strong:
            return Band(f"First difference: turn {found.differ[0]}", strong=True)
        return found.pairs[self._kept[place - 1 - (self.strong is not None and place > self.strong)]]

    def after(self, number: int) -> int:
        """Returns the index of the first row whose turn number is greater than `number`, or -1."""
        if self._found is None:
            return -1
        k = bisect_left(self._kept, self._found.pairs.place(number + 1))
        return -1 if k == len(self._kept) else 1 + k + (self.strong is not None and 1 + k >= self.strong)


def _parted(found: Comparison) -> str:
    if found.shared == 0:
        return "They differ from the start"
    return f"{count(found.shared, 'turn')} in common, then they differ"


def _kept(found: Comparison, differing_only: bool) -> Sequence[int]:
    """Returns the indices of the listed pairs, in ascending order."""
    if not differing_only:
        return range(len(found.pairs))
    alone = found.pairs.alone
    if isinstance(alone, range):
        return _Places(found, alone)
    return sorted({*alone, *(found.pairs.place(number) for number in found.differ)})


class _Places(LazyList[int]):
    """The indices of the pairs that differ, followed by those of the turns that only one side has."""

    def __init__(self, found: Comparison, alone: range):
        self._found, self._alone = found, alone

    def __len__(self) -> int:
        return len(self._found.differ) + len(self._alone)

    def at(self, place: int) -> int:
        """Returns the index of a pair.

        Args:
            place: 0 <= place < len(self).
        """
        differ = self._found.differ
        return self._found.pairs.place(differ[place]) if place < len(differ) else self._alone[place - len(differ)]
