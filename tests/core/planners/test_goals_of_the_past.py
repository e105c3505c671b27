"""Goals about all there is and about where things lay, for every planner: reached, and never said to be when they are not."""

from __future__ import annotations

import pytest

from core.evaluation.episode import drive
from core.goals.parser.sentence import parse_goal
from core.goals.progress import GoalWatch, reached
from core.goals.vocabulary import Lexicon
from core.planners.registry import PLANNERS, make_planner, planner_class
from core.world.vocabulary import Outcome
from sim.household.simulator import HouseholdSimulator
from tests.core.planners.by_hand import answerers
from tests.long_tests import some_pairs

SCENE, SEED = "four-rooms-2", 7
HOUSEHOLD = tuple(n for n in PLANNERS if "rooms" in planner_class(n).plays)
WEAK = {"uct", "progprompt", "inner-monologue", "ff-replan", "llm-mcts-fully-observable", "cloned-policy"}
"""They search at random, forget, write programs of what they have not seen, or clear nothing away: they may fail, but neither
claim nor crash."""
SAYINGS = ("Switch off all lights", "Take two things off the kitchen table", "Empty the coffee table",
           "Open all kitchen cabinets", "Put all plates on the coffee table", "Make sure that every plate is clean",
           "Heat the chicken with the microwave")


@pytest.mark.parametrize(("name", "text"), some_pairs(HOUSEHOLD, SAYINGS, 2))
def test_planners_do_what_was_asked(name: str, text: str) -> None:
    if planner_class(name).missing():
        pytest.skip(planner_class(name).missing())
    simulator = HouseholdSimulator.open(SCENE, {"lit": "yes"})
    simulator.reset(SEED)
    goal = parse_goal(text, Lexicon(simulator.reveal().entities))
    settings = {"simulations": "25"} if "mcts" in name or name == "uct" else {}
    steps = 12 if name in WEAK else 70
    past = GoalWatch(goal)
    past.see(simulator.reveal())

    def hear(outcome: Outcome) -> None:
        del outcome
        past.see(simulator.reveal())

    run = drive(make_planner(name, "", settings), simulator, goal, answerers(SCENE), 1, steps, on_outcome=hear)
    assert run.success == reached(goal, simulator.reveal(), past.record)
    assert run.success or (name in WEAK and run.ended != "the goal is reached"), run.ended
