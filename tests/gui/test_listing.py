"""The list of choices arrives after the window, once, from another thread, also into open menus."""

from __future__ import annotations

import threading
from dataclasses import replace

from PySide6.QtCore import QCoreApplication
from pytestqt.qtbot import QtBot

from core.common.errors import DataError
from gui.control.choices import ONLY_THINKS, Choices
from gui.control.parts import Parts
from gui.widgets.chooser import SEARCHING, Choice, Chooser
from tests.gui.conftest import MakeApp
from tests.gui.parts import choices, parts
from tests.gui.settling import PATIENCE, run_out, settle

FEW = Choices((Choice("walker", "Walker"),), (Choice("line", "line"),), {"line": (Choice("line", "A line"),)},
              (Choice("guide", "Guide"),), complete=False)


class Slow:
    """Returns the list when it is released, and fails a given number of times before that."""

    def __init__(self, failures: int = 0):
        self.go, self.threads, self._failures = threading.Event(), list[threading.Thread](), failures

    def __call__(self) -> Choices:
        self.threads.append(threading.current_thread())
        assert self.go.wait(PATIENCE / 1000)
        if self._failures:
            self._failures -= 1
            raise DataError("the shelf is locked: unlock it")
        return choices()


def slow_parts(slow: Slow) -> Parts:
    return replace(parts(), choices=FEW, list_choices=slow)


def test_an_open_menu_is_filled_when_the_list_comes(qtbot: QtBot, make_app: MakeApp) -> None:
    slow = Slow()
    app = make_app(slow_parts(slow))
    picker = app.window.bar.pickers.planner
    picker.open_menu()
    qtbot.waitUntil(lambda: len(slow.threads) == 1)
    menu = picker.findChildren(Chooser)[0]
    drives = [o for o in menu.options if o.group != ONLY_THINKS]
    assert [(o.title, o.enabled) for o in drives] == [("Walker", True), (SEARCHING, False)]
    slow.go.set()
    qtbot.waitUntil(lambda: app.console.choices.complete)
    words = [o.title for o in menu.options if o.group != ONLY_THINKS]
    assert len(words) == len(choices().planners)
    assert SEARCHING not in words
    menu.close()


def test_the_list_is_made_once_and_never_on_the_gui_thread(qtbot: QtBot, make_app: MakeApp) -> None:
    slow = Slow()
    slow.go.set()
    app = make_app(slow_parts(slow))
    qtbot.waitUntil(lambda: app.console.choices.complete)
    for _ in range(3):
        app.console.asked_choices.emit()
        app.console.live_snapshot.emit(app.console.snapshot)
    run_out(app.control.catalogue._later)
    settle(app)
    assert len(slow.threads) == 1
    assert slow.threads[0] is not threading.main_thread()


def test_a_list_that_fails_is_said_and_tried_again(qtbot: QtBot, make_app: MakeApp) -> None:
    slow = Slow(failures=1)
    slow.go.set()
    app = make_app(slow_parts(slow))
    told: list[str] = []
    app.console.message.connect(lambda text, _: told.append(text))
    app.console.asked_choices.emit()
    qtbot.waitUntil(lambda: any("unlock it" in text for text in told))
    assert not app.console.choices.complete
    app.console.asked_choices.emit()
    qtbot.waitUntil(lambda: app.console.choices.complete)


def test_the_window_closes_while_the_list_is_made(qtbot: QtBot, make_app: MakeApp) -> None:
    slow = Slow()
    app = make_app(slow_parts(slow))
    app.console.asked_choices.emit()
    qtbot.waitUntil(lambda: len(slow.threads) == 1)
    app.window.close()
    slow.go.set()
    slow.threads[0].join(PATIENCE / 1000)
    assert not slow.threads[0].is_alive()
    QCoreApplication.processEvents()
    assert not app.console.choices.complete, "what comes after the end is heard by nobody"
