"""A run that nobody steers: progress in words, the end as a snapshot."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from core.commands import KeepPictures, Stop
from core.errors import DataError
from core.events import Acted, Began, Ended, Event, Failed, Recovered
from core.facets import View
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
            case Ended() if (left := self._session.pictures_left):
                self._say(f"  drawing {left} {'picture' if left == 1 else 'pictures'} that the recording still lacks")
            case Recovered(message=message):
                self._say(f"  {message}")
            case Failed(waits=True) as failed:
                self.broken = failed
                self._session.post(Stop())
            case Failed(message=message):
                self._say(f"  {message}")


def follow(setup: Setup, say: Callable[[str], None], record: Path | None = None,
           views: tuple[View, ...] = ()) -> Snapshot:
    """Play a run to its end, and write it down if asked to.

    Args:
        setup: what the run is made of.
        say: hears progress, a line at a time.
        record: the recording to write; None: none.
        views: views to record of every turn. What a fast run left out is drawn after its end.

    Raises:
        DataError: it broke on something only an operator could mend.
    """
    session = Session(setup)
    recorder = Recorder(record, session.report) if record is not None else None
    if recorder is not None:
        session.subscribe(recorder.hear)
        if views:
            session.post(KeepPictures(views))
    follower = Follower(session, say)
    try:
        session.run()
    finally:
        if recorder is not None:
            recorder.close()
    if follower.broken is not None:
        raise DataError(f"the run stopped: {follower.broken.message}")
    return follower.snapshot
