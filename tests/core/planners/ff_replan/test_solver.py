"""The solver's process: kept, ended when late or unwanted, replaced when it died."""

from __future__ import annotations

import copy
import gc
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.planners.ff_replan.solver import WORKER, Solver, missing
from core.planners.ff_replan.task import Operator, Task, after, met, solved
from core.world.vocabulary import Action

TOY = Path(__file__).with_name("toy_worker.py")
OPEN = Operator(Action("open", ("door_1",)), ("!open",), ("open",))
GO = Operator(Action("walk", ("garden_1",)), ("open",), ("out",), ("in",), (((("in",), "wet")),))
DOOR = Task(frozenset({"in"}), (OPEN, GO), (("out", "never"), ("wet",)))


@pytest.fixture
def solver() -> Iterator[Solver]:
    made = Solver(TOY)
    yield made
    made.drop()


def answered(solver: Solver, task: Task, seconds: float = 20.0) -> Solver:
    solver.begin(task, seconds)
    while not solver.ready():
        pass
    return solver


def gone(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    return False


def test_a_plan_and_no_plan(solver: Solver) -> None:
    assert answered(solver, DOOR).plan == (OPEN, GO)
    first = solver.process
    shut = Task(frozenset(), (GO,), (("out",),))
    assert answered(solver, shut).plan is None
    assert (solver.trouble, solver.late) == ("", False)
    assert solver.process == first, "the process is kept"


def test_it_never_waits_long(solver: Solver) -> None:
    solver.begin(Task(frozenset(), (), (("sleep",),)), 20.0)
    since, looks = time.monotonic(), 0
    while time.monotonic() - since < 0.3:
        assert not solver.ready()
        looks += 1
    assert looks >= 3


def test_a_late_one_is_ended(solver: Solver, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.planners.ff_replan.solver.GRACE", 0.1)
    solver.begin(Task(frozenset(), (), (("sleep",),)), 0.0)
    process = solver.process
    while not solver.ready():
        pass
    assert solver.late
    assert solver.plan is None
    assert process is not None
    assert gone(process)
    monkeypatch.undo()
    assert answered(solver, DOOR).plan == (OPEN, GO)


def test_a_dead_one_is_told_and_replaced(solver: Solver) -> None:
    assert answered(solver, Task(frozenset(), (), (("crash",),))).trouble == "the solver died"
    assert answered(solver, DOOR).plan == (OPEN, GO)


def test_one_whose_folder_was_removed_is_replaced(solver: Solver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert answered(solver, DOOR).plan == (OPEN, GO)
    (folder,) = tmp_path.iterdir()
    shutil.rmtree(folder)
    assert answered(solver, DOOR).plan == (OPEN, GO)
    solver.begin(Task(frozenset(), (), (("sleep",),)), 20.0)
    (folder,) = tmp_path.iterdir()
    shutil.rmtree(folder)
    while not solver.ready():
        pass
    assert solver.trouble == "the solver died"


@pytest.mark.parametrize("lacking", ["a folder", "a process"])
def test_one_that_cannot_be_started_is_told_and_leaves_nothing(lacking: str, solver: Solver, tmp_path: Path,
                                                              monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path if lacking == "a process" else tmp_path / "missing"))
    if lacking == "a process":
        monkeypatch.setattr(sys, "executable", "/nowhere/python")
    assert answered(solver, DOOR).trouble.startswith("the solver cannot be started: No such file")
    assert list(tmp_path.iterdir()) == []
    monkeypatch.undo()
    assert answered(solver, DOOR).plan == (OPEN, GO)


def test_the_folder_goes_when_the_process_that_made_it_was_killed(tmp_path: Path) -> None:
    (folder := tmp_path / "plan").mkdir()
    with subprocess.Popen([sys.executable, str(WORKER), str(folder)], stdin=subprocess.PIPE) as worker:
        assert worker.stdin is not None
        worker.stdin.close()  # as the system does when the parent is gone
    assert not folder.exists()


def test_nothing_is_left_behind(solver: Solver) -> None:
    other = Solver(TOY)
    answered(other, DOOR)
    process = other.process
    assert process is not None
    copied = copy.deepcopy(other)
    assert copied.process is None
    del other
    gc.collect()
    assert gone(process)


def test_operators_change_facts() -> None:
    facts = after(after(DOOR.facts, OPEN), GO)
    assert facts == {"open", "out", "wet"}
    assert met(("open", "!in"), facts)
    assert solved(DOOR.goal, facts)
    assert not solved(DOOR.goal, DOOR.facts)


def test_what_is_missing_is_named_with_its_command() -> None:
    told = missing("planner 'x'")
    assert told == "" or told.endswith('pip install -e ".[classical]"')


@pytest.mark.skipif(bool(missing("")), reason=missing("Fast Downward"))
def test_fast_downward_itself() -> None:
    solver = Solver()
    assert answered(solver, DOOR, 60.0).plan == (OPEN, GO)
    assert answered(solver, Task(frozenset(), (GO,), (("out",),)), 60.0).plan is None
    assert solver.trouble == ""
    solver.drop()
