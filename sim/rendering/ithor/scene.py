"""The metadata of one room, indexed by id and type."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from .boxes import AssetSides, Box, Metadata

FLAT: Final = frozenset({
    "Painting", "Poster", "Mirror", "LightSwitch", "Curtains", "Blinds", "Towel", "HandTowel", "ShowerDoor", "TowelHolder",
    "HandTowelHolder", "ToiletPaperHanger", "Window",
})  # fmt: skip
"""Types of thin boxes that hang on a wall. The thin axis is the normal."""
DRAWN_BY_ROOM: Final = frozenset({"Floor", "Window", "BathtubBasin"})
"""Types drawn by the room itself or as a part of another object."""


@dataclass(frozen=True)
class Scene:
    """All objects of a room.

    Attributes:
        kind: kitchens, living_rooms, bedrooms or bathrooms.
        objects: objectId -> metadata.
        assets: what `asset_sides` learnt from all rooms.
        boxes: objectId -> box.
    """

    kind: str
    objects: dict[str, Metadata]
    assets: AssetSides
    boxes: dict[str, Box] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "boxes", {i: Box.of(o) for i, o in self.objects.items()})

    @classmethod
    def of(cls, objects: Iterable[Metadata], kind: str, assets: AssetSides) -> Scene:
        """Returns the scene of a list of objects."""
        return cls(kind, {o["objectId"]: o for o in objects}, assets)

    def of_type(self, *types: str) -> list[str]:
        """Returns the ids of all objects of these types, in the order of the metadata."""
        return [i for i, o in self.objects.items() if o["objectType"] in types]

    def boxes_of(self, *types: str) -> list[Box]:
        """Returns the boxes of all objects of these types."""
        return [self.boxes[i] for i in self.of_type(*types)]

    def type_of(self, object_id: str) -> str:
        """Returns an object's type."""
        return str(self.objects[object_id]["objectType"])

    def parents_of(self, object_id: str) -> list[str]:
        """Returns what it stands on or in according to the metadata, the nearest last."""
        return list(self.objects[object_id]["parentReceptacles"] or ())

    def children_of(self, object_id: str) -> list[str]:
        """Returns what stands on or in it."""
        return [i for i in self.objects if object_id in self.parents_of(i)]
