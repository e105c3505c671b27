"""A turn that continues a macro says so; the search that chose the macro stays the search of its own turn."""

from __future__ import annotations

from core.app.launch import build
from core.app.run_request import Request
from core.planning.facets import Plan
from core.planning.search_facets import Ranking, SearchTree
from core.planning.simulation_facets import Simulations
from core.session import events as e
from core.session.explaining import evidence_of, explain
from core.session.session import Session
from core.session.snapshot import Snapshot, fold
from gui.control.snapshot_texts import staleness
from sim.registry import simulator_class

TASK = "Put one apple on the kitchen table and one toothbrush inside the bathroom cabinet"


def test_a_turn_that_continues_a_macro_says_so_and_claims_no_search_of_its_own() -> None:
    heard: list[e.Event] = []
    run = Session(build(Request("llm-mcts", task=TASK, parameters={"simulations": 60}, max_steps=8, seed=3, cache=False),
                        simulator_class))
    run.subscribe(heard.append)
    run.run()
    now, continued = Snapshot(), list[Snapshot]()
    for event in heard:
        before, now = now, fold(now, event)
        if isinstance(event.what, e.Acted):
            plan = before.fresh(Plan)
            assert plan is not None
            assert plan.continues == (before.fresh(Ranking) is None)
            continued += [now] if plan.continues else []
    assert continued
    for snapshot in continued:
        (searched,) = {snapshot.moment_of(kind) for kind in (Ranking, SearchTree, Simulations)}
        assert searched is not None
        assert searched.turn < snapshot.turn
        assert not staleness(snapshot, Ranking, "new search"), "the turn goes by that search"
        tree, ranking = snapshot.facet(SearchTree), snapshot.facet(Ranking)
        assert tree is not None
        assert ranking is not None
        visits = {ranked.steps[-1]: ranked.visits for ranked in ranking.actions}
        below = [node for node in tree.nodes if node.parent == 0]
        assert below
        assert all((node.tried or node.visits) == visits[node.action] for node in below if node.action in visits), (
            "an action's N is the ranking's, an outcome's N says of how many")
        turn, decision = snapshot.turns[-1], evidence_of(snapshot)
        assert (turn.best, turn.loss) == (None, None), "a step of a macro is not compared with the macro's first step"
        first = snapshot.turns[searched.turn - 1].action
        assert decision is not None
        assert first is not None
        assert explain(snapshot, first, decision)[0].claim == "continues"
