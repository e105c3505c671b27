"""Converts values to JSON and back without loss, by a table of types. Unknown or damaged JSON is refused and never executed.

Decoded JSON is checked part by part, by one small decoder per type that is made from the type's annotations.
"""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import json
import math
import re
import types
import typing
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import Any, TypeVar, cast

import numpy as np

from core.common.errors import DataError
from core.common.parameters import Parameters
from core.common.recorded import added_fields, field_name
from core.planning.facets import Facet
from core.recording.encoder import Encoders, FastEncoders, array_of
from core.recording.types import (
    FACETS,
    MARKERS,
    SHARED,
    TYPES,
    UPGRADES,
    UnknownFacet,
    facet_kind,
    facts_kind,
    hints_of,
    is_parameter_set,
    is_registered,
    parameter_set,
    recorded_name,
    without_aliases,
)

TAG = "$"
NAME = re.compile(r"[A-Za-z_]\w{0,59}", re.ASCII)
"""What a class may be called: as the head of an event takes it (`core.recording.catalogue`)."""
Read = Callable[[Any], Any]
MOST_SHARED = 100_000
MOST_WHOLE = 10**64
"""Largest whole number: a text of thousands of digits would be one, too, and fits into no other kind of number."""
SPECIAL = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}
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


# --- decoders by type ------------------------------------------------------
def complaint(expected: str, found: object) -> DataError:
    """Returns an error that names what was expected and what was found."""
    text = repr(found)
    return DataError(f"{expected} was expected, not {text if len(text) < 40 else text[:40] + '…'}")


class Decoders:
    """Makes and keeps the decoders.

    Args:
        known: the dataclasses that may be read.
        other: returns a further class by its name and the marker base it stands for, or None; called for unknown names only.
        stand_in: returns what to read in the place of a class that is not known at all, by its name and base, or raises
            LookupError; None: such a value is refused.

    Attributes:
        left_out: the names of classes that something else was read for.
    """

    def __init__(self, known: Iterable[type], other: Callable[[str, type], type | None],
                 stand_in: Callable[[str, type], Any] | None = None):
        self._classes = {recorded_name(cls): cls for cls in known}
        self._other, self._stand_in = other, stand_in
        self.left_out: set[str] = set()
        self._made: dict[Any, Read] = {str: _text, int: _whole, float: _number, bool: _truth, type(None): _nothing}
        self._shared: dict[Any, Any] = {}

    def of(self, hint: Any) -> Read:
        """Returns the decoder of a type. It is made on first use."""
        if hint not in self._made:
            self._made[hint] = self._make(hint)
        return self._made[hint]

    def _make(self, hint: Any) -> Read:
        hint = without_aliases(hint)
        origin, args = typing.get_origin(hint), typing.get_args(hint)
        if origin is typing.Literal:
            return _choice(frozenset(args))
        if origin in (typing.Union, types.UnionType):
            return self._union(args)
        if origin is tuple:
            return self._tuple(args)
        if origin is frozenset:
            return _set(self.of(args[0]))
        if origin is np.ndarray:
            return _array(np.dtype(typing.get_args(args[1])[0]).newbyteorder("<").str)
        if origin is not None and issubclass(origin, Mapping):
            return _mapping(self.of(args[1]))
        return self._class(hint)

    def _class(self, cls: Any) -> Read:
        if cls in MARKERS or cls is object:
            return self._any_of(cls)
        if issubclass(cls, tuple):  # it is a NamedTuple
            return _named(cls, [self.of(h) for h in hints_of(cls).values()])
        if dataclasses.is_dataclass(cls):
            return _upgrading(cast(type, cls), self._dataclass(cls))
        raise TypeError(f"a recording cannot hold a {cls}")

    def _union(self, args: tuple[Any, ...]) -> Read:
        others = [self.of(a) for a in args if a is not type(None)]
        if len(others) < len(args):
            return _optional(others[0] if len(others) == 1 else _first(others))
        return _first(others)

    def _tuple(self, args: tuple[Any, ...]) -> Read:
        if len(args) == 2 and args[1] is ...:
            return _row(self.of(args[0]))
        return _fixed([self.of(a) for a in args])

    def _any_of(self, base: type) -> Read:
        """Returns a decoder of any registered subclass of a marker base.

        For `object`: of None, or of any registered dataclass.
        """
        def read(value: Any) -> Any:
            if value is None and base is object:
                return None
            tag = value.get(TAG) if type(value) is dict else None
            cls = self._classes.get(tag) if isinstance(tag, str) else None
            if cls is None and isinstance(tag, str) and NAME.fullmatch(tag):
                cls = self._other(tag, base)
                if cls is None and self._stand_in is not None:
                    with contextlib.suppress(LookupError):
                        found = self._stand_in(tag, base)
                        self.left_out.add(tag)
                        return found
            if cls is None or not issubclass(cls, base):
                raise complaint(f"a {base.__name__.lower()} this version knows", tag or value)
            return self._dataclass_reader(cls)(value)
        return read

    def _dataclass_reader(self, cls: type) -> Read:
        key = (cls, "itself")  # Parameters is a marker and a dataclass at once
        if key not in self._made:
            self._made[key] = self._dataclass(cls)
        return self._made[key]

    def _dataclass(self, cls: Any) -> Read:
        hints, declared, tag, shared = hints_of(cls), dataclasses.fields(cls), recorded_name(cls), self._shared
        fields = [(field_name(f), f.name, self.of(hints[f.name])) for f in declared]
        wanted = {name for name, *_ in fields}
        needed = wanted - _optional_fields(cls)
        count, known, named = len(fields), wanted | {TAG}, any(f.kw_only for f in declared)

        def read(value: Any) -> Any:
            if type(value) is not dict or value.get(TAG, tag) != tag:
                raise complaint(f"a {tag}", value.get(TAG, value) if type(value) is dict else value)
            try:
                if len(value) - (TAG in value) != count:
                    if not needed <= value.keys() <= known:
                        raise KeyError
                    return cls(**{own: read(value[name]) for name, own, read in fields if name in value})
                if named:
                    return cls(**{own: read(value[name]) for name, own, read in fields})
                return cls(*[read(value[name]) for name, _, read in fields])
            except KeyError as error:
                raise _misfit(tag, value.keys() - {TAG}, wanted, needed) from error
            except (ArithmeticError, TypeError, ValueError) as error:
                raise DataError(f"a {tag} that makes no sense: {error}") from error

        def share(value: Any) -> Any:
            if len(shared) > MOST_SHARED:
                shared.clear()
            found = read(value)
            return shared.setdefault(found, found)
        return share if cls in SHARED else read


def _upgrading(cls: type, inner: Read) -> Read:
    upgrade = UPGRADES.get(cls)
    return inner if upgrade is None else lambda value: inner(upgrade(value) if type(value) is dict else value)


def _optional_fields(cls: Any) -> frozenset[str]:
    """Returns the fields that may be missing: parameters that a planner got later, and fields that earlier recordings lack."""
    if not issubclass(cls, Parameters):
        return added_fields(cls)
    return frozenset(f.name for f in dataclasses.fields(cls) if f.default is not dataclasses.MISSING)


def _misfit(tag: str, found: set[str], known: set[str], needed: set[str]) -> DataError:
    """Returns an error that names what is wrong with the fields of an object."""
    lacking, unknown = needed - found, found - known
    word, names = ("without", lacking) if lacking else ("with an unknown", unknown)
    return DataError(f"a {tag} {word} {', '.join(sorted(names))[:80]}: written by another version")


# --- decoders of plain values ----------------------------------------------
def _text(value: Any) -> str:
    if type(value) is not str:
        raise complaint("a text", value)
    return value


def _whole(value: Any) -> int:
    if type(value) is not int or abs(value) > MOST_WHOLE:
        raise complaint("a whole number", value)
    return value


def _number(value: Any) -> float:
    if type(value) is float or (type(value) is int and abs(value) <= MOST_WHOLE):
        return value
    if type(value) is dict and value.get(TAG) == "float" and value.get("value") in SPECIAL and len(value) == 2:
        return SPECIAL[value["value"]]
    raise complaint("a number", value)


def _truth(value: Any) -> bool:
    if type(value) is not bool:
        raise complaint("true or false", value)
    return value


def _nothing(value: Any) -> None:
    if value is not None:
        raise complaint("nothing", value)


def _items(value: Any) -> list[Any]:
    if type(value) is not list:
        raise complaint("a list", value)
    return value


# --- decoders made of others ------------------------------------------------
def _choice(choices: frozenset[Any]) -> Read:
    def read(value: Any) -> Any:
        if type(value) is not str or value not in choices:
            raise complaint(f"one of {', '.join(sorted(choices))}", value)
        return value
    return read


def _optional(inner: Read) -> Read:
    return lambda value: None if value is None else inner(value)


def _first(readers: list[Read]) -> Read:
    """Returns a decoder that tries each in turn. Plain types exclude each other, so the order does not matter."""
    def read(value: Any) -> Any:
        for reader in readers:
            try:
                return reader(value)
            except DataError:
                continue
        raise complaint("another kind of value", value)
    return read


def _row(inner: Read) -> Read:
    return lambda value: tuple([inner(v) for v in _items(value)])


def _fixed(inner: list[Read]) -> Read:
    def read(value: Any) -> Any:
        if len(_items(value)) != len(inner):
            raise complaint(f"a list of {len(inner)}", value)
        return tuple([r(v) for r, v in zip(inner, value, strict=True)])
    return read


def _named(cls: Any, inner: list[Read]) -> Read:
    fixed = _fixed(inner)
    return lambda value: cls(*fixed(value))


def _set(inner: Read) -> Read:
    return lambda value: frozenset([inner(v) for v in _items(value)])


def _mapping(inner: Read) -> Read:
    def read(value: Any) -> Any:
        if type(value) is not dict:
            raise complaint("an object", value)
        return types.MappingProxyType({key: inner(v) for key, v in value.items()})
    return read


def _array(dtype: str) -> Read:
    return lambda value: array_of(value, dtype)
