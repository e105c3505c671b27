"""Stages, acts, postures and prohibitions belong to one turn of one branch: going back takes them back."""

from __future__ import annotations

import random

import pytest

from core.goals.formal_text import read_formal
from core.goals.literals import LiteralProgress
from core.planners.registry import make_planner
from core.session import commands as c
from core.session import events as e
from core.session.session import Session
from core.session.setup import Setup
from core.session.snapshot import fold_all
from core.world.vocabulary import Action
from sim.household.simulator import HouseholdSimulator
from tests.core.recording.common import CODEC
from tests.core.session.test_session import told
from tests.core.session.toys import Ear
from tests.walk_seeds import walk_seeds

GOAL = "sitting(sofa) then done(watch, television) then robot_in(bedroom) and never is(fridge, open)"
SCENE, SEED = "four-rooms-2", 3


def living_room() -> HouseholdSimulator:
    return HouseholdSimulator.open(SCENE, {})


def running(planner: str = "oracle") -> tuple[Session, Ear]:
    with living_room() as simulator:
        simulator.reset(SEED)
        goal = read_formal(GOAL, simulator.reveal().entities)
    made = Session(Setup(make_planner(planner, "", {}), living_room, goal, SEED, 60, {}, {"scene": SCENE}))
    return made, Ear(made)


def begun(ear: Ear) -> dict[tuple[int, int], tuple[tuple[LiteralProgress, ...], object]]:
    """Returns the progress and the robot at the beginning of each turn, by branch and turn."""
    return {(event.branch, event.turn): (event.what.progress, event.what.seen.agent) for event in ear.events
            if isinstance(event.what, e.TurnBegan)}


@pytest.mark.parametrize("seed", walk_seeds(4))
def test_going_back_takes_back_what_was_reached_and_done(seed: int) -> None:
    run, ear = running()
    rng = random.Random(seed)
    turns = sorted(rng.sample(range(3, 9), 2))
    backs = [rng.randrange(1, turn) for turn in turns]
    for turn, back in zip(turns, backs, strict=True):
        ear.when(told(e.TurnBegan, turn), c.Rewind(back))
    assert run.run().success
    seen = begun(ear)
    assert max(branch for branch, _ in seen) >= 1
    for (branch, turn), what in seen.items():
        assert what == seen.get((0, turn), what), f"turn {turn} of branch {branch} began otherwise"
    held = fold_all(ear.events)
    assert held.ended is not None
    assert held.ended.success
    assert [p.have for p in held.progress] == [1, 1, 1, 1]
    assert CODEC.loads(CODEC.dumps(ear.events[-1]), e.Event) == ear.events[-1]


def test_what_the_goal_forbids_only_the_operator_does_and_going_back_undoes_it() -> None:
    run, ear = running()
    for turn, action in ((2, ("walk", "kitchen_1")), (3, ("walk", "fridge_1")), (4, ("open", "fridge_1"))):
        ear.when(told(e.TurnBegan, turn), c.Override(Action(action[0], (action[1],))))
    ear.when(told(e.TurnBegan, 5), c.Rewind(2))
    assert run.run().success
    forbidden = {moment: progress[-1].reached for moment, (progress, _) in begun(ear).items()}
    assert not forbidden[0, 5], "the operator opened the fridge"
    assert all(kept for moment, kept in forbidden.items() if moment != (0, 5))


def test_without_going_back_the_goal_is_lost_and_the_run_says_why() -> None:
    run, ear = running()
    for turn, action in ((2, ("walk", "kitchen_1")), (3, ("walk", "fridge_1")), (4, ("open", "fridge_1"))):
        ear.when(told(e.TurnBegan, turn), c.Override(Action(action[0], (action[1],))))
    ended = run.run()
    assert not ended.success
    assert "cannot be reached any more" in ended.reason
