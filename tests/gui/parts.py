"""Real planners and simulators, assembled as the composition root does, for tests that drive the window."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from types import MappingProxyType

from core.app.goal_reading import TaskReading
from core.app.run_request import Request
from core.app.scene_content import SampleTask, sample_tasks
from core.common.errors import GoalError
from core.common.parameters import Value
from core.goals.formal_text import read_formal
from core.goals.literals import Goal
from core.goals.parser.sentence import parse_goal
from core.goals.reading import GoalReading
from core.goals.vocabulary import Lexicon
from core.llm.model import open_model
from core.planners.registry import PLANNERS, make_planner, planner_class
from core.session.setup import Setup
from core.simulator.base import Simulator
from core.suites.tasks import draw_task
from core.world.vocabulary import Entity
from gui.control.choices import Choices, ReadGoal
from gui.control.parts import Parts
from gui.widgets.chooser import Choice
from sim.registry import simulator_class
from tests.core.session.toys import GOAL, Guide, Line, Walker

TASK = "Put one apple inside the fridge"
FEW: Mapping[str, Value] = MappingProxyType({"simulations": 60})
"""The parameters of a planner that searches: enough to explain, less work than by default."""


def choices() -> Choices:
    """The choices of the tests. One part is missing on purpose."""
    planners = tuple(Choice(name, name.replace("llm-mcts", "LLM-MCTS"), shows=planner_class(name).shows) for name in PLANNERS)
    return Choices(
        planners=(Choice("walker", "Walker"), *planners),
        simulators=(Choice("household", "household"), Choice("line", "line"),
                    Choice("thor", "AI2-THOR", available=False, hint="make install-thor")),
        scenes={"household": tuple(Choice(f"four-rooms-{k}", f"four-rooms-{k}") for k in range(1, 5)),
                "line": (Choice("line", "A line"),)},
        providers=(Choice("commonsense", "commonsense", is_model=False), Choice("guide", "Guide")),
        presets={"llm-mcts": (Choice("default", "default"),)},
    )


def _open(simulator: str, scene: str, seed: int) -> Simulator:
    if simulator == "line":
        return Line()
    world = simulator_class(simulator).open(scene, {})
    world.reset(seed)
    return world


def read_goal(request: Request) -> Goal:
    """Returns the goal of a request's text."""
    if request.simulator == "line":
        return GOAL
    with _open(request.simulator, request.scene, request.seed) as world:
        if request.goal:
            goal = read_formal(request.goal, world.reveal().entities, request.task)
            if verdict := world.possible(goal):
                return goal
            raise GoalError(f"this cannot be done here: {verdict.reason}")
        return parse_goal(request.task, Lexicon(world.reveal().entities)) if request.task else draw_task(world, request.seed)


def as_reading(read: Callable[[Request], Goal]) -> ReadGoal:
    """Returns a reader as the window is given it, of a function that returns a goal or raises GoalError."""
    def reader(request: Request, cancelled: threading.Event) -> TaskReading:
        del cancelled
        try:
            return TaskReading(GoalReading(read(request)))
        except GoalError as error:
            return TaskReading(GoalReading(None, refusal=error))

    return reader


def list_entities(request: Request) -> tuple[Entity, ...]:
    """Returns everything in a request's scene."""
    with _open(request.simulator, request.scene, request.seed) as world:
        return world.reveal().entities


def list_tasks(request: Request, number: int) -> tuple[SampleTask, ...]:
    """Returns tasks of a request's scene."""
    return sample_tasks(request, number, simulator_class)


def make_setup(request: Request) -> Setup:
    """Returns the setup of a request."""
    names = {"planner": request.planner, "simulator": request.simulator, "scene": request.scene, "provider": request.provider}
    goal, most_steps = read_goal(request), request.max_steps or 30
    if request.planner == "walker":
        return Setup(Walker(), Line, GOAL, request.seed, most_steps, {"guide": Guide()}, names)
    planner = make_planner(request.planner, "", request.parameters)
    models = {"commonsense": open_model("commonsense", {})}
    return Setup(planner, lambda: _open(request.simulator, request.scene, request.seed), goal, request.seed, most_steps,
                 models, names)


def parts(planner: str = "walker", task: str = "") -> Parts:
    """Returns the parts of a console for the toy, or for a real planner in the household."""
    toy = planner == "walker"
    simulator, scene, provider = ("line", "line", "guide") if toy else ("household", "four-rooms-1", "commonsense")
    parameters = FEW if planner == "llm-mcts" else {}
    request = Request(planner, simulator=simulator, scene=scene, provider=provider, task=task, parameters=parameters)
    return Parts(choices(), choices, make_setup, as_reading(read_goal), request, list_tasks=list_tasks,
                 list_entities=list_entities)
