"""What would change the decision of a search: how far beliefs, priors and parameters can go before it chooses otherwise.

Each value is tried by a whole search with the same random numbers (common random numbers), so that a difference in the choice
is due to the value and not to chance. From the present value outwards, the first value tried at which the choice differs and
the last one at which it does not are brought together by bisection; both are therefore confirmed. A quantity is on the edge
if a change as small as rounding changes the choice.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import NamedTuple

import numpy as np

from core.planning.simulation_facets import Flip, Margin, Margins
from core.search.model import HELD
from core.search.rearrangement import Rearrangement
from core.search.search import Search
from core.search.translation import to_actions
from core.world.vocabulary import Action, in_words

STEPS = 4
"""Values tried between the present value and each end of the range, before the bisection."""
PRECISION = 0.01
"""The share of the range to which a flip is found."""
ROUNDING = 1e-9
"""A change that says nothing."""
MOST_EXPLORATION = 10.0
"""Flips by the exploration constant are looked for from 0 to its present value times this."""
LEAST_DISCOUNT = 0.5
MOST_SIMULATIONS = 4
"""Flips by the number of simulations are looked for up to the present number times this."""
Tries = Generator[None, None, Flip | None]


class _Quantity(NamedTuple):
    """A quantity and the search with another value of it."""

    margin: Margin
    other: Callable[[float], Search]
    budget: Callable[[float], int] | None = None
    """The number of simulations, if the quantity is that number; None: that of the decision."""
    is_whole: bool = False
    """Whether only whole numbers are tried."""
    rounded: Callable[[], Iterator[Search]] = lambda: iter(())
    """Returns searches that differ in other ways by no more than rounding does."""


def margins(search: Search, task: Rearrangement) -> Iterator[Margins | None]:
    """Yields the margins of a finished search: after each quantity those found so far; None at a checkpoint between."""
    chosen, budget = search.best(), search.simulations
    shown = _action(search, task, search.ranked()[0])
    same = search.again()
    for _ in _run(same, budget):
        yield None
    if same.best().action != chosen.action:
        trouble = "A repetition without model calls chooses another action, so that nothing can be compared with it."
        yield Margins(shown, (), complete=True, trouble=trouble)
        return
    found: list[Margin] = []
    for quantity in _quantities(search, task):
        if not quantity.is_whole and (yield from _is_on_edge(quantity, chosen.action, budget)):
            found.append(replace(quantity.margin, on_edge=True))
            continue
        down = yield from _flip(search, task, quantity, quantity.margin.low, budget)
        up = yield from _flip(search, task, quantity, quantity.margin.high, budget)
        found.append(replace(quantity.margin, down=down, up=up))
        yield Margins(shown, tuple(found))
    yield Margins(shown, tuple(found), complete=True)


def _is_on_edge(quantity: _Quantity, chosen: int, budget: int) -> Generator[None, None, bool]:
    """Returns True if a change of `ROUNDING` changes the choice: of the quantity, or of what its change is rounded with."""
    margin = quantity.margin
    values = max(margin.low, margin.value - ROUNDING), min(margin.high, margin.value + ROUNDING)
    for other in chain(map(quantity.other, values), quantity.rounded()):
        yield from _run(other, budget)
        if other.best().action != chosen:
            return True
    return False


def _flip(search: Search, task: Rearrangement, quantity: _Quantity, end: float, budget: int) -> Tries:
    """Returns the nearest flip between the present value and one end of the range."""
    value, size = quantity.margin.value, quantity.margin.high - quantity.margin.low
    close, chosen = max(PRECISION * size, float(quantity.is_whole)), search.best().action

    def tried_with(other_value: float) -> Generator[None, None, Search]:
        other = quantity.other(other_value)
        yield from _run(other, budget if quantity.budget is None else quantity.budget(other_value))
        return other

    if abs(end - value) < PRECISION * size:
        return None
    kept, outwards = value, np.linspace(value, end, STEPS + 1)[1:]
    for tried in (np.round(outwards) if quantity.is_whole else outwards).tolist():
        other = yield from tried_with(tried)
        if other.best().action != chosen:
            break
        kept = tried
    else:
        return None
    while abs(tried - kept) > close:
        middle = (tried + kept) / 2
        middle = float(round(middle)) if quantity.is_whole else middle
        between = yield from tried_with(middle)
        if between.best().action != chosen:
            tried, other = middle, between
        else:
            kept = middle
    return Flip(tried, kept, _action(other, task, other.ranked()[0]))


def _run(search: Search, budget: int) -> Generator[None, None, None]:
    for _ in search.run(lambda: budget):
        yield None


def _action(search: Search, task: Rearrangement, edge: int) -> Action:
    return to_actions(task.layout, task.names, search.moves[edge].steps, int(search.knowledge.robot[HELD]))[-1]


# --- the quantities ----------------------------------------------------------------
def _quantities(search: Search, task: Rearrangement) -> Iterator[_Quantity]:
    """Yields the priors and the parameters, which are few, then the belief cells, most probable first."""
    yield from _priors(search, task)
    yield from _parameters(search)
    belief, labels, names = search.belief, task.table.labels, task.names
    cells = np.argwhere(belief > 0)
    for k, column in sorted(cells.tolist(), key=lambda cell: -belief[cell[0], cell[1]]):
        place, item = task.layout.places[column], search.ghosts[k]
        name = labels[item] if item < len(labels) else names[item]
        margin = Margin("belief", name, place.id, place.relation, float(belief[k, column]), 0.0, 1.0, None, None)
        yield _Quantity(margin, partial(_with_cell, search, k, column), rounded=partial(_rounded, search, k))


def _rounded(search: Search, row: int) -> Iterator[Search]:
    """Yields the search with every second boundary between the locations of an object moved, up and down.

    Sampled worlds often lie exactly on a boundary, because beliefs are made of fractions.
    """
    for sign in (1, -1):
        belief = np.array(search.belief)
        cells = np.flatnonzero(belief[row])
        belief[row, cells] += sign * ROUNDING * (-1.0) ** np.arange(len(cells))
        yield search.again(np.maximum(belief, 0.0))


def _with_cell(search: Search, row: int, column: int, p: float) -> Search:
    """Returns the search with another probability in one cell of the belief; the others of its row keep their proportions."""
    belief = np.array(search.belief)
    rest = 1.0 - belief[row, column]
    if rest <= 0.0:
        belief[row], rest = 1.0 / max(1, belief.shape[1] - 1), 1.0
    belief[row] *= (1.0 - p) / rest
    belief[row, column] = p
    return search.again(belief)


def _priors(search: Search, task: Rearrangement) -> Iterator[_Quantity]:
    """Yields the priors of the root actions, as far as the policy can change them: from `mixing` / n to 1 - `mixing` + that."""
    answer = search.root_answer()
    if not answer or sum(answer.values()) <= 0:
        return
    mixing, count = search.options.mixing, len(search.moves)
    weights = {move.action: answer.get(move.action, 0.0) for move in search.moves}
    total = sum(weights.values())
    if total <= 0 or mixing >= 1:
        return
    low = mixing / count
    for edge, move in enumerate(search.moves):
        value, name = low + (1 - mixing) * weights[move.action] / total, in_words(_action(search, task, edge))
        margin = Margin("prior", name, "", "", value, low, low + 1 - mixing, None, None)
        yield _Quantity(margin, partial(_with_prior, search, weights, move.action))


def _with_prior(search: Search, weights: Mapping[int, float], action: int, prior: float) -> Search:
    """Returns the search with another prior of one root action; those of the others keep their proportions."""
    mixing, count = search.options.mixing, len(weights)
    share, rest = (prior - mixing / count) / (1 - mixing), sum(weights.values()) - weights[action]
    scaled = {a: w / rest * (1 - share) if rest > 0 else (1 - share) / max(1, count - 1) for a, w in weights.items()}
    return search.again(answer={**scaled, action: share})


def _parameters(search: Search) -> Iterator[_Quantity]:
    """Yields the parameters of the search that change its choice gradually."""
    options = search.options

    def margin(name: str, value: float, low: float, high: float) -> Margin:
        return Margin("parameter", name, "", "", value, low, high, None, None)

    if options.exploration > 0:
        yield _Quantity(margin("exploration", options.exploration, 0.0, MOST_EXPLORATION * options.exploration),
                        lambda c: search.again(options=replace(options, exploration=c)))
    if options.discount >= LEAST_DISCOUNT:
        yield _Quantity(margin("discount", options.discount, LEAST_DISCOUNT, 1.0),
                        lambda gamma: search.again(options=replace(options, discount=gamma)))
    count, most_steps = search.simulations, max(search.horizon, search.steps_left)
    yield _Quantity(margin("simulations", count, 1, MOST_SIMULATIONS * count), lambda n: search.again(), round, is_whole=True)
    if most_steps > 1:
        yield _Quantity(margin("depth", search.horizon, 1, most_steps),
                        lambda steps: search.again(options=replace(options, depth=round(steps))), is_whole=True)
    if search.root_answer():
        yield _Quantity(margin("mixing", options.mixing, 0.0, 1.0),
                        lambda share: search.again(options=replace(options, mixing=share)))
