"""What-if questions of the operator, answered while the run stands still: of a copy of the planner, beside the run's events."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from core.planning.facets import Facet
from core.planning.what_if import Answer, WhatIf
from core.session.command_handler import CommandHandler
from core.session.commands import Command
from core.session.inbox import Inbox, Item, WhatIfAsked
from core.world.vocabulary import Observation

Hear = Callable[[Answer], None]


class Previews:
    """Answers the newest question; those before it that were not answered yet are dropped.

    Only while the run is paused within a decision: the world and the planner stand still then. What arrives meanwhile is taken
    at every checkpoint of the planner's copy.
    """

    def __init__(self, inbox: Inbox, handler: CommandHandler, observed: Callable[[], Observation]):
        """`observed`: what the planner is given to see at this moment."""
        self._inbox, self._handler, self._observed = inbox, handler, observed
        self._asked: WhatIf | None = None
        self._answered: WhatIf | None = None
        self._hear: list[Hear] = []
        self._open = self._busy = False

    def ask(self, question: WhatIf | None) -> None:
        """Put a question in the place of the last; None: nothing is asked any more. Safe from any thread."""
        self._asked = question
        if question is not None:
            self._inbox.put(WhatIfAsked())

    def subscribe(self, hear: Hear) -> None:
        """Hear answers, on the session's thread."""
        self._hear.append(hear)

    @contextmanager
    def open(self, handle: Callable[[Item], None]) -> Iterator[None]:
        """The run stands still inside. What was asked before is answered at once."""
        self._open, self._answered = True, None
        try:
            self.answer(handle)
            yield
        finally:
            self._open = False

    def answer(self, handle: Callable[[Item], None]) -> None:
        """Answer what is asked, where the run stands still; `handle` takes what arrives meanwhile."""
        if self._busy:
            return  # it was asked while another question is being answered, which goes on to this one
        self._busy = True
        try:
            while self._may_answer and (question := self._asked) is not None and question is not self._answered:
                self._answered = question
                self._think(question, handle)
        finally:
            self._busy = False

    @property
    def _may_answer(self) -> bool:
        pause_control = self._handler.pause_control
        return self._open and pause_control.paused and pause_control.playing and not self._handler.interrupted()

    def _think(self, question: WhatIf, handle: Callable[[Item], None]) -> None:
        """Answer one question, until another is asked or the operator does something."""
        for facets in self._facets(question):
            self._tell(Answer(question.number, facets))
            if self._take_all(handle):
                self._answered = None  # the planner may be another now: asked again while the run stands still
                return
            if self._asked is None or (facets and self._asked is not question):
                return

    def _facets(self, question: WhatIf) -> Iterator[tuple[Facet, ...]]:
        try:
            planner = copy.deepcopy(self._handler.planner)
            yield from planner.what_if(question, self._observed())
        except Exception as error:  # noqa: BLE001 - a planner's bug in a preview must not touch the run
            self._tell(Answer(question.number, trouble=f"{self._handler.planner.name} cannot preview this: {error}"))

    def _take_all(self, handle: Callable[[Item], None]) -> bool:
        """Handle what has arrived; whether a command was among it."""
        commanded = False
        while not self._handler.interrupted() and (item := self._inbox.take(0)) is not None:
            handle(item)
            commanded = commanded or isinstance(item, Command)
        return commanded

    def _tell(self, answer: Answer) -> None:
        for hear in self._hear:
            hear(answer)
