"""A live run in lines, as it happens: kept from its first event on, whether or not anybody looks at the log."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal

from core.session.events import Event, TurnBegan
from core.world.vocabulary import Action
from gui.control.event_formatter import EventFormatter, Line
from gui.widgets import Namer

MOST = 50_000
"""Lines kept: nobody scrolls through more, and a recording holds every event."""


class EventLog(QObject):
    """Told the events of a live run in order and each once, on the GUI thread."""

    told = Signal(object)
    """New lines, in order."""
    begun = Signal()
    """Another run begins, or a recording is shown: the lines of before are gone."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: deque[Line] = deque(maxlen=MOST)
        self.total = 0
        """Lines that came, those that are not kept any more included."""
        self._namer = Namer()
        self._teller = self._anew()

    def hear(self, anew: bool, events: Sequence[Event]) -> None:
        """More events; `anew`: of another run than before, or of none."""
        if anew:
            self.lines.clear()
            self.total, self._teller = 0, self._anew()
            self.begun.emit()
        lines = tuple(line for event in events if (line := self._line(event)) is not None)
        if lines:
            self.lines.extend(lines)
            self.total += len(lines)
            self.told.emit(lines)

    def _line(self, event: Event) -> Line | None:
        if isinstance(event.what, TurnBegan):
            self._namer.of(event.what.seen)
        return self._teller.tell(event)

    def _anew(self) -> EventFormatter:
        self._namer = Namer()
        return EventFormatter(self._phrase, lambda thing: self._namer.of(None).display(thing))

    def _phrase(self, action: Action) -> str:
        return self._namer.of(None).phrase(action)
