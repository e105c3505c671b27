"""What-if previews: while the operator drags something, the planner is asked what it would show, and panels display that."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from types import MappingProxyType

from PySide6.QtCore import QObject, QTimer, Signal

from core.common.parameters import Value
from core.planning.facets import Facet
from core.planning.planner import Answer, WhatIf
from core.planning.simulation_facets import SimulationSteps
from core.session.snapshot import Snapshot
from core.world.vocabulary import Action

QUESTION_MS = 30
"""Shortest time between two questions, in milliseconds. Panels do not follow the pointer more often, and more answers would
slow the window."""
NOT_REAL = "not part of the run"


class Previews(QObject):
    """The one preview of a window. It exists while the run is paused in the present and the operator drags something.

    Attributes:
        ask_what_if: posts a what-if question to the session, replacing the last one; None withdraws it.
        snapshot: the present with the facets that the planner would show; None while there is no preview.
    """

    changed = Signal()
    """`snapshot` has changed."""
    cancelled = Signal()
    """The operator cancelled the drag: what is dragged returns to where it was."""
    troubled = Signal(str)
    """Why there is no preview, as text."""

    def __init__(self) -> None:
        super().__init__()
        self.ask_what_if: Callable[[WhatIf | None], None] = lambda question: None
        self.snapshot: Snapshot | None = None
        self._now, self._live = Snapshot(), True
        self._dragging = False
        self._words = self._asked_words = ""
        self._number, self._since, self._troubled = 0, 1, 0
        self._facets: tuple[Facet, ...] = ()
        self._banned: frozenset[Action] | None = None
        self._released_at: int | None = None
        self._where: tuple[object, ...] = ()
        self._question: WhatIf | None = None
        self._pause = QTimer(self, singleShot=True, interval=QUESTION_MS)
        self._pause.timeout.connect(self._put)

    # --- the drag ------------------------------------------------------------
    def ask(self, words: str, *, edit: Facet | None = None, parameters: tuple[tuple[str, Value], ...] = (),
            banned: frozenset[Action] | None = None, repeat: int = -1) -> None:
        """Asks what the planner would show with this change. Does nothing while the run goes on or the past is shown.

        Args:
            words: describes the change.
            edit: the edited facet, if one is dragged.
            parameters: (name, value) of changed parameters.
            banned: the banned actions, or None if they are unchanged.
            repeat: the number of a simulation to be repeated step by step, or -1.
        """
        if not self._dragging:
            self.clear()
            self._dragging, self._where = True, self._place()
        if self._live and self._now.status == "paused":
            self._number += 1
            self._asked_words, self._banned = words, banned
            self._question = WhatIf(self._number, edit, parameters, banned, repeat=repeat)
            if not self._pause.isActive():
                self._put()

    def _put(self) -> None:
        """Posts the newest question. Questions within the next `QUESTION_MS` are merged into one at its end."""
        question, self._question = self._question, None
        if question is not None:
            self._pause.start()
            self.ask_what_if(question)

    def release(self) -> None:
        """Ends the drag after its edit was posted. The preview stays until the session reports a new event."""
        self._dragging = False
        self._withdraw()
        if self.snapshot is not None:
            self._released_at = self._now.event

    def cancel(self) -> bool:
        """Cancels the drag. Returns True if there was one."""
        if not self._dragging:
            return False
        self.clear()
        self.cancelled.emit()
        return True

    def clear(self) -> None:
        """Ends the preview. Answers that arrive later are ignored."""
        self._dragging, self._released_at = False, None
        self._withdraw()
        if self.snapshot is not None:
            self.snapshot, self._facets, self._words = None, (), ""
            self.changed.emit()

    def _withdraw(self) -> None:
        if self._number >= self._since:
            self._since, self._question = self._number + 1, None
            self.ask_what_if(None)

    # --- what it shows -------------------------------------------------------
    @property
    def words(self) -> str:
        """Describes the change that the preview assumes; empty while there is none."""
        return self._words

    @property
    def title(self) -> str:
        """What panels show, as the text of their headers; empty while there is no preview."""
        if not self._words or any(isinstance(facet, SimulationSteps) for facet in self._facets):
            return self._words
        return f"Preview: what if {self._words}"

    def take_answer(self, answer: Answer) -> None:
        """Takes an answer of the planner, if it belongs to the present drag."""
        if answer.number < self._since or not self._live:
            return
        if answer.trouble:
            if self._troubled < self._since:  # once for each drag
                self._troubled = self._since
                self.troubled.emit(answer.trouble)
            return
        self._facets, self._words = answer.facets, self._asked_words
        self._show()

    def take_snapshot(self, snapshot: Snapshot) -> None:
        """Takes the newest snapshot. The preview ends if the run goes on; new pictures of the same moment are added to it."""
        if snapshot is self._now:
            return
        self._now = snapshot
        answered = self._released_at is not None and snapshot.event > self._released_at
        if answered or ((self._dragging or self.snapshot is not None) and self._place() != self._where):
            self._end()
        elif self.snapshot is not None:
            self._show()

    def set_live(self, live: bool) -> None:
        """Sets whether the present is shown. The past has no preview."""
        self._live = live
        if not live:
            self._end()

    def _end(self) -> None:
        """Ends the preview but keeps the drag, which from now on asks about the new moment."""
        dragging = self._dragging
        self.clear()
        self._dragging, self._where = dragging, self._place()

    def _place(self) -> tuple[object, ...]:
        now = self._now
        return now.began, now.branch, now.turn, now.status

    def _show(self) -> None:
        now = self._now
        shown = {type(facet): (facet, now.moment) for facet in self._facets}
        banned = now.banned if self._banned is None else self._banned
        self.snapshot = replace(now, facets=MappingProxyType({**now.facets, **shown}), banned=banned)
        self.changed.emit()
