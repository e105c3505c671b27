"""The processes a test has started, as listed by Linux."""

from __future__ import annotations

import os
import time
from pathlib import Path

from tests.waiting import PATIENCE

PROC = Path("/proc")


def told() -> bool:
    """Returns True if this system lists its processes."""
    return (PROC / "self" / "stat").exists()


def descendants(pid: int) -> set[int]:
    """Returns all processes that a process has started, and those started by them, as long as their parents live."""
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
    """Returns a process's command line; empty if it is gone."""
    try:
        return (PROC / str(pid) / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""


def alive(pids: set[int]) -> set[int]:
    """Returns the processes that run, without ended ones whose parent has not noticed yet."""
    return {pid for pid in pids if (fields := _stat(pid)) and fields[0] not in ("Z", "X")}


def gone(pids: set[int]) -> bool:
    """Returns True if all of them end."""
    deadline = time.monotonic() + PATIENCE
    while alive(pids) and time.monotonic() < deadline:
        time.sleep(0.05)
    return not alive(pids)


def kill(pid: int) -> None:
    """Kills one process without warning."""
    os.kill(pid, 9)


def _stat(pid: int) -> list[str]:
    """Returns state, parent, … of a process; empty if it is gone."""
    try:
        return (PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []
