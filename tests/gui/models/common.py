"""A model behind a loopback server, and a window whose models are kept in a file of the test."""

from __future__ import annotations

import socket
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QMenu, QWidget
from pytestqt.qtbot import QtBot

import main
from gui.app import App
from gui.control.parts import Parts
from gui.window.model_editor import ModelEditor
from gui.window.models_dialog import ModelsDialog
from tests.loopback.chat_server import Json, Sent, completion


def obeying(body: Json) -> Sent:
    """Answers with one of the choices, as vLLM does; without choices it answers with a text of its own."""
    choices = body.get("structured_outputs", {}).get("choice", ["A table, a chair and a lamp."])
    return completion(choices[0])


def real_parts(models: Path) -> Parts:
    """The window of `main.py` with LLM-MCTS, few simulations, and no models or cache of the user."""
    request = replace(main.first_request(), parameters={"simulations": 4}, cache=False)
    return replace(main.console_parts(request), models=models)


def closed_port() -> int:
    """A port of this machine on which no server listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def open_models(qtbot: QtBot, app: App) -> ModelsDialog:
    """Presses Ctrl M."""
    QTest.keyClick(app.window, Qt.Key.Key_M, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: app.run_dialogs.models is not None and app.run_dialogs.models.isVisible())
    assert app.run_dialogs.models is not None
    qtbot.waitUntil(app.run_dialogs.models.isActiveWindow)
    return app.run_dialogs.models


def add_preset(qtbot: QtBot, dialog: ModelsDialog, title: str) -> ModelEditor:
    """Clicks Add, goes down to a preset with the arrow keys, and presses Enter."""
    QTest.mouseClick(dialog.add, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: isinstance(QApplication.activePopupWidget(), QMenu))
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    titles = [action.text().partition("\t")[0] for action in menu.actions()]
    for _ in range(titles.index(title) + 1):
        QTest.keyClick(menu, Qt.Key.Key_Down)
    QTest.keyClick(menu, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: dialog.editor is not None and dialog.editor.isVisible())
    assert dialog.editor is not None
    qtbot.waitUntil(dialog.editor.isActiveWindow)
    return dialog.editor


def retype(field: QWidget, text: str) -> None:
    """Replaces the text of a line by typing."""
    assert isinstance(field, QLineEdit)
    field.setFocus()
    QTest.keyClick(field, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClick(field, Qt.Key.Key_Delete)
    QTest.keyClicks(field, text)
