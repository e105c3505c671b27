"""How late an event loop gets, beside a loop with nothing to do and beside a reference, all in the same run."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from PySide6.QtCore import QEventLoop, Qt, QTimer

from tests.benchmarks.reference import PYTHON, Alternation, Figure, note

PROBE_MS = 2
REST_MS = 250
"""How long the loop has nothing to do between two parts of a measurement."""


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

    def at(self, percent: float) -> float:
        """The delay in milliseconds that so many percent of all delays do not exceed."""
        return float(np.percentile(self.delays, percent))

    def figures(self) -> dict[str, float]:
        """Milliseconds: median, 95th and 99th percentile, worst; and how many there were."""
        p50, p95, p99, worst = (round(self.at(percent), 1) for percent in (50, 95, 99, 100))
        return {"p50": p50, "p95": p95, "p99": p99, "max": worst, "n": float(len(self.delays))}


class Lateness:
    """The delays of the window's event loop at work; by turns with it, those of the loop at rest, and a Python loop's time.

    Args:
        is_measured: False where nobody reads the figures: then there is no rest.

    Attributes:
        busy: the delays while there is something to do.
        bare: the delays while there is nothing to do: what other programs and the system's clock cost.
        alternation: the reference, in time that passes.
        work: the reference, and the parts of the measurement, in processor time of the GUI thread.
    """

    def __init__(self, *, is_measured: bool) -> None:
        self._is_measured = is_measured
        self.busy, self.bare, self.alternation = Probe(), Probe(), Alternation(PYTHON, time.perf_counter)
        self.work = Alternation(PYTHON, time.thread_time)
        self._began = 0.0

    def rest(self) -> None:
        """Runs the reference, and then the event loop with nothing to do. Call it before and after each part."""
        if not self._is_measured:
            return
        self.alternation.unit()
        self.work.unit()
        loop = QEventLoop()
        QTimer.singleShot(REST_MS, loop.quit)
        self.bare.start()
        loop.exec()
        self.bare.stop()

    def begin(self) -> None:
        """Begins a part."""
        self._began = time.thread_time()
        self.busy.start()

    def end(self) -> None:
        """Ends a part."""
        self.busy.stop()
        self.work.rounds.append(time.thread_time() - self._began)

    def note(self, benchmark: Any, name: str, each: float = 1, what: str = "") -> None:
        """Keeps and prints the delays in units of the reference, and the work of the GUI thread.

        Args:
            benchmark: pytest-benchmark's fixture.
            name: what went on.
            each: number of things done in a part, for the work of one of them.
            what: what they are, as in `for a redraw`.
        """
        note(benchmark, self._figure(f"{name}: event loop p99", self.busy, 99),
             self._figure(f"{name}: event loop worst", self.busy, 100), self._figure(f"{name}: bare loop p99", self.bare, 99))
        note(benchmark, self.work.figure(f"{name}: work of the GUI thread {what}".rstrip(), each))
        benchmark.extra_info.update(self.busy.figures())

    def _figure(self, name: str, probe: Probe, percent: float) -> Figure:
        return self.alternation.of(name, probe.at(percent) / 1000)
