"""Turns an entry of a home file into a placed piece of furniture."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal

from core.world.vocabulary import CONTAINER, OPENABLE, SURFACE
from sim.geometry.model import Rect, Room, Thing, Vector
from sim.household.catalogue import furniture_properties, initial_states
from sim.household.homes.drawn import DRAWN, KINDS, Drawn
from sim.household.homes.plan import Entry
from sim.household.scene import Holder, Item

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
