"""Values of states: TD sweeps, upper bounds, and the share of untried actions. Paper, equations 1 to 5."""

from __future__ import annotations

import math

from core.planners.neoplanner.graph import StateSpace, Tried
from core.planners.neoplanner.parameters import NeoParameters


def transformed(reward: float) -> float:
    """Returns sign(r) ln(1 + |r|), so that large rewards do not dominate small ones."""
    return math.copysign(math.log1p(abs(reward)), reward) if reward else 0.0


def sweep(space: StateSpace, p: NeoParameters) -> int:
    """Runs TD(0) over all states until the mean absolute change is small (eq. 5). Returns the number of sweeps.

    Later states are updated first, so that one sweep propagates a reward back along a path.
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
    """Returns K_s: the share of the state's actions that were not tried, to the power n (eq. 4)."""
    state = space[node]
    return float(max(0.0, (state.menu - len(state.tried)) / state.menu) ** p.nonlinearity)


def bonus(space: StateSpace, node: int, p: NeoParameters) -> float:
    """Returns the exploration term C sqrt(ln N / n_s), where N is the visits of all its parents (eq. 1)."""
    visits = sum(space[parent].visits for parent in space.parents(node))
    return p.exploration * math.sqrt(math.log(max(1, visits)) / max(1, space[node].visits))


def worth(space: StateSpace, tried: Tried, p: NeoParameters) -> float:
    """Returns the value of a transition without exploration: V(s'), optionally with the reward on the way."""
    value = space[tried.target].value
    return tried.reward + p.decay * value if p.edge_rewards else value


def exploring(space: StateSpace, node: int, p: NeoParameters) -> float:
    """Returns the upper bound of trying a new action here (eq. 2)."""
    return p.default_value + untried(space, node, p) * p.exploration * math.sqrt(math.log(max(1, space[node].visits)))
