"""The session's thread and child processes are less urgent than the GUI thread."""

from __future__ import annotations

import os
import subprocess
import sys
import threading

import pytest

from core.common.priority import NICE, lower_priority

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has priorities of single threads")

QUESTION = "import os; print(os.nice(0))"


def in_a_thread() -> dict[str, int]:
    """Lowers the priority of a new thread. Returns the niceness of that thread and of a process that it starts."""
    found: dict[str, int] = {}

    def work() -> None:
        lower_priority()
        found["thread"] = os.getpriority(os.PRIO_PROCESS, threading.get_native_id())
        found["child"] = int(subprocess.run([sys.executable, "-c", QUESTION], stdout=subprocess.PIPE, check=True).stdout)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    return found


def test_only_the_thread_and_what_it_starts_give_way() -> None:
    before = os.getpriority(os.PRIO_PROCESS, 0)
    lowered = max(NICE, before)
    assert in_a_thread() == {"thread": lowered, "child": lowered}
    assert os.getpriority(os.PRIO_PROCESS, 0) == before


def test_a_process_that_is_nicer_already_stays_so() -> None:
    code = "import os; from core.common.priority import lower_priority; os.nice(15); lower_priority(); print(os.nice(0))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(done.stdout) >= 15
