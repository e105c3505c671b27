"""Tests wait for states, never for durations: a duration is too short on a loaded machine and too long on every other."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parent
SLEEPS = {
    "gui/test_settling.py": "tries that a wait for a duration is refused",
    "core/llm/test_replies.py": "a server that is slow or drips is what is tried",
    "core/session/pictured.py": "a camera whose pictures take their time, in any order",
    "core/evaluation/test_model_sweeps.py": "a model that takes its time",
    "sim/thor/standin/__main__.py": "a simulator that hangs",
    "core/planners/ff_replan/toy_worker.py": "a child that hangs",
    "killed.py": "the moment at which a kill comes",
    "benchmarks/library.py": "a steady load beside what is measured",
    "benchmarks/test_dragging.py": "a hand that drags",
}
"""Files that may sleep, with the reason. Those that poll another process have a bound of their own and are named below."""
POLLS = {
    "core/evaluation/processes.py", "core/evaluation/test_killed_sweeps.py", "core/evaluation/test_sweep.py",
    "core/llm/test_slots.py", "core/recording/test_autosave.py", "core/recording/test_kill.py",
    "core/recording/test_recorder.py", "core/recording/test_vanished.py", "core/search/test_code_cache.py",
    "core/search/test_compile.py", "core/session/test_pictures.py", "core/session/test_what_if.py", "hostile/forked.py",
    "sim/rendering/test_service.py", "sim/scienceworld/test_experiments.py", "versions/suite/test_window.py", "waiting.py",
}
"""Files outside tests/gui that look again and again whether a thread or process has come so far."""
BENCHMARKS = ("benchmarks/test_dragging.py", "benchmarks/test_gui_delay.py")
"""Measure while time passes, and assert nothing about speed."""


CALLS = ("time.sleep", "QTest.qWait", "QTest.qSleep", "qtbot.wait", "QThread.msleep")
HINT = re.compile(rf"\b({'|'.join(name.rpartition('.')[2] for name in CALLS)})\s*\(")
"""Most files call nothing of the kind, and need not be parsed."""


def waits(source: str) -> Iterator[tuple[int, str]]:
    """Yields line and words of each call in a source that waits for a duration."""
    if not HINT.search(source):
        return
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            words = ast.unparse(node.func)
            if words in CALLS:
                yield node.lineno, words


def test_no_test_waits_for_a_duration() -> None:
    found = {}
    for path in TESTS.rglob("*.py"):
        name = path.relative_to(TESTS).as_posix()
        calls = [f"{name}:{line} {words}" for line, words in waits(path.read_text("utf-8"))
                 if name not in (*SLEEPS, *POLLS, *BENCHMARKS)]
        if calls:
            found[name] = calls
    assert found == {}, "wait for a state, or settle the window: see tests/gui/settling.py"


def test_no_exception_outlives_its_reason() -> None:
    for name in (*SLEEPS, *POLLS):
        assert list(waits((TESTS / name).read_text("utf-8"))), name


@pytest.mark.parametrize("line", ["qtbot.wait(50)", "time.sleep(0.1)", "QTest.qWait(5)", "QTest.qSleep(5)", "QThread.msleep(5)",
                                  "time.sleep (1)", "time.sleep(\n        1)"])
def test_it_sees_every_way_to_wait(line: str) -> None:
    assert len([*waits(f"def test():\n    {line}\n")]) == 1


@pytest.mark.parametrize("line", ["qtbot.waitUntil(done)", "event.wait(60)", "'time.sleep(600)'"])
def test_states_and_other_programs_are_no_waits(line: str) -> None:
    assert not [*waits(line)]
