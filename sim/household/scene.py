"""A scene: what a household episode starts from, whatever file it was read from.

Three readers make it (`ithor.py`, `homes/`, `graphs.py`); the rules, the cameras and the simulator read only this.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np

from core.world.vocabulary import RelationKind
from sim.geometry.model import House, Thing


class Holder(NamedTuple):
    """On or in what a thing lies at the start."""

    relation: RelationKind
    id: str


@dataclass(frozen=True, slots=True)
class Item:
    """One entity of the scene, with its geometry.

    Attributes:
        cls: the class goals speak of (`kitchen_table`); `thing.kind` is only how it is drawn.
        category: furniture stays where it is, objects can be carried.
        properties: what it can do (constants of `core.world.vocabulary`).
        states: initial states (open, closed, on, off, dirty …).
        thing: where it stands and how it is drawn; `thing.id` is this entity's id.
        only: the classes it takes, one thing at a time (towels on a towel holder); empty: anything that fits.
        more: further parts of the same piece with the same yaw (the arms of an L-shaped worktop, the bowl of a sink).
        holder: what it lies on or in; None on the floor or a wall.
        controls: id of the entity it switches (a tap its sink, a knob its burner).
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
        """The entity's id, unique in the scene."""
        return self.thing.id


class Draw(NamedTuple):
    """One thing to be placed at the start of an episode: where it may be, the likelier places with more weight."""

    cls: str
    places: tuple[str, ...]
    """Ids of furniture."""
    weights: tuple[float, ...]


Stock = Callable[[np.random.Generator], tuple[Draw, ...]]
"""Draws an episode's things. Equal generators give equal draws."""


@dataclass(frozen=True, slots=True)
class Scene:
    """Rooms, furniture, and the things in them.

    Attributes:
        house: rooms, walls, and decoration that is nobody's (things with an empty id).
        rooms: (id, class) of each room, in the order of `house.rooms`.
        items: furniture, and objects that have a place of their own.
        stock: draws further objects by seed; None where the file lists all of them.
        haunts: object class -> furniture classes on and in which such things are found in rooms like this one.
        shuffled: share of the listed objects that a seed moves to other furniture of their haunts.
        familiar: True in a home marked seen, False in one marked unseen, None elsewhere (facts: the paper's seen/unseen homes).
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
