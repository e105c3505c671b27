"""UCB1 instead of PUCT, and searches that end by time instead of a number of simulations."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import count

import numpy as np
import pytest

from core.planners.registry import make_planner
from core.planning.search_facets import Ranking
from core.search import search as search_module
from core.search.search import Options
from tests.core.planners.by_hand import goal_of, home, turn
from tests.core.search.problems import random_task
from tests.core.search.searching import contents, searched

UCB1 = Options(actions="admissible", rollout="uniform", reward="goal", urgency=False, worlds="each", selection="ucb1")


@pytest.mark.parametrize("seed", range(5))
def test_each_action_is_tried_before_any_is_tried_twice(seed: int) -> None:
    task = random_task(seed)
    actions = len(searched(task, UCB1, 1).moves)
    for simulations in (max(1, actions // 2), actions, actions + 1):
        visits = searched(task, UCB1, simulations).visits()
        assert visits.max() == (2 if simulations > actions else 1)
        assert visits.sum() == simulations


@pytest.mark.parametrize("seed", range(5))
def test_the_next_action_has_the_highest_score(seed: int) -> None:
    """Q + c sqrt(ln N / n), worked out here from the tree after k simulations; simulation k + 1 goes there."""
    task = random_task(seed)
    actions = len(searched(task, UCB1, 1).moves)
    for k in range(actions, actions + 40, 7):
        before, after = searched(task, UCB1, k), searched(task, UCB1, k + 1)
        visits, values = before.visits(), [v for v in before.values() if v is not None]
        scores = [q + UCB1.exploration * math.sqrt(math.log(k) / n) for q, n in zip(values, visits, strict=True)]
        (taken,) = np.flatnonzero(after.visits() - visits)
        assert scores[taken] == pytest.approx(max(scores))


def test_the_prior_does_not_matter_and_the_seed_decides() -> None:
    one, two = searched(random_task(3), UCB1, 300), searched(random_task(3), UCB1, 300)
    assert contents(one.tree) == contents(two.tree)
    other = searched(random_task(3), replace(UCB1, mixing=0.1), 300)
    assert contents(other.tree) == contents(one.tree)


def test_a_decision_ends_when_its_time_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a clock that advances by a second at each reading."""
    simulator = home()
    ticks = count()
    monkeypatch.setattr("core.planners.shared.search_planner.monotonic", lambda: float(next(ticks)))
    rankings = []
    for seconds in (3.0, 30.0):
        planner = make_planner("uct", "paper", {"seconds": str(seconds)})
        planner.begin(goal_of(simulator, "Put one apple inside the fridge"), simulator.schemas, 0)
        rankings.append(turn(planner, simulator).last(Ranking))
    assert 0 < rankings[0].simulations < rankings[1].simulations
    monkeypatch.setattr(search_module, "MOST_EDGES", 2000)
    planner = make_planner("uct", "paper", {"seconds": "3600"})
    planner.begin(goal_of(simulator, "Put one apple inside the fridge"), simulator.schemas, 0)
    assert turn(planner, simulator).last(Ranking).simulations < 2000, "a large tree ends it too"


def test_without_seconds_no_clock_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    simulator = home()

    def clock() -> float:
        raise AssertionError("no clock")

    monkeypatch.setattr("core.planners.shared.search_planner.monotonic", clock)
    for name, preset in (("uct", "paper"), ("uct", "macros")):
        planner = make_planner(name, preset)
        planner.begin(goal_of(simulator, "Put one apple inside the fridge"), simulator.schemas, 0)
        assert turn(planner, simulator).last(Ranking).simulations == 100
