"""A small deterministic world of texts: a row of rooms with many levers, one of which opens the next room."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from typing import Self

import numpy as np

from core.goals.literals import Goal, Literal
from core.llm.model import LanguageModel
from core.planners.neoplanner.recorded_types import ActionPlanFacts
from core.planning.facets import Frame, View
from core.planning.model_requests import ModelReply, ModelRequest
from core.simulator.base import Saved, Simulator
from core.world.vocabulary import ADMISSIBLE, Action, ActionSchema, AgentState, Entity, Observation, Outcome, Verdict

ROOMS, LEVERS = 6, 12
COLOURS = ("red", "green", "blue", "white", "black", "grey", "pink", "brown", "amber", "lime", "teal", "navy")
WAY = (3, 7, 1, 10, 5, 8)
"""The lever that leads on, room by room; they score 10, 10 … and the last one brings it to 100."""
TRAP = 11
"""This lever fails the task in every room."""
PULL = ActionSchema("pull", ("lever",), "pull {0}")
FREE, RESTART = ActionSchema("do", ("sentence",), "{0}"), ActionSchema("restart", (), "restart")
GOAL = Goal((Literal("is", "task", states=frozenset({"done"})),), "Your task is to get to the end of the rooms.")


def pull(lever: int) -> str:
    """The sentence."""
    return f"pull {COLOURS[lever]} lever"


class Levers(Simulator):
    """Levers 0 to 2 lead back to the first room, 9 is refused, the trap fails the task, the others do nothing."""

    name = "levers"

    def __init__(self, way: tuple[int, ...] = WAY, *, can_restart: bool = True) -> None:
        self._way, self._can_restart = way, can_restart
        self.reset(0)

    @classmethod
    def open(cls, scene: str, options: Mapping[str, str]) -> Self:
        del scene, options
        return cls()

    @classmethod
    def scenes(cls) -> tuple[tuple[str, str], ...]:
        return (("levers", "Levers"),)

    @property
    def schemas(self) -> tuple[ActionSchema, ...]:
        return (PULL, FREE, RESTART) if self._can_restart else (PULL, FREE)

    def reset(self, seed: int) -> Observation:
        self.seed, self.room, self.score, self.steps, self.said = seed, 0, 0, 0, GOAL.text
        return self.observe()

    def observe(self) -> Observation:
        return self._seen(GOAL.text)

    def _seen(self, said: str) -> Observation:
        state = "done" if self.score == 100 else "failed" if self.score < 0 else "under way"
        room = Entity(f"room_{self.room}", f"room_{self.room}", f"room {self.room}", "room")
        levers = tuple(Entity(f"lever_{k}", "lever", f"{c} lever", "furniture", room.id) for k, c in enumerate(COLOURS))
        task = Entity("task_1", "task", "task", "object", states=frozenset({state}))
        text = f"{said}\n\nThis is room {self.room}.\n\nYou carry nothing."
        return Observation(AgentState(room.id), (task, room, *levers), (), text=text, step=self.steps, score=float(self.score))

    def reveal(self) -> Observation:
        return self.observe()

    def goal(self) -> Goal:
        return GOAL

    def step(self, action: Action) -> Outcome:
        if action.verb == "restart":
            self.room, self.score = 0, 0
            return Outcome(action, True, "", self._seen("It begins anew."))
        self.steps += 1
        verdict = self.verdict(action)
        said = self._pull(COLOURS.index(action.args[0].split()[1])) if verdict.ok else verdict.reason
        return Outcome(action, verdict.ok, verdict.reason, self._seen(said), verdict.precondition)

    def _pull(self, lever: int) -> str:
        if self.score < 0 or self.score == 100:
            return "Nothing happens any more."
        if lever == TRAP:
            self.score = -100
            return "That was the end."
        if lever == self._way[self.room]:
            last = self.room == ROOMS - 1
            self.room += not last
            self.score = 100 if last else max(self.score, 10 * self.room)
            return "A door opens and you go on."
        if lever <= 2:
            self.room = 0
            return "You slide back to the beginning."
        return "That can't be moved." if lever == 9 else "Click."

    def verdict(self, action: Action) -> Verdict:
        if action.verb == "restart":
            return ADMISSIBLE
        words = action.args[0].split() if action.verb == "do" and action.args else []
        ok = len(words) == 3 and words[0] == "pull" and words[1] in COLOURS
        return ADMISSIBLE if ok else Verdict(False, "sentence", "I know only levers")

    def admissible(self) -> tuple[Action, ...]:
        return tuple(Action("do", (pull(k),)) for k in range(LEVERS))

    def shot(self, view: View, width: int = 640, height: int = 480, *, still: bool = False) -> Callable[[], Frame]:
        raise NotImplementedError

    def save(self) -> Saved:
        return json.dumps([self.seed, self.room, self.score, self.steps])

    def restore(self, saved: Saved) -> Observation:
        self.seed, self.room, self.score, self.steps = json.loads(saved)
        return self.observe()

    def close(self) -> None:
        return


class Weak(LanguageModel):
    """A proposer that pulls any lever at random, and knows nothing; it minds what it is told to avoid."""

    name = "weak"
    is_model = False

    @classmethod
    def open(cls, options: Mapping[str, str]) -> Self:
        del options
        return cls()

    @property
    def source(self) -> str:
        return self.name

    def __call__(self, ask: ModelRequest) -> ModelReply:
        if not isinstance(ask.facts, ActionPlanFacts):
            return ModelReply(("[]",), "weak", is_model=False)
        rng = np.random.default_rng(ask.facts.draw)
        options = [pull(k) for k in range(LEVERS) if pull(k) not in ask.facts.avoid]
        return ModelReply((json.dumps([options[int(rng.integers(len(options)))]] if options else []),), "weak", is_model=False)

    def answer(self, ask: ModelRequest, cancelled: threading.Event) -> ModelReply:
        del cancelled
        return self(ask)
