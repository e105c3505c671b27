"""Builds the house of one iTHOR room."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from core.common.errors import DataError
from sim.geometry.grid import free_space
from sim.geometry.model import Colour, House, Room
from sim.rendering.ithor.kitchen import cookers, toe_kicks
from sim.rendering.ithor.metadata import KINDS, AssetSides, Metadata, Scene
from sim.rendering.ithor.outline import Outline, empty_corner, hull_of
from sim.rendering.ithor.things import things_of
from sim.rendering.ithor.walls import walls_of

FLOORS: Final = {"kitchens": "tile", "living_rooms": "plank", "bedrooms": "carpet", "bathrooms": "bathtile"}
PAINTS: Final[dict[str, Colour]] = {
    "kitchens": (0.93, 0.92, 0.86),
    "living_rooms": (0.93, 0.90, 0.86),
    "bedrooms": (0.88, 0.90, 0.93),
    "bathrooms": (0.87, 0.93, 0.93),
}
LOWEST, HIGHEST = 2.5, 3.0
"""Limits of the ceiling height, metres."""


def read_house(objects: Sequence[Metadata], kind: str, assets: AssetSides) -> House:
    """Returns the house of one room's metadata. `Thing.id` is the objectId.

    Args:
        objects: the room's objects, as `load_rooms` returns them.
        kind: kitchens, living_rooms, bedrooms or bathrooms.
        assets: what `asset_sides` learnt from all rooms.

    Raises:
        DataError: the kind of room is unknown.
    """
    if kind not in KINDS:
        raise DataError(f"Unknown kind of iTHOR room {kind!r}: use one of {', '.join(KINDS)}.")
    scene = Scene.of(objects, kind, assets)
    hull = hull_of(scene)
    plain = _house(scene, Outline(hull))
    cut = empty_corner(scene, hull)
    if cut is None:
        return plain
    shaped = _house(scene, Outline(hull, cut))
    return shaped if free_space(shaped).reachable_share >= free_space(plain).reachable_share else plain


def _house(scene: Scene, outline: Outline) -> House:
    room = Room(scene.kind, outline.pieces, FLOORS[scene.kind], PAINTS[scene.kind])
    things = [t for i in scene.objects for t in things_of(scene, outline, i)]
    things += cookers(scene, outline) + toe_kicks(scene)
    height = max(LOWEST, min(HIGHEST, max(b.z1 for b in scene.boxes.values()) + 0.06))
    return House((room,), walls_of(scene, outline), tuple(things), height)
