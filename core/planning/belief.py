"""Where things may be: a matrix of objects by places (LLM-MCTS, appendix C.2), and what an operator may change in it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from core.common.errors import UsageError
from core.planning.facets import Belief

Vector = npt.NDArray[np.float64]
Bits = npt.NDArray[np.bool_]
LEAST = 1e-3
"""Probability of an entry that no sample named, before normalising."""


def from_counts(counts: Sequence[float] | Vector, least: float = LEAST) -> Vector:
    """M sampled positions, counted by place, as a probability vector: unsampled entries get the lower bound.

    Args:
        counts: (m,) how often each place was named; not negative, finite.
        least: the lower bound, as a share of the samples.
    """
    values = np.asarray(counts, float)
    total = values.sum()
    shares = values / total if total > 0 else np.zeros_like(values)
    return normalised(np.where(shares > 0, shares, least))


def normalised(values: Vector) -> Vector:
    """Scaled to the sum 1; all alike where nothing is left."""
    total = values.sum()
    if not np.isfinite(total) or total <= 0:
        return np.full(len(values), 1.0 / len(values))
    result: Vector = values / total
    return result


class BeliefTable:
    """One row a thing: ghosts, whose places are only believed in, and things that were found.

    Evidence and edits are kept beside the prior, never multiplied into it, so each can be taken back.

    Args:
        places: names of the columns; m of them.

    Attributes:
        labels, classes, located: as in the facet `Belief`; one entry a row.
        prior: (n, m) rows sum to 1.
        weight: (n, m) the prior, or what an operator set; only proportions matter.
        pinned: (n, m) cells an operator holds, at `weight`.
        zeroed: (n, m) cells an operator ruled out.
        ruled: (n, m) cells ruled out by looking.
        barred: (n, m) cells where the goal would be reached already, so that the thing cannot be there.
        lifted: (n, m) those of them an operator believes in nevertheless.
        looked: (m,) places whose contents have been seen.
        at: column of a located thing, -1 where it is in no column (in the hand, on the floor).
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
        """A new row, not located: its number. Two of a class are labelled `apple` and `apple 2`.

        Args:
            cls: what kind of thing it is.
            prior: (m,) not negative.
            barred: (m,) where the goal would be reached already.
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
        """Contents of places were seen: what was not found there is not there, whatever an operator held."""
        columns = np.fromiter(places, int)
        if columns.size:
            self.looked[columns] = True
            self.ruled[:, columns] = True
            self.pinned[:, columns] = False

    def locate(self, row: int, thing: str, place: int) -> None:
        """A thing was found: its entry is 1, the others are 0. `place` is -1 where it is in no column."""
        self.located[row] = thing
        self.at[row] = place if place >= 0 else self.at[row]

    def lose(self, row: int) -> None:
        """A thing is not where it was found: a ghost again."""
        self.located[row], self.at[row] = None, -1

    # --- reading ----------------------------------------------------------------
    def probability(self) -> Vector:
        """(n, m) what is believed now; rows sum to 1."""
        return np.array([self.row(r) for r in range(len(self))]).reshape(len(self), len(self.places))

    def row(self, row: int) -> Vector:
        """(m,) one thing's probabilities; barred places are left out unless nothing else is left."""
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
        """Whether a ghost has no place left to be: all was looked into or ruled out."""
        return self.located[row] is None and not (~(self.zeroed[row] | self.ruled[row]) | self.pinned[row]).any()

    def entropy(self) -> Vector:
        """(n,) bits of each row."""
        p = self.probability()
        logs = np.log2(p, out=np.zeros_like(p), where=p > 0)
        result: Vector = -(p * logs).sum(axis=1)
        return result

    def by_room(self, rooms: Sequence[int], count: int) -> Vector:
        """(n, count) probability that each thing is in each room; `rooms` says which room each column belongs to."""
        member = np.zeros((len(self.places), count))
        member[np.arange(len(self.places)), list(rooms)] = 1.0
        result: Vector = self.probability() @ member
        return result

    def sample(self, row: int, rng: np.random.Generator) -> int:
        """A place drawn from a row."""
        return int(rng.choice(len(self.places), p=self.row(row)))

    # --- an operator's hand -----------------------------------------------------
    def reset(self, row: int) -> None:
        """Take back all that was set, pinned or ruled out by hand in a row."""
        self.weight[row] = self.prior[row]
        self.pinned[row], self.zeroed[row], self.lifted[row], self.ruled[row] = False, False, False, self.looked

    # --- the facet --------------------------------------------------------------
    def facet(self, wanted: Mapping[str, bool] | None = None) -> Belief:
        """What panels show; arrays are read-only copies."""
        probability, prior = self.probability(), self.prior.copy()
        looked, pinned, zeroed, barred = self.looked.copy(), self.pinned.copy(), self.zeroed.copy(), self.barred.copy()
        for array in (probability, prior, looked, pinned, zeroed, barred):
            array.setflags(write=False)
        flags = tuple(wanted.get(c, True) if wanted is not None else True for c in self.classes)
        return Belief(tuple(self.labels), tuple(self.classes), flags, tuple(self.located), self.places, probability, prior,
                      looked, pinned, zeroed, barred)

    def take(self, facet: Belief) -> None:
        """Take an operator's edit: the facet with other probabilities, pins or zeros. Rows are matched by label.

        Raises:
            UsageError: other places than these, or values that are no probabilities.
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
        if changed.any() or held_otherwise:  # pins are probabilities: the weights beside them have to be, too
            kept = self.ruled[row] & ~changed
            ruled_out = self.looked & (values == 0) & changed
            self.ruled[row] = kept | ruled_out
            out = self.ruled[row] | self.zeroed[row] | (self.barred[row] & ~self.lifted[row])
            self.weight[row] = np.where(out, self.weight[row], values)
        self.weight[row, self.pinned[row]] = values[self.pinned[row]]

    def adopt(self, old: BeliefTable) -> None:
        """Take over what an operator did to an earlier table about the same places. Rows are matched by label."""
        fresh = self.looked & ~old.looked
        for source, label in enumerate(old.labels):
            if label in self.labels:
                row = self.labels.index(label)
                self.weight[row] = old.weight[source]
                self.zeroed[row], self.lifted[row] = old.zeroed[source], old.lifted[source]
                self.pinned[row], self.ruled[row] = old.pinned[source] & ~fresh, old.ruled[source] | fresh
