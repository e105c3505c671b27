"""Nothing a model can say ends a run: the offline answers of each planner, broken in every way a reply can be."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Mapping
from dataclasses import replace
from random import Random, SystemRandom
from typing import ClassVar, Self

import pytest

from core.app.headless import follow
from core.app.launch import build
from core.app.run_request import Request
from core.common.cancellation import Cancellation
from core.common.errors import BelvedereError
from core.llm.model import LanguageModel, open_for
from core.llm.stack import assembled
from core.planning.model_requests import ModelReply, ModelRequest
from sim.registry import simulator_class
from tests.long_tests import either

PLANNERS = ("llm-mcts", "llm-policy", "bcr", "llm-state", "progprompt", "inner-monologue")
RUNS = either(4, 300)
"""Of each planner, on other seeds each time."""
SCENE = "four-rooms-1"
PIECES = ("1e999", "-0", "9" * 5000, "null", "NaN", "[]", "{}", "true", '""', "\ud800", "\x00", "%s", "{0}", "\\", "'", '"',
          "(", ")", "[", "]", "{", "}", "\n", "\n\n    ", "if ", "assert", "else:", "# ", "```", "<think>", ",", ";", ":", "in",
          "the", "robot", "close", "put", "-1", "0", "3.5", ".", "…", "İ", "ß", "\u202e", "fridge")
NUMBERS = ("9" * 400, "-1", "0", "1e999", "x", "99999")
Break = Callable[[str, int, int, Random, ModelRequest], str]
BREAKS: tuple[Break, ...] = (
    lambda text, start, end, random, ask: text[:start] + random.choice(PIECES) + text[end:],
    lambda text, start, end, random, ask: text[:start] + text[end:],
    lambda text, start, end, random, ask: text[:start] + text[start:end] * random.randint(2, 40) + text[end:],
    lambda text, start, end, random, ask: text[:start],
    lambda text, start, end, random, ask: re.sub(r"\d+", lambda _: random.choice(NUMBERS), text),
    lambda text, start, end, random, ask: text[:start] + random.choice(ask.expects.choices or ("x",)) + text[start:],
    lambda text, start, end, random, ask: " ".join(random.sample(words := text.split(" "), len(words))),
    lambda text, start, end, random, ask: "\n".join(random.sample(lines := text.split("\n"), len(lines))),
)


class Broken(LanguageModel):
    """Says what the offline rules say, broken."""

    name: ClassVar[str] = "broken"

    def __init__(self, random: Random):
        self._rules, self._random, self._lock = open_for("commonsense", {}, SCENE), random, threading.Lock()

    @classmethod
    def open(cls, options: Mapping[str, str]) -> Self:
        raise NotImplementedError

    @property
    def source(self) -> str:
        return "broken"

    def answer(self, ask: ModelRequest, cancelled: Cancellation) -> ModelReply:
        right = self._rules.answer(ask, cancelled)
        with self._lock:
            texts = tuple(self._broken(text, ask) for text in right.texts)
            scores = tuple((choice, self._random.choice((0.0, -3.0, -1e308, float("nan"), float("-inf"))))
                           for choice in ask.expects.choices if ask.scores)
            texts = texts if self._random.random() > 0.1 else ()
        return ModelReply(texts, self.source, scores, tokens_in=10**400, tokens_out=-5, seconds=float("nan"), note="\ud800")

    def _broken(self, text: str, ask: ModelRequest) -> str:
        for _ in range(self._random.randint(0, 4)):
            start = self._random.randint(0, len(text))
            end = self._random.randint(start, min(len(text), start + 12))
            text = self._random.choice(BREAKS)(text, start, end, self._random, ask)
        return text


@pytest.mark.parametrize("planner", PLANNERS)
def test_no_broken_reply_ends_a_run(planner: str) -> None:
    said, first = list[str](), SystemRandom().randrange(10**6)
    for seed in range(first, first + RUNS):
        parameters = {"simulations": "8"} if planner == "llm-mcts" else {}
        request = Request(planner, parameters=parameters, scene=SCENE, seed=seed % 9, max_steps=6,
                          task="Put one apple inside the fridge")
        setup = build(request, simulator_class)
        try:
            follow(replace(setup, models={"broken": assembled(Broken(Random(seed)))}), said.append).check()
        except BelvedereError as error:
            pytest.fail(f"{planner}, {seed}: {error}")
        assert not [line for line in said if "broke" in line], f"{planner}, {seed}"
