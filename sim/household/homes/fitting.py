"""Decides whether an object fits into or onto a holder, by its size and the surfaces of the holder."""

from __future__ import annotations

from core.world.vocabulary import CONTAINER, SURFACE
from sim.geometry.model import Surface
from sim.geometry.sizes import SIZES
from sim.household import spots
from sim.household.scene import Item

PASSED_OVER = frozenset({"sink", "coffee_machine", "toaster"})
"""Classes that hold objects only for a moment. Nothing starts there."""


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
