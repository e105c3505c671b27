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
"""

from __future__ import annotations

from pathlib import Path

from core.common.errors import DataError
from core.common.installation import RESOURCES
from core.common.json_fields import LARGEST_SIDE, MOST_HOME_PIECES
from sim.geometry import rects
from sim.geometry.model import House
from sim.household.homes.checks import check_pieces
from sim.household.homes.entries import Entry, entry_of, read_file
from sim.household.homes.furnish import Furnisher
from sim.household.homes.plan import check_doors, cut_openings, read_rooms, walls_of
from sim.household.homes.stock import HomeStock
from sim.household.scene import Scene

HOMES = RESOURCES / "scenes" / "homes"


def home_names() -> tuple[str, ...]:
    """Returns the names of the homes that come with the console, sorted."""
    return tuple(sorted(path.stem for path in HOMES.glob("*.json")))


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
    walls = cut_openings(walls_of(rooms), home.entries("doors", "door"), _entrance(home), home.entries("windows", "window"))
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
