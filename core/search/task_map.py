"""The map of a rearrangement task as Python values: rooms, locations, and what a goal wants at which of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

from core.world.vocabulary import Value


class Place(NamedTuple):
    """A location where an object can lie: inside or on furniture, or on the floor of a room (`id` is the room's then).

    Attributes:
        id: of the furniture, or of the room.
        cls: its class.
        relation: of an object to it.
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
        """Ids of the furniture (and floors) one can stand at, in the order of their first location."""
        return tuple(dict.fromkeys(p.id for p in self.places))

    def index(self, entity_id: str, relation: str) -> int:
        """Returns the location with this id and relation, or -1."""
        return self._indices.get((entity_id, relation), -1)

    @cached_property
    def _indices(self) -> dict[tuple[str, str], int]:
        return {(p.id, p.relation): k for k, p in enumerate(self.places)}


@dataclass(frozen=True, slots=True)
class Want:
    """One literal of a goal: `number` of the `slots` (objects) at any of the `targets` (locations, in ascending order)."""

    slots: tuple[int, ...]
    targets: tuple[int, ...]
    number: int
