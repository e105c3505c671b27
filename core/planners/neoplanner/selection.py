"""Plan selection: follows the upper bounds through the graph. Paper, section IV-A and `selectplan`."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from core.planners.neoplanner.graph import StateSpace
from core.planners.neoplanner.parameters import NeoParameters
from core.planners.neoplanner.values import bonus, exploring, untried, worth
from core.world.vocabulary import Value


@dataclass(frozen=True, slots=True)
class Leg(Value):
    """One action of a selected path and its expected next state."""

    action: str
    target: int


@dataclass(frozen=True, slots=True)
class Selection(Value):
    """A path through known states.

    Attributes:
        path: the actions.
        end: the last state of the path, where new actions are requested.
        avoid: the actions tried there.
        because: why it ends: a leaf, exploring is better, a loop.
    """

    path: tuple[Leg, ...]
    end: int
    avoid: tuple[str, ...]
    because: str


def select(space: StateSpace, here: int, p: NeoParameters, banned: Collection[str] = ()) -> Selection:
    """Returns the path from the current state. It contains no refused or banned actions."""
    path: list[Leg] = []
    seen, node = {here}, here
    while True:
        ways = [(a, t) for a, t in space.valid(node) if a not in banned and not (p.skip_loops and t.target in seen)]
        if not ways:
            because = "leaf"
            break
        action, tried = max(ways, key=lambda way: worth(space, way[1], p) + bonus(space, way[1].target, p))
        bound = worth(space, tried, p) + untried(space, node, p) * bonus(space, tried.target, p)
        if exploring(space, node, p) > bound:
            because = "exploring"
            break
        if tried.target in seen:
            because = "loop"
            break
        path.append(Leg(action, tried.target))
        seen.add(tried.target)
        node = tried.target
    return Selection(tuple(path), node, tuple(space[node].tried), because)
