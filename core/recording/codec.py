"""Values to JSON and back, exactly: by a table of types, nothing else; foreign or damaged JSON is refused and never run."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, TypeVar, cast

from core.common.errors import DataError
from core.recording.decoder import Decoders
from core.recording.encoder import Encoders
from core.recording.fast_encoder import FastEncoders
from core.recording.parameter_sets import is_parameter_set, parameter_set
from core.recording.types import TYPES

T = TypeVar("T")


class Codec:
    """Writes and reads the types of the table. Safe to use from several threads.

    Args:
        extra: further dataclasses, such as a plug-in's facets and parameters.
    """

    def __init__(self, extra: Iterable[type] = ()):
        types = (*TYPES, *extra)
        self._writers = Encoders(types, is_parameter_set)
        self._quick = FastEncoders(types, self._writers)
        self._readers = Decoders(types, parameter_set)

    def dumps(self, value: object) -> str:
        """One line of ASCII JSON. Dataclasses are objects with their class under "$"; sets are sorted lists.

        Raises:
            DataError: the value, or something in it, is of a type that is not in the table.
        """
        try:
            return self._writers.any(value)
        except RecursionError as error:
            raise DataError("a value nested too deep to be recorded") from error

    def encode(self, value: object) -> bytes:
        """The same in UTF-8 and quicker, with "$" only where several classes may stand.

        Raises:
            DataError: a recording cannot hold it.
        """
        try:
            return self._quick.any(value)
        except RecursionError as error:
            raise DataError("a value nested too deep to be recorded") from error

    def loads(self, text: str | bytes, kind: type[T]) -> T:
        """The value of a line.

        Raises:
            DataError: the line holds something else.
        """
        try:
            plain = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise DataError(f"damaged JSON: {error}") from error
        return self.value(plain, kind)

    def plain(self, value: object) -> Any:
        """A value as what JSON can hold: objects, lists, texts, numbers."""
        return json.loads(self.dumps(value))

    def value(self, plain: object, kind: type[T]) -> T:
        """The value of decoded JSON.

        Raises:
            DataError: it is something else.
        """
        try:
            return cast(T, self._readers.of(kind)(plain))
        except RecursionError as error:
            raise DataError("JSON nested too deep") from error
