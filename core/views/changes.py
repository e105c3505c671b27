"""Changes of frozen values: what an edit did to one version is done to another, so that it can be undone and redone later."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, TypeVar

import numpy as np

T = TypeVar("T")


def carried(now: T, before: T, after: T) -> T:
    """Returns a value with the change that leads from another one to a third, as far as it is still about something in it.

    What differs between `now` and `before` elsewhere is kept: fields of a dataclass, elements of an array, entries of a
    mapping, members of a set, and elements of a tuple, which are recognised by being equal.

    Args:
        now: what is changed.
        before: what was changed at first.
        after: what that became.
    """
    if same(before, after):
        return now
    if same(now, before):
        return after
    found: Any = _carried(now, before, after)
    return found  # type: ignore[no-any-return]


def _carried(now: Any, before: Any, after: Any) -> Any:
    if not type(now) is type(before) is type(after):
        return after
    if dataclasses.is_dataclass(now) and not isinstance(now, type):
        names = [f.name for f in dataclasses.fields(now) if f.init]
        parts = {name: [object.__getattribute__(value, name) for value in (now, before, after)] for name in names}
        return dataclasses.replace(now, **{name: carried(*three) for name, three in parts.items()})
    match now:
        case np.ndarray() if now.shape == before.shape == after.shape:
            found = np.where(_differ(before, after), after, now)
            found.flags.writeable = False
            return found
        case tuple():
            return _tuple(now, before, after)
        case frozenset():
            return (now - (before - after)) | (after - before)
        case dict() | MappingProxyType():
            return type(now)(_entries(now, before, after))
    return after


def _differ(one: Any, other: Any) -> Any:
    return (one != other) & ~((one != one) & (other != other))  # NaN is equal to NaN here


def _entries(now: Mapping[Any, Any], before: Mapping[Any, Any], after: Mapping[Any, Any]) -> dict[Any, Any]:
    found = {key: value for key, value in now.items() if key in after or key not in before}
    for key, value in after.items():
        if key not in before or not same(before[key], value):
            found[key] = carried(now[key], before[key], value) if key in before and key in now else value
    return found


def _tuple(now: tuple[Any, ...], before: tuple[Any, ...], after: tuple[Any, ...]) -> tuple[Any, ...]:
    if len(now) == len(before) == len(after):
        return tuple(carried(*three) for three in zip(now, before, after, strict=True))
    if len(before) == len(after):
        swapped = [(old, new) for old, new in zip(before, after, strict=True) if not same(old, new)]
        return tuple(next((new for old, new in swapped if same(old, part)), part) for part in now)
    found = [part for part in now if not (_holds(before, part) and not _holds(after, part))]
    for k, part in enumerate(after):
        if not _holds(before, part) and not _holds(found, part):
            above = next((j for j, other in enumerate(found) if k and same(other, after[k - 1])), len(found) - 1)
            found.insert(above + 1 if k else 0, part)
    return tuple(found)


def _holds(parts: Sequence[Any], wanted: Any) -> bool:
    return any(same(part, wanted) for part in parts)


def same(one: object, other: object) -> bool:
    """Returns whether two values are equal; also arrays, and dataclasses that hold some. NaN equals NaN."""
    if one is other:
        return True
    if type(one) is not type(other):
        return False
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return one.shape == other.shape and one.dtype == other.dtype and not bool(np.any(_differ(one, other)))
    if isinstance(one, float) and isinstance(other, float):
        return one == other or (math.isnan(one) and math.isnan(other))
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if dataclasses.is_dataclass(one) and not isinstance(one, type):
        names = (f.name for f in dataclasses.fields(one))
        return all(same(object.__getattribute__(one, name), object.__getattribute__(other, name)) for name in names)
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(same(value, other[key]) for key, value in one.items())
    return bool(one == other)
