"""Entries of a home file, read key by key, and the building they describe: rooms, walls, doors and windows.

Every error is reported in one line.
"""

from __future__ import annotations

import difflib
import json
import re
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Never

from core.common.errors import DataError
from core.common.json_fields import LARGEST_SIDE, MOST_HOME_BYTES, MOST_HOME_ENTRIES, read_json, shown
from sim.geometry import rects
from sim.geometry.model import Colour, Opening, Rect, Room, Wall

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


ROOM_CLASSES = ("kitchen", "living_room", "bedroom", "bathroom")
FLOORS = {"kitchen": "tile", "living_room": "plank", "bedroom": "carpet", "bathroom": "bathtile"}
PAINT = (0.945, 0.92, 0.88)
REVEAL = 0.1
"""Length of wall that must be left beside an opening, metres."""
DOOR_ZONE = 0.7
"""Depth of the floor in front of a door that must be free, metres."""


def read_rooms(entries: list[Entry]) -> tuple[tuple[Room, ...], tuple[tuple[str, str], ...]]:
    """Returns the rooms, and (id, class) of each.

    Raises:
        DataError: an unknown class, a room without floor, rooms or pieces that overlap.
    """
    rooms: list[Room] = []
    names: list[tuple[str, str]] = []
    for entry in entries:
        cls = entry.chosen("class", ROOM_CLASSES)
        names.append((f"{cls}_{sum(c == cls for _, c in names) + 1}", cls))
        pieces = _pieces(entry)
        for piece in pieces:
            for other, (name, _) in zip(rooms, names, strict=False):
                if any(rects.intersect(piece, p) for p in other.pieces):
                    entry.fail(f'overlaps {name}; move one of their "pieces"')
        floor = entry.chosen("floor", ("plank", "tile", "bathtile", "carpet"), FLOORS[cls])
        rooms.append(Room(cls, pieces, floor, entry.colour("paint", None) or PAINT))
    return tuple(rooms), tuple(names)


def _pieces(entry: Entry) -> tuple[Rect, ...]:
    listed = entry.data.get("pieces")
    entry.asked.add("pieces")
    if not isinstance(listed, list) or not listed:
        entry.fail('"pieces" is missing or empty; write [[x0, y0, x1, y1], ...] in metres')
    pieces: list[Rect] = []
    for n, value in enumerate(listed, 1):
        x0, y0, x1, y1 = Entry(entry.where, {f"piece {n}": value}).numbers(f"piece {n}", 4)
        if x1 - x0 < 1 or y1 - y0 < 1:
            entry.fail(f"piece {n} is less than a metre wide or inverted; write x0, y0, x1, y1 with x0 < x1 and y0 < y1")
        if any(rects.intersect((x0, y0, x1, y1), p) for p in pieces):
            entry.fail(f"piece {n} overlaps another piece of the room; let them only touch")
        pieces.append((x0, y0, x1, y1))
    return tuple(pieces)


def joined_walls(rooms: tuple[Room, ...]) -> tuple[Wall, ...]:
    """Returns the walls between rooms. Straight stretches with the same rooms on both sides are one wall."""
    walls: list[Wall] = []
    for wall in rects.walls_of(rooms):
        last = walls[-1] if walls else wall
        straight = last.end == wall.start and (last.start[0] == wall.end[0] or last.start[1] == wall.end[1])
        if straight and (last.left, last.right) == (wall.left, wall.right):
            walls[-1] = replace(last, end=wall.end)
        else:
            walls.append(wall)
    return tuple(walls)


def cut_openings(walls: tuple[Wall, ...], doors: list[Entry], entrance: Entry, windows: list[Entry]) -> tuple[Wall, ...]:
    """Returns the walls with doors between rooms, one door to the outside, and windows.

    Raises:
        DataError: an opening that lies on no wall, on the wrong kind of wall, or does not fit there.
    """
    for entry in doors:
        walls = _cut(walls, entry, Opening("door", 0.0, entry.number("width", 0.9, 0.6, 4.0), 0.0, 2.05))
    walls = _cut(walls, entrance, Opening("leaf", 0.0, entrance.number("width", 0.95, 0.6, 2.0), 0.0, 2.05))
    for entry in windows:
        sill = entry.number("sill", 0.9, 0.0, 2.0)
        head = entry.number("head", 2.1, sill + 0.2, 2.5)
        walls = _cut(walls, entry, Opening("window", 0.0, entry.number("width", 1.4, 0.3, 6.0), sill, head))
    return walls


def _cut(walls: tuple[Wall, ...], entry: Entry, opening: Opening) -> tuple[Wall, ...]:
    x, y = entry.numbers("at", 2)
    entry.close()
    found = next(((k, along) for k, wall in enumerate(walls) if (along := _along(wall, x, y)) is not None), None)
    if found is None:
        entry.fail(f"no wall at [{x:g}, {y:g}]; give a point on an edge of a room")
    k, along = found
    wall, half = walls[k], opening.end / 2
    if (wall.left >= 0 and wall.right >= 0) != (opening.kind == "door"):
        belongs = "between two rooms" if opening.kind == "door" else "to the outside"
        entry.fail(f"a {opening.kind} belongs in a wall {belongs}; move it")
    cut = replace(opening, begin=along - half, end=along + half)
    if cut.begin < REVEAL or cut.end > wall.length - REVEAL or any(_close(cut, o) for o in wall.openings):
        entry.fail(f"does not fit at [{x:g}, {y:g}]; move it from the wall's end or the next opening, or make it narrower")
    return (*walls[:k], replace(wall, openings=(*wall.openings, cut)), *walls[k + 1 :])


def _close(a: Opening, b: Opening) -> bool:
    return a.begin < b.end + REVEAL and b.begin < a.end + REVEAL


def _along(wall: Wall, x: float, y: float) -> float | None:
    """Returns the distance from the wall's start to a point on it, metres; None for a point beside it."""
    x0, y0 = wall.start
    along, across = (x - x0, y - y0) if y0 == wall.end[1] else (y - y0, x - x0)
    return along if abs(across) < 0.02 and 0 <= along <= wall.length else None


def span_rect(wall: Wall, opening: Opening, depth: float) -> Rect:
    """Returns the rectangle over an opening that extends `depth` metres to both sides of its wall."""
    (x, y), (x1, _) = wall.start, wall.end
    if x1 > x:
        return x + opening.begin, y - depth, x + opening.end, y + depth
    return x - depth, y + opening.begin, x + depth, y + opening.end


def check_doors(where: str, rooms: tuple[tuple[str, str], ...], walls: tuple[Wall, ...]) -> None:
    """Checks that every room can be reached from the first through doors.

    Raises:
        DataError: a room cannot be reached.
    """
    reached, before = {0}, 0
    while len(reached) > before:
        before = len(reached)
        for wall in walls:
            if {wall.left, wall.right} & reached and any(o.kind == "door" for o in wall.openings):
                reached |= {wall.left, wall.right}
    cut_off = [name for k, (name, _) in enumerate(rooms) if k not in reached]
    if cut_off:
        raise DataError(f"{where}: no door leads to {cut_off[0]}; add one to \"doors\"")
