"""Progress lines of a run that thinks or waits for long: its activity, its duration, and its cost so far."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable
from types import TracebackType
from typing import Final, Self

from core.llm.budget import Spent
from core.planning.facets import Ranking
from core.session.snapshot import Snapshot

QUIET: Final = 5.0
"""Seconds without any line after which one reports the state of the run."""
LEAST_WAIT: Final = 0.01


def progress_line(run: Snapshot, spent: Spent | None, now: float, pictures_left: int) -> str:
    """Returns a line on the present activity of a run.

    Args:
        run: its newest snapshot.
        spent: calls, tokens and cost so far; None if the run makes no model calls.
        now: seconds since the session began, on the clock of `Snapshot.at`.
        pictures_left: pictures that were requested and are not drawn yet; mentioned once the run has ended.

    Returns:
        A line such as `turn 3: waits 12 s for 2 replies of openai gpt-5 (policy, position), 240 of 4,000 simulations; 14 calls,
        5,120 tokens`.
    """
    if run.began is None:
        return f"opens the world, {duration(now)}"
    if run.status == "ended":
        return f"draws pictures, {pictures_left} left" if pictures_left else "finishes the recording"
    return f"turn {max(1, run.turn)}: {_doing(run, now)}{_searched(run)}{_used(spent)}"


def _doing(run: Snapshot, now: float) -> str:
    if run.waiting:
        since = min(call.asked_at for call in run.waiting)
        purposes = ", ".join(name + (f" ×{n}" if n > 1 else "") for name, n in Counter(
            call.ask.purpose for call in run.waiting).items())
        replies = "a reply" if len(run.waiting) == 1 else f"{len(run.waiting)} replies"
        return f"waits {duration(now - since)} for {replies} of {run.waiting[0].source} ({purposes})"
    turn = run.current
    if turn is not None and turn.action is not None:
        return f"does {turn.action}, {duration(now - turn.began)} since the turn began"
    return f"thinks, {duration(now - (run.at if turn is None else turn.began))} since the turn began"


def _searched(run: Snapshot) -> str:
    ranking = run.fresh(Ranking)
    return "" if ranking is None else f", {ranking.simulations:,} of {ranking.budget:,} simulations"


def _used(spent: Spent | None) -> str:
    if spent is None or not spent.calls:
        return ""
    cost = f", cost {spent.cost:.4g}" if spent.cost else ""
    return f"; {spent.calls:,} {'call' if spent.calls == 1 else 'calls'}, {spent.tokens:,} tokens{cost}"


def duration(seconds: float) -> str:
    """Returns a duration such as `12 s` or `3 min 5 s`."""
    minutes, rest = divmod(round(max(0.0, seconds)), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


class ProgressLines:
    """Passes a run's lines on, and adds one whenever none came for a while. Use it in a `with`.

    Args:
        say: receives all lines, one at a time; added lines come on a thread of their own.
        line: returns the line to add; called on that thread.
        quiet: seconds without any line after which one is added.
    """

    def __init__(self, say: Callable[[str], None], line: Callable[[], str], quiet: float = QUIET):
        self._say, self._line, self._quiet = say, line, quiet
        self._lock, self._over = threading.Lock(), threading.Event()
        self._last = time.monotonic()
        self._thread = threading.Thread(target=self._work, name="progress", daemon=True)

    def say(self, line: str) -> None:
        """Passes a line on. Safe from any thread."""
        with self._lock:
            self._last = time.monotonic()
            self._say(line)

    def _work(self) -> None:
        while not self._over.wait(max(LEAST_WAIT, self._last + self._quiet - time.monotonic())):
            with self._lock:
                is_due = time.monotonic() >= self._last + self._quiet
            if is_due:
                self.say(f"  … {self._line()}")

    def __enter__(self) -> Self:
        self._last = time.monotonic()
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._over.set()
        self._thread.join()
