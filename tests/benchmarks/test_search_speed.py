"""How fast the search is; `pytest tests/benchmarks -k search_speed --benchmark-enable -s`. Nothing is asserted of times."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from core.common.cancellation import Cancellation
from core.llm.commonsense import Commonsense
from core.planners.llm_mcts.planner import PRESETS, LlmMcts, LlmMctsParameters
from core.planning.model_requests import ModelRequest
from core.search.search import Options, Search
from tests.benchmarks.homes import TEXT, four_rooms, made_up
from tests.benchmarks.reference import in_units, search_reference
from tests.core.planners.by_hand import goal_of, home, turn

ADMISSIBLE = Options(exploration=24.0, depth=20, actions="admissible", rollout="uniform", reward="goal", urgency=False,
                     worlds="each", final="value")
"""As the paper searches."""
SIZES = (150, 400, 1000)
ROUND = 1000
"""Number of simulations in a round of few."""


def rounds_of(simulations: int) -> int:
    """Returns the number of rounds of a search."""
    return 5 if simulations >= 100_000 else 11


def measured(benchmark: Any, search: Callable[[], Search], name: str, number: int, rounds: int) -> None:
    """Measures a search of so many simulations beside another engine's."""
    found = in_units(benchmark, search_reference(), search, name, repeats=max(1, ROUND // number), rounds=rounds)
    assert found.simulations == number


def as_good(benchmark: Any, simulations: int) -> int:
    """Returns how many simulations to do: where nothing is measured, few are enough."""
    return simulations if benchmark.enabled else min(simulations, 200)


@pytest.mark.benchmark(group="four-rooms-1, tuned, three things wanted")
@pytest.mark.parametrize("simulations", [100, 1000, 10_000, 100_000])
def test_tuned(benchmark: Any, simulations: int) -> None:
    beginning, number = four_rooms(), as_good(benchmark, simulations)
    measured(benchmark, lambda: beginning.search(Options(), number), f"tuned, {simulations:,} simulations", number,
             rounds_of(simulations))


@pytest.mark.benchmark(group="four-rooms-1, all admissible actions, three things wanted")
@pytest.mark.parametrize("simulations", [100, 1000, 10_000])
def test_admissible(benchmark: Any, simulations: int) -> None:
    beginning, number = four_rooms(clutter=True), as_good(benchmark, simulations)
    measured(benchmark, lambda: beginning.search(ADMISSIBLE, number), f"admissible, {simulations:,} simulations", number,
             rounds_of(simulations))


@pytest.mark.benchmark(group="1,000 simulations by the number of things")
@pytest.mark.parametrize("things", SIZES)
@pytest.mark.parametrize("kind", ["tuned", "admissible"])
def test_cost_by_the_number_of_things(benchmark: Any, kind: str, things: int) -> None:
    beginning, number = made_up(things), as_good(benchmark, 1000)
    options = Options() if kind == "tuned" else ADMISSIBLE
    measured(benchmark, lambda: beginning.search(options, number), f"{kind}, {things} things, 1,000 simulations", number,
             rounds_of(1000))


@pytest.mark.benchmark(group="a decision with the offline provider")
@pytest.mark.parametrize("asks", ["as tuned", "about each state"])
@pytest.mark.parametrize("simulations", [100, 10_000])
def test_a_decision_with_the_offline_provider(benchmark: Any, simulations: int, asks: str) -> None:
    provider, number = Commonsense(), as_good(benchmark, simulations)
    with home() as simulator:
        goal, tuned = goal_of(simulator, TEXT), PRESETS["tuned"]
        assert isinstance(tuned, LlmMctsParameters)
        if asks == "about each state":
            tuned = replace(tuned, ask_after=0, most_questions=0)

        def decision() -> list[ModelRequest]:
            planner = LlmMcts(replace(tuned, simulations=number))
            planner.begin(goal, simulator.schemas, 0)
            done = turn(planner, simulator, answer)
            assert done.decision.action is not None
            return [ask for ask in done.asked if ask.purpose == "policy"]

        def answer(ask: ModelRequest) -> Any:
            return provider.answer(ask, Cancellation())

        asked = in_units(benchmark, search_reference(), decision, f"decision, {simulations:,} simulations, asks {asks}",
                         rounds=rounds_of(10 * simulations if asks == "about each state" else simulations))
        assert 0 < len(asked) <= (tuned.most_questions or number)
