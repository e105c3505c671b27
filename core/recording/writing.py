"""Values to JSON text: one small writer a type. What comes back again and again is written once and remembered."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from json.encoder import encode_basestring_ascii
from operator import attrgetter
from types import MappingProxyType
from typing import Any

import numpy as np

from core.errors import DataError
from core.recording.arrays import array_plain
from core.recording.types import SHARED
from core.world import Relation

TAG = "$"
Write = Callable[[Any], str]
MOST_REMEMBERED = 20_000


class Writers(dict[type, Write]):
    """The writer of each type; unknown types are refused.

    Args:
        known: the dataclasses that may be written.
        others: further dataclasses, asked for when an unknown one comes.
    """

    def __init__(self, known: tuple[type, ...], others: Callable[[], frozenset[Any]]):
        super().__init__({
            str: encode_basestring_ascii, int: int.__repr__, float: _float, bool: _bool, type(None): _null,
            tuple: self._sequence, list: self._sequence, frozenset: self._set, dict: self._object,
            MappingProxyType: self._object, np.ndarray: self._array,
        })
        self._others = others
        for cls in known:
            self[cls] = self._remembering(self._dataclass(cls)) if cls in SHARED else self._dataclass(cls)
        self[Relation] = self._remembering(self._sequence)

    def __missing__(self, cls: type) -> Write:
        """A type met for the first time: a kind of tuple or number, or one of the other dataclasses."""
        if issubclass(cls, tuple):
            found: Write = self._sequence
        elif issubclass(cls, np.generic):
            found = self._scalar
        elif cls in self._others():
            found = self._dataclass(cls)
        else:
            raise DataError(f"a {cls.__name__} cannot be recorded: add its type to core/recording/types.py")
        return self.setdefault(cls, found)

    def _dataclass(self, cls: Any) -> Write:
        """An object with the class's name under "$", then its fields in order."""
        names = [f.name for f in dataclasses.fields(cls)]
        head = f'{{"{TAG}":"{cls.__name__}"'
        if not names:
            return lambda value: head + "}"
        keys = [f',"{name}":' for name in names]
        if len(names) == 1:
            only = attrgetter(names[0])
            return lambda value: f"{head}{keys[0]}{self[type(only(value))](only(value))}}}"
        fields = attrgetter(*names)

        def write(value: Any) -> str:
            return head + "".join([key + self[type(v)](v) for key, v in zip(keys, fields(value), strict=True)]) + "}"
        return write

    @staticmethod
    def _remembering(write: Write) -> Write:
        """By identity: worlds and planners hand out the same frozen values turn after turn."""
        known: dict[int, tuple[Any, str]] = {}

        def remembered(value: Any) -> str:
            found = known.get(id(value))
            if found is not None:  # held here, so that its id is not given to another
                return found[1]
            if len(known) >= MOST_REMEMBERED:
                known.clear()
            text = write(value)
            known[id(value)] = value, text
            return text
        return remembered

    def _sequence(self, value: Any) -> str:
        return "[" + ",".join([self[type(v)](v) for v in value]) + "]"

    def _set(self, value: Any) -> str:
        return "[" + ",".join(sorted([self[type(v)](v) for v in value])) + "]"

    def _object(self, value: Any) -> str:
        if not all(type(key) is str for key in value):
            raise DataError("a mapping whose keys are not texts cannot be recorded")
        return "{" + ",".join([encode_basestring_ascii(k) + ":" + self[type(v)](v) for k, v in value.items()]) + "}"

    def _array(self, value: Any) -> str:
        return self._object(array_plain(value))

    def _scalar(self, value: Any) -> str:
        item = value.item()
        return self[type(item)](item)


def _float(value: float) -> str:
    if math.isfinite(value):
        return float.__repr__(value)
    return f'{{"{TAG}":"float","value":"{value!r}"}}'


def _bool(value: bool) -> str:
    return "true" if value else "false"


def _null(value: None) -> str:
    return "null"
