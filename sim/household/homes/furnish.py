"""Furniture of a hand-made home: its usual size and drawing, placing it by an entry of the file, and checks of the result.

No furniture may be in other furniture, in walls, outside its room or in front of doors.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from core.common.errors import DataError
from core.world.vocabulary import CONTAINER, OPENABLE, SURFACE
from sim.geometry import rects
from sim.geometry.model import Rect, Room, Thing, Vector, Wall
from sim.household.catalogue import furniture_properties, initial_states
from sim.household.homes.plan import DOOR_ZONE, Entry, span_rect
from sim.household.scene import Holder, Item


class Drawn(NamedTuple):
    """How a class or kind is placed.

    Attributes:
        kind: class it is drawn and placed as.
        size: width, depth and height, metres.
        height: of its bottom above the floor, metres.
        drawn_back: True for curtains, which are open by day.
    """

    kind: str
    size: Vector
    height: float = 0.0
    drawn_back: bool = False


def _table(text: str) -> dict[str, Drawn]:
    """Parses lines "name kind width depth height [bottom]"."""
    rows = (line.split() for line in text.strip().splitlines())
    return {
        name: Drawn(kind, (float(w), float(d), float(h)), float(*z or (0,)), kind == "curtain")
        for name, kind, w, d, h, *z in rows
    }


DRAWN: dict[str, Drawn] = _table("""
armchair         armchair         0.86 0.84 0.84
bathroom_cabinet wall_cabinet     0.60 0.18 0.70 1.25
bathroom_counter bathroom_counter 1.10 0.50 0.82
bathtub          bathtub          1.70 0.75 0.58
bed              bed              1.60 2.05 1.00
bench            bench            1.20 0.36 0.45
bookshelf        bookshelf        0.90 0.32 1.90
cabinet          cabinet          1.20 0.44 0.82
ceiling_lamp     ceiling_lamp     0.42 0.42 0.55 2.05
blinds           Blinds           1.60 0.06 0.90 1.25
chair            chair            0.45 0.48 0.88
clock            wall_clock       0.32 0.04 0.32 1.75
coffee_machine   coffee_machine   0.22 0.28 0.34 0.90
coffee_table     coffee_table     1.10 0.60 0.42
computer         cpuscreen        0.56 0.18 0.44 0.75
curtain          curtain          2.00 0.10 2.20 0.12
desk             desk             1.30 0.62 0.75
desk_lamp        DeskLamp         0.20 0.24 0.42 0.75
dishwasher       dishwasher       0.60 0.60 0.90
faucet           faucet           0.16 0.18 0.26 0.90
floor_lamp       floor_lamp       0.42 0.42 1.60
fridge           fridge           0.72 0.70 1.85
hood             hood             0.62 0.46 0.70 1.62
kitchen_cabinet  base_cabinet     0.80 0.60 0.90
kitchen_counter  kitchen_counter  1.20 0.60 0.90
kitchen_table    kitchen_table    1.50 0.90 0.75
laundry_basket   laundry_basket   0.42 0.36 0.50
microwave        microwave        0.50 0.38 0.29 0.90
mirror           mirror           0.60 0.04 0.80 1.22
nightstand       nightstand       0.46 0.40 0.52
office_chair     office_chair     0.60 0.60 0.98
ottoman          Ottoman          0.56 0.50 0.40
picture          picture          0.70 0.04 0.50 1.45
plant            plant            0.44 0.44 1.05
radiator         radiator         1.10 0.11 0.60 0.12
rug              rug              2.00 1.40 0.012
shoe_rack        shoe_rack        0.70 0.30 0.45
shower           shower           0.90 0.90 2.00
sink             sink_unit           0.80 0.60 0.90
sofa             sofa             2.00 0.90 0.82
speaker          speaker          0.24 0.26 0.90
stove            stove            0.60 0.61 0.91
stool            stool            0.36 0.36 0.46
table_lamp       table_lamp       0.24 0.24 0.44 0.52
television       television       1.15 0.20 0.70 0.50
toaster          toaster          0.30 0.20 0.20 0.90
toilet           toilet           0.40 0.68 0.80
toilet_paper_holder ToiletPaperHanger 0.16 0.10 0.10 0.70
towel_rack       towel_rack       0.60 0.10 0.06 1.25
trash_can        trash_can        0.32 0.32 0.55
tv_stand         tv_stand         1.60 0.44 0.50
wall_lamp        walllamp        0.16 0.14 0.24 1.70
wall_shelf       wallshelf       0.90 0.22 0.03 1.50
washing_machine  washing_machine  0.60 0.60 0.86
""")
"""Class -> its usual size and drawing."""

KINDS: dict[str, Drawn] = _table("""
chest            dresser          1.00 0.46 0.86
dresser          dresser          1.10 0.48 0.80
highboard        cabinet  0.80 0.42 1.40
mirror_cabinet   bathroom_cabinet 0.70 0.16 0.70 1.20
tall_cabinet     kitchen_cabinet     0.60 0.60 2.00
wall_cabinet     wall_cabinet     0.80 0.34 0.70 1.45
wardrobe         wardrobe         1.40 0.60 2.05
wash_stand       sink             0.60 0.46 0.84
basin            bathtub          0.52 0.38 0.17
""")
"""Another kind that an entry may choose by `kind`. Its size and height replace those of the class."""


YAW = {"north": 0.0, "west": math.pi / 2, "south": math.pi, "east": -math.pi / 2}
"""Direction a piece faces -> its yaw, radians."""
AWAY = {"south": "north", "north": "south", "west": "east", "east": "west"}
"""Wall behind a piece -> direction it faces."""
GAP = 0.07
"""Distance from the edge of a room to the back of a piece at the wall, metres: half the wall and a centimetre."""
SLAB, RIM, BOWL = 0.03, 0.06, 0.18
"""Thickness of a worktop, width of its strip around a sink, depth of the sink, metres."""
FITTED = {"base_cabinet": "kitchen_cabinet", "dishwasher": "dishwasher"}
"""Piece under a worktop -> the kind drawn there."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of furniture or decoration.

    Attributes:
        item: the entity.
        where: position in the file, for messages.
        decoration: things without an entity that are drawn with it, such as the cupboard below a sink.
    """

    item: Item
    where: str
    decoration: tuple[Thing, ...] = ()


class Furnisher:
    """Places the furniture of one home, entry after entry, and numbers it by class."""

    def __init__(self, rooms: tuple[Room, ...]) -> None:
        self.rooms = rooms
        self.pieces: list[Piece] = []
        self.counts: dict[str, int] = {}
        self.by_id: dict[str, Item] = {}

    def add(self, entry: Entry, room: int) -> None:
        """Reads one entry.

        Raises:
            DataError: what is wrong with it.
        """
        cls = entry.chosen("class", tuple(DRAWN))
        drawn = self._drawn(entry, cls)
        size = _size(entry, drawn)
        number = self.counts[cls] = self.counts.get(cls, 0) + 1
        properties = furniture_properties(cls)
        thing = Thing(f"{cls}_{number}", drawn.kind, room, (0.0, 0.0, 0.0), size, open=drawn.drawn_back,
                      openable=OPENABLE in properties, hinge=_hinge(entry), colour=entry.colour("colour", None))
        thing, holder = self._placed(entry, thing, drawn)
        thing, decoration = _completed(thing)
        item = Item(cls, "furniture", properties, initial_states(properties), thing, holder, self._controls(entry))
        entry.close()
        self.by_id[item.id] = item
        self.pieces.append(Piece(item, entry.where, decoration))

    def _drawn(self, entry: Entry, cls: str) -> Drawn:
        kind = entry.chosen("kind", (*KINDS, *DRAWN), cls)
        return KINDS.get(kind) or DRAWN[kind]

    def _placed(self, entry: Entry, thing: Thing, drawn: Drawn) -> tuple[Thing, Holder | None]:
        ways = [key for key in ("wall", "at", "holder") if entry.has(key)]
        if len(ways) != 1:
            entry.fail('say where it is by one of "wall" with "offset", "at" with "facing", or "holder"')
        turn = math.radians(entry.number("turn", 0.0, -180, 180))
        if ways == ["holder"]:
            return self._on_holder(entry, thing, turn)
        height = entry.number("height", drawn.height, 0, 10)
        place = self._at_wall if ways == ["wall"] else self._free
        x, y, yaw = place(entry, thing)
        return replace(thing, base=(x, y, height), yaw=yaw + turn), None

    def _at_wall(self, entry: Entry, thing: Thing) -> tuple[float, float, float]:
        """Returns x, y, yaw with the back at a wall, `offset` metres from the wall's west or south end."""
        wall = entry.chosen("wall", tuple(AWAY))
        room = self.rooms[thing.room]
        x0, y0, x1, y1 = room.pieces[entry.whole("piece", 0, len(room.pieces))]
        along = entry.number("offset") + thing.size[0] / 2
        back = entry.number("gap", GAP, GAP, 20) + thing.size[1] / 2
        x, y = {"south": (x0 + along, y0 + back), "north": (x0 + along, y1 - back),
                "west": (x0 + back, y0 + along), "east": (x1 - back, y0 + along)}[wall]
        return x, y, YAW[AWAY[wall]]

    def _free(self, entry: Entry, thing: Thing) -> tuple[float, float, float]:
        """Returns x, y, yaw of a piece anywhere on the plan. `at` is its middle."""
        x, y = entry.numbers("at", 2)
        return x, y, YAW[entry.chosen("facing", tuple(YAW), "south")]

    def _on_holder(self, entry: Entry, thing: Thing, turn: float) -> tuple[Thing, Holder]:
        """Places a piece on an earlier one, `shift` metres to its right and front, facing the same way."""
        name = entry.text("holder")
        holder = self.by_id.get(name)
        if holder is None or holder.thing.room != thing.room:
            entry.fail(f'holder "{name}" is not in this room; name a piece listed before, such as kitchen_counter_1')
        if not {SURFACE, CONTAINER} & holder.properties:
            entry.fail(f'holder "{name}" holds nothing; name a table, a counter or a cabinet')
        dx, dy = entry.numbers("shift", 2, (0.0, 0.0))
        top = holder.thing.size[2] if not entry.has("height") else entry.number("height") - holder.thing.base[2]
        entry.asked.add("height")
        base = holder.thing.to_world((dx, dy, top))
        return replace(thing, base=base, yaw=holder.thing.yaw + turn, parent=name), Holder("on", name)

    def _controls(self, entry: Entry) -> str | None:
        if not entry.has("controls"):
            entry.asked.add("controls")
            return None
        name = entry.text("controls")
        return name if name in self.by_id else entry.fail(f'controls "{name}", which is not there; name a piece listed before')


def _size(entry: Entry, drawn: Drawn) -> Vector:
    w, d, h = entry.numbers("size", 3, drawn.size)
    if min(w, d, h) < 0.005:
        entry.fail('"size" has a side below 5 mm; write width, depth, height in metres')
    return w, d, h


def _hinge(entry: Entry) -> Literal["left", "right"]:
    return "right" if entry.chosen("hinge", ("left", "right"), "left") == "right" else "left"


def _completed(thing: Thing) -> tuple[Thing, tuple[Thing, ...]]:
    """Returns built-in kitchen pieces as they are drawn, and the decoration around them: worktop and cupboard."""
    if thing.kind == "sink_unit":
        return _sink_unit(thing)
    if thing.kind not in FITTED:
        return thing, ()
    w, d, h = thing.size
    below = replace(thing, kind=FITTED[thing.kind], size=(w, d, h - SLAB))
    return below, (_part(thing, "CounterTop", (-w / 2, -d / 2, w / 2, d / 2), h - SLAB, SLAB),)


def _sink_unit(thing: Thing) -> tuple[Thing, tuple[Thing, ...]]:
    """Returns a sink as a bowl in its own base cupboard, with four strips of worktop around it."""
    w, d, h = thing.size
    left, right, back, front = -w / 2, w / 2, -d / 2, d / 2
    x0, y0, x1, y1 = left + RIM, back + 1.5 * RIM, right - RIM, front - RIM
    bowl = replace(thing, kind="sink", base=thing.to_world((0, (y0 + y1) / 2, h - BOWL)), size=(x1 - x0, y1 - y0, BOWL + 0.004))
    strips = ((left, back, right, y0), (left, y1, right, front), (left, y0, x0, y1), (x1, y0, right, y1))
    worktop = tuple(_part(thing, "CounterTop", strip, h - SLAB, SLAB) for strip in strips)
    skirt = _part(thing, "BaseFill", (left, front - 0.02, right, front - 0.012), h - BOWL - 0.01, BOWL + 0.01 - SLAB)
    return bowl, (_part(thing, "kitchen_cabinet", (left, back, right, front), 0.0, h - BOWL - 0.01), skirt, *worktop)


def _part(thing: Thing, kind: str, rect: Rect, z: float, height: float) -> Thing:
    """Returns decoration over a rectangle of the piece's own frame."""
    x0, y0, x1, y1 = rect
    base = thing.to_world(((x0 + x1) / 2, (y0 + y1) / 2, z))
    return Thing("", kind, thing.room, base, (x1 - x0, y1 - y0, height), thing.yaw)


FLAT = frozenset({"rug"})
"""Classes that may lie under other furniture."""
TOUCH = 0.005
"""Overlaps thinner than this count as rounding, metres."""
WALL_HALF = 0.055
"""Half the thickness of a wall, metres."""
DOOR_HEAD = 2.0
"""Furniture that hangs higher than this does not block a door, metres."""


class _Box(NamedTuple):
    """The room that a thing takes: a rectangle on the plan, a little smaller than the thing, and heights above the floor."""

    plan: Rect
    bottom: float
    top: float

    @classmethod
    def of(cls, thing: Thing) -> _Box:
        """Returns the box of a thing."""
        return cls(_shrunk(thing.footprint()), thing.base[2], thing.base[2] + thing.size[2])

    def overlaps(self, other: _Box) -> bool:
        """Returns True if it has room in common with another one."""
        apart = self.top <= other.bottom + TOUCH or other.top <= self.bottom + TOUCH
        return not apart and rects.overlap(self.plan, other.plan)


def check_pieces(pieces: list[Piece], rooms: tuple[Room, ...], walls: tuple[Wall, ...]) -> None:
    """Checks every piece by itself and against the pieces before it.

    Raises:
        DataError: names the entry, what it collides with, and the remedy.
    """
    zones = [span_rect(w, o, DOOR_ZONE) for w in walls for o in w.openings if o.kind != "window"]
    bodies = [_body(wall) for wall in walls]
    boxes = [[_Box.of(thing) for thing in (piece.item.thing, *piece.decoration)] for piece in pieces]
    for k, piece in enumerate(pieces):
        flat, plan = piece.item.thing.kind in FLAT, boxes[k][0].plan
        _check_room(piece, plan, rooms)
        if any(rects.overlap(plan, body) for body in bodies):
            _fail(piece, f"reaches into a wall; keep it {WALL_HALF + TOUCH:g} m from the room's edges")
        if not flat and boxes[k][0].bottom < DOOR_HEAD and any(rects.overlap(plan, zone) for zone in zones):
            _fail(piece, f"stands in a door's {DOOR_ZONE:g} m of free floor; move it along the wall")
        for other, theirs in zip(pieces[:k], boxes, strict=False):
            either_flat = flat or other.item.thing.kind in FLAT  # flat pieces lie under others
            if not either_flat and any(box.overlaps(their) for box in boxes[k] for their in theirs):
                _fail(piece, f"overlaps {other.item.id}; move one of them")


def _fail(piece: Piece, problem: str) -> None:
    raise DataError(f"{piece.where}: {piece.item.id} {problem}")


def _check_room(piece: Piece, plan: Rect, rooms: tuple[Room, ...]) -> None:
    rest = [plan]
    for floor in rooms[piece.item.thing.room].pieces:
        rest = rects.subtract(rest, floor)
    if rest:
        _fail(piece, "reaches outside its room; move it or make it smaller")


def _body(wall: Wall) -> Rect:
    """Returns the rectangle that a wall takes on the plan."""
    (x0, y0), (x1, y1) = wall.start, wall.end
    return rects.grow((min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)), WALL_HALF)


def _shrunk(rect: Rect) -> Rect:
    return rects.grow(rect, -min(TOUCH, (rect[2] - rect[0]) / 4, (rect[3] - rect[1]) / 4))
