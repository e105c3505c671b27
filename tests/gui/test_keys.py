"""Keys: navigation between panels, frames only, the table and its changes, the worst decisions."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QRect, QSettings, Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog
from pytestqt.qtbot import QtBot

from core.planning.facets import Moment
from core.planning.search_facets import Ranking
from core.session.commands import Override
from core.world.vocabulary import Action
from gui.app import App
from gui.control.kept_settings import KeptSettings
from gui.control.key_labels import written
from gui.window.actions import ACTIONS, DEFAULTS, TOOLS, tool_name
from gui.window.keys import FIXED, KeyBindings, KeyDialog
from gui.window.worst_decisions import WorstDialog, worst
from tests.gui.conftest import MakeApp
from tests.gui.parts import TASK, parts
from tests.gui.settling import settle

Key = Qt.Key
CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


def press(app: App, key: Qt.Key, held: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    QTest.keyClick(app.window.windowHandle(), key, held)


def focused(app: App) -> str:
    focus = QApplication.focusWidget()
    return next((card.name for card in app.window.cards() if focus is not None and card.isAncestorOf(focus)), "")


def open_dialog(app: App, kind: type[QDialog]) -> QDialog:
    found = [d for d in app.window.findChildren(kind) if d.isVisible()]
    assert len(found) == 1
    return found[0]


# --- from panel to panel ------------------------------------------------------------
def test_tab_walks_through_the_panels_in_view_and_back(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(parts())
    qtbot.waitUntil(lambda: app.window.docks["ranking"].card.panel is not None)
    names = [card.name for card in app.window.visible_cards() if not card.visibleRegion().isEmpty()]
    seen = []
    for _ in names:
        press(app, Key.Key_Tab)
        seen.append(focused(app))
    assert sorted(seen) == sorted(names)
    assert seen[0] == "ranking", "reading order begins at the top left"
    press(app, Key.Key_Tab)
    assert focused(app) == seen[0]
    press(app, Key.Key_Backtab, SHIFT)
    assert focused(app) == seen[-1]
    assert app.window.docks[seen[-1]].card.property("ringed")
    assert not app.window.docks["ranking"].card.property("ringed")


def test_tab_stays_in_texts_and_in_the_override_dialog(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(parts())
    app.window.show_panel("calls")
    panel = app.window.docks["calls"].card.panel
    assert panel is not None
    app.window.bar.goal.edit()
    field = QApplication.focusWidget()
    press(app, Key.Key_Tab)
    assert QApplication.focusWidget() is not field
    assert focused(app) == "", "a text is left as in any form, not for the next panel"
    app.run_dialogs.ask_override()
    for _ in range(4):
        press(app, Key.Key_Tab)
        focus = QApplication.focusWidget()
        assert focus is not None
        assert app.run_dialogs.override.card.isAncestorOf(focus)


def test_ctrl_numbers_go_to_panels_in_reading_order_also_behind_tabs(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(parts())
    order = app.window.navigation.order()
    for k, name in enumerate(order[:9]):
        press(app, Qt.Key(Key.Key_1.value + k), CTRL)
        assert focused(app) == name, f"Ctrl {k + 1}"
    app.actions.open_palette()
    entry = next(e for e in app.actions.palette._all if e.title == "Go to Frames")
    assert entry.key == f"Ctrl {order.index('frames') + 1}"


def test_ctrl_tab_goes_through_controls(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(parts())
    app.window.bar.controls.run.setFocus()
    press(app, Key.Key_Tab, CTRL)
    after = QApplication.focusWidget()
    assert after is not app.window.bar.controls.run
    app.window.navigation.go_to_control(-1)
    assert QApplication.focusWidget() is app.window.bar.controls.run


# --- frames only ---------------------------------------------------------------------
@pytest.mark.parametrize("back", [Key.Key_F11, Key.Key_Escape])
def test_f11_shows_the_frames_alone_and_brings_all_back(qtbot: QtBot, make_app: MakeApp, back: Qt.Key) -> None:
    app = make_app(parts())
    window = app.window
    window.docks["log"].raise_()
    qtbot.waitUntil(lambda: not window.docks["log"].visibleRegion().isEmpty())
    def places() -> dict[str, QRect]:
        return {d.name: d.geometry() for d in window.docks.values() if not d.visibleRegion().isEmpty()}

    qtbot.waitUntil(lambda: window.docks["tree"].height() > 200)  # the layout has settled
    before = places()
    press(app, Key.Key_F11)
    qtbot.waitUntil(lambda: min(window.width() - window.stage.card.width(), window.height() - window.stage.card.height()) < 40)
    assert [dock.name for dock in window.docks.values() if dock.isVisible()] == []
    assert not window.bar.isVisible()
    assert not window.timeline.isVisible()
    press(app, back)
    qtbot.waitUntil(lambda: places() == before)
    assert window.bar.isVisible()
    assert window.timeline.isVisible()
    assert not window.docks["log"].visibleRegion().isEmpty()
    assert not window.strip.isVisible()


def test_closing_while_the_frames_are_alone_keeps_the_layout(qtbot: QtBot, make_app: MakeApp, settings: QSettings) -> None:
    app = make_app(parts())
    press(app, Key.Key_F11)
    app.window.close()
    again = make_app(parts())
    assert again.window.docks["ranking"].isVisible()
    assert again.window.bar.isVisible()


# --- the table -------------------------------------------------------------------------
def test_every_key_is_given_once() -> None:
    held = list(DEFAULTS.values())
    assert len(set(held)) == len(held)
    assert not set(held) & set(FIXED)
    assert all(QKeySequence(key).toString() for key in held)


def test_keys_are_kept_taken_from_others_and_reset(kept: KeptSettings) -> None:
    keys = KeyBindings(kept, DEFAULTS)
    keys.change("bookmark", "Ctrl+J")
    assert KeyBindings(kept, DEFAULTS).written("bookmark") == "Ctrl J"
    keys.change("record", "Ctrl+J")
    assert (keys.of("bookmark"), keys.of("record"), keys.holder("Ctrl+J")) == ("", "Ctrl+J", "record")
    assert keys.is_own("bookmark")
    keys.reset("bookmark")
    assert keys.of("bookmark") == DEFAULTS["bookmark"]
    keys.reset()
    assert {name: KeyBindings(kept, DEFAULTS).of(name) for name in DEFAULTS} == dict(DEFAULTS)


def test_resetting_takes_the_first_key_back_from_whoever_has_it(kept: KeptSettings) -> None:
    keys = KeyBindings(kept, DEFAULTS)
    keys.change("record", "K")
    keys.reset("bookmark")
    assert (keys.of("bookmark"), keys.of("record")) == ("K", "")


def test_damaged_settings_give_no_key_and_no_trouble(kept: KeptSettings) -> None:
    kept.set_value("keys/bookmark", "what is this")
    kept.set_value("keys/nobody", "Ctrl+J")
    assert KeyBindings(kept, DEFAULTS).of("run") == "Space"
    assert KeyBindings(kept, DEFAULTS).of("bookmark") == ""


def test_a_changed_key_works_is_shown_and_the_old_one_does_not(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(parts())
    card = app.window.stage.card
    qtbot.waitUntil(lambda: "Boxes (B)" in {a.text() for a in card.tools})  # panels are created one after the other
    boxes = next(a for a in card.tools if a.text() == "Boxes (B)")
    app.actions.keys.change(tool_name("B"), "Y")
    assert boxes.text() == "Boxes (Y)"
    before = boxes.isChecked()
    press(app, Key.Key_B)
    assert boxes.isChecked() == before
    press(app, Key.Key_Y)
    assert boxes.isChecked() != before
    app.actions.open_palette()
    assert [e.key for e in app.actions.palette._all if e.title == "Frames: Boxes"] == ["Y"]
    app.actions.palette.leave()
    app.actions.keys.reset()
    assert boxes.text() == "Boxes (B)"


def test_lists_hear_a_moved_key_too(qtbot: QtBot, make_app: MakeApp) -> None:
    """The ranking itself handles X. After a change to W, W bans there and X does nothing."""
    app = make_app(parts("llm-mcts", TASK))
    app.console.step("checkpoint")
    qtbot.waitUntil(lambda: app.bridge.snapshot.status == "paused" and bool(app.console.snapshot.facets))
    app.console.step()
    qtbot.waitUntil(lambda: app.bridge.snapshot.turn == 2 and app.bridge.snapshot.status == "paused")
    app.window.show_panel("ranking")
    ranking = app.window.docks["ranking"].card.panel
    assert ranking is not None
    facet = app.bridge.snapshot.facet(Ranking)
    assert facet is not None
    qtbot.waitUntil(lambda: ranking.headline().startswith(f"{len(facet.actions)} actions"))  # of this turn, not the last
    qtbot.waitUntil(lambda: QApplication.focusWidget() is ranking.rows)  # type: ignore[attr-defined]
    app.actions.keys.change("ban", "W")
    press(app, Key.Key_Down)
    press(app, Key.Key_X)
    settle(app)
    assert not app.bridge.snapshot.banned
    press(app, Key.Key_W)
    qtbot.waitUntil(lambda: len(app.bridge.snapshot.banned) == 1)


# --- the dialog ------------------------------------------------------------------------
def test_the_dialog_finds_names_conflicts_and_changes(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(parts())
    kept = app.settings
    press(app, Key.Key_F1, CTRL)
    dialog = open_dialog(app, KeyDialog)
    assert isinstance(dialog, KeyDialog)
    assert dialog.list.rows.count() > len(DEFAULTS)
    QTest.keyClick(dialog.list.rows, Key.Key_Down)
    assert dialog.list.rows.current == 0
    dialog.words.setText("bookmark this")
    assert dialog.list.rows.count() == 1
    dialog.list.rows.choose(0, tell=True)
    dialog.field.setKeySequence(QKeySequence("R"))
    assert dialog.message.text() == "R is taken: Record, stop recording would lose its key"
    dialog.field.setKeySequence(QKeySequence("1"))
    assert "gives the label" in dialog.message.text()
    assert not dialog.take.isEnabled()
    dialog.field.setKeySequence(QKeySequence("Esc"))
    assert not dialog.take.isEnabled()
    dialog.field.setKeySequence(QKeySequence("Ctrl+J"))
    assert dialog.message.text() == "Ctrl J is free"
    dialog.take.click()
    assert dialog.list.rows.row_words(0) == "Bookmark this moment · key Ctrl J · changed"
    assert KeyBindings(kept, DEFAULTS).of("bookmark") == "Ctrl+J"
    dialog.back.click()
    assert KeyBindings(kept, DEFAULTS).of("bookmark") == "K"
    dialog.list.rows.choose(0, tell=True)
    dialog.field.setKeySequence(QKeySequence("R"))
    dialog.take.click()
    assert (app.actions.keys.of("bookmark"), app.actions.keys.of("record")) == ("R", "")
    dialog.back_all.click()
    assert app.actions.keys.of("record") == "R"
    dialog.reject()


def test_all_of_the_table_is_listed_and_can_be_read(make_app: MakeApp) -> None:
    rows = make_app(parts()).actions.key_rows()
    assert all(row.title for row in rows)
    assert {row.name for row in rows} >= set(DEFAULTS)
    assert len(rows) > len(ACTIONS) + len(TOOLS)
    assert (written("Ctrl+Shift+F"), written("Right"), written("+")) == ("Ctrl Shift F", "→", "+")


# --- worst decisions --------------------------------------------------------------------
def test_worst_decisions_are_listed_and_gone_to(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(parts("llm-mcts", TASK))
    app.console.step()
    qtbot.waitUntil(lambda: app.bridge.snapshot.turn == 2 and app.bridge.snapshot.status == "paused")
    ranking, shown_in = app.bridge.snapshot.facets[Ranking]
    assert isinstance(ranking, Ranking)
    assert shown_in == Moment(0, 2)
    bad = [r for r in ranking.actions if r.loss and r.loss > 0.5 and len(r.steps) == 1]
    assert bad
    app.context.post(Override(bad[-1].steps[0]))
    qtbot.waitUntil(lambda: len(app.bridge.snapshot.turns) == 2)
    turn = app.bridge.snapshot.turns[1]
    best = next(r.steps[0] for r in ranking.actions if r.loss == 0)
    assert (turn.by, turn.loss, turn.best) == ("operator", bad[-1].loss, best)
    qtbot.waitUntil(lambda: len(app.console.snapshot.turns) == 2)
    assert worst(app.console.snapshot.line)[0] is turn
    press(app, Key.Key_M)
    dialog = open_dialog(app, WorstDialog)
    assert isinstance(dialog, WorstDialog)
    assert " · turn 2 · best action " in dialog.list.rows.row_words(0)
    assert "by the operator" in dialog.list.rows.row_words(0)
    dialog.list.choose_object(0, tell=True)
    assert app.console.moment is not None
    assert app.console.moment.turn == 2
    dialog.close()


def test_without_a_ranking_there_are_no_worst_decisions(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(parts())
    app.console.step()
    qtbot.waitUntil(lambda: len(app.console.snapshot.turns) == 1)
    assert worst(app.console.snapshot.line) == ()
    assert isinstance(app.console.snapshot.turns[0].action, Action)
    app.actions.show_worst()
    app.actions.show_worst()
    dialog = open_dialog(app, WorstDialog)
    assert isinstance(dialog, WorstDialog)
    assert "No turn has been ranked yet" in dialog.line.text
    dialog.close()


def test_a_panel_behind_a_tab_is_made_when_it_is_asked_what_it_offers(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(parts())
    settle(app)
    behind = [card for card in app.window.visible_cards() if card.visibleRegion().isEmpty()]
    assert behind
    assert all(card.panel is None for card in behind)
    asked = {card.name for card, _ in app.window.offers()}
    assert all(card.panel is not None for card in behind)
    assert asked & {card.name for card in behind}, "their keys work, too"
