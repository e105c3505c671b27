"""A turn that continues a macro shows the search that chose the macro, in full."""

from __future__ import annotations

from itertools import pairwise

from core.app.launch import build
from core.app.run_request import Request
from core.planning.facets import Ranking, SearchTree, Simulations
from core.session import events as e
from core.session.session import Session
from sim.registry import simulator_class

TASK = "Put one apple on the kitchen table and one toothbrush inside the bathroom cabinet"


def test_a_turn_that_continues_a_macro_shows_the_search_that_chose_it() -> None:
    heard: list[e.Event] = []
    run = Session(build(Request("llm-mcts", task=TASK, parameters={"simulations": 60}, max_steps=8, seed=3, cache=False),
                        simulator_class))
    run.subscribe(heard.append)
    run.run()
    asked = {event.turn for event in heard if isinstance(event.what, e.Asked)}
    turns = sorted({event.turn for event in heard if isinstance(event.what, e.Acted)})
    shown = {(event.turn, type(event.what.facet)): event.what.facet for event in heard if isinstance(event.what, e.Shown)}
    continued = [(one, two) for one, two in pairwise(turns)
                 if two not in asked and shown.get((two, Ranking)) is shown.get((one, Ranking), object())]
    assert continued
    for one, two in continued:
        assert all(shown[two, kind] is shown[one, kind] for kind in (Ranking, SearchTree, Simulations))
