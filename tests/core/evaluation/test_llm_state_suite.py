"""The suite of LLM-State sets up the episodes it describes and plays them; a planner that sees everything reaches the goals."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from core.evaluation.llm_state import HARD, HOMES, SIMPLE, LlmStateSuite, Task, draw
from core.evaluation.suite import contestant, suite
from core.goals.literals import GoalWatch, reached
from core.simulator.base import Simulator
from sim.household.simulator import HouseholdSimulator
from tests.core.planners.by_hand import answerers

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
    texts = set()
    for k, task in enumerate(tasks):
        seed = k * len(HOMES) + k % len(HOMES)
        episode = draw(cell, seed, worlds)
        assert episode.task is task
        assert episode.scene == HOMES[seed % len(HOMES)]
        if k == 2:
            assert draw(cell, seed, worlds) == episode
        simulator = worlds(episode.scene, episode.options)
        simulator.reset(episode.seed)
        world = simulator.reveal()
        assert not reached(episode.goal, world, GoalWatch().see(world))
        texts.add(episode.text)
    assert len(texts) == len(tasks)


@pytest.mark.parametrize("cell", LlmStateSuite.cells)
@pytest.mark.parametrize("seed", [70_001, 70_013, 70_024, 70_032])
def test_the_rules_do_it_and_so_does_the_expert(worlds: Open, cell: str, seed: int) -> None:
    made = LlmStateSuite()
    for who in ("llm-state", "oracle"):
        figures = made.play(contestant(who), cell, seed, worlds, answerers, made.max_steps)
        assert set(figures) == {m.key for m in made.measures}
        assert figures["success"] == 1, who
    assert figures["calls"] == 0


def test_a_failed_episode_counts_as_all_its_steps(worlds: Open) -> None:
    figures = LlmStateSuite().play(contestant("llm-state"), "hard", 70_006, worlds, answerers, 3)
    assert (figures["success"], figures["steps"]) == (0, 3)
