"""The view of a value that describes no view of its own: a tree of its fields. Also what fields any value has."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping

import numpy as np

from core.views.values import Cell, Column, Item, Tree
from core.world.vocabulary import Action, in_words

MOST_FIELDS = 4000
"""Fields of a value that are listed; a sentence says that more were left out."""
MOST_DEPTH = 8
VALUE = (Column("value"),)


def parts_of(value: object) -> Iterator[tuple[str, object]]:
    """Yields the name and value of each part of a dataclass, mapping or collection. Yields nothing for other values."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = [f.name for f in dataclasses.fields(value)]
        yield from ((name, object.__getattribute__(value, name)) for name in names)
    elif isinstance(value, Mapping):
        yield from ((str(key), part) for key, part in value.items())
    elif isinstance(value, tuple | list | frozenset | set):
        yield from ((str(k), part) for k, part in enumerate(value))


def short_text(value: object) -> str:
    """Returns a value as short text: the shape of an array, a float with three significant digits, else `str(value)`."""
    if isinstance(value, np.ndarray):
        return f"array {' × '.join(map(str, value.shape))}"
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def fields_tree(value: object) -> Tree:
    """Returns the tree of the fields of a dataclass, mapping or collection, down to numbers, texts and flags.

    The items of a collection are numbered from 1. An array has an item for each of its numbers.
    """
    found: list[Item] = []
    left = [(name, part, -1, 0) for name, part in reversed(list(_named_parts(value)))]
    while left and len(found) < MOST_FIELDS:
        name, part, parent, depth = left.pop()
        inner = list(_named_parts(part)) if depth < MOST_DEPTH else []
        leaf = None if inner else _leaf(part)
        found.append(Item(name, name, (leaf,), note=short_text(part) if isinstance(part, np.ndarray) else "", parent=parent))
        left += [(key, below, len(found) - 1, depth + 1) for key, below in reversed(inner)]
    return Tree(tuple(found), VALUE, note=f"only the first {MOST_FIELDS:,} fields" if left else "")


def _named_parts(value: object) -> Iterator[tuple[str, object]]:
    """Yields the parts of a value with names to read: an item of a collection has its number, from 1."""
    if isinstance(value, Action | frozenset | set):
        return
    if isinstance(value, np.ndarray):
        if value.dtype.kind in "biuf":
            flat = value.ravel()[:MOST_FIELDS]
            yield from ((f"[{k}]", x) for k, x in enumerate(flat.tolist()))
        return
    is_list = isinstance(value, tuple | list)
    for name, part in parts_of(value):
        yield (str(int(name) + 1) if is_list else name.replace("_", " ")), part


def _leaf(value: object) -> Cell:
    """Returns a value without parts as the value of an item."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, frozenset | set):
        return frozenset(map(str, value))
    if isinstance(value, Action):
        return in_words(value)
    is_empty = isinstance(value, tuple | list | Mapping) and not value
    return None if is_empty else short_text(value)
