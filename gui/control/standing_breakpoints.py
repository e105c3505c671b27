"""The operator's breakpoints. They outlive a run: the next run begins with them."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QObject, Signal

from core.session import commands as c
from core.session import events as e
from core.session.snapshot import points_after


class StandingBreakpoints(QObject):
    """Follows the commands posted to runs, whether or not a run is under way.

    Attributes:
        points: breakpoints that are set, in the order they were set.
        disabled: those of them that do not stop a run.
    """

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.points: tuple[c.Breakpoint, ...] = ()
        self.disabled: frozenset[c.Breakpoint] = frozenset()

    def follow(self, command: c.Command) -> None:
        """Takes a command that is posted to a run, or would be if there was one."""
        if isinstance(command, c.SetBreakpoint | c.ClearBreakpoint | c.EnableBreakpoint):
            self._set(*points_after(self.points, self.disabled, command))

    def take_events(self, events: Iterable[e.Event]) -> None:
        """Takes events of a run: a breakpoint for one stop is removed once it was hit."""
        for event in events:
            if isinstance(event.what, e.BreakpointHit) and event.what.point.once:
                self.follow(c.ClearBreakpoint(event.what.point))

    def commands(self) -> tuple[c.Command, ...]:
        """Returns the commands that set these breakpoints in a new run."""
        return (*(c.SetBreakpoint(p) for p in self.points),
                *(c.EnableBreakpoint(p, enabled=False) for p in self.points if p in self.disabled))

    def _set(self, points: tuple[c.Breakpoint, ...], disabled: frozenset[c.Breakpoint]) -> None:
        if (points, disabled) != (self.points, self.disabled):
            self.points, self.disabled = points, disabled
            self.changed.emit()
