"""A belief and its cells in words, and the cell that a selection elsewhere means. No Qt."""

from __future__ import annotations

from collections.abc import Callable

from core.planning.facets import Belief
from gui.panels.belief.layout import entropies, rows_in_order
from gui.widgets.numbers import count, probability

DESCRIBED, MOST_PLACES = 12, 4
BARRED = "excluded: the goal would be reached already"
"""Why a thing is not believed in where the goal wants it."""
Cell = tuple[int, int]
"""A row and a place, as numbered in the belief."""


def described(belief: Belief, order: tuple[int, ...], name: Callable[[int], str]) -> str:
    """The likeliest places of the first rows, for assistive tools."""
    lines = []
    for row in order[:DESCRIBED]:
        best = belief.probability[row].argsort(kind="stable")[::-1][:MOST_PLACES]
        places = (f"{name(int(k))} {probability(float(belief.probability[row, k]))}" for k in best
                  if belief.probability[row, k] >= 0.005)
        lines.append(f"{belief.objects[row]}: {', '.join(places)}")
    more = f" and {count(len(order) - DESCRIBED, 'more object')}" if len(order) > DESCRIBED else ""
    return "; ".join(lines) + more


def first_cell(belief: Belief) -> Cell:
    """What is edited before anything was chosen: the likeliest place of the first wanted thing not found, or the least sure."""
    bits = entropies(belief)
    wanted = (r for r in rows_in_order(belief) if belief.wanted[r] and belief.located[r] is None)
    row = next(wanted, int(bits.argmax()))
    return row, int(belief.probability[row].argmax())


def cell_meant(belief: Belief, thing: str, now: Cell) -> Cell:
    """The cell for a thing selected elsewhere: a place keeps the row, a thing takes its row's likeliest place."""
    if thing in belief.places:
        return now if belief.places[now[1]] == thing else (now[0], belief.places.index(thing))
    for known in (belief.located, belief.objects, belief.classes):
        if thing in known:
            row = known.index(thing)
            return row, int(belief.probability[row].argmax())
    return now
