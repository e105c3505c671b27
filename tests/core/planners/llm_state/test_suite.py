"""The suite of LLM-State sets up the episodes it describes and plays them; a planner that sees everything reaches the goals."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from core.common.parameters import changed
from core.evaluation.contestants import contestant
from core.evaluation.suites import suite
from core.goals.progress import GoalWatch, reached
from core.planners.llm_state.planner import LlmState
from core.planners.llm_state.suite import HARD, HOMES, SIMPLE, LlmStateSuite, Task, draw
from core.planners.llm_state.suite_tables import METHODS, TABLE_I
from core.simulator.base import Simulator
from core.suites.suite import Row
from sim.household.simulator import HouseholdSimulator
from tests.core.planners.by_hand import answerers
from tests.long_tests import either

Open = Callable[[str, Mapping[str, str]], Simulator]


@pytest.fixture(scope="module")
def worlds() -> Open:
    open_ones: dict[tuple[str, tuple[tuple[str, str], ...]], HouseholdSimulator] = {}

    def opened(scene: str, options: Mapping[str, str]) -> Simulator:
        key = scene, tuple(sorted(options.items()))
        if key not in open_ones:
            open_ones[key] = HouseholdSimulator.open(scene, options)
        return open_ones[key]

    return opened


def test_fifteen_tasks_in_five_homes() -> None:
    assert (len(SIMPLE), len(HARD), len(HOMES)) == (8, 7, 5)
    assert isinstance(suite("llm-state"), LlmStateSuite)
    assert all(len(row) == len(LlmStateSuite.cells) for row in LlmStateSuite.published.values())
    for text in LlmStateSuite.contestants:
        contestant(text)


@pytest.mark.parametrize("cell", LlmStateSuite.cells)
def test_tasks_are_open_possible_and_the_same_for_a_seed(worlds: Open, cell: str) -> None:
    tasks: tuple[Task, ...] = HARD if cell.startswith("hard") else SIMPLE
    texts, chosen = set(), list(enumerate(tasks))[::either(2, 1)]
    for k, task in chosen:
        seed = k * len(HOMES) + k % len(HOMES)
        episode = draw(cell, seed, worlds)
        assert episode.task is task
        assert episode.scene == HOMES[seed % len(HOMES)]
        if k == 2:
            assert draw(cell, seed, worlds) == episode
        simulator = worlds(episode.scene, episode.options)
        simulator.reset(episode.seed)
        world = simulator.reveal()
        assert not reached(episode.goal, world, GoalWatch(episode.goal).see(world))
        texts.add(episode.text)
    assert len(texts) == len(chosen)


@pytest.mark.parametrize("cell", LlmStateSuite.cells)
@pytest.mark.parametrize("seed", either([70_001, 70_024], [70_001, 70_013, 70_024, 70_032]))
def test_the_rules_do_it_and_so_does_the_expert(worlds: Open, cell: str, seed: int) -> None:
    made = LlmStateSuite()
    for who in ("llm-state", "oracle"):
        figures = made.play(contestant(who), cell, seed, worlds, answerers, made.max_steps)
        assert set(figures) == {m.key for m in made.measures}
        assert figures["success"] == 1, who
    assert figures["calls"] == 0


def test_table_i_is_the_paper_s() -> None:
    """Its means per level are those that the paper prints, in tables I and II."""
    assert [t.cell for t in TABLE_I] == ["simple"] * len(SIMPLE) + ["hard"] * len(HARD)
    limits = [*(t.most for t in SIMPLE), *(t.most for t in HARD)]
    for task, most in zip(TABLE_I, limits, strict=True):
        assert len(task.results) == len(METHODS)
        assert all(steps == most for won, steps in task.results if won == 0), "a failed episode counts as all its steps"
        assert all(won == 0 or steps < most for won, steps in task.results)
    means = {name: tuple(round(100 * sum(t.results[k][0] for t in TABLE_I if t.cell == cell) / (5 * n), 2)
                         for cell, n in (("simple", 8), ("hard", 7))) for k, name in enumerate(METHODS)}
    assert means == {"InnerM-W": (65.0, 0.0), "ProgPrompt": (85.0, 0.0), "w/o States": (85.0, 8.57), "Ours": (92.5, 77.14)}
    assert LlmStateSuite.published["LLM-State"][:2] == means["Ours"]


def test_our_episodes_stand_beside_table_i() -> None:
    rows = [Row("oracle", "simple", seed, {"success": seed != 6, "steps": 4.0}) for seed in range(10)]
    rows.append(Row("oracle", "hard, varied", 0, {"success": 1, "steps": 9.0}))
    lines = LlmStateSuite().details(rows, ["oracle"]).splitlines()
    assert "oracle (no language model)" in lines[2]
    assert lines[-1].split("|")[-2].strip() == "3/3 21.0", "the real robot, published only"
    cells = [[c.strip() for c in line.split("|")[1:-1]] for line in lines[4: 4 + len(TABLE_I)]]
    assert cells[0] == ["Switch off the light in bedroom.", "5/5 4.0", "5/5 7.0", "5/5 6.2", "5/5 6.2", "5/5 4.0"]
    assert [row[-1] for row in cells] == ["5/5 4.0", "4/5 4.0", *["–"] * 13]


def test_the_ablations_of_table_ii_are_of_the_paper_s_preset_too() -> None:
    presets = LlmState.presets
    for part in ("states", "summary", "objects"):
        for whole, name in (("tuned", f"no-{part}"), ("paper", f"paper-no-{part}")):
            assert presets[name] == changed(presets[whole], {part: False})
            assert f"llm-state:{name}" in LlmStateSuite.contestants


def test_a_failed_episode_counts_as_all_its_steps(worlds: Open) -> None:
    figures = LlmStateSuite().play(contestant("llm-state"), "hard", 70_006, worlds, answerers, 3)
    assert (figures["success"], figures["steps"]) == (0, 3)
