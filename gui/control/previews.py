"""What a hand on something would change: asked of the planner as it moves, shown by panels, gone when it is let go."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from types import MappingProxyType

from PySide6.QtCore import QObject, QTimer, Signal

from core.common.parameters import Value
from core.planning.facets import Facet
from core.planning.what_if import Answer, WhatIf
from core.session.snapshot import Snapshot
from core.world.vocabulary import Action

QUESTION_MS = 30
"""Milliseconds between two questions: panels follow a hand at most so often, and more answers would only slow the window."""
NOT_REAL = "not part of the run"


class Previews(QObject):
    """The one preview of a window. It lives as long as the run stands still in the present and a hand is on something.

    Attributes:
        wonder: puts a question to the session in the place of the last; None: nothing is asked any more.
        snapshot: the present with what the planner would show; None while there is no preview.
    """

    changed = Signal()
    """`snapshot` is another."""
    let_go = Signal()
    """The operator took it back: whatever is dragged returns to where it was."""
    troubled = Signal(str)
    """Why there is no preview, in words."""

    def __init__(self) -> None:
        super().__init__()
        self.wonder: Callable[[WhatIf | None], None] = _nobody
        self.snapshot: Snapshot | None = None
        self._now, self._live = Snapshot(), True
        self._held = False
        self._words = self._asked_words = ""
        self._number, self._since, self._troubled = 0, 1, 0
        self._facets: tuple[Facet, ...] = ()
        self._banned: frozenset[Action] | None = None
        self._released_at: int | None = None
        self._where: tuple[object, ...] = ()
        self._question: WhatIf | None = None
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(QUESTION_MS)
        self._pause.timeout.connect(self._put)

    # --- the hand ------------------------------------------------------------
    def ask(self, words: str, *, edit: Facet | None = None, parameters: tuple[tuple[str, Value], ...] = (),
            banned: frozenset[Action] | None = None) -> None:
        """A hand moves: what if this were so? Nothing is asked of a run that goes on, or of the past."""
        if not self._held:
            self.clear()
            self._held, self._where = True, self._place()
        if self._live and self._now.status == "paused":
            self._number += 1
            self._asked_words, self._banned = words, banned
            self._question = WhatIf(self._number, edit, parameters, banned)
            if not self._pause.isActive():
                self._put()

    def _put(self) -> None:
        """Put the newest question; those within the next moment are put together at its end."""
        question, self._question = self._question, None
        if question is not None:
            self._pause.start()
            self.wonder(question)

    def release(self) -> None:
        """The hand let go, and an edit was said: the preview stays until the session speaks of it."""
        self._held = False
        self._withdraw()
        if self.snapshot is not None:
            self._released_at = self._now.event

    def cancel(self) -> bool:
        """Take back what is under the hand; whether there was anything."""
        if not self._held:
            return False
        self.clear()
        self.let_go.emit()
        return True

    def clear(self) -> None:
        """Show what was shown before; answers that are on their way are not heard any more."""
        self._held, self._released_at = False, None
        self._withdraw()
        if self.snapshot is not None:
            self.snapshot, self._facets, self._words = None, (), ""
            self.changed.emit()

    def _withdraw(self) -> None:
        if self._number >= self._since:
            self._since, self._question = self._number + 1, None
            self.wonder(None)

    # --- what it shows -------------------------------------------------------
    @property
    def words(self) -> str:
        """What the preview supposes; empty while there is none."""
        return self._words

    def hear_answer(self, answer: Answer) -> None:
        """What the planner would show, if it was asked by the hand that is on something now."""
        if answer.number < self._since or not self._live:
            return
        if answer.trouble:
            if self._troubled < self._since:  # once for each drag
                self._troubled = self._since
                self.troubled.emit(answer.trouble)
            return
        self._facets, self._words = answer.facets, self._asked_words
        self._show()

    def hear_snapshot(self, snapshot: Snapshot) -> None:
        """The newest of the run: a preview ends where the run goes on, and takes over new pictures of the same moment."""
        if snapshot is self._now:
            return
        self._now = snapshot
        answered = self._released_at is not None and snapshot.event > self._released_at
        if answered or ((self._held or self.snapshot is not None) and self._place() != self._where):
            self._end()
        elif self.snapshot is not None:
            self._show()

    def set_live(self, live: bool) -> None:
        """The present is shown, or the past, which has no preview."""
        self._live = live
        if not live:
            self._end()

    def _end(self) -> None:
        """The hand may stay where it is, but it asks about another moment from now on."""
        held = self._held
        self.clear()
        self._held, self._where = held, self._place()

    def _place(self) -> tuple[object, ...]:
        now = self._now
        return now.began, now.branch, now.turn, now.status

    def _show(self) -> None:
        now = self._now
        shown = {type(facet): (facet, now.moment) for facet in self._facets}
        banned = now.banned if self._banned is None else self._banned
        self.snapshot = replace(now, facets=MappingProxyType({**now.facets, **shown}), banned=banned)
        self.changed.emit()


def _nobody(question: WhatIf | None) -> None:
    """Without a run nobody answers."""
    del question
