"""Rollouts below the tree: the greedy policy on the robot's knowledge, or random actions (as in the paper)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from core.search.compilation.kernel import kernel
from core.search.macros import ADMISSIBLE, RELEVANT, greedy, list_actions
from core.search.model import (
    CLOSE,
    GO,
    GRAB,
    KIND,
    NEAR_TO,
    NOTHING,
    OPEN,
    OVERSHOOT,
    PUT,
    ROOM,
    WALK,
    Floats,
    Ints,
    Model,
    State,
    is_last,
    next_step,
    reveal,
    reveals,
    satisfied,
    step,
)

REWARD = 10.0
"""The reward of reaching the goal, as in the paper's released code."""
MOST_TRIES = 10_000
"""The number of samples after which a state counts as one without admissible actions (a bare room with one table)."""

GREEDY, UNIFORM, NONE = range(3)
"""The rollout policies."""

Random = npt.NDArray[np.uint64]
"""[1] the state of a random stream (splitmix64): the same numbers on every machine."""


class Belief(NamedTuple):
    """The belief over the locations of G ghosts.

    Attributes:
        ghosts: [G] objects that were not found yet.
        probability: [G, P] of each location; rows sum to 1.
        cumulative: [G, P] cumulative sums of the rows; the last entry is above 1.
    """

    ghosts: Ints
    probability: Floats
    cumulative: Floats


class Scratch(NamedTuple):
    """Memory that the functions of the kernel reuse.

    Attributes:
        actions: [R + F + 2 N + 2 P + 8] a list of actions.
        found: [G] objects found by one step.
        observed: [G] objects found by one action.
        weights: [P] expected number of ghosts at each location.
        worth: [R] finds per step of entering each room, see `macros.look`.
        trail: [horizon + OVERSHOOT] receives the primitive actions of a simulation that is repeated; [0] while searching.
    """

    actions: Ints
    found: Ints
    observed: Ints
    weights: Floats
    worth: Floats
    trail: Ints


@kernel
def write_trail(scratch: Scratch, steps: int, primitive: int) -> None:
    """Writes a primitive action to the trail, `steps` before the horizon."""
    at = scratch.trail.size - OVERSHOOT - steps
    if at >= 0:
        scratch.trail[at] = primitive


@kernel
def uniform(random: Random) -> float:
    """Advances the stream and returns a random number in (0, 1]."""
    random[0] += np.uint64(0x9E3779B97F4A7C15)
    return mixed(random[0])


@kernel
def mixed(number: np.uint64) -> float:
    """Returns a pseudo-random number in (0, 1]: the output function of splitmix64."""
    z = number
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z = z ^ (z >> np.uint64(31))
    return (float(z >> np.uint64(11)) + 1.0) * (1.0 / 9007199254740992.0)


@kernel
def gained(model: Model, before: int, now: int, shared: bool) -> float:
    """Returns the reward of putting an object down.

    Args:
        model: the goal.
        before: objects at their targets before.
        now: objects at their targets now.
        shared: True for a share of the reward for each object at its target, False for all of it at the goal.
    """
    if shared:
        return REWARD * (now - before) / model.size
    return REWARD if now >= model.size and now > before else 0.0


@kernel
def expect_finds(belief: Belief, state: State, scratch: Scratch) -> None:
    """Computes `weights` from the ghosts that are still unknown, and resets `worth`."""
    weights = scratch.weights
    weights[:], scratch.worth[:] = 0.0, -1.0
    for k in range(belief.ghosts.size):
        if not state.known[belief.ghosts[k]]:
            for location in range(weights.size):
                weights[location] += belief.probability[k, location]


@kernel
def greedy_rollout(model: Model, belief: Belief, state: State, have: int, scratch: Scratch, steps: int, discount: float,
                   shared: bool) -> float:
    """Returns the discounted reward of the greedy policy over `steps` steps. Overwrites the state.

    `have` objects were at their targets when one was put down last: an object taken from its target earns nothing twice.

    The policy acts on the robot's knowledge, never on the sampled world: a rollout that knows the true locations would make
    searching appear useless.
    """
    total, factor = 0.0, 1.0
    expect_finds(belief, state, scratch)
    while steps > 0:
        action = greedy(model, state, scratch.weights, scratch.worth)
        if action == NOTHING:
            return total
        while True:
            primitive = next_step(model, state, action)
            if not step(model, state, primitive):
                return total
            write_trail(scratch, steps, primitive)
            steps -= 1
            if reveals(primitive):
                if reveal(model, state, belief.ghosts, scratch.found) > 0:
                    expect_finds(belief, state, scratch)
                scratch.worth[state.robot[ROOM]] = -1.0
            elif (primitive & KIND) == PUT and steps >= 0:
                now = satisfied(model, state.where)
                total += factor * gained(model, have, now, shared)
                have = now
                if have >= model.size:
                    return total
            factor *= discount
            if is_last(action, primitive):
                break
    return total


@kernel
def uniform_rollout(model: Model, belief: Belief, state: State, have: int, scratch: Scratch, steps: int, discount: float,
                    shared: bool, kind: int, random: Random) -> float:
    """Returns the discounted reward of uniformly random actions over `steps` steps, as `greedy_rollout`."""
    total, factor = 0.0, 1.0
    while steps > 0:
        if kind == ADMISSIBLE:
            action = _step_random(model, state, random)
        else:
            count = list_actions(model, state, RELEVANT, scratch.actions)
            action = NOTHING
            if count > 0:
                action = scratch.actions[_random_below(count, random)]
                step(model, state, action)
        if action == NOTHING:
            return total
        if reveals(action):
            reveal(model, state, belief.ghosts, scratch.found)
        write_trail(scratch, steps, action)
        steps -= 1
        if (action & KIND) == PUT:
            now = satisfied(model, state.where)
            total += factor * gained(model, have, now, shared)
            have = now
            if have >= model.size:
                return total
        factor *= discount
    return total


@kernel
def _random_below(count: int, random: Random) -> int:
    """Returns a random integer from 0 to count - 1."""
    return min(int(uniform(random) * count), count - 1)


@kernel
def _step_random(model: Model, state: State, random: Random) -> int:
    """Executes a random admissible action, found by rejection sampling from all primitive actions, and returns it."""
    rooms, furniture = model.room_start.size - 1, model.room_of_furniture.size
    objects, locations = state.where.size, model.room_of.size
    ends = rooms + furniture
    for _ in range(MOST_TRIES):
        k = _random_below(ends + 2 * objects + 3 * locations, random)
        if k < rooms:
            action = GO + k
        elif k < ends:
            action = WALK + k - rooms
        elif k < ends + objects:
            action = NEAR_TO + k - ends
        elif k < ends + 2 * objects:
            action = GRAB + k - ends - objects
        else:
            k -= ends + 2 * objects
            action = (PUT if k < locations else OPEN if k < 2 * locations else CLOSE) + k % locations
        if step(model, state, action):
            return action
    return NOTHING
