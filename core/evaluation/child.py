"""The commands `evaluate` and `episode` in a child process, for the window: killed or paused, it loses no finished episode."""

from __future__ import annotations

import contextlib
import json
import subprocess
import threading
from collections.abc import Sequence
from pathlib import Path

from core.common import child_python
from core.common.errors import DataError
from core.suites.suite import Row

WHILE_INPUT = "--while-input"


class CommandChild:
    """A command of this program in a child process.

    It pauses as soon as its standard input ends: by `pause`, or because this process is gone, however that ended.

    Args:
        words: the command, as after the program's name.
    """

    def __init__(self, words: Sequence[str]):
        self._words = list(words)
        self._lock, self._ended = threading.Lock(), False
        self._process: subprocess.Popen[str] | None = None

    @property
    def number(self) -> int:
        """The number of its process; 0 if it has not started."""
        return 0 if self._process is None else self._process.pid

    def run(self) -> str:
        """Runs the command to its end. Returns the last line it printed that is JSON; empty if there is none.

        Raises:
            DataError: it could not be started, was killed, or ended with an error, in one line.
        """
        with self._lock:
            if self._ended:
                return ""
            try:
                process = self._process = subprocess.Popen(
                    child_python.command("main", *self._words), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT, encoding="utf-8", errors="replace", process_group=0,
                    env={**child_python.environment(), "TQDM_DISABLE": "1"})
            except OSError as error:
                raise DataError(f"no process could be started: {error}") from error
        assert process.stdout is not None, "it is a pipe"
        found, said = "", ""
        with process.stdout as lines:
            for line in lines:
                found = line if line.startswith("{") else found
                said = line.strip() if line.startswith("error: ") else said
        code = process.wait()
        self._end_input()
        if code < 0 and not self._ended:
            raise DataError(f"its process was killed (signal {-code}): what was finished is kept")
        if said and not self._ended:
            raise DataError(said.removeprefix("error: "))
        return found

    def pause(self) -> None:
        """Lets the command end after the episodes under way. Safe from any thread."""
        self._ended = True
        self._end_input()

    def _end_input(self) -> None:
        with self._lock:
            if self._process is not None and self._process.stdin is not None:
                with contextlib.suppress(BrokenPipeError):  # it has ended already
                    self._process.stdin.close()

    def stop(self) -> None:
        """Terminates the command. Safe from any thread."""
        self.pause()
        if self._process is not None:
            self._process.terminate()


def episode_words(folder: Path, row: Row) -> list[str]:
    """Returns the command that plays an episode of a folder of results again and prints what it found as JSON."""
    return ["episode", str(folder), "--planner", row.contestant, "--cell", row.cell, "--seed", str(row.seed), "--json"]


def value_in(line: str) -> dict[str, object]:
    """Returns the object that a command printed as JSON.

    Raises:
        DataError: it reports an error, or printed nothing.
    """
    value = json.loads(line) if line else {"error": "the command printed nothing"}
    if "error" in value:
        raise DataError(value["error"])
    return dict(value)
