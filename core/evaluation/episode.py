"""The smallest driver: one planner, one simulator, one model, no operator. For sweeps and tests."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from core.evaluation.onlooker import Onlooker
from core.goals.literals import Goal, LiteralProgress
from core.goals.progress import GoalWatch, progress
from core.goals.prohibitions import forbidden
from core.llm.model import LanguageModel
from core.planning.facets import Facet, Plan
from core.planning.model_requests import ModelReply, ModelRequest
from core.planning.planner import Decision, Planner, decision_of
from core.session.session import REACHED, USED_UP
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


class EpisodeWatch:
    """Receives everything that happens in an episode. A subclass overrides the methods it needs; here they do nothing."""

    def begin(self, planner: Planner, simulator: Simulator, goal: Goal, seed: int, world_seed: int, limit: int) -> None:
        """The episode begins: the planner with `seed`, the simulator was reset with `world_seed`; `limit`: most steps."""

    def turn(self, simulator: Simulator, progress: tuple[LiteralProgress, ...]) -> None:
        """A turn begins, with this progress towards the goal."""

    def shown(self, facet: Facet) -> None:
        """The planner shows a facet."""

    def replied(self, ask: ModelRequest, reply: ModelReply, source: str) -> None:
        """A model request was answered."""

    def decided(self, decision: Decision) -> None:
        """The planner has chosen an action, or gives up."""

    def beside(self, chosen: Action | None, other: Decision | None, name: str) -> None:
        """A second planner has thought about the same turn; without `other` it could not decide."""

    def acted(self, outcome: Outcome, thinking: float, waiting: float) -> None:
        """An action was executed, after so many seconds in the planner and for replies."""

    def end(self, simulator: Simulator, progress: tuple[LiteralProgress, ...], reason: str) -> None:
        """The episode is over."""


OnFacet = Callable[[Facet], None]
OnOutcome = Callable[[Outcome], None]


def drive(planner: Planner, simulator: Simulator, goal: Goal, model: LanguageModel | None, seed: int, max_steps: int = 30,
          on_facet: OnFacet = lambda facet: None, on_outcome: OnOutcome = lambda outcome: None,
          beside: Onlooker | None = None, log: EpisodeWatch | None = None, world_seed: int | None = None) -> Drive:
    """Plays one episode from the simulator's present state.

    `on_facet` receives every facet, `on_outcome` the outcome of every action. `beside` thinks about every turn. `log` receives
    everything, and is told the seed that the simulator was reset with (None: `seed`).
    """
    log = log or EpisodeWatch()
    planner.begin(goal, simulator.schemas, seed)
    if beside is not None:
        beside.begin(goal, simulator, seed)
    log.begin(planner, simulator, goal, seed, seed if world_seed is None else world_seed, max_steps)
    answerer = _Answerer(model, log)
    done: list[tuple[Action, bool]] = []
    ended, thinking, steps, now = USED_UP, 0.0, 0, simulator.observe().step
    past = GoalWatch(goal)
    while True:
        world = simulator.reveal()
        report = progress(goal, world, past.see(world))
        if (success := all(p.reached for p in report)) or steps >= max_steps:
            break
        log.turn(simulator, report)
        since, waited = time.perf_counter(), answerer.seconds
        decision = _think(planner, goal, simulator, answerer, on_facet, len(done))
        took = time.perf_counter() - since
        thinking += took
        log.decided(decision)
        if beside is not None:
            log.beside(decision.action, beside.think(goal, simulator, decision.action), beside.name)
        if decision.action is None:
            ended = decision.because
            break
        outcome = simulator.step(decision.action)
        planner.update(outcome)
        if beside is not None:
            beside.update(outcome)
        on_outcome(outcome)
        log.acted(outcome, took - (answerer.seconds - waited), answerer.seconds - waited)
        steps, now = steps + max(1, outcome.observation.step - now), outcome.observation.step
        done.append((decision.action, outcome.ok))
    log.end(simulator, report, REACHED if success else ended)
    asks = tuple(sorted(answerer.counts.items()))
    return Drive(success, steps, asks, thinking - answerer.seconds, answerer.seconds, tuple(done),
                 "" if ended == USED_UP else ended, answerer.searches, answerer.calls)


class _Answerer:
    """Answers, counts and times model requests."""

    def __init__(self, model: LanguageModel | None, log: EpisodeWatch):
        self._model, self._log, self._cancelled = model, log, threading.Event()
        self.counts: dict[str, int] = {}
        self.seconds, self.searches, self.calls = 0.0, 0, 0
        self._trees: set[int] = set()

    def shown(self, facet: Facet, turn: int) -> None:
        """Logs a facet, and counts the turns with a new plan."""
        self._log.shown(facet)
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
        self._log.replied(ask, reply, self._model.source)
        return reply


def _think(planner: Planner, goal: Goal, simulator: Simulator, answerer: _Answerer, on_facet: OnFacet, turn: int) -> Decision:
    def show(facet: Facet) -> None:
        answerer.shown(facet, turn)
        on_facet(facet)

    seen = simulator.reveal() if planner.omniscient else simulator.observe()
    if planner.banned != (banned := forbidden(goal, seen)):
        planner.ban(banned)
    return decision_of(planner.plan(seen), answerer, show)
