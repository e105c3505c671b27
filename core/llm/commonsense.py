"""The offline provider: placement statistics and rules. It is no language model and is marked as such everywhere."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Self

import numpy as np

from core.common.cancellation import Cancellation
from core.common.errors import ModelError, UsageError
from core.llm.grounding.places import listed, scored
from core.llm.model import LanguageModel
from core.planning import offline_answers
from core.planning.model_requests import ModelReply, ModelRequest
from core.planning.prompt_facts import ObjectPositionsFacts, PlaceRoomsFacts
from core.world.vocabulary import spaced

ROOM_SHARE = 0.2
"""The minimum probability of a room that is named."""


class Commonsense(LanguageModel):
    """Answers from the facts of a request, in the formats of the prompts: one parser reads its replies and those of models.

    Args:
        without: an AI2-THOR room whose counts are left out because the episode plays in it.
    """

    name: ClassVar[str] = "commonsense"
    notes: ClassVar[str] = "plain rules and placement statistics, offline; not an LLM"
    is_model: ClassVar[bool] = False

    def __init__(self, without: str = ""):
        self._prior = offline_answers.prior(without)

    @classmethod
    def open(cls, options: Mapping[str, str]) -> Self:
        """Opens the provider. The option `without` is the AI2-THOR room of the episode.

        Raises:
            UsageError: an option is unknown.
        """
        unknown = [name for name in options if name != "without"]
        if unknown:
            raise UsageError(f"unknown option '{unknown[0]}': commonsense has only without=FloorPlan…")
        return cls(options.get("without", ""))

    @property
    def source(self) -> str:
        """Always `commonsense`."""
        return self.name

    def answer(self, ask: ModelRequest, cancelled: Cancellation) -> ModelReply:
        """Returns the reply immediately.

        Raises:
            ModelError: there is no rule for the request.
        """
        del cancelled
        if isinstance(ask.facts, ObjectPositionsFacts):
            vector = self._prior.over(ask.facts.cls, ask.facts.places)
            scores = scored(vector, ask.facts.places) if ask.scores else ()
            return ModelReply(listed(vector, ask.facts.places, ask.samples), self.name, scores, is_model=False)
        rule = offline_answers.rule_for(type(ask.facts))
        if rule is None:
            raise ModelError(f"commonsense cannot answer “{ask.purpose}”: choose a language model, or answer it yourself",
                             "refused", retry=False)
        return ModelReply((rule(ask.facts, ask, self._prior),) * ask.samples, self.name, is_model=False)


def _rooms(facts: PlaceRoomsFacts, ask: ModelRequest, prior: offline_answers.Prior) -> str:
    """Returns the likely rooms, likeliest first."""
    del ask
    shares = prior.rooms(facts.cls, facts.rooms)
    likely = [k for k in np.argsort(-shares, kind="stable") if shares[k] >= ROOM_SHARE]
    return f"{', '.join(spaced(facts.rooms[k]) for k in likely)}."


offline_answers.register(PlaceRoomsFacts, _rooms)
