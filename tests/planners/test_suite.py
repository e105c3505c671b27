"""The rearrangement suite draws what it says, and plays it."""

from __future__ import annotations

import pytest

from core.evaluation import rearrangement
from core.evaluation.rearrangement import CELLS, Cell, draw, run_cell, scene_of
from core.goals import progress
from core.planners.greedy import Greedy
from core.planners.oracle import Oracle
from core.simulator import Simulator
from sim.household.simulator import HouseholdSimulator
from tests.planners.by_hand import PROVIDER


@pytest.mark.parametrize("cell", CELLS, ids=lambda c: c.title)
def test_tasks_are_as_the_cell_says_possible_and_open(cell: Cell) -> None:
    counts = []
    for scene in sorted({scene_of(cell, seed) for seed in range(4)}):
        with HouseholdSimulator.open(scene, {}) as simulator:
            assert simulator.scene.familiar is cell.seen
            for seed in (20_000, 20_001, 20_002):
                simulator.reset(seed)
                goal = draw(cell, simulator, seed)
                assert goal == draw(cell, simulator, seed)
                assert goal.size == cell.things
                assert not any(p.have for p in progress(goal, simulator.reveal()))
                assert simulator.possible(goal, tidy=True)
                for x in goal.literals:
                    assert (x.target in rearrangement._usual()[x.subject]) != cell.novel
                counts += [x.count for x in goal.literals]
    assert set(counts) <= {1, 2}


def test_a_cell_is_played() -> None:
    open_ones: dict[str, HouseholdSimulator] = {}

    def worlds(scene: str) -> Simulator:
        if scene not in open_ones:
            open_ones[scene] = HouseholdSimulator.open(scene, {})
        return open_ones[scene]

    result = run_cell(Greedy, CELLS[0], range(20_000, 20_004), worlds, PROVIDER)
    expert = run_cell(Oracle, CELLS[0], range(20_000, 20_004), worlds, None)
    assert expert.success == 1.0
    assert expert.steps <= result.steps
    assert result.episodes == 4
    assert sum(run.asked("object positions") for run in result.runs) == 4
