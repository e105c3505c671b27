"""What several names of expressions need of one facet, computed once per facet and only when a name asks for it."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import lru_cache
from typing import Any, TypeVar, cast

import numpy as np
import numpy.typing as npt

from core.planning.belief_facets import Belief
from core.planning.facets import Facet
from core.planning.search_facets import RankedAction, Ranking
from core.session.expressions import beginning_of_plain, plain

F = TypeVar("F", bound=Facet)
T = TypeVar("T")

plain_name = lru_cache(maxsize=1024)(plain)
"""`plain`, remembered: beliefs and rankings are shown often, with the same names."""


class FacetIndex:
    """Keeps what was computed from the newest facet and from the one before it, for each function."""

    def __init__(self) -> None:
        self._newest: dict[Callable[[Any], object], tuple[Facet, object]] = {}
        self._before: dict[Callable[[Any], object], tuple[Facet, object]] = {}

    def of(self, facet: F, compute: Callable[[F], T]) -> T:
        """Returns `compute(facet)`, from memory if this very facet is one of the last two that it was computed from."""
        kept = self._newest.get(compute)
        if kept is None or kept[0] is not facet:
            before = self._before.get(compute)
            if before is not None and before[0] is facet:
                return cast(T, before[1])
            if kept is not None:
                self._before[compute] = kept
            kept = self._newest[compute] = facet, compute(facet)
        return cast(T, kept[1])


@lru_cache(maxsize=1024)
def _beginning(text: str) -> tuple[str, Callable[[str], bool]]:
    """Returns a text as a plain text, and the function that tells whether a plain text begins with its words."""
    start = plain(text)
    return start, beginning_of_plain(start)


class RankedSteps:
    """The rows of a ranking, looked up by how their first or last steps begin."""

    def __init__(self, ranking: Ranking):
        self._actions = ranking.actions
        self._verbs = {step.verb for row in ranking.actions for step in row.steps}
        self._steps: dict[str, list[tuple[str, RankedAction]]] = {}
        """Verb -> the arguments of the first and last steps with it, as plain texts, and their rows. Only verbs asked about."""
        self._found: dict[str, Collection[RankedAction]] = {}
        """Text -> the rows that it is about, for the texts that were asked about."""

    def about(self, text: str) -> Collection[RankedAction]:
        """Returns the rows of which the first or last step begins with the words of a text, see `begins`."""
        found = self._found.get(text)
        if found is None:
            found = self._found[text] = self._rows(*_beginning(text))
        return found

    def _rows(self, start: str, begins_so: Callable[[str], bool]) -> Collection[RankedAction]:
        found: dict[int, RankedAction] = {}
        for verb in self._verbs:
            known = plain_name(verb)
            if known.startswith(start) or start.startswith(f"{known} "):  # to make all steps plain would take longer
                rest = start[len(known) + 1:]
                found |= {id(row): row for words, row in self._with(verb)
                          if words.startswith(rest) and begins_so(f"{known} {words}" if words else known)}
        return found.values()

    def _with(self, verb: str) -> list[tuple[str, RankedAction]]:
        steps = self._steps.get(verb)
        if steps is None:
            steps = self._steps[verb] = [
                (plain_name(step.args[0]) if len(step.args) == 1 else plain(" ".join(step.args)), row) for row in self._actions
                for step in (row.steps if len(row.steps) < 3 else (row.steps[0], row.steps[-1])) if step.verb == verb]
        return steps


class Entropies:
    """The entropies of the rows of a belief, in bits."""

    def __init__(self, belief: Belief):
        self._probability = belief.probability
        self._known: dict[int, float] = {}

    def __getitem__(self, row: int) -> float:
        bits = self._known.get(row)
        if bits is None:
            bits = self._known[row] = _bits(self._probability[row])
        return bits


def _bits(row: npt.NDArray[np.float64]) -> float:
    p = row[row > 0]
    return float(-(p * np.log2(p)).sum()) + 0.0
