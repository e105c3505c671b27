"""The offline provider: placement statistics and plain rules. It is no language model and says so everywhere."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import ClassVar, Self

import numpy as np

from core.effects import Ask, Reply
from core.errors import ModelError, UsageError
from core.goal_text import parse_goal
from core.language import scienceworld_rules
from core.language.facts import GoalFacts, ObjectPositionsFacts, PlaceRoomsFacts, PolicyFacts
from core.language.formal_goal import formal
from core.language.model import LanguageModel
from core.language.neoplanner_facts import ActionPlanFacts, LearnerFacts
from core.language.positions import listed, scored
from core.language.prior import Prior
from core.language.rule_policy import choose
from core.lexicon import Lexicon
from core.world import CONTAINER, SURFACE, Entity, spaced

ROOM_SHARE = 0.2
"""A room is named when it is at least so likely."""


class Commonsense(LanguageModel):
    """Answers from the facts of a question, in the formats the prompts ask for: one parser reads it and language models.

    Args:
        without: an AI2-THOR room whose own counts are left out, because it is being played.
    """

    name: ClassVar[str] = "commonsense"
    is_model: ClassVar[bool] = False

    def __init__(self, without: str = ""):
        self._prior = Prior(without)

    @classmethod
    def open(cls, options: Mapping[str, str]) -> Self:
        """Option `without`: the AI2-THOR room being played.

        Raises:
            UsageError: an unknown option.
        """
        unknown = [name for name in options if name != "without"]
        if unknown:
            raise UsageError(f"unknown option '{unknown[0]}': commonsense has only without=FloorPlan…")
        return cls(options.get("without", ""))

    @property
    def source(self) -> str:
        """Always the same."""
        return self.name

    def answer(self, ask: Ask, cancelled: threading.Event) -> Reply:
        """Answer at once.

        Raises:
            ModelError: the question is not one of those it knows.
        """
        del cancelled
        match ask.facts:
            case ObjectPositionsFacts() as facts:
                vector = self._prior.over(facts.cls, facts.places)
                scores = scored(vector, facts.places) if ask.scores else ()
                return Reply(listed(vector, facts.places, ask.samples), self.name, scores, is_model=False)
            case PlaceRoomsFacts() as facts:
                texts = (self._rooms(facts),) * ask.samples
            case GoalFacts() as facts:
                texts = (_goal(facts),) * ask.samples
            case PolicyFacts() as facts:
                texts = (_policy(facts, ask),) * ask.samples
            case ActionPlanFacts() as facts:
                texts = (scienceworld_rules.action_plan(facts),) * ask.samples
            case LearnerFacts() as facts:
                texts = (scienceworld_rules.learnings(facts),) * ask.samples
            case _:
                raise ModelError(f"commonsense cannot answer “{ask.purpose}”: choose a language model, or answer it yourself",
                                 "refused", retry=False)
        return Reply(texts, self.name, is_model=False)

    def _rooms(self, facts: PlaceRoomsFacts) -> str:
        shares = self._prior.rooms(facts.cls, facts.rooms)
        likely = [k for k in np.argsort(-shares, kind="stable") if shares[k] >= ROOM_SHARE]
        return f"{', '.join(spaced(facts.rooms[k]) for k in likely)}."


def _goal(facts: GoalFacts) -> str:
    """The instruction in formal text.

    Raises:
        ModelError: plain rules do not understand it.
    """
    entities = [Entity(w.cls, w.cls, w.name, "object", properties=frozenset(
        flag for flag, holds in ((CONTAINER, w.holds_inside), (SURFACE, w.holds_on)) if holds)) for w in facts.words]
    try:
        return formal(parse_goal(facts.text, Lexicon(entities)))
    except UsageError as error:
        raise ModelError(str(error), "refused", retry=False) from error


def _policy(facts: PolicyFacts, ask: Ask) -> str:
    """The chosen action as the prompt words it; empty where the rules know nothing to do."""
    choice = choose(facts)
    if choice is None:
        return ""
    phrases = ask.expects.choices
    return f"{phrases[choice] if len(phrases) == len(facts.choices) else facts.choices[choice]}."
