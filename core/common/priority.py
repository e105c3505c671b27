"""Lets the GUI thread run first where there are more busy threads than processor cores."""

from __future__ import annotations

import os
import sys
import threading

NICE = 10
"""The niceness of the session's thread and of child processes. Linux gives a thread of 0 nine times the share of one of 10."""


def lower_priority() -> None:
    """Makes the calling thread less urgent than the GUI thread, and with it every thread and process that it starts.

    A child process must stay in our terminal session for this (`process_group=0`, not `start_new_session`): Linux shares the
    processor equally between sessions, whatever the priorities inside them (`sched_autogroup`, see `man 7 sched`).
    Only Linux has priorities of single threads; elsewhere nothing changes.
    """
    if sys.platform == "linux":
        thread = threading.get_native_id()
        os.setpriority(os.PRIO_PROCESS, thread, max(NICE, os.getpriority(os.PRIO_PROCESS, thread)))
