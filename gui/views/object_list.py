"""A list of objects for dialogs: each is drawn by its item, as the rows of any table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from core.views.values import UNTITLED, Column, Item, Notes, Table
from gui.theme import Theme
from gui.views.item_rows import ItemRows, ItemsView

T = TypeVar("T")
ROW = 24
"""Height of a row in pixels at text size 100 %: dialogs are less crowded than panels."""


class ObjectList(ItemsView, Generic[T]):
    """Shows a row for each of some objects. What is chosen stays chosen, by the keys of the items.

    Args:
        theme: the theme.
        name: what a screen reader calls the list.
        item: returns the row of an object.
        columns: the values of the items.
        texts: what the texts of the items are.
        notes: where their notes stand, as in `Table`.

    Attributes:
        objects: the objects, in the order in which they were given.
    """

    def __init__(self, theme: Theme, name: str, item: Callable[[T], Item], columns: Sequence[Column] = (),
                 texts: Column = UNTITLED, *, notes: Notes = "beside"):
        super().__init__(theme, lambda theme, owner: ItemRows(theme, owner, "body", ROW))
        self._item, self._columns, self._texts, self._notes = item, tuple(columns), texts, notes
        self.objects: Sequence[T] = ()
        self.setAccessibleName(name)

    def show_objects(self, objects: Sequence[T], columns: Sequence[Column] | None = None) -> None:
        """Shows other objects, and other columns if they are given."""
        self.objects = objects
        self._columns = self._columns if columns is None else tuple(columns)
        self.show_view(Table(tuple(map(self._item, objects)), self._columns, texts=self._texts, notes=self._notes))

    @property
    def chosen_object(self) -> T | None:
        """The chosen object, or None."""
        index = self.rows.index_of_row(self.rows.current)
        return self.objects[index] if index >= 0 else None

    def choose_object(self, index: int, *, tell: bool = False) -> None:
        """Chooses an object by its index; -1: none. With `tell` it emits `chosen`."""
        self.rows.show_index(index)
        if tell:
            self.rows.chosen.emit(self.rows.current)
