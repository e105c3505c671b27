"""Entries in one order, with their fields as columns: what a search box asks for at each key is answered from the columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from core.library.entry import FIELDS, Entry, Value
from core.library.query import Condition

Mask = NDArray[np.bool_]
"""Which entries are meant: shape (number of entries,)."""
ROWS: Final = np.int64
"""The type of rows of the index."""


@dataclass(frozen=True, slots=True)
class Column:
    """One field of all entries. Many entries share a value, so that a condition is tested once for each different value.

    Attributes:
        values: the different values of an entry that there are; an entry has several labels.
        places: for each entry, the place of its values in `values`; shape (number of entries,).
    """

    values: tuple[tuple[Value, ...], ...]
    places: NDArray[np.intp]

    @classmethod
    def of(cls, each: Iterable[tuple[Value, ...]]) -> Column:
        """Returns the column of the values of each entry."""
        known: dict[tuple[Value, ...], int] = {}
        places = [known.setdefault(values, len(known)) for values in each]
        return cls(tuple(known), np.array(places, np.intp))

    def holding(self, condition: Condition) -> Mask:
        """Returns of which entries a condition holds."""
        holds = np.fromiter((condition.of_values(values) for values in self.values), np.bool_, len(self.values))
        return holds[self.places]


class Listing:
    """Entries in one order. Used by one thread at a time, because columns are made when they are first asked for.

    Args:
        rows: the row in the index and the entry of each recording.
    """

    def __init__(self, rows: Sequence[tuple[int, Entry]]):
        self.entries = [entry for _, entry in rows]
        self._rows = np.fromiter((row for row, _ in rows), ROWS, len(rows))
        self._columns: dict[str, Column] = {}
        self._counts: dict[str, Mapping[str, int]] = {}

    def select(self, conditions: Sequence[Condition] = (), hits: Sequence[tuple[Iterable[int], bool]] = ()) -> list[Entry]:
        """Returns the entries that conditions hold of, in order.

        Args:
            conditions: what must hold of their fields.
            hits: rows in which a text was found, and whether the entry must be one of the others.
        """
        if not conditions and not hits:
            return self.entries.copy()
        mask: Mask = np.ones(len(self.entries), np.bool_)
        for found, negated in hits:
            mask &= np.isin(self._rows, np.fromiter(found, ROWS), invert=negated)
        for condition in conditions:
            mask &= self._column(condition).holding(condition)
        return [self.entries[place] for place in np.flatnonzero(mask)]

    def _column(self, condition: Condition) -> Column:
        column = self._columns.get(condition.name)
        if column is None:
            column = self._columns[condition.name] = Column.of(map(condition.values, self.entries))
        return column

    def counts(self, name: str) -> Mapping[str, int]:
        """Returns how many entries have each value of a field. Entries without a value do not count."""
        found = self._counts.get(name)
        if found is None:
            field = FIELDS[name]
            found = self._counts[name] = Counter(
                str(value) for entry in self.entries for value in field.values(entry) if value not in (None, ""))
        return found
