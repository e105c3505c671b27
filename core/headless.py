"""A run that nobody steers: progress in words, the end as a snapshot."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from core import interruption
from core.commands import KeepPictures, Stop
from core.errors import DataError
from core.events import Acted, Began, Ended, Event, Failed, Recovered, Replied
from core.facets import View
from core.interruption import Interrupted
from core.language.reply_checks import uselessness
from core.recording.recorder import Recorder
from core.session import Session, Setup
from core.snapshot import Snapshot, fold


class Follower:
    """Keeps the newest snapshot and what the run broke on, and says what happens in lines."""

    def __init__(self, session: Session, say: Callable[[str], None]):
        self.snapshot = Snapshot()
        self.broken: Failed | None = None
        self.replies = self.useless = 0
        """Of language models: all replies, and those that hold nothing a planner could use."""
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
            case Replied(reply=reply) if reply.is_model:
                self._count(uselessness(reply))
            case Ended() if (left := self._session.pictures_left):
                self._say(f"  drawing {left} {'picture' if left == 1 else 'pictures'} that the recording still lacks")
            case Recovered(message=message):
                self._say(f"  {message}")
            case Failed(waits=True) as failed:
                self.broken = failed
                self._session.post(Stop())
            case Failed(message=message):
                self._say(f"  {message}")

    def _count(self, useless: str) -> None:
        """Say it once when a reply is useless: a server that gives one often gives no other."""
        self.replies += 1
        self.useless += bool(useless)
        if useless and self.useless == 1:
            self._say(f"  warning: the model's reply is {useless}; the planner goes on as if it had said nothing")

    def close(self) -> None:
        """Say how often it happened, where that was more than once."""
        if self.useless > 1:
            self._say(f"  warning: {self.useless} of {self.replies} replies of the model were empty or web pages")


@dataclass(frozen=True, slots=True)
class Played:
    """A run that is over.

    Attributes:
        snapshot: its end.
        recording: where its recording is; another file than was asked for if that one was deleted or damaged meanwhile.
    """

    snapshot: Snapshot
    recording: Path | None


def follow(setup: Setup, say: Callable[[str], None], record: Path | None = None,
           views: tuple[View, ...] = ()) -> Played:
    """Play a run to its end, and write it down if asked to.

    Args:
        setup: what the run is made of.
        say: hears progress, a line at a time.
        record: the recording to write; None: none.
        views: views to record of every turn. What a fast run left out is drawn after its end.

    Raises:
        DataError: it broke on something only an operator could mend, or the recording could not be finished.
        Interrupted: a signal ended it; the recording is whole.
    """
    session = Session(setup)
    recorder = Recorder(record, session.report, secrets=setup.secrets) if record is not None else None
    if recorder is not None:
        session.subscribe(recorder.hear)
        if views:
            session.post(KeepPictures(views))
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
    finally:
        follower.close()
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
