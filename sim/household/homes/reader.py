"""Reads a home file into a scene.

A home is a JSON object; lengths are metres on one plan, x to the east and y to the north::

    {"title": "Four rooms 1",             what people read
     "familiar": true,                    true: a home marked seen, false: unseen
     "height": 2.6,                       of the ceiling; may be left out
     "rooms": [{"class": "kitchen",       kitchen, living_room, bedroom or bathroom
                "pieces": [[0, 0, 4, 3]], x0, y0, x1, y1 of the floor; two touching pieces make an L
                "floor": "tile",          plank, tile, bathtile or carpet; may be left out
                "paint": "#f2ecdf",       of the walls; may be left out
                "furniture": [...]}],
     "entrance": {"at": [0, 1.5]},        the middle of the door to the outside, on an outer edge of a room
     "doors": [{"at": [4, 2], "width": 0.9}],                              free passages between two rooms
     "windows": [{"at": [2, 0], "width": 1.4, "sill": 0.9, "head": 2.1}]}

A line of furniture has a `class` and says where it is in one of three ways:

* `wall` (south, north, west, east) and `offset`: its back to that wall, so far from the wall's west or south end; `piece`
  chooses the rectangle of an L-shaped room (0 is the first), `gap` moves it off the wall (0.07 stands against it);
* `at` [x, y] and `facing` (south where left out): its middle, anywhere in the room;
* `holder` and `shift` [right, front]: on top of an earlier piece of the room, from its middle, looking the same way.

It may have `size` [width, depth, height], `height` of its bottom above the floor, `kind` (another drawing of the class, such
as a kitchen_cabinet drawn as a wall_cabinet), `colour` "#rrggbb", `turn` in degrees counter-clockwise, `hinge` (left, right)
and `controls`, the id of what it switches. Ids are the class and a number counted through the file: kitchen_cabinet_3.

An episode has a number of objects of each class, and each may be in some places. The places come from VirtualHome's placings
(`resources/scenes/placings.json`), which have no weights. A home marked unseen has another distribution: weights per class,
drawn once from a gamma distribution seeded with the home's name, and a quarter of the objects may be anywhere.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from core.common.errors import DataError
from core.common.installation import RESOURCES
from core.common.json_fields import LARGEST_SIDE, MOST_HOME_PIECES
from core.world.vocabulary import CONTAINER, SURFACE
from sim.geometry import rects
from sim.geometry.model import House, Surface
from sim.geometry.sizes import SIZES
from sim.household import spots
from sim.household.homes.furnish import Furnisher, check_pieces
from sim.household.homes.plan import Entry, check_doors, cut_openings, entry_of, joined_walls, read_file, read_rooms
from sim.household.scene import Draw, Item, Scene

HOMES = RESOURCES / "scenes" / "homes"


def home_names() -> tuple[str, ...]:
    """Returns the names of the homes that come with the console, sorted."""
    return tuple(sorted(path.stem for path in HOMES.glob("*.json")))


def home_title(name: str) -> str:
    """Returns what people read for one of `home_names()`; the rest of its file is not looked at."""
    return read_file(HOMES / f"{name}.json").text("title")


def load_home(path_or_name: Path | str) -> Scene:
    """Reads a home: one of `home_names()`, or any file.

    Raises:
        DataError: one line with the file, the entry, what is wrong, and the remedy.
    """
    path = HOMES / f"{path_or_name}.json" if path_or_name in home_names() else Path(path_or_name)
    if not path.is_file():
        raise DataError(f"{path_or_name}: no such home; choose one of {', '.join(home_names())} or give the path of a file")
    return _scene(read_file(path), path.stem)


def _scene(home: Entry, name: str) -> Scene:
    title, familiar = home.text("title"), home.truth("familiar", None)
    height = home.number("height", 2.6, 2.2, 5.0)
    lines = home.entries("rooms", "room")
    rooms, names = read_rooms(lines)
    pieces = sum(len(line.entries("furniture", "piece")) for line in lines)
    if pieces > MOST_HOME_PIECES:
        home.fail(f"has {pieces:,} pieces of furniture; write at most {MOST_HOME_PIECES:,}")
    x0, y0, x1, y1 = rects.hull(r.bounds for r in rooms) if rooms else (0.0, 0.0, 0.0, 0.0)
    if max(x1 - x0, y1 - y0) > LARGEST_SIDE:
        home.fail(f"its rooms reach over {max(x1 - x0, y1 - y0):g} m; keep within {LARGEST_SIDE:g} m")
    walls = cut_openings(joined_walls(rooms), home.entries("doors", "door"), _entrance(home), home.entries("windows", "window"))
    check_doors(home.where, names, walls)
    furnisher = Furnisher(rooms)
    for k, line in enumerate(lines):
        for entry in line.entries("furniture", f"furniture of {names[k][0]}, entry"):
            furnisher.add(entry, k)
        line.close()
    home.close()
    check_pieces(furnisher.pieces, rooms, walls)
    decoration = tuple(thing for piece in furnisher.pieces for thing in piece.decoration)
    items = tuple(piece.item for piece in furnisher.pieces)
    house = House(rooms, walls, decoration, height)
    return Scene(name, title, house, names, items, HomeStock.of(name, items, familiar), familiar=familiar)


def _entrance(home: Entry) -> Entry:
    home.asked.add("entrance")
    if not home.has("entrance"):
        home.fail('"entrance" is missing; add {"at": [x, y]} on an outer wall')
    return entry_of(f"{home.where}: entrance", home.data["entrance"])


PASSED_OVER = frozenset({"sink", "coffee_machine", "toaster"})
"""Classes that hold objects only for a moment. Nothing starts there."""
PLACINGS = RESOURCES / "scenes" / "placings.json"
INSTANCES = (1, 1, 2, 2, 3)
"""Numbers of objects of a class, each equally likely."""
FEWEST, MOST = 110, 150
"""Number of objects in an episode."""
SHAPE = 0.7
"""Shape parameter of the gamma distribution of an unseen home's weights."""
ANYWHERE = 0.25
"""Probability that an object of an unseen home may be anywhere."""


def places_of(items: tuple[Item, ...]) -> tuple[Item, ...]:
    """Returns the furniture in or on which objects may start, in the file's order."""
    return tuple(i for i in items if {SURFACE, CONTAINER} & i.properties and i.cls not in PASSED_OVER)


def surfaces_of(place: Item) -> tuple[Surface, ...]:
    """Returns where objects lie: inside a container, otherwise on top."""
    relation = "inside" if CONTAINER in place.properties else "on"
    return tuple(surface for _, surface in spots.surfaces_of(place, relation))


def fits(cls: str, surfaces: tuple[Surface, ...]) -> bool:
    """Returns True if one object of the class fits on an empty surface, either way round.

    A class without a stated size fits nowhere.
    """
    if cls not in SIZES:
        return False
    w, d, h = SIZES[cls]
    return any(h <= s.clearance and (_within(w, d, s) or _within(d, w, s)) for s in surfaces)


def _within(w: float, d: float, surface: Surface) -> bool:
    return w <= 2 * surface.half[0] and d <= 2 * surface.half[1]


@dataclass(frozen=True, slots=True)
class HomeStock:
    """A `Stock`: called with a generator, it draws the objects of an episode.

    Attributes:
        draws: where one object of each class may be, sorted by class.
    """

    draws: tuple[Draw, ...]

    @classmethod
    def of(cls, name: str, items: tuple[Item, ...], familiar: bool | None) -> HomeStock:
        """Returns the stock of a home. `familiar=False` gives it weights of its own."""
        places = [(i.id, i.cls, surfaces_of(i)) for i in places_of(items)]
        rng = np.random.default_rng(zlib.crc32(name.encode())) if familiar is False else None
        draws = []
        for thing, usual in placings().items():
            room_for = {place: kind for place, kind, surfaces in places if fits(thing, surfaces)}
            draw = _draw(thing, usual, room_for, rng)
            if draw.places:
                draws.append(draw)
        return cls(tuple(draws))

    def __call__(self, rng: np.random.Generator) -> tuple[Draw, ...]:
        """Returns 110 to 150 draws, 1 to 3 of a class, in random order."""
        counts = rng.choice(INSTANCES, len(self.draws)) if self.draws else np.zeros(0, int)
        while 0 < counts.sum() < min(FEWEST, 3 * len(self.draws)):
            counts[rng.choice(np.flatnonzero(counts < 3))] += 1
        things = [draw for draw, n in zip(self.draws, counts, strict=True) for _ in range(int(n))]
        order = rng.permutation(len(things))[: int(rng.integers(FEWEST + 10, MOST + 1))]
        return tuple(things[k] for k in order)


def placings() -> Mapping[str, tuple[str, ...]]:
    """Returns object class -> classes of furniture where it usually lies, sorted by class."""
    return {name: places for name, places in _read_placings()}


@lru_cache(1)
def _read_placings() -> tuple[tuple[str, tuple[str, ...]], ...]:
    table = json.loads(PLACINGS.read_text(encoding="utf-8"))
    return tuple((name, tuple(table[name])) for name in sorted(table))


def _draw(thing: str, usual: tuple[str, ...], room_for: Mapping[str, str], rng: np.random.Generator | None) -> Draw:
    """Returns where one object of a class may be.

    Weight is shared evenly between the usual classes of furniture (in unseen homes by the gamma draws), then between the pieces
    of each class. An object for which the home has no usual place may be anywhere.
    """
    kinds = [kind for kind in usual if kind in room_for.values()]
    shares = np.ones(len(kinds)) if rng is None else rng.gamma(SHAPE, 1.0, len(kinds)) + 1e-6
    anywhere = (ANYWHERE if rng is not None else 0.0) if kinds else 1.0
    weights = dict.fromkeys(room_for, anywhere / max(1, len(room_for)))
    for kind, share in zip(kinds, shares / shares.sum() if kinds else shares, strict=True):
        pieces = [place for place, its in room_for.items() if its == kind]
        for place in pieces:
            weights[place] += (1 - anywhere) * float(share) / len(pieces)
    found = {place: weight for place, weight in weights.items() if weight > 0}
    return Draw(thing, tuple(found), tuple(found.values()))
