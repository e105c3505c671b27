"""Random clicks, keys and actions against a live run: nothing raises, nothing warns, and the window closes.

`BELVEDERE_STRESS_ACTS` sets how many, `BELVEDERE_STRESS_SEED` gives another sequence.
"""

from __future__ import annotations

import os
import random
import threading
import traceback
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt, QtMsgType, qInstallMessageHandler
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QWidget
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from gui.app import App
from gui.window.actions import ACTIONS
from tests.gui.conftest import MakeApp
from tests.gui.parts import TASK, parts
from tests.gui.settling import let_run
from tests.long_tests import LONG

ACTS = int(os.environ.get("BELVEDERE_STRESS_ACTS", "2000" if LONG else "60"))
SEED = int(os.environ.get("BELVEDERE_STRESS_SEED", "0"))
KEYS = (Qt.Key.Key_Space, Qt.Key.Key_Tab, Qt.Key.Key_Backtab, Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Left,
        Qt.Key.Key_Right, Qt.Key.Key_Return, Qt.Key.Key_Escape, Qt.Key.Key_Home, Qt.Key.Key_End, Qt.Key.Key_Delete,
        *(Qt.Key(code) for code in range(Qt.Key.Key_0, Qt.Key.Key_9 + 1)),
        *(Qt.Key(code) for code in range(Qt.Key.Key_A, Qt.Key.Key_Z + 1)))
NOT_TRIED = ("Simulator: ", "Planner: ", "Scene: ", "Provider: ", "Preset: ", "Full screen", "Quit")
"""Choices that are left out: other parts take a while to open and are tested elsewhere."""
HARMLESS = ("This plugin does not support", "propagateSizeHints", "setTabOrder")
"""Messages that Qt itself prints when it runs offscreen."""


@pytest.fixture
def troubles() -> Iterator[list[str]]:
    """Collects Qt's warnings and exceptions of threads. pytest-qt catches exceptions in slots."""
    found: list[str] = []

    def hear(kind: QtMsgType, _where: object, message: str) -> None:
        if kind is not QtMsgType.QtDebugMsg and not any(words in message for words in HARMLESS):
            found.append(f"{kind.name}: {message}")

    def broken(args: threading.ExceptHookArgs) -> None:
        found.append("".join(traceback.format_exception(args.exc_type, args.exc_value, args.exc_traceback)))

    before, hook = qInstallMessageHandler(hear), threading.excepthook
    threading.excepthook = broken
    yield found
    threading.excepthook = hook
    qInstallMessageHandler(before)


class Monkey:
    """An operator that acts at random."""

    def __init__(self, app: App, seed: int):
        self.app, self.dice = app, random.Random(seed)
        self.done: list[str] = []
        self._acts: tuple[tuple[int, Callable[[], None]], ...] = (
            (8, self._click), (8, self._key), (3, self._chord), (2, self._act), (1, self._menu), (1, self._resize),
            (1, self._drag), (1, self._go_on))

    def act(self) -> None:
        """Does a random action."""
        weights, acts = zip(*self._acts, strict=True)
        self.dice.choices(acts, weights)[0]()

    def _target(self) -> QWidget:
        """The topmost window."""
        popup = QApplication.activePopupWidget() or QApplication.activeModalWidget()
        return popup if popup is not None else self.app.window

    def _somewhere(self) -> tuple[QWidget, QPoint]:
        top = self._target()
        point = QPoint(self.dice.randrange(max(1, top.width())), self.dice.randrange(max(1, top.height())))
        under = top.childAt(point)
        return (top, point) if under is None else (under, under.mapFrom(top, point))

    def _say(self, words: str) -> None:
        self.done.append(words)

    def _click(self) -> None:
        widget, point = self._somewhere()
        button = self.dice.choice((Qt.MouseButton.LeftButton,) * 4 + (Qt.MouseButton.RightButton,))
        self._say(f"click {type(widget).__name__} {point.toTuple()}")
        if isValid(widget):  # a card may close, or a popup be deleted, before the pointer arrives
            QTest.mouseMove(widget, point)
        click = QTest.mouseDClick if self.dice.random() < 0.1 else QTest.mouseClick
        if isValid(widget):
            click(widget, button, pos=point)

    def _drag(self) -> None:
        widget, point = self._somewhere()
        self._say(f"drag {type(widget).__name__} {point.toTuple()}")
        if isValid(widget):
            QTest.mousePress(widget, Qt.MouseButton.LeftButton, pos=point)
        for _ in range(3):
            way = QPoint(self.dice.randrange(-60, 60), self.dice.randrange(-60, 60))
            if isValid(widget):
                QTest.mouseMove(widget, point + way)
        if isValid(widget):
            QTest.mouseRelease(widget, Qt.MouseButton.LeftButton, pos=point)

    def _key(self) -> None:
        key = self.dice.choice(KEYS)
        widget = QApplication.focusWidget() or self._target()
        self._say(f"key {key.name} in {type(widget).__name__}")
        if isValid(widget):
            QTest.keyClick(widget, key)

    def _chord(self) -> None:
        keys = [act.key for act in ACTIONS if act.key and act.key not in ("Shift+F11", "Ctrl+Q")]
        key = self.dice.choice(keys)
        self._say(f"key {key}")
        QTest.keySequence(self._target(), key)

    def _act(self) -> None:
        entries = [e for e in self.app.actions.entries() if not e.title.startswith(NOT_TRIED)]
        entry = self.dice.choice(entries)
        self._say(f"act {entry.title}")
        entry.run()

    def _menu(self) -> None:
        menus = [m for m in self.app.window.findChildren(QMenu) if m.actions()]
        actions = [a for m in menus for a in m.actions() if a.isEnabled() and not a.menu()]
        if actions:
            action = self.dice.choice(actions)
            self._say(f"menu {action.text()}")
            action.trigger()

    def _resize(self) -> None:
        size = self.dice.choice(((1024, 680), (1280, 800), (1440, 900), (1920, 1080)))
        self._say(f"resize {size}")
        self.app.window.resize(*size)

    def _go_on(self) -> None:
        """Resumes or restarts the run, which would otherwise soon stay ended or paused."""
        self._say("run")
        if not self.app.console.running:
            self.app.console.run()


@pytest.mark.timeout(120 + ACTS)
def test_whatever_is_clicked_and_typed(qtbot: QtBot, make_app: MakeApp, troubles: list[str]) -> None:
    given = parts("llm-mcts", TASK)
    app = make_app(replace(given, request=replace(given.request, max_steps=200)))
    app.console.run()
    monkey = Monkey(app, SEED)
    for _ in range(ACTS):
        monkey.act()
        let_run(app, monkey.dice.choice((0, 1, 5)))
        QApplication.processEvents()
        assert not troubles, "\n".join([*monkey.done[-12:], *troubles])
        if not app.window.isVisible():
            raise AssertionError("the window is gone after " + "; ".join(monkey.done[-5:]))
    for popup in QApplication.topLevelWidgets():
        if popup is not app.window and popup.isVisible():
            popup.close()
    app.window.close()
    qtbot.waitUntil(lambda: not [t for t in threading.enumerate() if t.name.startswith("session")])
    assert not troubles, "\n".join(troubles)
