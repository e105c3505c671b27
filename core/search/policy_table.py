"""The policy's answers by knowledge state: a hash table that Python fills and the compiled search reads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from core.search.compilation.kernel import kernel
from core.search.model import AT, HELD, NEAR, ROOM, Floats, Ints, Model, State

Words = npt.NDArray[np.uint64]

UNKNOWN = -2
"""The entry of a key for the location of an object that was not found."""


class PolicyTable(NamedTuple):
    """The answers: for each key the weights of the actions it names. It has capacity for c keys and w weights.

    Attributes:
        slots: [s] open addressing by the key's hash: index of a key, or -1; s is a power of two and at least 2 c.
        keys: [c, K] keys of knowledge states, see `write_key`.
        start: [c+1] `actions[start[k]:start[k+1]]` are the actions of answer k; none if the reply was not usable.
        actions: [w] actions.
        weights: [w] their shares of the answer; the shares of an answer sum to 1.
        used: [1] the number of keys.
    """

    slots: Ints
    keys: Ints
    start: Ints
    actions: Ints
    weights: Floats
    used: Ints


def empty_table(keys: int, width: int, weights: int) -> PolicyTable:
    """Returns an empty table.

    Args:
        keys: capacity for keys.
        width: entries of a key.
        weights: capacity for weights.
    """
    slots = 1 << (2 * keys - 1).bit_length()
    return PolicyTable(np.full(slots, -1, np.int32), np.zeros((keys, width), np.int32), np.zeros(keys + 1, np.int32),
                       np.zeros(weights, np.int32), np.zeros(weights), np.zeros(1, np.int32))


def with_answer(table: PolicyTable, key: Ints, answer: Mapping[int, float]) -> PolicyTable:
    """Returns the table with one more answer: the same table, or a larger copy if it was full."""
    total = sum(answer.values())
    shares = {action: weight / total for action, weight in answer.items()} if total > 0 else {}
    count = int(table.used[0])
    if count == len(table.keys) or table.start[count] + len(shares) > len(table.actions):
        larger = empty_table(2 * len(table.keys), table.keys.shape[1], 2 * len(table.actions) + len(shares))
        for k in range(count):
            first, last = table.start[k], table.start[k + 1]
            _insert(larger, table.keys[k], table.actions[first:last], table.weights[first:last])
        table = larger
    _insert(table, key, np.fromiter(shares, np.int32, len(shares)), np.fromiter(shares.values(), float, len(shares)))
    return table


def _insert(table: PolicyTable, key: Ints, actions: Ints, weights: Floats) -> None:
    k = int(table.used[0])
    first, last = table.start[k], table.start[k] + len(actions)
    table.keys[k], table.start[k + 1] = key, last
    table.actions[first:last], table.weights[first:last] = actions, weights
    with np.errstate(over="ignore"):
        table.slots[-1 - find(table, key)] = k  # find() returns -1 - slot if the key is missing
    table.used[0] = k + 1


@kernel
def find(table: PolicyTable, key: Ints) -> int:
    """Returns the index of a key, or -1 - s if it is missing, where s is the free slot for it."""
    number = np.uint64(14695981039346656037)
    for part in key:
        number = (number ^ np.uint64(part + 2)) * np.uint64(1099511628211)
    number ^= number >> np.uint64(29)
    mask = table.slots.size - 1
    slot = np.int64(number & np.uint64(mask))
    while table.slots[slot] >= 0:
        k = table.slots[slot]
        same = True
        for j in range(key.size):
            if table.keys[k, j] != key[j]:
                same = False
                break
        if same:
            return int(k)
        slot = (slot + 1) & mask
    return int(-1 - slot)


@kernel
def write_key(model: Model, state: State, ghosts: Ints, short: bool, key: Ints) -> None:
    """Writes the key of a knowledge state: the robot, open locations, looked locations, and where the objects of the goal are.

    A short key omits what does not affect which macro action is best: the looked locations if nothing is left to find; and the
    furniture next to the robot and open locations, unless an object of the goal lies there, belongs there or may be there.

    Args:
        model: the map and the goal.
        state: only the known part of it is used.
        ghosts: [G] objects that may be unknown.
        short: whether to write a short key.
        key: [4 + 2 P + in_goal + 1] receives the key; the last entry is left to the caller.
    """
    locations = model.room_of.size
    opened, looked, where = key[4:4 + locations], key[4 + locations:4 + 2 * locations], key[4 + 2 * locations:]
    finding = not short
    for item in ghosts:
        finding = finding or not state.known[item]
    for location in range(locations):
        opened[location] = 0 if short else int(state.opened[location])
        looked[location] = int(state.looked[location]) if finding else 0
    for item in range(model.in_goal):
        where[item] = state.where[item] if state.known[item] else UNKNOWN
    key[ROOM], key[AT], key[NEAR], key[HELD] = state.robot[ROOM], state.robot[AT], state.robot[NEAR], state.robot[HELD]
    if short:
        _shorten_key(model, state, finding, opened, where, key)


@kernel
def _shorten_key(model: Model, state: State, finding: bool, opened: Ints, where: Ints, key: Ints) -> None:
    at, stands = key[AT], False
    for location in range(model.room_of.size):
        matters = False
        for want in range(model.number.size):
            matters = matters or model.target[want, location]
        for item in range(model.in_goal):
            matters = matters or (state.known[item] and where[item] == location)
        if matters:
            opened[location] = int(state.opened[location])
        if model.furniture_of[location] == at and (matters or (finding and not state.looked[location])):
            stands = True
    if not stands:
        key[AT] = -1


def key_width(model: Model) -> int:
    """Returns K, the number of entries of a key."""
    return 4 + 2 * int(model.room_of.size) + model.in_goal + 1


