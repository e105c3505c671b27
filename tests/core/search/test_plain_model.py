"""The compiled rules, and the same rules in plain Python that the benchmarks give to another engine."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from core.search.macros import RELEVANT
from core.search.model import KIND, PUT, satisfied
from core.search.rollouts import REWARD
from tests.benchmarks.plain_model import Moment, PlainModel
from tests.core.search.problems import Task, act, tasks


@given(tasks, st.lists(st.integers(0, 40), max_size=25))
def test_they_agree_on_what_can_be_done_what_it_leads_to_and_what_it_is_worth(task: Task, picks: list[int]) -> None:
    problem, world = task.problem, task.world.copy()
    model, plain = problem.model, PlainModel(problem)
    moment = Moment.of(world)
    for pick in picks:
        actions = [move.action for move in problem.moves(world, RELEVANT)]
        assert plain.relevant(moment) == actions
        if not actions:
            return
        action, before = actions[pick % len(actions)], satisfied(model, world.where)
        assert act(problem, world, task.ghosts, action)
        moment, reward = plain.moved(moment, action)
        assert moment == Moment.of(world)
        now = satisfied(model, world.where)
        assert plain.satisfied(list(moment.where)) == now
        assert reward == (REWARD * (now - before) / model.size if action & KIND == PUT else 0.0)
    assert not np.any(world.where[world.known] < -1)
