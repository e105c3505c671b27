"""Answers the operator's what-if questions while the run is paused, from a copy of the planner and without events."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from core.planning.facets import Facet
from core.planning.planner import Answer, WhatIf
from core.session.command_handler import CommandHandler
from core.session.commands import Command
from core.session.inbox import Inbox, Item, WhatIfAsked
from core.world.vocabulary import Observation

AnswerListener = Callable[[Answer], None]


class Previews:
    """Answers the newest question. Older questions that have no answer yet are dropped.

    Questions are answered only while the run is paused within a decision, because then neither the simulator nor the planner
    changes. The inbox is emptied at every checkpoint of the planner's copy.
    """

    def __init__(self, inbox: Inbox, handler: CommandHandler, observed: Callable[[], Observation]):
        """`observed` returns the observation the planner was given in this turn."""
        self._inbox, self._handler, self._observed = inbox, handler, observed
        self._asked: WhatIf | None = None
        self._answered: WhatIf | None = None
        self._listeners: list[AnswerListener] = []
        self._open = self._busy = False

    def ask(self, question: WhatIf | None) -> None:
        """Replaces the question; None withdraws it. Safe from any thread."""
        self._asked = question
        if question is not None:
            self._inbox.put(WhatIfAsked())

    def subscribe(self, listener: AnswerListener) -> None:
        """Passes answers to `listener`, on the session's thread."""
        self._listeners.append(listener)

    @contextmanager
    def open(self, handle: Callable[[Item], None]) -> Iterator[None]:
        """Context in which the run is paused. A question that was asked before is answered at once."""
        self._open, self._answered = True, None
        try:
            self.answer(handle)
            yield
        finally:
            self._open = False

    def answer(self, handle: Callable[[Item], None]) -> None:
        """Answers the question if the run is paused. `handle` handles what arrives meanwhile."""
        if self._busy:
            return  # another question is being answered; the loop below takes this one next
        self._busy = True
        try:
            while self._may_answer and (question := self._asked) is not None and question is not self._answered:
                self._answered = question
                self._preview(question, handle)
        finally:
            self._busy = False

    @property
    def _may_answer(self) -> bool:
        pause_control = self._handler.pause_control
        return self._open and pause_control.paused and pause_control.playing and not self._handler.interrupted()

    def _preview(self, question: WhatIf, handle: Callable[[Item], None]) -> None:
        """Answers one question, until another one is asked or a command arrives."""
        for facets in self._facets(question):
            self._pass_on(Answer(question.number, facets))
            if self._take_all(handle):
                self._answered = None  # the command may have changed the planner: answer again while the run is paused
                return
            if self._asked is None or (facets and self._asked is not question):
                return

    def _facets(self, question: WhatIf) -> Iterator[tuple[Facet, ...]]:
        try:
            planner = copy.deepcopy(self._handler.planner)
            yield from planner.what_if(question, self._observed())
        except Exception as error:  # noqa: BLE001 - a planner's bug in a preview must not touch the run
            self._pass_on(Answer(question.number, trouble=f"{self._handler.planner.name} cannot preview this: {error}"))

    def _take_all(self, handle: Callable[[Item], None]) -> bool:
        """Handles what has arrived. Returns True if a command was among it."""
        commanded = False
        while not self._handler.interrupted() and (item := self._inbox.take(0)) is not None:
            handle(item)
            commanded = commanded or isinstance(item, Command)
        return commanded

    def _pass_on(self, answer: Answer) -> None:
        for listener in self._listeners:
            listener(answer)
