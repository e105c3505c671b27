"""A run in the window does not wait for machine code, and the status line tells that it is made."""

from __future__ import annotations

from dataclasses import replace

import pytest
from pytestqt.qtbot import QtBot

from core.app.run_request import Request
from core.session.setup import Setup
from tests.core.session.held import WORDS, Held, Searcher
from tests.gui.conftest import MakeApp
from tests.gui.parts import make_setup, parts


def test_the_status_line_tells_it_beside_the_run_until_it_is_over(qtbot: QtBot, make_app: MakeApp,
                                                                  monkeypatch: pytest.MonkeyPatch) -> None:
    def searches(request: Request) -> Setup:
        return replace(make_setup(request), planner=Searcher())

    held = Held()
    monkeypatch.setattr("core.session.search_code.preparation", held)
    app = make_app(replace(parts(), make_setup=searches))
    detail = app.window.status.detail
    qtbot.waitUntil(lambda: WORDS in detail.text)
    assert not app.console.begun, "it is told before the run is"
    held.words = WORDS.replace("6", "5")
    qtbot.waitUntil(lambda: held.words in detail.text)
    app.console.step()
    qtbot.waitUntil(lambda: app.bridge.snapshot.turn > 1 and app.bridge.snapshot.status == "paused")
    assert held.words in detail.text, "a turn was played meanwhile"
    held.end()
    qtbot.waitUntil(lambda: "compiling" not in detail.text)
    app.console.run()
    qtbot.waitUntil(lambda: app.bridge.snapshot.ended is not None)
    assert app.bridge.snapshot.outcome.success
