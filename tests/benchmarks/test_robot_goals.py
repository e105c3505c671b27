"""How often goals about the robot and acts are reached: 40 scenes, 5 seeds each, every literal that the scene allows.

Without `--benchmark-enable`: 4 scenes, 1 seed. Run: `pytest tests/benchmarks/test_robot_goals.py --benchmark-enable -s`
"""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import Any

import pytest

from core.evaluation.episode import drive
from core.evaluation.robot_tasks import robot_tasks
from core.goals.formal_text import formal
from core.planners.registry import make_planner
from sim.household.simulator import HouseholdSimulator
from tests.benchmarks.reference import PYTHON, Alternation, note
from tests.core.planners.by_hand import answerers

SEEDS, MOST_STEPS = 5, 60
NAMES = tuple(name for name, _ in HouseholdSimulator.scenes())
SCENES = (*(name for name in NAMES if name.startswith("four-rooms")), *[name for name in NAMES if "Plan" in name][::3])[:40]


@pytest.mark.parametrize(("name", "least"), [("oracle", 0.99), ("llm-mcts", 0.95), ("bcr", 0.95)])
def test_goals_about_the_robot_are_reached(benchmark: Any, name: str, least: float) -> None:
    tried: Counter[str] = Counter()
    reached: Counter[str] = Counter()
    missed: list[str] = []
    beside = Alternation(PYTHON)

    def play_in(scene: str) -> None:
        simulator = HouseholdSimulator.open(scene, {})
        for seed in range(SEEDS if benchmark.enabled else 1):
            simulator.reset(seed)
            for goal in robot_tasks(simulator, seed):
                simulator.reset(seed)
                run = drive(make_planner(name, "", {}), simulator, goal, answerers(scene), seed, MOST_STEPS)
                kind = goal.literals[0].act or goal.literals[0].predicate
                tried[kind] += 1
                reached[kind] += run.success
                if not run.success:
                    missed.append(f"{scene}, seed {seed}, {formal(goal)}: {run.ended or 'too many steps'}")

    def play() -> None:
        for scene in SCENES if benchmark.enabled else SCENES[::13]:
            beside.unit()
            beside.round(partial(play_in, scene))
        beside.unit()

    benchmark.pedantic(play, rounds=1, iterations=1)
    if benchmark.enabled:
        note(benchmark, beside.of(f"{name}: an episode with a goal about the robot", sum(beside.rounds) / tried.total()))
    counts = "; ".join(f"{kind} {reached[kind]} of {tried[kind]}" for kind in sorted(tried))
    print("\n".join([*missed, f"{name}: {reached.total()} of {tried.total()}: {counts}"]))  # noqa: T201 - what this is for
    assert reached.total() >= least * tried.total()
