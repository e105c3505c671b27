"""The rearrangement POMDP as arrays and rules; the compiled search simulates it a hundred thousand times a second.

Objects, locations, furniture and rooms are indices. An object that has not been found yet is a *ghost*: the search samples its
location from the belief. An action is one integer, the sum of a kind (`GO`, `WALK`, ...) and the index of its argument:

* primitive actions: `GO + room`, `WALK + furniture`, `NEAR_TO + object`, `GRAB + object`, `PUT + location`, `OPEN + location`,
  `CLOSE + location`;
* macro actions: `LOOK + location` (walk there and open it), `FETCH + object` (walk to it and grab it), `LAY + location` (walk
  there with the held object and put it down). Their primitive steps depend on the state and are computed one at a time
  (`next_step`).

`step` is the only implementation of the rules: the search, the rollouts, the greedy planner, the loop guard and the offline
policy all call it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from core.search.compilation.kernel import kernel

Ints = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

GO, WALK, NEAR_TO, GRAB, PUT, OPEN, CLOSE, LOOK, FETCH, LAY = (kind << 20 for kind in range(10))
KIND = ~((1 << 20) - 1)
"""The bits of an action that hold its kind; the others hold its index."""
NOTHING = -1
"""Used in place of an action if there is none."""
MOST_STEPS = 4
"""The maximum number of primitive actions of a macro action: go, walk, open, and grab or put."""

OVERSHOOT = 2 * MOST_STEPS
"""Primitive actions for which there is memory beyond the horizon: a macro action may pass it."""

ROOM, AT, NEAR, HELD = range(4)
"""Indices into `State.robot`."""
IN_HAND, NOWHERE = -1, -2
"""Used in place of a location: in the hand; not known, or not sampled yet."""


class Model(NamedTuple):
    """A map and a goal: P locations, F furniture, R rooms, N objects, W wants (literals of the goal). All arrays are read-only.

    Attributes:
        room_of: [P] the room of each location.
        furniture_of: [P] the furniture of each location; each floor counts as furniture of its own.
        openable: [P] whether it can be opened and closed; while closed, its contents are hidden and out of reach.
        inside: [P] whether its contents are within reach of a robot next to the furniture.
        usable: [P] whether the robot can walk to it and put objects there; False for floors.
        room_of_furniture: [F] the room of each piece of furniture; -1 for floors, which cannot be walked to.
        room_start: [R+1] `room_locations[room_start[r]:room_start[r+1]]` are the locations of room r.
        room_locations: [P] locations sorted by room.
        want_start: [W+1] `want_objects[want_start[k]:want_start[k+1]]` are the objects that can serve want k.
        want_objects: [...] these objects.
        wanted: [W, N] whether the object can serve the want.
        target: [W, P] whether the location is a target of the want.
        number: [W] how many objects the want requires at its targets.
        servable: [W, N] whether a target of the want accepts the object.
        barred: [N, P] whether the location refuses the object (no space, wrong size).
        in_goal: the number of objects that occur in the goal; they come first.
        size: the sum of `number`.
        has_rivals: whether an object can serve two wants.
    """

    room_of: Ints
    furniture_of: Ints
    openable: Flags
    inside: Flags
    usable: Flags
    room_of_furniture: Ints
    room_start: Ints
    room_locations: Ints
    want_start: Ints
    want_objects: Ints
    wanted: Flags
    target: Flags
    number: Ints
    servable: Flags
    barred: Flags
    in_goal: int
    size: int
    has_rivals: bool


class State(NamedTuple):
    """The state of the world and the robot's knowledge of it. `step` and `reveal` change it in place.

    In a robot's knowledge a ghost is `NOWHERE`. In a simulated world it has a location, and becomes `known` once it is seen
    there.

    Attributes:
        robot: [4] the index of the room; of the furniture next to it, or -1; of the object next to it, or -1; of the held
            object, or -1.
        opened: [P] whether the location is open.
        where: [N] the location of each object, or IN_HAND, or NOWHERE.
        known: [N] whether the robot knows where the object is.
        looked: [P] whether the robot has seen the contents of the location.
    """

    robot: Ints
    opened: Flags
    where: Ints
    known: Flags
    looked: Flags

    def copy(self) -> State:
        """Returns a copy with arrays of its own."""
        return State(self.robot.copy(), self.opened.copy(), self.where.copy(), self.known.copy(), self.looked.copy())


@kernel
def is_closed(model: Model, state: State, location: int) -> bool:
    """Returns True if a location must be opened before its contents can be seen or reached."""
    return bool(model.openable[location] and not state.opened[location])


@kernel
def step(model: Model, state: State, action: int) -> bool:
    """Executes a primitive action. Returns False, without any change, if it is not admissible."""
    kind, index = action & KIND, action - (action & KIND)
    if kind == GO:
        return _go(state, index)
    if kind == WALK:
        return _walk(model, state, index)
    if kind == NEAR_TO:
        return _approach(model, state, index)
    if kind == GRAB:
        return _grab(model, state, index)
    if kind == PUT:
        return _put(model, state, index)
    return _turn(model, state, index, kind == OPEN)


@kernel
def _go(state: State, room: int) -> bool:
    robot = state.robot
    if room == robot[ROOM]:
        return False
    robot[ROOM], robot[AT], robot[NEAR] = room, -1, -1
    return True


@kernel
def _walk(model: Model, state: State, furniture: int) -> bool:
    robot = state.robot
    if model.room_of_furniture[furniture] != robot[ROOM] or (robot[AT] == furniture and robot[NEAR] < 0):
        return False
    robot[AT], robot[NEAR] = furniture, -1
    return True


@kernel
def _approach(model: Model, state: State, item: int) -> bool:
    robot, location = state.robot, state.where[item]
    if location < 0 or model.room_of[location] != robot[ROOM] or robot[NEAR] == item or is_closed(model, state, location):
        return False
    robot[AT], robot[NEAR] = model.furniture_of[location], item
    return True


@kernel
def _grab(model: Model, state: State, item: int) -> bool:
    robot, location = state.robot, state.where[item]
    if robot[HELD] >= 0 or location < 0 or is_closed(model, state, location):
        return False
    if robot[NEAR] != item and not (model.inside[location] and robot[AT] == model.furniture_of[location]):
        return False
    state.where[item] = IN_HAND
    robot[HELD], robot[NEAR] = item, -1
    return True


@kernel
def _put(model: Model, state: State, location: int) -> bool:
    robot, item = state.robot, state.robot[HELD]
    if item < 0 or robot[AT] != model.furniture_of[location] or model.barred[item, location]:
        return False
    if is_closed(model, state, location):
        return False
    state.where[item] = location
    robot[HELD], robot[NEAR] = -1, -1
    return True


@kernel
def _turn(model: Model, state: State, location: int, opening: bool) -> bool:
    if state.robot[AT] != model.furniture_of[location] or not model.openable[location]:
        return False
    if state.opened[location] == opening:
        return False
    state.opened[location] = opening
    return True


@kernel
def reveals(action: int) -> bool:
    """Returns True if a primitive action can bring objects into sight: entering a room, opening a container."""
    kind = action & KIND
    return kind in (GO, OPEN)


@kernel
def reveal(model: Model, state: State, ghosts: Ints, found: Ints) -> int:
    """Observes the robot's room: marks visible locations as looked at and the ghosts in them as known.

    Args:
        model: the map.
        state: is changed.
        ghosts: [G] the objects that may be unknown.
        found: [G] receives the objects that were found.

    Returns:
        The number of objects found.
    """
    room, count = state.robot[ROOM], 0
    for item in ghosts:
        location = state.where[item]
        if not state.known[item] and location >= 0 and not state.looked[location] and model.room_of[location] == room \
                and not is_closed(model, state, location):
            state.known[item] = True
            found[count] = item
            count += 1
    for k in range(model.room_start[room], model.room_start[room + 1]):
        location = model.room_locations[k]
        if not is_closed(model, state, location):
            state.looked[location] = True
    return count


@kernel
def placed(model: Model, where: Ints, want: int) -> int:
    """Returns the number of objects at the targets of a want."""
    have = 0
    for k in range(model.want_start[want], model.want_start[want + 1]):
        location = where[model.want_objects[k]]
        if location >= 0 and model.target[want, location]:
            have += 1
    return have


@kernel
def satisfied(model: Model, where: Ints) -> int:
    """Returns the number of objects at their targets; each want counts at most the number it requires."""
    total = 0
    for want in range(model.number.size):
        total += min(placed(model, where, want), model.number[want])
    return total


@kernel
def placed_knowingly(model: Model, state: State, want: int) -> int:
    """Returns the number of objects that the robot knows to be at the targets of a want."""
    have = 0
    for k in range(model.want_start[want], model.want_start[want + 1]):
        item = model.want_objects[k]
        location = state.where[item]
        if location >= 0 and state.known[item] and model.target[want, location]:
            have += 1
    return have


@kernel
def is_unmet(model: Model, state: State, want: int) -> bool:
    """Returns True if a want is not satisfied yet, as far as the robot knows."""
    return bool(placed_knowingly(model, state, want) < model.number[want])


@kernel
def is_spare(model: Model, state: State, item: int) -> bool:
    """Returns True if moving an object would not violate a satisfied want, as far as the robot knows."""
    if not model.has_rivals:
        return True
    for want in range(model.number.size):
        if model.wanted[want, item] and model.target[want, state.where[item]] \
                and placed_knowingly(model, state, want) <= model.number[want]:
            return False
    return True


@kernel
def next_step(model: Model, state: State, action: int) -> int:
    """Returns the next primitive action of an action in a state."""
    kind, index = action & KIND, action - (action & KIND)
    if kind < LOOK:
        return action
    location = state.where[index] if kind == FETCH else index
    furniture, robot = model.furniture_of[location], state.robot
    if robot[ROOM] != model.room_of[location]:
        return int(GO + model.room_of[location])
    if kind == FETCH and not model.openable[location]:
        if robot[NEAR] != index and not (model.inside[location] and robot[AT] == furniture):
            return NEAR_TO + index
        return GRAB + index
    if robot[AT] != furniture:
        return int(WALK + furniture)
    if is_closed(model, state, location):
        return int(OPEN + location)
    return GRAB + index if kind == FETCH else PUT + index


@kernel
def is_last(action: int, primitive: int) -> bool:
    """Returns True if a primitive action completes an action."""
    kind, done = action & KIND, primitive & KIND
    if kind < LOOK:
        return True
    return done == (OPEN if kind == LOOK else GRAB if kind == FETCH else PUT)


@kernel
def do(model: Model, state: State, action: int, steps: Ints) -> int:
    """Executes an action in place, until it is complete or one of its primitive actions is not admissible.

    Args:
        model: the map.
        state: is changed.
        action: any action.
        steps: [MOST_STEPS] receives its primitive actions.

    Returns:
        The number of primitive actions, including the one that was not admissible.
    """
    count = 0
    while count == 0 or not is_last(action, steps[count - 1]):
        steps[count] = next_step(model, state, action)
        count += 1
        if not step(model, state, steps[count - 1]):
            break
    return count
