"""How much a search does between two checkpoints, where commands are taken: counted in work, never in time."""

from __future__ import annotations

from collections.abc import Generator
from itertools import groupby, pairwise
from typing import Any, TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.common.parameters import changed
from core.planners.llm_mcts.planner import PRESETS, LlmMcts
from core.planning.facets import Facet
from core.planning.planner import Sent, WhatIf
from core.planning.search_facets import Ranking, SearchTree
from core.planning.simulation_facets import Simulations, SimulationSteps
from core.search import retrace, tree
from core.search import search as searches
from core.search.compilation.kernel import Entry
from core.search.search import MOST_INTERPRETED, MOST_WITHOUT_PAUSE, Options
from core.search.tree import grown
from tests.core.planners.by_hand import commonsense, goal_of, home, turn
from tests.core.search.interpreted import interpreted
from tests.core.search.problems import Task, random_task, tasks
from tests.core.search.searching import Rule, contents, every_option, searched

T = TypeVar("T")
ways = st.sampled_from(list(every_option()))
TEXT = "put one apple inside the fridge and one book on the sofa"


def driven(generator: Generator[Any, None, T]) -> tuple[list[Any], T]:
    """Returns what a generator yields and what it returns."""
    yielded = []
    while True:
        try:
            yielded.append(next(generator))
        except StopIteration as end:
            return yielded, end.value


@settings(max_examples=40)
@given(tasks, ways)
def test_no_chunk_has_more_simulations_than_the_maximum(task: Task, way: tuple[Options, bool]) -> None:
    options, asks = way
    done = [0]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(searches, "MOST_WITHOUT_PAUSE", 50)
        searched(task, options, 300, Rule() if asks else None, between=lambda search: done.append(search.simulations))
    assert all(after - before <= 50 + options.batch for before, after in pairwise(done))
    assert done[-1] == 300


@pytest.mark.parametrize("most", [1, 7, 50])
def test_a_growing_tree_is_copied_in_chunks_of_counted_entries(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    small = searched(random_task(1), Options(worlds="each"), 400).tree
    monkeypatch.setattr(tree, "MOST_COPIED", most)
    checkpoints, whole = driven(grown(small, 10, 100, 10))
    assert len(checkpoints) >= sum(map(len, contents(small))) // most > 0
    assert contents(whole) == contents(small)
    assert len(whole.edge_child) == 2 * small.used[tree.EDGES] + 100


def rankings(most: int) -> list[tuple[int, int]]:
    """What a decision of 2,000 simulations shows with so many between two checkpoints: simulations, and nodes of the tree."""
    with home() as simulator, pytest.MonkeyPatch.context() as patch:
        patch.setattr(searches, "MOST_WITHOUT_PAUSE", most)
        planner = LlmMcts(changed(PRESETS["tuned"], {"simulations": 2000}))
        planner.begin(goal_of(simulator, TEXT), simulator.schemas, 0)
        shown = turn(planner, simulator).shown
    return [(f.simulations, 0) if isinstance(f, Ranking) else (0, len(f.nodes)) for f in _changes(shown)]


def _changes(shown: list[Facet]) -> list[Ranking | SearchTree]:
    """Returns the rankings and trees; one that is shown again is only a checkpoint."""
    found = [facet for facet in shown if isinstance(facet, Ranking | SearchTree)]
    return [facet for k, facet in enumerate(found) if not any(facet is other for other in found[:k])]


def test_interpreted_a_chunk_has_so_few_simulations_that_a_pause_is_obeyed_as_soon() -> None:
    done = [0]
    with interpreted():
        searched(random_task(1), Options(), 60, between=lambda search: done.append(search.simulations))
    assert max(after - before for before, after in pairwise(done)) == MOST_INTERPRETED


def test_what_is_shown_of_a_search_does_not_depend_on_its_checkpoints() -> None:
    usual = rankings(MOST_WITHOUT_PAUSE)
    assert [simulations for simulations, _ in usual if simulations] == [25, 100, 400, 1600, 2000]
    assert rankings(5) == rankings(25) == usual


@pytest.fixture
def chunks(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The sizes of the chunks in which simulations are repeated; 0 for a checkpoint, which the test adds."""
    found: list[int] = []

    call = Entry.__call__

    def counted(entry: Entry[..., Any], *args: Any) -> Any:
        if entry is retrace.summarise:
            found.append(len(args[-2].first))
        return call(entry, *args)

    monkeypatch.setattr(Entry, "__call__", counted)
    return found


def test_a_decision_repeats_its_simulations_in_chunks_with_checkpoints_between(chunks: list[int]) -> None:
    with home() as simulator:
        planner = LlmMcts(changed(PRESETS["tuned"], {"simulations": 1000}))
        planner.begin(goal_of(simulator, TEXT), simulator.schemas, 0)
        thought, shown = planner.plan(simulator.observe()), list[Facet]()
        sent: Sent = None
        while True:
            try:
                yielded = thought.send(sent)
            except StopIteration:
                break
            chunks.append(0)
            sent = None
            if isinstance(yielded, Facet):
                shown.append(yielded)
            elif yielded:
                asks = yielded if isinstance(yielded, tuple) else (yielded,)
                sent = tuple(map(commonsense, asks)) if isinstance(yielded, tuple) else commonsense(yielded)
        assert sum(chunks) == 1000
        assert max(_between_checkpoints(chunks)) == MOST_WITHOUT_PAUSE
        assert [len(facet.returned) for facet in shown if isinstance(facet, Simulations)] == [1000]
        chunks.clear()
        answers: list[tuple[Facet, ...]] = []
        for answer in planner.what_if(WhatIf(1, repeat=999), simulator.observe()):
            chunks.append(0)
            answers.append(answer)
    assert sum(chunks) == 999
    assert max(_between_checkpoints(chunks)) == MOST_WITHOUT_PAUSE
    assert isinstance(answers[-1][0], SimulationSteps)


def _between_checkpoints(chunks: list[int]) -> list[int]:
    """Returns the simulations that were repeated between two checkpoints."""
    return [sum(sizes) for repeats, sizes in groupby(chunks, bool) if repeats]
