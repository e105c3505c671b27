"""A facet under an operator's hand: what a panel shows of it, and what an edit is made to."""

from __future__ import annotations

from typing import Generic, TypeVar, cast

from core.planning.facets import Facet
from core.session.commands import Edit
from core.session.snapshot import Snapshot
from gui.control.context import Context

F = TypeVar("F", bound=Facet)


class EditableFacet(Generic[F]):
    """The facet to display: the operator's pending edit if there is one, otherwise the session's latest.

    Edits, their undoing and redoing are made to `now`, which is asked of the run: a panel that is hidden is shown nothing
    meanwhile, and one that looks at the past shows something else. All panels share what was said and not answered yet.
    """

    def __init__(self, context: Context, kind: type[F]):
        self._context, self._kind = context, kind
        self._heard = Snapshot()
        self._lagging: F | None = None

    def hear(self, snapshot: Snapshot) -> None:
        """What the panel is to show, of the present or the past."""
        self._heard = snapshot

    @property
    def told(self) -> F | None:
        """What the session, or the recording, said at the moment that is shown."""
        return self._heard.facet(self._kind)

    @property
    def shown(self) -> F | None:
        """What is to be seen: of the past what was told then, of the present the operator's edit until it is answered."""
        told, said = self.told, self._context.pending_edits.of(self._kind)
        if told is None or said is None or not self._context.live or not (told is said.of or told is self._lagging):
            return told
        return cast(F, said.edited)

    @property
    def now(self) -> F | None:
        """What an edit is made to; None where there is none any more."""
        newest, said = self._context.newest(self._heard).facet(self._kind), self._context.pending_edits.of(self._kind)
        return cast(F, said.edited) if newest is not None and said is not None and newest is said.of else newest

    def say(self, edited: F, why: str) -> None:
        """Tell the session."""
        newest = self._context.newest(self._heard).facet(self._kind)
        if newest is not None:
            self._lagging = self.told  # older than the newest where the panel was not shown that yet
            self._context.pending_edits.expect(edited, newest)
        self._context.post(Edit(edited, why))
