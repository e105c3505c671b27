"""Goals about the robot and about acts are pursued by every planner, and never said to be reached if they are not."""

from __future__ import annotations

import pytest

from core.evaluation.episode import drive
from core.evaluation.robot_tasks import robot_tasks
from core.goals.formal_text import formal
from core.planners.registry import PLANNERS, make_planner, planner_class
from sim.household.simulator import HouseholdSimulator
from tests.core.planners.by_hand import answerers
from tests.long_tests import either

SURE = ("oracle", "llm-mcts", "bcr", "greedy")
OTHERS = tuple(n for n in PLANNERS if "rooms" in planner_class(n).plays and n not in SURE)
SCENES = (("four-rooms-2", 3), ("FloorPlan201", 0))


@pytest.mark.parametrize(("scene", "seed"), SCENES)
@pytest.mark.parametrize("name", SURE)
def test_planners_go_sit_look_and_act(name: str, scene: str, seed: int) -> None:
    simulator = HouseholdSimulator.open(scene, {})
    simulator.reset(seed)
    goals = robot_tasks(simulator, seed)
    assert len(goals) >= 8, "each verb of the world has something to be done to"
    for goal in goals:
        simulator.reset(seed)
        settings = {"simulations": "25"} if "mcts" in name else {}
        run = drive(make_planner(name, "", settings), simulator, goal, answerers(scene), seed, 60)
        assert run.success, f"{formal(goal)}: {run.ended}, {run.actions}"


@pytest.mark.parametrize("name", OTHERS)
def test_other_planners_neither_break_nor_claim(name: str) -> None:
    if planner_class(name).missing():
        pytest.skip(planner_class(name).missing())
    scene, seed = SCENES[0]
    simulator = HouseholdSimulator.open(scene, {})
    simulator.reset(seed)
    for goal in robot_tasks(simulator, seed)[OTHERS.index(name) % 3::either(3, 1)]:
        simulator.reset(seed)
        settings = {"simulations": "10"} if "mcts" in name or name == "uct" else {}
        run = drive(make_planner(name, "", settings), simulator, goal, answerers(scene), seed, 6)
        assert run.success or run.ended != "the goal is reached", formal(goal)
