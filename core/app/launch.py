"""Makes a session's setup from names and settings. The command line and the console both start runs with it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from core.app.goal_suggestions import read_task
from core.app.run_request import Request
from core.common.errors import MissingPart, UsageError
from core.common.installation import versions
from core.evaluation.tasks import draw_task
from core.goals.literals import Goal
from core.llm.budget import Budget
from core.llm.cache import ReplyCache, cache_folder
from core.llm.embeddings import installed
from core.llm.human import Human
from core.llm.model import OFFLINE, LanguageModel, open_for
from core.llm.stack import Answerer
from core.planners.registry import make_planner
from core.planning.planner import Planner
from core.recording.examples import ExampleSet
from core.session.setup import OpenWorld, Setup
from core.simulator.base import Simulator

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


def goal_of(request: Request, simulator_class: SimulatorClass) -> Goal:
    """Returns the request's task as a goal of its episode, or the simulator's own goal, or one drawn by the seed.

    Raises:
        GoalError: the task cannot be parsed, or is not possible there; the error names tasks that are.
        DataError: the scene's file is damaged.
        MissingPart: the simulator is not installed.
    """
    request = placed(request, simulator_class)
    with simulator_class(request.simulator).open(request.scene, request.world) as world:
        return _goal_in(world, request)


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
        task = draw_task(world, number).text
        read_task(world, task, request.seed)  # a task that is offered must be parsable
        return task


def _goal_in(world: Simulator, request: Request) -> Goal:
    world.reset(request.seed)
    if not request.task:
        return world.goal() or draw_task(world, request.seed)
    return read_task(world, request.task, request.seed)


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
    world = cls.open(request.scene, request.world)
    try:
        return _setup(request, planner, OpenWorld(world, lambda: cls.open(request.scene, request.world)),
                      _goal_in(world, request), most_steps)
    except BaseException:
        world.close()
        raise


def _setup(request: Request, planner: Planner, opened: OpenWorld, goal: Goal, most_steps: int) -> Setup:
    budget = Budget(request.limits, request.prices) if planner.asks else None
    models = {} if budget is None else _models(request, budget)
    if planner.asks:
        planner.study(tuple(ExampleSet(request.examples)))
    names = {"planner": request.planner, "simulator": request.simulator, "scene": request.scene,
             "provider": request.provider if models else "none"}
    return Setup(planner, opened, goal, request.seed, most_steps, models, names, versions(), budget, close_unused=opened.close)


def _models(request: Request, budget: Budget) -> dict[str, LanguageModel]:
    """Returns the chosen provider first, then the offline one and the operator; with sentence embeddings if installed."""
    model = open_for(request.provider, request.model, request.scene)
    cache = ReplyCache(cache_folder()) if request.cache and model.is_model else None
    embedder = installed()
    models: dict[str, LanguageModel] = {request.provider: Answerer(model, cache, budget, embedder)}
    for name in (OFFLINE, Human.name):
        if name not in models:
            models[name] = Answerer(open_for(name, {}, request.scene), embedder=embedder)
    return models
