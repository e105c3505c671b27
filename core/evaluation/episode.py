"""The smallest driver: one planner, one simulator, one model, no operator. For sweeps and tests."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from core.evaluation.onlooker import Onlooker
from core.goals.literals import Goal
from core.goals.progress import GoalWatch, reached
from core.goals.prohibitions import forbidden
from core.llm.model import LanguageModel
from core.planning.facets import Facet, Plan
from core.planning.model_requests import ModelReply, ModelRequest
from core.planning.planner import Decision, Planner, decision_of
from core.simulator.base import Simulator
from core.world.vocabulary import Action, Outcome


@dataclass(frozen=True, slots=True)
class Drive:
    """The result of an episode.

    Attributes:
        steps: number of actions sent; an action that the simulator counts as several counts as that many.
        asks: number of model requests, by purpose.
        searches: number of turns in which the planner searched, without those that continued a macro.
        calls: number of requests to the model: all but those that only compare texts.
        seconds: time in the planner; `waiting`: time for replies.
        ended: why it ended, if not by reaching the goal or using up the steps.
    """

    success: bool
    steps: int
    asks: tuple[tuple[str, int], ...]
    seconds: float
    waiting: float
    actions: tuple[tuple[Action, bool], ...]
    ended: str = ""
    searches: int = 0
    calls: int = 0

    def asked(self, purpose: str) -> int:
        """Returns the number of model requests for a purpose."""
        return dict(self.asks).get(purpose, 0)


OnFacet = Callable[[Facet], None]
OnOutcome = Callable[[Outcome], None]


def drive(planner: Planner, simulator: Simulator, goal: Goal, model: LanguageModel | None, seed: int, max_steps: int = 30,
          on_facet: OnFacet = lambda facet: None, on_outcome: OnOutcome = lambda outcome: None,
          beside: Onlooker | None = None) -> Drive:
    """Plays one episode from the simulator's present state.

    `on_facet` receives every facet, `on_outcome` the outcome of every action. `beside` thinks about every turn.
    """
    planner.begin(goal, simulator.schemas, seed)
    if beside is not None:
        beside.begin(goal, simulator, seed)
    answerer = _Answerer(model)
    done: list[tuple[Action, bool]] = []
    ended, thinking, steps, now = "", 0.0, 0, simulator.observe().step
    past = GoalWatch(goal)
    while not (success := _reached(goal, simulator, past)) and steps < max_steps:
        since = time.perf_counter()
        decision = _think(planner, goal, simulator, answerer, on_facet, len(done))
        thinking += time.perf_counter() - since
        if beside is not None:
            beside.think(goal, simulator, decision.action)
        if decision.action is None:
            ended = decision.because
            break
        outcome = simulator.step(decision.action)
        planner.update(outcome)
        if beside is not None:
            beside.update(outcome)
        on_outcome(outcome)
        steps, now = steps + max(1, outcome.observation.step - now), outcome.observation.step
        done.append((decision.action, outcome.ok))
    asks = tuple(sorted(answerer.counts.items()))
    return Drive(success, steps, asks, thinking - answerer.seconds, answerer.seconds, tuple(done), ended, answerer.searches,
                 answerer.calls)


def _reached(goal: Goal, simulator: Simulator, past: GoalWatch) -> bool:
    world = simulator.reveal()
    return reached(goal, world, past.see(world))


class _Answerer:
    """Answers, counts and times model requests."""

    def __init__(self, model: LanguageModel | None):
        self._model, self._cancelled = model, threading.Event()
        self.counts: dict[str, int] = {}
        self.seconds, self.searches, self.calls = 0.0, 0, 0
        self._trees: set[int] = set()

    def shown(self, facet: Facet, turn: int) -> None:
        """Counts the turns with a new plan."""
        if isinstance(facet, Plan) and facet.because != "as planned" and turn not in self._trees:
            self._trees.add(turn)
            self.searches += 1

    def __call__(self, ask: ModelRequest) -> ModelReply:
        since = time.perf_counter()
        self.counts[ask.purpose] = self.counts.get(ask.purpose, 0) + 1
        self.calls += ask.compare != "only"
        assert self._model is not None, "this planner asks; give it a model"
        reply = self._model.answer(ask, self._cancelled)
        self.seconds += time.perf_counter() - since
        return reply


def _think(planner: Planner, goal: Goal, simulator: Simulator, answerer: _Answerer, on_facet: OnFacet, turn: int) -> Decision:
    def show(facet: Facet) -> None:
        answerer.shown(facet, turn)
        on_facet(facet)

    seen = simulator.reveal() if planner.omniscient else simulator.observe()
    if planner.banned != (banned := forbidden(goal, seen)):
        planner.ban(banned)
    return decision_of(planner.plan(seen), answerer, show)
