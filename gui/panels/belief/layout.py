"""The rows and columns of the heatmap: order, grouping by room, names, folding of unlikely locations, positions in pixels."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from core.planning.belief_facets import Belief
from core.world.vocabulary import Observation
from gui.theme import Theme
from gui.widgets import Names
from gui.widgets.names import split_id

Cell = tuple[int, int]
"""A row and the index of a location in the belief."""
BARRED = "excluded: the goal would be reached already"
"""Why a location of the goal has probability 0."""
ELSEWHERE = ""
GOAL_PLACE = 0.1
"""The weight of a location of the goal when columns are ranked, on the scale of a probability."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column: one location, or several locations of a room folded into one.

    Attributes:
        places: indices of its locations in the belief.
        label: the name without the room's name, with a number only if two locations of the room share the name.
        room: the id of its room. Empty if unknown.
        name: the full name, for lists.
        where: the name with its preposition, for sentences: "on the kitchen table".
    """

    places: tuple[int, ...]
    label: str
    room: str
    name: str
    where: str

    @property
    def folded(self) -> bool:
        """Returns True if the column stands for several locations."""
        return len(self.places) > 1


def entropies(belief: Belief) -> npt.NDArray[np.float64]:
    """Returns the entropy of each row of the belief: (n,) float64, in bits."""
    p = belief.probability
    logs = np.log2(p, out=np.zeros_like(p), where=p > 0)
    result: npt.NDArray[np.float64] = -(p * logs).sum(axis=1)
    return result


def rows_in_order(belief: Belief, query: str = "", *, by_entropy: bool = True, wanted_only: bool = False) -> tuple[int, ...]:
    """Returns the rows to show: wanted rows first, in the belief's order, then the others.

    Args:
        belief: the belief.
        query: keeps only rows whose label contains all of these words.
        by_entropy: sorts the other rows by falling entropy.
        wanted_only: leaves out the other rows.
    """
    words = query.casefold().split()
    shown = [r for r, label in enumerate(belief.objects)
             if all(word in f"{label} {belief.called(r)}".casefold() for word in words)]
    wanted = [r for r in shown if belief.wanted[r]]
    rest = [] if wanted_only else [r for r in shown if not belief.wanted[r]]
    if by_entropy:
        bits = entropies(belief)
        rest.sort(key=lambda r: (-round(float(bits[r]), 3), belief.objects[r]))
    return (*wanted, *rest)


def rooms_of(places: Sequence[str], known: Mapping[str, str], rooms: Sequence[str]) -> tuple[str, ...]:
    """Returns the room of each location. A room is its own room.

    Args:
        places: ids of the locations.
        known: room by id of the entity.
        rooms: ids of the rooms.
    """
    return tuple(place if place in rooms else known.get(place, ELSEWHERE) for place in places)


def known_rooms(seen: Observation | None) -> tuple[dict[str, str], tuple[str, ...]]:
    """Returns the room of each entity by id, and the ids of the rooms in the order of the observation."""
    if seen is None:
        return {}, ()
    entities = (*seen.entities, *seen.landmarks)
    return ({e.id: e.room for e in entities if e.room is not None}, tuple(e.id for e in entities if e.category == "room"))


def columns_of(belief: Belief, known: Mapping[str, str], rooms: Sequence[str], names: Names) -> tuple[Column, ...]:
    """Returns one column per location, grouped by room.

    Args:
        belief: the belief.
        known: room by id of the entity.
        rooms: ids of the rooms, in order.
        names: display names of entities.
    """
    own = rooms_of(belief.places, known, rooms)
    order = {room: k for k, room in enumerate((*rooms, ELSEWHERE))}
    found: list[Column] = []
    for room in sorted(set(own), key=lambda r: order.get(r, len(order))):
        found += _of_room(room, [k for k, r in enumerate(own) if r == room], belief, names)
    return tuple(found)


def _of_room(room: str, indices: list[int], belief: Belief, names: Names) -> list[Column]:
    room_name = names.plain(room) if room else ""
    plain = {k: _short(names.plain(belief.places[k]), room_name) for k in indices}
    count = Counter(plain[k] for k in {belief.places[k]: k for k in indices}.values())
    met: Counter[str] = Counter()
    found = []
    for k in indices:
        place = belief.places[k]
        met[place] += 1
        label = "floor" if place == room else plain[k]
        name = f"{names.display(place)} floor" if place == room else names.display(place)
        if count[plain[k]] > 1:
            label = f"{label} {split_id(place)[1]}".strip()
        where = f"on the floor of the {names.display(place)}" if place == room else names.where(place)
        if met[place] > 1:  # the second column of a piece of furniture is its top, the first one its inside
            label, name, where = f"on {label}", f"{name}, on top", f"on {names.definite(place)}"
        found.append(Column((k,), label, room, name, where))
    return found


def _short(name: str, room_name: str) -> str:
    """Returns a location's name without its room's name: "kitchen table" in the kitchen and "living room table" are "table"."""
    for prefix in (room_name, room_name.removesuffix(" room"), room_name.removesuffix("room")):
        if prefix and name.startswith(f"{prefix} "):
            return name[len(prefix) + 1:]
    return name


def folded(columns: tuple[Column, ...], belief: Belief, room_for: int, keep: frozenset[int]) -> tuple[Column, ...]:
    """Returns about `room_for` columns at most. The least likely locations of each room become one column, labelled `+5`.

    Locations that the operator has pinned or ruled out are not folded.

    Args:
        columns: one per location.
        belief: gives the probabilities. Those of wanted objects not yet found count most.
        room_for: how many columns fit.
        keep: indices of further locations that are not folded, such as the selected one.
    """
    if len(columns) <= room_for:
        return columns
    weight = _weights(belief)
    stay = set(np.flatnonzero((belief.pinned | belief.zeroed).any(axis=0)).tolist()) | keep
    rooms = {column.room for column in columns}
    turn = {c.places[0]: k for own in _by_room(columns).values() for k, c in enumerate(own)}  # ties: rooms take turns
    ranked = sorted((k for k in turn if k not in stay), key=lambda k: (-round(float(weight[k]), 4), turn[k], k))
    stay |= set(ranked[:max(0, room_for - len(stay) - len(rooms))])
    return _fold(columns, stay)


def _weights(belief: Belief) -> npt.NDArray[np.float64]:
    """Returns the weight of each location: (m,) float64.

    It is a weighted sum of each location's highest probability among three sets of rows: wanted objects not yet found
    (weight 1), wanted objects (0.2), all objects (0.001). A location barred for a wanted object not yet found, because the
    goal wants the object there, gets `GOAL_PLACE` more.
    """
    wanted = [r for r, flag in enumerate(belief.wanted) if flag]
    sought = [r for r in wanted if belief.located[r] is None]
    result = np.zeros(len(belief.places))
    for rows, share in ((sought, 1.0), (wanted, 0.2), (range(len(belief.objects)), 1e-3)):
        result += share * belief.probability[list(rows)].max(axis=0, initial=0.0)
    if sought and belief.barred is not None:
        result += GOAL_PLACE * belief.barred[sought].any(axis=0)
    return result


def _fold(columns: tuple[Column, ...], stay: set[int]) -> tuple[Column, ...]:
    found: list[Column] = []
    for room, own in _by_room(columns).items():
        rest = [c for c in own if c.places[0] not in stay]
        if len(rest) < 2:
            found += own
            continue
        found += [c for c in own if c.places[0] in stay]
        name = f"{len(rest)} less likely places"
        found.append(Column(tuple(c.places[0] for c in rest), f"+{len(rest)}", room, name, f"in {name}"))
    return tuple(found)


def _by_room(columns: tuple[Column, ...]) -> dict[str, list[Column]]:
    by_room: dict[str, list[Column]] = {}
    for column in columns:
        by_room.setdefault(column.room, []).append(column)
    return by_room


LEFT, ROOMS, GAP = 84, 18, 7
"""Pixels at text size 100 %: least width of the object names, height of the room names, gap between rooms."""
MOST_NAMES, STEP = 0.42, 8
"""Largest share of the width for the object names; and the step of their width in pixels, so that columns seldom move."""
SHORTEST, PLACES, LONGEST = 40, 80, 118
"""Pixels for the rotated location names: minimum, maximum in a low panel, maximum in a panel of height `HIGH` or more."""
HIGH = 400
WANTED, LOWEST, HIGHEST = 25, 14, 19
LEAST_WIDTH, WIDEST = 14, 46


@dataclass(frozen=True, slots=True)
class Grid:
    """The geometry of a heatmap at a scroll position. All lengths are in pixels.

    Attributes:
        rows: (row of the belief, top, height). Tops include the scroll offset.
        columns: (column, left). Lefts include the scroll offset.
        wide: the width of a column.
        left: the x coordinate where the cells begin.
        top: the y coordinate where the cells begin.
        extent: the width and height of all cells, for the scroll bars.
    """

    rows: tuple[tuple[int, float, float], ...]
    columns: tuple[tuple[Column, float], ...]
    wide: float
    left: float
    top: float
    extent: tuple[float, float]

    def row_at(self, y: float) -> int:
        """Returns the index in `rows` of the row at a y coordinate, or -1."""
        return next((k for k, (_, top, high) in enumerate(self.rows) if top <= y < top + high), -1) if y >= self.top else -1

    def column_at(self, x: float) -> int:
        """Returns the index in `columns` of the column at an x coordinate, or -1."""
        if x < self.left:
            return -1
        return next((k for k, (_, left) in enumerate(self.columns) if left <= x < left + self.wide), -1)


def room_of_names(widest: float, width: float, px: Callable[[float], int]) -> float:
    """Returns the width for the object names, in pixels.

    Args:
        widest: the width of the longest name with its flag, in pixels.
        width: of the viewport, in pixels.
        px: scales pixels at text size 100 % to the theme's text size.
    """
    steps = math.ceil(widest / px(STEP)) * px(STEP)
    return float(max(px(LEFT), min(steps, int(width * MOST_NAMES))))


def room_for(width: float, rooms: int, px: Callable[[float], int]) -> int:
    """Returns how many columns of the least width fit side by side.

    Args:
        width: beside the object names, in pixels.
        rooms: the number of rooms, which gaps separate.
        px: scales pixels at text size 100 % to the theme's text size.
    """
    return int((width - 8 - px(GAP) * max(0, rooms - 1)) // px(LEAST_WIDTH))


def grid(belief: Belief, order: tuple[int, ...], columns: tuple[Column, ...], size: tuple[float, float],
         px: Callable[[float], int], scrolled: tuple[int, int] = (0, 0), longest: float = PLACES, widest: float = 0) -> Grid:
    """Returns the geometry of a heatmap.

    Columns and rows share the viewport within their least and greatest sizes. A column is at least as wide as a number. What
    does not fit is scrolled.

    Args:
        belief: tells wanted rows, which are higher, from the others.
        order: the rows of the belief, from top to bottom.
        columns: from left to right.
        size: width and height of the viewport, in pixels.
        px: scales pixels at text size 100 % to the theme's text size.
        scrolled: the scroll offset (across, down), in pixels.
        longest: the width of the longest location name, in pixels.
        widest: the width of the longest object name with its flag, in pixels.
    """
    names = min(px(LONGEST) if size[1] >= px(HIGH) else px(PLACES), max(px(SHORTEST), longest + px(10)))
    left, top = room_of_names(widest, size[0], px), px(ROOMS) + names + 4
    breaks = sum(1 for one, other in pairwise(columns) if one.room != other.room)
    wide = (size[0] - left - 8 - px(GAP) * breaks) / max(1, len(columns))
    wide = min(float(px(WIDEST)), max(float(px(LEAST_WIDTH)), wide))
    placed, x = [], left - scrolled[0]
    for k, column in enumerate(columns):
        x += px(GAP) if k and columns[k - 1].room != column.room else 0
        placed.append((column, x))
        x += wide
    rows, y = _rows(belief, order, top, size[1] - top - 4, px, scrolled[1])
    return Grid(rows, tuple(placed), wide, left, top, (x + scrolled[0] - left, y + scrolled[1] - top))


def _rows(belief: Belief, order: tuple[int, ...], top: float, room: float, px: Callable[[float], int],
          down: int) -> tuple[tuple[tuple[int, float, float], ...], float]:
    wanted = sum(1 for r in order if belief.wanted[r])
    rest = len(order) - wanted
    between = px(6) if wanted and rest else 0
    high = (room - wanted * px(WANTED) - between) / max(1, rest)
    high = min(float(px(HIGHEST)), max(float(px(LOWEST)), high))
    found, y = [], top - down
    for k, r in enumerate(order):
        y += between if rest and wanted and k == wanted else 0
        step = float(px(WANTED)) if belief.wanted[r] else high
        found.append((r, y, step))
        y += step
    return tuple(found), y


class Places:
    """Makes the columns of a belief. Rooms and names are remembered once they have been observed.

    Attributes:
        columns: the columns of the last belief, unfolded.
        names: the display names of all that was observed.
    """

    def __init__(self, theme: Theme):
        self._theme = theme
        self.names = Names()
        self._rooms: tuple[dict[str, str], tuple[str, ...]] = ({}, ())
        self.columns: tuple[Column, ...] = ()

    def see(self, seen: Observation | None, names: Names) -> None:
        """Learns rooms from an observation, and takes the names of what was seen in the run."""
        self.names, rooms = names, known_rooms(seen)
        self._rooms = ({**self._rooms[0], **rooms[0]}, rooms[1] or self._rooms[1])

    def room_titles(self) -> dict[str, str]:
        """Returns the title above each room's columns, by the id of the room."""
        return {room: self.names.display(room).capitalize() for room in self._rooms[1]}

    def name(self, place: int) -> str:
        """Returns the name of a location by its index in the belief, or an empty text."""
        return next((c.name for c in self.columns if c.places[0] == place), "")

    def where(self, place: int) -> str:
        """Returns the name of a location with its preposition by its index in the belief, or an empty text."""
        return next((c.where for c in self.columns if c.places[0] == place), "")

    def shown(self, belief: Belief, width: float, before: tuple[Column, ...], selected: Cell | None, *, fold: bool,
              still: bool) -> tuple[Column, ...]:
        """Returns the columns to draw.

        Args:
            belief: the belief.
            width: the width of the heatmap beside the object names, in pixels.
            before: the columns drawn before.
            selected: the selected cell, whose column is not folded, or None.
            fold: whether unlikely locations are folded.
            still: whether the folding stays as it is if it can, so that no column moves under the pointer.
        """
        columns = self.columns = columns_of(belief, *self._rooms, self.names)
        if not fold:
            return columns
        same = {k for c in before for k in c.places} == {k for c in columns for k in c.places}
        keep = frozenset() if selected is None else frozenset({selected[1]})
        standing = {c.places[0] for c in before if not c.folded}
        if same and keep <= standing and still:
            return before
        room = room_for(width, len({c.room for c in columns}), self._theme.px)
        return folded(columns, belief, room, keep)
