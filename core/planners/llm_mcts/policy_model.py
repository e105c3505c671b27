"""The language model as heuristic policy of a search: requests, and how their replies become weights of actions.

The answers are stored by knowledge state.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

from core.llm.grounding import first_action, ground_choice
from core.llm.grounding.choices import steps_of
from core.llm.grounding.replies import SHOWN, grounding_of_choice, grounding_of_plan, similarities
from core.planners.llm_mcts.policy_prompt import PolicyPrompt
from core.planning.facets import Grounding
from core.planning.model_requests import ModelReply, ModelRequest
from core.planning.search_facets import MixtureKind, PolicyMixture
from core.search.problem import Move
from core.search.rearrangement import Rearrangement
from core.search.search import Answer, Key, Request, Search
from core.world.vocabulary import Value

SOFTMAX: Mapping[str, MixtureKind] = MappingProxyType({"softmax": "softmax", "mean-softmax": "mean-softmax"})
"""The ways of making a policy from similarities, by the values of the planner's parameter `answers`."""
MOST_ANSWERS = 20_000
"""The maximum number of stored answers; the oldest are removed first."""


@dataclass(frozen=True, slots=True)
class PolicySettings:
    """How the model is asked and how its replies are used. The planner's parameters of the same names document the fields."""

    answers: str = "vote"
    sharpness: float = 1.0
    samples: int = 1
    temperature: float = 0.0
    top_p: float = 1.0
    wrong: float = 0.0


@dataclass(frozen=True, slots=True)
class Evidence(Value):
    """How the samples of a reply became an answer. The fields are those of `PolicyMixture`."""

    how: MixtureKind
    samples: tuple[str, ...]
    cosines: npt.NDArray[np.float64]
    words_only: bool
    prompt: str


class PolicyModel:
    """The policy of the search. Stores each answer for the episode.

    Deep-copyable: it holds answers, not the state of a search.

    Args:
        settings: the settings.
        salt: the seed of the noise of `PolicySettings.wrong`, constant within an episode.

    Attributes:
        asked: the number of requests built.
    """

    def __init__(self, settings: PolicySettings, salt: int):
        self.settings, self._salt = settings, salt
        self._answers: dict[Key, Answer] = {}
        self._evidence: dict[Key, Evidence] = {}
        self.asked = 0

    def forget(self) -> None:
        """Removes all answers, because the goal or the objects have changed."""
        self._answers, self._evidence = {}, {}

    def answer(self, key: Key) -> Answer | None:
        """Returns the stored answer for a knowledge state; None if it has not been requested."""
        return self._answers.get(key)

    def evidence(self, key: Key) -> Evidence | None:
        """Returns how an answer was made; None if it has not been requested."""
        return self._evidence.get(key)

    # --- requests ---------------------------------------------------------------
    def ask(self, request: Request, briefing: PolicyPrompt) -> ModelRequest:
        """Returns the model request for a knowledge state."""
        self.asked += 1
        ask, s = briefing.ask(request), self.settings
        return replace(ask, samples=s.samples, temperature=s.temperature, top_p=s.top_p,
                       compare="all" if s.answers in SOFTMAX else ask.compare)

    def take(self, request: Request, ask: ModelRequest, reply: ModelReply, briefing: PolicyPrompt) -> Grounding:
        """Parses a reply and stores the answer. An unusable reply gives the uniform prior.

        Returns:
            How the reply was interpreted.
        """
        phrases = briefing.phrases(request)
        rows = similarities(reply, phrases) if ask.against or self.settings.answers in SOFTMAX else []
        while len(self._answers) >= MOST_ANSWERS:
            self._evidence.pop(oldest := next(iter(self._answers)), None)
            self._answers.pop(oldest)
        wrong = self._noise_action(request)
        if wrong is not None:
            self._answers[request.key] = {wrong: 1.0}
        elif self.settings.answers in SOFTMAX:
            self._answers[request.key] = self._softmax(request.moves, rows)
        elif ask.against:
            self._answers[request.key] = _nearest(request.moves, rows)
        else:
            self._answers[request.key] = _votes(request.moves, phrases, reply)
        self._evidence[request.key] = self._evidence_of(request, ask, reply, rows, len(phrases), noise=wrong is not None)
        if ask.against:
            return grounding_of_plan(ask, reply, phrases, rows)
        return grounding_of_choice(ask, reply, phrases)

    def _noise_action(self, request: Request) -> int | None:
        """Returns a random action to use instead of the answer with probability `wrong`, else None.

        The choice is fixed for each knowledge state; all samples of it are wrong together.
        """
        if self.settings.wrong <= 0:
            return None
        rng = np.random.default_rng((self._salt, zlib.crc32(request.key)))
        if rng.random() >= self.settings.wrong:
            return None
        return request.moves[int(rng.integers(len(request.moves)))].action

    def _softmax(self, moves: Sequence[Move], rows: Sequence[Sequence[float]]) -> Answer:
        """Returns softmax(sharpness * (sum over samples of the cosine - its mean over the actions)), section 2.3.

        With `mean-softmax`, the mean of this softmax for each sample alone, as in the released code.

        Args:
            moves: (n,) the actions.
            rows: for each sample its (n,) similarities; empty if it names no action.
        """
        told = [np.array(row) for row in rows if row]
        if not told:
            return {}
        scores = np.stack(told) if self.settings.answers == "mean-softmax" else np.sum(told, axis=0, keepdims=True)
        centred = self.settings.sharpness * (scores - scores.mean(axis=1, keepdims=True))
        powers = np.exp(centred - centred.max(axis=1, keepdims=True))
        shares = (powers / powers.sum(axis=1, keepdims=True)).mean(axis=0)
        return {move.action: share for move, share in zip(moves, shares.tolist(), strict=True)}

    def _evidence_of(self, request: Request, ask: ModelRequest, reply: ModelReply, rows: Sequence[Sequence[float]],
                     choices: int, *, noise: bool) -> Evidence:
        told = [] if noise else [(k, row) for k, row in enumerate(rows) if row]
        cosines = np.array([row for _, row in told], float).reshape(len(told), choices)
        cosines.setflags(write=False)
        samples = tuple(first_action(reply.texts[k]) for k, _ in told) or tuple(
            first[0] for t in reply.texts if (first := steps_of(t)))
        usual: MixtureKind = "probabilities" if reply.scores else "votes"
        how: MixtureKind = ("noise" if noise else "none" if not self._answers[request.key]
                            else SOFTMAX.get(self.settings.answers, usual))
        words = any(k >= len(reply.alike) or len(reply.alike[k]) != choices for k, _ in told)
        return Evidence(how, tuple(s[:SHOWN] for s in samples), cosines, words, ask.digest)


def _nearest(moves: Sequence[Move], rows: Sequence[Sequence[float]]) -> Answer:
    """Returns action -> number of samples whose first action is most similar to it (Huang et al. 2022)."""
    votes: dict[int, float] = {}
    for row in rows:
        if row:
            action = moves[max(range(len(row)), key=row.__getitem__)].action
            votes[action] = votes.get(action, 0.0) + 1.0
    return votes


def _votes(moves: Sequence[Move], phrases: Sequence[tuple[str, ...]], reply: ModelReply) -> Answer:
    """Returns action -> number of samples that chose it, or its relative probability if the reply has scores."""
    sentences = {", ".join(p): k for k, p in enumerate(phrases)}
    votes: dict[int, float] = {}
    finite = [(sentences[c], s) for c, s in reply.scores if c in sentences and math.isfinite(s)]
    if finite:
        top = max(s for _, s in finite)
        for k, score in finite:
            votes[moves[k].action] = votes.get(moves[k].action, 0.0) + math.exp(score - top)
        return votes
    for sample, text in enumerate(reply.texts):
        choice = ground_choice(text, phrases, reply.alike[sample] if reply.alike else ()).candidate
        if choice is not None:
            votes[moves[choice].action] = votes.get(moves[choice].action, 0.0) + 1.0
    return votes


def mixture(search: Search, task: Rearrangement, policy: PolicyModel) -> PolicyMixture | None:
    """Returns the parts of the root's prior; None while the policy has not been asked about the root."""
    key = search.root_key
    evidence, answer = (policy.evidence(key), policy.answer(key)) if key is not None else (None, None)
    if evidence is None or answer is None:
        return None
    weights = np.array([answer.get(move.action, 0.0) for move in search.moves])
    total = weights.sum()
    model = weights / total if total > 0 else np.zeros(len(weights))
    model.setflags(write=False)
    cosines = evidence.cosines if evidence.cosines.shape[1] == len(weights) else np.zeros((0, len(weights)))
    return PolicyMixture(search.actions(task.names), search.options.mixing, model, evidence.how if total > 0 else "none",
                         policy.settings.sharpness, evidence.samples, cosines, evidence.words_only, evidence.prompt)
