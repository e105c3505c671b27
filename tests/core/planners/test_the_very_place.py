"""A pronoun means the very place that something was put in: every planner closes, opens or switches that one, of many."""

from __future__ import annotations

import pytest

from core.app.goal_reading import read_task
from core.evaluation.episode import drive
from core.goals.formal_text import formal
from core.goals.progress import lies_at
from core.planners.registry import make_planner
from core.world.vocabulary import Observation
from sim.household.simulator import HouseholdSimulator
from tests.core.planners.by_hand import PROVIDER
from tests.core.planners.drawn_goals import SETTINGS

CASES = (
    ("FloorPlan7", "Hide the wine bottle in a cabinet and close it afterwards", "wine_bottle", "closed"),
    ("FloorPlan7", "Put a spoon in a drawer, then close the drawer", "spoon", "closed"),
    ("FloorPlan3", "Open a drawer and put the spatula in it", "spatula", "open"),
    ("four-rooms-2", "Wash the plate, put it in a kitchen cabinet and close it", "plate", "closed"),
)


@pytest.mark.parametrize("name", ["oracle", "bcr", "greedy", "llm-mcts", "llm-policy", "llm-state"])
@pytest.mark.parametrize(("scene", "task", "thing", "state"), CASES)
def test_every_planner_works_on_the_place_that_it_lies_in(name: str, scene: str, task: str, thing: str, state: str) -> None:
    world = HouseholdSimulator.open(scene, {})
    world.reset(0)
    goal = read_task(world, task, 0).goal
    run = drive(make_planner(name, "", dict(SETTINGS.get(name, {}))), world, goal, PROVIDER, 0, 80)
    assert run.success, f"{formal(goal)}: {run.ended}, {run.actions[-4:]}"
    assert state in states_around(thing, world.reveal())


def states_around(thing: str, world: Observation) -> set[str]:
    """Returns the states of what the objects of a class lie in, apart from those that lie on something."""
    ids = [e.id for e in world.entities if e.cls == thing]
    return {state for i in ids for holder in lies_at(i, world) for state in world.by_id[holder].states}
