"""Failure labels in the window: proposed after a failed run, corrected in a dialog, undone, and still there when reopened."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from core.planning.facets import Moment
from core.recording.annotations import read_annotations
from core.recording.failures.labels import TITLES, KeyMoment, MomentKind, decided_label
from core.recording.reader import open_recording
from core.session.commands import Resume
from gui.app import App
from gui.control.recording_files import RecordingFiles
from gui.panels.why.panel import WhyPanel
from gui.recordings.failures import FailureDialog
from gui.timeline.model import flag_of
from gui.widgets import Names
from gui.window.stage import CardCallbacks, run_state
from tests.core.recording import failing
from tests.core.recording.common import CODEC, recorded
from tests.gui.conftest import MakeApp
from tests.gui.parts import parts
from tests.gui.settling import PATIENCE, settle


def failed_run(qtbot: QtBot, make_app: MakeApp) -> App:
    """Plays a run of three turns, which needs five."""
    made = parts()
    app = make_app(replace(made, request=replace(made.request, max_steps=3)))
    app.console.run()
    settle(app)
    assert app.labels.failures.proposal is not None, (app.bridge.snapshot.status, app.bridge.snapshot.ended)
    return app


def card_buttons(app: App) -> list[str]:
    """The buttons of the card of the ended run."""
    def nothing() -> None:
        pass

    why = app.labels.failures.action(app.window)
    state = run_state(app.console, CardCallbacks(nothing, nothing, nothing, nothing, nothing, why))
    return [action.text for action in state.actions] if state is not None else []


def test_a_failed_run_gets_a_proposal_that_the_operator_corrects(qtbot: QtBot, make_app: MakeApp) -> None:
    app = failed_run(qtbot, make_app)
    assert app.labels.failures.words == "Too few turns?"
    assert card_buttons(app) == ["Too few turns?", "Run again", "Close"]
    dialog = app.labels.failures.open(app.window)
    assert dialog is not None
    assert dialog is app.labels.failures.open(app.window)
    assert dialog.heading.text == "Proposed: too few turns"
    assert dialog.keep.accessibleName() == "Accept"
    dialog.label.setCurrentText("policy failure")
    assert dialog.keep.accessibleName() == "Correct"
    dialog.note.setText("it stood still")
    app.labelling.point("bookmark")
    qtbot.waitUntil(lambda: app.context.undo.undoText() == "Label bookmark")
    assert dialog.label.currentText() == "policy failure", "another label must not undo what is being chosen"
    dialog.keep.click()
    qtbot.waitUntil(lambda: dialog.heading.text == "Corrected: policy failure")
    assert app.labels.failures.words == "Policy failure"
    assert not dialog.keep.isEnabled()
    assert app.context.undo.undoText() == "Correct to policy failure"
    app.context.undo.undo()
    qtbot.waitUntil(lambda: app.labels.failures.words == "Too few turns?")
    app.context.undo.redo()
    qtbot.waitUntil(lambda: app.labels.failures.words == "Policy failure")
    dialog.close()


def test_a_decision_is_kept_with_the_run_and_can_be_changed_there(qtbot: QtBot, make_app: MakeApp) -> None:
    app = failed_run(qtbot, make_app)
    app.labels.failures.decide("policy failure", "it stood still")
    qtbot.waitUntil(lambda: app.labels.failures.words == "Policy failure")
    app.console.again()
    qtbot.waitUntil(lambda: len(app.context.runs.rows) == 2 and app.context.runs.rows[1].state == "kept")
    run = app.recorders.runs[0]
    app.kept_runs.runs.open(run)
    qtbot.waitUntil(lambda: app.console.replaying and app.labels.failures.proposal is not None)
    assert app.labels.failures.words == "Policy failure"
    assert not app.window.strip.why.isHidden()
    decided = app.labels.failures.decided
    assert decided is not None
    assert (decided.note, decided.proposed) == ("it stood still", "too few turns")
    app.labels.failures.decide("unclear", "")
    assert app.labels.failures.words == "Unclear"
    app.context.undo.undo()
    assert app.labels.failures.words == "Policy failure"
    app.viewer.leave()
    qtbot.waitUntil(lambda: not app.console.replaying and app.labels.failures.proposal is None)
    assert app.window.strip.why.isHidden()


def test_a_recording_gets_a_proposal_and_keeps_the_decision_beside_it(qtbot: QtBot, make_app: MakeApp, tmp_path: Path) -> None:
    path = tmp_path / "a.mcap"
    recorded(path, Resume(), steps=3)
    app = make_app(parts())
    app.viewer.open(path)
    qtbot.waitUntil(lambda: app.labels.failures.proposal is not None)
    app.labels.failures.decide("too few turns", "")
    assert app.labels.failures.words == "Too few turns"

    def on_disk() -> bool:
        with open_recording(path, CODEC) as recording:
            return decided_label(read_annotations(recording)[0].in_order(), 0) is not None

    qtbot.waitUntil(on_disk)


def test_a_stopped_run_is_labelled_where_it_is_kept(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(parts())
    app.console.step()
    qtbot.waitUntil(lambda: len(app.bridge.snapshot.turns) == 1)
    app.console.stop()
    qtbot.waitUntil(lambda: app.runner.phase == "idle" and app.labels.failures.proposal is not None)
    assert app.labels.failures.words == "Operator intervened?"
    said: list[str] = []
    app.console.message.connect(lambda text, _: said.append(text))
    app.labels.failures.decide("unclear", "")
    assert said == ["This run was stopped: open it from the Runs list to label it"]
    app.kept_runs.runs.open(app.recorders.runs[0])
    qtbot.waitUntil(lambda: app.console.replaying and app.labels.failures.proposal is not None)
    app.labels.failures.decide("unclear", "")
    assert app.labels.failures.words == "Unclear"


def test_a_run_that_reached_its_goal_has_nothing_to_explain(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(parts())
    app.console.run()
    qtbot.waitUntil(lambda: app.bridge.snapshot.ended is not None)
    said: list[str] = []
    app.console.message.connect(lambda text, _: said.append(text))
    assert app.labels.failures.open(app.window) is None
    assert said[-1].startswith("No failed episode is shown")
    assert card_buttons(app) == ["Run again", "Close"]


def test_the_dialog_opens_once_the_cause_is_known(qtbot: QtBot, make_app: MakeApp, tmp_path: Path) -> None:
    path, may_look = tmp_path / "a.mcap", threading.Event()
    recorded(path, Resume(), steps=3)
    app = make_app(parts())
    app.labels.failures.jobs.do(lambda: may_look.wait(PATIENCE / 1000), str, str)
    app.viewer.open(path)
    qtbot.waitUntil(lambda: app.console.replaying)
    assert app.labels.failures.open(app.window) is None
    may_look.set()
    qtbot.waitUntil(lambda: any(one.isVisible() for one in app.window.findChildren(FailureDialog)))
    for dialog in app.window.findChildren(FailureDialog):
        dialog.close()


def test_the_dialog_goes_to_where_it_went_wrong_and_asks_why(qtbot: QtBot, make_app: MakeApp, tmp_path: Path) -> None:
    path = tmp_path / "a.mcap"
    failing.recorded(path, failing.setup("llm-policy", "admissible", {"policy": failing.back_and_forth}, steps=8))
    app = make_app(parts())
    app.viewer.open(path)
    qtbot.waitUntil(lambda: app.labels.failures.proposal is not None)
    proposal = app.labels.failures.proposal
    assert proposal is not None
    assert proposal.opens_at is not None
    assert app.window.timeline.viewport.failure is proposal
    marked = {flag.moment for flag in app.window.timeline.viewport.flags(app.window.timeline.label_editor.untracked)}
    assert {one.moment for one in proposal.moments} <= marked
    dialog = app.labels.failures.open(app.window)
    assert dialog is not None
    qtbot.waitUntil(lambda: app.console.moment == proposal.opens_at)
    for button in dialog.moments:
        button.click()
    last = proposal.moments[-1].moment
    qtbot.waitUntil(lambda: app.console.moment == last)
    dialog.why.click()
    assert "why" in app.window.shown_panels()
    assert dialog.isVisible()
    for name, show in (("ranking", app.context.selection.asked_panel.emit), ("why", app.window.show_panel)):  # a link, a key
        show(name)
        panel = app.window.docks[name].card
        middle = panel.mapTo(app.window, panel.rect().center()).x() + app.window.x()
        assert not dialog.x() <= middle < dialog.x() + dialog.width(), name
    dialog.close()
    app.viewer.leave()
    qtbot.waitUntil(lambda: app.window.timeline.viewport.failure is None)


def test_why_compares_with_the_action_that_the_evidence_names(qtbot: QtBot, make_app: MakeApp, tmp_path: Path) -> None:
    path = tmp_path / "a.mcap"
    failing.recorded(path, failing.setup("inner-monologue", scene="four-rooms-2", seed=113921, steps=12,
                                         task="Put one bread slice inside the cabinet"))
    app = make_app(parts())
    app.viewer.open(path)
    qtbot.waitUntil(lambda: app.labels.failures.proposal is not None)
    dialog = app.labels.failures.open(app.window)
    assert dialog is not None
    one = dialog.list.objects[0]
    assert one.instead is not None
    assert one.instead.verb == "put_in"
    words = dialog.list.rows.row_words(0)
    assert words.startswith(f"{one.label} · when {one.when} · lost {one.cost} · proposed · ")
    assert words.endswith(one.text), "the whole sentence is read out"
    assert dialog.compared.text() == f"Compared: {one.compared}."
    dialog.why.click()
    why = app.window.docks["why"].card.fill()
    assert isinstance(why, WhyPanel)
    qtbot.waitUntil(lambda: why.shown.other == one.instead)
    app.console.go_to(Moment(0, 1))
    qtbot.waitUntil(lambda: why.shown.snapshot.moment == Moment(0, 1))
    assert why.shown.other != one.instead, "it was not possible there"
    dialog.list.choose_object(0, tell=True)
    qtbot.waitUntil(lambda: why.shown.other == one.instead)
    dialog.close()


@pytest.mark.parametrize("kind", TITLES)
def test_each_kind_of_key_moment_has_a_flag(kind: MomentKind) -> None:
    flag = flag_of(KeyMoment(kind, Moment(0, 3), "what happened"), Names())
    assert (flag.moment, flag.text) == (Moment(0, 3), TITLES[kind])


def test_a_branch_that_a_file_does_not_hold_yet_has_no_proposal(tmp_path: Path) -> None:
    path = tmp_path / "a.mcap"
    recorded(path)
    assert RecordingFiles(tmp_path, lambda: CODEC).failure_of(path, 7) is None
