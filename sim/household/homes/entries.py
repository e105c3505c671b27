"""One object of a home file, read key by key; what is wrong with it is said in one line."""

from __future__ import annotations

import difflib
import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Never

from core.common.errors import DataError
from core.common.json_fields import read_json, shown
from core.common.limits import LARGEST_SIDE, MOST_HOME_BYTES, MOST_HOME_ENTRIES
from sim.geometry.model import Colour

LARGEST = LARGEST_SIDE
"""No length in a home is longer, in metres."""
HUGE = 1e9
FEW = 6
"""Choices that fit into a message."""


@dataclass
class Entry:
    """A JSON object and where it stands in its file. Keys that nobody asked for are an error: they are slips of the pen."""

    where: str
    data: dict[str, object]
    asked: set[str] = field(default_factory=set)

    def fail(self, problem: str) -> Never:
        """Raise what is wrong here, and its cure, in one line."""
        raise DataError(f"{self.where}: {problem}")

    def has(self, key: str) -> bool:
        """Whether the key is written."""
        return key in self.data

    def text(self, key: str, default: str | None = None) -> str:
        """A string; `default` where the key is missing, an error where there is none."""
        value = self._value(key, default)
        return value if isinstance(value, str) else self.fail(f'"{key}" is {_said(value)}; write a text in quotes')

    def chosen(self, key: str, choices: tuple[str, ...], default: str | None = None) -> str:
        """One of a few words."""
        value = self.text(key, default)
        return value if value in choices else self.fail(f'"{key}" is "{value}"; {_cure(value, choices)}')

    def number(self, key: str, default: float | None = None, low: float = 0.0, high: float = LARGEST) -> float:
        """A finite number between two bounds."""
        return self._number(key, self._value(key, default), low, high)

    def numbers(self, key: str, count: int, default: tuple[float, ...] | None = None) -> tuple[float, ...]:
        """A list of so many finite numbers."""
        value = self._value(key, default)
        if not isinstance(value, list | tuple) or len(value) != count:
            self.fail(f'"{key}" is {_said(value)}; write a list of {count} numbers')
        return tuple(self._number(key, v, -LARGEST, LARGEST) for v in value)

    def whole(self, key: str, default: int, count: int) -> int:
        """A whole number from 0 to below `count`."""
        value = self._value(key, default)
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < count:
            self.fail(f'"{key}" is {_said(value)}; write a whole number from 0 to {count - 1}')
        return value

    def truth(self, key: str, default: bool | None) -> bool | None:
        """True or false; `default` where the key is missing."""
        self.asked.add(key)
        value = self.data.get(key, default)
        if value is not None and not isinstance(value, bool):
            self.fail(f'"{key}" is {_said(value)}; write true or false')
        return value

    def colour(self, key: str, default: Colour | None) -> Colour | None:
        """A colour written #rrggbb."""
        self.asked.add(key)
        if key not in self.data:
            return default
        code = self.text(key)
        if not re.fullmatch(r"#[0-9a-fA-F]{6}", code):
            self.fail(f'"{key}" is "{code}"; write a colour such as "#d9c7a5"')
        red, green, blue = (int(code[i : i + 2], 16) / 255 for i in (1, 3, 5))
        return red, green, blue

    def entries(self, key: str, what: str) -> list[Entry]:
        """A list of objects, each with its own place in the messages."""
        value = self._value(key, None)
        if not isinstance(value, list):
            self.fail(f'"{key}" is {_said(value)}; write a list of objects')
        if len(value) > MOST_HOME_ENTRIES:
            self.fail(f'"{key}" has {len(value):,} entries; write at most {MOST_HOME_ENTRIES}')
        return [entry_of(f"{self.where}: {what} {n}", v) for n, v in enumerate(value, 1)]

    def close(self) -> None:
        """Call when all is read: whatever is left over was misspelt."""
        left = sorted(self.data.keys() - self.asked)
        if left:
            self.fail(f'unknown key "{left[0]}"; known here: {", ".join(sorted(self.asked))}')

    def _value(self, key: str, default: object) -> object:
        self.asked.add(key)
        if key not in self.data and default is None:
            self.fail(f'"{key}" is missing; add it')
        return self.data.get(key, default)

    def _number(self, key: str, value: object, low: float, high: float) -> float:
        if not isinstance(value, int | float) or isinstance(value, bool) or not abs(value) < HUGE:  # NaN compares false
            self.fail(f'"{key}" is {_said(value)}; write a plain number')
        if not low <= value <= high:
            self.fail(f'"{key}" is {value:g}; write a number from {low:g} to {high:g}')
        return float(value)


def entry_of(where: str, value: object) -> Entry:
    """Wrap what should be a JSON object; its class, where it has one, joins the place in messages."""
    if not isinstance(value, dict):
        raise DataError(f"{where}: is {_said(value)}; write an object in braces")
    cls = value.get("class", value.get("kind"))
    return Entry(f"{where} ({cls})" if isinstance(cls, str) else where, value)


def read_file(path: Path) -> Entry:
    """The file as one entry.

    Raises:
        DataError: it cannot be read or is not JSON.
    """
    return entry_of(path.name, read_json(path, "mend it, or give the path of a home file", most_bytes=MOST_HOME_BYTES))


def _cure(value: str, choices: tuple[str, ...]) -> str:
    """All choices when they are few, else the likeliest."""
    near = difflib.get_close_matches(value, choices, 3, 0.5) if len(choices) > FEW else list(choices)
    return f"write one of {', '.join(near)}" if near else f"write one of {len(choices)} such as {', '.join(choices[:FEW])}"


def _said(value: object) -> str:
    if isinstance(value, dict) or (isinstance(value, list) and any(isinstance(v, list | dict) for v in value)):
        return shown(value)  # it may be nested deeper than a text can be made of
    text = _one_line(json.dumps(value, default=str))
    return text if len(text) <= 40 else f"{text[:37]}..."


def _one_line(value: object) -> str:
    return " ".join(str(value).split())
