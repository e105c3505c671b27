"""Fixed pieces of work in whose time results are stated, so that they compare between machines and between quiet and busy ones.

The reference and what is measured run by turns, so that a slower clock, other programs and a warm cache affect both alike. The
result is the median of the ratios. Work is measured in processor time of this process and its children: other programs do not
count. Delays are measured in time that passes.
"""

from __future__ import annotations

import resource
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

T = TypeVar("T")
Clock = Callable[[], float]
ROUNDS = 21
LOOPS, SORTS, SORTED, STROKES = 120_000, 30, 60_000, 960
"""Sizes of the references, each about 10 ms on a machine of 2025. Whoever changes one makes all earlier figures worthless."""


@dataclass(frozen=True, slots=True)
class Reference:
    """A fixed piece of work.

    Attributes:
        name: what it is, as in `2.1 × Python loop`.
        run: does it once.
    """

    name: str
    run: Callable[[], object]


@dataclass(frozen=True, slots=True)
class Figure:
    """A result in units of a reference.

    Attributes:
        name: what was measured.
        value: how many times as long as the reference it took.
        reference: the name of the reference.
        unit: median time of the reference in the same run, in milliseconds.
        clock: `processor` or `wall`.
    """

    name: str
    value: float
    reference: str
    unit: float
    clock: str

    def words(self) -> str:
        """Returns one line, with the milliseconds that it stands for in this run."""
        return (f"{self.name}: {self.value:.3g} × {self.reference} "
                f"({self.value * self.unit:.3g} of {self.unit:.3g} ms, {self.clock})")


def python_loop() -> int:
    """Does some of what Python code mostly does: tuples, dictionary entries, calls, small sums."""
    total, seen = 0, dict[int, tuple[int, int]]()
    for k in range(LOOPS):
        pair = k % 64, total & 255
        seen[pair[0]] = pair
        total += len(seen) + pair[1]
    return total


@cache
def _numbers() -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    return rng.random(SORTED), rng.permutation(SORTED)


def numpy_loop() -> float:
    """Shuffles and sorts numbers in compiled code."""
    numbers, order = _numbers()
    for _ in range(SORTS):
        numbers = np.sort(numbers[order])
    return float(numbers[0])


def qpainter_scene() -> None:
    """Paints rounded rectangles, lines and short texts with smooth edges into a picture of 640 by 480 pixels."""
    from PySide6.QtCore import QPointF, QRectF
    from PySide6.QtGui import QColor, QImage, QPainter

    image = QImage(640, 480, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(0)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for k in range(STROKES):
        x, y = k % 20 * 32.0, k // 20 % 20 * 24.0
        painter.setBrush(QColor(k % 256, 80, 160))
        painter.drawRoundedRect(QRectF(x + 1, y + 1, 28, 20), 4, 4)
        painter.drawLine(QPointF(x, y), QPointF(x + 30, y + 22))
        painter.drawText(QPointF(x + 4, y + 15), f"{k}")
    painter.end()


PYTHON = Reference("Python loop", python_loop)
NUMPY = Reference("numpy loop", numpy_loop)
QPAINTER = Reference("QPainter scene", qpainter_scene)


def search_reference() -> Reference:
    """Returns a search by pomdp-py, or the numpy loop if that is not installed: the two give different figures."""
    try:
        from tests.benchmarks.pomdp_py_search import plan_uniformly
    except ImportError:
        return NUMPY
    return Reference("100 simulations of pomdp-py", plan_uniformly(100))


def family_time() -> float:
    """Returns the processor time of this process and its children in seconds; of children that go on, Linux only."""
    ended, now = resource.getrusage(resource.RUSAGE_CHILDREN), time.process_time()
    return now + ended.ru_utime + ended.ru_stime + sum(map(_time_of, _children()))


def _children() -> list[str]:
    return [child for path in Path("/proc/self/task").glob("*/children") for child in path.read_text("ascii").split()]


def _time_of(process: str) -> float:
    return sum(map(_time_of_thread, Path(f"/proc/{process}/task").glob("*/schedstat")))


def _time_of_thread(path: Path) -> float:
    try:
        return int(path.read_text("ascii").split()[0]) / 1e9
    except (FileNotFoundError, ProcessLookupError):  # it has ended meanwhile
        return 0.0


def spent(clock: Clock, run: Callable[[], object]) -> float:
    """Returns how many seconds of a clock a call takes."""
    began = clock()
    run()
    return clock() - began


@dataclass
class Alternation:
    """Runs a reference before and after each round of what is measured.

    Attributes:
        reference: whose time is the unit.
        clock: `time.process_time` for work, `time.thread_time` for that of one thread, `family_time` if child processes work
            too, `time.perf_counter` for delays.
        units: seconds of the reference, one more than there are rounds.
        rounds: seconds of what is measured.
    """

    reference: Reference
    clock: Clock = time.process_time
    units: list[float] = field(default_factory=list)
    rounds: list[float] = field(default_factory=list)

    def unit(self) -> None:
        """Runs the reference."""
        self.units.append(spent(self.clock, self.reference.run))

    def round(self, run: Callable[[], T]) -> T:
        """Runs what is measured."""
        began = self.clock()
        result = run()
        self.rounds.append(self.clock() - began)
        return result

    @property
    def unit_seconds(self) -> float:
        """Median seconds of the reference."""
        return statistics.median(self.units)

    def figure(self, name: str, repeats: float = 1) -> Figure:
        """Returns the median of the ratios of each round to the references around it, for one of `repeats` calls a round."""
        around = [(one + other) / 2 for one, other in zip(self.units, self.units[1:], strict=False)]
        ratios = [spent / unit for spent, unit in zip(self.rounds, around, strict=True)]
        return self.of(name, statistics.median(ratios) * self.unit_seconds / repeats)

    def of(self, name: str, seconds: float) -> Figure:
        """Returns so many seconds in units of the reference."""
        clock = "wall" if self.clock is time.perf_counter else "processor"
        return Figure(name, seconds / self.unit_seconds, self.reference.name, 1000 * self.unit_seconds, clock)


def note(benchmark: Any, *figures: Figure) -> None:
    """Keeps figures with the results of a benchmark, where `table.py` finds them, and prints them; see them with `-s`."""
    benchmark.extra_info.setdefault("figures", []).extend(asdict(figure) for figure in figures)
    sys.stdout.write("".join(f"\n{figure.words()}" for figure in figures) + "\n")


def in_units(benchmark: Any, reference: Reference, run: Callable[[], T], name: str, *, repeats: int = 1, rounds: int = ROUNDS,
             setup: Callable[[], object] = lambda: None, clock: Clock = time.process_time) -> T:
    """Measures a call by turns with a reference, and notes how many times as long it takes.

    Args:
        benchmark: pytest-benchmark's fixture. Where it measures nothing, there is one round of one call, without the reference.
        reference: whose time is the unit.
        run: what is measured.
        name: the name of the figure.
        repeats: number of calls in a round; a round should take about as long as the reference, or longer.
        rounds: number of rounds.
        setup: called before each round; its time does not count.
        clock: see `Alternation`.

    Returns:
        What the last call returned.
    """
    if not benchmark.enabled:
        setup()
        once: T = benchmark.pedantic(run, rounds=1)
        return once
    alternation = Alternation(reference, clock)

    def repeated() -> T:
        for _ in range(repeats - 1):
            run()
        return run()

    def begin() -> None:
        alternation.unit()
        setup()

    setup()
    repeated()  # caches are warm from now on
    result: T = benchmark.pedantic(lambda: alternation.round(repeated), setup=begin, rounds=rounds)
    alternation.unit()
    note(benchmark, alternation.figure(name, repeats))
    return result
