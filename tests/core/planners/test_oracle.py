"""The expert completes rearrangement and appliance tasks, also where something is in its way."""

from __future__ import annotations

import pytest

from core.evaluation.episode import Drive, drive
from core.evaluation.tasks import draw_task
from core.goals.parser.sentence import parse_goal
from core.goals.vocabulary import Lexicon
from core.planners.baselines import Oracle
from core.planning.facets import GoalProgress, Plan
from core.planning.planner import Decision
from core.world.vocabulary import Action
from sim.household.scenes import load_scene
from sim.household.simulator import HouseholdSimulator


def play(world: HouseholdSimulator, text: str, seed: int = 0, steps: int = 60) -> Drive:
    goal = parse_goal(text, Lexicon(world.reveal().entities))
    return drive(Oracle(), world, goal, None, seed, steps)


KITCHEN_TASKS = [
    "Put one apple inside the fridge",
    "Put one egg in the bowl, then put the bowl in the fridge",
    "Put a sliced tomato on the plate",
    "Slice the bread and cook the bread",
    "Wash the mug and put a clean mug inside the cabinet",
    "Put the mug in the coffee machine and switch on the coffee machine",
    "Open the microwave and turn the faucet on",
    "Put an apple, a tomato and a potato in the fridge and close the fridge",
    "Pick up the lettuce",
]


@pytest.mark.parametrize("text", KITCHEN_TASKS)
@pytest.mark.parametrize("seeing", ["room", "camera"])
def test_kitchen_tasks(text: str, seeing: str) -> None:
    world = HouseholdSimulator(load_scene("FloorPlan1"), seeing=seeing)
    for seed in range(3):
        world.reset(seed)
        episode = play(world, text, seed)
        assert episode.success, f"seed {seed}: {episode.ended} {[str(a) for a, _ in episode.actions]}"


@pytest.mark.parametrize("hands", [1, 2])
def test_it_makes_room_in_a_full_holder(hands: int) -> None:
    world = HouseholdSimulator(load_scene("FloorPlan1"), hands=hands)
    world.reset(0)
    assert play(world, "put the mug in the coffee machine").success
    episode = play(world, "put the cup in the coffee machine")
    assert episode.success, [str(a) for a, _ in episode.actions]


def test_it_says_when_nothing_leads_there() -> None:
    world = HouseholdSimulator(load_scene("FloorPlan201"))
    world.reset(0)
    episode = play(world, "slice the pillow")
    assert not episode.success
    assert "knife" in episode.ended or "refused" in episode.ended


def test_it_yields_progress_and_plan_and_decides() -> None:
    world = HouseholdSimulator(load_scene("four-rooms-1"))
    world.reset(0)
    planner = Oracle()
    planner.begin(draw_task(world, 0), world.schemas, 0)
    thought = planner.plan(world.reveal())
    assert isinstance(next(thought), GoalProgress)
    assert isinstance(next(thought), Plan)
    with pytest.raises(StopIteration) as done:
        thought.send(None)
    assert isinstance(done.value.value, Decision)
    assert isinstance(done.value.value.action, Action)


@pytest.mark.parametrize("scene", [*(f"four-rooms-{k}" for k in (1, 2, 3, 4)), "FloorPlan3", "FloorPlan415"])
def test_drawn_tasks_are_completed_within_thirty_steps(scene: str) -> None:
    world = HouseholdSimulator(load_scene(scene))
    for seed in range(200, 220):
        world.reset(seed)
        goal = draw_task(world, seed)
        episode = drive(Oracle(), world, goal, None, seed, 30)
        assert episode.success, f"{scene} seed {seed} {goal.text}: {episode.ended}"
