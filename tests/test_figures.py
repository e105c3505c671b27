"""Figures in units of a reference, and the table that is made of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.benchmarks.reference import Alternation, Reference, family_time, numpy_loop, python_loop, spent
from tests.benchmarks.table import BEGIN, END, rows_of, table, write


class Clock:
    """A clock that only work moves on."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    def work(self, seconds: float) -> None:
        self.now += seconds


def figure(name: str, value: float) -> dict[str, object]:
    return {"name": name, "value": value, "reference": "Python loop", "unit": 10.0, "clock": "processor"}


def test_a_machine_that_slows_down_meanwhile_does_not_change_the_figure() -> None:
    clock, slowness = Clock(), iter([1, 1, 1, 2, 2, 2, 2])  # the clock halves in the middle
    beside = Alternation(Reference("loop", lambda: clock.work(0.01 * next(slowness))), clock)
    for _ in range(3):
        beside.unit()
        beside.round(lambda: clock.work(0.03 * next(slowness)))
    beside.unit()
    assert beside.figure("search").value == pytest.approx(3.0, rel=0.35)
    assert sorted(beside.rounds) == pytest.approx([0.03, 0.06, 0.06])


def test_a_figure_is_the_median_ratio_for_one_call() -> None:
    clock, rounds = Clock(), iter([0.2, 0.4, 9.0])
    beside = Alternation(Reference("loop", lambda: clock.work(0.01)), clock)
    for _ in range(3):
        beside.unit()
        beside.round(lambda: clock.work(next(rounds)))
    beside.unit()
    found = beside.figure("search", repeats=10)
    assert (found.value, found.unit) == pytest.approx((4.0, 10.0))
    assert found.words() == "search: 4 × loop (40 of 10 ms, processor)"
    assert beside.of("pause", 0.05).value == pytest.approx(5.0)


def test_the_references_do_the_same_each_time() -> None:
    assert python_loop() == python_loop()
    assert numpy_loop() == numpy_loop()


def test_the_time_of_a_family_includes_children_that_have_ended() -> None:
    import subprocess
    import sys

    def work() -> None:
        subprocess.run([sys.executable, "-c", "sum(range(10**6))"], check=True)

    assert spent(family_time, work) > spent(family_time, lambda: None)


@pytest.fixture
def readme(tmp_path: Path) -> Path:
    path = tmp_path / "README.md"
    path.write_text(f"# Benchmarks\n{BEGIN}\nold\n{END}\nafter\n", "utf-8")
    return path


def test_a_table_marks_what_differs_between_runs_or_is_missing(readme: Path) -> None:
    runs = [[figure("steady", 1.0), figure("unsteady", 1.0), figure("lost", 1.0)],
            [figure("steady", 1.4), figure("unsteady", 2.0)]]
    rows = {row.name: row for row in rows_of(runs)}
    assert [rows[name].is_steady for name in ("steady", "unsteady", "lost")] == [True, False, False]
    assert rows["steady"].spread == pytest.approx(1 / 6)
    text = table(list(rows.values()), [0, 2])
    assert "| steady | Python loop | processor | 1 | 1.4 | ±17% | 10 |" in text
    assert "| unsteady | Python loop | processor | 1 | 2 | **±33%** | 10 |" in text
    assert "| lost | Python loop | processor | 1 | – | **–** | 10 |" in text
    assert "1 of 3 figures are within ±25% under all loads. Not steady: unsteady; lost." in text
    write(text, readme)
    write(text, readme)
    assert readme.read_text("utf-8") == f"# Benchmarks\n{BEGIN}\n{text}\n{END}\nafter\n"
