"""A solver at work in a process of its own: begun, looked after a little at a time, and always ended."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import TracebackType

from core.classical.task import Operator, Task

WORKER = Path(__file__).with_name("worker.py")
PACKAGES = {"unified_planning": "unified-planning", "up_fast_downward": "up-fast-downward"}
INSTALL = "pip install -e '.[classical]'"
PATIENCE = 0.02
"""Seconds `ready` waits at most: commands are obeyed between two calls."""
GRACE = 10.0
"""Seconds beyond the limit: loading and translating are not part of the engine's own."""


def missing(part: str) -> str:
    """What is not installed and the command that installs it; empty when solvers can run."""
    absent = [package for module, package in PACKAGES.items() if importlib.util.find_spec(module) is None]
    return f"{part} needs {' and '.join(absent)}, not installed here: {INSTALL}" if absent else ""


class Solving:
    """One task being solved.

    Args:
        task: what to solve.
        seconds: how long the engine may take.
        worker: the script that solves; another one for tests.
    """

    def __init__(self, task: Task, seconds: float, worker: Path = WORKER):
        self._task, self._ends = task, time.monotonic() + seconds + GRACE
        self._answer = ""
        self.late = False
        """It took too long and was ended."""
        self._trouble = ""
        with tempfile.TemporaryFile("w+") as sent:
            json.dump({"task": task.plain(), "seconds": seconds}, sent)
            sent.seek(0)
            self._process = subprocess.Popen([sys.executable, "-P", str(worker)], stdin=sent, stdout=subprocess.PIPE,
                                             stderr=subprocess.PIPE, text=True, start_new_session=True)

    def ready(self) -> bool:
        """Whether it is over; waits a fiftieth of a second at most."""
        try:
            self._answer, self._trouble = self._process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            self.late = time.monotonic() > self._ends
            return self.late
        return True

    @property
    def plan(self) -> tuple[Operator, ...] | None:
        """The plan found; None where there is none."""
        numbers = json.loads(self._answer)["plan"] if self._answer.startswith("{") else None
        return None if numbers is None else tuple(self._task.operators[k] for k in numbers)

    @property
    def trouble(self) -> str:
        """The last line of what the solver complained about, when it failed; empty otherwise."""
        failed = not self.late and self._process.returncode not in (0, None)
        return (self._trouble.strip().splitlines() or ["the solver died"])[-1] if failed else ""

    def close(self) -> None:
        """End it and all it has started. May be called twice."""
        if self._process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        for pipe in (self._process.stdout, self._process.stderr):
            if pipe is not None:
                pipe.close()

    def __enter__(self) -> Solving:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()
