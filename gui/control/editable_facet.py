"""Facets that the operator edits: what a panel shows of one, what an edit starts from, and edits not answered yet."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Generic, TypeVar, cast

from PySide6.QtGui import QUndoCommand

from core.planning.facets import Facet
from core.session.commands import Edit
from core.session.events import CommandTaken, Event, Rewound, Switched
from core.session.snapshot import Snapshot

if TYPE_CHECKING:
    from gui.control.context import Context

F = TypeVar("F", bound=Facet)


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


class EditableFacet(Generic[F]):
    """The facet to display: the operator's pending edit if there is one, otherwise the session's latest.

    Edits, undo and redo start from `current`, which is read from the run itself: a hidden panel receives no snapshots, and a
    panel that looks at the past shows an older one. All panels share the edits that the session has not answered yet.

    Args:
        context: gives the undo stack, the newest snapshot and the pending edits.
        kind: the kind of facet.
        redraw: shows the facet again after an edit.
    """

    def __init__(self, context: Context, kind: type[F], redraw: Callable[[], None] = lambda: None):
        self._context, self._kind, self._redraw = context, kind, redraw
        self._snapshot = Snapshot()
        self._edited_from: F | None = None

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Takes the snapshot that the panel shows, of the present or the past."""
        self._snapshot = snapshot

    @property
    def reported(self) -> F | None:
        """The facet that the session or recording reported at the moment shown."""
        return self._snapshot.facet(self._kind)

    @property
    def shown(self) -> F | None:
        """The facet to display: of the past the recorded one, otherwise the operator's pending edit or the newest."""
        reported, pending = self.reported, self._context.pending_edits.of(self._kind)
        if reported is None or pending is None or not self._context.live:
            return reported
        return cast(F, pending.edited) if reported is pending.of or reported is self._edited_from else reported

    @property
    def current(self) -> F | None:
        """The facet that an edit starts from, or None if the run shows none now."""
        newest = self._context.newest(self._snapshot).facet(self._kind)
        pending = self._context.pending_edits.of(self._kind)
        return cast(F, pending.edited) if newest is not None and pending is not None and newest is pending.of else newest

    def post_edit(self, edited: F, why: str) -> None:
        """Posts an edit to the session."""
        newest = self._context.newest(self._snapshot).facet(self._kind)
        if newest is not None:
            self._edited_from = self.reported  # older than the newest one if the panel has not been shown that yet
            self._context.pending_edits.expect(edited, newest)
        self._context.post(Edit(edited, why))

    def push_edit(self, words: str, there: Callable[[F], F | None], back: Callable[[F], F | None]) -> None:
        """Makes an edit that can be undone. Does nothing while the past is shown.

        Undo and redo change only their part of the newest facet. What the planner has changed elsewhere since then is kept.

        Args:
            words: describe the edit, for the undo list and the log.
            there: returns a facet with the edit, or None if it no longer has what is edited.
            back: returns a facet without the edit, or None.
        """
        if self._context.live:
            self._context.undo.push(_FacetStep(words, partial(self._apply, there), partial(self._apply, back)))

    def _apply(self, change: Callable[[F], F | None], why: str) -> bool:
        """Posts the newest facet with a change. Returns False if it cannot be changed."""
        newest = self.current
        edited = change(newest) if newest is not None else None
        if edited is not None:
            self.post_edit(edited, why)
            self._redraw()
        return edited is not None


class _FacetStep(QUndoCommand):
    """An edit of a facet on the undo stack. `there` and `back` take the reason and return False if the edit is obsolete."""

    def __init__(self, words: str, there: Callable[[str], bool], back: Callable[[str], bool]):
        super().__init__(words)
        self._there, self._back = there, back

    def redo(self) -> None:
        """Makes the edit."""
        self.setObsolete(not self._there(self.text()))

    def undo(self) -> None:
        """Takes the edit back."""
        self.setObsolete(not self._back(f"undo: {self.text()}"))
