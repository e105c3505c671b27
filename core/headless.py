"""A run that nobody steers: progress in words, the end as a snapshot."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from core import interruption
from core.commands import Stop
from core.errors import DataError
from core.events import Acted, Began, Event, Failed, Recovered
from core.interruption import Interrupted
from core.recording.recorder import Recorder
from core.session import Session, Setup
from core.snapshot import Snapshot, fold


class Follower:
    """Keeps the newest snapshot and what the run broke on, and says what happens in lines."""

    def __init__(self, session: Session, say: Callable[[str], None]):
        self.snapshot = Snapshot()
        self.broken: Failed | None = None
        self._session, self._say = session, say
        session.subscribe(self.hear)

    def hear(self, event: Event) -> None:
        """One event. A failure that waits for an operator ends the run: there is none here."""
        self.snapshot = fold(self.snapshot, event)
        match event.what:
            case Began() as began:
                self._say(f"{began.planner} in {began.scene}, seed {began.seed}: {began.goal.text}")
            case Acted(outcome=outcome):
                self._say(f"  {event.turn:3d}  {outcome.action}{'' if outcome.ok else f'   refused: {outcome.reason}'}")
            case Recovered(message=message):
                self._say(f"  {message}")
            case Failed(waits=True) as failed:
                self.broken = failed
                self._session.post(Stop())
            case Failed(message=message):
                self._say(f"  {message}")


@dataclass(frozen=True, slots=True)
class Played:
    """A run that is over.

    Attributes:
        snapshot: its end.
        recording: where its recording is; another file than was asked for if that one was deleted or damaged meanwhile.
    """

    snapshot: Snapshot
    recording: Path | None


def follow(setup: Setup, say: Callable[[str], None], record: Path | None = None) -> Played:
    """Play a run to its end, and write it down if asked to.

    Args:
        setup: the run.
        say: hears lines of progress.
        record: the recording's file.

    Raises:
        DataError: it broke on something only an operator could mend, or the recording could not be finished.
        Interrupted: a signal ended it; the recording is whole.
    """
    session = Session(setup)
    recorder = Recorder(record, session.report) if record is not None else None
    if recorder is not None:
        session.subscribe(recorder.hear)
    follower = Follower(session, say)
    came: list[int] = []
    try:
        with interruption.stopped(lambda: session.post(Stop())) as came:
            session.run()
    except Interrupted as late:
        raise Interrupted(late.number, _closed(recorder)) from late
    except BaseException:
        _closed(recorder)
        raise
    saved = _closed(recorder)
    if came:
        raise Interrupted(came[0], saved)
    if follower.broken is not None:
        raise DataError(f"the run stopped: {follower.broken.message}")
    return Played(follower.snapshot, recorder.path if recorder is not None else None)


def _closed(recorder: Recorder | None) -> str:
    """Finish the recording; signals wait. Returns what was saved, in words."""
    if recorder is None:
        return ""
    with interruption.deferred():
        recorder.close()
    return f"{recorder.turns} {'turn is' if recorder.turns == 1 else 'turns are'} on disk in {recorder.path}"
