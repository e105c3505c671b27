"""The cloned policy: a small transformer, trained on the expert's trajectories, names the next action.

In place of the paper's finetuned GPT-2 (Zhao et al., section 3.1, Baselines; after Li et al., Pre-Trained Language Models for
Interactive Decision-Making, 2022). It reads the goal, the past actions and the observation as text, and ranks the possible
actions by the probability that the expert takes them. It keeps no belief, searches nothing and calls no language model.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np

from core.common.errors import DataError
from core.common.installation import RESOURCES
from core.common.parameters import Parameters, parameter
from core.goals.literals import Goal
from core.planners.cloned_policy.network import Floats, load, softmax
from core.planners.cloned_policy.text import MOST_PAST, Scene, goal_clauses, seen_clauses
from core.planners.shared.reactive_planner import ReactivePlanner
from core.planning.explanation import DecisionEvidence, Evidence, Sentence
from core.planning.facets import Facet, GoalProgress, Plan
from core.planning.observation_text import observation_text
from core.planning.planner import Decision, Turn
from core.planning.search_facets import RankedAction, Ranking
from core.planning.sentences import said, shares, words
from core.world.vocabulary import Action, ActionSchema, Observation, Outcome, WorldKind

WEIGHTS = RESOURCES / "cloned_policy"
"""The folder of the shipped weights."""


@dataclass(frozen=True)
class ClonedPolicyParameters(Parameters):
    """Parameters of the choice."""

    weights: str = parameter("detours", "the policy: detours, plain, or a file of weights made by `examples clone train`")
    temperature: float = parameter(0.0, "0: the most probable action; otherwise drawn, and the higher the more evenly", low=0,
                                   high=10)
    repeats: bool = parameter(False, "an action may be repeated while nothing else is to be seen than when it was done before")


class ClonedPolicy(ReactivePlanner):
    """Executes the action that a small network, trained to imitate the expert, finds most probable."""

    name: ClassVar[str] = "cloned-policy"
    title: ClassVar[str] = "Cloned policy"
    shows: ClassVar[frozenset[type[Facet]]] = frozenset({GoalProgress, Plan, Ranking})
    presets: ClassVar[Mapping[str, Parameters]] = {
        "default": ClonedPolicyParameters(), "paper": ClonedPolicyParameters("plain", repeats=True),
    }
    plays: ClassVar[frozenset[WorldKind]] = frozenset({"rooms"})
    is_trained: ClassVar[bool] = True
    parameters: ClonedPolicyParameters

    def __init__(self, parameters: Parameters | None = None):
        super().__init__(parameters)
        load(self._file())  # a damaged file is refused before an episode begins

    @classmethod
    def why(cls, decision: DecisionEvidence, other: Action) -> tuple[Sentence, ...]:
        """Returns why an action was chosen: by the probabilities of the network."""
        return (*shares(decision, other), *_drawn(decision))

    def begin(self, goal: Goal, schemas: tuple[ActionSchema, ...], seed: int) -> None:
        """Starts a new episode."""
        self._shown = ""
        self._done: frozenset[tuple[str, Action]] = frozenset()
        super().begin(goal, schemas, seed)

    def update(self, outcome: Outcome) -> None:
        """Records the executed action, and what was to be seen when it was done."""
        super().update(outcome)
        self._done |= {(self._shown, outcome.action)}

    def choose(self, seen: Observation) -> Turn:
        """Ranks the possible actions, and decides for the most probable one, or draws one. Ends with a goal it cannot read."""
        strange = [x for x in self._aim.asked.literals if x.predicate not in ("inside", "on") or x.states or not x.target]
        if strange:
            return Decision(None, f"it has only learned to bring objects to furniture, not “{strange[0]}”")
        try:
            network = load(self._file())
        except DataError as error:  # the operator changed the parameter
            return Decision(None, str(error))
        names = self.names()
        self._shown = observation_text(seen, names)
        possible = self.possible(seen)
        fresh = tuple(a for a in possible if (self._shown, a) not in self._done)
        choices = possible if self.parameters.repeats or not fresh else fresh
        if not choices:
            return Decision(None, "nothing is left that can be done")
        past = tuple(names.phrase(done.action) for done in self._history if done.ok)[-MOST_PAST:]
        scene = Scene(goal_clauses(self._aim.asked.literals), past, seen_clauses(self._shown),
                      tuple(map(names.phrase, choices)))
        scores = network.scores(scene)
        chosen, probability = self._chosen(scores), softmax(scores)
        best = sorted(range(len(choices)), key=lambda k: (k != chosen, -probability[k], k))
        ranked = tuple(RankedAction((choices[k],), float(probability[k]), 0, None, 0.0, None) for k in best)
        yield Ranking(ranked, 0, 0, (choices[chosen],))
        if self.interrupted():
            return None
        how = "the most" if chosen == int(scores.argmax()) else "drawn"
        because = f"{probability[chosen]:.0%} probable, {how} of {len(choices)} actions"
        return (yield from self.decide((choices[chosen],), because))

    @property
    def origin(self) -> str:
        """What the weights were trained on."""
        net = load(self._file())
        detours = net.origin["detours"]
        return (f"a network of {sum(a.size for a in net.arrays.values()):,} weights, trained from scratch on "
                f"{net.origin['trajectories']:,} trajectories of the expert in the seen homes"
                f"{f', {detours:,} of them also after a detour' if detours else ''}; no language model")

    def _chosen(self, scores: Floats) -> int:
        if self.parameters.temperature == 0:
            return int(scores.argmax())
        shares = softmax(scores / np.float32(self.parameters.temperature)).astype(np.float64)
        return int(self._rng.choice(len(scores), p=shares / shares.sum()))

    def _file(self) -> Path:
        weights = self.parameters.weights
        return WEIGHTS / f"{weights}.npz" if weights in ("detours", "plain") else Path(weights)


def _drawn(decision: DecisionEvidence) -> Iterator[Sentence]:
    """Yields that the action was drawn, if another one is more probable."""
    ranking, chosen = decision.fresh(Ranking), decision.chosen
    if ranking is None or chosen is None or not ranking.actions or ranking.actions[0].steps[0] != chosen:
        return
    most = max(ranking.actions, key=lambda ranked: ranked.prior)
    if most.prior > ranking.actions[0].prior:
        yield said("drawn", f"{words(chosen)} was drawn: the most probable action is {words(most.steps[0])}, with "
                            f"{most.prior:.1%}.", Evidence("ranking", "the most probable action", most.steps[0]),
                   figures={"most": most.prior})
