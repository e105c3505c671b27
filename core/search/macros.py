"""The actions available in a state, and the greedy policy.

The greedy policy places the held object, else fetches a misplaced one, else searches where finds are likely. It is the rollout
policy of the search, the rule of the offline provider and a planner of its own. It uses only the robot's knowledge, never the
location of an object that was not found.
"""

from __future__ import annotations

from core.search.compilation.kernel import kernel
from core.search.model import (
    AT,
    CLOSE,
    FETCH,
    GO,
    GRAB,
    HELD,
    LAY,
    LOOK,
    NEAR,
    NEAR_TO,
    NOTHING,
    OPEN,
    PUT,
    ROOM,
    WALK,
    Floats,
    Ints,
    Model,
    State,
    is_closed,
    is_spare,
    is_unmet,
    next_step,
)

MACROS, RELEVANT, ADMISSIBLE = range(3)
"""The actions of a tree's edges: macro actions within a room, their first steps, or all admissible primitive actions."""


@kernel
def is_movable(model: Model, state: State, want: int, item: int) -> bool:
    """Returns True if an object is known to lie outside the targets of a want and can be moved to one of them."""
    location = state.where[item]
    return bool(state.known[item] and location >= 0 and not model.target[want, location] and model.servable[want, item]
                and is_spare(model, state, item))


@kernel
def fetch_length(model: Model, state: State, item: int) -> int:
    """Returns the number of primitive steps of `FETCH + item`."""
    location, robot = state.where[item], state.robot
    away = model.room_of[location] != robot[ROOM]
    here = not away and robot[AT] == model.furniture_of[location]
    steps = 2 if away else 1
    if model.openable[location]:
        return steps + (0 if here else 1) + (0 if state.opened[location] else 1)
    return steps + (1 if (away or robot[NEAR] != item) and not (model.inside[location] and here) else 0)


@kernel
def lay_length(model: Model, state: State, location: int) -> int:
    """Returns the number of primitive steps of `LAY + location`."""
    away = model.room_of[location] != state.robot[ROOM]
    walk = away or state.robot[AT] != model.furniture_of[location]
    return 1 + (1 if away else 0) + (1 if walk else 0) + (1 if is_closed(model, state, location) else 0)


@kernel
def deliver(model: Model, state: State, want: int) -> int:
    """Returns the shortest `LAY` action that puts the held object at a target of a want that accepts it, or NOTHING."""
    held, best, shortest = state.robot[HELD], NOTHING, 0
    if not model.servable[want, held]:
        return NOTHING
    for location in range(model.room_of.size):
        if model.target[want, location] and not model.barred[held, location]:
            length = lay_length(model, state, location)
            if best == NOTHING or length < shortest:
                best, shortest = LAY + location, length
    return best


@kernel
def put_down(model: Model, state: State) -> int:
    """Returns the `LAY` action that puts down a useless object, or NOTHING.

    The order of preference is: at this furniture, on open surfaces in this room, anywhere; then the fewest steps.
    """
    held, room, at = state.robot[HELD], state.robot[ROOM], state.robot[AT]
    best, best_rank, shortest = NOTHING, 3, 0
    for location in range(model.room_of.size):
        if not model.usable[location] or model.barred[held, location]:
            continue
        if model.furniture_of[location] == at and not is_closed(model, state, location):
            rank = 0
        elif model.room_of[location] == room and not model.openable[location]:
            rank = 1
        else:
            rank = 2
        length = lay_length(model, state, location)
        if rank < best_rank or (rank == best_rank and length < shortest):
            best, best_rank, shortest = LAY + location, rank, length
    return best


@kernel
def is_burdened(model: Model, state: State) -> bool:
    """Returns True if the robot holds an object that no unmet want can use."""
    held = state.robot[HELD]
    if held < 0:
        return False
    for want in range(model.number.size):
        if model.wanted[want, held] and model.servable[want, held] and is_unmet(model, state, want):
            return False
    return True


@kernel
def look(model: Model, state: State, weights: Floats, worth: Floats) -> int:
    """Returns the search action with the highest expected number of finds per step: `GO + room` or `LOOK + location`.

    The value of another room is the expected number of finds from what is in sight there and from the best set of containers
    opened afterwards, divided by all steps (the index rule for search under precedence constraints: enter first, then open).

    Args:
        model: the map.
        state: the robot's knowledge.
        weights: [P] expected number of wanted objects at each location.
        worth: [R] cached finds per step of entering each room; negative entries are computed and filled in.

    Returns:
        The action, or NOTHING if nothing is left to search.
    """
    room, best, rate = state.robot[ROOM], NOTHING, 0.0
    for k in range(model.room_start[room], model.room_start[room + 1]):
        location = model.room_locations[k]
        if not state.looked[location] and is_closed(model, state, location):
            finds = weights[location] * (1.0 if model.furniture_of[location] == state.robot[AT] else 0.5)
            if finds > rate:
                best, rate = LOOK + location, finds
    for other in range(model.room_start.size - 1):
        if other != room:
            if worth[other] < 0.0:
                worth[other] = _worth_entering(model, state, other, weights)
            if worth[other] > rate:
                best, rate = GO + other, worth[other]
    return best


@kernel
def _worth_entering(model: Model, state: State, room: int, weights: Floats) -> float:
    """Returns the highest expected finds per step of entering a room and then opening any set of its containers.

    At the optimal rate, the set consists of the containers whose expected finds exceed twice that rate, since each takes two
    steps. Dinkelbach's iteration approaches the rate from below.
    """
    first, last = model.room_start[room], model.room_start[room + 1]
    shown, rate = 0.0, -1.0
    for k in range(first, last):
        location = model.room_locations[k]
        if not state.looked[location] and not is_closed(model, state, location):
            shown += weights[location]
    total, steps = shown, 1
    while total / steps > rate:
        total, steps, rate = shown, 1, total / steps
        for k in range(first, last):
            location = model.room_locations[k]
            if weights[location] > 2.0 * rate and not state.looked[location] and is_closed(model, state, location):
                total += weights[location]
                steps += 2
    return rate


@kernel
def greedy(model: Model, state: State, weights: Floats, worth: Floats) -> int:
    """Returns the action of the greedy policy, or NOTHING if nothing is left to do. Args as in `look`."""
    held, best, shortest = state.robot[HELD], NOTHING, 0
    for want in range(model.number.size):
        if held >= 0 and not model.wanted[want, held]:
            continue
        if not is_unmet(model, state, want):
            continue
        if held >= 0:
            best = deliver(model, state, want)
            if best != NOTHING:
                return best
            continue
        for k in range(model.want_start[want], model.want_start[want + 1]):
            item = model.want_objects[k]
            if is_movable(model, state, want, item):
                length = fetch_length(model, state, item)
                if best == NOTHING or length < shortest:
                    best, shortest = FETCH + item, length
    if held >= 0:
        return put_down(model, state)
    return look(model, state, weights, worth) if best == NOTHING else best


@kernel
def list_actions(model: Model, state: State, kind: int, actions: Ints) -> int:
    """Lists the actions available given the robot's knowledge.

    Args:
        model: the map and the goal.
        state: only the known part of it is used.
        kind: MACROS, RELEVANT or ADMISSIBLE.
        actions: [R + P + 2 N + F + 8] receives the actions.

    Returns:
        The number of actions.
    """
    if kind == ADMISSIBLE:
        return _list_admissible(model, state, actions)
    count = _list_macros(model, state, actions)
    if kind == MACROS:
        return count
    kept = 0
    for k in range(count):
        kept = _add(actions, kept, next_step(model, state, actions[k]))
    return kept


@kernel
def _add(actions: Ints, count: int, action: int) -> int:
    """Appends an action unless it is already listed. Returns the new number of actions."""
    for k in range(count):
        if actions[k] == action:
            return count
    actions[count] = action
    return count + 1


@kernel
def _list_macros(model: Model, state: State, actions: Ints) -> int:
    """Lists macro actions: enter another room; open, fetch and put down within the room.

    It never lists closing a container or taking an object that no unmet want needs.
    """
    room, held, count = state.robot[ROOM], state.robot[HELD], 0
    for other in range(model.room_start.size - 1):
        if other != room:
            actions[count] = GO + other
            count += 1
    for k in range(model.room_start[room], model.room_start[room + 1]):
        location = model.room_locations[k]
        if not state.looked[location] and is_closed(model, state, location):
            actions[count] = LOOK + location
            count += 1
    if held >= 0:
        return _list_put_downs(model, state, actions, count)
    for want in range(model.number.size):
        if is_unmet(model, state, want):
            for k in range(model.want_start[want], model.want_start[want + 1]):
                item = model.want_objects[k]
                if is_movable(model, state, want, item) and model.room_of[state.where[item]] == room:
                    count = _add(actions, count, FETCH + item)
    return count


@kernel
def _list_put_downs(model: Model, state: State, actions: Ints, count: int) -> int:
    """Lists where to put the held object: targets of unmet wants in this room, or any place if no unmet want can use it."""
    held, useful = state.robot[HELD], False
    for want in range(model.number.size):
        if model.wanted[want, held] and model.servable[want, held] and is_unmet(model, state, want):
            useful = True
            for location in range(model.room_of.size):
                if model.target[want, location] and not model.barred[held, location] \
                        and model.room_of[location] == state.robot[ROOM]:
                    count = _add(actions, count, LAY + location)
    if not useful:
        way = put_down(model, state)
        if way != NOTHING:
            actions[count] = way
            count += 1
    return count


@kernel
def _list_admissible(model: Model, state: State, actions: Ints) -> int:
    """Lists all admissible primitive actions."""
    room, at, count = state.robot[ROOM], state.robot[AT], 0
    for other in range(model.room_start.size - 1):
        if other != room:
            actions[count] = GO + other
            count += 1
    for furniture in range(model.room_of_furniture.size):
        if model.room_of_furniture[furniture] == room and (furniture != at or state.robot[NEAR] >= 0):
            actions[count] = WALK + furniture
            count += 1
    return _list_at_furniture(model, state, actions, _list_with_objects(model, state, actions, count))


@kernel
def _list_with_objects(model: Model, state: State, actions: Ints, count: int) -> int:
    """Lists walks to objects in sight and grabs of objects within reach."""
    room, at, near, held = state.robot[ROOM], state.robot[AT], state.robot[NEAR], state.robot[HELD]
    for item in range(state.where.size):
        location = state.where[item]
        if location < 0 or not state.known[item] or model.room_of[location] != room or is_closed(model, state, location):
            continue
        if near != item:
            actions[count] = NEAR_TO + item
            count += 1
        if held < 0 and (near == item or (model.inside[location] and at == model.furniture_of[location])):
            actions[count] = GRAB + item
            count += 1
    return count


@kernel
def _list_at_furniture(model: Model, state: State, actions: Ints, count: int) -> int:
    """Lists open, close and put at the furniture next to the robot."""
    room, at, held = state.robot[ROOM], state.robot[AT], state.robot[HELD]
    for k in range(model.room_start[room], model.room_start[room + 1]):
        location = model.room_locations[k]
        if model.furniture_of[location] != at or not model.usable[location]:
            continue
        closed = is_closed(model, state, location)
        if model.openable[location]:
            actions[count] = (OPEN if closed else CLOSE) + location
            count += 1
        if held >= 0 and not closed and not model.barred[held, location]:
            actions[count] = PUT + location
            count += 1
    return count
