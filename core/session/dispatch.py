"""Takes what arrives to where it belongs, and waits for the operator where a run must."""

from __future__ import annotations

from core.session.camera import Camera
from core.session.command_handler import Desk, Hands
from core.session.commands import Command
from core.session.event_bus import Voice
from core.session.events import Failed, Recovered, Shown
from core.session.inbox import Arrived, Drawn, Inbox, Item, Wondered
from core.session.previews import Previews
from core.session.requests import Questions


class Clerk:
    """Empties the inbox, whatever the session is doing."""

    def __init__(self, inbox: Inbox, voice: Voice, desk: Desk, questions: Questions, hands: Hands, camera: Camera,
                 previews: Previews):
        self._inbox, self._voice, self._desk, self._questions, self._hands = inbox, voice, desk, questions, hands
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
        while not self._desk.interrupted() and (item := self._inbox.take(0)) is not None:
            self.handle(item)
        if self._desk.pace.paused and not self._desk.interrupted():
            with self._voice.clock.resting("pause"), self._previews.open(self.handle):
                self._inbox.until(lambda: not self._desk.pace.paused or self._desk.interrupted(), self.handle)
        self._desk.raise_interrupt()

    def handle(self, item: Item) -> None:
        """One arrival."""
        if isinstance(item, Command):
            self._desk.obey(item, self._hands, self._questions)
        elif isinstance(item, Arrived):
            self._questions.arrived(item)
        elif isinstance(item, Wondered):
            self._previews.answer(self.handle)
        elif isinstance(item, Failed | Recovered):
            self._voice.tell(item)
            if isinstance(item, Failed) and item.waits:
                self._desk.pace.pause(item.message)
        elif isinstance(item, Drawn):
            self._camera.told()
            for frame in item.frames:
                self._voice.tell(Shown(frame))
            if item.error is not None:
                self._voice.tell(Failed("camera", "drawing", str(item.error), waits=False))

    def wait_after(self, failure: Failed) -> None:
        """Tell a failure, and wait for the operator's word.

        Raises:
            Interrupt: it was not to try again.
        """
        self._voice.tell(failure)
        self._desk.wait_for_retry()
        with self._voice.clock.resting("failure"):
            self._inbox.until(lambda: self._desk.retried() or self._desk.interrupted(), self.handle)
        self._desk.raise_interrupt()
