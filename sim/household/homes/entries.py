"""Reads one object of a home file key by key. Every error is reported in one line."""

from __future__ import annotations

import difflib
import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Never

from core.common.errors import DataError
from core.common.json_fields import LARGEST_SIDE, MOST_HOME_BYTES, MOST_HOME_ENTRIES, read_json, shown
from sim.geometry.model import Colour

LARGEST = LARGEST_SIDE
"""Largest length in a home, metres."""
HUGE = 1e9
"""Numbers from here on are refused before their bounds are checked."""
FEW = 6
"""Number of choices that fit into a message."""


@dataclass
class Entry:
    """A JSON object and its position in the file. Keys that were not asked for are an error, because they are misspelt.

    Attributes:
        where: position, for messages.
        data: the object.
        asked: keys asked for so far.
    """

    where: str
    data: dict[str, object]
    asked: set[str] = field(default_factory=set)

    def fail(self, problem: str) -> Never:
        """Raises DataError with the position and the problem, which includes the remedy."""
        raise DataError(f"{self.where}: {problem}")

    def has(self, key: str) -> bool:
        """Returns True if the key is present."""
        return key in self.data

    def text(self, key: str, default: str | None = None) -> str:
        """Returns a string; `default` if the key is missing, an error if there is no default."""
        value = self._value(key, default)
        return value if isinstance(value, str) else self.fail(f'"{key}" is {_said(value)}; write a text in quotes')

    def chosen(self, key: str, choices: tuple[str, ...], default: str | None = None) -> str:
        """Returns one of a few words."""
        value = self.text(key, default)
        return value if value in choices else self.fail(f'"{key}" is "{value}"; {_cure(value, choices)}')

    def number(self, key: str, default: float | None = None, low: float = 0.0, high: float = LARGEST) -> float:
        """Returns a finite number between two bounds."""
        return self._number(key, self._value(key, default), low, high)

    def numbers(self, key: str, count: int, default: tuple[float, ...] | None = None) -> tuple[float, ...]:
        """Returns a list of `count` finite numbers."""
        value = self._value(key, default)
        if not isinstance(value, list | tuple) or len(value) != count:
            self.fail(f'"{key}" is {_said(value)}; write a list of {count} numbers')
        return tuple(self._number(key, v, -LARGEST, LARGEST) for v in value)

    def whole(self, key: str, default: int, count: int) -> int:
        """Returns a whole number from 0 to below `count`."""
        value = self._value(key, default)
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < count:
            self.fail(f'"{key}" is {_said(value)}; write a whole number from 0 to {count - 1}')
        return value

    def truth(self, key: str, default: bool | None) -> bool | None:
        """Returns true or false; `default` if the key is missing."""
        self.asked.add(key)
        value = self.data.get(key, default)
        if value is not None and not isinstance(value, bool):
            self.fail(f'"{key}" is {_said(value)}; write true or false')
        return value

    def colour(self, key: str, default: Colour | None) -> Colour | None:
        """Returns a colour written as #rrggbb."""
        self.asked.add(key)
        if key not in self.data:
            return default
        code = self.text(key)
        if not re.fullmatch(r"#[0-9a-fA-F]{6}", code):
            self.fail(f'"{key}" is "{code}"; write a colour such as "#d9c7a5"')
        red, green, blue = (int(code[i : i + 2], 16) / 255 for i in (1, 3, 5))
        return red, green, blue

    def entries(self, key: str, what: str) -> list[Entry]:
        """Returns a list of objects, each with its own position for messages."""
        value = self._value(key, None)
        if not isinstance(value, list):
            self.fail(f'"{key}" is {_said(value)}; write a list of objects')
        if len(value) > MOST_HOME_ENTRIES:
            self.fail(f'"{key}" has {len(value):,} entries; write at most {MOST_HOME_ENTRIES}')
        return [entry_of(f"{self.where}: {what} {n}", v) for n, v in enumerate(value, 1)]

    def close(self) -> None:
        """Raises DataError for keys that were not asked for. Call it after everything was read."""
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
    """Returns the entry for a value that should be a JSON object. Its class, if it has one, is added to the position."""
    if not isinstance(value, dict):
        raise DataError(f"{where}: is {_said(value)}; write an object in braces")
    cls = value.get("class", value.get("kind"))
    return Entry(f"{where} ({cls})" if isinstance(cls, str) else where, value)


def read_file(path: Path) -> Entry:
    """Reads a file as one entry.

    Raises:
        DataError: it cannot be read or is not JSON.
    """
    return entry_of(path.name, read_json(path, "mend it, or give the path of a home file", most_bytes=MOST_HOME_BYTES))


def _cure(value: str, choices: tuple[str, ...]) -> str:
    """Returns all choices if they are few, otherwise the likeliest."""
    near = difflib.get_close_matches(value, choices, 3, 0.5) if len(choices) > FEW else list(choices)
    return f"write one of {', '.join(near)}" if near else f"write one of {len(choices)} such as {', '.join(choices[:FEW])}"


def _said(value: object) -> str:
    """Returns a value as messages show it, shortened."""
    if isinstance(value, dict) or (isinstance(value, list) and any(isinstance(v, list | dict) for v in value)):
        return shown(value)  # it may be nested too deep to be written as text
    text = _one_line(json.dumps(value, default=str))
    return text if len(text) <= 40 else f"{text[:37]}..."


def _one_line(value: object) -> str:
    return " ".join(str(value).split())
