"""The changing part of an episode, as plain data with an exact text form."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from core.common.errors import DataError
from core.world.vocabulary import Pose

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
            return cls(
                seed=int(value["seed"]),
                places={k: _place(v) for k, v in value["places"].items()},
                states={k: frozenset(map(str, v)) for k, v in value["states"].items()},
                room=int(value["room"]), focus=value["focus"],
                pose=Pose(*map(_number, value["pose"])) if value["pose"] else None,
                held=tuple(map(str, value["held"])), known=frozenset(map(str, value["known"])),
                glanced=frozenset(map(str, value.get("glanced", ()))), steps=int(value["steps"]),
            )
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise DataError(f"not a saved household state ({type(error).__name__}: {error}): save it again") from error


def _place(row: list[Any]) -> Place:
    relation, holder, x, y, z, turn, surface = row
    return Place(str(relation), str(holder), Spot(_number(x), _number(y), _number(z), _number(turn), int(surface)))


def _number(value: Any) -> float:
    number = float(value)
    if not math.isfinite(number):
        raise ValueError(f"{value} is not a finite number")
    return number
