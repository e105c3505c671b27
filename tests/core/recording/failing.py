"""Runs that fail for a known reason: real planners in a home, with a scripted model, world or operator."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from core.app.headless import follow
from core.app.launch import build
from core.app.run_request import Request
from core.common.cancellation import Cancellation
from core.llm.commonsense import Commonsense
from core.llm.stack import assembled
from core.planning.model_requests import ModelReply, ModelRequest
from core.recording.reader import open_recording
from core.session.commands import Command, Stop
from core.session.events import Event, Failed, TurnBegan
from core.session.session import Session
from core.session.setup import Setup
from core.world.vocabulary import Action, Observation, Outcome, Verdict
from sim.household.simulator import HouseholdSimulator
from sim.registry import simulator_class

TASK = "Put one apple on the kitchen table and one toothbrush inside the bathroom cabinet"
Says = Callable[[ModelRequest], str]


class Scripted(Commonsense):
    """Says what a script says about a purpose, and what the offline rules say about all others."""

    def __init__(self, script: Mapping[str, Says]):
        super().__init__()
        self._script = script

    def answer(self, ask: ModelRequest, cancelled: Cancellation) -> ModelReply:
        if ask.purpose not in self._script:
            return super().answer(ask, cancelled)
        return ModelReply((self._script[ask.purpose](ask),) * ask.samples, "scripted")


class Crammed(HouseholdSimulator):
    """A home in which nothing can be put anywhere: there is no room."""

    def step(self, action: Action) -> Outcome:
        if action.verb.startswith("put"):
            return Outcome.of(action, Verdict(False, "free floor", "there is no room"), self.observe())
        return super().step(action)


def setup(planner: str, preset: str = "", script: Mapping[str, Says] | None = None, *, steps: int = 30, seed: int = 3,
          scene: str = "four-rooms-1", task: str = TASK, world: Mapping[str, str] | None = None, **settings: str) -> Setup:
    """Returns a run in a home, answered by a scripted model."""
    made = build(Request(planner, preset, parameters=settings, scene=scene, world=world or {}, seed=seed, task=task,
                         max_steps=steps), simulator_class)
    return replace(made, models={"scripted": assembled(Scripted(script or {}))}) if made.models else made


def crammed(made: Setup, scene: str = "four-rooms-1") -> Setup:
    """Returns the run in a home without room."""
    def world() -> HouseholdSimulator:
        home = Crammed.open(scene, {})
        home.reset(made.seed)
        return home

    return replace(made, make_world=world)


def events_of(made: Setup, *commands: Command, in_turn: tuple[int, Command] | None = None) -> list[Event]:
    """Plays a run. Returns its events.

    Args:
        made: its parts.
        commands: posted before it begins.
        in_turn: a turn of the first branch, and a command posted when it begins.
    """
    run, events = Session(made), list[Event]()

    def hear(event: Event) -> None:
        events.append(event)
        if in_turn is not None and isinstance(event.what, TurnBegan) and (event.branch, event.turn) == (0, in_turn[0]):
            run.post(in_turn[1])
        if isinstance(event.what, Failed) and event.what.waits:  # there is no operator
            run.post(Stop(event.what.message))

    run.subscribe(hear)
    for command in commands:
        run.post(command)
    run.run()
    return events


def recorded(path: Path, made: Setup) -> list[Event]:
    """Plays and records a run without an operator. Returns its events as they are read again."""
    follow(made, lambda line: None, path)
    with open_recording(path) as recording:
        return list(recording.events())


def back_and_forth(ask: ModelRequest) -> str:
    """A policy that walks from one room to the next, and back."""
    rooms = [choice for choice in ask.expects.choices if choice.startswith("walk to the") and choice.endswith("room")]
    return rooms[0]


def place_of(observation: Observation, cls: str) -> str:
    """Returns where the first object of a class lies."""
    thing = next(e.id for e in observation.entities if e.cls == cls)
    return observation.holder[thing].object
