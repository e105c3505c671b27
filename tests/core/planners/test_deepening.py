"""An operator may have one action searched more, or all alike, while the search runs and when it is over."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from core.common.errors import UsageError
from core.common.parameters import changed
from core.planners.llm_mcts.planner import PRESETS, LlmMcts
from core.planning.facets import Facet, Plan
from core.planning.search_facets import Ranking
from core.world.vocabulary import Action
from sim.household.simulator import HouseholdSimulator
from tests.core.planners.by_hand import goal_of, home, turn

TEXT = "put one apple inside the fridge and one book on the sofa"


@pytest.fixture
def simulator() -> Iterator[HouseholdSimulator]:
    with home() as simulator:
        yield simulator


def planner_for(simulator: HouseholdSimulator) -> LlmMcts:
    planner = LlmMcts(changed(PRESETS["tuned"], {"simulations": 100}))
    planner.begin(goal_of(simulator, TEXT), simulator.schemas, 0)
    return planner


def visits(ranking: Ranking) -> dict[Action, int]:
    return {r.steps[-1]: r.visits for r in ranking.actions}


def test_one_action_is_searched_more_beyond_the_budget(simulator: HouseholdSimulator) -> None:
    planner = planner_for(simulator)
    chosen: list[Action] = []

    def meddle(number: int, facet: Facet) -> None:
        if isinstance(facet, Ranking) and not chosen:
            chosen.append(facet.actions[-1].steps[-1])
            planner.deepen(chosen[0], 40)

    plain = turn(planner_for(simulator), simulator).last(Ranking)
    deeper = turn(planner, simulator, meddle=meddle).last(Ranking)
    assert plain.simulations == 100
    assert deeper.simulations == 140
    assert visits(deeper)[chosen[0]] >= 40 > visits(plain)[chosen[0]]


def test_all_actions_are_made_equal_even_when_the_search_was_over(simulator: HouseholdSimulator) -> None:
    planner = planner_for(simulator)
    asked: list[int] = []

    def meddle(number: int, facet: Facet) -> None:
        if isinstance(facet, Plan) and not asked:
            asked.append(number)
            planner.deepen(None, 0)

    result = turn(planner, simulator, meddle=meddle)
    counts = visits(result.last(Ranking)).values()
    assert len(counts) > 3
    assert len(set(counts)) == 1
    assert result.decision.action is not None


def test_only_what_is_being_searched_can_be(simulator: HouseholdSimulator) -> None:
    planner = planner_for(simulator)
    with pytest.raises(UsageError, match="not being searched"):
        planner.deepen(None, 25)

    def meddle(number: int, facet: Facet) -> None:
        if isinstance(facet, Ranking):
            with pytest.raises(UsageError, match="not being searched"):
                planner.deepen(Action("fly", ("moon_1",)), 25)

    assert turn(planner, simulator, meddle=meddle).last(Ranking).simulations == 100
