"""What a tree search shows of one decision: the ranking of the root actions, the parts of their prior, and the tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal as Choice

import numpy as np
import numpy.typing as npt

from core.common.recorded import ADDED
from core.planning.facets import Facet
from core.planning.search_measures import OF_MIXTURE, OF_RANKING, OF_TREE
from core.world.vocabulary import Action


@dataclass(frozen=True, slots=True)
class RankedAction:
    """One root action of the search.

    Attributes:
        steps: the primitive actions of the macro action, the next one first; a single action that is no macro has one.
        prior: the probability under the heuristic policy, 0..1.
        visits: the number of simulations that started with it.
        value: the mean return; None before the first visit.
        share: its visits over all visits.
        loss: the best action's value minus its value; None before the first visit.
    """

    steps: tuple[Action, ...]
    prior: float
    visits: int
    value: float | None
    share: float
    loss: float | None


@dataclass(frozen=True, slots=True)
class Ranking(Facet):
    """The ranking of the root actions.

    Attributes:
        actions: best first.
        simulations: simulations done.
        budget: simulations of the whole search.
        expected: the principal variation.
    """

    measures = OF_RANKING
    actions: tuple[RankedAction, ...]
    simulations: int
    budget: int
    expected: tuple[Action, ...] = ()


MixtureKind = Choice["softmax", "mean-softmax", "votes", "probabilities", "noise", "none"]


@dataclass(frozen=True, slots=True)
class PolicyMixture(Facet):
    """The heuristic policy at the root in its parts: pi(a|h) = mixing / n + (1 - mixing) model(a|h), LLM-MCTS, section 2.3.

    n root actions; m samples of the model's answer.

    Attributes:
        actions: (n,) the primitive steps of each action, as in `RankedAction`.
        mixing: lambda, the share that is spread evenly, 0..1.
        model: (n,) float64, read-only: the model's share of each action; the sum is 1. All 0 if no answer was usable: then the
            prior is uniform.
        how: how the answers became shares: softmax(sharpness * (sum of the cosines - its mean eta)), the mean of the same
            for each sample alone, votes, probabilities of the model, noise (an answer replaced on purpose) or none.
        sharpness: the factor within the softmax.
        samples: (m,) what each sample was read as: its first action.
        cosines: (m, n) float64, read-only: the similarity of each sample with each action; (0, n) unless `how` is a softmax.
        words_only: True if the cosines are between word counts because sentence embeddings are not installed.
        prompt: `ModelRequest.digest` of the request.
    """

    facet_title = "parts of a prior"
    measures = OF_MIXTURE
    actions: tuple[tuple[Action, ...], ...]
    mixing: float
    model: npt.NDArray[np.float64]
    how: MixtureKind
    sharpness: float
    samples: tuple[str, ...]
    cosines: npt.NDArray[np.float64]
    words_only: bool = False
    prompt: str = ""

    def parts(self, action: int) -> tuple[float, float]:
        """Returns the uniform and the model's part of an action's prior. Their sum is the prior."""
        if not self.model.any():
            return 1.0 / len(self.actions), 0.0
        return self.mixing / len(self.actions), (1.0 - self.mixing) * float(self.model[action])


def considered(actions: Sequence[Action], chosen: Action) -> Ranking:
    """Returns the choices of a decision as a ranking, the chosen one first (the papers' "actions considered per decision")."""
    rest = (action for action in actions if action != chosen)
    ranked = [RankedAction((chosen,), 1.0, 0, None, 0.0, None), *(RankedAction((a,), 0.0, 0, None, 0.0, None) for a in rest)]
    return Ranking(tuple(ranked), 0, 0, (chosen,))


@dataclass(frozen=True, slots=True)
class TreeNode:
    """One node.

    Attributes:
        id: its number.
        parent: the number of its parent; -1 at the root.
        action: the action that led to it.
        observed: (object label, place id) of objects found after that action; empty: nothing new.
        visits: the number of simulations through it: those that did the action and observed this.
        value: the mean return of all simulations that did the action at the parent, with any observation.
        prior: the probability of the action under the policy, 0..1.
        reached: True if the goal is reached here.
        tried: the number of simulations that did the action at the parent, whatever they observed; 0: as many as `visits`.
    """

    id: int
    parent: int
    action: Action | None
    observed: tuple[tuple[str, str], ...]
    visits: int
    value: float
    prior: float
    reached: bool = False
    tried: int = field(default=0, metadata=ADDED)


@dataclass(frozen=True, slots=True)
class SearchTree(Facet):
    """The search tree.

    Attributes:
        nodes: parents before children, most visited first.
        folded: the number of nodes left out.
        expected: ids of the nodes on the principal variation.
    """

    measures = OF_TREE
    nodes: tuple[TreeNode, ...]
    folded: int
    expected: tuple[int, ...] = ()
