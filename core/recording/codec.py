"""Converts values to JSON and back without loss, by a table of types. Unknown or damaged JSON is refused and never executed."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterable
from functools import cached_property
from typing import Any, TypeVar, cast

from core.common.errors import DataError
from core.common.parameters import Parameters
from core.planning.facets import Facet
from core.recording.decoder import Decoders
from core.recording.encoder import Encoders, FastEncoders
from core.recording.types import (
    FACETS,
    TYPES,
    UnknownFacet,
    facet_kind,
    facts_kind,
    is_parameter_set,
    is_registered,
    parameter_set,
)

T = TypeVar("T")


class Codec:
    """Encodes and decodes the types of the table. Safe to use from several threads.

    It knows the types of Belvedere, the parameters of all planners, and the facets and facts of other packages that are
    registered (`core.recording.types`).

    Args:
        extra: further dataclasses.
    """

    def __init__(self, extra: Iterable[type] = ()):
        self._types = (*TYPES, UnknownFacet, *extra)
        self._writers = Encoders(self._types, lambda cls: is_parameter_set(cls) or is_registered(cls))
        self._quick = FastEncoders(self._types, self._writers, is_registered)
        self._readers = Decoders(self._types, _registered)

    def forgiving(self) -> Codec:
        """Returns a codec that reads what is of packages that are not installed: see `left_out`."""
        other = copy.copy(self)
        other._readers = Decoders(self._types, _registered, _stand_in)
        return other

    @property
    def left_out(self) -> frozenset[str]:
        """Classes of other packages that `forgiving` has met and that are not installed."""
        return frozenset(self._readers.left_out)

    def knows_facet(self, name: str) -> bool:
        """Returns True if a facet of this class name can be read here."""
        return name in self._facets or facet_kind(name) is not None

    @cached_property
    def _facets(self) -> frozenset[str]:
        return frozenset(cls.__name__ for cls in (*FACETS, *self._types) if issubclass(cls, Facet))

    def dumps(self, value: object) -> str:
        """Returns one line of ASCII JSON. Dataclasses are objects with their class under "$"; sets are sorted lists.

        Raises:
            DataError: the value, or a part of it, is of a type that is not in the table.
        """
        try:
            return self._writers.any(value)
        except RecursionError as error:
            raise DataError("a value nested too deep to be recorded") from error

    def encode(self, value: object) -> bytes:
        """Returns JSON in UTF-8, faster than `dumps`, with "$" only where several classes are possible.

        Raises:
            DataError: a recording cannot hold it.
        """
        try:
            return self._quick.any(value)
        except RecursionError as error:
            raise DataError("a value nested too deep to be recorded") from error

    def loads(self, text: str | bytes, kind: type[T]) -> T:
        """Returns the value of a line of JSON.

        Raises:
            DataError: the line holds something else.
        """
        try:
            plain = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise DataError(f"damaged JSON: {error}") from error
        return self.value(plain, kind)

    def plain(self, value: object) -> Any:
        """Returns a value as plain JSON data: objects, lists, texts, numbers."""
        return json.loads(self.dumps(value))

    def value(self, plain: object, kind: type[T]) -> T:
        """Returns the value of decoded JSON.

        Raises:
            DataError: it is something else.
        """
        try:
            return cast(T, self._readers.of(kind)(plain))
        except RecursionError as error:
            raise DataError("JSON nested too deep") from error


def _registered(name: str, base: type) -> type | None:
    """Returns a class that planners or other packages registered, by its name and the base it stands for."""
    if base is Parameters:
        return parameter_set(name)
    return facet_kind(name) if base is Facet else facts_kind(name) if base is object else None


def _stand_in(name: str, base: type) -> Any:
    """Returns what stands for a value of a class that is not installed.

    Raises:
        LookupError: nothing can stand for it.
    """
    if base is Facet:
        return UnknownFacet(name)
    if base is Parameters:
        return Parameters()
    if base is object:
        return None
    raise LookupError(name)
