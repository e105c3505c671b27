"""The belief over objects beside the goal's: one of each class, as in D_obj of Zhao et al., section 2.2.

Algorithm 1 samples a position for every object. These objects are in the sampled states, in the simulated observations and in
the facet, but no literal needs them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from core.planning.belief import BeliefTable
from core.planning.belief_facets import Belief
from core.world.known_world import KnownWorld

S = TypeVar("S", bound=np.generic)
Vector = npt.NDArray[np.float64]


class Surroundings:
    """One row for each class, located once an object of the class was seen.

    Attributes:
        table: the belief; its columns are those of the goal's belief.
    """

    def __init__(self) -> None:
        self.table = BeliefTable(())
        self._classes: tuple[str, ...] = ()

    def take(self, classes: Iterable[str]) -> None:
        """Sets the classes; call `update` after it."""
        self._classes = tuple(dict.fromkeys(classes))

    def update(self, world: KnownWorld, places: Sequence[str], looked: Iterable[int], prior: Callable[[str], Vector],
               column: Callable[[str], int]) -> None:
        """Processes what is known of the world.

        Args:
            world: what is known.
            places: (m,) ids of the columns.
            looked: the columns whose contents have been observed.
            prior: class -> (m,) its prior.
            column: id of an object -> its column, or -1.
        """
        if self.table.places != tuple(places) or tuple(self.table.classes) != self._classes:
            old, self.table = self.table, BeliefTable(places)
            for cls in self._classes:
                self.table.add(cls, prior(cls))
            self.table.look(looked)
            if old.places == self.table.places:
                self.table.adopt(old)
        self.table.look(looked)
        first: dict[str, str] = {}
        for entity in world.entities.values():
            if entity.category == "object":
                first.setdefault(entity.cls, entity.id)
        for row, cls in enumerate(self.table.classes):
            if cls in first:
                self.table.locate(row, first[cls], column(first[cls]))
            else:
                self.table.lose(row)

    def set_prior(self, cls: str, vector: Vector) -> None:
        """Sets the prior of a class: (m,), normalized."""
        for row in (r for r, own in enumerate(self.table.classes) if own == cls):
            self.table.prior[row] = vector
            self.table.reset(row)

    def unseen(self) -> list[int]:
        """Returns the rows of classes that no object was seen of."""
        return [row for row, thing in enumerate(self.table.located) if thing is None]

    def beside(self, goal: Belief) -> Belief:
        """Returns the goal's belief as a facet, followed by the rows of these classes."""
        if not len(self.table):
            return goal
        own = self.table.facet(dict.fromkeys(self._classes, False))
        return Belief(
            goal.objects + own.objects, goal.classes + own.classes, goal.wanted + own.wanted, goal.located + own.located,
            goal.places, _above(goal.probability, own.probability), _above(goal.prior, own.prior), goal.looked,
            _above(goal.pinned, own.pinned), _above(goal.zeroed, own.zeroed),
            None if goal.barred is None or own.barred is None else _above(goal.barred, own.barred))


def _above(one: npt.NDArray[S], other: npt.NDArray[S]) -> npt.NDArray[S]:
    """Returns the rows of two arrays, read-only."""
    both = np.concatenate((one, other))
    both.setflags(write=False)
    return both
