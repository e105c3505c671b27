"""A batch is recorded in the window: one file an episode; it is skipped, stopped, left and continued; failures are listed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from core.app.batch import PLAN, BatchPlan, Episode, is_complete
from core.app.run_request import Request
from core.common.errors import UsageError
from core.session.pace import Pace
from core.session.setup import Setup
from gui.app import App
from gui.control.parts import Parts
from gui.recordings.batch import BatchRow
from gui.recordings.batch_dialog import REACHED, _offer, episode_item
from gui.recordings.recorders import WindowRun
from gui.widgets.chooser import Choice
from tests.gui.conftest import MakeApp
from tests.gui.settling import settle
from tests.gui.test_runs import make_setup, toys

HELD = Pace("hold", 3600.0)


def failing() -> Parts:
    """Toys whose runner cannot be made."""
    def make(request: Request) -> Setup:
        if request.planner == "runner":
            raise UsageError("the runner is ill")
        return make_setup(request)

    return replace(toys(), make_setup=make)


def plan(app: App, *planners: str, pace: Pace | None = None) -> BatchPlan:
    return BatchPlan(planners or ("walker",), ("line",), ("",), (0, 1), app.console.request, pace or Pace())


def states(app: App) -> list[str]:
    return [row.state for row in app.kept_runs.batch.rows]


def is_held(app: App, number: int) -> Callable[[], bool]:
    """Returns whether the episode of this number is held, and is being recorded."""
    def held() -> bool:
        run, batch = app.recorders.present, app.kept_runs.batch
        return (len(batch.rows) >= number and batch.rows[number - 1].state == "playing" and run is not None
                and run.request == batch.rows[number - 1].episode.request and run.recorder is not None
                and app.bridge.snapshot.held > 0 and batch._playing is not None and batch._playing.run is run)

    return held


def test_all_episodes_are_recorded_and_one_that_cannot_start_is_listed(qtbot: QtBot, make_app: MakeApp, tmp_path: Path) -> None:
    app = make_app(failing())
    folder = tmp_path / "recordings" / "batch"
    app.kept_runs.batch.begin(plan(app, "walker", "runner"), folder)
    qtbot.waitUntil(lambda: states(app) == ["recorded", "failed", "recorded", "failed"] and not app.kept_runs.batch.active
                    and not app.recorders.on)
    assert {row.words for row in app.kept_runs.batch.rows if row.state == "failed"} == {"the runner is ill"}
    found = sorted(folder.glob("*.mcap"))
    assert [path.stem for path in found] == [row.episode.name for row in app.kept_runs.batch.rows if row.state == "recorded"]
    assert all(map(is_complete, found))


def test_a_batch_is_skipped_stopped_left_and_continued(qtbot: QtBot, make_app: MakeApp, tmp_path: Path) -> None:
    app = make_app(toys())
    folder = tmp_path / "recordings" / "batch"
    app.kept_runs.batch.begin(plan(app, pace=HELD), folder)
    qtbot.waitUntil(is_held(app, 1))
    qtbot.waitUntil(lambda: app.recorders.words()[0].startswith("Batch 1 of 2 · ● Recording"))
    app.kept_runs.batch.skip()
    qtbot.waitUntil(is_held(app, 2))
    app.console.stop()  # the operator ends the run: the batch waits to be continued
    qtbot.waitUntil(lambda: states(app) == ["skipped", "waiting"] and not app.kept_runs.batch.active and not app.recorders.on)
    assert app.context.breakpoints.pace == Pace(), "the operator's own pace is back"
    app.kept_runs.batch.open(folder, then=app.kept_runs.batch.go_on)
    qtbot.waitUntil(is_held(app, 1))
    app.console.run_request.set_pace(Pace())  # the operator lets the rest of the batch run
    qtbot.waitUntil(lambda: states(app) == ["recorded"] * 2 and not app.kept_runs.batch.active and not app.recorders.on)
    names = {f"{row.episode.name}.mcap" for row in app.kept_runs.batch.rows}
    assert [{path.name for path in place.glob("*.mcap")} for place in (folder, folder / "cut off")] == [names, names]
    times = {path: path.stat().st_mtime_ns for path in folder.glob("*.mcap")}
    app.kept_runs.batch.open(folder, then=app.kept_runs.batch.go_on)  # nothing is left
    qtbot.waitUntil(lambda: not app.kept_runs.batch.active and states(app) == ["recorded"] * 2)
    assert {path: path.stat().st_mtime_ns for path in folder.glob("*.mcap")} == times


def test_the_dialog_counts_episodes_says_what_is_wrong_and_opens_the_last_batch(
        qtbot: QtBot, make_app: MakeApp, tmp_path: Path) -> None:
    app = make_app(toys())
    dialog = app.run_dialogs.open_batch()
    assert dialog.line.text == "3 episodes: 1 planner × 1 scene × 1 task × 3 seeds"
    for row in range(dialog.scenes.count()):
        dialog.scenes.item(row).setCheckState(Qt.CheckState.Checked)
    dialog.tasks.setPlainText("Walk to 5\n\n Walk  to 5\nWalk to 6")
    dialog.seeds.setText("0, 4-5")
    assert dialog.line.text == "12 episodes: 1 planner × 2 scenes × 2 tasks × 3 seeds"
    for field, wrong, said in ((dialog.seeds, "x", "“x” is no seed"), (dialog.steps, "0", "“0” is no number of steps")):
        before = field.text()
        field.setText(wrong)
        assert dialog.line.text.startswith(said)
        assert not dialog.begin.isEnabled()
        field.setText(before)
    dialog.seeds.setText("3")
    dialog.begin.click()
    qtbot.waitUntil(lambda: not app.kept_runs.batch.active and [*states(app)] == ["recorded"] * 4)
    qtbot.waitUntil(lambda: dialog.line.text == "4 of 4 episodes recorded")
    folder = app.kept_runs.batch.folder
    assert folder is not None
    assert (folder / PLAN).is_file()
    dialog.close()
    app.kept_runs.batch.rows[2].episode.file(folder).unlink()
    app.kept_runs.batch.plan, app.kept_runs.batch.rows = None, ()  # as at the next start
    again = app.run_dialogs.open_batch()
    qtbot.waitUntil(lambda: again.line.text == "3 of 4 episodes recorded" and again.begin.isEnabled())
    again.begin.click()
    qtbot.waitUntil(lambda: not app.kept_runs.batch.active and again.line.text == "4 of 4 episodes recorded")


def test_the_choices_are_gone_through_by_keys_and_no_name_is_cut_off(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(toys())
    dialog = app.run_dialogs.open_batch()
    long = Choice("long", "A planner with a rather long name: and a preset at its end")
    short = Choice("short", "A planner")
    _offer(dialog.planners, (short, long), "long")
    dialog.activateWindow()
    qtbot.waitUntil(dialog.isActiveWindow)
    heights = [dialog.planners.visualItemRect(dialog.planners.item(row)).height() for row in range(2)]
    assert heights[1] > heights[0], "the long name has several lines"
    assert dialog.planners.horizontalScrollBar().maximum() == 0
    dialog.tasks.setPlainText("Walk to 5")
    dialog.tasks.setFocus()
    QTest.keyClick(dialog.tasks, Qt.Key.Key_Tab)
    assert dialog.tasks.toPlainText() == "Walk to 5"
    assert dialog.seeds.hasFocus()


def test_the_choice_that_is_ticked_is_in_view(qtbot: QtBot, make_app: MakeApp) -> None:
    """With a planner far down the list, none seemed to be ticked."""
    app = make_app(toys())
    box = app.run_dialogs.open_batch().planners
    box.clear()
    _offer(box, tuple(Choice(f"planner {k}", f"Planner {k}") for k in range(60)), "planner 40")
    settle(app)
    assert box.viewport().rect().contains(box.visualItemRect(box.item(40)))


def test_only_a_reached_goal_looks_like_a_success() -> None:
    episode = Episode(1, "001", Request())
    tones = {(state, words): episode_item(BatchRow(episode, state, words)).marks[0].tone
             for state in ("finishing", "recorded") for words in (REACHED, "steps used up")}
    assert tones == {("finishing", REACHED): "good", ("recorded", REACHED): "good", ("finishing", "steps used up"): "plain",
                     ("recorded", "steps used up"): "plain"}


@pytest.mark.parametrize("what", ["opens a recording", "runs another", "stops recording"])
def test_an_operator_who_does_something_else_leaves_the_batch(
        qtbot: QtBot, make_app: MakeApp, tmp_path: Path, what: str) -> None:
    app = make_app(toys())
    folder = tmp_path / "recordings" / "batch"
    app.kept_runs.batch.begin(plan(app, pace=HELD), folder)
    qtbot.waitUntil(is_held(app, 1))
    app.kept_runs.batch.skip()
    qtbot.waitUntil(is_held(app, 2))
    first = app.kept_runs.batch.rows[0].episode.file(folder)
    qtbot.waitUntil(lambda: any(run.over and run.saved == first for run in app.recorders.runs))
    acts: dict[str, Callable[[], object]] = {
        "opens a recording": lambda: app.viewer.open(first), "runs another": lambda: app.console.run_request.choose("seed", 9),
        "stops recording": app.recorders.toggle}
    acts[what]()
    qtbot.waitUntil(lambda: not app.kept_runs.batch.active and states(app)[0] == "skipped")
    qtbot.waitUntil(lambda: not app.kept_runs.batch._closing)
    assert states(app) == ["skipped", "waiting"]


def test_an_episode_ends_with_its_last_picture_so_that_the_frames_keep_up(
        qtbot: QtBot, make_app: MakeApp, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    left = [3]
    monkeypatch.setattr(WindowRun, "pictures_left", property(lambda run: left[0]))
    app = make_app(toys())
    app.kept_runs.batch.begin(plan(app), tmp_path / "recordings" / "batch")
    qtbot.waitUntil(lambda: app.kept_runs.batch.words == "Batch 1 of 2 · 3 pictures left")
    app.recorders.changed.emit()
    assert states(app) == ["playing", "waiting"]
    assert app.recorders.words()[0].startswith("Batch 1 of 2 · 3 pictures left")
    left[0] = 0
    app.recorders.changed.emit()
    qtbot.waitUntil(lambda: states(app) == ["recorded"] * 2 and not app.kept_runs.batch.active)
