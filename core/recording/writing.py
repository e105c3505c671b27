"""Values to JSON text: one small writer a type, made from its annotations.

Recording competes with planning for the processor, so writers lean on what Python does in C, and what comes back again and
again is written once and remembered.
"""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Callable
from json.encoder import encode_basestring_ascii
from operator import attrgetter, call
from types import MappingProxyType
from typing import Any

import numpy as np

from core.errors import DataError
from core.recording.arrays import array_plain
from core.recording.types import EQUAL, FACTS, SHARED, hints_of

TAG = "$"
Write = Callable[[Any], str]
MOST_REMEMBERED = 20_000
MOST_LARGE = 64
WRONG = (TypeError, AttributeError, ValueError)
"""What a writer raises when a value is of another type than its annotation says; it is then written as what it is."""


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
        self._others, self._known = others, frozenset(known)

    def __missing__(self, cls: type) -> Write:
        """A type met for the first time."""
        if cls in self._known or cls in self._others():
            found = self._dataclass(cls)
        elif issubclass(cls, tuple):
            found = self._sequence
        elif issubclass(cls, np.generic):
            found = self._scalar
        else:
            raise DataError(f"a {cls.__name__} cannot be recorded: add its type to core/recording/types.py")
        if cls in SHARED:
            found = _remembering_equals(found) if cls in EQUAL else _remembering(found)
        return self.setdefault(cls, found)

    def any(self, value: Any) -> str:
        """Whatever it is."""
        return self[type(value)](value)

    # --- by annotation -----------------------------------------------------
    def _of(self, hint: Any) -> Write:
        """The quickest writer for what an annotation promises."""
        origin, args = typing.get_origin(hint), typing.get_args(hint)
        if hint in (str, int, float, bool):
            return self[hint]
        if origin is typing.Literal:
            return encode_basestring_ascii
        if origin is tuple:
            return _many(self._of(args[0])) if args[-1] is ... else _fixed([self._of(a) for a in args])
        if origin in (typing.Union, types.UnionType) and len(args) == 2 and args[1] is type(None):
            return _optional(self._of(args[0]))
        if hint in SHARED:
            return self[hint]
        if isinstance(hint, type) and issubclass(hint, tuple):
            return _remembering(_fixed([self._of(h) for h in hints_of(hint).values()]))
        return self.any

    def _dataclass(self, cls: Any) -> Write:
        """An object with the class's name under "$", then its fields in order."""
        names = [f.name for f in dataclasses.fields(cls)]
        head = f'{{"{TAG}":"{cls.__name__}"'
        if not names:
            return lambda value: head + "}"
        template = head + "".join(f',"{name}":%s' for name in names) + "}"
        hints = hints_of(cls)
        writers = [self._of(hints[name]) for name in names]
        if cls in FACTS:  # what prompts are built from is large, and the same for all of one turn's questions
            large = [typing.get_origin(hints[name]) in (tuple, frozenset) for name in names]
            writers = [_remembering(_remembering_equals(w, MOST_LARGE), MOST_LARGE) if is_large else w
                       for w, is_large in zip(writers, large, strict=True)]
        if len(names) == 1:
            only, write_only = attrgetter(names[0]), writers[0]
            quick: Write = lambda value: template % write_only(only(value))  # noqa: E731
        else:
            fields = attrgetter(*names)
            quick = lambda value: template % tuple(map(call, writers, fields(value)))  # noqa: E731

        def write(value: Any) -> str:
            try:
                return quick(value)
            except WRONG:
                return template % tuple([self.any(object.__getattribute__(value, name)) for name in names])
        return write

    # --- by what a value is ------------------------------------------------
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
        return self.any(value.item())


def _remembering(write: Write, most: int = MOST_REMEMBERED) -> Write:
    """By identity: worlds and planners hand out the same frozen values turn after turn."""
    known: dict[int, tuple[Any, str]] = {}

    def remembered(value: Any) -> str:
        found = known.get(id(value))
        if found is not None:  # held here, so that its id is not given to another
            return found[1]
        if len(known) >= most:
            known.clear()
        text = write(value)
        known[id(value)] = value, text
        return text
    return remembered


def _remembering_equals(write: Write, most: int = MOST_REMEMBERED) -> Write:
    """By value, for what is made anew again and again and quickly compared."""
    known: dict[Any, str] = {}

    def remembered(value: Any) -> str:
        text = known.get(value)
        if text is None:
            if len(known) >= most:
                known.clear()
            text = known[value] = write(value)
        return text
    return remembered


def _many(write: Write) -> Write:
    return lambda value: "[" + ",".join(map(write, value)) + "]" if value else "[]"


def _fixed(writers: list[Write]) -> Write:
    template = "[" + ",".join(["%s"] * len(writers)) + "]"

    def write(value: Any) -> str:
        if len(value) != len(writers):
            raise TypeError("of another length")
        return template % tuple(map(call, writers, value))
    return write


def _optional(write: Write) -> Write:
    return lambda value: "null" if value is None else write(value)


def _float(value: float) -> str:
    text = float.__repr__(value)
    return text if text[-1] not in "nf" else f'{{"{TAG}":"float","value":"{text}"}}'


def _bool(value: bool) -> str:
    if value is True:
        return "true"
    if value is False:
        return "false"
    raise TypeError("no truth value")


def _null(value: None) -> str:
    return "null"
