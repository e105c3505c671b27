"""A panel that was out of view shows the present when it comes back, however that happens."""

from __future__ import annotations

from PySide6.QtWidgets import QFrame
from pytestqt.qtbot import QtBot

from tests.gui.conftest import MakeApp
from tests.gui.parts import parts
from tests.gui.settling import settle


def test_the_frames_show_the_present_when_they_come_back(qtbot: QtBot, make_app: MakeApp) -> None:
    """They are in no dock, so no dock says that they are in view again."""
    del qtbot
    app = make_app(parts())
    app.console.step()
    settle(app)
    cover = QFrame(app.window)
    cover.setAutoFillBackground(True)
    cover.setGeometry(app.window.rect())
    cover.show()
    app.console.step()
    settle(app)
    assert app.window.stage.card.visibleRegion().isEmpty()
    cover.hide()
    settle(app)
    assert app.window.has_shown(app.bridge.snapshot)
