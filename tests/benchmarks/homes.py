"""What the benchmarks of the search begin with: a task in the four-rooms home, and made-up homes of any size."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from core.search.model import NOWHERE, State
from core.search.problem import Layout, Place, Problem, Want, knowledge_of
from core.search.rearrangement import Rearrangement, Vector
from core.search.search import Options, Policy, Search
from tests.core.planners.by_hand import goal_of, home

TEXT = "put one apple inside the fridge and one book on the sofa and one mug on the desk"
STEPS_LEFT = 30


class Beginning(NamedTuple):
    """Where a search begins: what `Search` takes."""

    problem: Problem
    knowledge: State
    ghosts: tuple[int, ...]
    belief: Vector

    def search(self, options: Options, simulations: int, policy: Policy | None = None) -> Search:
        """A search that has done so many simulations."""
        found = Search(self.problem, self.knowledge, self.ghosts, self.belief, options, policy, np.random.default_rng(0),
                       STEPS_LEFT)
        for _ in found.run(lambda: simulations):
            pass
        return found


def four_rooms(*, clutter: bool = False) -> Beginning:
    """Three things wanted in four-rooms-1, nothing seen but the first room; `clutter`: all that is in sight there counts."""
    with home() as simulator:
        mind = Rearrangement(goal_of(simulator, TEXT), simulator.schemas, clutter=clutter)
        mind.see(simulator.observe())
        return Beginning(*mind.problem(), *mind.ghosts())


def made_up(things: int) -> Beginning:
    """A home of four rooms with so many things, a quarter of them furniture: every second piece is a container.

    The goal wants three things; two of them are not found yet and may be in any container that is not among the first three.
    """
    rng, furniture, rooms = np.random.default_rng(things), things // 4, 4
    pieces = [Place(f"piece_{k}", "piece", "inside" if k % 2 else "on", k % rooms, bool(k % 2)) for k in range(furniture)]
    floors = [Place(f"room_{r}", "room", "floor", r, False) for r in range(rooms)]
    layout = Layout(tuple((f"room_{r}", "room") for r in range(rooms)), (*pieces, *floors))
    hidden = np.array([place.openable and k > 5 for k, place in enumerate(layout.places)])
    where = rng.choice(np.flatnonzero(~hidden[:furniture]), things - furniture)
    where[:2] = NOWHERE
    where[2] = 10
    wants = tuple(Want((k,), (2 * k + 1,), 1) for k in range(3))
    knowledge = knowledge_of((0, -1, -1, -1), np.zeros(len(layout.places), np.bool_), where.tolist(), ~hidden)
    return Beginning(Problem(layout, wants, things - furniture), knowledge, (0, 1), np.tile(hidden / hidden.sum(), (2, 1)))
