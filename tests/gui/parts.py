"""Real planners and simulators, assembled as the composition root does, for tests that drive the window."""

from __future__ import annotations

from core.app.run_request import Request
from core.evaluation.tasks import draw_task
from core.goals.literals import Goal
from core.goals.parser.sentence import parse_goal
from core.goals.vocabulary import Lexicon
from core.llm.model import open_model
from core.planners.registry import PLANNERS, make_planner, planner_class
from core.session.setup import Setup
from core.simulator.base import Simulator
from gui.app import Parts
from gui.control.choices import Choices
from gui.widgets.chooser import Choice
from sim.registry import simulator_class
from tests.core.session.toys import GOAL, Guide, Line, Walker

TASK = "Put one apple inside the fridge"


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
        tasks=(("Put one apple inside the fridge", "1 goal · simple"),
               ("Put the toothbrush inside the bathroom cabinet", "1 goal · simple"),
               ("One apple on the table, one toothbrush in the cabinet", "2 goals · composed"),
               ("Two plums and a salmon inside the fridge", "3 goals · new")),
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
        return parse_goal(request.task, Lexicon(world.reveal().entities)) if request.task else draw_task(world, request.seed)


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
    request = Request(planner, simulator=simulator, scene=scene, provider=provider, task=task)
    return Parts(choices(), choices, make_setup, read_goal, request)
