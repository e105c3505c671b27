"""Drawn tasks about the robot and acts are possible, differ by seed, and are read back from their words."""

from __future__ import annotations

import pytest

from core.evaluation.robot_tasks import robot_tasks
from core.goals.literals import ABOUT_ROBOT
from core.goals.parser.sentence import read_sentence
from core.goals.vocabulary import Lexicon
from core.world.vocabulary import ACTS
from sim.household.simulator import HouseholdSimulator

SCENES = ("four-rooms-1", "four-rooms-4", "FloorPlan7", "FloorPlan220", "FloorPlan330", "FloorPlan425")


@pytest.mark.parametrize("scene", SCENES)
@pytest.mark.parametrize("seed", [0, 5])
def test_their_words_say_what_they_are(scene: str, seed: int) -> None:
    simulator = HouseholdSimulator.open(scene, {})
    simulator.reset(seed)
    lexicon = Lexicon(simulator.reveal().entities)
    tasks = robot_tasks(simulator, seed)
    assert tasks == robot_tasks(simulator, seed), "the same seed draws the same"
    for goal in tasks:
        reading = read_sentence(goal.text, lexicon)
        assert reading.goal is not None, goal.text
        assert reading.goal.literals == goal.literals


def test_every_posture_and_act_of_the_household_is_drawn_somewhere() -> None:
    drawn: set[str] = set()
    for scene in ("four-rooms-1", "FloorPlan1", "FloorPlan220", "FloorPlan330"):
        simulator = HouseholdSimulator.open(scene, {})
        simulator.reset(3)
        drawn |= {literal.act or literal.predicate for goal in robot_tasks(simulator, 3) for literal in goal.literals}
    assert drawn == ABOUT_ROBOT | set(ACTS)
