from __future__ import annotations

from collections.abc import Iterator

import pytest

from core.common.parameters import changed
from core.goals.literals import Goal, Literal
from core.goals.progress import reached
from core.planners.baselines.planner import Uct
from core.planners.llm_mcts.greedy import Greedy
from core.planners.llm_mcts.llm_policy import LlmPolicy
from core.planners.registry import make_planner
from core.planning.model_requests import ModelReply, ModelRequest
from core.planning.planner import Planner
from core.planning.search_facets import Ranking
from sim.household.simulator import HouseholdSimulator
from tests.core.planners.by_hand import commonsense, goal_of, home, play, says, turn

GOALS = ("put one apple inside the fridge and one book on the sofa", "put one apple in the fridge, then close the fridge",
         "switch on the stove", "hold one mug", "put one sliced apple on the coffee table")


@pytest.fixture
def simulator() -> Iterator[HouseholdSimulator]:
    with home() as found:
        yield found


@pytest.mark.parametrize("text", GOALS)
@pytest.mark.parametrize("planner", [Greedy(), LlmPolicy(), Uct(Uct.presets["macros"])], ids=lambda p: p.name)
def test_goals_of_every_kind_are_reached(simulator: HouseholdSimulator, planner: Planner, text: str) -> None:
    goal = goal_of(simulator, text)
    play(planner, simulator, goal, most=60)
    assert reached(goal, simulator.reveal())


def test_uct_asks_nobody_and_wanders(simulator: HouseholdSimulator) -> None:
    goal = goal_of(simulator, GOALS[0])
    planner = Uct(changed(Uct.presets["paper"], {"simulations": 30}))
    planner.begin(goal, simulator.schemas, 0)
    done = turn(planner, simulator)
    assert not done.asked
    assert len({a.prior for a in done.last(Ranking).actions}) == 1
    assert all(o.ok for o in play(planner, simulator, goal, most=5))


def test_the_policy_does_what_the_model_says(simulator: HouseholdSimulator) -> None:
    goal = goal_of(simulator, GOALS[0])
    planner = LlmPolicy()
    planner.begin(goal, simulator.schemas, 0)

    def answers(ask: ModelRequest) -> ModelReply:
        return commonsense(ask) if ask.purpose != "policy" else ModelReply(("Go into the bedroom!",), "script")

    done = turn(planner, simulator, answers)
    assert str(done.decision.action) == "walk bedroom_1"
    assert done.last(Ranking).actions[0].prior == pytest.approx(1)


@pytest.mark.parametrize("text", ["", "dance", "1" * 100_000])
def test_the_policy_guesses_when_nothing_usable_is_said(simulator: HouseholdSimulator, text: str) -> None:
    goal = goal_of(simulator, GOALS[0])
    assert all(o.ok for o in play(LlmPolicy(), simulator, goal, says(text), most=5))


def test_the_greedy_searcher_asks_only_where_things_are(simulator: HouseholdSimulator) -> None:
    planner = make_planner("greedy")
    planner.begin(goal_of(simulator, GOALS[0]), simulator.schemas, 0)
    assert {a.purpose for a in turn(planner, simulator).asked} == {"object positions"}


def test_all_of_what_is_nowhere_is_given_up_without_the_name_of_a_thing(simulator: HouseholdSimulator) -> None:
    planner = Greedy()
    planner.begin(Goal((Literal("inside", "unicorn", "fridge", every=True),)), simulator.schemas, 0)
    while (decision := turn(planner, simulator).decision).action is not None:
        planner.update(simulator.step(decision.action))
    assert decision.because == "nothing more can be done"


def test_what_is_full_is_cleared_when_nothing_else_helps() -> None:
    with home("four-rooms-2") as simulator:
        goal = goal_of(simulator, "put two plates inside the dishwasher")
        play(make_planner("greedy"), simulator, goal, most=120)
        assert reached(goal, simulator.reveal())
