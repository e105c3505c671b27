"""The belief over object positions: a matrix of objects by places (LLM-MCTS, appendix C.2).

`BeliefTable` is the planner's belief. `edited` and the functions after it return a shown belief as an operator changed it;
`BeliefTable.take` applies that.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeVar

import numpy as np
import numpy.typing as npt

from core.common.errors import UsageError
from core.planning.belief_facets import Belief

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
        """Sets the place of a found object: probability 1 there, 0 elsewhere. In the hand or on the floor it is 0 everywhere.

        Args:
            row: the row of the object.
            thing: the id of the found entity.
            place: the column, or -1 if it is in no column.
        """
        self.located[row] = thing
        self.at[row] = place

    def lose(self, row: int) -> None:
        """Marks an object as not located: it is no longer where it was found."""
        self.located[row], self.at[row] = None, -1

    # --- probabilities ----------------------------------------------------------
    def probability(self) -> Vector:
        """Returns the current belief: (n, m), rows sum to 1; 0 everywhere for a found object that is in no column."""
        return np.array([self.row(r) for r in range(len(self))]).reshape(len(self), len(self.places))

    def row(self, row: int) -> Vector:
        """Returns the probabilities of one row: (m,), see `probability`. Barred places get 0 unless no other place is left."""
        m = len(self.places)
        if self.located[row] is not None:
            at = self.at[row]
            return np.eye(m)[at] if at >= 0 else np.zeros(m)
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
                self._apply_row(self.labels.index(label), values[source], facet, source)

    def _apply_row(self, row: int, values: Vector, facet: Belief, source: int) -> None:
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


S = TypeVar("S", bound=np.generic)
Act = Literal["pin", "unpin", "zero", "allow", "reset"]


@dataclass(frozen=True, slots=True, eq=False)
class Row:
    """The part of a belief that an edit changes: one object's row.

    Attributes:
        probability: (m,) the probabilities.
        pinned: (m,) cells fixed by the operator.
        zeroed: (m,) cells ruled out by the operator.
        looked: (m,) the places whose contents had been observed by then; None if `put_back` need not know.
    """

    probability: Vector
    pinned: Bits
    zeroed: Bits
    looked: Bits | None = None


def row_of(belief: Belief, row: int) -> Row:
    """Returns a row of a belief."""
    return Row(belief.probability[row], belief.pinned[row], belief.zeroed[row], belief.looked)


def edited(belief: Belief, row: int, column: int, act: float | Act) -> Belief:
    """Returns the belief after an edit of one cell.

    The other cells of the row share the remaining probability in proportion to their own. Cells that are pinned, ruled out, or
    observed to be empty keep theirs. An impossible edit (the last possible place is ruled out, a found object is moved) changes
    nothing.

    Args:
        belief: the belief.
        row: the index of the object.
        column: the index of the place.
        act: the edit; a number is the new probability of the cell, which stays pinned if it was.
    """
    if belief.located[row] is not None:
        return belief
    now = row_of(belief, row)
    match act:
        case "pin":
            made = Row(now.probability, _with(now.pinned, column, True), _with(now.zeroed, column, False))
        case "unpin":
            made = Row(now.probability, _with(now.pinned, column, False), now.zeroed)
        case "zero":
            made = _zero(belief, row, column)
        case "allow":
            made = _allow(belief, row, column)
        case "reset":
            made = _reset(belief, row)
        case value:
            zeroed = _with(now.zeroed, column, False)
            made = Row(_shared(belief, row, column, float(value), now.pinned, zeroed), now.pinned, zeroed)
    return with_row(belief, row, made)


def is_same(one: Belief, other: Belief, row: int) -> bool:
    """Returns True if a row has equal probabilities, pins and ruled-out cells in both beliefs."""
    return (np.allclose(one.probability[row], other.probability[row]) and bool((one.pinned[row] == other.pinned[row]).all())
            and bool((one.zeroed[row] == other.zeroed[row]).all()))


def with_row(belief: Belief, row: int, made: Row) -> Belief:
    """Returns the belief with one row replaced. Its arrays are read-only."""
    return replace(belief, probability=_replaced(belief.probability, row, made.probability),
                   pinned=_replaced(belief.pinned, row, made.pinned), zeroed=_replaced(belief.zeroed, row, made.zeroed))


def put_back(belief: Belief, label: str, places: tuple[str, ...], old: Row) -> Belief | None:
    """Returns a newer belief with an earlier row restored, except at places observed since.

    Args:
        belief: the newer belief.
        label: the label of the row.
        places: the places of the earlier belief.
        old: the earlier row.

    Returns:
        The belief; None if it has no such row, its object was found, or no place of the earlier row is left.
    """
    if label not in belief.objects or belief.places != places:
        return None
    row = belief.objects.index(label)
    if belief.located[row] is not None:
        return None
    seen_since = belief.looked & ~old.looked if old.looked is not None else np.zeros(len(places), bool)
    values = np.where(seen_since, 0.0, old.probability)
    total = values.sum()
    if total <= 0:
        return None
    return with_row(belief, row, Row(values / total, old.pinned & ~seen_since, old.zeroed))


def most(belief: Belief, row: int, column: int) -> float:
    """Returns the largest probability a cell may get: 1 minus what is pinned elsewhere in its row."""
    held = belief.probability[row][_with(belief.pinned[row], column, False)].sum()
    return float(min(1.0, max(0.0, 1.0 - held)))


def _open(belief: Belief, row: int, column: int, pinned: Bits, zeroed: Bits) -> Bits:
    """Returns the other cells that share the remaining probability: not pinned, not ruled out, not observed to be empty."""
    in_vain = (belief.looked | belief.bars(row)) & (belief.probability[row] == 0)
    return _with(~(pinned | zeroed | in_vain), column, False)


def _shared(belief: Belief, row: int, column: int, value: float, pinned: Bits, zeroed: Bits) -> Vector:
    """Returns the row after a cell got a value. If no other cell can take the rest, the cell gets all of it."""
    free = _open(belief, row, column, pinned, zeroed)
    largest = most(belief, row, column)
    value = float(np.clip(value, 0.0, largest)) if free.any() else largest
    result = np.where(pinned, belief.probability[row], 0.0)
    result[column] = 0.0
    result += _spread(belief, row, free, largest - value)
    result[column] = value
    return result


def _spread(belief: Belief, row: int, free: Bits, amount: float) -> Vector:
    """Spreads an amount over free cells: in proportion to their probability, else to their prior, else evenly."""
    for weights in (belief.probability[row], belief.prior[row], np.ones(len(belief.places))):
        share = np.where(free, weights, 0.0)
        total = share.sum()
        if total > 1e-12:
            spread: Vector = share * (amount / total)
            return spread
    return np.zeros(len(belief.places))


def _zero(belief: Belief, row: int, column: int) -> Row:
    now = row_of(belief, row)
    pinned, zeroed = _with(now.pinned, column, False), _with(now.zeroed, column, True)
    others = _open(belief, row, column, pinned, zeroed).any()
    if not others and most(belief, row, column) > 1e-9:
        return now
    return Row(_shared(belief, row, column, 0.0, pinned, zeroed), pinned, zeroed)


def _allow(belief: Belief, row: int, column: int) -> Row:
    """Returns the row with a cell no longer ruled out. It gets its share of the prior among the possible cells."""
    now = row_of(belief, row)
    zeroed = _with(now.zeroed, column, False)
    free = _with(_open(belief, row, column, now.pinned, zeroed), column, True)
    prior = np.where(free, belief.prior[row], 0.0)
    share = prior[column] / prior.sum() if prior.sum() > 0 else 1.0 / max(1, int(free.sum()))
    return Row(_shared(belief, row, column, share * most(belief, row, column), now.pinned, zeroed), now.pinned, zeroed)


def _reset(belief: Belief, row: int) -> Row:
    """Returns the prior without observed places and places where the goal would already be reached."""
    none = np.zeros(len(belief.places), bool)
    values = np.where(belief.looked | belief.bars(row), 0.0, belief.prior[row])
    total = values.sum()
    return Row(values / total if total > 0 else belief.prior[row], none, none)


def _with(bits: Bits, column: int, value: bool) -> Bits:
    changed = bits.copy()
    changed[column] = value
    return changed


def _replaced(table: npt.NDArray[S], row: int, values: npt.NDArray[S]) -> npt.NDArray[S]:
    changed = table.copy()
    changed[row] = values
    changed.flags.writeable = False
    return changed
