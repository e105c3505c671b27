"""The smallest driver: one planner, one simulator, one model, no operator. For sweeps and tests."""

from __future__ import annotations

import time

from core.common.cancellation import Cancellation
from core.evaluation.onlooker import Onlooker
from core.goals.literals import Goal, LiteralProgress
from core.goals.progress import GoalWatch, progress
from core.llm.model import LanguageModel
from core.planning.facets import Facet, Plan
from core.planning.model_requests import ModelReply, ModelRequest
from core.planning.planner import Decision, Planner
from core.planning.thinking import Asks, Replies, each
from core.session.engine import REACHED, USED_UP, Choice, Happening, Host, play
from core.session.events import Acted, Decided
from core.simulator.base import Simulator
from core.suites.contestant import Drive, OnFacet, OnOutcome
from core.world.vocabulary import Action, Observation


class EpisodeWatch:
    """Receives everything that happens in an episode. A subclass overrides the methods it needs; here they do nothing."""

    def begin(self, planner: Planner, simulator: Simulator, goal: Goal, seed: int, world_seed: int, limit: int) -> None:
        """The episode begins: the planner with `seed`, the simulator was reset with `world_seed`; `limit`: most steps."""

    def happened(self, what: Happening, simulator: Simulator) -> None:
        """A turn begins, the planner shows a facet, has decided, or an action was executed."""

    def replied(self, ask: ModelRequest, reply: ModelReply, source: str) -> None:
        """A model request was answered."""

    def beside(self, chosen: Action | None, other: Decision | None, name: str) -> None:
        """A second planner has thought about the same turn; without `other` it could not decide."""

    def end(self, simulator: Simulator, progress: tuple[LiteralProgress, ...], reason: str) -> None:
        """The episode is over."""


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
    host = _Host(planner, simulator, goal, _Answerer(model, log), max_steps)
    done: list[tuple[Action, bool]] = []
    turns = play(host)
    while True:
        try:
            what = next(turns)
        except StopIteration as over:
            ended = str(over.value)
            break
        log.happened(what, simulator)
        if isinstance(what, Facet):
            host.answerer.shown(what, len(done))
            on_facet(what)
        elif isinstance(what, Decided) and beside is not None:
            log.beside(what.action, beside.think(goal, simulator, what.action), beside.name)
        elif isinstance(what, Acted):
            if beside is not None:
                beside.update(what.outcome)
            on_outcome(what.outcome)
            done.append((what.outcome.action, what.outcome.ok))
    log.end(simulator, host.report, ended)
    answers = host.answerer
    asks = tuple(sorted(answers.counts.items()))
    return Drive(ended == REACHED, host.steps, asks, host.thinking.total, answers.waiting.total, tuple(done),
                 "" if ended in (REACHED, USED_UP) else ended, answers.searches, answers.calls)


class Seconds:
    """Adds up the seconds that are spent in it."""

    def __init__(self) -> None:
        self.total = self._since = 0.0

    def __enter__(self) -> None:
        self._since = time.perf_counter()

    def __exit__(self, *ignored: object) -> None:
        self.total += time.perf_counter() - self._since


class _Host(Host):
    """Answers and executes at once, on the thread of its caller.

    Attributes:
        steps: actions so far; one that the simulator counts as several counts as that many.
        report: the progress before the turn under way, or at the end.
    """

    thinking: Seconds

    def __init__(self, planner: Planner, simulator: Simulator, goal: Goal, answerer: _Answerer, most: int):
        self._planner, self._simulator, self._goal, self._most = planner, simulator, goal, most
        self.answerer, self.thinking, self.steps = answerer, Seconds(), 0
        self.report: tuple[LiteralProgress, ...] = ()
        self._seen = simulator.observe()
        self._now, self._past, self._spent = self._seen.step, GoalWatch(goal), (0.0, 0.0)

    @property
    def planner(self) -> Planner:
        return self._planner

    @property
    def goal(self) -> Goal:
        return self._goal

    @property
    def is_used_up(self) -> bool:
        return self.steps >= self._most

    def progress(self) -> tuple[LiteralProgress, ...]:
        world = self._simulator.reveal()
        self.report = progress(self._goal, world, self._past.see(world))
        return self.report

    def seen(self) -> Observation:
        return self._seen

    def revealed(self) -> Observation:
        return self._simulator.reveal()

    def fetch(self, asks: Asks) -> Replies:
        return each(self.answerer)(asks)

    def act(self, choice: Choice, action: Action) -> Acted:
        outcome = self._simulator.step(action)
        self.steps += max(1, outcome.observation.step - self._now)
        self._now, self._seen = outcome.observation.step, self._simulator.observe()
        (thought, waited), self._spent = self._spent, (self.thinking.total, self.answerer.waiting.total)
        return Acted(outcome, choice.by, self.thinking.total - thought, self.answerer.waiting.total - waited)


class _Answerer:
    """Answers, counts and times model requests."""

    def __init__(self, model: LanguageModel | None, log: EpisodeWatch):
        self._model, self._log, self._cancelled = model, log, Cancellation()
        self.counts: dict[str, int] = {}
        self.waiting, self.searches, self.calls = Seconds(), 0, 0
        self._trees: set[int] = set()

    def shown(self, facet: Facet, turn: int) -> None:
        """Counts the turns with a new plan."""
        if isinstance(facet, Plan) and facet.because != "as planned" and turn not in self._trees:
            self._trees.add(turn)
            self.searches += 1

    def __call__(self, ask: ModelRequest) -> ModelReply:
        self.counts[ask.purpose] = self.counts.get(ask.purpose, 0) + 1
        self.calls += ask.compare != "only"
        assert self._model is not None, "this planner asks; give it a model"
        with self.waiting:
            reply = self._model.answer(ask, self._cancelled)
        self._log.replied(ask, reply, self._model.source)
        return reply
