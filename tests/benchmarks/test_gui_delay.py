"""How late the window's event loop gets while a search runs; `pytest tests/benchmarks --benchmark-enable` prints it.

Nothing is asserted of times: a loaded machine is no mistake of the window.
"""

from __future__ import annotations

import os
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QSettings, Qt, QTimer
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gui.app import App, calm_collector
from gui.theme import Theme
from tests.gui.parts import parts

TASKS = "Put one apple on the kitchen table and one toothbrush inside the bathroom cabinet"
PROBE_MS = 2
SIMULATIONS = 2000
TURNS = 4


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


@pytest.fixture
def console(qtbot: QtBot, qapp: QApplication, tmp_path: Path) -> Any:
    """The whole window at its usual size, prepared."""
    theme, settings = Theme("dark"), QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat)
    theme.apply(qapp)
    given = parts("llm-mcts", TASKS)
    with calm_collector():
        app = App(replace(given, request=replace(given.request, parameters={"simulations": SIMULATIONS})), theme, settings)
        app.window.resize(1440, 900)
        app.open(ask=False)
        qtbot.waitUntil(lambda: app.bridge.snapshot.turn > 0, timeout=60_000)
        qtbot.wait(1500)
        yield app
        app.window.close()
        app.window.deleteLater()


def test_the_loop_while_a_search_runs(qtbot: QtBot, console: App, benchmark: Any, capsys: pytest.CaptureFixture[str]) -> None:
    probe = Probe()

    def play() -> int:
        turns = TURNS if benchmark.enabled else 1
        last = console.bridge.snapshot.turn + turns
        probe.start()
        console.console.run()
        qtbot.waitUntil(lambda: console.bridge.snapshot.turn >= last or console.bridge.snapshot.ended is not None,
                        timeout=120_000)
        probe.stop()
        console.console.pause()
        return turns

    benchmark.pedantic(play, rounds=1)
    figures = probe.figures()
    benchmark.extra_info.update(figures)
    if benchmark.enabled:
        with capsys.disabled():
            print(f"\nevent loop's delay in ms: {figures}")  # noqa: T201 - the figures are what this is for
    assert probe.delays
