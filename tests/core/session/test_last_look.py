"""What the snapshot holds after the last action of a run."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from core.app.launch import build
from core.app.run_request import Request
from core.planners.bcr.recorded_types import BlockingTree
from core.planning.belief_facets import Belief
from core.planning.facets import Facet, GoalProgress, Plan
from core.session import commands as c
from core.session import events as e
from core.session.session import Session
from core.session.setup import Setup
from core.session.snapshot import fold_all
from core.world.vocabulary import Observation
from sim.registry import simulator_class
from tests.core.session.toys import GOAL, RIGHT, Ear, Guide, Line, Walker, session

TASK = "Put one apple inside the fridge"


class Looker(Walker):
    """Shows its position after the last action; may raise there."""

    breaks = False

    def last_look(self, observation: Observation) -> Iterable[Facet]:
        self.edited = 99
        if self.breaks:
            raise ValueError("no eyes")
        yield Plan((), f"at last {sorted(observation.by_id['walker_1'].states)}")


def played(planner: Walker, steps: int = 30) -> Ear:
    run = Session(Setup(planner, Line, GOAL, 0, steps, {"guide": Guide()}))
    ear = Ear(run)
    run.run()
    return ear


@pytest.mark.parametrize("steps", [30, 2])
def test_it_is_shown_between_the_last_action_and_the_end_in_its_turn(steps: int) -> None:
    planner = Looker()
    ear = played(planner, steps)
    shown, ended = ear.events[-2:]
    assert isinstance(ended.what, e.Ended)
    assert isinstance(shown.what, e.Shown)
    assert isinstance(shown.what.facet, Plan)
    assert shown.what.facet.because == f"at last ['at {min(steps, 5)}']"
    assert shown.turn == min(steps, 5)
    assert planner.edited == 0, "a copy looked"


def test_a_paused_run_stays_paused_until_its_end() -> None:
    run = Session(Setup(Looker(), Line, GOAL, 0, 1, {"guide": Guide()}))
    ear = Ear(run)
    are_paused: list[tuple[bool, bool]] = []
    ear.when(lambda x: isinstance(x.what, e.TurnBegan), c.Pause(), c.Override(RIGHT))
    run.subscribe(lambda x: are_paused.append((bool(fold_all(ear.events).pause), run._run.pause_control.paused)))
    run.run()
    assert are_paused[-2:] == [(True, True), (False, False)], "the last look, and the end"


def test_without_an_action_nothing_is_looked_at() -> None:
    ear = Ear(run := Session(Setup(Looker(), Line, GOAL, 0, 1, {"guide": Guide(text="nowhere")})))
    run.run()
    other, heard = session(planner=Looker(), steps=1)
    other.run()
    assert sum(isinstance(x.what, e.Shown) for x in ear.events) == sum(isinstance(x.what, e.Shown) for x in heard.events)


def test_a_planner_that_breaks_there_does_not_lose_the_run() -> None:
    planner = Looker()
    planner.breaks = True
    ear = played(planner)
    assert [f.message for f in ear.of(e.Failed)] == ["walker broke after the last action: no eyes"]
    assert ear.of(e.Ended)[0].success


@pytest.mark.parametrize("planner", ["llm-mcts", "bcr", "llm-state", "oracle", "progprompt", "greedy"])
def test_each_planner_says_how_far_the_goal_is_at_the_end(planner: str) -> None:
    run = Session(build(Request(planner=planner, task=TASK, max_steps=12), simulator_class))
    ear = Ear(run)
    ended = run.run()
    snapshot = fold_all(ear.events)
    assert ear.of(e.Failed) == []
    report = snapshot.fresh(GoalProgress)
    assert report is not None
    if ended.success:
        assert report.reached
    last = {type(x.what.facet) for x in ear.events[-4:] if isinstance(x.what, e.Shown)}
    if planner == "llm-mcts":
        belief = snapshot.facet(Belief)
        assert belief is not None
        assert Belief in last
        fridge = [k for k, place in enumerate(belief.places) if place.startswith("fridge")]
        assert belief.probability[:, fridge].max() == 1.0, "the apple was put there by the last action"
        before = [x.what.facet for x in ear.events if isinstance(x.what, e.Shown) and isinstance(x.what.facet, Belief)][-2]
        assert before.probability[:, fridge].max() < 1.0
    if planner == "bcr":
        assert BlockingTree in last
