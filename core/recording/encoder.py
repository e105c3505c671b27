"""Encodes any value as JSON text, every dataclass with its name. It is slow and general; `fast_encoder` is the fast one."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from json.encoder import encode_basestring_ascii
from operator import attrgetter
from types import MappingProxyType
from typing import Any

import numpy as np

from core.common.errors import DataError
from core.recording.arrays import array_plain

TAG = "$"
CURE = ("a planner's package declares its facets in `shows` or as entry points of belvedere.facets, and registers an offline "
        "answer for its facts; each is a frozen dataclass of plain values, of a name that Belvedere does not use")
Write = Callable[[Any], str]


class Encoders(dict[type, Write]):
    """The encoder of each type. Unknown types are refused.

    Args:
        known: the dataclasses that may be written.
        other: returns True if a further type may be written; called for unknown types.
    """

    def __init__(self, known: tuple[type, ...], other: Callable[[type], bool]):
        super().__init__({
            str: encode_basestring_ascii, int: int.__repr__, float: _float, bool: _bool, type(None): _null,
            tuple: self._sequence, list: self._sequence, frozenset: self._set, dict: self._object,
            MappingProxyType: self._object, np.ndarray: self._array,
        })
        self._other, self._known = other, frozenset(known)

    def __missing__(self, cls: type) -> Write:
        """Makes the encoder of a type that is used for the first time."""
        if cls in self._known or self._other(cls):
            found = self._dataclass(cls)
        elif issubclass(cls, tuple):
            found = self._sequence
        elif issubclass(cls, np.generic):
            found = self._scalar
        else:
            raise DataError(f"a {cls.__name__} cannot be recorded: {CURE}")
        return self.setdefault(cls, found)

    def any(self, value: Any) -> str:
        """Returns the JSON text of a value.

        Raises:
            DataError: its type, or that of a part of it, is unknown.
        """
        return self[type(value)](value)

    def _dataclass(self, cls: Any) -> Write:
        """Returns an encoder of a dataclass: an object with the class's name under "$", then its fields in order."""
        fields = [(f',"{f.name}":', attrgetter(f.name)) for f in dataclasses.fields(cls)]
        head = f'{{"{TAG}":"{cls.__name__}"'
        return lambda value: head + "".join([name + self.any(get(value)) for name, get in fields]) + "}"

    def _sequence(self, value: Any) -> str:
        return "[" + ",".join([self.any(v) for v in value]) + "]"

    def _set(self, value: Any) -> str:
        return "[" + ",".join(sorted([self.any(v) for v in value])) + "]"

    def _object(self, value: Any) -> str:
        if not all(type(key) is str for key in value):
            raise DataError("a mapping whose keys are not texts cannot be recorded")
        return "{" + ",".join([encode_basestring_ascii(k) + ":" + self.any(v) for k, v in value.items()]) + "}"

    def _array(self, value: Any) -> str:
        return self._object(array_plain(value))

    def _scalar(self, value: Any) -> str:
        return self.any(value.item())


def _float(value: float) -> str:
    text = float.__repr__(value)
    return text if text[-1] not in "nf" else f'{{"{TAG}":"float","value":"{text}"}}'


def _bool(value: bool) -> str:
    return "true" if value else "false"


def _null(value: None) -> str:
    return "null"
