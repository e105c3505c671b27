"""What needs a live planner offers it where a recording or a past turn is shown: a click makes that decision live."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from core.app.launch import build
from core.app.run_request import Request
from core.planning.belief_facets import Belief
from core.planning.facets import Moment, Plan
from core.planning.search_facets import Ranking
from core.planning.simulation_facets import Simulations
from core.recording.recorder import Recorder
from core.session import commands as c
from core.session import events as e
from core.session.session import Session
from core.session.snapshot import fold_all
from gui.app import App
from gui.panels.base import LiveOffer
from gui.panels.registry import make_panel
from gui.panels.simulations import SimulationsPanel
from gui.widgets import Button
from sim.registry import simulator_class
from tests.core.recording.common import PATIENT
from tests.core.session.toys import session
from tests.gui.conftest import MakeApp
from tests.gui.panels import worlds
from tests.gui.parts import TASK, parts
from tests.gui.settling import settle

REQUEST = Request("llm-mcts", parameters={"simulations": 40}, seed=6, task=TASK, max_steps=5)
TURN = Moment(0, 3)
EDITING = ("ranking", "parameters", "belief", "dictionary", "learnings", "blocking_table", "program", "blocking")
PANELS = ("why", "simulations", "belief", "breakpoints", "compare")


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("recorded") / "a.mcap"
    run, recorder = Session(build(REQUEST, simulator_class)), Recorder(path, lambda said: None, limits=PATIENT)
    run.follow(recorder.on_event)
    run.run()
    recorder.close()
    return path


@pytest.fixture
def app(qtbot: QtBot, make_app: MakeApp, recording: Path) -> App:
    """The console, with the recording at `TURN`."""
    app = make_app(replace(parts(), make_setup=lambda request: build(request, simulator_class), request=REQUEST))
    app.viewer.open(recording)
    settle(app)
    app.console.go_to(TURN)
    settle(app)
    assert app.console.shown.moment == TURN
    return app


def offered(app: App, name: str, title: str) -> list[Button]:
    """Returns the visible buttons of a panel that make the decision live: below its content, or on the page of an empty one."""
    panel = app.window.docks[name].card.panel
    assert panel is not None
    return [button for button in panel.findChildren(Button) if button.isVisible() and button.text().strip() == title]


def offer(app: App, name: str, title: str = "Take over here") -> Button:
    app.window.show_panel(name)
    settle(app)
    (button,) = offered(app, name, title)
    return button


def decided(app: App) -> None:
    """Settles the console, and checks that the run is paused at the decision of `TURN`, which the panels show."""
    settle(app)
    now = app.bridge.snapshot
    assert (now.status, now.turn) == ("paused", TURN.turn)
    assert now.current is not None
    assert now.fresh(Plan) is not None
    assert app.context.live
    assert app.window.has_shown(now)


def test_a_recording_is_taken_over_at_the_decision_on_display(app: App, qtbot: QtBot) -> None:
    recorded, asked, heard = app.console.shown, app.console.asked_take_over, list[tuple[object, ...]]()
    asked.disconnect(app.viewer.take_over)
    asked.connect(lambda *what: heard.append(what))
    for name in PANELS:
        offer(app, name).click()
    assert heard == [(TURN, c.Step("decision"))] * len(PANELS)
    asked.connect(app.viewer.take_over)
    offer(app, PANELS[0]).click()
    decided(app)
    assert [turn.done for turn in app.bridge.snapshot.line] == [turn.done for turn in recorded.line[:TURN.turn - 1]]
    assert not any(offered(app, name, "Take over here") for name in PANELS), "nothing is offered in the present"


@pytest.mark.parametrize("name", EDITING)
def test_every_panel_that_edits_offers_a_live_planner_in_the_past_only(name: str, qtbot: QtBot) -> None:
    context, asked = worlds.context()[0], list[str]()
    context.decide_here = lambda: asked.append(name)
    panel = make_panel(name, context)
    qtbot.addWidget(panel)
    line = panel.findChild(LiveOffer)
    assert isinstance(line, LiveOffer)
    assert line.isHidden()
    context.set_live(False)
    assert not line.isHidden()
    line.button.click()
    assert asked == [name]
    context.set_live(True)
    assert line.isHidden()


def test_after_it_a_simulation_is_stepped_into(app: App, qtbot: QtBot) -> None:
    offer(app, "simulations").click()
    decided(app)
    panel = app.window.docks["simulations"].card.panel
    assert isinstance(panel, SimulationsPanel)
    assert panel.list.rows.count() > 0
    panel.step_into(3)
    settle(app)
    assert panel.shown is not None


def test_a_live_run_goes_back_to_the_same_decision(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(replace(parts(), make_setup=lambda request: build(request, simulator_class), request=REQUEST))
    app.console.run()
    settle(app)
    assert app.bridge.snapshot.ended is not None
    app.console.go_to(TURN)
    assert app.console.shown.moment == TURN
    before = app.console.shown
    offer(app, "simulations", "Go back here").click()
    decided(app)
    now = app.bridge.snapshot
    assert now.branch == 1
    assert now.fresh(Ranking) == before.facet(Ranking)
    old, new = before.facet(Simulations), now.fresh(Simulations)
    assert old is not None
    assert new is not None
    assert (old.returned == new.returned).all()
    assert now.facet(Belief) is not None


@pytest.mark.parametrize("turn", [1, 3])
def test_a_step_to_the_decision_stops_before_its_action(turn: int) -> None:
    run, ear = session()
    steps = [c.Step("decision")] if turn == 1 else [c.Step("decision"), *[c.Step()] * (turn - 1)]
    run.post(steps.pop(0))

    def look(event: e.Event) -> None:
        if isinstance(event.what, e.Paused):
            now = fold_all(ear.events)
            assert now.turn == len(now.line) + 1
            run.post(steps.pop(0) if steps else c.Stop())

    run.subscribe(look)
    run.run()
    assert len(ear.of(e.Acted)) == turn - 1
    assert ear.of(e.Paused)[0].reason == "an action is chosen"
