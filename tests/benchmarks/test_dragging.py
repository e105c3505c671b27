"""How well ranking, tree and glow follow a dragged belief; `pytest tests/benchmarks --benchmark-enable -s` prints it.

Nothing is asserted of times: a loaded machine is no mistake of the window.
"""

from __future__ import annotations

import itertools
import os
import queue
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
from core.planning.planner import Answer, WhatIf
from core.planning.search_facets import Ranking
from core.session import commands as c
from core.session import events as e
from core.session.session import Session
from gui.app import App
from gui.panels.belief.panel import BeliefPanel
from gui.panels.ranking import RankingPanel
from gui.panels.tree.panel import TreePanel
from gui.theme import Theme
from gui.window.application import responsive_interpreter
from sim.registry import simulator_class
from tests.benchmarks.lateness import Lateness
from tests.benchmarks.reference import PYTHON, Alternation, note
from tests.benchmarks.test_gui_delay import PATIENCE_MS, TASKS
from tests.gui.parts import parts

PARTS, SECONDS = 8, 1.0
"""How often a cell is dragged, and at least how long each time."""
EVERY = 0.012
"""Seconds between two moves of the pointer, as a mouse tells them."""
MOMENTS, ANSWERS = 200, 60
PATIENCE = PATIENCE_MS / 1000


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
        qtbot.waitUntil(lambda: app.bridge.snapshot.turn > 0, timeout=PATIENCE_MS)
        app.console.step("action")
        qtbot.waitUntil(lambda: app.bridge.snapshot.turn == 2 and app.bridge.snapshot.status == "paused"
                        and app.bridge.snapshot.facet(Ranking) is not None, timeout=PATIENCE_MS)
        qtbot.waitUntil(lambda: app.window.has_shown(app.bridge.snapshot), timeout=PATIENCE_MS)
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
        self._parts = (lambda: ranking.rows.view, lambda: tree._layout,
                       lambda: app.window.stage.card.panel.panes["dollhouse"].data.glow)  # type: ignore[union-attr]
        app.bridge.answered.connect(self._answered)

    def _answered(self, answer: Answer) -> None:
        del answer
        self.counts["answers"] += 1

    def have_all_followed(self) -> bool:
        """Whether each panel was painted at least once after an answer."""
        return min(self.counts.values()) > 0

    def look(self) -> None:
        """Count those that are others than at the last look."""
        now = tuple(part() for part in self._parts)
        for name, old, new in zip(("ranking", "tree", "glow"), self._seen or now, now, strict=True):
            self.counts[name] += old is not new
        self._seen = now


def test_what_follows_a_dragged_cell(qtbot: QtBot, console: App, benchmark: Any) -> None:
    panel = console.window.docks["belief"].card.fill()
    assert isinstance(panel, BeliefPanel)
    viewport, at, counted = panel.heatmap.viewport(), _cell(panel), Counted(console)
    late = Lateness(is_measured=benchmark.enabled)
    moves, spent = itertools.count(1), list[float]()

    def move() -> None:
        QTest.mouseMove(viewport, at - QPoint(0, 4 + abs(next(moves) * 2 % 220 - 110)))
        until = time.monotonic() + EVERY
        while time.monotonic() < until:
            QApplication.processEvents()
            counted.look()
            time.sleep(0.0005)

    def drag() -> None:
        for _ in range(PARTS if benchmark.enabled else 1):
            late.rest()
            QTest.mousePress(viewport, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, at)
            late.begin()
            began = time.monotonic()
            while time.monotonic() < began + SECONDS or not counted.have_all_followed():
                move()
                if not benchmark.enabled and counted.have_all_followed():
                    break
            spent.append(time.monotonic() - began)
            late.end()
            console.context.preview.cancel()
            QTest.mouseRelease(viewport, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, at)
            qtbot.waitUntil(lambda: console.window.has_shown(console.bridge.snapshot), timeout=PATIENCE_MS)
        late.rest()

    benchmark.pedantic(drag, rounds=1)
    if benchmark.enabled:
        late.note(benchmark, "cell dragged", counted.counts["ranking"] / PARTS, "for a redraw")
        note(benchmark, *(late.alternation.of(f"cell dragged: between two of {name}", sum(spent) / number)
                          for name, number in counted.counts.items()))
    assert counted.have_all_followed()


def _cell(panel: BeliefPanel) -> QPoint:
    """A cell that can be dragged, in the heatmap's pixels."""
    grid, belief = panel.heatmap.geometry_now(), panel.editor.belief
    assert grid is not None
    assert belief is not None
    free = ((row, top + high / 2, column, x + grid.wide / 2) for row, top, high in grid.rows for column, x in grid.columns
            if belief.located[row] is None and not column.folded)
    return next(QPoint(int(x), int(y)) for row, y, column, x in free if 0 < belief.probability[row, column.places[0]] < 0.3)


class Asking:
    """A session, paused in its second turn, that is asked the next question as soon as the last one is answered."""

    def __init__(self, simulations: int):
        self.run = Session(build(Request(task=TASKS, seed=3, cache=False), simulator_class))
        self.answers: queue.Queue[float] = queue.Queue()
        """When each answer came, in seconds of `time.monotonic`."""
        self._simulations, self._numbers = simulations, itertools.count(1)
        self._paused, self._noted = threading.Event(), threading.Event()
        self.run.subscribe(self._hear)
        self.run.subscribe_answers(self._answered)
        self._thread = threading.Thread(target=self.run.run)

    def begin(self) -> None:
        """Plays the first turn, and asks the first question."""
        self.run.post(c.Pause())
        self._thread.start()
        assert self._paused.wait(PATIENCE)
        self._paused.clear()
        self.run.post(c.Step("action"))
        assert self._paused.wait(PATIENCE)
        self._ask()

    def obey(self) -> float:
        """Returns how many seconds pass until a command is obeyed."""
        self._noted.clear()
        began = time.perf_counter()
        self.run.post(c.Annotate("", "a moment"))
        assert self._noted.wait(PATIENCE)
        return time.perf_counter() - began

    def next_answers(self, number: int) -> list[float]:
        """Returns when the next answers come."""
        while not self.answers.empty():
            self.answers.get()
        return [self.answers.get(timeout=PATIENCE) for _ in range(number)]

    def end(self) -> None:
        """Stops the session."""
        self.run.post(c.Stop())
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive()

    def _ask(self) -> None:
        self.run.ask_what_if(WhatIf(next(self._numbers), simulations=self._simulations))

    def _hear(self, event: e.Event) -> None:
        if isinstance(event.what, e.Paused):
            self._paused.set()
        elif isinstance(event.what, e.Annotated):
            self._noted.set()

    def _answered(self, answer: Answer) -> None:
        ranking = next((f for f in answer.facets if isinstance(f, Ranking)), None)
        if ranking is not None and ranking.simulations >= self._simulations:
            self.answers.put(time.monotonic())
            self._ask()


@pytest.mark.parametrize("simulations", [100, 1000])
def test_answers_and_commands_of_a_session_that_is_asked_all_the_time(simulations: int, benchmark: Any) -> None:
    """How soon one answer follows the other, and how soon a command is obeyed meanwhile."""
    asking, hand, beside = Asking(simulations), Random(0), Alternation(PYTHON, time.perf_counter)
    times, delays = list[float](), list[float]()

    def play() -> None:
        asking.begin()
        for k in range(MOMENTS if benchmark.enabled else 3):
            if k % 10 == 0:
                beside.unit()
            time.sleep(hand.uniform(0, 0.03))  # a command comes at any moment of a search
            delays.append(asking.obey())
        times.extend(asking.next_answers(ANSWERS if benchmark.enabled else 2))

    benchmark.pedantic(play, rounds=1)
    asking.end()
    if benchmark.enabled:
        name = f"{simulations} simulations an answer"
        note(benchmark, beside.of(f"{name}: between two", (times[-1] - times[0]) / (len(times) - 1)),
             *(beside.of(f"{name}: command obeyed, {what}", float(np.percentile(delays, percent)))
               for what, percent in (("median", 50), ("p99", 99), ("worst", 100))))
    assert times == sorted(times)
