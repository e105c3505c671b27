"""The rows of a view, found by what they say: conditions read their values and marks, and fields complete their names."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isnan

from core.common.readings import beginning_of_plain, plain, plain_name
from core.views.addresses import items_of
from core.views.values import Cell, Column, Graph, Item, Mark, Matrix, Table, Tree, View

NO_LETTERS = re.compile(r"\W+")
MOST_REMEMBERED = 1000


def identifier(title: str, place: int = 0) -> str:
    """Returns the title of a column as conditions write it: `goal reached` is `goal_reached`.

    Args:
        title: the title. Upper and lower case are the same.
        place: the place of the column, from 1, by which one without a letter is called: `column_2`.
    """
    word = NO_LETTERS.sub("_", title).strip("_").casefold()
    return f"_{word}" if word[:1].isdigit() else word or f"column_{place}"


@dataclass(frozen=True, slots=True)
class Row:
    """A row that was found.

    Attributes:
        item: the item.
        marks: its marks; of a row of a matrix also those of its cells.
        cells: its values, None where there is none.
    """

    item: Item
    marks: tuple[Mark, ...]
    cells: Sequence[Cell]


class PlainRows:
    """The rows of one plain view.

    Attributes:
        items: the rows.
        columns: the columns; those of a matrix are called by their texts.
    """

    def __init__(self, view: View):
        self._view, self.items = view, items_of(view)
        match view:
            case Table() | Tree() | Graph():
                self.columns: tuple[Column, ...] = view.columns
            case Matrix():
                self.columns = tuple(Column(item.text, view.kind) for item in view.columns)
            case _:
                self.columns = ()
        self._found: dict[str, tuple[int, bool] | None] = {}

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The columns as conditions write them."""
        return tuple(identifier(column.title, place) for place, column in enumerate(self.columns, 1))

    @cached_property
    def _exact(self) -> dict[str, int]:
        """The first row of each text, then of each key, in plain words."""
        found: dict[str, int] = {}
        for words in ((item.text for item in self.items), (item.key for item in self.items)):
            for k, text in enumerate(words):
                found.setdefault(plain(text), k)
        return found

    def find(self, words: str) -> tuple[int, bool] | None:
        """Returns the first row that is called so, or else the first that begins so, and whether it is called so."""
        start = plain_name(words)
        if start not in self._found:
            if len(self._found) >= MOST_REMEMBERED:
                self._found.clear()
            exact = self._exact.get(start)
            begins = beginning_of_plain(start)
            first = min((k for text, k in self._exact.items() if begins(text)), default=None) if exact is None else None
            self._found[start] = (exact, True) if exact is not None else None if first is None else (first, False)
        return self._found[start]

    def column(self, words: str) -> int | None:
        """Returns the first column whose title, or of a matrix whose key, is or else begins with the words; None if none is."""
        wanted = plain_name(words)
        titles = [plain_name(column.title) for column in self.columns]
        keys = [plain_name(item.key) for item in self._view.columns] if isinstance(self._view, Matrix) else []
        begins = beginning_of_plain(wanted)
        tests: tuple[Callable[[str], bool], ...] = (wanted.__eq__, begins)
        return next((k for test in tests for texts in (titles, keys) for k, text in enumerate(texts) if test(text)), None)

    def row(self, index: int) -> Row:
        """Returns a row by its index."""
        item, view = self.items[index], self._view
        if not isinstance(view, Matrix):
            return Row(item, item.marks, item.values + (None,) * (len(self.columns) - len(item.values)))
        marks = tuple(mark.mark for mark in view.marks if mark.row == index)
        return Row(item, item.marks + marks, [None if isnan(number) else number for number in view.numbers[index].tolist()])


class Rows:
    """The rows of all plain views in a view, in their order.

    Attributes:
        parts: the plain views that have rows.
        titles: of each part, the title.
    """

    def __init__(self, view: View):
        named = [(child.title, PlainRows(child)) for child in view.children()]
        self.parts = tuple(rows for _, rows in named if rows.items)
        self.titles = tuple(title for title, rows in named if rows.items)

    def __len__(self) -> int:
        return sum(len(part.items) for part in self.parts)

    def texts(self) -> Iterator[str]:
        """Yields what the rows are called."""
        for part in self.parts:
            yield from (item.text for item in part.items)

    def find(self, words: str, has: Callable[[PlainRows], bool] = lambda part: True) -> tuple[PlainRows, Row] | None:
        """Returns the first row that is called by these words, by its text or its key, or else the first that begins with them.

        Args:
            words: what it is called.
            has: tells whether the rows of a view are meant.
        """
        first: tuple[PlainRows, int] | None = None
        for part in self.parts:
            found = part.find(words) if has(part) else None
            if found is not None and (found[1] or first is None):
                first = part, found[0]
                if found[1]:
                    break
        return None if first is None else (first[0], first[0].row(first[1]))
