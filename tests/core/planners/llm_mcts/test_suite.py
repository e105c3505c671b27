"""The rearrangement suite draws what it says, and plays it."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from core.evaluation.contestants import contestant
from core.goals.progress import progress
from core.planners.llm_mcts.suite import CELLS, Cell, Rearrangement, draw, scene_of
from core.simulator.base import Simulator
from core.suites.expert_tasks import expert_kinds, kind_of
from sim.household.simulator import HouseholdSimulator
from tests.core.planners.by_hand import answerers
from tests.long_tests import either


@pytest.mark.parametrize("cell", CELLS, ids=lambda c: c.title)
def test_tasks_are_as_the_cell_says_possible_and_open(cell: Cell) -> None:
    counts = []
    for scene in sorted({scene_of(cell, seed) for seed in range(4)}):
        with HouseholdSimulator.open(scene, {}) as simulator:
            assert simulator.scene.familiar is cell.seen
            for seed in range(20_000, either(20_002, 20_003)):
                simulator.reset(seed)
                goal = draw(cell, simulator, seed)
                assert goal == draw(cell, simulator, seed)
                assert goal.size == cell.things
                assert not any(p.have for p in progress(goal, simulator.reveal()))
                assert simulator.possible(goal, tidy=True)
                kind, expert = kind_of(goal.literals), expert_kinds()
                assert (kind in expert.kinds) != cell.novel
                assert (set(kind) <= expert.parts) == (cell.name != "NovelSimple"), "what is composed is made of known parts"
                assert {s for s, _ in kind} <= expert.subjects
                assert {t for _, t in kind} <= expert.targets
                counts += [x.count for x in goal.literals]
    assert set(counts) <= {1, 2}


def test_a_cell_is_played() -> None:
    open_ones: dict[str, HouseholdSimulator] = {}

    def worlds(scene: str, options: Mapping[str, str]) -> Simulator:
        if scene not in open_ones:
            open_ones[scene] = HouseholdSimulator.open(scene, options)
        return open_ones[scene]

    suite = Rearrangement()
    for seed in range(20_000, 20_004):
        greedy = suite.play(contestant("greedy"), suite.cells[0], seed, worlds, answerers, 30)
        expert = suite.play(contestant("oracle"), suite.cells[0], seed, worlds, answerers, 30)
        assert set(greedy) == set(expert) == {m.key for m in suite.measures}
        assert expert["success"] == 1
        assert expert["steps"] <= greedy["steps"]
