"""Stores layouts as text in the settings, one for each planner. Text that is damaged or of another version is ignored."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import replace

from PySide6.QtCore import QSettings

from gui.window.layouts import Floating, Layout, Rows

LAYOUT_VERSION = 3
"""Versions 1 and 2 were states of Qt: they contain panels of other planners and are not read."""
MOST_PIXELS = 20_000


def load(settings: QSettings, planner: str, known: Collection[str]) -> Layout | None:
    """Returns the layout the operator left for a planner, or None.

    Args:
        settings: where it is stored.
        planner: its name in the registry.
        known: names of the existing panels; others are left out.
    """
    text = settings.value(f"layout/{planner}")
    if not isinstance(text, str):
        return None
    try:
        found = _layout(json.loads(text))
    except (ValueError, RecursionError):
        return None
    once: set[str] = set()

    def keep(name: str) -> bool:
        new = name in known and name not in once
        once.add(name)
        return new

    return replace(found.only(keep), raised=found.raised & set(known))


def store(settings: QSettings, planner: str, layout: Layout) -> None:
    """Stores a layout for a planner."""
    kept = {
        "version": LAYOUT_VERSION, "left": layout.left, "right": layout.right, "bottom": layout.bottom, "wide": layout.wide,
        "left_shares": layout.left_shares, "right_shares": layout.right_shares, "high": layout.high, "across": layout.across,
        "raised": sorted(layout.raised), "floating": layout.floating, "sized_for": layout.sized_for,
    }
    settings.setValue(f"layout/{planner}", json.dumps(kept))


def forget(settings: QSettings, planner: str) -> None:
    """Deletes the stored layout of a planner."""
    settings.remove(f"layout/{planner}")


def _layout(kept: object) -> Layout:
    """Returns a layout from JSON.

    Raises:
        ValueError: it is not a layout, or of another version.
    """
    if not isinstance(kept, dict) or kept.get("version") != LAYOUT_VERSION:
        raise ValueError("no layout of this version")
    wide = _numbers(kept.get("wide"), 2)
    return Layout(
        _rows(kept.get("left")), _rows(kept.get("right")), _rows(kept.get("bottom")), (wide[0], wide[1]),
        _numbers(kept.get("left_shares")), _numbers(kept.get("right_shares")), _number(kept.get("high")),
        kept.get("across") is True, frozenset(_names(kept.get("raised"))),
        tuple(_floating(part) for part in _list(kept.get("floating"))), _number(kept.get("sized_for"), 0))


def _list(value: object) -> list[object]:
    if not isinstance(value, list):
        raise ValueError(f"{value!r} is no list")
    return value


def _names(value: object) -> tuple[str, ...]:
    names = tuple(name for name in _list(value) if isinstance(name, str))
    if len(names) != len(_list(value)):
        raise ValueError(f"{value!r} holds more than names")
    return names


def _rows(value: object) -> Rows:
    return tuple(names for part in _list(value) if (names := _names(part)))


def _number(value: object, least: int = 1) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= MOST_PIXELS:
        raise ValueError(f"{value!r} is no number of pixels")
    return value


def _numbers(value: object, count: int | None = None) -> tuple[int, ...]:
    numbers = tuple(_number(part) for part in _list(value))
    if count is not None and len(numbers) != count:
        raise ValueError(f"{value!r} are not {count} numbers")
    return numbers


def _floating(value: object) -> Floating:
    name, x, y, width, height = _list(value) if len(_list(value)) == 5 else [None] * 5
    if not isinstance(name, str):
        raise ValueError(f"{value!r} is no floating panel")
    return (name, _number(x, -MOST_PIXELS), _number(y, -MOST_PIXELS), _number(width), _number(height))
