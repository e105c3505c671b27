"""Lists whose items are created when they are accessed."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Generic, TypeVar, overload

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
