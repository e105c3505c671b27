"""A command in a child process of its own: how it ended, how long it took, and how much memory."""

from __future__ import annotations

import os
import resource
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

CRASHED = 70
"""Exit code of a child that ended in a traceback."""
MOST_ADDRESSES = 4 * 2**30
"""Bytes of address space that a child may take: an allocation of gigabytes fails instead of bringing the machine down."""
PAGE = resource.getpagesize()


@dataclass(frozen=True)
class Verdict:
    """What came of a child: `seconds` of processor time (other programs do not change it), `megabytes` of memory it added."""

    name: str
    code: int
    seconds: float
    megabytes: float
    said: str


def judged(name: str, act: Callable[[], int], patience: float = 90.0) -> Verdict:
    """Run `act` in a fork of this process, which has loaded the modules already; it is killed after `patience` seconds."""
    with tempfile.TemporaryFile() as out:
        began, (_, held) = time.monotonic(), _held()
        child = os.fork()
        if child == 0:
            _be(act, out.fileno())
        code, usage = _waited(child, began + patience)
        seconds = usage.ru_utime + usage.ru_stime
        out.seek(0)
        took = max(0.0, usage.ru_maxrss / 1024 - held / 2**20)
        return Verdict(name, code, seconds, took, out.read().decode(errors="replace"))


def _held() -> tuple[int, int]:
    """Bytes of address space and of memory that this process has: a child begins with as much."""
    statm = Path("/proc/self/statm")
    if not statm.exists():
        return 0, 0
    addresses, memory = statm.read_text().split()[:2]
    return int(addresses) * PAGE, int(memory) * PAGE


def _be(act: Callable[[], int], out: int) -> None:
    """The child."""
    code = CRASHED
    try:
        most = _held()[0] + MOST_ADDRESSES
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
        os.dup2(out, 1)
        os.dup2(out, 2)
        code = act()
    except BaseException:  # noqa: BLE001 - this is what the tests look for
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _waited(child: int, until: float) -> tuple[int, resource.struct_rusage]:
    while time.monotonic() < until:
        found, status, usage = os.wait4(child, os.WNOHANG)
        if found:
            return os.waitstatus_to_exitcode(status), usage
        time.sleep(0.002)
    os.kill(child, signal.SIGKILL)
    _, status, usage = os.wait4(child, 0)
    return os.waitstatus_to_exitcode(status), usage
