"""Settings that were edited by hand or written by another version: the window opens nevertheless."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from PySide6.QtCore import QByteArray, QSettings
from pytestqt.qtbot import QtBot

from gui.app import App
from gui.theme import theme_named
from tests.gui.parts import parts

KEYS = ("annotator", "labels", "text size", "theme", "geometry", "layout/llm-mcts", "layout/oracle", "keys/run", "keys/step",
        "keys/palette", "keys/nothing", "keys/a/b")
ODD = ("", "nan", "-1e300", "x" * 100_000, "a\nb\0c", "\udc80", None, True, -1, 2**40, 1e308, ["a", "b"], {"a": 1},
       QByteArray(b"\0\xff" * 500), QByteArray(b""), "/dev/zero", "/", "/nowhere/labels.json", "Ctrl+Ctrl+Ctrl", "F99")


@pytest.mark.parametrize("seed", range(6))
def test_the_window_stands_with_odd_settings(seed: int, qtbot: QtBot, tmp_path: Path) -> None:
    random = Random(seed)
    settings = QSettings(str(tmp_path / "odd.ini"), QSettings.Format.IniFormat)
    for key in KEYS:
        settings.setValue(key, random.choice(ODD))
    settings.sync()
    again = QSettings(str(tmp_path / "odd.ini"), QSettings.Format.IniFormat)
    app = App(parts(), theme_named(str(again.value("theme"))), again)
    qtbot.addWidget(app.window)
    app.open(ask=True)
    qtbot.waitUntil(lambda: app.bridge.snapshot.turn > 0)
    assert app.window.isVisible()
    assert len(app.labelling.annotator) <= 60
    app.window.close()
