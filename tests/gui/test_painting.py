"""The window lays out in one pass of the event loop and paints in the next, so that input comes in between."""

from __future__ import annotations

import os

from PySide6.QtCore import QSocketNotifier, QTimer
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from gui.app import App
from tests.gui.conftest import MakeApp
from tests.gui.parts import TASK, parts
from tests.gui.settling import settle


class Painted(QWidget):
    """Adds "painted" to a list when it is painted."""

    def __init__(self, parent: QWidget, order: list[str]):
        super().__init__(parent)
        self._order = order

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        del event
        self._order.append("painted")


def widget_of(app: App, qtbot: QtBot, order: list[str]) -> Painted:
    widget = Painted(app.window, order)
    widget.setGeometry(5, 5, 20, 20)
    widget.show()
    qtbot.waitUntil(lambda: bool(order))
    order.clear()
    return widget


def test_input_comes_between_layout_and_painting(qtbot: QtBot, make_app: MakeApp) -> None:
    """Input of a display server arrives through a socket; here it is a byte in a pipe. Timers could come in any order."""
    order: list[str] = []
    app = make_app(parts("uct", TASK))
    widget = widget_of(app, qtbot, order)
    reader, writer = os.pipe()
    notifier = QSocketNotifier(reader, QSocketNotifier.Type.Read)
    notifier.activated.connect(lambda: order.append(os.read(reader, 5).decode()))

    def lay_out() -> None:
        if app.window.is_painting_due():  # by another widget: this pass of the event loop would paint ours, too
            QTimer.singleShot(0, lay_out)
            return
        widget.update()
        os.write(writer, b"input")

    QTimer.singleShot(0, lay_out)
    qtbot.waitUntil(lambda: "painted" in order)
    notifier.setEnabled(False)
    os.close(writer)
    os.close(reader)
    assert order == ["input", "painted"]


def test_many_changes_are_painted_once(qtbot: QtBot, make_app: MakeApp) -> None:
    order: list[str] = []
    app = make_app(parts("uct", TASK))
    widget = widget_of(app, qtbot, order)
    for _ in range(5):
        widget.update()
    settle(app)
    assert order == ["painted"]
