"""The rules of the search's model on random problems: what can be done, what is offered, what is decided and what is seen."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from core.search.macros import ADMISSIBLE, MACROS, RELEVANT, fetch_length, lay_length
from core.search.model import (
    CLOSE,
    FETCH,
    GO,
    GRAB,
    IN_HAND,
    KIND,
    LAY,
    MOST_STEPS,
    NEAR_TO,
    OPEN,
    PUT,
    ROOM,
    WALK,
    State,
    is_closed,
    is_last,
    placed,
    satisfied,
)
from core.search.problem import Problem
from tests.core.search.problems import Task, act, is_same, known_of, random_task, see, tasks


def primitives(problem: Problem) -> Iterator[int]:
    """Every primitive action there could be."""
    objects, locations = problem.model.barred.shape
    for kind, count in ((GO, len(problem.layout.rooms)), (WALK, len(problem.layout.spots)), (NEAR_TO, objects), (GRAB, objects),
                        (PUT, locations), (OPEN, locations), (CLOSE, locations)):
        yield from range(kind, kind + count)


@given(tasks)
def test_what_is_listed_as_admissible_is_what_can_be_done(task: Task) -> None:
    listed = [move.action for move in task.problem.moves(task.knowledge, ADMISSIBLE)]
    assert sorted(listed) == [a for a in primitives(task.problem) if task.problem.step(task.knowledge.copy(), a)]


@given(tasks)
def test_what_is_not_admissible_changes_nothing(task: Task) -> None:
    for action in primitives(task.problem):
        after = task.world.copy()
        assert task.problem.step(after, action) != is_same(after, task.world)


@given(tasks)
def test_the_steps_of_what_is_offered_can_be_done_one_after_the_other(task: Task) -> None:
    problem, model = task.problem, task.problem.model
    for action, steps in problem.moves(task.knowledge, MACROS):
        state = task.knowledge.copy()
        assert all(problem.step(state, step) for step in steps)
        assert [is_last(action, step) for step in steps] == [False] * (len(steps) - 1) + [True]
        assert len(steps) <= MOST_STEPS
        kind, index = action & KIND, action & ~KIND
        if kind == FETCH:
            assert state.where[index] == IN_HAND
            assert len(steps) == fetch_length(model, task.knowledge, index)
        elif kind == LAY:
            assert len(steps) == lay_length(model, task.knowledge, index)


@given(tasks)
def test_relevant_are_the_first_steps_of_macros(task: Task) -> None:
    firsts = dict.fromkeys(move.steps[0] for move in task.problem.moves(task.knowledge, MACROS))
    assert [move.action for move in task.problem.moves(task.knowledge, RELEVANT)] == list(firsts)


@given(tasks, st.integers(0, 1000))
def test_what_is_offered_and_decided_does_not_depend_on_where_ghosts_really_are(task: Task, seed: int) -> None:
    problem, rng = task.problem, np.random.default_rng(seed)
    elsewhere = task.world.copy()
    for ghost in task.ghosts:
        elsewhere.where[ghost] = rng.integers(len(elsewhere.looked))
    weights = task.belief.sum(axis=0)
    decided = problem.greedy(task.knowledge, weights)
    for state in (task.world, elsewhere):
        assert problem.greedy(state, weights) == decided
        for kind in (MACROS, RELEVANT, ADMISSIBLE):
            assert problem.moves(state, kind) == problem.moves(task.knowledge, kind)


def test_a_ghost_at_its_target_is_sought_all_the_same() -> None:
    """Such worlds are rare among random ones."""
    sought = 0
    for seed in range(300):
        task = random_task(seed)
        world = task.world.copy()
        for ghost in task.ghosts:
            wants = [want for want in task.problem.wants if ghost in want.slots]
            if wants:
                world.where[ghost] = wants[0].targets[0]
        if satisfied(task.problem.model, world.where) > satisfied(task.problem.model, task.knowledge.where):
            sought += 1
            weights = task.belief.sum(axis=0)
            assert task.problem.greedy(world, weights) == task.problem.greedy(task.knowledge, weights)
            assert task.problem.moves(world, MACROS) == task.problem.moves(task.knowledge, MACROS)
    assert sought > 50


@given(tasks, st.lists(st.integers(0, 60), min_size=1, max_size=10))
def test_found_are_the_ghosts_in_sight(task: Task, picks: list[int]) -> None:
    problem, world = task.problem, task.world.copy()
    for pick in picks:
        moves = problem.moves(world, ADMISSIBLE)
        if not moves:
            return
        assert problem.step(world, moves[pick % len(moves)].action)
        shown = [p for p in range(len(world.looked)) if in_sight(problem, world, p)]
        missing = [g for g in task.ghosts if not world.known[g] and world.where[g] in shown]
        known, looked = world.known.copy(), world.looked.copy()
        assert see(problem, world, task.ghosts).tolist() == missing
        assert np.flatnonzero(world.known & ~known).tolist() == missing
        assert np.flatnonzero(world.looked).tolist() == sorted({*np.flatnonzero(looked).tolist(), *shown})
        assert see(problem, world, task.ghosts).tolist() == []


def in_sight(problem: Problem, state: State, location: int) -> bool:
    return bool(problem.model.room_of[location] == state.robot[ROOM]) and not is_closed(problem.model, state, location)


@given(tasks, st.lists(st.integers(0, 60), max_size=15))
def test_what_is_satisfied_is_counted_by_the_book(task: Task, picks: list[int]) -> None:
    problem, world = task.problem, task.world.copy()
    for pick in picks:
        moves = problem.moves(world, ADMISSIBLE)
        if moves:
            act(problem, world, task.ghosts, moves[pick % len(moves)].action)
    have = [sum(int(world.where[i]) in want.targets for i in want.slots) for want in problem.wants]
    assert [placed(problem.model, world.where, k) for k in range(len(have))] == have
    assert satisfied(problem.model, world.where) == sum(min(h, w.number) for h, w in zip(have, problem.wants, strict=True))


@given(tasks)
def test_the_greedy_policy_ends_with_all_that_can_be_done(task: Task) -> None:
    """It never goes in circles: where all is known or looked into, it has nothing left to do."""
    problem, world = task.problem, task.world.copy()
    before = satisfied(problem.model, known_of(world).where)
    for _ in range(200):
        missing = any(not world.known[g] for g in task.ghosts)
        weights = np.where(world.looked, 0.0, 1.0) if missing else np.zeros(world.looked.size)
        steps = problem.greedy(known_of(world), weights)
        if not steps:
            break
        for step in steps:
            assert act(problem, world, task.ghosts, step)
    assert not steps
    assert satisfied(problem.model, known_of(world).where) >= before
