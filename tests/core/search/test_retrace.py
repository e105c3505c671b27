"""Every logged simulation can be repeated: the same return to the last bit, and together the totals of the tree."""

from __future__ import annotations

import math

import numpy as np
import pytest

from core.app.launch import build
from core.app.run_request import Request
from core.common.errors import UsageError
from core.planning.planner import WhatIf
from core.planning.search_facets import Ranking
from core.planning.simulation_facets import Simulations
from core.search.model import KIND, PUT, placed
from core.search.problem import Problem
from core.search.search import Options, Search, finished
from core.search.tree import EDGES
from core.session import events as e
from core.session.session import Session
from sim.registry import simulator_class
from tests.core.search.problems import random_task
from tests.core.search.searching import Rule, every_option, searched

WAYS = [*every_option()]


def plain_return(search: Search, number: int) -> float:
    """Adds up the discounted rewards of a repeated simulation, executed step by step with the rules alone."""
    problem, options, repeated = search.problem, search.options, search.repeated(number)
    state = search.knowledge.copy()
    if repeated.world >= 0:
        state.where[list(search.ghosts)] = search.world(repeated.world)
    total, factor, model = 0.0, 1.0, problem.model
    have = _complete(problem, state.where)
    for k, primitive in enumerate(repeated.steps):
        problem.step(state, primitive)
        if (primitive & KIND) == PUT:
            now = _complete(problem, state.where)
            counts = k < repeated.depth or k < search.horizon
            if options.reward == "literals":
                total += factor * 10.0 * (now - have) / model.size * counts
            elif now >= model.size > have:
                total += factor * 10.0 * counts
            have = now
        factor *= options.discount
    return total


def _complete(problem: Problem, where: np.ndarray[tuple[int, ...], np.dtype[np.int32]]) -> int:
    return sum(min(placed(problem.model, where, k), int(problem.model.number[k])) for k in range(len(problem.wants)))


@pytest.mark.parametrize("seed", range(len(WAYS)))
def test_a_repeated_simulation_is_the_same(seed: int) -> None:
    options, asks = WAYS[seed]
    search = searched(random_task(seed), options, 40, Rule() if asks else None, seed)
    for number in range(search.logged):
        repeated = search.repeated(number)
        assert repeated.returns[0] == search.log.returned[number]
        assert search.tree.line(int(search.log.leaf[number])) == [] or repeated.path
        assert plain_return(search, number) == pytest.approx(repeated.returns[0])


@pytest.mark.parametrize("seed", range(len(WAYS)))
def test_all_simulations_together_are_the_tree(seed: int) -> None:
    options, asks = WAYS[seed]
    search = searched(random_task(seed), options, 40, Rule() if asks else None, seed)
    edges = int(search.tree.used[EDGES])
    visits, weights, totals = np.zeros(edges, np.int64), np.zeros(edges), np.zeros(edges)
    for number in range(search.logged):
        repeated = search.repeated(number)
        assert [(visits[e], weights[e], totals[e]) for e in repeated.path] == list(repeated.before)
        for edge, returned, weight in zip(repeated.path, repeated.returns, repeated.weights, strict=False):
            assert weight == (pytest.approx(math.exp(returned / 10)) if options.backup == "softmax" else 1)
            visits[edge] += 1
            weights[edge] += weight
            totals[edge] += weight * returned
    assert weights == pytest.approx(search.tree.edge_weight[:edges])
    assert visits.tolist() == search.tree.edge_visits[:len(visits)].tolist()
    assert totals.tolist() == search.tree.edge_total[:len(totals)].tolist()


@pytest.mark.parametrize("seed", range(0, len(WAYS), 2))
def test_the_summary_says_what_the_simulations_do(seed: int) -> None:
    options, asks = WAYS[seed]
    search = searched(random_task(seed), options, 40, Rule() if asks else None, seed)
    summary = finished(search.summary())
    for number in range(search.logged):
        repeated = search.repeated(number)
        assert summary.first[number] == (repeated.path[0] if repeated.path else -1)
        assert summary.steps[number] == len(repeated.steps)
        if repeated.world < 0:
            continue
        state = search.knowledge.copy()
        state.where[list(search.ghosts)] = search.world(repeated.world)
        reached = [0] * len(search.problem.wants)
        for k, primitive in enumerate(repeated.steps, 1):
            search.problem.step(state, primitive)
            for want in range(len(reached)):
                full = placed(search.problem.model, state.where, want) >= search.problem.model.number[want]
                if full and not reached[want] and (primitive & KIND) == PUT:
                    reached[want] = k
        assert summary.reached[number].tolist() == reached


def test_what_is_not_logged_cannot_be_repeated() -> None:
    search = searched(random_task(1), Options(), 5)
    with pytest.raises(IndexError):
        search.repeated(5)


def test_no_simulation_of_a_search_that_goes_on_is_repeated() -> None:
    """The window still lists the simulations of the decision before: a repeated one would be another one than it says."""
    request = Request("llm-mcts", task="Put one apple inside the fridge", parameters={"simulations": 60}, max_steps=4,
                      cache=False)
    run, told = Session(build(request, simulator_class)), list[tuple[int, bool]]()

    def hear(event: e.Event) -> None:
        if isinstance(event.what, e.Shown) and isinstance(event.what.facet, Ranking | Simulations):
            repeat = run._run.planner.what_if(WhatIf(1, repeat=0), run.world.observed)
            try:
                told.append((event.turn, any(repeat)))
            except UsageError:
                told.append((event.turn, False))

    run.subscribe(hear)
    run.run()
    of_first = [is_repeated for turn, is_repeated in told if turn == told[0][0]]
    assert of_first[0] is False, "the search has begun"
    assert of_first[-1] is True, "it is shown"
