"""The machine code of the search, as a run waits for it: how far it is, and why there is none."""

from __future__ import annotations

from core.search.compilation.preparation import Preparation, preparation
from core.session.event_bus import EventBus
from core.session.events import Failed


class SearchCode:
    """Prepares the machine code beside a run whose planner searches, and reports once if there will be none."""

    def __init__(self, bus: EventBus):
        self._bus = bus
        self._preparation: Preparation | None = None
        """None if no planner searches, or once its end was reported."""

    def prepare(self) -> None:
        """Begins, if this process has not begun yet. Nothing waits for it."""
        self._preparation = found = preparation()
        self._bus.clock.is_compiling = lambda: not found.is_over

    @property
    def words(self) -> str:
        """How far it is, such as `compiling the search: 1 of 3 parts, about 6 s left`; or empty. Safe from any thread."""
        found = self._preparation
        return "" if found is None else found.words

    def report(self) -> None:
        """Reports once why the search is slower than it could be, if it is, as soon as that is known."""
        found = self._preparation
        if found is not None and found.is_over:
            self._preparation = self._bus.clock.is_compiling = None
            if found.note:
                self._bus.emit(Failed("planner", "slower", found.note, waits=False))
