"""The barrier that tests of the window wait at: it passes only when nothing is under way, and says what is."""

from __future__ import annotations

import threading
from dataclasses import replace

import pytest
from pytestqt.qtbot import QtBot

from core.app.run_request import Request
from core.session.setup import Setup
from tests.core.session.toys import Guide
from tests.gui import settling
from tests.gui.conftest import MakeApp
from tests.gui.parts import make_setup, parts
from tests.gui.settling import PATIENCE, run_out, settle


def test_everything_that_was_queued_is_handled(make_app: MakeApp) -> None:
    app, found = make_app(parts()), list[int]()
    for k in range(3):
        app.context.jobs.do(lambda k=k: k, found.append, str)  # type: ignore[misc]
    app.console.run()
    settle(app)
    assert found == [0, 1, 2]
    assert app.bridge.snapshot.ended is not None
    assert app.window.has_shown(app.bridge.snapshot)


def test_what_is_under_way_is_named(make_app: MakeApp, monkeypatch: pytest.MonkeyPatch) -> None:
    app, held = make_app(parts()), threading.Event()
    settle(app)
    app.context.jobs.do(lambda: held.wait(PATIENCE / 1000), str, str)
    monkeypatch.setattr(settling, "PATIENCE", 20)
    with pytest.raises(AssertionError, match="BackgroundJobs panels"):
        settle(app)
    held.set()
    monkeypatch.undo()
    settle(app)


def test_a_reply_that_a_test_holds_back_is_no_obstacle_if_it_says_so(
        make_app: MakeApp, monkeypatch: pytest.MonkeyPatch) -> None:
    def asking(request: Request) -> Setup:
        return replace(make_setup(request), models={"guide": Guide(wait=PATIENCE / 1000)})

    app = make_app(replace(parts(), make_setup=asking))
    app.console.run()
    settle(app, awaits_model=True)
    assert app.bridge.snapshot.status == "waiting"
    monkeypatch.setattr(settling, "PATIENCE", 20)
    with pytest.raises(AssertionError, match="a model's reply"):
        settle(app)


def test_a_panel_that_is_left_behind_is_a_fault(make_app: MakeApp) -> None:
    app = make_app(parts())
    settle(app)
    name = app.window.shown_panels()[0]
    del app.window._distributor._shown[name]
    with pytest.raises(AssertionError, match=name):
        settle(app)


def test_a_message_stays_until_its_time_is_run_out(make_app: MakeApp) -> None:
    app = make_app(parts())
    app.console.message.emit("as you wish", "good")
    settle(app)
    assert app.window.status._clear.isActive(), "it may be read for seconds"
    run_out(app.window.status._clear)
    assert not app.window.status._clear.isActive()


def test_no_test_waits_for_a_time(qtbot: QtBot) -> None:
    with pytest.raises(AssertionError, match="50 ms are no state"):
        qtbot.wait(50)
