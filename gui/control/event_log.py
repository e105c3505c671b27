"""The log lines of a live run. They are kept from its first event on, also while no log panel is open."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal

from core.session.events import Event, TurnBegan
from core.world.vocabulary import Action
from gui.control.event_formatter import EventFormatter, Line
from gui.widgets import Namer

MOST = 50_000
"""Number of lines kept. A recording holds every event."""


class EventLog(QObject):
    """Formats the events of a live run. Receives each event once, in order, on the GUI thread."""

    lines_added = Signal(object)
    """New lines, in order."""
    begun = Signal()
    """Another run begins or a recording is shown; the former lines are gone."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: deque[Line] = deque(maxlen=MOST)
        self.total = 0
        """Number of lines so far, including those that are no longer kept."""
        self._namer = Namer()
        self._formatter = self._new_formatter()

    def take_events(self, new_run: bool, events: Sequence[Event]) -> None:
        """Takes more events.

        Args:
            new_run: True if they belong to another run than before, or a recording is shown.
            events: the events since the last call, in order.
        """
        if new_run:
            self.lines.clear()
            self.total, self._formatter = 0, self._new_formatter()
            self.begun.emit()
        lines = tuple(line for event in events if (line := self._line(event)) is not None)
        if lines:
            self.lines.extend(lines)
            self.total += len(lines)
            self.lines_added.emit(lines)

    def _line(self, event: Event) -> Line | None:
        if isinstance(event.what, TurnBegan):
            self._namer.of(event.what.seen)
        return self._formatter.format(event)

    def _new_formatter(self) -> EventFormatter:
        self._namer = Namer()
        return EventFormatter(self._phrase, lambda thing: self._namer.of(None).display(thing))

    def _phrase(self, action: Action) -> str:
        return self._namer.of(None).phrase(action)
