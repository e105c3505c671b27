"""How late the window's event loop gets while searches run, and how soon a pause is obeyed.

`pytest tests/benchmarks/test_gui_delay.py --benchmark-enable -s` prints both; with `QT_QPA_PLATFORM=xcb` in a real window, such
as Xvfb's. Nothing is asserted of times: a loaded machine is no mistake of the window.
"""

from __future__ import annotations

import os
import random
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QPointF, QSettings
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.common.parameters import Value
from core.session.commands import Pause, Resume
from core.session.event_bus import Follower
from core.session.events import CommandTaken, Event
from core.session.snapshot import Snapshot
from gui.app import App
from gui.panels.frames.panel import FramesPanel
from gui.theme import Theme
from gui.window.application import responsive_interpreter
from sim.registry import simulator_class
from tests.benchmarks.lateness import Lateness
from tests.benchmarks.reference import PYTHON, Alternation, note
from tests.gui.parts import parts

TASKS = "Put one apple on the kitchen table and one toothbrush inside the bathroom cabinet and two books on the sofa"
SETTINGS: dict[str, Value] = {"simulations": 100_000, "most_questions": 12}
TURNS, PAUSES = 10, 200
LONGEST_RUN_MS = 50
"""Between two pauses."""
PATIENCE_MS = 240_000
"""Longest wait for a state that must come, however busy the machine is."""


class Console:
    """The whole window in the planner's layout, prepared, and an ear on its session."""

    def __init__(self, folder: Path, simulations: int):
        theme, settings = Theme("dark"), QSettings(str(folder / "settings.ini"), QSettings.Format.IniFormat)
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        theme.apply(app)
        given, self.paused = parts("llm-mcts", TASKS), list[float]()
        given = replace(given, open_world=lambda asked: simulator_class(asked.simulator).open(asked.scene, asked.world))
        request = replace(given.request, parameters={**SETTINGS, "simulations": simulations})
        self.app = App(replace(given, request=request), theme, settings)
        self._follower, self.app.bridge.follower = self.app.bridge.follower, self._follow  # type: ignore[method-assign]
        self.app.window.resize(1920, 1080)
        self.app.open(ask=False)

    def _follow(self) -> Follower:
        hear = self._follower()

        def both(event: Event, now: Snapshot) -> None:
            if isinstance(event.what, CommandTaken) and isinstance(event.what.command, Pause):
                self.paused.append(time.perf_counter())
            hear(event, now)

        return both

    def has_paused(self, before: int) -> bool:
        """Whether more pauses were obeyed than before."""
        return len(self.paused) > before

    def has_shown(self) -> bool:
        """Whether the newest snapshot is on the panels in view, and painted."""
        return self.app.window.has_shown(self.app.bridge.snapshot)

    def has_stepped(self, turn: int) -> bool:
        """Whether the run is paused in a turn or after it, and shown so."""
        now = self.app.bridge.snapshot
        return (now.ended is not None or (now.status == "paused" and now.turn >= turn)) and self.has_shown()


@pytest.fixture
def opened(qtbot: QtBot, qapp: QApplication, tmp_path: Path) -> Iterator[Callable[[int], Console]]:
    """Opens windows for searches of so many simulations."""
    made: list[Console] = []

    def open_console(simulations: int) -> Console:
        console = Console(tmp_path, simulations)
        made.append(console)
        qtbot.waitUntil(lambda: console.app.bridge.snapshot.turn > 0 and console.has_shown(), timeout=PATIENCE_MS)
        console.app.context.margins.ask = lambda question: None  # between two parts of a measurement the planner rests
        return console

    with responsive_interpreter():
        yield open_console
        for console in made:
            console.app.window.close()
            console.app.window.deleteLater()


def test_the_loop_while_searches_run(qtbot: QtBot, opened: Callable[[int], Console], benchmark: Any) -> None:
    console, late = opened(100_000 if benchmark.enabled else 200), Lateness(is_measured=benchmark.enabled)
    first = console.app.bridge.snapshot.turn

    def play() -> None:
        for turn in range(first + 1, first + 1 + (TURNS if benchmark.enabled else 1)):
            late.rest()
            late.begin()
            console.app.console.step("action")
            qtbot.waitUntil(partial(console.has_stepped, turn), timeout=PATIENCE_MS)
            late.end()
        late.rest()

    benchmark.pedantic(play, rounds=1)
    if benchmark.enabled:
        late.note(benchmark, "searches", what="for a turn")
    assert console.app.bridge.snapshot.turn > first


def test_the_loop_while_the_house_is_turned(qtbot: QtBot, opened: Callable[[int], Console], benchmark: Any) -> None:
    console, late, drawn = opened(200), Lateness(is_measured=benchmark.enabled), list[float]()
    app = console.app
    panel = app.window.stage.card.panel
    assert isinstance(panel, FramesPanel)
    house, view = panel.dollhouse, app.context.free_view
    qtbot.waitUntil(lambda: house.frame is not None, timeout=PATIENCE_MS)
    house.zoom(0.2)
    qtbot.waitUntil(lambda: panel._free is not None, timeout=PATIENCE_MS)
    qtbot.waitUntil(console.has_shown, timeout=PATIENCE_MS)
    view.drawn.connect(lambda _: drawn.append(time.perf_counter()))

    def turn() -> None:
        for _ in range(10 if benchmark.enabled else 1):
            late.rest()
            late.begin()
            for k in range(40 if benchmark.enabled else 4):
                house.turning.turn(QPointF(6, 2 if k < 20 else -2), house.size())
                qtbot.wait(12)  # as a mouse tells its moves
            late.end()
        late.rest()

    benchmark.pedantic(turn, rounds=1)
    qtbot.waitUntil(lambda: bool(drawn), timeout=PATIENCE_MS)
    if benchmark.enabled:
        late.note(benchmark, "house turned", 40, "for a move")
        between = float(np.median(np.diff(np.array(drawn))))
        note(benchmark, late.alternation.of("house turned: between pictures", between))
    assert house.frame is not None


def test_pauses_at_random_moments(qtbot: QtBot, opened: Callable[[int], Console], benchmark: Any) -> None:
    console, rng, waited = opened(100_000 if benchmark.enabled else 200), random.Random(0), list[float]()
    app, beside, pauses = console.app, Alternation(PYTHON, time.perf_counter), PAUSES if benchmark.enabled else 2

    def pause_and_go_on() -> None:
        for k in range(pauses):
            if k % 10 == 0:
                beside.unit()
            heard = len(console.paused)
            app.context.post(Resume())
            qtbot.wait(rng.randint(1, LONGEST_RUN_MS))
            said = time.perf_counter()
            app.context.post(Pause())
            qtbot.waitUntil(partial(console.has_paused, heard), timeout=PATIENCE_MS)
            waited.append(console.paused[-1] - said)

    benchmark.pedantic(pause_and_go_on, rounds=1)
    if benchmark.enabled:
        note(benchmark, beside.of("pause obeyed: median", float(np.median(waited))),
             beside.of("pause obeyed: p95", float(np.percentile(waited, 95))), beside.of("pause obeyed: worst", max(waited)))
        sys.stdout.write(f"pause obeyed after more than 50 ms: {sum(wait > 0.05 for wait in waited)} of {len(waited)}\n")
    assert len(waited) == pauses
