"""A goal on a map as Python values (`Layout`, `Place`, `Want`), and the Python interface of the rules (`Problem`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from core.search import macros, model
from core.search.model import NOTHING, NOWHERE, Flags, Floats, Ints, Model, State
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


Macro = tuple[int, ...]
"""Primitive actions in order of execution."""


class Move(NamedTuple):
    """An action available in a state: its integer, and its primitive actions in that state."""

    action: int
    steps: Macro


class Problem:
    """A goal on a map.

    Args:
        layout: the map.
        wants: the literals about placing objects.
        objects: the number of objects; those in no want are in the way or in the hand.
        barred: [objects, locations] whether the location refuses the object (no space, wrong size); default: floors only.
        in_goal: the number of objects that occur in the goal; they come first. Default: all.

    Attributes:
        model: the same as arrays.
    """

    def __init__(self, layout: Layout, wants: tuple[Want, ...], objects: int, barred: npt.NDArray[np.bool_] | None = None,
                 in_goal: int | None = None):
        self.layout, self.wants = layout, wants
        self.model = _model(layout, wants, objects, barred, objects if in_goal is None else in_goal)

    # --- actions ----------------------------------------------------------------
    def step(self, state: State, action: int) -> bool:
        """Executes a primitive action in place. Returns False if it is not admissible."""
        return model.step(self.model, state, action)

    def moves(self, state: State, kind: int) -> list[Move]:
        """Returns the available actions given the robot's knowledge.

        Args:
            state: the knowledge.
            kind: MACROS, RELEVANT or ADMISSIBLE.
        """
        actions = self.room_for_actions()
        count = macros.list_actions(self.model, state, kind, actions)
        return [self.move(state, action) for action in actions[:count].tolist()]

    def room_for_actions(self) -> Ints:
        """Returns an array large enough for any list of actions."""
        m, objects = self.model, self.model.wanted.shape[1]
        return np.zeros(m.room_start.size + m.room_of_furniture.size + 2 * objects + 2 * m.room_of.size + 8, np.int32)

    def move(self, state: State, action: int) -> Move:
        """Returns an action with its primitive actions in a state."""
        return Move(action, self.steps(state, action))

    def steps(self, state: State, action: int) -> Macro:
        """Returns the primitive actions of an action in a state; none for NOTHING."""
        if action < model.LOOK:
            return () if action == NOTHING else (action,)
        return self.do(state.copy(), action)

    def do(self, state: State, action: int) -> Macro:
        """Executes an action in place, until it is complete or a step is not admissible. Returns its primitive actions."""
        steps = np.zeros(model.MOST_STEPS, np.int32)
        return tuple(steps[:model.do(self.model, state, action, steps)].tolist())

    # --- the greedy policy --------------------------------------------------------
    def greedy(self, state: State, weights: Floats) -> Macro:
        """Returns the next action of the greedy policy, or () if nothing is left to do."""
        return self.steps(state, macros.greedy(self.model, state, weights, self._empty_worth()))

    def look(self, state: State, weights: Floats) -> Macro:
        """Returns the search action with the highest expected number of finds per step, or () if nothing is left to search."""
        return self.steps(state, macros.look(self.model, state, weights, self._empty_worth()))

    def _empty_worth(self) -> Floats:
        return np.full(len(self.layout.rooms), -1.0)

    def relief(self, state: State) -> Macro:
        """Returns the way to put down a held object that no unmet want can use, or () if there is none."""
        if not macros.is_burdened(self.model, state):
            return ()
        return self.steps(state, macros.put_down(self.model, state))

    def is_reached(self, state: State) -> bool:
        """Returns True if all wants are satisfied, as far as is known."""
        return bool(model.satisfied(self.model, state.where) >= self.model.size)

    def reveals_news(self, state: State) -> bool:
        """Returns True if a location is in sight that was not looked at before."""
        m, room = self.model, state.robot[model.ROOM]
        shown = (m.room_of == room) & ~(m.openable & ~state.opened)
        return bool((shown & ~state.looked).any())


def knowledge_of(robot: Sequence[int], opened: Flags, where: Sequence[int], looked: Flags) -> State:
    """Returns a knowledge state; every object with a location counts as known.

    Args:
        robot: room, furniture, near and held, see `State.robot`.
        opened: [P] whether the location is open.
        where: [N] the location of each object, or IN_HAND, or NOWHERE.
        looked: [P] whether the contents of the location are known.
    """
    at = np.array(where, np.int32)
    return State(np.array(robot, np.int32), np.array(opened, np.bool_), at, at != NOWHERE, np.array(looked, np.bool_))


def _model(layout: Layout, wants: tuple[Want, ...], objects: int, barred: Flags | None, in_goal: int) -> Model:
    places, count = layout.places, len(layout.places)
    furniture = {spot: k for k, spot in enumerate(layout.spots)}
    room_of = np.array([p.room for p in places], np.int32)
    usable = np.array([p.relation != "floor" for p in places], np.bool_)
    rooms_of_furniture = {furniture[p.id]: -1 if p.relation == "floor" else p.room for p in places}
    wanted, target = np.zeros((len(wants), objects), np.bool_), np.zeros((len(wants), count), np.bool_)
    for k, want in enumerate(wants):
        wanted[k, list(want.slots)] = True
        target[k, list(want.targets)] = True
    # A copy: numba compiles everything once more for an array that is read-only.
    refused = np.array(np.broadcast_to(~usable, (objects, count)) if barred is None else barred, order="C")
    number = np.array([want.number for want in wants], np.int32)
    return Model(
        room_of, np.array([furniture[p.id] for p in places], np.int32), np.array([p.openable for p in places], np.bool_),
        np.array([p.relation == "inside" for p in places], np.bool_), usable,
        np.array([rooms_of_furniture[k] for k in range(len(furniture))], np.int32),
        np.searchsorted(np.sort(room_of), np.arange(len(layout.rooms) + 1)).astype(np.int32),
        np.argsort(room_of, kind="stable").astype(np.int32),
        np.cumsum([0, *(len(want.slots) for want in wants)]).astype(np.int32),
        np.array([item for want in wants for item in want.slots], np.int32), wanted, target, number,
        (target.astype(np.int32) @ (~refused).astype(np.int32).T) > 0, np.ascontiguousarray(refused), in_goal,
        int(number.sum()), bool((wanted.sum(axis=0) > 1).any()))
