"""The page of evaluations by clicks: started, killed, resumed, compared, and a failed episode opened where it went wrong."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from core.common.errors import DataError
from core.evaluation import child
from core.evaluation.episode_command import Repetition, recording_of
from core.evaluation.plan import EvaluationPlan
from core.evaluation.suites import suite
from core.suites.origin import Origin
from core.suites.suite import Row
from gui.app import App
from gui.evaluations.page import EvaluationsPage
from tests.core.library.common import pictured
from tests.gui.conftest import MakeApp
from tests.gui.settling import PATIENCE
from tests.gui.test_runs import toys

PLAN = EvaluationPlan("blocking", ("oracle", "bcr"), 2, 100, jobs=1)
CELLS = suite("blocking").cells
ORIGIN = Origin("FloorPlan1", {}, 0, 0, "", "Wash one mug", 100, False, "steps used up", 100, "ab", 1.5, label="policy failure",
                turn=2, because="9 of 12 lost turns")


def row_of(name: str, cell: str, seed: int, *, success: bool) -> Row:
    origin = replace(ORIGIN, success=True, label="", turn=0, because="") if success else ORIGIN
    return Row(name, cell, seed, {m.key: float(success) for m in suite("blocking").measures}, origin)


def rows_of(plan: EvaluationPlan) -> list[Row]:
    """The episodes of a plan: bcr fails with seed 1, and in the cell `mug` always."""
    return [row_of(name, cell, seed, success=name == "oracle" or not (seed or cell == "mug"))
            for seed in range(plan.trials) for cell in CELLS for name in plan.planners]


def write(folder: Path, plan: EvaluationPlan, rows: Sequence[Row]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    settings = {"suite": plan.suite, "max_steps": plan.max_steps, "provider": plan.provider, "model": plan.provider,
                "settings": {}, "edition": suite(plan.suite).edition, "plan": plan.plain()}
    (folder / "sweep.json").write_text(json.dumps(settings), encoding="utf-8")
    with (folder / "runs.jsonl").open("a", encoding="utf-8") as stream:
        stream.writelines(json.dumps(asdict(row)) + "\n" for row in rows)


class PlayedByHand:
    """Stands in for the child process: plays so many episodes of what is left, and waits until it is killed or paused."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch):
        self.commands: list[list[str]] = []
        self.most, self.ends = 5, threading.Event()
        self.killed = True
        monkeypatch.setattr(child, "CommandChild", self.make)

    def make(self, words: Sequence[str]) -> PlayedByHand:
        self.commands.append(list(words))
        self.ends = threading.Event()
        return self

    @property
    def number(self) -> int:
        return 7

    def run(self) -> str:
        if "--out" not in self.commands[-1]:
            return ""  # it plays an episode again
        folder = Path(self.commands[-1][self.commands[-1].index("--out") + 1])
        done = len((folder / "runs.jsonl").read_text().splitlines()) if folder.exists() else 0
        left = rows_of(PLAN)[done:]
        write(folder, PLAN, left[:self.most])
        if len(left) > self.most:
            assert self.ends.wait(PATIENCE / 1000)
            if self.killed:
                raise DataError("its process was killed (signal 9): what was finished is kept")
        return ""

    def pause(self) -> None:
        self.killed = False
        self.ends.set()

    def stop(self) -> None:
        self.pause()


@pytest.fixture
def played(monkeypatch: pytest.MonkeyPatch) -> PlayedByHand:
    return PlayedByHand(monkeypatch)


@pytest.fixture
def app(make_app: MakeApp, played: PlayedByHand, qtbot: QtBot) -> App:
    """The console with its page of evaluations open."""
    del played
    app = make_app(toys())
    qtbot.keyClick(app.window, Qt.Key.Key_E, Qt.KeyboardModifier.ControlModifier)  # type: ignore[no-untyped-call]
    qtbot.waitUntil(app.pages.evaluations.isVisible)
    return app


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "evaluations" / "blocking 1"
    write(folder, PLAN, rows_of(PLAN))
    return folder


def click(qtbot: QtBot, widget: QWidget, at: QPoint | None = None) -> None:
    qtbot.mouseClick(widget, Qt.MouseButton.LeftButton, pos=at or QPoint())  # type: ignore[no-untyped-call]


def pick(page: EvaluationsPage, qtbot: QtBot, name: str, cell: str) -> None:
    click(qtbot, page.table.viewport(), page.table.place_of((name, cell)).center().toPoint())
    assert page.table.cell == (name, cell)


def shown(page: EvaluationsPage, fits: Callable[[int], bool]) -> Callable[[], bool]:
    return lambda: page.overview is not None and fits(len(page.overview.results.rows))


def test_two_clicks_open_a_failed_episode_where_it_went_wrong(app: App, folder: Path, qtbot: QtBot) -> None:
    page, failed = app.pages.evaluations, row_of("bcr", "mug", 0, success=False)
    path = recording_of(folder, failed)
    path.parent.mkdir()
    pictured(path)
    made = Repetition(path, 2, "", "went wrong in turn 2: policy failure (9 of 12 lost turns)")
    path.with_suffix(".json").write_text(json.dumps(asdict(made), default=str), encoding="utf-8")
    page.show_folder(folder)
    qtbot.waitUntil(shown(page, lambda n: n == PLAN.episodes))
    pick(page, qtbot, "bcr", "mug")
    assert page.classes.text() == "2 episodes, 2 failed: policy failure 2"
    assert [row.seed for row in page.episodes.items] == [0, 1]
    click(qtbot, page.episodes.viewport(), QPoint(60, page.episodes.rowViewportPosition(0) + 10))
    qtbot.waitUntil(lambda: app.console.replaying and not page.isVisible())
    qtbot.waitUntil(lambda: app.console.moment is not None and app.console.moment.turn == 2)


def test_an_episode_that_cannot_be_played_again_says_why(app: App, folder: Path, qtbot: QtBot) -> None:
    page = app.pages.evaluations
    page.show_folder(folder)
    qtbot.waitUntil(shown(page, lambda n: n == PLAN.episodes))
    pick(page, qtbot, "bcr", "coffee")
    assert page.classes.text() == "2 episodes, 1 failed: policy failure 1"
    page.open_episode(page.episodes.items[0])
    qtbot.waitUntil(lambda: page.news.text == "the command printed nothing")
    assert app.pages.evaluation_runs.playing is None
    assert page.isVisible()


def test_started_killed_resumed_paused_and_resumed_to_the_end(app: App, played: PlayedByHand, tmp_path: Path,
                                                            qtbot: QtBot) -> None:
    page, runs, folder = app.pages.evaluations, app.pages.evaluation_runs, tmp_path / "evaluations" / "new"
    runs.start(PLAN, folder)
    qtbot.waitUntil(shown(page, lambda n: n == 5))
    assert page.pause.isVisible()
    assert not page.resume.isVisible()
    played.ends.set()
    qtbot.waitUntil(page.resume.isVisible)
    assert "killed (signal 9)" in page.status.text
    click(qtbot, page.resume)
    assert played.commands[1] == played.commands[0]
    qtbot.waitUntil(shown(page, lambda n: n == 10))
    click(qtbot, page.pause)
    qtbot.waitUntil(page.resume.isVisible)
    assert "not complete · 6 episodes left, about" in page.status.text
    played.most = 100
    click(qtbot, page.resume)
    qtbot.waitUntil(lambda: page.status.text.endswith("complete") and runs.running is None)
    assert not page.resume.isVisible()
    qtbot.waitUntil(lambda: page.chart is not None)
    assert page.chart is not None
    assert "bcr: coffee 50.0" in page.chart.accessibleDescription()


def test_another_folder_is_compared_if_it_holds_the_same_suite(app: App, folder: Path, tmp_path: Path, qtbot: QtBot) -> None:
    page, other, odd = app.pages.evaluations, tmp_path / "other", tmp_path / "odd"
    write(other, PLAN, rows_of(PLAN)[:4])
    write(odd, replace(PLAN, suite="rearrangement"), ())
    page.show_folder(folder)
    qtbot.waitUntil(shown(page, lambda n: n == PLAN.episodes))
    app.pages.evaluation_runs.compare_with(other)
    qtbot.waitUntil(lambda: page.overview is not None and page.overview.beside == "other")
    assert "other: 100.0" in page.table.words_of(("oracle", "coffee"))
    app.pages.evaluation_runs.compare_with(odd)
    qtbot.waitUntil(lambda: "only results of the same suite" in page.news.text)


def test_the_episodes_are_written_as_one_table_to_a_new_folder(app: App, folder: Path, tmp_path: Path, qtbot: QtBot) -> None:
    page = app.pages.evaluations
    page.show_folder(folder)
    qtbot.waitUntil(shown(page, lambda n: n == PLAN.episodes))
    for name in (f"{folder.name} dataset", f"{folder.name} dataset-2"):
        page.write_dataset(tmp_path)
        qtbot.waitUntil(lambda name=name: name in page.news.text)  # type: ignore[misc]
        assert len((tmp_path / name / "episodes.csv").read_text().splitlines()) == 1 + PLAN.episodes


def test_the_dialog_estimates_from_earlier_episodes_or_says_that_it_does_not_know(
        app: App, played: PlayedByHand, folder: Path, qtbot: QtBot) -> None:
    page = app.pages.evaluations
    page.show_folder(folder)
    qtbot.waitUntil(shown(page, lambda n: n == PLAN.episodes))
    page.open_plan()
    dialog = page.dialog
    assert dialog is not None
    qtbot.waitUntil(lambda: dialog.suite.count() > 0)
    dialog.suite.setCurrentText("blocking")
    dialog.suite.activated.emit(dialog.suite.currentIndex())
    for name, box in dialog.planners.items():
        box.setChecked(name in PLAN.planners)
    dialog.trials.set_value(3)
    dialog.jobs.set_value(1)
    qtbot.waitUntil(lambda: dialog.estimated.text() == "24 episodes, about 36 s, estimated from 16 earlier episodes")
    dialog.another.setText("bcr:paper")
    qtbot.keyClick(dialog.another, Qt.Key.Key_Return)  # type: ignore[no-untyped-call]
    qtbot.waitUntil(lambda: "unknown: no episode of bcr:paper" in dialog.estimated.text())
    dialog.another.setText("bcr+nothing=1")
    qtbot.keyClick(dialog.another, Qt.Key.Key_Return)  # type: ignore[no-untyped-call]
    qtbot.waitUntil(lambda: not dialog.start.isEnabled())
    dialog.planners["bcr+nothing=1"].setChecked(False)
    qtbot.waitUntil(dialog.start.isEnabled)
    click(qtbot, dialog.measure)
    assert {"oracle", "bcr", "bcr:paper"} < set(played.commands[0])
    assert played.commands[0][played.commands[0].index("--trials") + 1] == "1"
