"""How fast the search is in a four-room home; `pytest tests/benchmarks --benchmark-enable`. Nothing is asserted of times."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
from core.search.puct import Search
from core.search.uniform import UniformPolicy

from core.effects import Ask
from core.language.commonsense import Commonsense
from core.planners.llm_mcts import PRESETS, LlmMcts
from core.rearrangement import Rearrangement
from core.search.nodes import Options
from tests.planners.by_hand import goal_of, home, turn

TEXT = "put one apple inside the fridge and one book on the sofa and one mug on the desk"


def test_a_hundred_simulations_without_a_model(benchmark: Any) -> None:
    with home() as simulator:
        mind = Rearrangement(goal_of(simulator, TEXT), simulator.schemas)
        mind.see(simulator.observe())
        problem, knowledge = mind.problem()
        slots, rows = mind.ghosts()

        def hundred() -> int:
            search = Search(problem, knowledge, slots, rows, Options(), UniformPolicy(), np.random.default_rng(0), 30)
            for _ in search.run(lambda: 100):
                pass
            return search.simulations

        assert benchmark(hundred) == 100


def test_a_decision_with_the_offline_provider(benchmark: Any) -> None:
    provider = Commonsense()
    with home() as simulator:
        goal = goal_of(simulator, TEXT)

        def decision() -> bool:
            planner = LlmMcts(PRESETS["tuned"])
            planner.begin(goal, simulator.schemas, 0)
            return turn(planner, simulator, answer).decision.action is not None

        def answer(ask: Ask) -> Any:
            return provider.answer(ask, threading.Event())

        assert benchmark(decision)
