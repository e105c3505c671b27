"""The log of what is shown: the lines of a live run's events as they come, or those of a recording, read piece by piece."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice

from PySide6.QtCore import QObject, Signal

from core.session.event_lines import EventFormatter, Line
from core.session.events import Event, TurnBegan
from gui.control.background import BackgroundJobs
from gui.widgets import Namer

MOST = 50_000
"""Number of lines of a live run that are kept. A recording holds every event."""
PIECE = 1000
"""Number of events of a recording that are read at a time: a seek must not wait for more."""


class NamedLines:
    """Formats the events of one run, in order, with the names of things that are known by then."""

    def __init__(self) -> None:
        self._namer = Namer()
        self._formatter = EventFormatter(lambda action: self._namer.of(None).phrase(action),
                                         lambda entity: self._namer.of(None).display(entity))

    def of(self, events: Iterable[Event]) -> Iterator[Line]:
        """Yields the lines of more events."""
        for event in events:
            if isinstance(event.what, TurnBegan):
                self._namer.of(event.what.seen)
            line = self._formatter.format(event)
            if line is not None:
                yield line


class EventLog(QObject):
    """The lines of the run or recording that is shown. Those of a run are kept also while no log panel is open.

    The lines of a recording are read when they are first wanted.

    Attributes:
        lines: the lines of a live run, in order.
        recorded: the lines of the recording that is shown, as far as they are read; labels have none.
    """

    lines_added = Signal(object)
    """New lines of a live run, in order."""
    begun = Signal()
    """Another run begins or a recording is shown; the former lines are gone."""
    read_on = Signal()
    """More lines of the recording were read."""
    failed = Signal(object)
    """Why the lines of the recording cannot be read."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: deque[Line] = deque(maxlen=MOST)
        self.recorded: list[Line] = []
        self.total = 0
        """Number of lines of the live run so far, including those that are no longer kept."""
        self._named = NamedLines()
        self._begin_reading: Callable[[], None] | None = None

    def take_events(self, new_run: bool, events: Sequence[Event]) -> None:
        """Takes more events of a live run, on the GUI thread.

        Args:
            new_run: True if they belong to another run than before, or a recording is shown.
            events: the events since the last call, in order.
        """
        if new_run:
            self.lines.clear()
            self.total, self._named = 0, NamedLines()
            self.begun.emit()
        lines = tuple(self._named.of(events))
        if lines:
            self.lines.extend(lines)
            self.total += len(lines)
            self.lines_added.emit(lines)

    # --- recordings -----------------------------------------------------------
    def offer(self, events: Iterable[Event], jobs: BackgroundJobs, is_shown: Callable[[], bool]) -> None:
        """Takes a recording that is shown from now on.

        Args:
            events: yields its events that have words, without those about labels. It is used on the thread of `jobs` only.
            jobs: the queue of the thread that reads the file.
            is_shown: returns False once another one is shown, and the file may be closed.
        """
        lines = NamedLines().of(events)
        found: list[Line] = []
        self.recorded = found

        def read() -> None:
            jobs.do(lambda: list(islice(lines, PIECE)), take, self.failed.emit)

        def take(more: list[Line]) -> None:
            if self.recorded is found and is_shown() and more:
                found.extend(more)
                self.read_on.emit()
                read()

        self._begin_reading = read
        self.begun.emit()

    def want(self) -> None:
        """Begins to read the lines of the recording, unless that has begun."""
        begin, self._begin_reading = self._begin_reading, None
        if begin is not None:
            begin()
