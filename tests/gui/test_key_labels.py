"""Texts of the window that name a key name the present one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from string import ascii_uppercase, digits

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QWidget
from pytestqt.qtbot import QtBot

from gui.app import App
from gui.control.context import Context
from gui.control.key_labels import KeyLabel, with_keys, written
from gui.panels.belief.panel import BeliefPanel
from gui.theme import Theme
from gui.widgets import Line, Prose
from gui.window.actions import DEFAULTS
from tests.gui.conftest import MakeApp
from tests.gui.panels import worlds
from tests.gui.parts import TASK, parts

FREE = [f"Ctrl+Alt+{held}{key}" for held in ("", "Shift+") for key in (
    *ascii_uppercase, *digits, *(f"F{k}" for k in range(1, 12)))]


def test_a_bracket_goes_with_its_key(theme: Theme) -> None:
    context = Context(theme, lambda _: None)
    assert with_keys(context, "Step ({Right}); hold for more") == "Step (→); hold for more"
    assert with_keys(context, "Marks ({[} and {]})") == "Marks ([ and ])"
    assert with_keys(context, "Close (Esc)") == "Close (Esc)"
    context.key_now = lambda key: "" if key == "]" else {"Right": "Shift+F2"}.get(key, key)
    assert with_keys(context, "Step ({Right}); hold for more") == "Step (Shift F2); hold for more"
    assert with_keys(context, "Marks ({[} and {]})") == "Marks"
    assert with_keys(context, "Run   {]}") == "Run   "


def test_it_is_put_again_when_keys_change_and_not_after_its_owner_is_gone(qtbot: QtBot, theme: Theme) -> None:
    context, put = Context(theme, lambda _: None), list[str]()
    owner = QObject()
    words = KeyLabel(context, owner, put.append, "Fit ({0})")
    context.key_now = lambda key: "F"
    context.keys_changed.emit()
    words.set_text("Fit all ({0})")
    words.set_text("Fit all ({0})")
    assert put == ["Fit (0)", "Fit (F)", "Fit all (F)"]
    owner.deleteLater()
    qtbot.waitUntil(lambda: not _alive(owner))
    context.keys_changed.emit()
    assert len(put) == 3


def _alive(thing: QObject) -> bool:
    from shiboken6 import isValid

    return isValid(thing)


def texts(app: App) -> Iterator[tuple[str, str]]:
    """All texts of the window, with where they are."""
    for part in (app.window, *app.window.findChildren(QWidget)):
        yield type(part).__name__, part.toolTip()
        yield type(part).__name__, part.accessibleName()
        if isinstance(part, QAbstractButton | QLabel):
            yield type(part).__name__, part.text()
        if isinstance(part, Line):
            yield type(part).__name__, part.text
    for action in app.window.findChildren(QAction):
        yield "QAction", action.text()
        yield "QAction", action.toolTip()


def named(text: str) -> set[str]:
    """Keys of the window's table that a text names by their defaults."""
    firsts = {written(key) for key in DEFAULTS.values()}
    inside = {word.strip() for bracket in re.findall(r"\(([^()]*)\)", text) for word in (bracket, *bracket.split(" and "))}
    return firsts & {*inside, text.strip(), re.split(r" {2,}", text.strip())[-1]}


def test_every_text_of_the_window_follows_the_keys(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(parts("llm-mcts", TASK))
    app.window.ask_task()
    for part in (app.pages.library, app.pages.evaluations, app.run_dialogs.override):  # made when they are first asked for
        assert app.window.isAncestorOf(part)
    for card in app.window.cards():
        card.fill()
        card.show_snapshot(app.bridge.snapshot)
    QApplication.processEvents()
    before = [where for where, text in texts(app) if named(text)]
    assert len(before) > 30, "there are tips that name keys"
    for name, key in zip(DEFAULTS, FREE, strict=False):
        app.actions.keys.change(name, key)
    assert all(app.actions.keys.is_own(name) for name in DEFAULTS)
    app.console.live_snapshot.emit(app.bridge.snapshot)
    QApplication.processEvents()
    stale = {(where, text) for where, text in texts(app) if named(text)}
    assert not stale


def test_the_empty_state_of_the_comparison_follows_too(make_app: MakeApp) -> None:
    app = make_app(parts("llm-mcts", TASK))
    card = app.window.docks["compare"].card
    card.fill()
    assert any("(Ctrl Shift F)" in label.text() for label in card.findChildren(Prose))
    app.actions.keys.change("fork", "Ctrl+J")
    assert any("(Ctrl J)" in label.text() for label in card.findChildren(Prose))


def test_the_cell_of_the_belief_follows_whatever_it_says_by_then(qtbot: QtBot) -> None:
    context, _ = worlds.context()
    panel = BeliefPanel(context)
    qtbot.addWidget(panel)
    panel.resize(420, 400)
    panel.show()
    panel.show_snapshot(worlds.usual())
    cell = panel.cell
    qtbot.waitUntil(lambda: cell._pin.toolTip() == "Pin this probability (P)")
    context.key_now = lambda key: {"P": "Shift+P", "E": ""}.get(key, key)
    context.keys_changed.emit()
    assert cell._pin.toolTip() == "Pin this probability (Shift P)"
    assert cell.number.toolTip() == "Type a probability: .3, 30 or 30 %"
    panel._act("pin")
    qtbot.waitUntil(lambda: cell._pin.toolTip() == "Unpin (Shift P)")
