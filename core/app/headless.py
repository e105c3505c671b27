"""A run without a window: prints its progress and returns its final snapshot."""

from __future__ import annotations

import signal
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from core.app.progress_lines import QUIET, ProgressLines, progress_line
from core.common import interruption
from core.common.errors import DataError
from core.common.interruption import PATIENCE, Interrupted
from core.llm.budget import Budget
from core.llm.reply_checks import uselessness
from core.planning.facets import Frame, View
from core.recording.recorder import Recorder
from core.session.commands import KeepPictures, Stop
from core.session.events import STOPPED, Acted, Began, Ended, Event, Failed, Recovered, Replied, Shown
from core.session.session import Session
from core.session.setup import Setup
from core.session.snapshot import Snapshot, fold

MISSING = "this picture is missing: "
"""Prefix of the notice of a picture that was never drawn."""


class Follower:
    """A listener that keeps the newest snapshot and the failure that ended the run, and reports progress in lines.

    Attributes:
        snapshot: the newest snapshot; replaced by the session's thread, may be read by any.
        broken: the first failure that waits for an operator; None while there is none.
    """

    def __init__(self, session: Session, budget: Budget | None, say: Callable[[str], None], quiet: float):
        self.snapshot = Snapshot()
        self.broken: Failed | None = None
        self.replies = self.useless = 0
        """Number of language models' replies, and of those that hold nothing a planner could use."""
        self.missing: Counter[str] = Counter()
        """Number of pictures that the recording lacks, by reason."""
        self.lines = ProgressLines(say, self._line, quiet)
        self._session, self._budget, self._say = session, budget, self.lines.say
        self._zero = time.monotonic()
        """The time (`time.monotonic`) at which the session's clock stood at 0."""
        session.subscribe(self.on_event)

    def on_event(self, event: Event) -> None:
        """Takes one event. A failure that waits for an operator ends the run, because there is no operator."""
        self.snapshot = fold(self.snapshot, event)
        match event.what:
            case Began() as began:
                self._zero = time.monotonic() - event.at
                self._say(f"{began.planner} in {began.scene}, seed {began.seed}: {began.goal.text}")
                if self._session.preparing:
                    self._say(f"  {self._session.preparing}")
            case Acted(outcome=outcome):
                self._say(f"  {event.turn:3d}  {outcome.action}{'' if outcome.ok else f'   refused: {outcome.reason}'}")
            case Shown(facet=Frame() as frame) if frame.is_missing:
                self.missing[frame.notice.removeprefix(MISSING)] += 1
            case Replied(reply=reply) if reply.is_model:
                self._count(uselessness(reply))
            case Ended() if (left := self._session.pictures_left):
                self._say(f"  drawing {left} {'picture' if left == 1 else 'pictures'} that the recording still lacks")
            case Recovered(message=message):
                self._say(f"  {message}")
            case Failed(waits=True) as failed:
                self.broken = self.broken or failed
                self._session.post(Stop(self.broken.message))
            case Failed(message=message):
                self._say(f"  {message}")

    def _line(self) -> str:
        spent = None if self._budget is None else self._budget.spent
        now = time.monotonic() - self._zero
        return self._session.preparing or progress_line(self.snapshot, spent, now, self._session.pictures_left)

    def _count(self, useless: str) -> None:
        """Counts a reply, and reports the first useless one: a server that gives one often gives no other."""
        self.replies += 1
        self.useless += bool(useless)
        if useless and self.useless == 1:
            self._say(f"  warning: the model's reply is {useless}; the planner goes on as if it had said nothing")

    def close(self) -> None:
        """Reports what is wrong with the run as a whole."""
        if self.useless > 1:
            self._say(f"  warning: {self.useless} of {self.replies} replies of the model were empty or web pages")
        for why, count in self.missing.items():
            self._say(f"  warning: the recording lacks {count} {'picture' if count == 1 else 'pictures'}: {why}")


@dataclass(frozen=True, slots=True)
class Played:
    """A run that is over.

    Attributes:
        snapshot: its final snapshot.
        recording: the recording's file; not the requested one if that was deleted or damaged during the run.
        saved: how much of it is on disk, in words; empty without a recording.
        broken: the failure that ended it and that only an operator could resolve, such as a spent budget; None: nothing.
        signal: the number of the signal that ended it; None: none.
        cost: the cost of the model's replies, in the currency of the prices; None if a model has no price.
    """

    snapshot: Snapshot
    recording: Path | None = None
    saved: str = ""
    broken: Failed | None = None
    signal: int | None = None
    cost: float | None = None

    @property
    def spent_budget(self) -> bool:
        """True if a limit of calls, tokens or cost ended it."""
        return self.broken is not None and self.broken.kind == "budget"

    @property
    def stopped_by(self) -> str:
        """`budget`, a signal's name, or the part that failed (`model`, `simulator`, …); empty: the run ended by itself."""
        if self.signal is not None and (self.snapshot.ended is None or self.snapshot.ended.cut):
            return signal.Signals(self.signal).name
        if self.broken is not None:
            return "budget" if self.spent_budget else self.broken.part
        return ""

    def check(self) -> None:
        """Raises an error if the run ended early.

        Raises:
            DataError: it met a failure that only an operator could resolve.
            Interrupted: a signal ended it; the recording is complete.
        """
        if self.signal is not None:
            raise Interrupted(self.signal, self.saved)
        if self.broken is not None:
            raise DataError(f"the run stopped: {self.broken.message}")


def follow(setup: Setup, say: Callable[[str], None], record: Path | None = None, views: tuple[View, ...] = (), *,
           quiet: float = QUIET) -> Played:
    """Plays a run to its end, however it ends, and records it if a file is given.

    Args:
        setup: the parts of the run.
        say: receives progress, one line at a time; from two threads, never at once.
        record: the recording to write; None: none.
        views: the views to record of every turn. Pictures that a fast run left out are drawn after its end.
        quiet: seconds without a line after which one reports the state of the run.

    Raises:
        BelvedereError: the simulator cannot be opened, or the recording cannot be completed.
    """
    session = Session(setup)
    recorder = Recorder(record, session.report, secrets=setup.secrets) if record is not None else None
    if recorder is not None:
        session.subscribe(recorder.on_event)
        if views:
            session.post(KeepPictures(views))
    follower = Follower(session, setup.budget, say, quiet)
    with follower.lines:
        try:
            number = _played(session)
        except BaseException:
            _closed(recorder)
            raise
        finally:
            follower.close()
        saved = _closed(recorder)
    end, path = follower.snapshot, None if recorder is None else recorder.path
    return Played(end, path, saved, follower.broken, number, _cost(setup.budget, end))


def _played(session: Session) -> int | None:
    """Plays the session. Returns the number of the signal that ended it; None: none did."""
    def stop(number: int) -> None:
        name = signal.Signals(number).name
        session.post(Stop(STOPPED if name == "SIGINT" else f"stopped by {name}"))
        session.limit_pictures(PATIENCE / 2)

    came: list[int] = []
    try:
        with interruption.stopped(stop) as came:
            session.run()
    except Interrupted as late:
        return late.number
    return came[0] if came else None


def _cost(budget: Budget | None, run: Snapshot) -> float | None:
    """Returns the cost of the replies; None if it is unknown."""
    asked = {call.source for call in run.calls if call.reply is not None and call.reply.is_model}
    if budget is None or not asked:
        return 0.0
    return budget.spent.cost if all(budget.price(source) is not None for source in asked) else None


def _closed(recorder: Recorder | None) -> str:
    """Completes the recording; signals wait. Returns what was saved, in words."""
    if recorder is None:
        return ""
    with interruption.deferred():
        recorder.close()
    return f"{recorder.turns} {'turn is' if recorder.turns == 1 else 'turns are'} on disk in {recorder.path}"
