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

CRASHED = 70
"""Exit code of a child that ended in a traceback."""
MOST_ADDRESSES = 4 * 2**30
"""Bytes of address space: an allocation of gigabytes fails instead of bringing the machine down."""


@dataclass(frozen=True)
class Verdict:
    """What came of a child: `seconds` of processor time, which other programs do not change, and `megabytes` at most."""

    name: str
    code: int
    seconds: float
    megabytes: float
    said: str


def judged(name: str, act: Callable[[], int], patience: float = 90.0) -> Verdict:
    """Run `act` in a fork of this process, which has loaded the modules already; it is killed after `patience` seconds."""
    with tempfile.TemporaryFile() as out:
        began = time.monotonic()
        child = os.fork()
        if child == 0:
            _be(act, out.fileno())
        code, usage = _waited(child, began + patience)
        seconds = usage.ru_utime + usage.ru_stime
        out.seek(0)
        return Verdict(name, code, seconds, usage.ru_maxrss / 1024, out.read().decode(errors="replace"))


def _be(act: Callable[[], int], out: int) -> None:
    """The child."""
    code = CRASHED
    try:
        resource.setrlimit(resource.RLIMIT_AS, (MOST_ADDRESSES, MOST_ADDRESSES))
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
