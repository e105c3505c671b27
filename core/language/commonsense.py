"""The offline provider: placement statistics and plain rules. It is no language model and says so everywhere."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import ClassVar, Self

import numpy as np

from core.effects import Ask, Reply
from core.errors import ModelError, UsageError
from core.goal_text import parse_goal
from core.language.blocking_facts import SelectionFacts
from core.language.blocking_rules import selected
from core.language.facts import GoalFacts, ObjectPositionsFacts, PlaceRoomsFacts, PolicyFacts
from core.language.formal_goal import formal
from core.language.llm_state_facts import AttentionFacts, EstimateFacts, PlanFacts
from core.language.llm_state_plan import plan
from core.language.llm_state_rules import attend, estimate
from core.language.model import LanguageModel
from core.language.monologue_facts import MonologueFacts
from core.language.monologue_rules import next_action
from core.language.positions import listed, scored
from core.language.prior import Prior
from core.language.program_facts import ProgramFacts
from core.language.program_rules import write_program
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
            case MonologueFacts() as facts:
                texts = (worded(next_action(facts, self._prior), facts.choices, ask),) * ask.samples
            case ProgramFacts() as facts:
                texts = (write_program(facts, self._prior),) * ask.samples
            case SelectionFacts() as facts:
                texts = (selected(facts, self._prior),) * ask.samples
            case AttentionFacts() as facts:
                texts = (attend(facts),) * ask.samples
            case EstimateFacts() as facts:
                texts = (estimate(facts),) * ask.samples
            case PlanFacts() as facts:
                texts = (plan(facts, self._prior),) * ask.samples
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
    return worded(None if choice is None else facts.choices[choice], facts.choices, ask)


def worded(chosen: str | None, choices: tuple[str, ...], ask: Ask) -> str:
    """A choice as the prompt words it; empty where there is none."""
    if chosen is None:
        return ""
    phrases = ask.expects.choices
    return f"{phrases[choices.index(chosen)] if len(phrases) == len(choices) else chosen}."
