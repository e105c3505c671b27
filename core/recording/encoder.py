"""Encodes values as JSON bytes, mostly in C: recording shares the interpreter with planning, so little Python may run here.

Types whose annotations determine every part are encoded by msgspec as a whole. Parts that may be of several types (a payload, a
facet, a command, facts) get their class name under "$" here; elsewhere the annotation determines the type, and no tag is
written. Values that msgspec cannot encode without loss (numbers that JSON cannot express, lone surrogates, values of another
type than annotated) are encoded by `Encoders`, which is general and slower, and names the class of every dataclass.
"""

from __future__ import annotations

import base64
import binascii
import dataclasses
import math
import types
import typing
import zlib
from collections.abc import Callable
from functools import cache
from json.encoder import encode_basestring_ascii
from operator import attrgetter, call
from types import MappingProxyType
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from core.common.errors import DataError
from core.common.recorded import field_name
from core.recording.types import EQUAL, MARKERS, SHARED, WIDE, hints_of, recorded_name, unreadable_field

DTYPES = ("|b1", "|u1", "<u2", "<i4", "<i8", "<f4", "<f8")
MOST_BYTES = 256 * 2**20
PACKED_FROM = 4096  # bytes; smaller arrays are not worth the time of compression
MOST_AXES = 8


def array_plain(array: npt.NDArray[Any]) -> dict[str, object]:
    """Returns an array as plain data. Large ones are compressed (whole id images shrink a hundredfold).

    Raises:
        DataError: the array's dtype cannot be recorded.
    """
    dtype = array.dtype.newbyteorder("<").str
    if dtype not in DTYPES:
        raise DataError(f"an array of {array.dtype} cannot be recorded; use one of {', '.join(DTYPES)}")
    data = np.ascontiguousarray(array).astype(dtype, copy=False).tobytes()
    packed = len(data) >= PACKED_FROM
    text = base64.b64encode(zlib.compress(data, 1) if packed else data).decode("ascii")
    return {"$": "array", "dtype": dtype, "shape": list(array.shape), "zlib": packed, "data": text}


def array_of(value: object, dtype: str) -> npt.NDArray[Any]:
    """Returns the array of plain data, read-only.

    Raises:
        DataError: it is not an array of this dtype, or it holds less than it claims.
    """
    if not (isinstance(value, dict) and value.get("$") == "array" and value.get("dtype") == dtype and dtype in DTYPES):
        raise DataError(f"an array of {dtype} was expected")
    shape, text = value.get("shape"), value.get("data")
    sizes = isinstance(shape, list) and all(type(n) is int and 0 <= n <= MOST_BYTES for n in shape)
    if not (isinstance(shape, list) and sizes and len(shape) <= MOST_AXES):
        raise DataError("an array without a shape")
    size = math.prod(shape) * np.dtype(dtype).itemsize
    if size > MOST_BYTES or not isinstance(text, str):
        raise DataError(f"an array that claims {size:,} bytes")
    data = _bytes(text, value.get("zlib") is True, size)
    if len(data) != size:
        raise DataError(f"an array of {size:,} bytes holds {len(data):,}")
    if dtype == "|b1" and data.strip(b"\0\1"):
        raise DataError("an array of truth values that holds others")
    return np.frombuffer(data, dtype).reshape(shape)


def _bytes(text: str, packed: bool, size: int) -> bytes:
    try:
        data = base64.b64decode(text.encode("ascii"), validate=True)
        return zlib.decompressobj().decompress(data, size + 1) if packed else data
    except (binascii.Error, ValueError, zlib.error) as error:
        raise DataError(f"an array whose data is damaged: {error}") from error


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
            raise DataError(f"a {cls.__name__} cannot be recorded: {unreadable_field(cls) or CURE}")
        return self.setdefault(cls, found)

    def any(self, value: Any) -> str:
        """Returns the JSON text of a value.

        Raises:
            DataError: its type, or that of a part of it, is unknown.
        """
        return self[type(value)](value)

    def _dataclass(self, cls: Any) -> Write:
        """Returns an encoder of a dataclass: an object with the class's name under "$", then its fields in order."""
        fields = [(f',"{field_name(f)}":', attrgetter(f.name)) for f in dataclasses.fields(cls)]
        head = f'{{"{TAG}":"{recorded_name(cls)}"'
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


Encode = Callable[[Any], bytes]
MOST_ROWS = 4000
WRONG = (TypeError, AttributeError, ValueError, OverflowError)
"""Raised for a value of another type than its annotation, and for texts that are not valid Unicode."""
NATIVE = (str, int, bool, type(None))


class FastEncoders(dict[type, Encode]):
    """The encoder of each type that can occur where several types are allowed. It is made on first use.

    Args:
        known: the dataclasses that may be written.
        slow: encodes what this cannot.
        other: returns whether a further type may be encoded; called for unknown types.
    """

    def __init__(self, known: tuple[type, ...], slow: Encoders, other: Callable[[type], bool] = lambda cls: False):
        super().__init__()
        self._known, self._slow, self._other = frozenset(known), slow, other
        self._json = msgspec.json.Encoder(order="deterministic").encode

    def __missing__(self, cls: type) -> Encode:
        """Makes the encoder of a type that is used for the first time."""
        known = dataclasses.is_dataclass(cls) and (cls in self._known or self._other(cls))
        return self.setdefault(cls, self._tagged(cls) if known else self._slowly)

    def any(self, value: Any) -> bytes:
        """Returns the JSON bytes of a value.

        Raises:
            DataError: a recording cannot hold it.
        """
        return self[type(value)](value)

    def _slowly(self, value: Any) -> bytes:
        return self._slow.any(value).encode("ascii")

    # --- dataclasses -------------------------------------------------------
    def _tagged(self, cls: Any) -> Encode:
        """Returns an encoder of a dataclass: an object with the class's name under "$", then its fields in order."""
        head = f'{{"{TAG}":"{recorded_name(cls)}"'.encode()
        if not dataclasses.fields(cls):
            return lambda value: head + b"}"
        head += b","
        if not is_native(cls):
            return self._by_fields(cls, head)
        whole, slowly = self._whole(cls), self._slowly

        def tagged(value: Any) -> bytes:
            try:
                text = whole(value)
            except WRONG:
                return slowly(value)
            return text if text.startswith(head) else head + text[1:]  # the slow encoder has written the tag
        return tagged

    def _by_fields(self, cls: Any, head: bytes) -> Encode:
        names, hints = [f.name for f in dataclasses.fields(cls)], hints_of(cls)
        recorded = [f'"{field_name(f)}":%b'.encode() for f in dataclasses.fields(cls)]
        template = head.replace(b"%", b"%%") + b",".join(recorded) + b"}"
        encoders = [self._of(hints[name]) for name in names]
        fields = attrgetter(*names) if len(names) > 1 else lambda value: (object.__getattribute__(value, names[0]),)

        def by_fields(value: Any) -> bytes:
            if type(value) is not cls:
                return self._slowly(value)
            try:
                return template % tuple(map(call, encoders, fields(value)))
            except WRONG:
                return self._slowly(value)
        return by_fields

    # --- by annotation -----------------------------------------------------
    def _of(self, hint: Any) -> Encode:
        """Returns the fastest encoder for an annotation."""
        origin, args = typing.get_origin(hint), typing.get_args(hint)
        if origin is tuple and args[-1] is ... and args[0] in SHARED and args[0] not in EQUAL:
            return self._row_of_shared(self._whole(args[0]))
        if is_native(hint):
            return self._whole(hint)
        if origin in (typing.Union, types.UnionType) and len(args) == 2 and args[1] is type(None):
            inner = self._of(args[0])
            return lambda value: b"null" if value is None else inner(value)
        if origin is tuple and args[-1] is ...:
            each = self._of(args[0])
            return lambda value: b"[" + b",".join(map(each, value)) + b"]"
        if origin is np.ndarray:
            return self._array
        if dataclasses.is_dataclass(hint) and hint not in MARKERS:
            return self._by_fields(hint, b"{")
        return self.any

    def _whole(self, hint: Any) -> Encode:
        """Returns msgspec's encoder; the slow one takes over where it could lose something. Its exceptions reach the caller."""
        encode, slowly, doubtful = self._json, self._slowly, tuple(doubts(hint))
        if not doubtful:
            return encode
        end = b'":null' if all(doubt.endswith(b'":null') for doubt in doubtful) else b"null"

        def whole(value: Any) -> bytes:
            text = encode(value)
            at = text.find(end)
            while at >= 0:
                if text.endswith(doubtful, 0, at + len(end)):
                    return slowly(value)
                at = text.find(end, at + 1)
            return text
        return whole

    def _array(self, value: Any) -> bytes:
        return self._json(array_plain(value)) if isinstance(value, np.ndarray) else self._slowly(value)

    def _row_of_shared(self, each: Encode) -> Encode:
        """Returns an encoder for rows of objects that recur turn after turn: each object is encoded once."""
        kept: list[tuple[dict[int, bytes], list[Any]]] = [({}, [])]  # the values are held so that their ids are not reused

        def row(value: Any) -> bytes:
            known, held = kept[0]
            texts = list(map(known.get, map(id, value)))
            if None in texts:
                if len(held) > MOST_ROWS:  # another thread may still add to the old ones: leave them intact
                    known, held = kept[0] = {}, []
                for k, text in enumerate(texts):
                    if text is None:
                        texts[k] = known[id(value[k])] = each(value[k])
                        held.append(value[k])
            return b"[" + b",".join(typing.cast(list[bytes], texts)) + b"]"
        return row


@cache
def is_native(hint: Any) -> bool:
    """Returns True if an annotation is unambiguous for msgspec, and no part of it is better encoded separately."""
    return _is_native(hint, ())


def _is_native(hint: Any, within: tuple[Any, ...]) -> bool:
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if hint in NATIVE or hint is float or origin is typing.Literal or hint in within:
        return True
    if origin in (tuple, frozenset):
        return all(_is_native(a, within) for a in args if a is not ...)
    if origin in (typing.Union, types.UnionType):
        plain = [a for a in args if a is not type(None)]
        return all(_is_native(a, within) for a in plain) and (len(plain) == 1 or not any(map(dataclasses.is_dataclass, plain)))
    if origin is not None or not isinstance(hint, type) or hint in MARKERS or hint in WIDE:
        return False
    if dataclasses.is_dataclass(hint):
        if any(field_name(f) != f.name for f in dataclasses.fields(hint)):
            return False  # msgspec writes the names of the class
    elif not issubclass(hint, tuple) or hint is tuple:
        return False
    return all(_is_native(h, (*within, hint)) for h in hints_of(hint).values())


@cache
def doubts(hint: Any, before: tuple[bytes, ...] = (b"",), within: tuple[Any, ...] = ()) -> frozenset[bytes]:
    """Returns the byte sequences in msgspec's JSON that occur where it wrote null for a number that JSON cannot express.

    Args:
        hint: an annotation.
        before: what may precede the value.
        within: the classes it is a part of.
    """
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if hint is float:
        return frozenset(text + b"null" for text in before)
    if origin in (typing.Union, types.UnionType):
        return frozenset().union(*[doubts(a, before, within) for a in args])
    if origin in (tuple, frozenset):
        return frozenset().union(*[doubts(a, (b"[", b","), within) for a in args if a is not ...])
    if not isinstance(hint, type) or hint in within or hint in NATIVE:
        return frozenset()
    if dataclasses.is_dataclass(hint):
        return frozenset().union(*[doubts(h, (f'"{n}":'.encode(),), (*within, hint)) for n, h in hints_of(hint).items()])
    if issubclass(hint, tuple):
        return frozenset().union(*[doubts(h, (b"[", b","), (*within, hint)) for h in hints_of(hint).values()])
    return frozenset()
