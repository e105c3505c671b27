"""One room's metadata, looked up by id and type."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from .boxes import AssetSides, Box, Metadata

FLAT: Final = frozenset({
    "Painting", "Poster", "Mirror", "LightSwitch", "Curtains", "Blinds", "Towel", "HandTowel", "ShowerDoor", "TowelHolder",
    "HandTowelHolder", "ToiletPaperHanger", "Window",
})  # fmt: skip
"""Thin boxes that hang on a wall: the thin axis is the normal."""
DRAWN_BY_ROOM: Final = frozenset({"Floor", "Window", "BathtubBasin"})
"""Drawn by the room itself, or a part of another thing's drawing."""


@dataclass(frozen=True)
class Scene:
    """All objects of a room."""

    kind: str
    objects: dict[str, Metadata]
    assets: AssetSides
    boxes: dict[str, Box] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "boxes", {i: Box.of(o) for i, o in self.objects.items()})

    @classmethod
    def of(cls, objects: Iterable[Metadata], kind: str, assets: AssetSides) -> Scene:
        """The scene of a list of objects."""
        return cls(kind, {o["objectId"]: o for o in objects}, assets)

    def of_type(self, *types: str) -> list[str]:
        """Ids of all objects of these types, in the metadata's order."""
        return [i for i, o in self.objects.items() if o["objectType"] in types]

    def boxes_of(self, *types: str) -> list[Box]:
        """Boxes of all objects of these types."""
        return [self.boxes[i] for i in self.of_type(*types)]

    def type_of(self, object_id: str) -> str:
        """An object's type."""
        return str(self.objects[object_id]["objectType"])

    def parents_of(self, object_id: str) -> list[str]:
        """What it stands on or in, by the metadata; the nearest last."""
        return list(self.objects[object_id]["parentReceptacles"] or ())

    def children_of(self, object_id: str) -> list[str]:
        """What stands on or in it."""
        return [i for i in self.objects if object_id in self.parents_of(i)]
