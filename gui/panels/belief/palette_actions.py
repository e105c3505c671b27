"""The edits of a belief offered to keys and the palette: of the selected cell, its row, and likely cells of wanted objects."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from core.planning.facets import Belief
from gui.panels.base import Offer
from gui.panels.belief.texts import Cell

LIKELY = 0.01
MOST_PLACES = 8
"""The maximum number of locations offered per wanted object, most likely first."""


@dataclass(frozen=True, slots=True)
class Hand:
    """The panel's functions that the offers call.

    Attributes:
        key: handles a key for the selected cell, as the heatmap's `typed` does.
        edit: selects a cell and begins to edit its number.
        where: returns the name of a location with its preposition.
        may_edit: returns why a row cannot be edited. Empty if it can.
    """

    key: Callable[[str], object]
    edit: Callable[[Cell], object]
    where: Callable[[int], str]
    may_edit: Callable[[int], str]


def offers(belief: Belief, selected: Cell | None, hand: Hand) -> Iterator[Offer]:
    """Yields the edits of the selected cell, then those of the likely cells of wanted objects.

    Args:
        belief: the belief.
        selected: the selected cell, or None.
        hand: the panel's functions.
    """
    if selected is not None and not hand.may_edit(selected[0]):
        row, place = selected
        thing, where = belief.objects[row], hand.where(place)
        pinned, zeroed = bool(belief.pinned[row, place]), bool(belief.zeroed[row, place])
        yield Offer(f"edit {thing} {where}", partial(hand.key, "E"), "E", "edit")
        yield Offer(f"{'unpin' if pinned else 'pin'} {thing} {where}", partial(hand.key, "P"), "P", "pin")
        yield Offer(f"{'allow' if zeroed else 'zero'} {thing} {where}", partial(hand.key, "Z"), "Z", "zero")
        yield Offer(f"renormalise {thing}: undo its pins and edits", partial(hand.key, ""), icon="undo")
    for row, wanted in enumerate(belief.wanted):
        if not wanted or hand.may_edit(row):
            continue
        for place in _likely(belief, row):
            if (row, place) != selected:
                words = f"edit {belief.objects[row]} {hand.where(place)}"
                yield Offer(words, partial(hand.edit, (row, place)), icon="edit")


def _likely(belief: Belief, row: int) -> list[int]:
    order = np.argsort(-belief.probability[row], kind="stable")[:MOST_PLACES]
    return [int(place) for place in order if belief.probability[row, place] >= LIKELY]
