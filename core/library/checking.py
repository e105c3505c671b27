"""Checks the values of a row of the library that come from a file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Annotated, Any, Final, get_args, get_origin, get_type_hints

import msgspec

from core.common.errors import DataError
from core.library.entry import Between, Entry, FileState


def checked(values: Mapping[str, Any]) -> Entry:
    """Returns the entry of some values, each of which is checked.

    Raises:
        DataError: a value is of another type or out of its range.
    """
    try:
        entry = msgspec.convert(values, Entry, dec_hook=_path)
    except ValueError as error:
        raise DataError(str(error)) from error
    for name, number, between in (*_numbers(entry, OF_ENTRY), *_numbers(entry.file, OF_FILE)):
        if not between.least <= number <= between.most:  # NaN is in no range
            raise DataError(f"{name} is {number}, out of its range")
    return entry


def check(entry: Entry) -> None:
    """Checks an entry whose values come from a file.

    Raises:
        DataError: a value is out of its range.
    """
    checked({field.name: getattr(entry, field.name) for field in fields(Entry)})


def _numbers(part: Entry | FileState, ranges: Mapping[str, Between]) -> Iterator[tuple[str, float, Between]]:
    """Yields the name, the value and the range of each number that has a range."""
    for name, between in ranges.items():
        value = getattr(part, name)
        for number in value if isinstance(value, tuple) else () if value is None else (value,):
            yield name, number, between


def _ranges(kind: type) -> Mapping[str, Between]:
    found = {name: _range_in(hint) for name, hint in get_type_hints(kind, include_extras=True).items()}
    return {name: between for name, between in found.items() if between is not None}


def _range_in(hint: Any) -> Between | None:
    if get_origin(hint) is Annotated:
        return next((mark for mark in hint.__metadata__ if isinstance(mark, Between)), None)
    return next(filter(None, map(_range_in, get_args(hint))), None)


def _path(kind: type, value: object) -> Path:
    if kind is not Path or not isinstance(value, Path):
        raise TypeError("a path is missing")
    return value


OF_ENTRY: Final = _ranges(Entry)
OF_FILE: Final = _ranges(FileState)
"""The ranges of the fields that have one."""
