"""Two annotators walk through the recordings of a batch: each is shown what they have not finished, and told what is left."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from gui.recordings.label_settings import LabelSettings
from tests.core.recording.common import recorded
from tests.gui.conftest import MakeApp
from tests.gui.test_runs import toys

NAMES = ("001 a", "002 b", "003 c")


def test_each_annotator_is_led_through_what_they_have_not_finished(qtbot: QtBot, make_app: MakeApp, tmp_path: Path) -> None:
    app, folder = make_app(toys()), tmp_path / "recordings"
    folder.mkdir(exist_ok=True)
    for name in NAMES:
        recorded(folder / f"{name}.mcap")
    said: list[str] = []
    app.console.message.connect(lambda text, _: said.append(text))

    def shown() -> str:
        recording = app.replay.recording
        return "" if recording is None else recording.path.stem

    def go(wanted: str, left: str, *, finish: bool = False) -> None:
        said.clear()
        app.window.asked_review.emit(finish)
        qtbot.waitUntil(lambda: shown() == wanted and any(left in text for text in said))
        qtbot.waitUntil(lambda: app.replay.loading is None and app.replay.number >= 0)
        assert left in app.window.status._message.text, "what opens in the meantime does not replace it"

    app.window.asked_review.emit(False)
    assert said == ["Give your name first, so that it is known what you have finished"]
    asked = next(dialog for dialog in app.window.findChildren(LabelSettings) if dialog.isVisible())
    qtbot.waitUntil(lambda: asked.name.hasFocus())  # the name is typed without the mouse
    QTest.keyClicks(asked.name, "Ann")
    QTest.keyClick(asked.name, Qt.Key.Key_Return)
    assert app.labelling.annotator == "Ann"
    go(NAMES[0], "3 recordings left to review in recordings")
    go(NAMES[1], "3 recordings left")  # the first was not finished
    go(NAMES[2], "2 recordings left", finish=True)
    go(NAMES[0], "1 recording left", finish=True)
    go(NAMES[0], "Only this one is left to review")
    go(NAMES[0], "Nothing is left to review: you have finished 3 recordings in recordings", finish=True)
    app.labelling.set_annotator("Bob")
    go(NAMES[1], "3 recordings left")
    app.tools.review.selected = lambda: (folder / f"{NAMES[1]}.mcap", folder / f"{NAMES[0]}.mcap")  # the library's selection
    go(NAMES[0], "1 recording left to review of the selection", finish=True)
    go(NAMES[0], "Nothing is left to review: you have finished 2 recordings of the selection", finish=True)
