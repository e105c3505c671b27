"""Tells whether a process is alive: it computes, reads the disk, or does nothing."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

PROCESSES = Path("/proc")
STATE, USER_TIME, SYSTEM_TIME = 0, 11, 12
"""Columns of `/proc/PID/stat` after the name."""
WAITING_FOR_DISK = "D"


class Pulse:
    """Measures how long a process and its children have used no processor while a caller waits for them.

    Only Linux provides this. Elsewhere a process always counts as busy, and only the time limit of the call ends the wait.
    """

    def __init__(self, pid: int):
        self._pid = pid
        self._time, self._since = -1, time.monotonic()

    def still_for(self) -> float:
        """Returns the seconds without a sign of life."""
        now = time.monotonic()
        spent = self._spent()
        if spent is None or spent != self._time:
            self._time, self._since = -1 if spent is None else spent, now
        return now - self._since

    def _spent(self) -> int | None:
        """Returns the processor ticks of the process and its children; None if one waits for the disk or nothing is known."""
        total = 0
        for fields in self._stats(self._pid):
            if fields[STATE] == WAITING_FOR_DISK:
                return None
            total += int(fields[USER_TIME]) + int(fields[SYSTEM_TIME])
        return total or None

    def _stats(self, pid: int) -> Iterator[list[str]]:
        try:
            stat = (PROCESSES / str(pid) / "stat").read_text()
            children = (PROCESSES / str(pid) / "task" / str(pid) / "children").read_text()
        except OSError:
            return  # it has just ended, or this is not Linux
        yield stat.rpartition(")")[2].split()
        for child in children.split():
            yield from self._stats(int(child))
