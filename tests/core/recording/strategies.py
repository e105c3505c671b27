"""Hypothesis strategies for values of any recorded type, made from its annotations."""

from __future__ import annotations

import functools
import types
import typing
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from core.common.parameters import Parameters
from core.planners.registry import PLANNERS, planner_class
from core.planning.facets import Facet
from core.recording.types import COMMANDS, FACETS, FACTS, PAYLOADS, hints_of, registered_facets
from core.session.annotation import Annotation
from core.session.commands import Command
from core.session.events import Payload

KINDS: dict[Any, tuple[type, ...]] = {Payload: PAYLOADS, Command: COMMANDS, Facet: (*FACETS, *registered_facets())}
TEXT = st.text(max_size=8) | st.text(st.characters(categories=["Cc", "Zs"]) | st.sampled_from("\udc80\udcff"), max_size=3)
"""Lone surrogates included, as undecodable bytes give them; two that make a pair are one character to JSON."""
FINITE = st.floats(allow_nan=False, allow_infinity=False)
SCALARS: dict[Any, st.SearchStrategy[Any]] = {
    str: TEXT, int: st.integers(-10**30, 10**30), float: st.floats(), bool: st.booleans(), type(None): st.none(),
}


@functools.cache
def of(hint: Any) -> st.SearchStrategy[Any]:
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if hint in SCALARS:
        return SCALARS[hint]
    if hint is object:
        return st.none() | st.one_of([_later(c) for c in FACTS])
    if hint is Parameters:
        return st.sampled_from([preset for name in PLANNERS for preset in planner_class(name).presets.values()])
    if hint in KINDS:
        return st.one_of([_later(c) for c in KINDS[hint]])
    if origin is typing.Literal:
        return st.sampled_from(args)
    if origin in (typing.Union, types.UnionType):
        return st.one_of([of(a) for a in args])
    if origin is np.ndarray:
        dtype = np.dtype(typing.get_args(args[1])[0])
        return arrays.arrays(dtype, arrays.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4))
    return _made(hint, origin, args)


def _later(kind: type) -> st.SearchStrategy[Any]:
    return st.deferred(lambda: of(kind))


def _made(hint: Any, origin: Any, args: tuple[Any, ...]) -> st.SearchStrategy[Any]:
    if origin is frozenset:
        return st.frozensets(of(args[0]), max_size=3)
    if origin is tuple and args[-1] is ...:
        return st.lists(of(args[0]), max_size=2).map(tuple)
    if origin is tuple:
        return st.tuples(*[of(a) for a in args])
    hints = hints_of(hint)
    if hint is Annotation:
        return st.builds(hint, **({name: of(h) for name, h in hints.items()} | {"at": FINITE, "until": st.none() | FINITE}))
    return st.builds(hint, **{name: of(h) for name, h in hints.items()})
