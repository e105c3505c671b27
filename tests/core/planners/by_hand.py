"""Planners driven by hand: what they ask is answered by a script, what they show is collected."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from core.common.cancellation import Cancellation
from core.goals.literals import Goal
from core.goals.parser.sentence import parse_goal
from core.goals.progress import reached
from core.goals.vocabulary import Lexicon
from core.llm.commonsense import Commonsense
from core.llm.stack import assembled
from core.planning.facets import Facet
from core.planning.model_requests import ModelReply, ModelRequest
from core.planning.planner import Decision, Planner, Sent
from core.simulator.base import Simulator
from core.world.vocabulary import Outcome
from sim.household.simulator import HouseholdSimulator

F = TypeVar("F", bound=Facet)
Answers = Callable[[ModelRequest], ModelReply]


def home(name: str = "four-rooms-1", seed: int = 10_000, **options: str) -> HouseholdSimulator:
    simulator = HouseholdSimulator.open(name, options)
    simulator.reset(seed)
    return simulator


def goal_of(simulator: Simulator, text: str) -> Goal:
    return parse_goal(text, Lexicon(simulator.reveal().entities))


PROVIDER = Commonsense()


def answerers(scene: str) -> Commonsense:
    """The same in every scene."""
    return PROVIDER


def commonsense(ask: ModelRequest) -> ModelReply:
    return assembled(PROVIDER).answer(ask, Cancellation())


def says(*texts: str) -> Answers:
    return lambda ask: ModelReply(texts * ask.samples, "script")


@dataclass
class Turn:
    """What a planner showed, asked and decided in one turn."""

    shown: list[Facet] = field(default_factory=list)
    asked: list[ModelRequest] = field(default_factory=list)
    together: list[int] = field(default_factory=list)
    decision: Decision = field(default_factory=lambda: Decision(None))

    def last(self, kind: type[F]) -> F:
        return [facet for facet in self.shown if isinstance(facet, kind)][-1]


def turn(planner: Planner, simulator: Simulator, answers: Answers = commonsense,
         meddle: Callable[[int, Facet], None] = lambda number, facet: None) -> Turn:
    """One turn; `meddle` may do what an operator does, at each facet."""
    result = Turn()
    sent: Sent = None
    thought = planner.plan(simulator.reveal() if planner.omniscient else simulator.observe())
    while True:
        try:
            shown = thought.send(sent)
        except StopIteration as end:
            result.decision = end.value
            return result
        sent = None
        if isinstance(shown, Facet):
            result.shown.append(shown)
            meddle(len(result.shown), shown)
            continue
        asks = shown if isinstance(shown, tuple) else (shown,)
        result.asked += asks
        result.together.append(len(asks))
        sent = tuple(map(answers, asks)) if isinstance(shown, tuple) else answers(shown)


def play(planner: Planner, simulator: Simulator, goal: Goal, answers: Answers = commonsense, most: int = 40) -> list[Outcome]:
    planner.begin(goal, simulator.schemas, 0)
    outcomes: list[Outcome] = []
    while len(outcomes) < most and not reached(goal, simulator.reveal()):
        decision = turn(planner, simulator, answers).decision
        if decision.action is None:
            break
        outcomes.append(simulator.step(decision.action))
        planner.update(outcomes[-1])
    return outcomes
