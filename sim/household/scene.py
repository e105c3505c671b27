"""A scene: what an episode starts from, whatever file it was read from.

Three readers make scenes (`ithor.py`, `homes/`, `graphs.py`). The rules, the cameras and the simulator read nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np

from core.world.vocabulary import RelationKind
from sim.geometry.model import House, Thing


class Holder(NamedTuple):
    """What an entity lies on or in at the start."""

    relation: RelationKind
    id: str


@dataclass(frozen=True, slots=True)
class Item:
    """One entity of the scene with its geometry.

    Attributes:
        cls: the class that goals name (`kitchen_table`). `thing.kind` is the class it is drawn and placed as.
        category: furniture stays where it is, objects can be carried.
        properties: what it can do (constants of `core.world.vocabulary`).
        states: initial states (open, closed, on, off, dirty …).
        thing: its place and box. `thing.id` is the id of the entity.
        holder: what it lies on or in; None on the floor or a wall.
        controls: id of the entity it switches (a tap its sink, a knob its burner).
        more: further parts of the same piece with the same yaw (the arms of an L-shaped worktop, the bowl of a sink).
        only: the classes it takes, one object at a time (towels on a towel holder); empty: anything that fits.
    """

    cls: str
    category: Literal["furniture", "object"]
    properties: frozenset[str]
    states: frozenset[str]
    thing: Thing
    holder: Holder | None = None
    controls: str | None = None
    more: tuple[Thing, ...] = ()
    only: frozenset[str] = frozenset()

    @property
    def id(self) -> str:
        """Returns the entity's id, which is unique in the scene."""
        return self.thing.id


class Draw(NamedTuple):
    """One object to place at the start of an episode.

    Attributes:
        cls: its class.
        places: ids of furniture where it may be.
        weights: weight of each place.
    """

    cls: str
    places: tuple[str, ...]
    weights: tuple[float, ...]


Stock = Callable[[np.random.Generator], tuple[Draw, ...]]
"""Draws the objects of an episode. Equal generators give equal draws."""


@dataclass(frozen=True, slots=True)
class Scene:
    """Rooms, furniture, and the objects in them.

    Attributes:
        name: name in the list of scenes, or the path of a graph.
        title: name shown to people.
        house: rooms, walls and decoration (things with an empty id).
        rooms: (id, class) of each room, in the order of `house.rooms`.
        items: furniture, and objects that have a place of their own.
        stock: draws further objects by seed; None if the file lists all of them.
        haunts: object class -> furniture classes on and in which such objects are found in rooms of this kind.
        shuffled: share of the listed objects that a seed moves to other furniture of their `haunts`.
        familiar: True in a home marked seen, False in one marked unseen (the paper's seen and unseen homes), None elsewhere.
    """

    name: str
    title: str
    house: House
    rooms: tuple[tuple[str, str], ...]
    items: tuple[Item, ...]
    stock: Stock | None = None
    haunts: Mapping[str, frozenset[str]] = field(default_factory=dict)
    shuffled: float = 0.0
    familiar: bool | None = None
