"""What a tree search shows of one decision: the ranking of the root actions, the parts of their prior, and the tree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal as Choice

import numpy as np
import numpy.typing as npt

from core.common.recorded import ADDED
from core.planning.facets import Facet
from core.planning.search_measures import OF_MIXTURE, OF_RANKING, OF_TREE
from core.views import values as views
from core.views.wording import count, probability
from core.world.vocabulary import Action, in_words

PRIOR = views.Column("P", "probability", "the probability of the action under the heuristic policy, 0 to 1", 1)
VISITS = views.Column("N", "count", "the number of simulations", 4)
MEAN_RETURN = views.Column("Q", "value", "the mean discounted return", 2)
LOSS = views.Column("loss", "loss", "the best action's value minus this one's", 3)


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

    def view(self) -> views.Table:
        """Returns the actions, best first."""
        items = tuple(views.steps_item(row.steps, (row.prior, row.visits, row.value, row.loss)) for row in self.actions)
        return views.Table(items, (PRIOR, VISITS, MEAN_RETURN, LOSS), texts=views.Column("action"), order="rank",
                           weight=VISITS.title, headline=f"{self.simulations:,} of {self.budget:,} simulations")


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

    def columns(self) -> tuple[views.Column, ...]:
        """Returns the columns that say how the prior of an action is made; see `values`."""
        samples = tuple(views.Column(str(k + 1), "similarity", text) for k, text in enumerate(self.samples))
        return UNIFORM, FROM_MODEL, *samples[:len(self.cosines)], *(SCORE,) * self._has_score

    @property
    def _has_score(self) -> bool:
        return self.how == "softmax" and bool(len(self.cosines))

    def values(self, action: int | None, prior: float) -> tuple[views.Cell, ...]:
        """Returns the prior and its parts; the prior alone if it is not their sum, as before the model was asked."""
        if action is None or abs(sum(self.parts(action)) - prior) >= ROUNDING:
            return (prior,)
        own = self.cosines[:, action] if len(self.cosines) else np.zeros(0)
        score = (float(own.sum() - self.cosines.sum() / len(self.actions)),) * self._has_score
        return (prior, *self.parts(action), *own.tolist(), *score)

    def summary(self) -> str:
        """Returns in a few words how the priors are made."""
        samples = count(len(self.samples), "sample")
        how = {"softmax": f"softmax of {samples}", "mean-softmax": f"mean softmax of {samples}", "votes": f"votes of {samples}",
               "probabilities": "the model's probabilities",
               "noise": "a random action in place of the answer", "none": "no usable answer: all alike"}[self.how]
        words = ", by words" if self.words_only else ""
        return f"λ {probability(self.mixing) or '0'} over {count(len(self.actions), 'action')} · {how}{words}"

    def view(self) -> views.Sections:
        """Returns what each sample was read as, and both parts of each action's prior, the model's favourite first."""
        order = sorted(range(len(self.actions)), key=lambda k: -float(self.model[k]))
        rows = tuple(views.steps_item(self.actions[k], self.values(k, sum(self.parts(k)))) for k in order)
        samples = tuple(views.Item(text, text, about=views.About(call=self.prompt)) for text in self.samples)
        parts = views.Table(rows, (PRIOR, *self.columns()), title="Parts of the prior")
        said = views.Table(samples, order="sample", title="Samples", note=self.how)
        return views.Sections((said, parts), headline=self.summary())


UNIFORM = views.Column("λ/|A|", "probability", "the uniform part of the prior: each action gets the same share of λ", 1)
FROM_MODEL = views.Column("model", "probability", "the model's part of the prior", 1)
SCORE = views.Column("Σ cos − η", "value", "the sum of its similarities minus the mean of all actions", -1)
ROUNDING = 1e-6
"""The largest difference between a prior and the sum of its parts that comes from rounding."""


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
        tried: the number of simulations that did the action at the parent, with any observation; 0: the same as `visits`.
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

    def view(self) -> views.Tree:
        """Returns the nodes. A node is the same as another if the same actions and observations lead to it from the root."""
        at, items = dict[int, int](), list[views.Item]()
        steps, best = dict[Step, tuple[str, views.About]](), frozenset(self.expected)
        for node in self.nodes:
            step = node.action, node.observed
            if step not in steps:
                things = () if node.action is None else node.action.args
                steps[step] = _step_words(step), views.About(things, node.action)
            words, about = steps[step]
            marks = NODE_MARKS[node.id in best, node.reached]
            items.append(views.Item(words, words, (node.visits, node.value, node.prior), marks, about,
                                    parent=at.get(node.parent, -1)))
            at[node.id] = len(items) - 1
        note = f"{self.folded:,} more nodes were seldom visited" if self.folded else ""
        return views.Tree(tuple(items), (VISITS, MEAN_RETURN, PRIOR), weight=VISITS.title, note=note)


Step = tuple[Action | None, tuple[tuple[str, str], ...]]
ON_BEST_LINE = views.Mark("on the best line", "planner")
NODE_MARKS: Mapping[tuple[bool, bool], tuple[views.Mark, ...]] = MappingProxyType({
    (False, False): (), (True, False): (ON_BEST_LINE,), (False, True): (views.GOAL,), (True, True): (ON_BEST_LINE, views.GOAL)})
"""The marks of a node by whether it is on the best line, and whether the goal is reached in it."""


def _step_words(step: Step) -> str:
    action, observed = step
    words = in_words(action) if action is not None else "start"
    return words + (f" [{', '.join(f'{what} {where}' for what, where in observed)}]" if observed else "")
