"""Maps each class to its builder. This is the only place where an object becomes a shape."""

from __future__ import annotations

import zlib
from functools import lru_cache
from typing import Final

from sim.geometry.model import Thing, Vector
from sim.geometry.sizes import whole_of

from . import fallback, kinds_graph, kinds_home, kinds_ithor, produce
from .kit import Builder, Look, Shape

BUILDERS: Final[dict[str, Builder]] = {
    **kinds_ithor.ITHOR,
    **kinds_graph.FURNITURE,
    **kinds_graph.MOVABLE,
    **kinds_home.FURNITURE,
    **kinds_home.MOVABLE,
}
PICKS: Final = 840
"""Number of picks. It is divisible by the length of every palette, so that all its colours are equally likely."""


def known(kind: str) -> bool:
    """Returns True if the class, or the class it was cut from, has a builder."""
    return kind in BUILDERS or whole_of(kind) in BUILDERS


def builder_of(kind: str) -> Builder:
    """Returns the builder of a class: its own, slices of the whole, or a piece guessed from its proportions."""
    own = BUILDERS.get(kind)
    if own:
        return own
    whole = BUILDERS.get(whole_of(kind))
    return produce.sliced_from(whole) if whole else fallback.by_proportions


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
