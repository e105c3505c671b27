"""A run tells the same whether its search is interpreted, compiled, or changes over in between: not only its actions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from core.app.launch import build, drawn_task
from core.app.run_request import Request
from core.planning.facets import Frame
from core.search import retrace, simulate
from core.search import tree as trees
from core.search.compilation.kernel import Entry
from core.session.events import Acted, Began, Ended, Event, Shown
from core.session.session import Session
from sim.registry import simulator_class
from tests.core.search.interpreted import interpreted
from tests.core.session.held import Held
from tests.long_tests import either

SEEDS = either(2, 50)
"""How many runs are compared."""


@pytest.fixture(autouse=True)
def nobody_prepares(monkeypatch: pytest.MonkeyPatch) -> None:
    """Machine code comes when a test says so."""
    for module in ("core.session.search_code", "core.planners.shared.search_planner"):
        monkeypatch.setattr(f"{module}.preparation", Held())


def told(planner: str, seed: int, at_action: Callable[[int], None] = lambda number: None) -> list[object]:
    """All that a run tells, without times and pictures; `at_action` is called after each action with its number."""
    request = Request(planner, parameters={"simulations": either(30, 100)}, seed=seed, max_steps=either(5, 8), cache=False)
    request = replace(request, task=drawn_task(request, seed, simulator_class))
    found, run = list[object](), Session(build(request, simulator_class))

    def hear(event: Event) -> None:
        match event.what:
            case Began() | Shown(facet=Frame()):
                pass
            case Acted(outcome=outcome, by=by):
                found.append((outcome.action, outcome.ok, by))
                at_action(len(run.world.actions))
            case Shown(facet=facet):
                found.append(repr(facet))
            case Ended(success=success, reason=reason):
                found.append((success, reason))

    run.subscribe(hear)
    run.run()
    return found


@pytest.mark.parametrize("planner", ["llm-mcts", "uct"])
@pytest.mark.parametrize("seed", range(SEEDS))
def test_a_run_tells_the_same_interpreted_compiled_and_changing_over(planner: str, seed: int) -> None:
    entries: tuple[Entry[..., Any], ...] = (simulate.run, trees.select, retrace.summarise)
    machines = [entry._machine for entry in entries]
    if None in machines:
        pytest.skip("there is nothing to compare with")
    compiled = told(planner, seed)
    if not any("Simulations" in str(what) for what in compiled):
        pytest.skip("this task needs no search")

    def change_over(number: int) -> None:
        for entry, machine in list(zip(entries, machines, strict=True))[:number]:
            assert machine is not None
            entry.use(machine)

    with interpreted():
        assert told(planner, seed) == compiled
        assert not simulate.run.is_compiled
        assert told(planner, seed, change_over) == compiled
        assert simulate.run.is_compiled
