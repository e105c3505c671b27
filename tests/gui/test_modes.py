"""Modes over the window in any order: Esc leaves each of them, the last one first, and then Space runs and pauses."""

from __future__ import annotations

import random
from itertools import permutations

import pytest
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QLineEdit
from pytestqt.qtbot import QtBot

from gui.app import App
from gui.widgets import Button
from tests.gui.conftest import MakeApp
from tests.gui.dialogs import dialogs
from tests.gui.parts import TASK, parts
from tests.gui.settling import settle
from tests.long_tests import either

MODES = {"palette": "Ctrl+K", "goal": "Ctrl+G", "override": "O", "tasks": "Ctrl+T", "things": "Ctrl+Shift+T",
         "library": "Ctrl+L", "evaluations": "Ctrl+E", "visitors": "F11", "menu": "F10", "keys": "Ctrl+F1",
         "models": "Ctrl+M", "batch": "Ctrl+B", "page": "F1", "worst": "M", "pace": "Ctrl+P", "task card": "", "tour": "",
         "change world": "Shift+O"}
"""Each mode and its key; "" for those that only the palette and menus open."""
PAIRS = list(permutations(MODES, 2))
TRIED = either(12, len(PAIRS))


def enter(app: App, mode: str, qtbot: QtBot) -> None:
    """Enters a mode as a person at the keyboard would."""
    match mode:
        case "task card":
            app.window.ask_task()
        case "tour":
            app.actions.tour.begin()
        case _:
            press(app, MODES[mode], qtbot)
    settle(app)


def press(app: App, key: str, qtbot: QtBot) -> None:
    """Presses a key where the keyboard is."""
    if QApplication.activeWindow() is None:  # a window manager activates the window when a dialog over it has closed
        app.window.activateWindow()
        qtbot.waitUntil(app.window.isActiveWindow)
    top = QApplication.activePopupWidget() or QApplication.activeModalWidget() or QApplication.activeWindow() or app.window
    QTest.keySequence(top.focusWidget() or top, QKeySequence(key))


def open_now(app: App) -> list[str]:
    """Returns what lies over or in place of the console, by name."""
    window, popup = app.window, QApplication.activePopupWidget()
    found = {
        "palette": app.actions.palette.isVisible(), "goal": window.bar.goal.editing,
        "override": "override" in vars(app) and app.run_dialogs.override.isVisible(), "task card": window.task_card.shown,
        "tour": app.actions.tour.shown, "page": window.shows_page, "visitors": window.visitor_bar.isVisible(),
        "popup": popup is not None,
    }
    dialogs = [type(w).__name__ for w in QApplication.topLevelWidgets() if isinstance(w, QDialog) and w.isVisible()]
    return [name for name, is_open in found.items() if is_open] + dialogs


def test_enter_does_what_a_dialog_is_for(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(parts("llm-mcts", TASK))
    settle(app)
    for dialog in dialogs(app):
        settle(app)
        buttons = [b for b in dialog.findChildren(Button) if b.isVisible()]
        main = [b for b in buttons if b.property("look") == "primary"]
        pressed = [b for b in buttons if b.isDefault()]
        is_typed = any(field.isVisible() and field.isEnabled() for field in dialog.findChildren(QLineEdit))
        words = f"{dialog.windowTitle()}: Enter presses {[b.text() for b in pressed]}"
        assert pressed == main or not (main or is_typed), words


@pytest.mark.timeout(60 + 4 * TRIED)
def test_any_two_modes_can_be_left_with_esc_and_leave_nothing(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(parts("llm-mcts", TASK))
    settle(app)
    app.console.step()
    settle(app)
    traps, runs = list[str](), list[None]()
    app.actions.named("run").triggered.connect(lambda: runs.append(None))
    for first, second in random.Random(0).sample(PAIRS, TRIED):
        enter(app, first, qtbot)
        enter(app, second, qtbot)
        was_open = open_now(app)
        for _ in range(len(was_open) + 2):
            if not open_now(app):
                break
            press(app, "Esc", qtbot)
            settle(app)
        if left := open_now(app):
            traps.append(f"{first}, {second}: {was_open}, after Esc still {left}")
            for widget in QApplication.topLevelWidgets():
                if isinstance(widget, QDialog):
                    widget.close()
            app.window.leave_frames_only()
            app.window.close_card()
            settle(app)
            continue
        before = len(runs)
        press(app, "Space", qtbot)
        if len(runs) == before:
            traps.append(f"{first}, {second}: then Space does not run, and the keyboard is in {QApplication.focusWidget()}")
        app.console.pause()
        settle(app)
    assert not traps, "\n".join(traps)
