"""The facet of a planner's belief over object positions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from core.planning.facets.base import Facet


@dataclass(frozen=True, slots=True)
class Belief(Facet):
    """The belief over object positions: n objects by m places.

    Attributes:
        objects: (n,) row labels; two objects of one class are `apple` and `apple 2`.
        classes: (n,) the class of each row.
        wanted: (n,) whether the class of each row occurs in the goal.
        located: (n,) the id of the object if it was found, else None.
        places: (m,) ids of the columns.
        probability: (n, m) float64, read-only; each row sums to 1.
        prior: (n, m) the probabilities before any observation.
        looked: (m,) bool: the contents of the place have been observed.
        pinned: (n, m) bool: fixed by the operator.
        zeroed: (n, m) bool: ruled out by the operator.
        barred: (n, m) bool: the goal would already be reached if the object were there, so the probability is 0 unless an
            operator changes it. None in recordings older than this field.
    """

    objects: tuple[str, ...]
    classes: tuple[str, ...]
    wanted: tuple[bool, ...]
    located: tuple[str | None, ...]
    places: tuple[str, ...]
    probability: npt.NDArray[np.float64]
    prior: npt.NDArray[np.float64]
    looked: npt.NDArray[np.bool_]
    pinned: npt.NDArray[np.bool_]
    zeroed: npt.NDArray[np.bool_]
    barred: npt.NDArray[np.bool_] | None = None

    def bars(self, row: int) -> npt.NDArray[np.bool_]:
        """Returns the barred places of a row: (m,) bool."""
        return np.zeros(len(self.places), bool) if self.barred is None else self.barred[row]
