"""Encodes arrays as plain JSON without loss: their dtype, their shape, and their bytes in base64."""

from __future__ import annotations

import base64
import binascii
import math
import zlib
from typing import Any

import numpy as np
import numpy.typing as npt

from core.common.errors import DataError

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
