"""A solver in a child process: it gets a task, is polled in short intervals, and is killed if it is late or no longer needed.

The process is reused for the next task, because loading its packages takes longer than most plans. Tasks and answers are files,
because writing to a pipe blocks until the other end reads.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import weakref
from pathlib import Path
from typing import Any

from core.common import child_python
from core.common.installation import needs
from core.planners.ff_replan.task import Operator, Task

WORKER = Path(__file__).with_name("worker.py")
PACKAGES = {"unified_planning": "unified-planning", "up_fast_downward": "up-fast-downward"}
PATIENCE = 0.02
"""The maximum number of seconds that `ready` waits; commands are processed between two calls."""
GRACE = 10.0
"""Additional seconds beyond the limit, since loading and translating do not count towards the engine's time."""


def missing(part: str) -> str:
    """Returns which packages are not installed and the command that installs them; empty if the solver can run."""
    absent = [package for module, package in PACKAGES.items() if importlib.util.find_spec(module) is None]
    return needs(part, absent, "classical") if absent else ""


class Solver:
    """Solves one task at a time. A deep copy is an idle solver.

    Args:
        worker: the script that solves; tests use another one.

    Attributes:
        late: True if the last task exceeded its time.
    """

    def __init__(self, worker: Path = WORKER):
        self._worker = worker
        self._child: _Child | None = None
        self._task: Task | None = None
        self._answer: dict[str, Any] = {}
        self._ends = 0.0
        self.late = False

    def __deepcopy__(self, memo: dict[int, Any]) -> Solver:
        return Solver(self._worker)

    @property
    def process(self) -> int | None:
        """The id of the child process, if there is one."""
        return self._child.process.pid if self._child is not None else None

    def begin(self, task: Task, seconds: float) -> None:
        """Starts to solve a task within a time limit in seconds."""
        self._task, self._answer, self.late = task, {}, False
        self._ends = time.monotonic() + seconds + GRACE
        try:
            if self._child is None or self._child.is_lost:
                self.drop()
                self._child = _Child(self._worker)
            self._child.send({"task": task.plain(), "seconds": seconds})
        except OSError as error:  # no folder for temporary files, or no process
            self.drop()
            self._answer = {"trouble": f"the solver cannot be started: {error.strerror or error}"}

    def ready(self) -> bool:
        """Returns True if there is an answer or there will be none. Waits at most a fiftieth of a second."""
        child = self._child
        if child is None:
            return True
        died = child.is_lost
        answer = child.answer()
        if answer is not None:
            self._answer = answer
            return True
        if died:
            self._answer = {"trouble": "the solver died"}
            return True
        if time.monotonic() > self._ends:
            self.late = True
            self.drop()
            return True
        time.sleep(PATIENCE)
        return False

    @property
    def plan(self) -> tuple[Operator, ...] | None:
        """The plan found; None if there is none."""
        numbers = self._answer.get("plan")
        return None if numbers is None or self._task is None else tuple(self._task.operators[k] for k in numbers)

    @property
    def trouble(self) -> str:
        """Why there is no answer, in one line; empty if there is one, or if it was late."""
        return str(self._answer.get("trouble", ""))

    def drop(self) -> None:
        """Kills the process and its children; the next task starts another one. May be called at any time."""
        if self._child is not None:
            self._child.end()
            self._child = None


class _Child:
    """The child process and the folder for exchanged files; both are removed with this object."""

    def __init__(self, worker: Path):
        self._folder, self._sent = Path(tempfile.mkdtemp(prefix="belvedere-plan-")), 0
        try:
            self.process = subprocess.Popen(
                [sys.executable, "-P", str(worker), str(self._folder)], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL, text=True, process_group=0,
                env=child_python.environment() | {"PYTHONSAFEPATH": ""})  # the engine's own scripts find each other beside them
        except BaseException:
            self._folder.rmdir()
            raise
        self.end = weakref.finalize(self, _end, self.process, self._folder)

    @property
    def is_lost(self) -> bool:
        """True if the process died or the folder was removed."""
        return self.process.poll() is not None or not self._folder.is_dir()

    def send(self, question: dict[str, Any]) -> None:
        """Sends a task: writes a file, and a line with its name."""
        self._sent += 1
        path = self._folder / f"{self._sent}.json"
        path.write_text(json.dumps(question), encoding="utf-8")
        assert self.process.stdin is not None, "opened as a pipe"
        with contextlib.suppress(BrokenPipeError):  # the process died; `ready` detects that
            self.process.stdin.write(f"{path}\n")
            self.process.stdin.flush()

    def answer(self) -> dict[str, Any] | None:
        """Returns the answer to the last task, or None."""
        path = self._folder / f"{self._sent}.json.answer"
        if not path.exists():
            return None
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return found


def _end(process: subprocess.Popen[str], folder: Path) -> None:
    if process.poll() is None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    if process.stdin is not None:
        with contextlib.suppress(BrokenPipeError):
            process.stdin.close()
    shutil.rmtree(folder, ignore_errors=True)
