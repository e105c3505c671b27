"""Objects as their neighbours make them: what the metadata of iTHOR list in parts does not fit together as it is.

A rim lies around the top of its sink's basin, a shelving unit has no boards where they are listed, a desk has its pedestal
where drawers are listed, a towel is as high as its rail.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from sim.geometry import rects
from sim.geometry.model import Thing

RAILS: Final = frozenset({"HandTowelHolder", "TowelHolder", "ToiletPaperHanger", "towel_rack"})
"""Classes on which objects hang."""
SUNK: Final = 0.02
"""Objects reach this far below the floor without being drawn shorter, metres."""
RIM: Final = 0.03
"""How far the rim of a sink extends beyond its basin, metres."""
BOARD: Final = 0.006
"""Height of a shelf's upper side above its base, metres."""
AROUND: Final = 0.2
"""A chair so close to a desk is pushed under it, metres."""
HIGHEST: Final = 0.35
"""What hangs on a rail is raised to it by at most this distance, metres."""


def fitted(thing: Thing, things: Sequence[Thing]) -> Thing:
    """Returns an object as it is drawn among all objects of its house. What reaches below the floor stands on it."""
    (x, y, z), (w, d, h) = thing.base, thing.size
    if z < -SUNK and z + h > SUNK:
        thing = replace(thing, base=(x, y, 0.0), size=(w, d, z + h))
    fit = FITS.get(thing.kind)
    return _hung(thing, things) if fit is None else fit(thing, things)


def moved(thing: Thing, dx: float, dy: float, dz: float) -> Thing:
    """Returns an object moved by so many metres."""
    x, y, z = thing.base
    return replace(thing, base=(x + dx, y + dy, z + dz))


def _within(thing: Thing, things: Sequence[Thing], kind: str, slack: float = 0.0) -> list[Thing]:
    """Returns the objects of a class whose middle is on an object's rectangle on the plan."""
    return [t for t in things if t.kind == kind and rects.contains(thing.footprint(), t.base[:2], slack)]


def _rim(rim: Thing, things: Sequence[Thing]) -> Thing:
    """Returns the rim around its only basin. Its own box is wider, and ends higher or lower."""
    basins = _within(rim, things, "SinkBasin")
    if len(basins) != 1:
        return rim
    (x, y, z), (w, d, h), thick = basins[0].base, basins[0].size, rim.size[2]
    return replace(rim, base=(x, y, z + h - thick / 2), size=(w + 2 * RIM, d + 2 * RIM, thick), yaw=basins[0].yaw)


def _desk(desk: Thing, things: Sequence[Thing]) -> Thing:
    """Returns the desk with its pedestal at its drawers, or where no chair is. A hinge on the right moves it to the left."""
    drawers, chairs = (
        sum(desk.to_local(t.base)[0] for t in _within(desk, things, kind, slack))
        for kind, slack in (("Drawer", 0.0), ("Chair", AROUND))
    )
    return replace(desk, hinge="right" if drawers < 0 or (drawers == 0 and chairs > 0) else "left")


def _shelving(unit: Thing, things: Sequence[Thing]) -> Thing:
    """Returns a shelving unit without boards of its own if any is listed."""
    bottom, top = unit.base[2] + BOARD, unit.base[2] + unit.size[2] - BOARD
    listed = any(bottom < board.base[2] < top for board in _within(unit, things, "Shelf"))
    return replace(unit, kind="ShelfCase") if listed else unit


def _hung(thing: Thing, things: Sequence[Thing]) -> Thing:
    """Returns an object raised to the rail it hangs on, if it is a little too low."""
    rail = next((t for t in things if t.kind in RAILS and t.id == thing.parent), None) if thing.parent else None
    missing = 0.0 if rail is None else rail.base[2] + rail.size[2] / 2 - thing.base[2] - thing.size[2]
    return moved(thing, 0.0, 0.0, missing) if 0 < missing <= HIGHEST else thing


FITS: Final[dict[str, Callable[[Thing, Sequence[Thing]], Thing]]] = {
    "SinkRim": _rim, "Desk": _desk, "ShelvingUnit": _shelving,
}
