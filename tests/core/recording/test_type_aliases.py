"""Annotations may be type aliases, at any depth: numpy 2.5, which needs Python 3.12, defines NDArray as one."""

from __future__ import annotations

import json
import typing
from collections.abc import Mapping
from dataclasses import make_dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from core.common.errors import DataError
from core.planning.facets import Facet
from core.recording.codec import Codec
from core.recording.types import hints_of, unreadable_field, without_aliases

if "TypeAliasType" not in vars(typing):
    pytest.skip("Python has type aliases from 3.12 on", allow_module_level=True)

DEFINITIONS = """
type Table[S] = np.ndarray[tuple[Any, ...], np.dtype[S]]
type Row[T] = tuple[T, ...]
type Names = Row[str]
type Endless = tuple[Endless, ...]
"""
"""Python 3.11 could not read these statements. `Table` is what NDArray is in numpy 2.5, whichever numpy is installed."""
SCOPE: dict[str, Any] = {"np": np, "Any": Any, "tuple": tuple}
exec(DEFINITIONS, SCOPE)
Table: Any = SCOPE["Table"]
Row: Any = SCOPE["Row"]
Names: Any = SCOPE["Names"]
Endless: Any = SCOPE["Endless"]


Aliased: Any = make_dataclass("Aliased", [
    ("counts", Table[np.int64]), ("names", Names), ("by_name", Mapping[str, Row[float]]), ("several", Row[Table[np.float64]]),
    ("perhaps", Row[int] | None),
], bases=(Facet,), frozen=True)
Unending: Any = make_dataclass("Unending", [("rows", Endless)], bases=(Facet,), frozen=True)


@pytest.mark.parametrize(("hint", "plain"), [
    (Names, tuple[str, ...]),
    (Row[int], tuple[int, ...]),
    (Mapping[str, Row[Row[int]]], Mapping[str, tuple[tuple[int, ...], ...]]),
    (Row[int] | None, tuple[int, ...] | None),
    (typing.Optional[Names], typing.Optional[tuple[str, ...]]),  # noqa: UP045  (the other class of unions)
    (frozenset[Names], frozenset[tuple[str, ...]]),
    (typing.Literal["a"], typing.Literal["a"]),
    (tuple[()], tuple[()]),
])
def test_aliases_are_replaced_at_any_depth(hint: Any, plain: Any) -> None:
    assert without_aliases(hint) == plain


@pytest.mark.parametrize("hint", [npt.NDArray[np.uint8], Table[np.uint8]])
def test_an_alias_of_an_array_is_an_array(hint: Any) -> None:
    plain = without_aliases(hint)
    assert typing.get_origin(plain) is np.ndarray
    assert typing.get_args(typing.get_args(plain)[1]) == (np.uint8,)


def test_an_annotation_without_aliases_stays_the_same_object() -> None:
    hint = Mapping[str, tuple[int, ...]]
    assert without_aliases(hint) is hint


def test_values_of_aliased_types_are_written_as_those_of_their_definition_and_read_again() -> None:
    codec = Codec((Aliased,))
    value = Aliased(np.arange(3), ("a", "b"), {"x": (0.5,)}, (np.zeros(2), np.ones((1, 2))), (1,))
    for text in (codec.encode(value), codec.dumps(value)):
        back = codec.loads(text, Aliased)
        assert back.counts.tolist() == [0, 1, 2]
        assert (back.names, dict(back.by_name), back.perhaps) == (("a", "b"), {"x": (0.5,)}, (1,))
        assert [table.tolist() for table in back.several] == [[0.0, 0.0], [[1.0, 1.0]]]
    with pytest.raises(DataError):
        codec.loads(codec.encode(value).replace(b"<i8", b"<i4"), Aliased)
    assert codec.loads(codec.encode(np.arange(3)), Table[np.int64]).tolist() == [0, 1, 2]


@pytest.mark.parametrize("keys", ["dtype shape zlib data", "data dtype shape zlib"])
def test_an_array_is_read_whichever_order_its_keys_have(keys: str) -> None:
    """Belvedere wrote them in the first order while it did not know numpy's alias, and otherwise always in the second."""
    parts = {"$": "array", "dtype": "<u2", "shape": [2], "zlib": False, "data": "AQACAA=="}
    text = json.dumps({key: parts[key] for key in ("$", *keys.split())})
    back: Any = Codec().loads(text, npt.NDArray[np.uint16])
    assert back.tolist() == [1, 2]


def test_an_alias_defined_by_itself_is_refused_with_the_reason() -> None:
    assert "Endless is defined by itself" in unreadable_field(Unending)
    with pytest.raises(TypeError, match="Endless is defined by itself"):
        hints_of(Unending)
