"""Each flip is confirmed on both sides by a whole search with the same random numbers; so is that there is none."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from core.app.launch import build
from core.app.run_request import Request
from core.planners.shared.search_planner import SearchPlanner
from core.planning.planner import WhatIf
from core.planning.simulation_facets import Margin, Margins
from core.search.model import HELD
from core.search.search import Search
from core.search.translation import to_actions
from core.session import events as e
from core.session.session import Session
from core.world.vocabulary import Action, in_words
from sim.registry import simulator_class
from tests.long_tests import either

TASK = "Put one apple on the kitchen table and one toothbrush inside the bathroom cabinet"


def other(search: Search, planner: SearchPlanner, margin: Margin, value: float) -> Search:
    """Returns the search with another value of a quantity, made here with plain loops."""
    if margin.name == "simulations":
        return search.again()
    if margin.kind == "parameter":
        changed: dict[str, Any] = {margin.name: int(value) if margin.name == "depth" else value}
        return search.again(options=replace(search.options, **changed))
    task = planner._task
    if margin.kind == "belief":
        belief = np.array(search.belief)
        row = [*(task.table.labels[g] for g in search.ghosts)].index(margin.name)
        column = task.layout.index(margin.place, margin.relation)
        rest = [p for k, p in enumerate(belief[row]) if k != column]
        for k in range(belief.shape[1]):
            belief[row, k] = value if k == column else belief[row, k] / sum(rest) * (1 - value)
        return search.again(belief)
    answer = search.root_answer()
    assert answer is not None
    mixing, count = search.options.mixing, len(search.moves)
    action = next(m.action for k, m in enumerate(search.moves) if phrase(search, planner, k) == margin.name)
    share = (value - mixing / count) / (1 - mixing)
    weights = {m.action: answer.get(m.action, 0.0) for m in search.moves}
    others = sum(w for a, w in weights.items() if a != action)
    return search.again(answer={a: share if a == action else w / others * (1 - share) if others else (1 - share) / (count - 1)
                                for a, w in weights.items()})


def phrase(search: Search, planner: SearchPlanner, edge: int) -> str:
    return in_words(last_step(search, planner, edge))


def last_step(search: Search, planner: SearchPlanner, edge: int) -> Action:
    task = planner._task
    return to_actions(task.layout, task.names, search.moves[edge].steps, int(search.knowledge.robot[HELD]))[-1]


def choice(decided: Search, planner: SearchPlanner, margin: Margin, value: float) -> Action:
    """Returns what is chosen with another value of a quantity."""
    search, budget = other(decided, planner, margin, value), decided.simulations
    if margin.name == "simulations":
        budget = int(value)
    for _ in search.run(lambda: budget):
        pass
    return last_step(search, planner, search.ranked()[0])


@pytest.mark.parametrize(("name", "seed", "turns"), [("llm-mcts", 3, 2), ("llm-mcts", 2, 1), ("uct", 2, 1)])
def test_every_flip_is_confirmed_on_both_sides(name: str, seed: int, turns: int) -> None:
    request = Request(name, task=TASK, parameters={"simulations": 60}, max_steps=either(turns, 4), cache=False, seed=seed)
    run = Session(build(request, simulator_class))
    checked = list[Margin]()

    def hear(event: e.Event) -> None:
        planner = run._run.planner
        if not isinstance(event.what, e.Decided) or not isinstance(planner, SearchPlanner):
            return
        search = planner._finished.search
        if search is None:
            return
        *_, last = [facets[0] for facets in planner.what_if(WhatIf(1, margins=True), run.world.observed) if facets]
        assert isinstance(last, Margins)
        assert last.complete
        assert not last.trouble
        assert last.chosen == last_step(search, planner, search.ranked()[0])
        for margin in last.margins:
            for flip in (margin.down, margin.up):
                if flip is None:
                    continue
                flipped = choice(search, planner, margin, flip.at)
                assert flipped == flip.action != last.chosen
                kept = choice(search, planner, margin, flip.before)
                assert kept == last.chosen
                is_whole = margin.name in ("simulations", "depth")
                assert abs(flip.at - flip.before) <= max(0.0101 * (margin.high - margin.low), is_whole)
                assert not is_whole or (flip.at.is_integer() and flip.before.is_integer())
                assert margin.low <= min(flip.at, flip.before) <= max(flip.at, flip.before) <= margin.high
            for flip, end in ((margin.down, margin.low), (margin.up, margin.high)):
                if flip is None and not margin.on_edge and abs(end - margin.value) > 0.01 * (margin.high - margin.low):
                    assert choice(search, planner, margin, end) == last.chosen
        checked.extend(last.margins)

    run.subscribe(hear)
    run.run()
    assert name == "uct" or any(margin.nearest is not None for margin in checked)
    assert any(margin.nearest is None for margin in checked)
    assert {"exploration", "discount", "simulations", "depth"} <= {margin.name for margin in checked}


def test_a_planner_without_a_search_says_nothing() -> None:
    request = Request("uct", task=TASK, parameters={"simulations": 20}, max_steps=2, cache=False, seed=3)
    run = Session(build(request, simulator_class))
    run.run()
    planner = run._run.planner
    assert isinstance(planner, SearchPlanner)
    assert list(planner.what_if(WhatIf(1, margins=True), run.world.observed)) == []


def test_a_belief_whose_worlds_lie_on_boundaries_is_on_the_edge() -> None:
    """In this decision, a change of 1e-17 in the row of the towel changes the choice, and one of its cell alone does not."""
    request = Request("llm-mcts", task="Put one towel inside the bathroom cabinet", parameters={"simulations": 60}, max_steps=4,
                      cache=False, seed=662906)
    run = Session(build(request, simulator_class))
    found = list[Margin]()

    def hear(event: e.Event) -> None:
        planner = run._run.planner
        if isinstance(event.what, e.Decided) and event.turn == 4 and isinstance(planner, SearchPlanner):
            *_, last = [facets[0] for facets in planner.what_if(WhatIf(1, margins=True), run.world.observed) if facets]
            assert isinstance(last, Margins)
            found.extend(margin for margin in last.margins if margin.kind == "belief" and margin.place == "cabinet_4")

    run.subscribe(hear)
    run.run()
    assert [margin.on_edge for margin in found] == [True]
