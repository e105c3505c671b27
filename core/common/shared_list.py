"""Lists whose items are created when they are accessed, and append-only lists that share their common beginning."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from typing import Generic, Self, TypeVar, overload

T_co = TypeVar("T_co", covariant=True)


class LazyList(Sequence[T_co], Generic[T_co]):
    """Base class of such lists. A subclass implements `__len__` and `at`."""

    __slots__ = ()

    @abstractmethod
    def at(self, place: int) -> T_co:
        """Returns the item at an index from 0 to `len(self)` - 1."""

    @overload
    def __getitem__(self, index: int) -> T_co: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[T_co]: ...
    def __getitem__(self, index: int | slice) -> T_co | Sequence[T_co]:
        places = range(len(self))[index]
        return self.at(places) if isinstance(places, int) else [self.at(k) for k in places]


T = TypeVar("T")


class Growing(LazyList[T], Generic[T]):
    """An append-only list with any storage. One thread appends; any thread may read existing items."""

    @abstractmethod
    def append(self, item: T) -> None:
        """Appends an item."""

    @abstractmethod
    def until(self, length: int) -> Growing[T]:
        """Returns another list that starts with the first `length` items and grows independently."""


class SharedList(LazyList[T], Generic[T]):
    """An immutable list. Appending returns a new list that shares its beginning with the old one, in constant time."""

    __slots__ = ("_items", "_length")

    def __init__(self, items: Iterable[T] = ()):
        self._items: Sequence[T] = list(items)
        self._length = len(self._items)

    @classmethod
    def beginning(cls, items: Sequence[T], length: int) -> Self:
        """Returns the first items of a sequence. No item is accessed until it is requested (recordings read items on demand).

        If the sequence is a `Growing`, appended items are stored in it.
        """
        log = cls()
        log._items, log._length = items, length
        return log

    def __len__(self) -> int:
        return self._length

    def at(self, place: int) -> T:
        """Returns the item at an index."""
        return self._items[place]

    def __iter__(self) -> Iterator[T]:
        return (self._items[k] for k in range(self._length))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SharedList) or len(self) != len(other):
            return False
        return self.akin(other) or all(a == b for a, b in zip(self, other, strict=True))

    def __hash__(self) -> int:
        return hash(self._length)

    def akin(self, other: SharedList[T]) -> bool:
        """Returns in constant time whether both are beginnings of the same underlying list."""
        return self._items is other._items

    def since(self, before: SharedList[T]) -> Sequence[T] | None:
        """Returns the items after those of another list; None if this list does not continue that one."""
        return self[len(before):] if self.akin(before) and len(before) <= len(self) else None

    def first(self, length: int) -> SharedList[T]:
        """Returns the first items, in constant time."""
        return self if length == len(self) else SharedList.beginning(self._items, length)

    def plus(self, item: T) -> SharedList[T]:
        """Returns a list with one more item."""
        items, length = self._items, self._length
        if not isinstance(items, list | Growing):
            items = list(self)
        elif len(items) != length:
            items = items[:length] if isinstance(items, list) else items.until(length)
        items.append(item)
        return SharedList.beginning(items, self._length + 1)
