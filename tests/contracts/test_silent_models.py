"""A model that says nothing useful: each planner that asks one still plays an episode, and says why if it ends early."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Mapping
from contextlib import closing
from typing import ClassVar, Self

import pytest

from core.common.parameters import described
from core.evaluation.episode import drive
from core.goals.literals import Goal
from core.llm.model import LanguageModel
from core.planners.registry import PLANNERS, make_planner, planner_class
from core.planning.model_requests import ModelReply, ModelRequest
from core.simulator.base import Simulator
from core.world.vocabulary import WorldKind
from sim.decision_lab.simulator import DecisionLab
from tests.core.planners.by_hand import goal_of, home
from tests.core.planners.levers import GOAL, Levers
from tests.long_tests import some_pairs

TASK = "put one apple inside the fridge and one book on the sofa"
LIMIT = 6
QUICK: Mapping[str, str] = {"simulations": "10", "samples": "2", "world_samples": "2", "policy_samples": "2"}
PRESETS = [(name, preset) for name in PLANNERS if planner_class(name).asks for preset in planner_class(name).presets]
TEXTS = {"nothing": "", "the mark of a turn": "<|im_start|>user\n"}


class Silent(LanguageModel):
    """Always says the same."""

    name: ClassVar[str] = "silent"

    def __init__(self, text: str):
        self._text, self.asked = text, list[ModelRequest]()

    @classmethod
    def open(cls, options: Mapping[str, str]) -> Self:
        raise NotImplementedError

    @property
    def source(self) -> str:
        return self.name

    def answer(self, ask: ModelRequest, cancelled: threading.Event) -> ModelReply:
        self.asked.append(ask)
        return ModelReply((self._text,) * ask.samples, self.source)


def in_rooms() -> tuple[Simulator, Goal]:
    world = home("four-rooms-1", 5)
    return world, goal_of(world, TASK)


def of_sentences() -> tuple[Simulator, Goal]:
    return Levers(), GOAL


def of_questions() -> tuple[Simulator, Goal]:
    world = DecisionLab.open("multiplication-2", {})
    world.reset(3)
    return world, world.goal()


WORLDS: Mapping[WorldKind, Callable[[], tuple[Simulator, Goal]]] = {
    "rooms": in_rooms, "sentences": of_sentences, "questions": of_questions}
"""A world for each kind that planners act in."""


@pytest.mark.parametrize(("contestant", "text"), some_pairs(PRESETS, list(TEXTS), 1))
def test_an_episode_without_a_useful_reply_goes_on_to_its_limit_or_says_why_it_ends(contestant: tuple[str, str],
                                                                                   text: str) -> None:
    name, preset = contestant
    cls = planner_class(name)
    if reason := cls.missing():
        pytest.skip(reason)
    known, model = {p.name for p in described(cls.presets[preset])}, Silent(TEXTS[text])
    planner = make_planner(name, preset, {k: v for k, v in QUICK.items() if k in known})
    simulator, goal = WORLDS[min(cls.plays)]()
    with closing(simulator):
        found = drive(planner, simulator, goal, model, 3, LIMIT)
    for ask in model.asked:
        prompt = "\n".join(("", *(message.content for message in ask.messages)))
        assert all(end in prompt for end in ask.ends), "a reply ends where a part of the prompt's form begins"
    assert found.steps <= LIMIT
    if found.steps < LIMIT and not found.success:
        assert re.fullmatch(r"[^\n]*\b(replies|programs?|answer)\b[^\n]*", found.ended), "one line says what was missing"
        assert model.asked
