"""Converts values to JSON and back without loss, by a table of types. Unknown or damaged JSON is refused and never executed."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, TypeVar, cast

from core.common.errors import DataError
from core.recording.decoder import Decoders
from core.recording.encoder import Encoders
from core.recording.fast_encoder import FastEncoders
from core.recording.types import TYPES, is_parameter_set, parameter_set

T = TypeVar("T")


class Codec:
    """Encodes and decodes the types of the table. Safe to use from several threads.

    Args:
        extra: further dataclasses, such as a plug-in's facets and parameters.
    """

    def __init__(self, extra: Iterable[type] = ()):
        types = (*TYPES, *extra)
        self._writers = Encoders(types, is_parameter_set)
        self._quick = FastEncoders(types, self._writers)
        self._readers = Decoders(types, parameter_set)

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
