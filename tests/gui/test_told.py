"""What the window says about a run comes from that run, whatever was chosen, stopped, forked or looked at before."""

from __future__ import annotations

from dataclasses import replace

from pytestqt.qtbot import QtBot

from core.app.run_request import Request
from core.llm.human import Human
from core.planning.facets import Moment
from core.recording.exports.html import write as write_html
from core.recording.mcap_messages import answers_of
from core.recording.reader import open_recording
from core.session.commands import UseModel
from core.session.setup import Setup
from gui.app import App
from gui.control.parts import Parts
from gui.widgets.chooser import Choice
from tests.core.recording.common import CODEC
from tests.core.session.toys import GOAL, Guide, Line, Walker
from tests.gui.conftest import MakeApp
from tests.gui.ledger import Ledgers
from tests.gui.parts import as_reading, choices
from tests.gui.settling import settle
from tests.gui.told import check_words


class Named(Guide):
    """Answers under the name of the provider that the request chose."""

    def __init__(self, name: str):
        super().__init__()
        self._source = f"{name} m-{name}"

    @property
    def source(self) -> str:
        return self._source


def make_setup(request: Request) -> Setup:
    models = {request.provider: Named(request.provider), "human": Human(), "commonsense": Guide()}
    names = {"planner": "walker", "simulator": "line", "scene": "line", "provider": request.provider}
    return Setup(Walker(), Line, GOAL, request.seed, request.max_steps or 30, models, names)


def opened(make_app: MakeApp) -> tuple[App, Ledgers]:
    known = choices()
    models = Choice("near", "Near", by_models=True), Choice("far", "Far", by_models=True)
    known = replace(known, providers=(*known.providers, *models))
    request = Request("walker", simulator="line", scene="line", provider="near", model={"model": "m-near"})
    app = make_app(Parts(known, lambda: known, make_setup, as_reading(lambda request: GOAL), request))
    ledgers = Ledgers()
    app.runner._make_listener = ledgers.beside(app.runner._make_listener)
    return app, ledgers


def test_everything_said_about_a_run_is_of_that_run(qtbot: QtBot, make_app: MakeApp) -> None:
    app, ledgers = opened(make_app)
    console, note = app.console, app.window.status._answerer_words

    def look() -> None:
        settle(app)
        check_words(app, ledgers)

    console.again()
    look()
    console.choose(replace(console.request, seed=5))
    console.step()
    qtbot.waitUntil(lambda: len(app.bridge.snapshot.line) == 1)
    look()
    assert note()[0] == "m-near answers"
    console.set_request(replace(console.request, provider="far", model={"model": "m-far"}))  # a model chosen in mid-run
    look()
    assert note()[0] == "m-near answers; m-far from the next run on"
    app.runner.post(UseModel("commonsense"))  # as the card of a dead server offers
    look()
    assert note()[0] == "commonsense answers; m-far from the next run on"
    assert app.window.bar.pickers.provider.accessibleName() == "Provider: commonsense"
    console.step()
    qtbot.waitUntil(lambda: len(app.bridge.snapshot.line) == 2)
    look()
    app.runner.post(UseModel("near"))
    look()
    console.fork(Moment(0, 2))
    qtbot.waitUntil(lambda: app.bridge.snapshot.branch == 1)
    look()
    console.rewind(Moment(1, 2))
    qtbot.waitUntil(lambda: app.bridge.snapshot.branch == 2)
    console.go_to(Moment(0, 1))
    look()
    console.go_live()
    app.recorders.toggle()
    qtbot.waitUntil(lambda: app.recorders.present is not None and app.recorders.present.recorder is not None)
    console.run()
    qtbot.waitUntil(lambda: app.bridge.snapshot.ended is not None)
    look()
    console.stop()
    qtbot.waitUntil(lambda: app.runner.phase == "idle")
    settle(app)
    path = app.recorders.last
    assert path is not None
    with open_recording(path, CODEC) as recording:
        who = "near m-near, then commonsense, then near m-near"
        assert answers_of(recording.metadata) == who, "the recording's header says who answered"
        assert who in write_html(recording, path.with_suffix(".html")).read_text(encoding="utf-8")
    console.run()  # with the model that was chosen in mid-run
    qtbot.waitUntil(lambda: app.bridge.snapshot.ended is not None and app.bridge.snapshot.began is ledgers.all[-1].began)
    look()
    assert note()[0] == "m-far answers"
    assert [run.request.provider for run in app.recorders.runs][-2:] == ["near", "far"]


def test_a_run_that_goes_back_shows_the_goal_of_then(qtbot: QtBot, make_app: MakeApp) -> None:
    app, _ = opened(make_app)
    console, box = app.console, app.window.bar.goal
    console.step()
    qtbot.waitUntil(lambda: len(app.bridge.snapshot.line) == 1)
    other = replace(GOAL, text="Walk to the end again")
    console.run_request.set_goal(other.text, other)
    qtbot.waitUntil(lambda: app.bridge.snapshot.goal == other)
    settle(app)
    assert box._task == other.text
    console.rewind(Moment(0, 1))
    qtbot.waitUntil(lambda: app.bridge.snapshot.branch == 1 and app.bridge.snapshot.goal == GOAL)
    settle(app)
    assert (box._task, box._progress) == (GOAL.text, app.bridge.snapshot.progress)
    console.run_request.set_goal(other.text, other)
    qtbot.waitUntil(lambda: app.bridge.snapshot.goal == other)
    settle(app)
    assert box._task == other.text
