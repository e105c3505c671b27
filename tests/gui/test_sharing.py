"""Sharing a decision from the window, and opening a link."""

from __future__ import annotations

from html import unescape
from pathlib import Path

from PySide6.QtCore import QPoint
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QApplication, QFileDialog, QMenu
from pytestqt.qtbot import QtBot

from core.planning.explanation import ALONE
from core.planning.facets import Moment
from core.recording.exports.html_parts import name_of
from core.recording.permalink import SUFFIX, read_link
from core.recording.reader import open_recording
from core.session.checked_expressions import in_words
from core.world.vocabulary import named
from gui.app import App
from gui.control.context import Selected
from gui.panels.why.panel import WhyPanel
from gui.recordings.sharing import LINK
from tests.core.recording.common import CODEC, recorded
from tests.core.recording.test_decision_page import played
from tests.gui.conftest import MakeApp
from tests.gui.parts import parts
from tests.gui.settling import settle


def said(app: App) -> list[str]:
    """Returns a list that will hold the messages of the status line."""
    found: list[str] = []
    app.console.message.connect(lambda words, tone: found.append(words))
    return found


def stepped(qtbot: QtBot, make_app: MakeApp) -> App:
    """Returns a console whose run has played one turn."""
    app = make_app(parts())
    app.console.step()
    settle(app)
    assert app.bridge.snapshot.turn == 2
    return app


def share(qtbot: QtBot, app: App, moment: Moment, out: Path) -> None:
    app.tools.sharing.write(moment, out)
    settle(app)
    assert out.exists()


def test_a_decision_of_a_live_run_is_shared_as_a_page(qtbot: QtBot, make_app: MakeApp, tmp_path: Path) -> None:
    app = stepped(qtbot, make_app)
    out = tmp_path / "d.html"
    share(qtbot, app, Moment(0, 1), out)
    assert "Turn 1: go right" in out.read_text("utf-8")
    words = said(app)
    app.tools.sharing.write(Moment(0, 1), tmp_path / f"d{SUFFIX}")
    assert words == ["This run is not saved: record it first, then a link leads to it, or share a page"]


def test_a_link_opens_the_window_at_the_decision(qtbot: QtBot, make_app: MakeApp, tmp_path: Path) -> None:
    path, out = tmp_path / "episode.mcap", tmp_path / f"d{SUFFIX}"
    recorded(path)
    app = make_app(parts())
    app.viewer.open(path)
    qtbot.waitUntil(lambda: app.console.replaying and app.replay.number >= 0)
    app.console.go_to(Moment(0, 3))
    qtbot.waitUntil(lambda: app.console.moment == Moment(0, 3))
    app.context.selection.select(Selected("thing", "walker_1"))
    shown = app.window.shown_panels()
    assert shown
    share(qtbot, app, Moment(0, 3), out)
    assert (read_link(out).selected, read_link(out).panels) == ("walker_1", shown)
    app.viewer.leave()
    app.context.selection.select(None)
    app.window.docks[shown[0]].hide()
    app.viewer.open(out)
    qtbot.waitUntil(lambda: app.console.moment == Moment(0, 3))
    assert app.context.selection.thing() == "walker_1"
    assert set(shown) <= {name for name, dock in app.window.docks.items() if dock.isVisible()}
    with open_recording(path, CODEC) as recording:
        assert app.replay.number == recording.decided_at(Moment(0, 3))


def test_a_recording_that_has_moved_is_asked_for(qtbot: QtBot, make_app: MakeApp, tmp_path: Path) -> None:
    """The operator says where it is; a recording of another run is refused, and what was shown stays."""
    path, other, out = tmp_path / "a.mcap", tmp_path / "other.mcap", tmp_path / "links" / f"d{SUFFIX}"
    recorded(path)
    recorded(other)
    out.parent.mkdir()
    app = make_app(parts())
    app.viewer.open(path)
    qtbot.waitUntil(lambda: app.console.replaying and app.replay.number >= 0)
    share(qtbot, app, Moment(0, 2), out)
    words = said(app)
    app.viewer.open(out)
    qtbot.waitUntil(lambda: bool(app.window.findChildren(QFileDialog)))
    dialog = app.window.findChildren(QFileDialog)[-1]
    assert dialog.windowTitle() == "Where is a.mcap?"
    assert words[-1] == f"a.mcap is not in {out.parent}: choose where it is, or put it beside {out.name}"
    dialog.fileSelected.emit(str(other))
    qtbot.waitUntil(lambda: "records another run" in words[-1])
    assert app.replay.recording is not None
    assert app.replay.recording.path == path, "what was shown before stays"
    app.viewer.open(out)
    qtbot.waitUntil(lambda: len(app.window.findChildren(QFileDialog)) > 1)
    app.window.findChildren(QFileDialog)[-1].fileSelected.emit(str(path))
    qtbot.waitUntil(lambda: app.console.moment == Moment(0, 2))


def test_a_damaged_link_is_one_line(qtbot: QtBot, make_app: MakeApp, tmp_path: Path) -> None:
    out = tmp_path / f"d{SUFFIX}"
    out.write_text("{", "utf-8")
    app = make_app(parts())
    words = said(app)
    app.viewer.open(out)
    qtbot.waitUntil(lambda: "make the link again" in words[-1])
    assert not app.console.replaying


def test_the_dialog_offers_page_and_link(qtbot: QtBot, make_app: MakeApp) -> None:
    app = stepped(qtbot, make_app)
    dialog = app.tools.sharing.ask()
    assert dialog is not None
    assert (dialog.defaultSuffix(), dialog.acceptMode()) == ("html", QFileDialog.AcceptMode.AcceptSave)
    dialog.filterSelected.emit(LINK)
    assert dialog.defaultSuffix() == SUFFIX[1:]
    dialog.reject()


def test_the_menu_of_a_turn_and_the_palette_offer_it(qtbot: QtBot, make_app: MakeApp) -> None:
    app = stepped(qtbot, make_app)
    assert "Share this decision …" in {entry.title for entry in app.actions.entries()}
    timeline, asked = app.window.timeline, list[Moment]()
    timeline.asked_share.disconnect()
    timeline.asked_share.connect(asked.append)
    rows = timeline.viewport.rows
    place = QPoint(int(rows.left) + 12, 40)
    QApplication.sendEvent(timeline, QContextMenuEvent(QContextMenuEvent.Reason.Mouse, place, timeline.mapToGlobal(place)))
    menu = timeline.findChildren(QMenu)[-1]
    menu.actions()[0].trigger()
    menu.close()
    assert asked == [Moment(0, 1)]


def test_the_page_gives_the_reasons_and_the_watches_that_the_window_shows(
        qtbot: QtBot, make_app: MakeApp, tmp_path: Path) -> None:
    path, out, moment = played("bcr", tmp_path / "a.mcap", {}), tmp_path / "d.html", Moment(0, 2)
    app = make_app(parts())
    app.context.watches.add("conditions")
    app.viewer.open(path)
    qtbot.waitUntil(lambda: app.console.replaying and app.replay.number >= 0)
    app.console.go_to(moment)
    app.window.show_panel("why")
    why = app.window.docks["why"].card.fill()
    assert isinstance(why, WhyPanel)
    qtbot.waitUntil(lambda: why.shown.decision is not None and why.shown.decision.moment == moment and bool(why.sentences))
    share(qtbot, app, moment, out)
    page = unescape(out.read_text("utf-8"))
    for sentence in why.sentences:
        assert (named(sentence.text, name_of) in page) is (sentence.claim not in ALONE)
    shown = in_words(app.context.watches.watched[0].value(app.console.shown))
    assert f'<td>conditions</td><td class="n">{shown}</td>' in page
