"""FF-Replan with a solver of our own in place of Fast Downward, which is used where it is installed."""

from __future__ import annotations

import functools
from collections.abc import Iterator

import pytest

from core.common.errors import MissingPart
from core.goals.progress import reached
from core.planners.ff_replan import planner
from core.planners.ff_replan.planner import FfReplan
from core.planners.ff_replan.solver import Solver, missing
from core.planners.registry import make_planner
from core.planning.facets import Plan
from core.planning.search_facets import Ranking
from core.world.vocabulary import Action
from sim.household.simulator import HouseholdSimulator
from tests.core.planners.by_hand import goal_of, home, play, turn
from tests.core.planners.ff_replan.test_solver import TOY

GOAL = "put one apple inside the fridge"
TASKS = (GOAL, "put one book on the sofa and one mug inside the sink", "put one sliced apple on the coffee table",
         "switch on the stove", "hold one mug", "put one apple in the fridge, then close the fridge")


@pytest.fixture
def world() -> Iterator[HouseholdSimulator]:
    with home("four-rooms-1", 5) as found:
        yield found


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planner, "Solver", functools.partial(Solver, TOY))


def begun(world: HouseholdSimulator, preset: str = "full", task: str = GOAL) -> FfReplan:
    planner = FfReplan(FfReplan.presets[preset])
    planner.begin(goal_of(world, task), world.schemas, 0)
    return planner


@pytest.mark.usefixtures("toy")
@pytest.mark.parametrize("task", TASKS)
def test_goals_of_many_kinds_are_reached(world: HouseholdSimulator, task: str) -> None:
    goal = goal_of(world, task)
    play(FfReplan(), world, goal, most=80)
    assert reached(goal, world.reveal())


@pytest.mark.usefixtures("toy")
def test_limited_considers_more_and_reaches_it_later_or_as_soon(world: HouseholdSimulator) -> None:
    full, limited = begun(world), begun(world, "limited")
    here, there = turn(full, world), turn(limited, world)
    assert len(there.last(Ranking).actions) > len(here.last(Ranking).actions)
    goal = goal_of(world, GOAL)
    play(FfReplan(FfReplan.presets["limited"]), world, goal, most=120)
    assert reached(goal, world.reveal())


@pytest.mark.usefixtures("toy")
def test_a_plan_is_followed_until_a_surprise(world: HouseholdSimulator) -> None:
    planner = begun(world)
    first = turn(planner, world)
    plan = first.last(Plan)
    assert plan.because.startswith("plan 1 of")
    assert first.decision.action == plan.actions[0]
    planner.update(world.step(plan.actions[0]))
    second = turn(planner, world)
    if second.last(Plan).because == "as planned":
        assert second.last(Plan).actions == plan.actions[1:]
    other = next(a for a in world.admissible() if a.verb == "walk" and a != second.decision.action)
    planner.update(world.step(other))  # the operator's
    assert turn(planner, world).last(Plan).because.startswith("plan ")


@pytest.mark.usefixtures("toy")
def test_a_look_that_finds_nothing_rules_the_place_out(world: HouseholdSimulator) -> None:
    goal = goal_of(world, "put one book on the sofa")
    outcomes = play(FfReplan(), world, goal, most=80)
    opened = [o.action for o in outcomes if o.action.verb == "open"]
    assert len(opened) == len(set(opened)), "opened twice for nothing"


@pytest.mark.usefixtures("toy")
def test_what_is_impossible_is_given_up_in_words(world: HouseholdSimulator) -> None:
    planner = begun(world)
    planner.ban(frozenset(Action("put_in", (e.id, "fridge_1")) for e in world.reveal().entities))
    for _ in range(80):
        decision = turn(planner, world).decision
        if decision.action is None:
            assert decision.because == "no plan leads to the goal with what is known"
            return
        planner.update(world.step(decision.action))
    raise AssertionError("it never gave up")


@pytest.mark.usefixtures("toy")
def test_commands_are_heard_while_the_solver_works(world: HouseholdSimulator) -> None:
    planner, checkpoints = begun(world), list[int]()
    other = goal_of(world, "put one mug on the coffee table")

    def meddle(number: int, facet: object) -> None:
        checkpoints.append(number)
        if number == 2:
            planner.set_goal(other)

    done = turn(planner, world, meddle=meddle)
    assert len(checkpoints) > 2
    assert done.decision.action is not None
    assert [p.literal for p in planner.progress().literals] == list(other.literals)


@pytest.mark.usefixtures("toy")
def test_in_a_kitchen_seen_through_a_camera() -> None:
    with home("FloorPlan4", 2, seeing="camera") as kitchen:
        goal = goal_of(kitchen, GOAL)
        play(FfReplan(), kitchen, goal, most=100)
        assert reached(goal, kitchen.reveal())


def test_without_its_packages_it_names_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(MissingPart, match=r"unified-planning and up-fast-downward.*pip install -e \"\.\[classical\]\""):
        make_planner("ff-replan")


@pytest.mark.skipif(bool(missing("")), reason=missing("Fast Downward"))
def test_with_fast_downward(world: HouseholdSimulator) -> None:
    goal = goal_of(world, TASKS[1])
    play(make_planner("ff-replan"), world, goal, most=80)
    assert reached(goal, world.reveal())
