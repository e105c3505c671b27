"""A facet that the operator can edit: what a panel shows of it, and what an edit starts from."""

from __future__ import annotations

from typing import Generic, TypeVar, cast

from core.planning.facets import Facet
from core.session.commands import Edit
from core.session.snapshot import Snapshot
from gui.control.context import Context

F = TypeVar("F", bound=Facet)


class EditableFacet(Generic[F]):
    """The facet to display: the operator's pending edit if there is one, otherwise the session's latest.

    Edits, undo and redo start from `now`, which is read from the run itself: a hidden panel receives no snapshots, and a
    panel
    that looks at the past shows an older one. All panels share the edits that the session has not answered yet.
    """

    def __init__(self, context: Context, kind: type[F]):
        self._context, self._kind = context, kind
        self._heard = Snapshot()
        self._lagging: F | None = None

    def hear(self, snapshot: Snapshot) -> None:
        """Takes the snapshot that the panel shows, of the present or the past."""
        self._heard = snapshot

    @property
    def told(self) -> F | None:
        """The facet that the session or recording reported at the moment shown."""
        return self._heard.facet(self._kind)

    @property
    def shown(self) -> F | None:
        """The facet to display: of the past the recorded one, otherwise the operator's pending edit or the newest."""
        told, said = self.told, self._context.pending_edits.of(self._kind)
        if told is None or said is None or not self._context.live or not (told is said.of or told is self._lagging):
            return told
        return cast(F, said.edited)

    @property
    def now(self) -> F | None:
        """The facet that an edit starts from, or None if the run shows none now."""
        newest, said = self._context.newest(self._heard).facet(self._kind), self._context.pending_edits.of(self._kind)
        return cast(F, said.edited) if newest is not None and said is not None and newest is said.of else newest

    def say(self, edited: F, why: str) -> None:
        """Posts an edit to the session."""
        newest = self._context.newest(self._heard).facet(self._kind)
        if newest is not None:
            self._lagging = self.told  # older than the newest one if the panel has not been shown that yet
            self._context.pending_edits.expect(edited, newest)
        self._context.post(Edit(edited, why))
