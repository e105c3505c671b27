"""How well ranking, tree and glow follow a dragged belief; `pytest tests/benchmarks --benchmark-enable` prints it.

Nothing is asserted of times: a loaded machine is no mistake of the window.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QPoint, QSettings, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.app.launch import build
from core.app.run_request import Request
from core.planning.facets import Ranking
from core.planning.planner import Answer, WhatIf
from core.session import commands as c
from core.session import events as e
from core.session.session import Session
from gui.app import App, responsive_interpreter
from gui.panels.belief.panel import BeliefPanel
from gui.panels.ranking.panel import RankingPanel
from gui.panels.tree.panel import TreePanel
from gui.theme import Theme
from sim.registry import simulator_class
from tests.benchmarks.test_gui_delay import TASKS, Probe
from tests.gui.parts import parts

SECONDS = 8.0
EVERY = 0.012
"""Seconds between two moves of the pointer, as a mouse tells them."""
MOMENTS = 200


@pytest.fixture
def console(qtbot: QtBot, qapp: QApplication, tmp_path: Path) -> Iterator[App]:
    """The whole window at 1920 by 1080, paused in its second turn."""
    theme, settings = Theme("dark"), QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat)
    theme.apply(qapp)
    given = parts("llm-mcts", TASKS)
    with responsive_interpreter():
        app = App(replace(given, request=replace(given.request, seed=3)), theme, settings)
        app.window.resize(1920, 1080)
        app.open(ask=False)
        qtbot.waitUntil(lambda: app.bridge.snapshot.turn > 0, timeout=60_000)
        app.console.step("action")
        qtbot.waitUntil(lambda: app.bridge.snapshot.turn == 2 and app.bridge.snapshot.status == "paused"
                        and app.bridge.snapshot.facet(Ranking) is not None, timeout=60_000)
        qtbot.wait(1500)
        yield app
        app.window.close()
        app.window.deleteLater()


class Counted:
    """How often ranking, tree and glow were drawn anew, and how many answers came."""

    def __init__(self, app: App):
        self.counts = {"answers": 0, "ranking": 0, "tree": 0, "glow": 0}
        ranking, tree = app.window.docks["ranking"].card.panel, app.window.docks["tree"].card.panel
        assert isinstance(ranking, RankingPanel)
        assert isinstance(tree, TreePanel)
        self._seen: tuple[object, ...] = ()
        self._parts = (lambda: ranking._listing, lambda: tree._layout,
                       lambda: app.window.stage.card.panel.panes["dollhouse"].data.glow)  # type: ignore[union-attr]
        app.bridge.answered.connect(self._answered)

    def _answered(self, answer: Answer) -> None:
        del answer
        self.counts["answers"] += 1

    def look(self) -> None:
        """Count those that are others than at the last look."""
        now = tuple(part() for part in self._parts)
        for name, old, new in zip(("ranking", "tree", "glow"), self._seen or now, now, strict=True):
            self.counts[name] += old is not new
        self._seen = now


def test_what_follows_a_dragged_cell(qtbot: QtBot, console: App, benchmark: Any, capsys: pytest.CaptureFixture[str]) -> None:
    panel = console.window.docks["belief"].card.fill()
    assert isinstance(panel, BeliefPanel)
    viewport, at, counted, probe = panel.heatmap.viewport(), _cell(panel), Counted(console), Probe()
    length = SECONDS if benchmark.enabled else 0.5

    def drag() -> None:
        QTest.mousePress(viewport, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, at)
        probe.start()
        began, moves = time.monotonic(), 0
        while time.monotonic() < began + length:
            moves += 1
            QTest.mouseMove(viewport, at - QPoint(0, 4 + abs(moves * 2 % 220 - 110)))
            until = time.monotonic() + EVERY
            while time.monotonic() < until:
                QApplication.processEvents()
                counted.look()
                time.sleep(0.0005)
        probe.stop()

    benchmark.pedantic(drag, rounds=1)
    console.context.preview.cancel()
    QTest.mouseRelease(viewport, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, at)
    figures = {f"{name} a second": round(n / length, 1) for name, n in counted.counts.items()} | probe.figures()
    benchmark.extra_info.update(figures)
    if benchmark.enabled:
        with capsys.disabled():
            print(f"\nwhile a cell is dragged, event loop's delay in ms: {figures}")  # noqa: T201 - what this is for
    assert min(counted.counts.values()) > 0


def _cell(panel: BeliefPanel) -> QPoint:
    """A cell that can be dragged, in the heatmap's pixels."""
    grid, belief = panel.heatmap.geometry_now(), panel.editor.belief
    assert grid is not None
    assert belief is not None
    free = ((row, top + high / 2, column, x + grid.wide / 2) for row, top, high in grid.rows for column, x in grid.columns
            if belief.located[row] is None and not column.folded)
    return next(QPoint(int(x), int(y)) for row, y, column, x in free if 0 < belief.probability[row, column.places[0]] < 0.3)


@pytest.mark.parametrize("simulations", [100, 1000])
def test_answers_and_commands_of_a_session_that_is_asked_all_the_time(simulations: int, benchmark: Any,
                                                                      capsys: pytest.CaptureFixture[str]) -> None:
    """Answers a second where each question is put as soon as the last is answered; how soon a command is obeyed meanwhile."""
    run = Session(build(Request(task=TASKS, seed=3, cache=False), simulator_class))
    done, noted, number, hand = threading.Event(), threading.Event(), iter(range(1, 1_000_000)), Random(0)
    answers, delays = list[float](), list[float]()

    def ask() -> None:
        run.ask_what_if(WhatIf(next(number), simulations=simulations))

    def hear(event: e.Event) -> None:
        if isinstance(event.what, e.Paused):
            done.set()
        elif isinstance(event.what, e.Annotated):
            noted.set()

    def answered(answer: Answer) -> None:
        ranking = next((f for f in answer.facets if isinstance(f, Ranking)), None)
        if ranking is not None and ranking.simulations >= simulations:
            answers.append(time.monotonic())
            ask()

    run.subscribe(hear)
    run.subscribe_answers(answered)
    run.post(c.Pause())
    thread = threading.Thread(target=run.run)
    thread.start()
    assert done.wait(60)
    done.clear()
    run.post(c.Step("action"))
    assert done.wait(60)

    def play() -> None:
        ask()
        for _ in range(MOMENTS if benchmark.enabled else 3):
            time.sleep(hand.uniform(0, 0.03))
            noted.clear()
            began = time.perf_counter()
            run.post(c.Annotate("", "a moment"))
            assert noted.wait(60)
            delays.append(1000 * (time.perf_counter() - began))
        answers.clear()
        time.sleep(3.0 if benchmark.enabled else 0.5)

    benchmark.pedantic(play, rounds=1)
    run.post(c.Stop())
    thread.join(60)
    rate = (len(answers) - 1) / (answers[-1] - answers[0]) if len(answers) > 1 else 0.0
    figures = {"answers a second": round(rate, 1), "obeyed in ms, median": round(float(np.median(delays)), 1),
               "p99": round(float(np.percentile(delays, 99)), 1), "worst": round(max(delays), 1), "moments": len(delays)}
    benchmark.extra_info.update(figures)
    if benchmark.enabled:
        with capsys.disabled():
            print(f"\n{simulations} simulations an answer: {figures}")  # noqa: T201 - what this is for
    assert answers
