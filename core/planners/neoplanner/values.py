"""Values of states: TD sweeps, upper bounds, how much is left to explore. Paper, equations 1 to 5."""

from __future__ import annotations

import math

from core.planners.neoplanner.graph import StateSpace, Tried
from core.planners.neoplanner.parameters import NeoParameters


def transformed(reward: float) -> float:
    """sign(r) ln(1 + |r|), so that a hundred points do not drown one."""
    return math.copysign(math.log1p(abs(reward)), reward) if reward else 0.0


def sweep(space: StateSpace, p: NeoParameters) -> int:
    """TD(0) over all states until the mean absolute change is small (eq. 5); the number of sweeps.

    Later states first: a reward is carried back along a path in one sweep.
    """
    nodes = list(space)[::-1]
    for done in range(p.sweeps):
        change = 0.0
        for node in nodes:
            before = value = space[node].value
            for _, tried in space.valid(node):
                value += p.step_size * (tried.reward + p.decay * space[tried.target].value - value)
            if value != before:
                space.set_value(node, value)
                change += abs(value - before)
        if change / max(1, len(nodes)) < p.threshold:
            return done + 1
    return p.sweeps


def untried(space: StateSpace, node: int, p: NeoParameters) -> float:
    """K_s: share of the state's actions that were not tried, to the power n (eq. 4)."""
    state = space[node]
    return float(max(0.0, (state.menu - len(state.tried)) / state.menu) ** p.nonlinearity)


def bonus(space: StateSpace, node: int, p: NeoParameters) -> float:
    """The exploration term C sqrt(ln N / n_s), N the visits of all its parents (eq. 1)."""
    visits = sum(space[parent].visits for parent in space.parents(node))
    return p.exploration * math.sqrt(math.log(max(1, visits)) / max(1, space[node].visits))


def worth(space: StateSpace, tried: Tried, p: NeoParameters) -> float:
    """What a way on is worth without exploring: V(s'), or the reward on the way as well."""
    value = space[tried.target].value
    return tried.reward + p.decay * value if p.edge_rewards else value


def exploring(space: StateSpace, node: int, p: NeoParameters) -> float:
    """The upper bound of doing something new here (eq. 2)."""
    return p.default_value + untried(space, node, p) * p.exploration * math.sqrt(math.log(max(1, space[node].visits)))
