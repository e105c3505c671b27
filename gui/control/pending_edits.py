"""Edits that were sent to the session, until it shows what it made of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.planning.facets import Facet
from core.session.commands import Edit
from core.session.events import CommandTaken, Event, Rewound, Switched


@dataclass(frozen=True, slots=True)
class Pending:
    """An edit, and the session's facet it is an edit of: it counts until the session shows another."""

    edited: Facet
    of: Facet


class PendingEdits:
    """The last edit of each kind of facet, of the present run and line. Lives on the GUI thread."""

    def __init__(self) -> None:
        self._pending: dict[type[Facet], Pending] = {}

    def of(self, kind: type[Facet]) -> Pending | None:
        """The pending edit of a kind."""
        return self._pending.get(kind)

    def expect(self, edited: Facet, of: Facet) -> None:
        """This edit of a facet was sent."""
        self._pending[type(edited)] = Pending(edited, of)

    def hear(self, anew: bool, events: Sequence[Event]) -> None:
        """More events; `anew`: of another run than before. Edits do not follow where the run goes back; a fork keeps them."""
        if anew:
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
