"""Handles what arrives in the inbox; answers what-if questions and waits for the operator while a run is paused or failed."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

from core.planning.facets import Facet
from core.planning.planner import Answer, WhatIf
from core.session.camera import Camera
from core.session.commands import Command
from core.session.event_bus import EventBus
from core.session.events import Failed, Recovered, Shown
from core.session.inbox import Arrived, Drawn, Inbox, Item, Noted, WhatIfAsked
from core.session.run import Run

AnswerListener = Callable[[Answer], None]


class Dispatcher:
    """Empties the inbox, whatever the session is doing."""

    def __init__(self, inbox: Inbox, bus: EventBus, run: Run, camera: Camera, previews: Previews):
        self._inbox, self._bus, self._run, self._camera, self._previews = inbox, bus, run, camera, previews

    def handle_arrived(self) -> bool:
        """Handles what has arrived, without waiting. Returns whether a command was among it.

        Items that follow an interrupt stay in the inbox, because they are about the place where the interrupt leads.
        """
        return _handle_arrived(self._inbox, self._run, self.handle)

    def checkpoint(self) -> None:
        """Handles what has arrived. Blocks while the run is paused.

        Raises:
            Interrupt: a command interrupts the present activity.
        """
        self.handle_arrived()
        if self._run.pause_control.paused and not self._run.interrupted():
            with self._bus.clock.resting("pause"), self._previews.open(self.handle):
                self._wait_while_paused()
        self._run.raise_interrupt()

    def _wait_while_paused(self) -> None:
        """Handles what arrives until the run goes on: as the operator says, or by itself when its time has come."""
        run, pauses = self._run, self._run.pause_control
        pauses.begin_hold()
        while pauses.paused and not run.interrupted():
            until = pauses.goes_on_at

            def changed(until: float | None = until) -> bool:
                return not pauses.paused or pauses.goes_on_at != until or run.interrupted()

            if not self._inbox.until(changed, self.handle, until):
                pauses.go_on()

    def handle(self, item: Item) -> None:
        """Handles one item."""
        if isinstance(item, Command):
            self._run.execute(item)
        elif isinstance(item, Arrived):
            self._run.requests.arrived(item)
        elif isinstance(item, Noted):
            self._run.requests.note(item.calls)
        elif isinstance(item, WhatIfAsked):
            self._previews.answer(self.handle)
        elif isinstance(item, Failed | Recovered):
            self._bus.emit(item)
            if isinstance(item, Failed) and item.waits:
                self._run.pause_control.pause(item.message)
        elif isinstance(item, Drawn):
            self._camera.count_emitted()
            for frame in item.frames:
                self._bus.emit(Shown(frame))
            if item.error is not None:
                self._bus.emit(Failed("camera", "drawing", str(item.error), waits=False))

    def wait_after(self, failure: Failed) -> None:
        """Emits a failure, and waits for the operator.

        Raises:
            Interrupt: the operator chose something other than to try again.
        """
        self._bus.emit(failure)
        with self._run.waiting_for_retry(failure.part), self._bus.clock.resting("failure"):
            self._inbox.until(lambda: self._run.retried() or self._run.interrupted(), self.handle)
        self._run.raise_interrupt()


class Previews:
    """Answers the newest what-if question, from a copy of the planner and without events. Older questions are dropped.

    Questions are answered only while the run is paused within a decision, because then neither the simulator nor the planner
    changes. The inbox is emptied at every checkpoint of the planner's copy.
    """

    def __init__(self, inbox: Inbox, run: Run):
        self._inbox, self._run = inbox, run
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
        pause_control = self._run.pause_control
        return self._open and pause_control.paused and pause_control.playing and not self._run.interrupted()

    def _preview(self, question: WhatIf, handle: Callable[[Item], None]) -> None:
        """Answers one question, until another one is asked or a command arrives."""
        for facets in self._facets(question):
            self._pass_on(Answer(question.number, facets))
            if _handle_arrived(self._inbox, self._run, handle):
                self._answered = None  # the command may have changed the planner: answer again while the run is paused
                return
            if self._asked is None or (self._asked is not question and (facets or question.margins)):
                return

    def _facets(self, question: WhatIf) -> Iterator[tuple[Facet, ...]]:
        try:
            planner = copy.deepcopy(self._run.planner)
            if question.banned is not None:
                question = replace(question, banned=self._run.barred(question.banned))
            yield from planner.what_if(question, self._run.world.observed)
        except Exception as error:  # noqa: BLE001 - a planner's bug in a preview must not touch the run
            self._pass_on(Answer(question.number, trouble=f"{self._run.planner.name} cannot preview this: {error}"))

    def _pass_on(self, answer: Answer) -> None:
        for listener in self._listeners:
            listener(answer)


def _handle_arrived(inbox: Inbox, run: Run, handle: Callable[[Item], None]) -> bool:
    commanded = False
    while not run.interrupted() and (item := inbox.take(0)) is not None:
        handle(item)
        commanded = commanded or isinstance(item, Command)
    return commanded
