"""What conditions read from the facets of a search: the ranking, the parts of its prior, the simulations and the tree."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from core.common.readings import ActionText, Unknown, Value, beginning_of_plain, plain, plain_name
from core.planning.measures import Context, Measure, Reader, number

if TYPE_CHECKING:
    from core.planning.search_facets import PolicyMixture, RankedAction, Ranking, SearchTree
    from core.planning.simulation_facets import Simulations


# --- the ranking -----------------------------------------------------------------------
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


def _best(ranking: Ranking, at: Context) -> Value:
    steps = ranking.actions[0].steps if ranking.actions else ()
    return ActionText(steps[0]) if steps else Unknown("no action is ranked")


def _gap(ranking: Ranking) -> Value:
    values = sorted([a.value for a in ranking.actions if a.value is not None])
    return values[-1] - values[-2] if len(values) > 1 else Unknown("fewer than two actions have a value")


def _ranked(text: str, then: Callable[[Collection[RankedAction]], Value]) -> Reader[Ranking]:
    """Returns the function that reads a value of the ranked actions whose first or last step begins with the text."""
    def of(ranking: Ranking, at: Context) -> Value:
        rows = at.index.of(ranking, RankedSteps).about(text)
        return then(rows) if rows else Unknown(f"no ranked action begins with “{text}”")
    return of


def _highest(actions: Collection[RankedAction]) -> Value:
    values = [a.value for a in actions if a.value is not None]
    return max(values) if values else Unknown("the action was not visited yet")


OF_RANKING: tuple[Measure[Ranking], ...] = (
    number("gap", "value of the best action minus that of the second best", _gap, of_turn=True),
    Measure("best", (), "text", "the first step of the best action", lambda: _best, of_turn=True, is_action=True),
    number("simulations", "simulations done in this decision", lambda ranking: ranking.simulations, of_turn=True),
    Measure("visits", ("action",), "number", "simulations through the root actions that begin or end with it",
            lambda text: _ranked(text, lambda found: sum(a.visits for a in found)), of_turn=True),
    Measure("value", ("action",), "number", "the highest mean return of these root actions",
            lambda text: _ranked(text, _highest), of_turn=True),
    Measure("prior", ("action",), "number", "the probability of these root actions under the policy, 0 to 1",
            lambda text: _ranked(text, lambda found: sum(a.prior for a in found)), of_turn=True),
)


# --- the rest of a search ----------------------------------------------------------------
def _agreement(mixture: PolicyMixture) -> Value:
    return float(mixture.model.max()) if mixture.model.any() else Unknown("no answer of the model was usable")


def _return(simulations: Simulations, of: Callable[[npt.NDArray[np.float64]], np.float64]) -> Value:
    return float(of(simulations.returned)) if len(simulations.returned) else Unknown("no simulation was noted")


OF_MIXTURE: tuple[Measure[PolicyMixture], ...] = (
    number("agreement", "the largest share that the model's answers give one root action, 0 to 1", _agreement, of_turn=True),
)
OF_SIMULATIONS: tuple[Measure[Simulations], ...] = (
    number("mean_return", "mean discounted return of the simulations noted", lambda found: _return(found, np.mean),
           of_turn=True),
    number("best_return", "the largest return of one of them", lambda found: _return(found, np.max), of_turn=True),
)
OF_TREE: tuple[Measure[SearchTree], ...] = (
    number("nodes", "nodes of the search tree", lambda tree: len(tree.nodes) + tree.folded, of_turn=True),
)
