"""The processes a test has started, as Linux tells of them."""

from __future__ import annotations

import os
import time
from pathlib import Path

PROC = Path("/proc")


def told() -> bool:
    """Whether this system tells."""
    return (PROC / "self" / "stat").exists()


def descendants(pid: int) -> set[int]:
    """All processes that a process has started, and those have, as long as their parents live."""
    parents = {}
    for entry in PROC.iterdir():
        if entry.name.isdecimal() and (fields := _stat(int(entry.name))):
            parents[int(entry.name)] = int(fields[1])
    found: set[int] = set()
    fresh = {pid}
    while fresh:
        fresh = {child for child, parent in parents.items() if parent in fresh} - found
        found |= fresh
    return found


def command(pid: int) -> str:
    """A process's command line; empty if it is gone."""
    try:
        return (PROC / str(pid) / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""


def alive(pids: set[int]) -> set[int]:
    """Those that run; one that ended and waits for its parent to hear of it does not."""
    return {pid for pid in pids if (fields := _stat(pid)) and fields[0] not in ("Z", "X")}


def gone(pids: set[int], seconds: float = 20.0) -> bool:
    """Whether all of them end within some seconds."""
    deadline = time.monotonic() + seconds
    while alive(pids) and time.monotonic() < deadline:
        time.sleep(0.05)
    return not alive(pids)


def kill(pid: int) -> None:
    """Like a power cut, for one process."""
    os.kill(pid, 9)


def _stat(pid: int) -> list[str]:
    """State, parent, … of a process; empty if it is gone."""
    try:
        return (PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []
