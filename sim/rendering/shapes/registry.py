"""Which builder draws which kind: the one place where a thing becomes a shape."""

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
"""Divisible by every palette's length, so that all colours of a palette are equally likely."""


def known(kind: str) -> bool:
    """Whether a builder of its own, or of the thing it was cut from, draws this kind."""
    return kind in BUILDERS or whole_of(kind) in BUILDERS


def builder_of(kind: str) -> Builder:
    """The kind's own builder, slices of what it was, or a piece guessed from its proportions."""
    own = BUILDERS.get(kind)
    if own:
        return own
    whole = BUILDERS.get(whole_of(kind))
    return produce.sliced_from(whole) if whole else fallback.by_proportions


def look_of(thing: Thing) -> Look:
    """What of a thing shows. Colours come from a checksum of kind and id, never from `hash`, so that pictures repeat."""
    pick = zlib.crc32(f"{thing.kind}{thing.id}".encode()) % PICKS
    return Look(thing.open, thing.on, thing.hinge, pick, thing.colour)


def shape_of(thing: Thing) -> Shape:
    """What is drawn of a thing, and where small things lie on it, in its own frame."""
    return _shape(thing.kind, thing.size, look_of(thing))


@lru_cache(maxsize=8192)
def _shape(kind: str, size: Vector, look: Look) -> Shape:
    return builder_of(kind)(*size, look)
