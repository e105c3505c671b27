"""From names and settings to a session's setup: what the command line and the console both start a run with."""

from __future__ import annotations

import platform
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path

from core.errors import UsageError
from core.evaluation.tasks import draw_task
from core.goal_text import parse_goal
from core.goals import Goal
from core.language.budget import Budget, Limits, Price
from core.language.cache import ReplyCache, cache_folder
from core.language.comparing import installed
from core.language.human import Human
from core.language.model import LanguageModel
from core.language.registry import OFFLINE, open_for
from core.language.stack import answerer
from core.lexicon import Lexicon
from core.planners.registry import make_planner
from core.recording.examples import ExampleSet
from core.registry import near_misses
from core.session import Setup
from core.simulator import Simulator


@dataclass(frozen=True, slots=True)
class Request:
    """What a run is asked to be.

    Attributes:
        preset: a named parameter set of the planner; empty: its default.
        parameters: single parameters as text, on top of the preset.
        world: the simulator's own settings.
        model: the provider's own settings (base_url, model …); never a key.
        task: the goal in words; None: the world's own, or one drawn by the seed.
        max_steps: None: as many as the world usually gives.
        cache: keep language models' replies for later runs.
        limits: of calls, tokens and cost.
        prices: of models, per million tokens; a limit of cost needs them.
        examples: the folder of the example set; None: the user's.
    """

    planner: str = "llm-mcts"
    preset: str = ""
    parameters: Mapping[str, str] = field(default_factory=dict)
    simulator: str = "household"
    scene: str = "four-rooms-1"
    world: Mapping[str, str] = field(default_factory=dict)
    provider: str = OFFLINE
    model: Mapping[str, str] = field(default_factory=dict)
    seed: int = 0
    task: str | None = None
    max_steps: int | None = None
    cache: bool = True
    limits: Limits = field(default_factory=Limits)
    prices: Mapping[str, Price] = field(default_factory=dict)
    examples: Path | None = None


SimulatorClass = Callable[[str], type[Simulator]]
"""A simulator's class by its name, given by the composition root: core knows no worlds."""


def read_goal(world: Simulator, task: str | None, scene: str, seed: int) -> Goal:
    """The task in words as a goal of this world's present episode, or a task drawn by the seed.

    Raises:
        UsageError: the words are not understood, or the goal cannot be reached here.
    """
    if task is None:
        return world.goal() or draw_task(world, seed)
    goal = parse_goal(task, Lexicon(world.reveal().entities))
    if not world.possible(goal):
        why = "too few such things, none that fits, or none made for it"
        raise UsageError(f"“{goal.text}” cannot be reached in {scene}, seed {seed}: {why}")
    return goal


def build(request: Request, simulator_class: SimulatorClass) -> Setup:
    """A session's setup.

    Raises:
        UsageError: a name or value that makes no sense.
        DataError: a scene's file is damaged.
        MissingPart: something is not installed, or there is no key.
    """
    cls = simulator_class(request.simulator)
    most_steps = cls.most_steps if request.max_steps is None else request.max_steps
    if most_steps < 1:
        raise UsageError(f"max-steps {most_steps}: give at least 1")
    planner = make_planner(request.planner, request.preset, request.parameters)

    def make_world() -> Simulator:
        return cls.open(request.scene, request.world)

    with make_world() as world:
        world.reset(request.seed)
        goal = read_goal(world, request.task, request.scene, request.seed)
    budget = Budget(request.limits, request.prices) if planner.asks else None
    models = {} if budget is None else _models(request, budget)
    if planner.asks:
        planner.study(tuple(ExampleSet(request.examples)))
    names = {"planner": request.planner, "simulator": request.simulator, "scene": request.scene,
             "provider": request.provider if models else "none"}
    return Setup(planner, make_world, goal, request.seed, most_steps, models, names, versions(), budget)


def _models(request: Request, budget: Budget) -> dict[str, LanguageModel]:
    """The chosen provider first, then the offline one and the operator; beside the sentence embeddings, where installed."""
    model = open_for(request.provider, request.model, request.scene)
    cache = ReplyCache(cache_folder()) if request.cache and model.is_model else None
    embedder = installed()
    models: dict[str, LanguageModel] = {request.provider: answerer(model, cache, budget, embedder)}
    for name in (OFFLINE, Human.name):
        if name not in models:
            models[name] = answerer(open_for(name, {}, request.scene), embedder=embedder)
    return models


def settings(pairs: list[str], flag: str, example: str) -> dict[str, str]:
    """`NAME=VALUE` flags as a mapping.

    Raises:
        UsageError: one is written otherwise.
    """
    found = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name:
            raise UsageError(f"{flag} {pair}: write NAME=VALUE, such as {flag} {example}{near_misses(pair, [example])}")
        found[name] = value
    return found


def version() -> str:
    """Belvedere's own version; "source" where it runs without having been installed."""
    try:
        return metadata.version("belvedere")
    except metadata.PackageNotFoundError:
        return "source"


def versions() -> tuple[tuple[str, str], ...]:
    """What a run should be repeated with."""
    return ("belvedere", version()), ("python", platform.python_version()), ("numpy", metadata.version("numpy"))
