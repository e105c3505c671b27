"""The belief over object positions: a matrix of objects by places (LLM-MCTS, appendix C.2), with an operator's edits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from core.common.errors import UsageError
from core.planning.facets import Belief

Vector = npt.NDArray[np.float64]
Bits = npt.NDArray[np.bool_]
LEAST = 1e-3
"""Probability of an entry that no sample named, before normalization."""


def from_counts(counts: Sequence[float] | Vector, least: float = LEAST) -> Vector:
    """Returns the probability vector of M sampled positions; entries without samples get the lower bound.

    Args:
        counts: (m,) how often each place was sampled; finite, not negative.
        least: the lower bound, as a share of the samples.

    Returns:
        (m,) probabilities; they sum to 1.
    """
    values = np.asarray(counts, float)
    total = values.sum()
    shares = values / total if total > 0 else np.zeros_like(values)
    return normalised(np.where(shares > 0, shares, least))


def normalised(values: Vector) -> Vector:
    """Returns the values scaled to the sum 1; the uniform distribution if they sum to 0 or to no finite number."""
    total = values.sum()
    if not np.isfinite(total) or total <= 0:
        return np.full(len(values), 1.0 / len(values))
    result: Vector = values / total
    return result


class BeliefTable:
    """The belief: one row for each object, one column for each place.

    A row is either located (the object was found) or not (its place is only estimated). Evidence and edits are stored beside
    the prior and never multiplied into it, so that each can be undone.

    Args:
        places: ids of the columns; m of them.

    Attributes:
        labels, classes, located: as in the facet `Belief`; one entry for each of the n rows.
        at: (n,) the column of a located object; -1 if it is in no column (in the hand, on the floor).
        prior: (n, m) rows sum to 1.
        weight: (n, m) the prior, or values an operator set; only proportions matter.
        pinned: (n, m) cells an operator fixed at `weight`.
        zeroed: (n, m) cells an operator ruled out.
        ruled: (n, m) cells ruled out by observation.
        barred: (n, m) cells where the goal would already be reached, so that the object cannot be there.
        lifted: (n, m) barred cells an operator allows nevertheless.
        looked: (m,) places whose contents have been observed.
    """

    def __init__(self, places: Sequence[str]):
        self.places = tuple(places)
        m = len(self.places)
        self.labels: list[str] = []
        self.classes: list[str] = []
        self.located: list[str | None] = []
        self.at: list[int] = []
        self.prior: Vector = np.zeros((0, m))
        self.weight: Vector = np.zeros((0, m))
        self.pinned: Bits = np.zeros((0, m), bool)
        self.zeroed: Bits = np.zeros((0, m), bool)
        self.ruled: Bits = np.zeros((0, m), bool)
        self.barred: Bits = np.zeros((0, m), bool)
        self.lifted: Bits = np.zeros((0, m), bool)
        self.looked: Bits = np.zeros(m, bool)

    def __len__(self) -> int:
        return len(self.labels)

    def add(self, cls: str, prior: Vector, barred: Bits | None = None) -> int:
        """Adds a row of an object not located yet. The second row of a class `apple` gets the label `apple 2`.

        Args:
            cls: the class of the object.
            prior: (m,) not negative; it is normalized.
            barred: (m,) places where the goal would already be reached.

        Returns:
            The index of the row.
        """
        number = self.classes.count(cls) + 1
        self.labels.append(cls.replace("_", " ") + (f" {number}" if number > 1 else ""))
        self.classes.append(cls)
        self.located.append(None)
        self.at.append(-1)
        row = normalised(np.asarray(prior, float))[None]
        self.prior = np.concatenate((self.prior, row))
        self.weight = np.concatenate((self.weight, row))
        none = np.zeros(row.shape, bool)
        self.pinned, self.zeroed = np.concatenate((self.pinned, none)), np.concatenate((self.zeroed, none))
        self.ruled = np.concatenate((self.ruled, self.looked[None].copy()))
        self.barred = np.concatenate((self.barred, none if barred is None else barred[None]))
        self.lifted = np.concatenate((self.lifted, none))
        return len(self.labels) - 1

    # --- evidence ---------------------------------------------------------------
    def look(self, places: Iterable[int]) -> None:
        """Marks places as observed. Objects not found there are ruled out there, and an operator's pins there are removed."""
        columns = np.fromiter(places, int)
        if columns.size:
            self.looked[columns] = True
            self.ruled[:, columns] = True
            self.pinned[:, columns] = False

    def locate(self, row: int, thing: str, place: int) -> None:
        """Sets the place of a found object: probability 1 there, 0 elsewhere.

        Args:
            row: the row of the object.
            thing: the id of the found entity.
            place: the column, or -1 if it is in no column.
        """
        self.located[row] = thing
        self.at[row] = place if place >= 0 else self.at[row]

    def lose(self, row: int) -> None:
        """Marks an object as not located: it is no longer where it was found."""
        self.located[row], self.at[row] = None, -1

    # --- probabilities ----------------------------------------------------------
    def probability(self) -> Vector:
        """Returns the current belief: (n, m), rows sum to 1."""
        return np.array([self.row(r) for r in range(len(self))]).reshape(len(self), len(self.places))

    def row(self, row: int) -> Vector:
        """Returns the probabilities of one row: (m,). Barred places get 0 unless no other place is left."""
        m = len(self.places)
        if self.located[row] is not None:
            at = self.at[row]
            return np.eye(m)[at] if at >= 0 else np.full(m, 1.0 / m)
        pinned, weight = self.pinned[row], self.weight[row]
        held = float(weight[pinned].sum())
        if held >= 1.0:
            return normalised(np.where(pinned, weight, 0.0))
        out = pinned | self.zeroed[row] | self.ruled[row]
        free = np.where(out | (self.barred[row] & ~self.lifted[row]), 0.0, weight)
        if free.sum() <= 0:
            free = np.where(out, 0.0, weight)
        if free.sum() <= 0:
            free = np.where(out, 0.0, 1.0)
        return self._with_pins(row, free, held)

    def _with_pins(self, row: int, free: Vector, held: float) -> Vector:
        pins: Vector = np.where(self.pinned[row], self.weight[row], 0.0)
        total = float(free.sum())
        if total > 0:
            result: Vector = pins + free * ((1.0 - held) / total)
            return result
        return normalised(pins if held > 0 else np.where(self.zeroed[row], 0.0, 1.0))

    def exhausted(self, row: int) -> bool:
        """Returns True if an object is not located and every place is ruled out for it and not pinned."""
        return self.located[row] is None and not (~(self.zeroed[row] | self.ruled[row]) | self.pinned[row]).any()

    def entropy(self) -> Vector:
        """Returns the entropy of each row in bits: (n,)."""
        p = self.probability()
        logs = np.log2(p, out=np.zeros_like(p), where=p > 0)
        result: Vector = -(p * logs).sum(axis=1)
        return result

    def by_room(self, rooms: Sequence[int], count: int) -> Vector:
        """Returns the probability that each object is in each room: (n, count).

        Args:
            rooms: (m,) the index of the room of each column.
            count: the number of rooms.
        """
        member = np.zeros((len(self.places), count))
        member[np.arange(len(self.places)), list(rooms)] = 1.0
        result: Vector = self.probability() @ member
        return result

    def sample(self, row: int, rng: np.random.Generator) -> int:
        """Returns a column sampled from a row."""
        return int(rng.choice(len(self.places), p=self.row(row)))

    # --- operator edits ---------------------------------------------------------
    def reset(self, row: int) -> None:
        """Undoes all edits and pins of a row; only the observed places stay ruled out."""
        self.weight[row] = self.prior[row]
        self.pinned[row], self.zeroed[row], self.lifted[row], self.ruled[row] = False, False, False, self.looked

    # --- facet ------------------------------------------------------------------
    def facet(self, wanted: Mapping[str, bool] | None = None) -> Belief:
        """Returns the facet to show; its arrays are read-only copies.

        Args:
            wanted: class -> whether it occurs in the goal; None: all do.
        """
        probability, prior = self.probability(), self.prior.copy()
        looked, pinned, zeroed, barred = self.looked.copy(), self.pinned.copy(), self.zeroed.copy(), self.barred.copy()
        for array in (probability, prior, looked, pinned, zeroed, barred):
            array.setflags(write=False)
        flags = tuple(wanted.get(c, True) if wanted is not None else True for c in self.classes)
        return Belief(tuple(self.labels), tuple(self.classes), flags, tuple(self.located), self.places, probability, prior,
                      looked, pinned, zeroed, barred)

    def take(self, facet: Belief) -> None:
        """Applies an operator's edit: a facet with changed probabilities, pins or zeroed cells. Rows are matched by label.

        Raises:
            UsageError: the facet has other places, or values that are not probabilities.
        """
        if facet.places != self.places:
            raise UsageError("this belief is about other places: edit the one shown now")
        values = np.asarray(facet.probability, float)
        if values.shape != (len(facet.objects), len(self.places)) or not np.isfinite(values).all() or (values < 0).any():
            raise UsageError("a belief needs one probability of 0 to 1 for each thing and place")
        for source, label in enumerate(facet.objects):
            if label in self.labels and self.located[self.labels.index(label)] is None:
                self._take_row(self.labels.index(label), values[source], facet, source)

    def _take_row(self, row: int, values: Vector, facet: Belief, source: int) -> None:
        now = self.row(row)
        changed = ~np.isclose(values, now, atol=1e-12)
        held_otherwise = bool((self.pinned[row] != facet.pinned[source]).any())
        self.pinned[row], self.zeroed[row] = facet.pinned[source], facet.zeroed[source] & ~facet.pinned[source]
        self.lifted[row] = np.where(changed, values > 0, self.lifted[row] | facet.pinned[source])
        # pins are absolute probabilities, so the weights of the other cells must be probabilities as well
        if changed.any() or held_otherwise:
            kept = self.ruled[row] & ~changed
            ruled_out = self.looked & (values == 0) & changed
            self.ruled[row] = kept | ruled_out
            out = self.ruled[row] | self.zeroed[row] | (self.barred[row] & ~self.lifted[row])
            self.weight[row] = np.where(out, self.weight[row], values)
        self.weight[row, self.pinned[row]] = values[self.pinned[row]]

    def adopt(self, old: BeliefTable) -> None:
        """Copies the operator's edits from an earlier table over the same places. Rows are matched by label."""
        fresh = self.looked & ~old.looked
        for source, label in enumerate(old.labels):
            if label in self.labels:
                row = self.labels.index(label)
                self.weight[row] = old.weight[source]
                self.zeroed[row], self.lifted[row] = old.zeroed[source], old.lifted[source]
                self.pinned[row], self.ruled[row] = old.pinned[source] & ~fresh, old.ruled[source] | fresh
