"""The operator changes the simulator's world in a fork: by the list of changes, in the present and in a past turn."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from core.planning.facets import Moment
from core.session.commands import ChangeWorld
from core.simulator.base import WorldChange
from gui.app import App
from gui.control.snapshot_texts import detail_words, world_change_words
from gui.panels.base import open_thing_menu
from gui.widgets import Namer
from gui.window.world_changer import WorldChanger
from tests.gui.conftest import MakeApp
from tests.gui.parts import TASK, parts
from tests.gui.settling import settle


def played(qtbot: QtBot, app: App, turns: int) -> WorldChanger:
    """Plays some turns. Returns the list of changes, closed."""
    for turn in range(1, turns + 1):
        app.console.step()
        settle(app)
        assert (app.bridge.snapshot.turn, app.bridge.snapshot.status) == (turn + 1, "paused")
    return app.run_dialogs.world_changer


def listed(qtbot: QtBot, changer: WorldChanger, thing: str) -> list[str]:
    """Opens the list for an object and waits for its changes."""
    changer.ask(thing)
    qtbot.waitUntil(lambda: changer.chooser.titles() not in ([], ["Listing the changes …"]))
    return changer.chooser.titles()


def choose(changer: WorldChanger, title: str) -> None:
    option = next(o for o in changer.chooser.options if o.title == title)
    changer.chooser.hide()
    option.act()


def test_a_change_is_made_in_a_fork_and_shown_everywhere(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(parts("greedy", TASK))
    changer = played(qtbot, app, 2)
    assert {"Open", "Move on kitchen table"} & set(listed(qtbot, changer, "fridge_1"))
    choose(changer, "Open")
    qtbot.waitUntil(lambda: len(app.bridge.snapshot.world_changes) == 1)
    qtbot.waitUntil(lambda: app.bridge.snapshot.current is not None)
    now = app.bridge.snapshot
    assert (now.branch, now.turn, now.status) == (1, 3, "paused"), "the run was held and stays paused"
    assert world_change_words(now.world_changes) == "world changed in turn 3"
    assert "world changed in turn 3" in detail_words(now, Namer().of(now.seen))
    assert [(m.kind, m.text, m.branch) for m in now.marks if m.kind == "world"] == [
        ("world", "world changed: fridge_1 → open", 1)]
    qtbot.waitUntil(app.context.undo.canUndo)
    app.context.undo.undo()
    qtbot.waitUntil(lambda: app.bridge.snapshot.branch == 0)
    assert app.bridge.snapshot.world_changes == ()


def test_the_world_of_a_past_turn_is_changed(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(parts("greedy", TASK))
    changer = played(qtbot, app, 3)
    app.console.go_to(Moment(0, 2))
    titles = listed(qtbot, changer, "fridge_1")
    assert app.bridge.snapshot.changes is not None
    assert app.bridge.snapshot.changes.of == Moment(0, 2)
    choose(changer, next(t for t in titles if t in ("Open", "Close")))
    qtbot.waitUntil(lambda: app.bridge.snapshot.branch == 1)
    qtbot.waitUntil(lambda: [m.turn for m in app.bridge.snapshot.world_changes] == [2])


def test_an_impossible_change_is_refused_and_makes_no_fork(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(parts("greedy", TASK))
    played(qtbot, app, 1)
    with qtbot.waitSignal(app.bridge.refused) as caught:
        app.console.fork(None, ChangeWorld(WorldChange("fridge_1", "inside", "fridge_1")))
    assert "stays where it is" in caught.args[0]
    assert len(app.bridge.snapshot.branches) == 1


def test_the_menu_of_an_object_offers_both(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(parts("greedy", TASK))
    changer = played(qtbot, app, 1)
    menu = open_thing_menu(app.context, "fridge_1", app.window, app.window.mapToGlobal(app.window.rect().center()))
    assert len(menu.actions()) == 2
    menu.actions()[1].trigger()
    qtbot.waitUntil(changer.chooser.isVisible)
    menu.close()
    changer.chooser.hide()


def test_without_an_object_or_a_turn_the_status_line_says_so(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(parts("greedy", TASK))
    changer = played(qtbot, app, 1)
    app.context.selection.select(None)
    with qtbot.waitSignal(app.console.message) as said:
        app.context.selection.asked_changes.emit("")
    assert "Select an object" in said.args[0]
    assert not changer.chooser.isVisible()
