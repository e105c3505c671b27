"""Maps each class to its builder. This is the only place where an object becomes a shape.

A class without a builder gets a shape chosen by the proportions of its box.
"""

from __future__ import annotations

import zlib
from functools import lru_cache
from typing import Final

from sim.geometry.model import Thing, Vector
from sim.geometry.sizes import whole_of
from sim.rendering.shapes import belongings, fittings, food, furniture, kinds_graph, kinds_home, kinds_ithor, tools, vessels
from sim.rendering.shapes.kit import Builder, Look, Shape

BUILDERS: Final[dict[str, Builder]] = {
    **kinds_ithor.ITHOR,
    **kinds_graph.FURNITURE,
    **kinds_graph.MOVABLE,
    **kinds_home.FURNITURE,
    **kinds_home.MOVABLE,
}
PICKS: Final = 840
"""Number of picks. It is divisible by the length of every palette, so that all its colours are equally likely."""
SMALL = 0.6
"""Objects with no side longer than this count as objects to carry, metres."""
_small_tall, _small_long, _small_boxy = vessels.bottle(), tools.tool(), vessels.packet()


def known(kind: str) -> bool:
    """Returns True if the class, or the class it was cut from, has a builder."""
    return kind in BUILDERS or whole_of(kind) in BUILDERS


def builder_of(kind: str) -> Builder:
    """Returns the builder of a class: its own, slices of the whole, or a piece guessed from its proportions."""
    own = BUILDERS.get(kind)
    if own:
        return own
    whole = BUILDERS.get(whole_of(kind))
    return food.sliced_from(whole) if whole else by_proportions


def look_of(thing: Thing) -> Look:
    """Returns what may vary in an object's drawing.

    Its pick is a checksum of kind and id, not `hash`, so that pictures repeat.
    """
    pick = zlib.crc32(f"{thing.kind}{thing.id}".encode()) % PICKS
    return Look(thing.open, thing.on, thing.hinge, pick, thing.colour)


def shape_of(thing: Thing) -> Shape:
    """Returns the drawing of an object in its own frame. What lies where is stated in `sim.geometry.placing`."""
    return _shape(thing.kind, thing.size, look_of(thing))


@lru_cache(maxsize=8192)
def _shape(kind: str, size: Vector, look: Look) -> Shape:
    return builder_of(kind)(*size, look)


def by_proportions(w: float, d: float, h: float, look: Look) -> Shape:
    """Returns a plausible piece: a bottle, a tool, a packet; a rug, a table, a cupboard."""
    builder = _small(w, d, h) if max(w, d, h) <= SMALL else _large(w, d, h)
    return builder(w, d, h, look)


def _small(w: float, d: float, h: float) -> Builder:
    long, short = max(w, d), min(w, d)
    if h < 0.03 and short > 0.05:
        return belongings.sheet()
    if h > 1.8 * long:
        return _small_tall
    return _small_long if long > 3 * short and h < 2 * short else _small_boxy


def _large(w: float, d: float, h: float) -> Builder:
    if h < 0.05:
        return fittings.rug
    if min(w, d) < 0.08:
        return fittings.picture
    return furniture.table if 0.3 <= h <= 0.85 and min(w, d) > 0.35 else furniture.wooden_cupboard
