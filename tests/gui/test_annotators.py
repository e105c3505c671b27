"""Several annotators of one recording: names, blind work, label sets, agreement, decisions of an adjudicator, statistics."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QAbstractItemView, QApplication, QComboBox, QLabel, QLineEdit, QTextEdit, QWidget
from pytestqt.qtbot import QtBot

from core.recording.annotations import append, final, read_annotations, sidecar
from core.recording.labels import DECISION, STANDARD, read_labels
from core.recording.reader import open_recording
from core.session.annotation import Annotation, Change
from core.session.commands import Annotate, Resume
from gui.app import App
from gui.panels.log import LogPanel
from gui.panels.registry import PANELS
from gui.recordings.agreement_dialog import AgreementDialog
from gui.recordings.statistics_dialog import CHARTS
from gui.timeline.tracks import words
from gui.widgets import Line
from gui.widgets.lists import Rows
from tests.core.recording.common import CODEC, recorded
from tests.gui.conftest import MakeApp
from tests.gui.parts import parts
from tests.gui.settling import settle
from tests.walk_seeds import walk_seeds

SECRET = "zebra"


def labelled(path: Path) -> None:
    """Records a failed run of three turns that bob labelled, live and later. All his texts hold the secret."""
    recorded(path, Annotate(f"{SECRET} live", f"{SECRET} note", annotator="bob"), Resume(), steps=3)
    with open_recording(path, CODEC) as recording:
        first, second, third = recording.turns()
    for a in (Annotation("bob 1", "mistake", first.began, turn=1, annotator="bob", note=f"{SECRET} 1"),
              Annotation("bob 2", "stuck", second.began, third.began, True, 2, annotator="bob", note=f"{SECRET} 2"),
              Annotation("bob 3", DECISION, third.began, turn=3, annotator="bob", rating=2, note=f"{SECRET} 3"),
              Annotation("bob 4", "policy failure", third.began, turn=3, annotator="bob", note=f"{SECRET} 4",
                         proposed="unclear")):
        append(path, Change(None, a))


def opened(qtbot: QtBot, app: App, path: Path) -> App:
    """Opens a recording."""
    app.viewer.open(path)
    qtbot.waitUntil(lambda: app.console.replaying and app.replay.number >= 0 and app.labels.failures.proposal is not None)
    return app


@pytest.fixture
def app(qtbot: QtBot, make_app: MakeApp, tmp_path: Path) -> App:
    """A window in which ann has opened a recording that bob labelled."""
    labelled(tmp_path / "a.mcap")
    made = make_app(parts())
    made.labelling.set_annotator("ann")
    return opened(qtbot, made, tmp_path / "a.mcap")


def compared(qtbot: QtBot, app: App) -> AgreementDialog:
    """Opens the dialog of agreement and waits for the result."""
    dialog = app.tools.dialogs.agreement()
    qtbot.waitUntil(lambda: app.tools.agreement.found is not None and bool(app.tools.agreement.found.disagreements))
    return dialog


# --- who am I ----------------------------------------------------------------------------
def test_the_name_is_asked_once_and_given_to_the_labels_of_just_now(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(parts())
    notices = app.window.notices
    app.labelling.point("mistake")
    assert notices.shown
    assert notices.box.content is not None
    assert notices.box.content.accessibleName() == "Who labels?"
    qtbot.waitUntil(lambda: len(app.labelling.annotations) == 1)
    app.labelling.set_annotator("ann")
    qtbot.waitUntil(lambda: [a.annotator for a in app.labelling.annotations.values()] == ["ann"])
    app.context.undo.undo()
    qtbot.waitUntil(lambda: [a.annotator for a in app.labelling.annotations.values()] == [""])
    notices.close()
    app.labelling.set_annotator("")
    app.labelling.point("surprise")
    assert not notices.shown, "asked once"


def test_labels_of_one_person_are_compared_with_nobodys(qtbot: QtBot, app: App) -> None:
    dialog = app.tools.dialogs.agreement()
    qtbot.waitUntil(lambda: app.tools.agreement.found is not None)
    settle(app, dialog)
    assert app.tools.agreement.found is not None
    assert app.tools.agreement.found.pair == ()
    assert not dialog.list.rows.grab().isNull()  # its titles were of two people, and painting them broke
    assert "No disagreement" in [*texts(dialog)]


# --- blind ---------------------------------------------------------------------------------
def texts(root: QWidget) -> Iterator[str]:
    """Yields all texts of all widgets: labels, buttons, fields, lists, tooltips, and what screen readers say."""
    for one in (root, *root.findChildren(QWidget)):
        yield from (one.toolTip(), one.accessibleName(), one.accessibleDescription(), one.windowTitle(), one.statusTip())
        match one:
            case QLabel() | QAbstractButton() | QLineEdit():
                yield one.text()
            case QTextEdit():
                yield one.toPlainText()
            case QComboBox():
                yield from (one.itemText(k) for k in range(one.count()))
            case Line():
                yield one.text
            case Rows():
                yield from (f"{one.row_words(k)} {one.row_tip(k)}" for k in range(one.count()))
            case QAbstractItemView():
                model = one.model()
                yield from (str(model.data(model.index(k, 0))) for k in range(model.rowCount() if model is not None else 0))


def shown_everywhere(qtbot: QtBot, app: App, dialogs: tuple[Callable[[], QWidget | None], ...]) -> list[str]:
    """Opens every panel and dialog, goes to every mark and turn, and returns the texts that give bob's labels away."""
    found: list[str] = []
    app.console.message.connect(lambda text, _: found.append(text))
    for name in PANELS:
        app.window.show_panel(name)
    for k in range(3):
        app.viewer.jump(1, "label")
        app.replay.seek_turn(list(app.replay.recording.turns)[k] if app.replay.recording else None)  # type: ignore[arg-type]
        settle(app)
        timeline = app.window.timeline
        found += [words(bar.annotation, app.console.worked_at) for bar in timeline.label_editor.bars]
        found += [flag.text for flag in timeline.viewport.flags(timeline.label_editor.untracked)]
        found += list(texts(app.window))
    for ask in dialogs:
        dialog = ask()
        settle(app, *(() if dialog is None else (dialog,)))
        if dialog is not None:
            found += list(texts(dialog))
            dialog.close()
    found += [text for window in QApplication.topLevelWidgets() for text in texts(window)]
    return [text for text in found if SECRET in text or "bob" in text or "policy failure" in text.lower()]


def all_dialogs(app: App) -> tuple[Callable[[], QWidget | None], ...]:
    """What opens the dialogs in which labels could be seen."""
    return app.tools.dialogs.labels, app.tools.dialogs.rate, app.tools.dialogs.agreement, app.tools.dialogs.statistics


def test_a_blind_annotator_sees_no_label_of_others_anywhere(qtbot: QtBot, app: App) -> None:
    app.labelling.set_blind(True)
    app.labelling.point("surprise")
    assert {a.annotator for a in app.labelling.visible.values()} == {"ann"}
    assert app.labels.failures.decided is None
    assert shown_everywhere(qtbot, app, all_dialogs(app)) == []

    app.labelling.finish()
    assert {a.annotator for a in app.labelling.visible.values()} == {"ann", "bob"}
    open_now = "\n".join(shown_everywhere(qtbot, app, all_dialogs(app)))
    for part in (f"{SECRET} live", f"{SECRET} 1", f"{SECRET} 2", f"{SECRET} 3", "by bob", "policy failure"):
        assert part in open_now, f"the walk must be able to find {part}"
    assert app.labels.failures.words == "Policy failure"

    while app.labelling.finished:
        app.context.undo.undo()
    assert {a.annotator for a in app.labelling.visible.values()} <= {"ann"}
    assert "?" in app.labels.failures.words


def test_a_blind_window_looks_as_if_nobody_else_had_labelled(qtbot: QtBot, app: App, tmp_path: Path) -> None:
    app.labelling.set_blind(True)
    app.window.show_panel("log")
    log = app.window.findChildren(LogPanel)[0]
    parts_shown = app.window.timeline, log

    def lines() -> list[str]:
        return [log.rows.row_words(k) for k in range(log.rows.count())]

    settle(app)
    told = lines()
    assert len(told) > 1, "the run's own lines"
    assert not any(SECRET in line for line in told)
    blind = [part.grab().toImage() for part in parts_shown]
    content = sidecar(tmp_path / "a.mcap").read_bytes()
    assert SECRET.encode() in content, "the file holds what the window hides"
    sidecar(tmp_path / "a.mcap").unlink()
    opened(qtbot, app, tmp_path / "a.mcap")
    settle(app)
    assert lines() == told
    for part, before in zip(parts_shown, blind, strict=True):
        assert part.grab().toImage() == before, part.accessibleName()


def test_an_export_that_would_show_hidden_labels_is_refused(qtbot: QtBot, app: App, tmp_path: Path) -> None:
    said: list[str] = []
    app.console.message.connect(lambda text, _: said.append(text))
    app.labelling.set_blind(True)
    for form in ("html", "jsonl", "csv"):
        app.kept_runs.exporter.write(form)
    app.tools.sharing.write(app.console.shown.moment, tmp_path / "page.html")
    assert len(said) == 4
    assert all("say that you have finished first" in text for text in said)
    app.labelling.finish()
    app.kept_runs.exporter.write("html")
    qtbot.waitUntil(lambda: (tmp_path / "a.html").exists() and any("Exported" in text for text in said))
    assert SECRET in (tmp_path / "a.html").read_text("utf-8")


def test_a_blind_failure_label_stands_beside_that_of_the_other(qtbot: QtBot, app: App) -> None:
    app.labelling.set_blind(True)
    app.labels.failures.decide("too few turns", "ran out")
    causes = {a.annotator: a.label for a in app.labelling.annotations.values() if a.proposed}
    assert causes == {"bob": "policy failure", "ann": "too few turns"}
    assert app.labels.failures.words == "Too few turns"
    app.labels.failures.withdraw()
    assert {a.annotator for a in app.labelling.annotations.values() if a.proposed} == {"bob"}


# --- label sets ------------------------------------------------------------------------------
def test_label_sets_are_added_switched_shared_and_removed(qtbot: QtBot, app: App, tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    path.write_text(json.dumps({"title": "Mine", "labels": [{"name": "odd", "key": "1"}, {"name": "even", "key": "2"}]}))
    dialog = app.tools.dialogs.labels()
    app.labelling.use(path)
    assert [one.title for one in app.labelling.sets] == [STANDARD.title, "Mine"]
    assert [dialog.sets.rows.row_words(k) for k in range(2)] == ["Episode review · 5 labels · keys 12345",
                                                            "Mine · in use · 2 labels · keys 12"]
    dialog.close()
    app.window.activateWindow()
    qtbot.waitUntil(app.window.isActiveWindow)
    QTest.keyClick(app.window, Qt.Key.Key_1)
    assert "odd" in {a.label for a in app.labelling.annotations.values()}
    assert [label.name for label in app.labelling.tracks] == ["odd", "even", "stuck", "mistake"]
    assert [label.key for label in app.labelling.tracks] == ["1", "2", "", ""]
    QTest.keyClick(app.window.windowHandle(), Qt.Key.Key_L, Qt.KeyboardModifier.ShiftModifier)
    assert app.labelling.set is STANDARD
    assert "odd" in {label.name for label in app.labelling.tracks}
    app.labelling.write(tmp_path / "shared.json", app.labelling.sets[1])
    assert read_labels(tmp_path / "shared.json") == app.labelling.sets[1]
    path.unlink()
    again = type(app.labelling)(app.console, app.labelling._settings, app.recorders, app.labels.keeping)
    assert (again.sets, again.set) == (app.labelling.sets, STANDARD), "kept without the file"
    app.labelling.remove(app.labelling.sets[1])
    app.labelling.remove(STANDARD)
    assert app.labelling.sets == (STANDARD,)
    assert "odd" in {a.label for a in app.labelling.annotations.values()}, "labels that were given stay"


# --- agreement ---------------------------------------------------------------------------------
def test_disagreements_are_walked_through_and_settled_by_keys(qtbot: QtBot, app: App, tmp_path: Path) -> None:
    recording = app.replay.recording
    assert recording is not None
    turns = list(recording.turns.values())
    for number, rating in ((1, None), (3, 5)):
        label = DECISION if rating else "mistake"
        app.labelling.change(None, Annotation(f"ann {number}", label, turns[number - 1].began, turn=number, annotator="ann",
                                              rating=rating), "Label")
    before = dict(app.labelling.annotations)
    app.labelling.set_annotator("cleo")
    dialog = compared(qtbot, app)
    found = app.tools.agreement.found
    assert found is not None
    assert [(d.label, d.kind) for d in found.disagreements] == [
        (f"{SECRET} live", "only one"), ("stuck", "only one"), (DECISION, "rating")]
    words = "mistake · ann 1 · bob 1 · matched 1 · same 1 · κ or α 1 · safe · 3 turns, Cohen's κ"
    assert dialog.table.rows.row_words(0) == words

    def press(key: Qt.Key, turn: int) -> None:
        QTest.keyClick(dialog.list.rows, key)
        qtbot.waitUntil(lambda: app.console.shown.turn == turn)

    for key, turn in ((Qt.Key.Key_Down, 1), (Qt.Key.Key_Down, 2), (Qt.Key.Key_Down, 3), (Qt.Key.Key_Up, 2)):
        press(key, turn)
    QTest.keyClick(dialog.list.rows, Qt.Key.Key_A)
    qtbot.waitUntil(lambda: "A, by cleo" in dialog.list.rows.row_words(1))
    assert dialog.list.rows.current == 2, "on to the next open one"
    QTest.keyClick(dialog.list.rows, Qt.Key.Key_B)
    qtbot.waitUntil(lambda: "B, by cleo" in dialog.list.rows.row_words(2))
    QTest.keyClick(dialog.list.rows, Qt.Key.Key_N)
    qtbot.waitUntil(lambda: "open" not in dialog.list.rows.row_words(0))
    assert dialog.open_line.text == "3 disagreements · 0 open"
    after = app.labelling.annotations
    assert {key: after[key] for key in before} == before, "nothing of the annotators changed"
    decided = {a.label: a for a in after.values() if a.settles}
    assert {(a.label, a.role, a.annotator) for a in decided.values()} == {
        (f"{SECRET} live", "rejected", "cleo"), ("stuck", "rejected", "cleo"), (DECISION, "settled", "cleo")}
    assert (decided[DECISION].rating, decided[DECISION].settles) == (2, ("ann 3", "bob 3"))

    dialog.list.rows.choose(2, tell=True)
    dialog.settle_own()
    own = next(d for d in dialog.findChildren(QWidget) if d.windowTitle() == "Label")
    own.rating.choose(3)  # type: ignore[attr-defined]
    own.accept()  # type: ignore[attr-defined]
    qtbot.waitUntil(lambda: "own, by cleo" in dialog.list.rows.row_words(2))
    QTest.keyClick(dialog.list.rows, Qt.Key.Key_U)
    qtbot.waitUntil(lambda: " · open" in dialog.list.rows.row_words(2))
    app.context.undo.undo()
    qtbot.waitUntil(lambda: "own, by cleo" in dialog.list.rows.row_words(2))
    dialog.close()
    app.window.close()
    with open_recording(tmp_path / "a.mcap", CODEC) as reader:
        known = read_annotations(reader)[0]
    assert {a.rating for a in final(known.in_order()) if a.label == DECISION} == {3}


def test_a_folder_is_compared_and_other_recordings_are_opened(qtbot: QtBot, app: App, tmp_path: Path) -> None:
    labelled(tmp_path / "b.mcap")
    append(tmp_path / "b.mcap", Change(None, Annotation("ann 1", "surprise", 0.0, turn=2, annotator="ann")))
    (tmp_path / "c.mcap").write_bytes(b"nothing")
    dialog = app.tools.dialogs.agreement()
    qtbot.waitUntil(lambda: app.tools.agreement.found is not None)
    assert all(box.isHidden() for box in dialog.names), "there is only one to choose"
    app.labelling.point("mistake")
    assert compared(qtbot, app) is dialog
    assert not any(box.isHidden() for box in dialog.names)
    app.tools.agreement.begin(whole_folder=True)
    qtbot.waitUntil(lambda: app.tools.agreement.found is not None and app.tools.agreement.found.episodes == 2)
    assert "2 recordings" in dialog.line.text
    assert "1 file not readable" in dialog.line.text
    there = next(k for k in range(dialog.list.rows.count()) if dialog.list.rows.row_words(k).startswith("b · "))
    dialog.list.rows.choose(there)
    dialog._enable()
    assert not dialog.none.isEnabled(), "only what is shown can be settled"
    dialog.list.rows.choose(there, tell=True)
    qtbot.waitUntil(lambda: app.replay.recording is not None and app.replay.recording.path.name == "b.mcap")
    qtbot.waitUntil(dialog.none.isEnabled)
    dialog.settle("none")
    qtbot.waitUntil(lambda: dialog.list.objects[there].settled is not None)
    app.viewer.open(tmp_path / "a.mcap")
    qtbot.waitUntil(lambda: app.replay.recording is not None and app.replay.recording.path.name == "a.mcap")
    app.labelling.point("surprise")
    qtbot.waitUntil(lambda: any(d.label == "surprise" and d.episode == 0 for d in dialog.list.objects))
    settled = [row for row in range(dialog.list.rows.count()) if dialog.list.objects[row].settled is not None]
    assert len(settled) == 1, "the decision about the other recording is still known"
    dialog.close()


def test_statistics_of_a_folder_are_drawn(qtbot: QtBot, app: App) -> None:
    app.labelling.point("surprise")
    dialog = app.tools.dialogs.statistics()
    qtbot.waitUntil(lambda: dialog.chart is not None)
    assert dialog.chart is not None
    told = []
    for k in range(len(CHARTS)):
        dialog.which.choose(k)
        dialog._draw()
        told.append(dialog.chart.accessibleDescription())
    assert "mistake: walker 1.00" in told[0]
    assert told[1] == "walker: 0 interventions in 3 turns"
    assert told[2] == "turn 3: 2.0 of 1 rating"
    app.labelling.set_blind(True)
    dialog.which.choose(0)
    dialog._draw()
    assert "mistake" not in dialog.chart.accessibleDescription()
    assert dialog._stack.currentIndex() == int(dialog.chart.has_figures), "axes without a figure were shown"
    dialog._rows = tuple(replace(row, labels=(), ratings=()) for row in dialog._rows)
    dialog._draw()
    assert dialog._stack.currentIndex() == 0
    dialog.close()


# --- walks -------------------------------------------------------------------------------------
def acts(app: App, draw: Random) -> dict[str, Callable[[], object]]:
    """What annotators and adjudicators do."""
    labelling, undo = app.labelling, app.context.undo

    def settle() -> None:
        found = app.tools.agreement.found
        if found is not None and found.disagreements:
            d = draw.choice(found.disagreements)
            if app.tools.agreement.is_shown(d):
                app.tools.agreement.settle(d, draw.choice(("first", "second", "none")))

    def change() -> None:
        mine = [a for a in labelling.visible.values() if a.annotator == labelling.annotator and a.role == "label"]
        if mine:
            one = draw.choice(mine)
            labelling.change(one, draw.choice((None, replace(one, note=f"note {draw.random()}"))), "Change")

    return {"label": lambda: labelling.point(draw.choice(("mistake", "surprise"))), "begin": lambda: labelling.start("stuck"),
            "end": lambda: labelling.stop("stuck"), "name": lambda: labelling.set_annotator(draw.choice(("ann", "cleo"))),
            "change": change, "settle": settle, "blind": lambda: labelling.set_blind(draw.random() < 0.5),
            "finish": labelling.finish, "go on": lambda: labelling.finish(finished=False),
            "close states": labelling.end_open_states, "undo": undo.undo, "redo": undo.redo, "undo more": undo.undo,
            "seek": lambda: app.replay.seek_seconds(draw.random() * app.replay.length)}


def check(app: App, step: str) -> None:
    """Checks what must hold after every step."""
    labelling = app.labelling
    known, shown = labelling.annotations, labelling.visible
    only = labelling.annotator if labelling.blind and not labelling.finished else None
    assert shown.keys() == {a.id for a in known.values() if a.holds and only in (None, a.annotator)}, step
    assert app.context.label_filter.hidden == sum(a.holds for a in known.values()) - len(shown), step
    settled = [frozenset(a.settles) for a in known.values() if a.settles]
    assert len(settled) == len(set(settled)), f"{step}: one decision for each disagreement"


def run_to_end(may: Callable[[], bool], act: Callable[[], object]) -> None:
    """Undoes or redoes everything."""
    while may():
        act()


@pytest.mark.parametrize("seed", walk_seeds(3))
def test_two_annotators_and_an_adjudicator_in_any_order(seed: int, qtbot: QtBot, app: App, tmp_path: Path) -> None:
    """Labels, names, decisions, blind work, undo and redo in any order: everyone's labels change only by their own hand."""
    draw, undo = Random(seed), app.context.undo
    app.labelling.point("surprise")
    dialog = compared(qtbot, app)
    owned = {a.id: a for a in app.labelling.annotations.values() if a.annotator == "bob"}
    steps = acts(app, draw)
    for _ in range(60):
        step = draw.choice(list(steps))
        steps[step]()
        settle(app)
        check(app, step)
        assert {key: app.labelling.annotations[key] for key in owned} == owned, step
    run_to_end(undo.canRedo, undo.redo)
    now = dict(app.labelling.annotations)
    run_to_end(undo.canUndo, undo.undo)
    assert dict(app.labelling.annotations) == owned
    run_to_end(undo.canRedo, undo.redo)
    assert dict(app.labelling.annotations) == now
    settle(app)
    dialog.close()
    app.window.close()
    with open_recording(tmp_path / "a.mcap", CODEC) as reader:
        history, notice = read_annotations(reader)
    assert (dict(history.annotations), notice) == (now, "")
