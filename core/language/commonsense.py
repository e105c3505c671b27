"""The offline provider: placement statistics and plain rules. It is no language model and says so everywhere."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Self

import numpy as np

from core.effects import Ask, Reply
from core.errors import ModelError, UsageError
from core.goal_text import parse_goal
from core.language import scienceworld_rules
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
from core.language.neoplanner_facts import ActionPlanFacts, LearnerFacts
from core.language.positions import listed, scored
from core.language.prior import Prior
from core.language.program_facts import ProgramFacts
from core.language.program_rules import write_program
from core.language.rule_policy import choose
from core.lexicon import Lexicon
from core.world import CONTAINER, SURFACE, Entity, spaced

Rule = Callable[[Any, Ask], str]
"""The answer to a question of one family, from its facts."""
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
        self._prior = prior = Prior(without)
        self._rules: Mapping[type, Rule] = {
            PlaceRoomsFacts: lambda facts, ask: self._rooms(facts),
            GoalFacts: lambda facts, ask: _goal(facts),
            PolicyFacts: _policy,
            MonologueFacts: lambda facts, ask: worded(next_action(facts, prior), facts.choices, ask),
            ProgramFacts: lambda facts, ask: write_program(facts, prior),
            SelectionFacts: lambda facts, ask: selected(facts, prior),
            AttentionFacts: lambda facts, ask: attend(facts),
            EstimateFacts: lambda facts, ask: estimate(facts),
            PlanFacts: lambda facts, ask: plan(facts, prior),
            ActionPlanFacts: lambda facts, ask: scienceworld_rules.action_plan(facts),
            LearnerFacts: lambda facts, ask: scienceworld_rules.learnings(facts),
        }

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

    @property
    def families(self) -> frozenset[type]:
        """The kinds of facts it answers."""
        return frozenset({ObjectPositionsFacts, *self._rules})

    def answer(self, ask: Ask, cancelled: threading.Event) -> Reply:
        """Answer at once.

        Raises:
            ModelError: the question is not one of those it knows.
        """
        del cancelled
        if isinstance(ask.facts, ObjectPositionsFacts):
            vector = self._prior.over(ask.facts.cls, ask.facts.places)
            scores = scored(vector, ask.facts.places) if ask.scores else ()
            return Reply(listed(vector, ask.facts.places, ask.samples), self.name, scores, is_model=False)
        rule = self._rules.get(type(ask.facts))
        if rule is None:
            raise ModelError(f"commonsense cannot answer “{ask.purpose}”: choose a language model, or answer it yourself",
                             "refused", retry=False)
        return Reply((rule(ask.facts, ask),) * ask.samples, self.name, is_model=False)

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
