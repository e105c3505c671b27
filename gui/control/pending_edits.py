"""Edits that were sent to the session and that it has not answered with a new facet yet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.planning.facets import Facet
from core.session.commands import Edit
from core.session.events import CommandTaken, Event, Rewound, Switched


@dataclass(frozen=True, slots=True)
class Pending:
    """An edit, and the session's facet that it changes. It is displayed until the session shows another facet."""

    edited: Facet
    of: Facet


class PendingEdits:
    """The last edit of each kind of facet, for the present run and branch. Used on the GUI thread only."""

    def __init__(self) -> None:
        self._pending: dict[type[Facet], Pending] = {}

    def of(self, kind: type[Facet]) -> Pending | None:
        """The pending edit of a kind, or None."""
        return self._pending.get(kind)

    def expect(self, edited: Facet, of: Facet) -> None:
        """Stores an edit of the facet `of` that was sent."""
        self._pending[type(edited)] = Pending(edited, of)

    def take_events(self, new_run: bool, events: Sequence[Event]) -> None:
        """Takes more events. Edits are dropped if the run goes back; a fork keeps them.

        Args:
            new_run: True if the events belong to another run than before.
            events: the events since the last call, in order.
        """
        if new_run:
            self._pending.clear()
        for event in events:
            match event.what:
                case Switched() | Rewound(present=False):
                    self._pending.clear()
                case CommandTaken(ok=False, command=Edit(facet=facet)):
                    self._forget(facet)
                case _:
                    pass

    def _forget(self, refused: Facet) -> None:
        pending = self._pending.get(type(refused))
        if pending is not None and pending.edited is refused:
            del self._pending[type(refused)]
