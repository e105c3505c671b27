"""What an episode starts from (`Scene`), whatever file it was read from, and what changes in it (`State`).

Three readers make scenes (`scenes.py` and `homes/`). The rules, the cameras and the simulator read nothing else. A state is
plain data with an exact text form.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import numpy as np

from core.common.errors import DataError
from core.world.vocabulary import ACTS, Action, Pose, Posture, RelationKind
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


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """Rooms, furniture, and the objects in them. It is equal to itself only, so that what follows from it can be kept.

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


HELD, FLOOR = "held", "floor"


class Spot(NamedTuple):
    """Where an object lies in its holder's frame; on the floor: in the frame of the house.

    Attributes:
        x, y, z: middle of its bottom, metres.
        turn: heading relative to the holder, radians.
        surface: number of the holder's surface; -1 if none is stated.
    """

    x: float
    y: float
    z: float
    turn: float = 0.0
    surface: int = -1


class Place(NamedTuple):
    """Location of an object.

    Attributes:
        relation: inside or on a holder; held or floor without one.
        holder: id of the holder, or empty.
        spot: where it lies there.
    """

    relation: str
    holder: str
    spot: Spot


NOWHERE = Spot(0.0, 0.0, 0.0)
IN_HAND = Place(HELD, "", NOWHERE)


@dataclass
class State:
    """The changing part of a household.

    Attributes:
        seed: of the episode; it decides which objects there are.
        places: id -> location of each object.
        states: open, closed, on, off, sliced … of each entity that has any.
        room: index of the room the robot is in.
        focus: id of the entity it stands at, None in the open.
        pose: where it stands, if that does not follow from `focus` (camera way of seeing, start).
        held: ids of what it holds, oldest first.
        known: ids of what it has seen so far (camera way of seeing).
        glanced: ids of what it saw while looking around just now (camera way of seeing), until its next action.
        steps: actions done, including failed ones.
        posture: whether the robot stands, sits or lies.
        seat: id of what it sits or lies on; empty if it stands.
        facing: id of what it turned to last; empty once it moves.
        acts: what it drank, read, touched … in this episode, each once.
    """

    seed: int = 0
    places: dict[str, Place] = field(default_factory=dict)
    states: dict[str, frozenset[str]] = field(default_factory=dict)
    room: int = 0
    focus: str | None = None
    pose: Pose | None = None
    held: tuple[str, ...] = ()
    known: frozenset[str] = frozenset()
    glanced: frozenset[str] = frozenset()
    steps: int = 0
    posture: Posture = "standing"
    seat: str = ""
    facing: str = ""
    acts: tuple[Action, ...] = ()

    def to_json(self, scene: str) -> str:
        """Returns canonical text: equal states give equal text."""
        value = {
            "scene": scene, "seed": self.seed,
            "places": {k: [p.relation, p.holder, *p.spot] for k, p in sorted(self.places.items())},
            "states": {k: sorted(v) for k, v in sorted(self.states.items())},
            "room": self.room, "focus": self.focus, "pose": self.pose, "held": self.held,
            "known": sorted(self.known), "steps": self.steps,
        }
        if self.glanced:
            value["glanced"] = sorted(self.glanced)
        if self.posture != "standing":
            value |= {"posture": self.posture, "seat": self.seat}
        if self.facing:
            value["facing"] = self.facing
        if self.acts:
            value["acts"] = [(act.verb, *act.args) for act in self.acts]
        return json.dumps(value, separators=(",", ":"), allow_nan=False)

    @classmethod
    def from_json(cls, text: str, scene: str) -> State:
        """Reads the text of `to_json`.

        Raises:
            DataError: it is not a state, or one of another scene.
        """
        try:
            value = json.loads(text)
            if value["scene"] != scene:
                raise DataError(f"this state was saved in scene {value['scene']!r}, not in {scene!r}: load that scene first")
            posture, seat = _posture(value)
            return cls(
                seed=int(value["seed"]),
                places={k: _place(v) for k, v in value["places"].items()},
                states={k: frozenset(map(str, v)) for k, v in value["states"].items()},
                room=int(value["room"]), focus=value["focus"],
                pose=Pose(*map(_number, value["pose"])) if value["pose"] else None,
                held=tuple(map(str, value["held"])), known=frozenset(map(str, value["known"])),
                glanced=frozenset(map(str, value.get("glanced", ()))), steps=int(value["steps"]),
                posture=posture, seat=seat, facing=str(value.get("facing", "")), acts=tuple(map(_act, value.get("acts", ()))),
            )
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise DataError(f"not a saved household state ({type(error).__name__}: {error}): save it again") from error


def _place(row: list[Any]) -> Place:
    relation, holder, x, y, z, turn, surface = row
    return Place(str(relation), str(holder), Spot(_number(x), _number(y), _number(z), _number(turn), int(surface)))


def _posture(value: dict[str, Any]) -> tuple[Posture, str]:
    """Returns the posture and the seat, which belong together."""
    postures: dict[str, Posture] = {"standing": "standing", "sitting": "sitting", "lying": "lying"}
    posture, seat = postures[value.get("posture", "standing")], str(value.get("seat", ""))
    if (posture == "standing") == bool(seat):
        raise ValueError(f"the robot is {posture} on '{seat}'")
    return posture, seat


def _act(row: list[Any]) -> Action:
    verb, thing = row
    if verb not in ACTS:
        raise ValueError(f"{verb} is no act")
    return Action(str(verb), (str(thing),))


def _number(value: Any) -> float:
    number = float(value)
    if not math.isfinite(number):
        raise ValueError(f"{value} is not a finite number")
    return number
