"""Where things may be: a matrix of objects by places (LLM-MCTS, appendix C.2), and what an operator may change in it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from core.errors import UsageError
from core.facets import Belief

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
        self.looked: Bits = np.zeros(m, bool)

    def __len__(self) -> int:
        return len(self.labels)

    def add(self, cls: str, prior: Vector) -> int:
        """A new row, not located: its number. Two of a class are labelled `apple` and `apple 2`."""
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

    def row(self, row: int, banned: Bits | None = None) -> Vector:
        """(m,) one thing's probabilities; `banned` places are left out unless nothing else is left."""
        m = len(self.places)
        if self.located[row] is not None:
            at = self.at[row]
            return np.eye(m)[at] if at >= 0 else np.full(m, 1.0 / m)
        pinned, weight = self.pinned[row], self.weight[row]
        held = float(weight[pinned].sum())
        if held >= 1.0:
            return normalised(np.where(pinned, weight, 0.0))
        out = pinned | self.zeroed[row] | self.ruled[row]
        free = np.where(out if banned is None else out | banned, 0.0, weight)
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
    def pin(self, row: int, place: int, value: float) -> None:
        """Hold a cell at a value in 0..1; the rest shares what is left. A place looked into is worth looking into again."""
        self._check(row, place)
        if not 0.0 <= value <= 1.0:
            raise UsageError(f"a probability is 0 to 1, not {value:g}")
        others = self.pinned[row].copy()
        others[place] = False
        if self.weight[row][others].sum() + value > 1.0 + 1e-9:
            raise UsageError(f"the cells held for {self.labels[row]} would add up to more than 1: release or lower one of them")
        self.pinned[row, place], self.zeroed[row, place], self.ruled[row, place] = True, False, False
        self.weight[row, place] = value

    def set(self, row: int, place: int, value: float) -> None:
        """Give a cell a probability now; looking may still change it. The rest of the row shares what is left."""
        self._check(row, place)
        if not 0.0 <= value <= 1.0:
            raise UsageError(f"a probability is 0 to 1, not {value:g}")
        now = self.row(row)
        now[place] = 0.0
        others = now.sum()
        self.weight[row] = now * ((1.0 - value) / others) if others > 0 else now
        self.weight[row, place] = value
        self.pinned[row, place] = self.zeroed[row, place] = False
        self.ruled[row, place] = self.ruled[row, place] and value == 0.0

    def zero(self, row: int, place: int) -> None:
        """Rule a cell out."""
        self._check(row, place)
        self.zeroed[row, place], self.pinned[row, place] = True, False

    def reset(self, row: int) -> None:
        """Take back all that was set, pinned or ruled out by hand in a row."""
        self._check(row, 0)
        self.weight[row] = self.prior[row]
        self.pinned[row], self.zeroed[row], self.ruled[row] = False, False, self.looked

    def _check(self, row: int, place: int) -> None:
        if not (0 <= row < len(self) and 0 <= place < len(self.places)):
            raise UsageError(f"the belief has {len(self)} things and {len(self.places)} places, no cell {row}, {place}")

    # --- the facet --------------------------------------------------------------
    def facet(self, wanted: Mapping[str, bool] | None = None) -> Belief:
        """What panels show; arrays are read-only copies."""
        probability, prior = self.probability(), self.prior.copy()
        looked, pinned, zeroed = self.looked.copy(), self.pinned.copy(), self.zeroed.copy()
        for array in (probability, prior, looked, pinned, zeroed):
            array.setflags(write=False)
        flags = tuple(wanted.get(c, True) if wanted is not None else True for c in self.classes)
        return Belief(tuple(self.labels), tuple(self.classes), flags, tuple(self.located), self.places, probability, prior,
                      looked, pinned, zeroed)

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
        self.pinned[row], self.zeroed[row] = facet.pinned[source], facet.zeroed[source] & ~facet.pinned[source]
        if changed.any():
            kept = self.ruled[row] & ~changed
            ruled_out = self.looked & (values == 0) & changed
            self.ruled[row] = kept | ruled_out
            self.weight[row] = np.where(self.ruled[row] | self.zeroed[row], self.weight[row], values)
        self.weight[row, self.pinned[row]] = values[self.pinned[row]]
