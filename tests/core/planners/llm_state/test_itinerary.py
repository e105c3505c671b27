"""The numbered plan as it is followed: done, failed, never come to."""

from __future__ import annotations

from core.planners.llm_state.state import PlanProgress
from core.planners.registry import make_planner
from core.planning.facets import Steps
from core.world.vocabulary import Action, Outcome
from tests.core.planners.by_hand import goal_of, home, turn

CALLS = (("move", ("kitchen_1",)), ("open", ("fridge_1",)), ("placein", ("apple_1", "fridge_1")))


def states(steps: Steps) -> list[str]:
    return [line.state for line in steps.lines]


def test_calls_are_done_when_the_next_is_come_to() -> None:
    plan = PlanProgress()
    plan.begin(CALLS)
    assert [line.text for line in plan.steps.lines] == ["move(kitchen1)", "open(fridge1)", "placein(apple1, fridge1)"]
    assert (states(plan.steps), plan.steps.current) == (["waiting"] * 3, -1)
    plan.reach(0)
    plan.reach(1)
    assert (states(plan.steps), plan.steps.current) == (["done", "waiting", "waiting"], 1)
    plan.end("the fridge is locked", failed=True)
    assert states(plan.steps) == ["done", "failed", "skipped"]
    assert plan.steps.lines[1].note == "the fridge is locked"
    plan.end("too late")
    assert states(plan.steps) == ["done", "failed", "skipped"]


def test_the_last_call_is_done_when_the_plan_is_used_up() -> None:
    plan = PlanProgress()
    plan.begin(CALLS[:2])
    plan.reach(0)
    plan.reach(1)
    plan.end()
    assert states(plan.steps) == ["done", "done"]


def test_an_operator_s_own_action_ends_the_plan() -> None:
    simulator = home()
    planner = make_planner("llm-state")
    planner.begin(goal_of(simulator, "put the apple in the fridge"), simulator.schemas, 0)
    first = turn(planner, simulator)
    assert first.decision.action is not None
    shown = first.last(Steps)
    assert shown.current == 0
    assert len(shown.lines) >= 1
    other = Action("walk", ("bathroom_1",))
    planner.update(simulator.step(other))
    again = [f for f in turn(planner, simulator).shown if isinstance(f, Steps)]
    assert "skipped" in states(again[0])
    assert "operator" in again[0].lines[0].note


def test_a_refusal_is_told_on_its_step() -> None:
    simulator = home()
    planner = make_planner("llm-state")
    planner.begin(goal_of(simulator, "put the apple in the fridge"), simulator.schemas, 0)
    action = turn(planner, simulator).decision.action
    assert action is not None
    planner.update(Outcome(action, False, "the door is stuck", simulator.observe(), "reach"))
    again = next(f for f in turn(planner, simulator).shown if isinstance(f, Steps))
    assert (again.lines[0].state, again.lines[0].note) == ("failed", "the door is stuck")
