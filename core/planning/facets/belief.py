"""Where a planner thinks things are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from core.planning.facets.base import Facet


@dataclass(frozen=True, slots=True)
class Belief(Facet):
    """Where a planner thinks things are: objects by places.

    Attributes:
        objects: row labels; two things of one class are `apple`, `apple 2`.
        classes: the class of each row.
        wanted: whether each row is about a thing of the goal.
        located: for each row the id of the thing that was found, or None while it is only believed in.
        places: ids of the columns.
        probability: (n, m) float64, read-only; each row sums to 1.
        prior: (n, m) what the model said before anything was seen.
        looked: (m,) bool: the contents of the place have been seen.
        pinned: (n, m) bool: held by the operator.
        zeroed: (n, m) bool: ruled out by the operator.
        barred: (n, m) bool: the goal would be reached already, were the thing there; believed in only if an operator says so.
            None in recordings that are older than this field.
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
        """(m,) where a thing cannot be, or the goal would be reached."""
        return np.zeros(len(self.places), bool) if self.barred is None else self.barred[row]
