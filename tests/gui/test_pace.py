"""The pace is chosen in a menu, by its key or in the palette; the window says it, and stays in control during a hold."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from core.session.pace import PACES, Pace
from core.session.snapshot import Snapshot
from gui.window.palette_entries import entries
from tests.gui.conftest import MakeApp
from tests.gui.test_runs import another, toys

LONG = Pace("hold", 3600.0)


def test_a_held_run_runs_and_obeys_pause_and_run_at_once(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(toys())
    console = app.console

    def now() -> Snapshot:
        return app.bridge.snapshot

    console.run_request.set_pace(LONG)
    console.run()
    qtbot.waitUntil(lambda: now().held > 0 and console.running and app.window.status._state.text == "● Held for 3600 s")
    assert app.window.bar.controls.run.text().strip() == "Pause"
    assert "hold 3600 s a turn" in app.window.status.detail.text
    console.run_or_pause()
    qtbot.waitUntil(lambda: now().pause == "asked to" and not console.running)
    console.run_or_pause()
    qtbot.waitUntil(lambda: now().turn == 2 and now().held > 0)
    another(qtbot, app, lambda: console.run_request.choose("seed", 4))
    qtbot.waitUntil(lambda: now().pace == LONG)  # the next run keeps it
    app.context.undo.undo()  # the seed
    qtbot.waitUntil(lambda: console.request.seed == 0 and app.runner.phase == "live")


def test_menu_and_palette_offer_all_paces_and_undo_takes_one_back(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(toys())
    menu = app.window.bar.controls.offer_paces()
    assert [action.text().lower() for action in menu.actions()] == [pace.words for pace in PACES]
    menu.actions()[-1].trigger()
    menu.close()
    qtbot.waitUntil(lambda: app.bridge.snapshot.pace == Pace("actions"))
    listed = next(entry for entry in entries(app.window, app.actions.keys, app.kept_runs.exporter) if entry.title == "Pace …")
    assert listed.complete is not None
    assert [entry.title for entry in listed.complete("hold 3")][:1] == ["Pace: hold 3 s a turn"]
    assert len(listed.complete("")) == len(PACES)
    assert "There is no pace" in listed.complete("quickly")[0].title
    app.context.undo.undo()
    qtbot.waitUntil(lambda: app.bridge.snapshot.pace == Pace())
    assert app.context.breakpoints.pace == Pace()
