"""Makes a session's setup from names and settings. The command line and the console both start runs with it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from core.app.everyday_tasks import everyday_task
from core.app.goal_reading import TaskReading, read_formal_task, read_task
from core.app.run_request import Request
from core.common.cancellation import Cancellation
from core.common.errors import MissingPart, UsageError
from core.common.installation import versions
from core.common.user_folders import cache_folder
from core.evaluation.contestants import contestant
from core.goals.literals import Goal
from core.goals.reading import GoalReading
from core.llm.budget import Budget
from core.llm.cache import Cached, ReplyCache
from core.llm.embeddings import installed
from core.llm.human import Human
from core.llm.model import OFFLINE, LanguageModel, open_for, provider_class
from core.llm.stack import assembled
from core.planners.registry import make_planner
from core.planning.planner import Planner
from core.session.events import NOBODY
from core.session.setup import Beside, OpenWorld, Setup
from core.simulator.base import Simulator
from core.suites.tasks import draw_task

SimulatorClass = Callable[[str], type[Simulator]]
"""Returns a simulator's class by name. The composition root provides it, because core knows no simulators."""


def placed(request: Request, simulator_class: SimulatorClass) -> Request:
    """Returns the request with a scene: the simulator's first one if none is named.

    Raises:
        UsageError: there is no such simulator.
        MissingPart: the simulator is not installed.
    """
    if request.scene:
        return request
    cls = simulator_class(request.simulator)
    if missing := cls.missing():
        raise MissingPart(missing)
    return replace(request, scene=cls.scenes()[0][0])


def read_goal(request: Request, simulator_class: SimulatorClass, cancelled: Cancellation | None = None,
              model: LanguageModel | None = None) -> TaskReading:
    """Returns how the request's task is read in its episode. Not for the GUI thread.

    Args:
        request: the run's request.
        simulator_class: finds simulators.
        cancelled: ends a model's request when it is set.
        model: who is asked what the rules do not understand; None: the request's provider, which is opened if it is needed.

    Raises:
        ModelError: of the kind `cancelled`, soon after `cancelled` was set.
        UsageError: there is no such scene or provider.
        DataError: the scene's file is damaged.
        MissingPart: the simulator or the provider is not installed.
    """
    request = placed(request, simulator_class)
    models = _Models(request)
    try:
        with simulator_class(request.simulator).open(request.scene, request.world) as world:
            return _read(world, request, (lambda: model) if model is not None else models.reader, cancelled)
    finally:
        models.close()


def goal_of(request: Request, simulator_class: SimulatorClass) -> Goal:
    """Returns the request's task as a goal of its episode, or the simulator's own goal, or one drawn by the seed.

    Raises:
        GoalError: the task is not understood, or is not possible there; the error names tasks that are.
        DataError: the scene's file is damaged.
        MissingPart: the simulator is not installed.
    """
    return read_goal(request, simulator_class).goal


def drawn_task(request: Request, number: int, simulator_class: SimulatorClass) -> str:
    """Returns a task in words that is possible in the request's scene at its seed. Each `number` gives another task.

    Raises:
        UsageError: there is no such scene, or no task can be drawn for it.
        DataError: the scene's file is damaged.
        MissingPart: the simulator is not installed.
    """
    request = placed(request, simulator_class)
    with simulator_class(request.simulator).open(request.scene, request.world) as world:
        world.reset(request.seed)
        return read_task(world, everyday_task(world, number).text, request.seed).goal.text  # what is offered must be understood


def _read(world: Simulator, request: Request, model: Callable[[], LanguageModel | None],
          cancelled: Cancellation | None) -> TaskReading:
    world.reset(request.seed)
    if request.goal:
        return read_formal_task(world, request.goal, request.task or request.goal, request.seed)
    if request.task:
        return read_task(world, request.task, request.seed, model, cancelled)
    return TaskReading(GoalReading(world.goal() or draw_task(world, request.seed), "formal"))


def unsuited(planner: type[Planner], simulator: type[Simulator]) -> str:
    """Returns why a planner cannot act in a simulator; empty if it can."""
    if simulator.kind in planner.plays:
        return ""
    if planner.plays == {"questions"}:
        return "answers the questions of decision-lab only"
    return "acts by sentences, which this simulator does not take" if simulator.kind == "rooms" else (
        "acts on objects in rooms, which this simulator does not have")


def build(request: Request, simulator_class: SimulatorClass) -> Setup:
    """Returns a session's setup.

    Raises:
        UsageError: a name or value is not valid.
        DataError: a scene's file is damaged.
        MissingPart: something is not installed, or there is no key.
    """
    cls = simulator_class(request.simulator)
    most_steps = cls.most_steps if request.max_steps is None else request.max_steps
    if most_steps < 1:
        raise UsageError(f"max-steps {most_steps}: give at least 1")
    request = placed(request, simulator_class)
    planner = make_planner(request.planner, request.preset, request.parameters)
    if reason := unsuited(type(planner), cls):
        raise UsageError(f"{request.planner} cannot play {request.simulator}: it {reason}")
    models = _Models(request)
    world = cls.open(request.scene, request.world)
    try:
        read = _read(world, request, models.reader, None)
        opened = OpenWorld(world, lambda: cls.open(request.scene, request.world))
        return replace(_setup(request, planner, opened, read.goal, most_steps, models), reading=read.reading,
                       calls=read.calls, beside=_companion(request, cls))
    except BaseException:
        world.close()
        models.close()
        raise


def _setup(request: Request, planner: Planner, opened: OpenWorld, goal: Goal, most_steps: int, models: _Models) -> Setup:
    offered = models.offered() if planner.asks else {}
    if planner.asks:
        _study(planner, request)
    else:
        models.close()
    names = {"planner": request.planner, "simulator": request.simulator, "scene": request.scene,
             "provider": request.provider if offered else NOBODY}
    budget = models.budget if planner.asks or models.budget.spent.calls else None
    return Setup(planner, opened, goal, request.seed, most_steps, offered, names, versions(), budget,
                 close_unused=opened.close, world=dict(request.world))


def _study(planner: Planner, request: Request) -> None:
    """Gives a planner its examples. What reads them also reads recordings, so it is imported only here."""
    from core.recording.examples import ExampleSet

    planner.study(tuple(ExampleSet(request.examples)))


def _companion(request: Request, simulator: type[Simulator]) -> Beside | None:
    """Returns the companion, with a model, a cache and a budget of its own, so that the run itself does not depend on it."""
    if not request.beside:
        return None
    one = contestant(request.beside)
    planner = one.make()
    if reason := unsuited(type(planner), simulator):
        raise UsageError(f"{one.planner} cannot think beside {request.planner} in {request.simulator}: it {reason}")
    if not planner.asks:
        return Beside(planner, None, one.text)
    provider = request.beside_provider or request.provider
    if provider == Human.name:
        raise UsageError("the planner that only thinks cannot ask you: choose another provider for it")
    _study(planner, request)
    options = request.beside_model if request.beside_provider else request.model
    model = open_for(provider, options, request.scene)
    cache = ReplyCache(cache_folder() / "beside") if request.cache and model.is_model else None
    return Beside(planner, assembled(model, cache, Budget(request.limits, request.prices), installed()), one.text, provider)


class _Models:
    """The providers of a run, opened when they are needed, with one budget."""

    def __init__(self, request: Request):
        self._request, self._embedder = request, installed()
        self._first: Cached | None = None
        self.budget = Budget(request.limits, request.prices)

    def first(self) -> Cached:
        """Returns the chosen provider, with sentence embeddings if installed."""
        if self._first is None:
            request = self._request
            model = open_for(request.provider, request.model, request.scene)
            cache = ReplyCache(cache_folder()) if request.cache and model.is_model else None
            self._first = assembled(model, cache, self.budget, self._embedder)
        return self._first

    def reader(self) -> LanguageModel | None:
        """Returns the chosen provider if it reads goals. Others are not opened."""
        cls = provider_class(self._request.provider)
        return self.first() if cls.is_model or cls.repeats else None

    def offered(self) -> dict[str, LanguageModel]:
        """Returns the chosen provider, then the offline one and the operator."""
        models: dict[str, LanguageModel] = {self._request.provider: self.first()}
        for name in (OFFLINE, Human.name):
            if name not in models:
                models[name] = assembled(open_for(name, {}, self._request.scene), embedder=self._embedder)
        return models

    def close(self) -> None:
        """Closes the chosen provider if it was opened."""
        if self._first is not None:
            self._first.close()
