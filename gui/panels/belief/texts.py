"""The belief as text for assistive tools, and the cell that belongs to a selection. No Qt."""

from __future__ import annotations

from collections.abc import Callable

from core.planning.facets import Belief
from gui.panels.belief.layout import entropies, rows_in_order
from gui.widgets.numbers import count, probability

DESCRIBED, MOST_PLACES = 12, 4
BARRED = "excluded: the goal would be reached already"
"""Why a location of the goal has probability 0."""
Cell = tuple[int, int]
"""A row and the index of a location in the belief."""


def described(belief: Belief, order: tuple[int, ...], name: Callable[[int], str]) -> str:
    """Returns the likeliest locations of the first rows as text, for assistive tools.

    Args:
        belief: the belief.
        order: the rows shown, from top to bottom. The first `DESCRIBED` are described.
        name: returns the name of a location by its index in the belief.
    """
    lines = []
    for row in order[:DESCRIBED]:
        best = belief.probability[row].argsort(kind="stable")[::-1][:MOST_PLACES]
        places = (f"{name(int(k))} {probability(float(belief.probability[row, k]))}" for k in best
                  if belief.probability[row, k] >= 0.005)
        lines.append(f"{belief.objects[row]}: {', '.join(places)}")
    more = f" and {count(len(order) - DESCRIBED, 'more object')}" if len(order) > DESCRIBED else ""
    return "; ".join(lines) + more


def first_cell(belief: Belief) -> Cell:
    """Returns the cell selected before the operator chooses one.

    It is the likeliest location of the first wanted object that is not yet found. If there is none, it is that of the object
    with the highest entropy.
    """
    bits = entropies(belief)
    wanted = (r for r in rows_in_order(belief) if belief.wanted[r] and belief.located[r] is None)
    row = next(wanted, int(bits.argmax()))
    return row, int(belief.probability[row].argmax())


def cell_meant(belief: Belief, thing: str, now: Cell) -> Cell:
    """Returns the cell for an entity selected elsewhere.

    A location keeps the current row. An object selects the likeliest location of its row. Anything else keeps the cell.

    Args:
        belief: the belief.
        thing: an id, or a label or class of a row.
        now: the current cell.
    """
    if thing in belief.places:
        return now if belief.places[now[1]] == thing else (now[0], belief.places.index(thing))
    for known in (belief.located, belief.objects, belief.classes):
        if thing in known:
            row = known.index(thing)
            return row, int(belief.probability[row].argmax())
    return now
