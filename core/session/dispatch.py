"""Takes what arrives to where it belongs, and waits for the operator where a run must."""

from __future__ import annotations

from core.session.camera import Camera
from core.session.command_handler import CommandHandler, SessionActions
from core.session.commands import Command
from core.session.event_bus import EventBus
from core.session.events import Failed, Recovered, Shown
from core.session.inbox import Arrived, Drawn, Inbox, Item, WhatIfAsked
from core.session.previews import Previews
from core.session.requests import PendingRequests


class Dispatcher:
    """Empties the inbox, whatever the session is doing."""

    def __init__(self, inbox: Inbox, bus: EventBus, handler: CommandHandler, questions: PendingRequests,
                 hands: SessionActions, camera: Camera, previews: Previews):
        self._inbox, self._bus, self._handler, self._requests, self._hands = inbox, bus, handler, questions, hands
        self._camera, self._previews = camera, previews

    def take_all(self) -> None:
        """All that has arrived; nothing is waited for."""
        while (item := self._inbox.take(0)) is not None:
            self.handle(item)

    def obey(self) -> None:
        """Take what has arrived; stay here while the run is paused.

        What comes after an interrupt stays in the inbox: it is about where the interrupt leads.

        Raises:
            Interrupt: the operator wants something else.
        """
        while not self._handler.interrupted() and (item := self._inbox.take(0)) is not None:
            self.handle(item)
        if self._handler.pause_control.paused and not self._handler.interrupted():
            with self._bus.clock.resting("pause"), self._previews.open(self.handle):
                self._inbox.until(lambda: not self._handler.pause_control.paused or self._handler.interrupted(), self.handle)
        self._handler.raise_interrupt()

    def handle(self, item: Item) -> None:
        """One arrival."""
        if isinstance(item, Command):
            self._handler.obey(item, self._hands, self._requests)
        elif isinstance(item, Arrived):
            self._requests.arrived(item)
        elif isinstance(item, WhatIfAsked):
            self._previews.answer(self.handle)
        elif isinstance(item, Failed | Recovered):
            self._bus.tell(item)
            if isinstance(item, Failed) and item.waits:
                self._handler.pause_control.pause(item.message)
        elif isinstance(item, Drawn):
            self._camera.told()
            for frame in item.frames:
                self._bus.tell(Shown(frame))
            if item.error is not None:
                self._bus.tell(Failed("camera", "drawing", str(item.error), waits=False))

    def wait_after(self, failure: Failed) -> None:
        """Tell a failure, and wait for the operator's word.

        Raises:
            Interrupt: it was not to try again.
        """
        self._bus.tell(failure)
        self._handler.wait_for_retry()
        with self._bus.clock.resting("failure"):
            self._inbox.until(lambda: self._handler.retried() or self._handler.interrupted(), self.handle)
        self._handler.raise_interrupt()
