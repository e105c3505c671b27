"""Work in a fork of this process that is killed at a random moment. For processes without other threads."""

from __future__ import annotations

import os
import random
import signal
import time
import traceback
from collections.abc import Callable

Tell = Callable[[str], None]
"""Says a line to the process that kills: what is said is done, and must not be lost."""
LATEST = 0.004
"""Seconds after the last line that is waited for, up to which the kill comes."""


def told_until_killed(work: Callable[[Tell], None], lines: int, rng: random.Random) -> list[str]:
    """Runs some work until it has said so many lines, and kills it a moment later. Returns what it has said in all.

    Raises:
        AssertionError: it ended in an error.
    """
    back, out = os.pipe()
    child = os.fork()
    if child == 0:
        _work(work, out)
    os.close(out)
    with os.fdopen(back, "rb") as said:
        told = [line for line in (said.readline() for _ in range(lines)) if line]
        time.sleep(rng.uniform(0, LATEST))
        os.kill(child, signal.SIGKILL)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        told += said.readlines()
    assert code in (0, -signal.SIGKILL), "it ended in an error"
    return [line.decode().rstrip("\n") for line in told]


def _work(work: Callable[[Tell], None], out: int) -> None:
    code = 1
    try:
        work(lambda line: (os.write(out, f"{line}\n".encode()), None)[1])
        code = 0
    except BaseException:  # noqa: BLE001 - the process ends here
        traceback.print_exc()
    finally:
        os._exit(code)
