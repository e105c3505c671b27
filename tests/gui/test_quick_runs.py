"""A run that ends within a second: at its end the panels show the planner's last facets."""

from __future__ import annotations

from dataclasses import replace

import pytest
from pytestqt.qtbot import QtBot

from core.planning.belief_facets import Belief
from core.planning.facets import Facet
from core.planning.search_facets import Ranking, SearchTree
from core.session.event_bus import Follower
from core.session.events import Event, Shown
from core.session.snapshot import Snapshot
from gui.app import App
from gui.panels.belief.panel import BeliefPanel
from gui.panels.ranking import RankingPanel
from gui.panels.tree.panel import TreePanel
from tests.gui.conftest import MakeApp
from tests.gui.parts import TASK, parts
from tests.gui.settling import settle

SHOWING = ("ranking", "tree", "belief")


def panels(app: App) -> tuple[RankingPanel, TreePanel, BeliefPanel]:
    ranking, tree, belief = (app.window.docks[name].card.panel for name in SHOWING)
    assert isinstance(ranking, RankingPanel)
    assert isinstance(tree, TreePanel)
    assert isinstance(belief, BeliefPanel)
    return ranking, tree, belief


def listen(app: App) -> dict[type[Facet], Facet]:
    """Collects the newest facet of each kind that the next session shows."""
    last: dict[type[Facet], Facet] = {}
    follower = app.bridge.follower

    def following() -> Follower:
        hear = follower()
        last.clear()

        def both(event: Event, now: Snapshot) -> None:
            if isinstance(event.what, Shown):
                last[type(event.what.facet)] = event.what.facet
            hear(event, now)

        return both

    app.bridge.follower = following  # type: ignore[method-assign]
    return last


@pytest.mark.parametrize("given", [{"actions": "macros"}, {"actions": "macros", "simulations": 1}, {}])
def test_the_last_facets_are_shown(qtbot: QtBot, make_app: MakeApp, given: dict[str, str | int]) -> None:
    made = parts("uct", TASK)
    app = make_app(replace(made, request=replace(made.request, parameters={"simulations": 30, **given}, max_steps=4)))
    last = listen(app)
    app.console.run()
    qtbot.waitUntil(lambda: app.bridge.snapshot.ended is not None)
    app.console.run()  # again, from its beginning and just as fast
    qtbot.waitUntil(lambda: Ranking in last and app.bridge.snapshot.ended is not None)
    settle(app)
    ranking, tree, belief = panels(app)
    told = last[Ranking]
    assert isinstance(told, Ranking)
    assert ranking._snapshot.facet(Ranking) is told
    assert tree._tree is last[SearchTree]
    assert belief.heatmap.shown is not None
    assert belief.heatmap.shown.belief is last[Belief]
    first = ranking.rows.view.items[0]
    assert (first.about.action, first.values[1]) == (told.actions[0].steps[-1], told.actions[0].visits)
    assert ranking.rows.isVisible()
    assert tree.canvas.isVisible()
    assert tree.canvas.rect_layout.items
