"""The map of a rearrangement task as Python values: rooms, locations, and the wants of a goal."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

from core.world.vocabulary import Value


class Place(NamedTuple):
    """A location for objects: inside or on furniture, or the floor of a room.

    Attributes:
        id: id of the furniture, or of the room for a floor.
        cls: its class.
        relation: the relation of an object to it.
        room: index of its room.
        openable: whether its contents are hidden and out of reach until it is opened.
    """

    id: str
    cls: str
    relation: Literal["inside", "on", "floor"]
    room: int
    openable: bool


@dataclass(frozen=True)
class Layout(Value):
    """Rooms and locations by index.

    Attributes:
        rooms: (id, class) of each room.
        places: the locations: furniture first, then one floor for each room.
    """

    rooms: tuple[tuple[str, str], ...]
    places: tuple[Place, ...]

    @cached_property
    def spots(self) -> tuple[str, ...]:
        """Ids of the furniture (and of the rooms, for floors) in the order of the model's furniture indices."""
        return tuple(dict.fromkeys(p.id for p in self.places))

    def index(self, entity_id: str, relation: str) -> int:
        """Returns the index of the location with this id and relation, or -1."""
        return self._indices.get((entity_id, relation), -1)

    @cached_property
    def _indices(self) -> dict[tuple[str, str], int]:
        return {(p.id, p.relation): k for k, p in enumerate(self.places)}


@dataclass(frozen=True, slots=True)
class Want:
    """One literal of a goal about placing objects.

    Attributes:
        slots: indices of the objects that can serve it.
        targets: indices of the target locations, in ascending order.
        number: how many of the objects must be at any of the targets.
    """

    slots: tuple[int, ...]
    targets: tuple[int, ...]
    number: int
