"""Dispatches what arrives in the inbox, and waits for the operator while a run is paused or failed."""

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

    def __init__(self, inbox: Inbox, bus: EventBus, handler: CommandHandler, requests: PendingRequests,
                 session: SessionActions, camera: Camera, previews: Previews):
        self._inbox, self._bus, self._handler, self._requests, self._session = inbox, bus, handler, requests, session
        self._camera, self._previews = camera, previews

    def handle_arrived(self) -> None:
        """Handles everything that has arrived, without waiting."""
        while (item := self._inbox.take(0)) is not None:
            self.handle(item)

    def checkpoint(self) -> None:
        """Handles what has arrived. Blocks while the run is paused.

        Items that follow an interrupt stay in the inbox, because they are about the place where the interrupt leads.

        Raises:
            Interrupt: a command interrupts the present activity.
        """
        while not self._handler.interrupted() and (item := self._inbox.take(0)) is not None:
            self.handle(item)
        if self._handler.pause_control.paused and not self._handler.interrupted():
            with self._bus.clock.resting("pause"), self._previews.open(self.handle):
                self._inbox.until(lambda: not self._handler.pause_control.paused or self._handler.interrupted(), self.handle)
        self._handler.raise_interrupt()

    def handle(self, item: Item) -> None:
        """Handles one item."""
        if isinstance(item, Command):
            self._handler.execute(item, self._session, self._requests)
        elif isinstance(item, Arrived):
            self._requests.arrived(item)
        elif isinstance(item, WhatIfAsked):
            self._previews.answer(self.handle)
        elif isinstance(item, Failed | Recovered):
            self._bus.emit(item)
            if isinstance(item, Failed) and item.waits:
                self._handler.pause_control.pause(item.message)
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
        self._handler.wait_for_retry()
        with self._bus.clock.resting("failure"):
            self._inbox.until(lambda: self._handler.retried() or self._handler.interrupted(), self.handle)
        self._handler.raise_interrupt()
