"""The work of an annotator: record, label by keyboard in a run, correct decisions, stop, replay, end open states, export."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.planning.facets import Moment
from core.planning.search_facets import RankedAction, Ranking
from core.recording.annotations import read_annotations, sidecar
from core.recording.exports import export
from core.recording.labels import Label, LabelSet
from core.recording.reader import open_recording
from core.session.annotation import Annotation
from core.session.commands import SetParameter
from gui.app import App
from gui.recordings.label_settings import LabelSettings
from gui.timeline.layout import Rows
from tests.core.recording.common import CODEC, recorded
from tests.core.session.toys import LEFT, RIGHT
from tests.gui.conftest import MakeApp
from tests.gui.parts import parts
from tests.gui.settling import LateClock, run_out


def labels(app: App) -> dict[str, Annotation]:
    """The labels by name."""
    return {a.label: a for a in app.labelling.annotations.values()}


def tap(qtbot: QtBot, app: App, key: Qt.Key, name: str) -> None:
    """Taps the key of a label."""
    before = len(app.labelling.annotations)
    QTest.keyClick(app.window, key)
    qtbot.waitUntil(lambda: len(app.labelling.annotations) == before + 1 and app.context.undo.undoText() == f"Label {name}")


def override(qtbot: QtBot, app: App) -> None:
    """Overrides an action in the dialog."""
    turn = app.bridge.snapshot.turn
    dialog = app.run_dialogs.override
    app.window.asked_override.emit()
    qtbot.waitUntil(lambda: bool(dialog.card.rows.items) and dialog.card.act.isEnabled())
    QTest.keyClick(dialog.card.field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: app.bridge.snapshot.turn > turn)


def drag(app: App, label: str, part: str, seconds: float) -> None:
    """Drags an edge of a label to another moment with the mouse."""
    timeline = app.window.timeline
    rows = Rows.of(app.context.theme, timeline.width())
    bar = next(b for b in timeline.label_editor.bars if b.annotation.label == label)
    y = int(rows.track(timeline.tracks.show(bar.track)) + rows.row_high / 2)
    begin = rows.left + (bar.left if part == "start" else bar.right)
    at = min((abs(timeline.viewport.seconds_at(x) - seconds), x) for x in range(int(rows.left), int(rows.right)))[1]
    QTest.mousePress(timeline, Qt.MouseButton.LeftButton, pos=QPoint(round(begin), y))
    assert timeline.label_editor.dragging
    QTest.mouseMove(timeline, QPoint(at, y))
    QTest.mouseRelease(timeline, Qt.MouseButton.LeftButton, pos=QPoint(at, y))


def test_a_session_of_an_annotator(qtbot: QtBot, make_app: MakeApp, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = LateClock()
    monkeypatch.setattr("core.session.event_bus.time", clock)
    app = make_app(parts())
    app.labelling.set_annotator("ann")
    app.runner.post(SetParameter("looks", 20_000))
    QTest.keyClick(app.window.windowHandle(), Qt.Key.Key_R)
    QTest.keyClick(app.window.windowHandle(), Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: app.console.running and "● Recording" in app.recorders.words()[0])

    # Labels by keyboard during the run: two points, a state that is held, and one that is left open.
    tap(qtbot, app, Qt.Key.Key_3, "good decision")
    QTest.keyPress(app.window, Qt.Key.Key_1)
    qtbot.waitUntil(lambda: "searching" in labels(app))
    run_out(app.tools.annotator._timer)
    clock.late = 0.35
    QTest.keyRelease(app.window, Qt.Key.Key_1)
    qtbot.waitUntil(lambda: labels(app)["searching"].paired)
    tap(qtbot, app, Qt.Key.Key_2, "stuck")
    tap(qtbot, app, Qt.Key.Key_5, "surprise")
    app.context.undo.undo()
    qtbot.waitUntil(lambda: "surprise" not in labels(app))

    # Two decisions are corrected, then the run is stopped and the file finished.
    override(qtbot, app)
    override(qtbot, app)
    tap(qtbot, app, Qt.Key.Key_4, "mistake")
    app.console.stop()
    qtbot.waitUntil(lambda: app.runner.phase == "idle")
    app.recorders.toggle()
    qtbot.waitUntil(lambda: app.recorders.last is not None)
    path = app.recorders.last
    assert path is not None

    # On the recording an edge is moved, the open state is ended, and a decision is rated.
    app.viewer.open(path)
    qtbot.waitUntil(lambda: app.console.replaying and app.replay.number >= 0)
    assert {"good decision", "searching", "stuck", "mistake"} == set(labels(app))
    assert not labels(app)["stuck"].paired
    before = labels(app)["searching"]
    assert before.until is not None
    qtbot.waitUntil(lambda: bool(app.window.timeline.label_editor.bars))
    drag(app, "searching", "end", before.at + 0.05)
    after = labels(app)["searching"]
    assert after.until is not None
    assert after.until < before.until - 0.1
    app.labelling.end_open_states()
    assert labels(app)["stuck"].paired
    app.context.undo.undo()
    assert not labels(app)["stuck"].paired
    app.context.undo.redo()
    assert labels(app)["stuck"].paired
    app.replay.seek_turn(next(iter(app.replay.recording.turns)) if app.replay.recording else None)  # type: ignore[arg-type]
    qtbot.waitUntil(lambda: app.console.shown.turn == 1)
    dialog = app.tools.dialogs.rate()
    assert dialog is not None
    dialog.rating.choose(2)
    dialog.note.setText("went the wrong way")
    dialog.accept()
    assert labels(app)["decision"].rating == 2
    app.viewer.leave()
    app.window.close()

    # The exports contain everything.
    page = export(path, "html", tmp_path / "page.html", CODEC).read_text("utf-8")
    rows = [json.loads(line) for line in export(path, "jsonl", tmp_path / "a.jsonl", CODEC).read_text("utf-8").splitlines()]
    found = {row["label"]: row for row in rows if row["line"] == "annotation"}
    assert set(found) == {"good decision", "searching", "stuck", "mistake", "decision"}
    assert found["searching"]["until"] == after.until
    assert found["stuck"]["until"] is not None
    assert found["decision"]["rating"] == 2
    assert {row["annotator"] for row in found.values()} == {"ann"}
    chosen = [row for row in rows if row.get("event") == "Decided" and row["by"] == "operator"]
    assert len(chosen) == 2
    assert page.count("override · ") == 2
    for words in ("good decision", "searching", "stuck", "mistake", "went the wrong way"):
        assert words in page


def test_a_point_key_codes_a_state_while_it_is_held(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(parts())
    QTest.keyPress(app.window, Qt.Key.Key_3)
    qtbot.waitUntil(lambda: "good decision" in labels(app))
    assert labels(app)["good decision"].state
    QTest.keyRelease(app.window, Qt.Key.Key_3)
    qtbot.waitUntil(lambda: labels(app)["good decision"].paired)


@pytest.mark.parametrize(("key", "name"), [(Qt.Key.Key_3, "good decision"), (Qt.Key.Key_2, "stuck")])
def test_a_held_key_whose_repetitions_are_not_marked_as_such_gives_one_label(
        qtbot: QtBot, make_app: MakeApp, monkeypatch: pytest.MonkeyPatch, key: Qt.Key, name: str) -> None:
    monkeypatch.setattr("gui.recordings.labelling.TAP", 0)  # the key is held long enough to repeat
    app = make_app(parts())
    QTest.keyPress(app.window, key)
    run_out(app.tools.annotator._timer)
    for _ in range(3):  # as an X server without marked repetitions sends them
        QTest.keyRelease(app.window, key)
        QTest.keyPress(app.window, key)
    qtbot.waitUntil(lambda: name in labels(app))
    assert not labels(app)[name].paired
    QTest.keyRelease(app.window, key)
    qtbot.waitUntil(lambda: labels(app)[name].paired)
    assert len(app.labelling.annotations) == 1


def test_a_digit_that_needs_shift_on_this_keyboard_labels(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(parts())
    for kind in (QEvent.Type.KeyPress, QEvent.Type.KeyRelease):
        QApplication.sendEvent(app.window, QKeyEvent(kind, Qt.Key.Key_3, Qt.KeyboardModifier.ShiftModifier, "3"))
    qtbot.waitUntil(lambda: "good decision" in labels(app))


def test_a_state_key_tapped_twice_begins_and_ends(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(parts())
    tap(qtbot, app, Qt.Key.Key_2, "stuck")
    assert not labels(app)["stuck"].paired
    QTest.keyClick(app.window, Qt.Key.Key_2)
    qtbot.waitUntil(lambda: labels(app)["stuck"].paired)
    assert len(app.labelling.annotations) == 1


@pytest.fixture
def replayed(qtbot: QtBot, make_app: MakeApp, tmp_path: Path) -> App:
    """A window with a recording without labels."""
    path = tmp_path / "episode.mcap"
    recorded(path)
    app = make_app(parts())
    app.viewer.open(path)
    qtbot.waitUntil(lambda: app.console.replaying and app.replay.number >= 0)
    return app


def test_what_is_done_on_a_recording_is_beside_it_and_can_be_undone(qtbot: QtBot, replayed: App, tmp_path: Path) -> None:
    app, path = replayed, tmp_path / "episode.mcap"
    content = path.read_bytes()
    app.labelling.set_annotator("bob")
    tap(qtbot, app, Qt.Key.Key_3, "good decision")
    QTest.keyClick(app.window.windowHandle(), Qt.Key.Key_K)
    assert set(labels(app)) == {"good decision", "bookmark"}
    good = labels(app)["good decision"]
    app.labelling.change(good, replace(good, note="so it is"), "Note")
    QTest.keyClick(app.window.windowHandle(), Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert labels(app)["good decision"].note == ""
    QTest.keyClick(app.window.windowHandle(), Qt.Key.Key_Z,
                   Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
    assert labels(app)["good decision"].note == "so it is"
    app.window.close()
    assert path.read_bytes() == content, "a recording is never rewritten"
    assert sidecar(path).exists()
    with open_recording(path, CODEC) as recording:
        book, odd = read_annotations(recording)
    assert not odd
    assert {(a.label, a.note, a.annotator) for a in book.in_order()} == {
        ("good decision", "so it is", "bob"), ("bookmark", "", "bob")}


def test_delete_takes_the_chosen_label_away_and_others_are_kept_apart(qtbot: QtBot, replayed: App) -> None:
    app = replayed
    app.labelling.set_annotator("ann")
    app.labelling.start("stuck")
    app.labelling.set_annotator("bob")
    assert not app.labelling.is_open("stuck"), "ann's state is not bob's"
    app.labelling.start("stuck")
    app.labelling.stop("stuck")
    assert [a.paired for a in app.labelling.annotations.values()] == [False, True]
    timeline = app.window.timeline
    bar = next(b for b in timeline.label_editor.bars if b.annotation.annotator == "ann")
    assert timeline.label_editor.press(bar.track, bar.left)
    timeline.label_editor.release()
    QTest.keyClick(timeline, Qt.Key.Key_Delete)
    assert [a.annotator for a in app.labelling.annotations.values()] in (["bob"], ["ann"])
    assert qtbot is not None


def test_a_better_action_is_picked_from_the_ranking(qtbot: QtBot, replayed: App) -> None:
    app = replayed
    ranked = Ranking((RankedAction((LEFT,), 0.5, 3, 1.0, 0.6, 0.0), RankedAction((RIGHT,), 0.5, 2, 0.5, 0.4, 0.5)), 5, 5)
    app.replay.seek(app.replay.recording.reader.number_at(turn=2) if app.replay.recording else 0)
    qtbot.waitUntil(lambda: app.console.shown.turn == 2)
    shown = app.console.shown
    app.console._past = replace(shown, facets={Ranking: (ranked, Moment(0, 2))})
    dialog = app.tools.dialogs.rate()
    assert dialog is not None
    dialog.better.setCurrentIndex(2)
    dialog.accept()
    assert labels(app)["decision"].better == str(RIGHT)
    assert labels(app)["decision"].turn == 2
    again = app.tools.dialogs.rate()
    assert again is not None
    assert again.better.currentData() == str(RIGHT), "the same rating is opened again"
    again.reject()


def test_a_rating_is_chosen_with_the_arrow_keys_and_kept_with_enter(qtbot: QtBot, replayed: App) -> None:
    app = replayed
    app.replay.seek(app.replay.recording.reader.number_at(turn=2) if app.replay.recording else 0)
    qtbot.waitUntil(lambda: app.console.shown.turn == 2)
    dialog = app.tools.dialogs.rate()
    assert dialog is not None
    qtbot.waitUntil(dialog.isActiveWindow)
    QTest.keyClick(dialog.note, Qt.Key.Key_Tab)
    for key, chosen in ((Qt.Key.Key_Right, 1), (Qt.Key.Key_Right, 2), (Qt.Key.Key_End, 5), (Qt.Key.Key_Right, 5),
                        (Qt.Key.Key_Left, 4), (Qt.Key.Key_Home, 0), (Qt.Key.Key_Down, 1), (Qt.Key.Key_Right, 2)):
        focus = dialog.focusWidget()
        QTest.keyClick(focus, key)
        assert dialog.rating.index == chosen
        assert [part.isChecked() for part in dialog.rating._parts].index(True) == chosen
        assert dialog.focusWidget() is dialog.rating._parts[chosen], "what has the focus is what is chosen"
    QTest.keyClick(dialog.focusWidget(), Qt.Key.Key_Return)
    assert labels(app)["decision"].rating == 2


def test_label_sets_and_names_are_chosen_and_kept(qtbot: QtBot, make_app: MakeApp, tmp_path: Path) -> None:
    app = make_app(parts())
    path = tmp_path / "mine.json"
    path.write_text(json.dumps({"title": "Mine", "labels": [{"name": f"l{k}", "key": str(k)} for k in range(1, 8)]}))
    high = app.window.timeline.height()
    app.labelling.use(path)
    assert app.labelling.set.title == "Mine"
    assert app.window.timeline.height() == high, "no more tracks than there is room for, the others are scrolled to"
    settings = LabelSettings(app.context.theme, app.labelling, app.window)
    settings.name.setText("  Ann   B ")
    settings.accept()
    assert app.labelling.annotator == "Ann B"
    (tmp_path / "odd.json").write_text("[]")
    app.labelling.use(tmp_path / "odd.json")
    assert app.labelling.set.title == "Mine", "a set that makes no sense changes nothing"
    app.labelling.set = LabelSet("One", (Label("a", key="g"),))
    app.labelling.changed.emit()
    assert app.window.timeline.height() < high
    tap(qtbot, app, Qt.Key.Key_G, "a")


