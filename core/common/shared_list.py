"""A list that grows as a value: what was there is shared, so that keeping every length of it costs little."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from typing import Generic, Self, TypeVar

from core.common.lazy_list import LazyList

T = TypeVar("T")


class Growing(LazyList[T], Generic[T]):
    """A list that only grows, kept where it likes. One thread appends; any may read what is there."""

    @abstractmethod
    def append(self, item: T) -> None:
        """One more item."""

    @abstractmethod
    def until(self, length: int) -> Growing[T]:
        """Another one that begins with the same items and grows by itself."""


class SharedList(LazyList[T], Generic[T]):
    """A growing list as a value: adding gives a new log that shares its beginning with the old one, in constant time."""

    __slots__ = ("_items", "_length")

    def __init__(self, items: Iterable[T] = ()):
        self._items: Sequence[T] = list(items)
        self._length = len(self._items)

    @classmethod
    def beginning(cls, items: Sequence[T], length: int) -> Self:
        """The first items of a sequence, none of them touched before it is asked for: a recording's are read only then.

        A `Growing` one is where the log goes on.
        """
        log = cls()
        log._items, log._length = items, length
        return log

    def __len__(self) -> int:
        return self._length

    def at(self, place: int) -> T:
        """The item of a place."""
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
        """Whether both are beginnings of one list, the longer going on where the shorter ends; known in constant time."""
        return self._items is other._items

    def since(self, before: SharedList[T]) -> Sequence[T] | None:
        """The items it has beyond another log; None where it does not go on from that one."""
        return self[len(before):] if self.akin(before) and len(before) <= len(self) else None

    def plus(self, item: T) -> SharedList[T]:
        """A log with one more item."""
        items, length = self._items, self._length
        if not isinstance(items, list | Growing):
            items = list(self)
        elif len(items) != length:
            items = items[:length] if isinstance(items, list) else items.until(length)
        items.append(item)
        return SharedList.beginning(items, self._length + 1)
