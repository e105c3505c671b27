"""A toy simulator, toy planners and toy models that are easy to check."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar, Self, TypeVar

import numpy as np

from core.common.errors import ModelError, SimulatorError, UsageError
from core.common.parameters import Parameters, parameter
from core.goals.literals import Goal, Literal
from core.llm.model import LanguageModel
from core.planning.facets import Facet, Frame, Plan, View
from core.planning.model_requests import Message, ModelReply, ModelRequest
from core.planning.planner import Decision, Planner, Thought
from core.session.commands import Command
from core.session.event_bus import Follower
from core.session.events import Event, Payload
from core.session.session import Session
from core.session.setup import Setup
from core.session.snapshot import Snapshot, fold
from core.simulator.base import Saved, Simulator, WorldChange
from core.world.vocabulary import ADMISSIBLE, Action, ActionSchema, AgentState, Entity, Observation, Outcome, Verdict

T = TypeVar("T", bound=Payload)
LEFT, RIGHT = Action("go", ("left",)), Action("go", ("right",))
GOAL = Goal((Literal("is", "walker", None, 1, frozenset({"at 5"})),), "Walk to 5")


class Line(Simulator):
    """A walker on a line from 0 to 9; the goal is 5.

    Faults are queued in `faults`, one per step: die or hang. With `change` the line breaks when the world is changed next.
    """

    name: ClassVar[str] = "line"
    changes = frozenset({"state"})

    def __init__(self, faults: list[str] | None = None):
        self.faults = faults if faults is not None else []
        self.place, self.steps, self.closed = 0, 0, 0
        self.hung = threading.Event()

    @classmethod
    def open(cls, scene: str, options: Mapping[str, str]) -> Self:
        return cls()

    @classmethod
    def scenes(cls) -> tuple[tuple[str, str], ...]:
        return (("line", "A line"),)

    @property
    def schemas(self) -> tuple[ActionSchema, ...]:
        return (ActionSchema("go", ("direction",), "go {0}"),)

    def reset(self, seed: int) -> Observation:
        self.place, self.steps = seed % 3, 0
        return self.observe()

    def observe(self) -> Observation:
        walker = Entity("walker_1", "walker", "walker", "object", "line_1", frozenset({f"at {self.place}"}))
        return Observation(AgentState("line_1"), (Entity("line_1", "line", "line", "room"), walker), (), step=self.steps)

    def reveal(self) -> Observation:
        return self.observe()

    def verdict(self, action: Action) -> Verdict:
        if action not in (LEFT, RIGHT):
            return Verdict(False, "verb", f"cannot {action}")
        if action == LEFT and self.place == 0:
            return Verdict(False, "room", "the line ends here")
        return ADMISSIBLE

    def step(self, action: Action) -> Outcome:
        fault = self.faults.pop(0) if self.faults and self.faults[0] != "change" else ""
        if fault == "die":
            raise SimulatorError("the line broke")
        if fault == "hang":
            self.hung.wait(5.0)
        verdict = self.verdict(action)
        self.steps += 1
        if verdict.ok:
            self.place += 1 if action == RIGHT else -1
        return Outcome.of(action, verdict, self.observe())

    def admissible(self) -> tuple[Action, ...]:
        return tuple(a for a in (LEFT, RIGHT) if self.verdict(a).ok)

    def shot(self, view: View, width: int = 64, height: int = 64, *, still: bool = False) -> Callable[[], Frame]:
        pixels = np.full((height, width, 3), self.place % 256, np.uint8)
        return lambda: Frame(view, pixels, None, ("",))

    def save(self) -> Saved:
        return json.dumps([self.place, self.steps])

    def restore(self, saved: Saved) -> Observation:
        self.place, self.steps = json.loads(saved)
        return self.observe()

    def possible_changes(self, thing: str) -> tuple[WorldChange, ...]:
        return tuple(WorldChange(thing, "state", f"at {k}") for k in range(10) if thing == "walker_1" and k != self.place)

    def change(self, change: WorldChange) -> Observation:
        if self.faults[:1] == ["change"]:
            self.faults.pop(0)
            raise SimulatorError("the line broke")
        if change not in self.possible_changes("walker_1"):
            raise UsageError(f"{change.words()}: the line has places 0 to 9, and the walker is at {self.place}; name another")
        self.place = int(change.to.removeprefix("at "))
        return self.observe()

    def close(self) -> None:
        self.closed += 1
        self.hung.set()


class SlowLine(Line):
    """The same on a thread of its own, and without saved states."""

    slow: ClassVar[bool] = True
    restores: ClassVar[bool] = False
    patience: ClassVar[float] = 0.3


class Mortal(Line):
    """Dies before some of its steps and changes, and is dead to every call until it is opened anew.

    `fate` says each time whether it dies now.
    """

    def __init__(self, fate: Callable[[], bool]):
        super().__init__()
        self.fate, self.dead = fate, False

    def risk(self) -> None:
        self.dead = self.dead or self.fate()
        self.check()

    def check(self) -> None:
        if self.dead:
            raise SimulatorError("the line is dead")

    def observe(self) -> Observation:
        self.check()
        return super().observe()

    def verdict(self, action: Action) -> Verdict:
        self.check()
        return super().verdict(action)

    def step(self, action: Action) -> Outcome:
        self.risk()
        return super().step(action)

    def save(self) -> Saved:
        self.check()
        return super().save()

    def restore(self, saved: Saved) -> Observation:
        self.check()
        return super().restore(saved)

    def change(self, change: WorldChange) -> Observation:
        self.check()
        return super().change(change)


class SlowMortal(Mortal):
    """The same on a thread of its own, and without saved states."""

    slow: ClassVar[bool] = True
    restores: ClassVar[bool] = False


@dataclass(frozen=True)
class WalkerParameters(Parameters):
    looks: int = parameter(3, "checkpoints a decision", low=0, high=1_000_000)


class Walker(Planner):
    """Looks a few times, asks for the direction, and goes there. It draws a number so that random states can be compared."""

    name: ClassVar[str] = "walker"
    shows = frozenset({Plan})
    edits = frozenset({Plan})
    presets = {"default": WalkerParameters()}  # noqa: RUF012 - as planners write it
    parameters: WalkerParameters

    def begin(self, goal: Goal, schemas: tuple[ActionSchema, ...], seed: int) -> None:
        self.goal, self.rng, self.heard, self.edited = goal, np.random.default_rng(seed), 0, 0

    def plan(self, observation: Observation) -> Thought:
        for look in range(self.parameters.looks):
            yield Plan((), f"look {look} draw {int(self.rng.integers(1000))}")
        replies = yield (self.ask(observation, "way"), self.ask(observation, "pace"))
        assert isinstance(replies, tuple)
        return Decision(Action("go", (replies[0].texts[0] if replies[0].texts else "right",)), f"told {replies[1].texts}")

    def ask(self, observation: Observation, purpose: str) -> ModelRequest:
        states = observation.by_id["walker_1"].states
        return ModelRequest(purpose, (Message("user", f"{purpose} at {sorted(states)}?"),), temperature=0.7)

    def update(self, outcome: Outcome) -> None:
        self.heard += 1

    def accept(self, facet: Facet) -> None:
        assert isinstance(facet, Plan)
        self.edited += 1

    def set_goal(self, goal: Goal) -> None:
        self.goal = goal


class Guide(LanguageModel):
    """Always answers right and counts requests; can be made to wait or to fail first."""

    name: ClassVar[str] = "guide"

    def __init__(self, fail: list[ModelError] | None = None, wait: float = 0.0, text: str = "right"):
        self.fail, self.wait, self.text = fail or [], wait, text
        self.asked: list[ModelRequest] = []
        self.lock = threading.Lock()

    @classmethod
    def open(cls, options: Mapping[str, str]) -> Self:
        return cls()

    @property
    def source(self) -> str:
        return "guide"

    def answer(self, ask: ModelRequest, cancelled: threading.Event) -> ModelReply:
        with self.lock:
            self.asked.append(ask)
            error = self.fail.pop(0) if self.fail else None
            count = len(self.asked)
        if self.wait and cancelled.wait(self.wait):
            raise ModelError("nobody waits", "cancelled", retry=False)
        if error is not None:
            raise error
        return ModelReply((self.text if ask.purpose == "way" else f"pace {count}",), self.source, tokens_in=10, tokens_out=1)


class Ear:
    """A listener that keeps all events, and may post a command at a certain kind of event."""

    def __init__(self, session: Session):
        self.events: list[Event] = []
        self.session = session
        self.cues: list[tuple[Callable[[Event], bool], list[Command]]] = []
        session.subscribe(self.hear)

    def hear(self, event: Event) -> None:
        self.events.append(event)
        for cue in list(self.cues):
            if cue[0](event):
                self.cues.remove(cue)
                for command in cue[1]:
                    self.session.post(command)

    def when(self, test: Callable[[Event], bool], *commands: Command) -> None:
        self.cues.append((test, list(commands)))

    def of(self, kind: type[T]) -> list[T]:
        return [e.what for e in self.events if isinstance(e.what, kind)]


class Folded:
    """Passes events to a follower, each with the snapshot after it, as a session does."""

    def __init__(self, follower: Follower, begin: Snapshot | None = None):
        self._follower, self._now = follower, begin or Snapshot()

    def __call__(self, event: Event) -> None:
        self._now = fold(self._now, event)
        self._follower(event, self._now)


def session(
    planner: Planner | None = None,
    world: Callable[[], Simulator] = Line,
    model: LanguageModel | None = None,
    steps: int = 30,
    seed: int = 0,
    **models: LanguageModel,
) -> tuple[Session, Ear]:
    """Returns a session of toys, and a listener on it."""
    named = {"guide": model or Guide(), **models}
    made = Session(Setup(planner or Walker(), world, GOAL, seed, steps, named, {"scene": "line"}))
    return made, Ear(made)
