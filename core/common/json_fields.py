"""Limits for files from outside, and a JSON reader that checks values field by field.

Readers check the limits before they allocate memory for the content. Every error is one line: the file, the path of the value
in it, the problem, and the remedy.
"""

from __future__ import annotations

import gzip
import json
import math
import stat
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple, NoReturn

from core.common.errors import DataError
from core.common.user_texts import decoded

# --- any JSON ----------------------------------------------------------------
MOST_JSON_BYTES: Final = 32 * 2**20
"""Bytes of JSON, after decompression."""
MOST_JSON_VALUES: Final = 1_000_000
"""Lists, objects and commas. This bounds the memory: a parsed value takes at most about 250 bytes."""
MOST_TEXT: Final = 200
"""Characters of a name."""

# --- scenes ------------------------------------------------------------------
LARGEST_SIDE: Final = 50.0
"""Metres from one end of a scene to the other, along each axis."""
FARTHEST: Final = 10_000.0
"""Metres from the origin. Scenes are not translated, so this keeps sums exact."""
SMALLEST_FLOOR: Final = 1.0
"""Metres of the shorter side of a room's floor. Nearly collinear walls are merged, so a smaller room would vanish."""
MOST_THINGS: Final = 5_000
"""Nodes of a graph, or objects of a room."""
MOST_EDGES: Final = 200_000
MOST_ROOMS: Final = 40
MOST_PIECES: Final = 150
"""Pieces of furniture without a box in one room: the layout compares each new piece with all earlier ones."""
MOST_DEPTH: Final = 64
"""Nested objects: a mug on a tray on a table is a chain of 3."""
MOST_WORDS: Final = 100
"""Properties, states or receptacles of one object."""

MOST_HOME_BYTES: Final = 2**20
MOST_HOME_ENTRIES: Final = 300
"""Rooms, doors, windows, or pieces of furniture in a room: each is compared with all others."""

MOST_HOME_PIECES: Final = 1_000

# --- files of operators -----------------------------------------------------------
MOST_SET_BYTES: Final = 2**20
"""Bytes of a set of labels."""
MOST_LABELS: Final = 1_000
"""Labels of one set."""
MOST_SIDECAR_BYTES: Final = 128 * 2**20
"""Bytes of the labels file of a recording: about half a million changes."""
MOST_EXAMPLES: Final = 10_000
MOST_EXAMPLE_BYTES: Final = 16 * 2**20
MOST_TRAJECTORIES: Final = 1_000_000
"""Lines of an expert set."""
MOST_TRAJECTORY_STEPS: Final = 1_000
MOST_TRAJECTORY_CHARACTERS: Final = 2**20
"""Characters of one trajectory, as JSON."""


SHOWN = 40
"""The maximum number of characters of a value in a message."""


def read_json(path: Path, cure: str, *, most_bytes: int = MOST_JSON_BYTES, most_values: int = MOST_JSON_VALUES) -> Any:
    """Parses a `.json` file, or a compressed `.json.gz` file.

    Args:
        path: the file.
        cure: the remedy for a damaged file; it ends every message.
        most_bytes: the limit of the decompressed size. Decompression stops there.
        most_values: the limit of lists, objects and commas.

    Raises:
        DataError: the file is missing, damaged, too large, or nested too deeply.
    """
    try:
        raw = read_bytes(path, most_bytes)
    except DataError as error:
        raise DataError(f"{error}: {cure}.") from error
    except OSError as error:
        reason = error.strerror or "it is not a complete gzip file"
        raise DataError(f"{path} cannot be read ({reason}): {cure}.") from error
    except (EOFError, ValueError, zlib.error) as error:  # a file name with a zero byte raises ValueError
        raise DataError(f"{path} is damaged ({type(error).__name__}): {cure}.") from error
    if raw.count(b"{") + raw.count(b"[") + raw.count(b",") > most_values:
        raise DataError(f"{path} holds more than {most_values:,} values: {cure}.")
    try:
        return json.loads(decoded(raw, path))
    except DataError as error:
        raise DataError(f"{error}, or {cure}.") from error
    except RecursionError as error:
        raise DataError(f"{path} is nested too deeply: {cure}.") from error
    except ValueError as error:
        raise DataError(f"{path} is damaged ({type(error).__name__}): {cure}.") from error


def read_bytes(path: Path, most: int) -> bytes:
    """Reads a file, decompressed if its name ends in `.gz`.

    Raises:
        OSError: the file cannot be read, or is not in gzip format.
        EOFError, zlib.error: the compressed data is damaged.
        DataError: it is no regular file, or longer than `most` bytes.
    """
    if not stat.S_ISREG(path.stat().st_mode):  # reading a pipe would wait for its writer, and a device never ends
        raise DataError(f"{path} is no file")
    with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
        raw = file.read(most + 1)
    if len(raw) > most:
        raise DataError(f"{path} holds more than {most / 2**20:g} MB")
    return raw



class Field(NamedTuple):
    """A JSON value with its location, and methods that check its type.

    Attributes:
        value: what `json.loads` returned.
        where: the file and the path in it, such as `flat.json, nodes[3].states`.
        cure: the remedy; it ends every message.
    """

    value: Any
    where: str
    cure: str

    def fail(self, problem: str) -> NoReturn:
        """Raises a DataError about this value."""
        raise DataError(f"{self.where} {problem}: {self.cure}.")

    def has(self, key: str) -> bool:
        """Returns True if this is an object with a value other than null under `key`."""
        return isinstance(self.value, dict) and self.value.get(key) is not None

    def field(self, key: str) -> Field:
        """Returns the value of a key.

        Raises:
            DataError: this is no object, or lacks the key.
        """
        if not isinstance(self.value, dict):
            self.fail(f"is {shown(self.value)}, not an object")
        if key not in self.value:
            self.fail(f"lacks {key}")
        return Field(self.value[key], f"{self.where}{'.' if ', ' in self.where else ', '}{key}", self.cure)

    def items(self, most: int) -> Iterator[Field]:
        """Yields the values of a list of at most `most`.

        Raises:
            DataError: this is no list, or a longer one.
        """
        for number, value in enumerate(self._list(most)):
            yield Field(value, f"{self.where}[{number}]", self.cure)

    def text(self, most: int = MOST_TEXT) -> str:
        """Returns a text of 1 to `most` characters."""
        value = self.value
        if not isinstance(value, str) or not 0 < len(value) <= most:
            self.fail(f"is {shown(value)}, not a text of 1 to {most} characters")
        return value

    def texts(self, most: int) -> list[str]:
        """Returns a list of at most `most` names."""
        found = self._list(most)
        for number, value in enumerate(found):
            if type(value) is not str or len(value) > MOST_TEXT:
                Field(value, f"{self.where}[{number}]", self.cure).fail(f"is {shown(value)}, not a name")
        return found

    def whole(self, low: int, high: int) -> int:
        """Returns an integer from `low` to `high`."""
        value = self.value
        if type(value) is not int or not low <= value <= high:
            self.fail(f"is {shown(value)}, not a whole number from {low} to {high}")
        return value

    def number(self, low: float, high: float) -> float:
        """Returns a finite number from `low` to `high`."""
        value = self.value
        if type(value) not in (int, float) or not low <= value <= high:  # NaN compares false
            self.fail(f"is {shown(value)}, not a number from {low:g} to {high:g}")
        return float(value)

    def truth(self) -> bool:
        """Returns a boolean."""
        value = self.value
        if type(value) is not bool:
            self.fail(f"is {shown(value)}, not true or false")
        return value

    def _list(self, most: int) -> list[Any]:
        value = self.value
        if not isinstance(value, list):
            self.fail(f"is {shown(value)}, not a list")
        if len(value) > most:
            self.fail(f"has {len(value):,} entries, at most {most:,} are read")
        return value


def shown(value: object) -> str:
    """Returns a short description of a value. Lists and objects are not written out, because they may be large or nested."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case list():
            return "a list"
        case dict():
            return "an object"
        case str():
            return f"“{value[:SHOWN]}{'…' if len(value) > SHOWN else ''}”"
        case int() if abs(value) >= 10**SHOWN:
            return "a number of many digits"
        case float() if not math.isfinite(value):
            return "not finite"
        case _:
            return f"{value}"[:SHOWN]
