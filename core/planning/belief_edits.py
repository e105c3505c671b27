"""What an operator may do to a belief, as functions from one belief to the next; `core.planning.belief` takes them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, TypeVar

import numpy as np
import numpy.typing as npt

from core.planning.belief import Bits, Vector
from core.planning.facets import Belief

S = TypeVar("S", bound=np.generic)
Act = Literal["pin", "release", "zero", "allow", "reset"]


@dataclass(frozen=True, slots=True, eq=False)
class Row:
    """One thing's row of a belief: what an edit changes, and what undoing it brings back."""

    probability: Vector
    pinned: Bits
    zeroed: Bits
    looked: Bits | None = None
    """(m,) places that had been looked into by then, where that matters."""


def row_of(belief: Belief, row: int) -> Row:
    """A row as it stands."""
    return Row(belief.probability[row], belief.pinned[row], belief.zeroed[row], belief.looked)


def edited(belief: Belief, row: int, column: int, act: float | Act) -> Belief:
    """The belief after an act on one cell; a number is a probability to give it, held or not as it was.

    The rest of the row shares what is left, in proportion; cells that are held, ruled out or already looked into keep theirs.
    What cannot be (the last possible place ruled out, a thing that was found moved) leaves the belief as it is.
    """
    if belief.located[row] is not None:
        return belief
    now = row_of(belief, row)
    match act:
        case "pin":
            made = Row(now.probability, _with(now.pinned, column, True), _with(now.zeroed, column, False))
        case "release":
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
    """Whether a row says the same in both, and holds and rules out the same."""
    return (np.allclose(one.probability[row], other.probability[row]) and bool((one.pinned[row] == other.pinned[row]).all())
            and bool((one.zeroed[row] == other.zeroed[row]).all()))


def with_row(belief: Belief, row: int, made: Row) -> Belief:
    """The belief with another row, read-only like the first."""
    return replace(belief, probability=_replaced(belief.probability, row, made.probability),
                   pinned=_replaced(belief.pinned, row, made.pinned), zeroed=_replaced(belief.zeroed, row, made.zeroed))


def put_back(belief: Belief, label: str, places: tuple[str, ...], old: Row) -> Belief | None:
    """A newer belief with a row as it once was, less what has been looked into since; None where that row is no more."""
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
    """The largest probability a cell may get: 1 less what is held elsewhere in its row."""
    held = belief.probability[row][_with(belief.pinned[row], column, False)].sum()
    return float(min(1.0, max(0.0, 1.0 - held)))


def _open(belief: Belief, row: int, column: int, pinned: Bits, zeroed: Bits) -> Bits:
    """Cells that share what is left: not this one, not held, not ruled out, not looked into in vain, not where the goal is."""
    in_vain = (belief.looked | belief.bars(row)) & (belief.probability[row] == 0)
    return _with(~(pinned | zeroed | in_vain), column, False)


def _shared(belief: Belief, row: int, column: int, value: float, pinned: Bits, zeroed: Bits) -> Vector:
    """The row once the cell has a value; it gets all that is left where no other cell can take any."""
    free = _open(belief, row, column, pinned, zeroed)
    largest = most(belief, row, column)
    value = float(np.clip(value, 0.0, largest)) if free.any() else largest
    result = np.where(pinned, belief.probability[row], 0.0)
    result[column] = 0.0
    result += _spread(belief, row, free, largest - value)
    result[column] = value
    return result


def _spread(belief: Belief, row: int, free: Bits, amount: float) -> Vector:
    """An amount over the free cells, as they are to each other; by the prior where they have nothing; evenly at last."""
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
    """Its share by the prior among the cells that are open again."""
    now = row_of(belief, row)
    zeroed = _with(now.zeroed, column, False)
    free = _with(_open(belief, row, column, now.pinned, zeroed), column, True)
    prior = np.where(free, belief.prior[row], 0.0)
    share = prior[column] / prior.sum() if prior.sum() > 0 else 1.0 / max(1, int(free.sum()))
    return Row(_shared(belief, row, column, share * most(belief, row, column), now.pinned, zeroed), now.pinned, zeroed)


def _reset(belief: Belief, row: int) -> Row:
    """What the model said, less what has been looked into and where the goal would be reached already."""
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
