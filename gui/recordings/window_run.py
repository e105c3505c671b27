"""One run of this window, from its first event until its file is saved or removed."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from core.app.run_request import Request
from core.session.commands import Command
from core.session.events import Event
from core.session.run_summary import RunSummary, summarised
from gui.control.recording_files import RecordingFiles
from gui.control.runner import SessionListener

if TYPE_CHECKING:
    from core.recording.files import FinishedRun
    from core.recording.recorder import Autosave, Recorder
    from core.session.event_bus import Writing
    from core.session.session import Session


class WindowRun(SessionListener):
    """Writes a session's events to a file and remembers what happened to the file.

    `hear` and `leave` are called on the session's thread, all else on the GUI thread. Attributes are replaced, never changed in
    place.

    Attributes:
        number: counts from 1 in this window.
        request: the run's request when it began.
        wanted: False after the operator chose to go on without recording: recording does not start again by itself.
        over: whether its session has ended.
        saved: the recording that contains the whole run, if there is one.
        kept: the autosave, once the session has ended.
        removed: whether the operator removed it from the list; its autosave is deleted when the window closes.
    """

    def __init__(self, number: int, request: Request, session: Session, files: RecordingFiles,
                 ended: Callable[[WindowRun], None]):
        self.number, self.request, self.began = number, request, datetime.now().astimezone()
        self._live: tuple[Session, Autosave] | None = (session, files.autosave(session))
        """None once the session has ended: its planner, history and world must not stay in memory with the list of runs."""
        self.summary = RunSummary()
        self.wanted, self.over, self.removed = True, False, False
        self.saved: Path | None = None
        self.kept: FinishedRun | None = None
        self._whole: tuple[int, int, int] | None = None
        self._ended, self._finishing = ended, threading.Lock()

    def hear(self, event: Event) -> Writing | None:
        """Writes an event. The returned object tells when it is on disk."""
        self.summary = summarised(self.summary, event)
        return self._live[1].on_event(event) if self._live is not None else None

    def leave(self) -> None:
        """Completes the file when the session is over."""
        self._ended(self)

    def post(self, command: Command) -> None:
        """Posts a command to the session if it has not ended."""
        if (live := self._live) is not None:
            live[0].post(command)

    @property
    def pictures_left(self) -> int:
        """Number of pictures of its recording that are not drawn yet."""
        return live[0].pictures_left if (live := self._live) is not None else 0

    # --- its file ------------------------------------------------------------
    @property
    def recorder(self) -> Recorder | None:
        """The recorder, or None if recording is off."""
        return live[1].recorder if (live := self._live) is not None else None

    def record(self, path: Path) -> Recorder | None:
        """Starts recording, beginning with the first turn. A run that has just ended is saved there, and None is returned.

        Raises:
            DataError: the file exists already or cannot be created.
        """
        with self._finishing:
            if (live := self._live) is not None:
                return live[1].record(path)
            self.save(path)
            return None

    def stop_recording(self) -> None:
        """Ends the recording; the run goes on.

        Raises:
            DataError: not everything could be written.
        """
        live, recorder, size = self._live, self.recorder, self._size()
        path = recorder.path if recorder is not None else None
        if live is not None:
            live[1].stop()
        if path is not None:
            self.saved, self._whole = path, size

    def finish(self) -> None:
        """Completes the recording, or keeps the autosave if the run has content. May be called twice.

        Raises:
            DataError: not everything could be written.
        """
        with self._finishing:
            if not self.over:
                try:
                    self._finish()
                finally:
                    self.over, self._live = True, None

    def _finish(self) -> None:
        if self._live is None:
            return
        autosave = self._live[1]
        is_whole = self.saved is not None and self._whole == self._size()  # nothing came after the recording was stopped
        self.kept = autosave.close(keep=not is_whole and self.summary.is_worth_keeping)
        if autosave.path is not None:  # read after the end: a recording may start on another thread until then
            self.saved = autosave.path
        elif not is_whole:
            self.saved = None

    def _size(self) -> tuple[int, int, int]:
        return self.summary.turns, self.summary.acts, self.summary.labels

    @property
    def is_listed(self) -> bool:
        """Whether the run can be viewed."""
        return not self.removed and (not self.over or self.path is not None)

    @property
    def is_unsaved(self) -> bool:
        """Whether deleting its autosave would lose something."""
        return not self.removed and self.saved is None and self.summary.is_worth_keeping

    @property
    def path(self) -> Path | None:
        """The file it can be opened from; None while its session goes on."""
        if not self.over:
            return None
        return self.saved or (self.kept.path if self.kept is not None else None)

    def save(self, path: Path) -> Path:
        """Makes a recording of the autosave.

        Raises:
            DataError: the name is taken, or the file cannot be moved.
        """
        if self.kept is not None and self.saved is None:
            self.saved, self.kept = self.kept.save(path), None
        return self.saved or path

    def delete(self) -> None:
        """Deletes the autosave, if there is one. A recording stays.

        Raises:
            DataError: it cannot be deleted.
        """
        kept, self.kept = self.kept, None
        if kept is not None:
            kept.remove()
