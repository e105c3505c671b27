"""How late the window's event loop gets while searches run, and how soon a pause is obeyed.

`pytest tests/benchmarks/test_gui_delay.py --benchmark-enable -s` prints both; with `QT_QPA_PLATFORM=xcb` in a real window, such
as Xvfb's. Nothing is asserted of times: a loaded machine is no mistake of the window.
"""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QPointF, QSettings, Qt, QTimer
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.common.parameters import Value
from core.session.commands import Pause, Resume
from core.session.events import CommandTaken, Event
from gui.app import App, responsive_interpreter
from gui.panels.frames.panel import FramesPanel
from gui.theme import Theme
from sim.registry import simulator_class
from tests.gui.parts import parts

TASKS = "Put one apple on the kitchen table and one toothbrush inside the bathroom cabinet and two books on the sofa"
SETTINGS: dict[str, Value] = {"simulations": 100_000, "most_questions": 12}
PROBE_MS = 2
TURNS, PAUSES = 10, 200
LONGEST_RUN_MS = 50
"""Between two pauses."""


class Probe:
    """How much later than asked a timer of 2 ms comes."""

    def __init__(self) -> None:
        self.delays: list[float] = []
        self._due = 0.0
        self._timer = QTimer()
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._tick)

    def start(self) -> None:
        """Begin."""
        self._due = time.perf_counter() + PROBE_MS / 1000
        self._timer.start(PROBE_MS)

    def stop(self) -> None:
        """No more."""
        self._timer.stop()

    def _tick(self) -> None:
        self.delays.append(max(0.0, 1000 * (time.perf_counter() - self._due)))
        self.start()

    def figures(self) -> dict[str, float]:
        """Milliseconds: median, 95th and 99th percentile, worst; and how many there were."""
        delays = np.array(self.delays)
        p50, p95, p99 = (round(float(x), 1) for x in np.percentile(delays, (50, 95, 99)))
        return {"p50": p50, "p95": p95, "p99": p99, "max": round(float(delays.max()), 1), "n": float(len(delays))}


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
        self._listener, self.app.bridge.listener = self.app.bridge.listener, self._listen  # type: ignore[method-assign]
        self.app.window.resize(1920, 1080)
        self.app.open(ask=False)

    def _listen(self) -> Callable[[Event], None]:
        hear = self._listener()

        def both(event: Event) -> None:
            if isinstance(event.what, CommandTaken) and isinstance(event.what.command, Pause):
                self.paused.append(time.perf_counter())
            hear(event)

        return both

    def has_paused(self, before: int) -> bool:
        """Whether more pauses were obeyed than before."""
        return len(self.paused) > before


@pytest.fixture
def opened(qtbot: QtBot, qapp: QApplication, tmp_path: Path) -> Iterator[Callable[[int], Console]]:
    """Opens windows for searches of so many simulations."""
    made: list[Console] = []

    def open_console(simulations: int) -> Console:
        made.append(Console(tmp_path, simulations))
        qtbot.waitUntil(lambda: made[-1].app.bridge.snapshot.turn > 0, timeout=60_000)
        qtbot.wait(1500)
        return made[-1]

    with responsive_interpreter():
        yield open_console
        for console in made:
            console.app.window.close()
            console.app.window.deleteLater()


def test_the_loop_while_searches_run(qtbot: QtBot, opened: Callable[[int], Console], benchmark: Any,
                                     capsys: pytest.CaptureFixture[str]) -> None:
    app, probe = opened(100_000 if benchmark.enabled else 200).app, Probe()

    def play() -> None:
        last = app.bridge.snapshot.turn + (TURNS if benchmark.enabled else 1)
        probe.start()
        app.console.run()
        qtbot.waitUntil(lambda: app.bridge.snapshot.turn >= last or app.bridge.snapshot.ended is not None, timeout=120_000)
        probe.stop()
        app.console.pause()

    benchmark.pedantic(play, rounds=1)
    figures = probe.figures()
    benchmark.extra_info.update(figures)
    if benchmark.enabled:
        with capsys.disabled():
            print(f"\nevent loop's delay in ms: {figures}")  # noqa: T201 - the figures are what this is for
    assert probe.delays


def test_the_loop_while_the_house_is_turned(qtbot: QtBot, opened: Callable[[int], Console], benchmark: Any,
                                            capsys: pytest.CaptureFixture[str]) -> None:
    app, probe, drawn = opened(200).app, Probe(), list[float]()
    panel = app.window.stage.card.panel
    assert isinstance(panel, FramesPanel)
    house, view = panel.dollhouse, app.context.free_view
    qtbot.waitUntil(lambda: house.frame is not None, timeout=60_000)
    house.zoom(0.2)
    qtbot.waitUntil(lambda: panel._free is not None, timeout=60_000)
    qtbot.wait(1500)
    view.drawn.connect(lambda _: drawn.append(time.perf_counter()))

    def turn() -> None:
        probe.start()
        for k in range(400 if benchmark.enabled else 4):
            house.turning.turn(QPointF(6, 2 if k % 40 < 20 else -2), house.size())
            qtbot.wait(12)
        probe.stop()

    benchmark.pedantic(turn, rounds=1)
    figures = probe.figures()
    between = np.diff(np.array(drawn)) * 1000
    benchmark.extra_info.update(figures)
    if benchmark.enabled:
        with capsys.disabled():
            print(f"\nevent loop's delay in ms: {figures}; between pictures {np.median(between):.0f} ms, {len(drawn)}, "  # noqa: T201
                  f"pane {house.width()}x{house.height()}")
    assert probe.delays


def test_pauses_at_random_moments(qtbot: QtBot, opened: Callable[[int], Console], benchmark: Any,
                                  capsys: pytest.CaptureFixture[str]) -> None:
    console, rng, waited = opened(100_000 if benchmark.enabled else 200), random.Random(0), list[float]()
    app = console.app

    def pause_and_go_on() -> None:
        for _ in range(PAUSES if benchmark.enabled else 2):
            heard = len(console.paused)
            app.context.post(Resume())
            qtbot.wait(rng.randint(1, LONGEST_RUN_MS))
            said = time.perf_counter()
            app.context.post(Pause())
            qtbot.waitUntil(partial(console.has_paused, heard), timeout=10_000)
            waited.append(1000 * (console.paused[-1] - said))

    benchmark.pedantic(pause_and_go_on, rounds=1)
    worst, median = round(max(waited), 1), round(float(np.median(waited)), 1)
    benchmark.extra_info.update({"p50": median, "max": worst, "over 50 ms": sum(w > 50 for w in waited)})
    if benchmark.enabled:
        with capsys.disabled():
            print(f"\npause obeyed after ms: p50 {median}, max {worst}, of {len(waited)}")  # noqa: T201
    assert min(waited) > 0
