"""From a thought to a decision: what the planner shows and asks on the way, and what the operator says to it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable

from core.planning.facets import Facet
from core.planning.planner import Decision, Sent, Thought
from core.session.command_handler import CommandHandler
from core.session.commands import Override
from core.session.dispatch import Dispatcher
from core.session.event_bus import EventBus
from core.session.events import Decided, Failed, Who
from core.session.interrupts import Interrupt, Overridden
from core.session.requests import PendingRequests
from core.session.work_clock import Stopwatch
from core.world.action_phrases import in_words

MOST_BANNED_CHOICES = 3
WAYS_ON = ("Try again", "Override the action", "Go back")


class DecisionMaker:
    """Drives the planner, obeying at every yield.

    Args:
        thought: begins the planner's thought about the present moment.
    """

    def __init__(self, handler: CommandHandler, bus: EventBus, questions: PendingRequests, dispatcher: Dispatcher,
                 thought: Callable[[], Thought]):
        self._handler, self._bus, self._requests, self._dispatcher, self._thought = handler, bus, questions, dispatcher, thought

    def decide(self, clocks: tuple[Stopwatch, Stopwatch]) -> tuple[Decision, Who, bool]:
        """The planner's choice, or the operator's instead, and whether the planner is told what comes of it."""
        handler = self._handler
        try:
            self._dispatcher.obey()
            while True:
                decision = self._allowed_choice(clocks)
                if decision.action is not None:
                    handler.pause_control.before_action(decision.action)
                self._bus.hand_on(wait=True)  # whoever answers to what was shown in this turn is heard in this turn
                self._dispatcher.obey()
                if decision.action is None or not handler.pause_control.altered:
                    break  # else the operator changed what it stands on while it waited
            self._bus.tell(Decided(decision.action, "planner", decision.because))
            return decision, "planner", True
        except Overridden as overridden:
            return self.overruled(overridden.command)

    def overruled(self, command: Override) -> tuple[Decision, Who, bool]:
        """The operator's action, and whether the planner is told what comes of it."""
        self._bus.tell(Decided(command.action, "operator", command.why, self._handler.first_choice()))
        return Decision(command.action, command.why), "operator", command.told

    def _allowed_choice(self, clocks: tuple[Stopwatch, Stopwatch]) -> Decision:
        """The planner's choice; one that insists on a banned action waits for the operator."""
        tries = 0
        while True:
            decision = self._think(clocks)
            if decision.action is None or decision.action not in self._handler.banned:
                return decision
            tries += 1
            if tries % MOST_BANNED_CHOICES == 0:
                self._handler.pause_control.pause(f"the planner insists on a banned action: {in_words(decision.action)}")
            self._dispatcher.obey()

    def _think(self, clocks: tuple[Stopwatch, Stopwatch]) -> Decision:
        """The planner's decision; its own bugs are shown, and it may be tried again."""
        while True:
            try:
                with contextlib.closing(self._thought()) as thought:
                    return self._drive(thought, clocks)
            except Interrupt:
                raise
            except Exception as error:  # noqa: BLE001 - a planner's bug must not lose the episode
                message = f"{self._handler.planner.name} broke: {error}"
                self._dispatcher.wait_after(Failed("planner", type(error).__name__, message, True, WAYS_ON))

    def _drive(self, thought: Thought, clocks: tuple[Stopwatch, Stopwatch]) -> Decision:
        """Show what it shows, answer what it asks, obey at every yield, until it returns."""
        thinking, waiting = clocks
        sent: Sent = None
        while True:
            try:
                with thinking:
                    yielded = thought.send(sent)
            except StopIteration as done:
                decision: Decision = done.value
                return decision
            sent = None
            if isinstance(yielded, Facet):
                self._handler.show(yielded)
            else:
                with waiting:
                    sent = self._requests.fetch(yielded, self._dispatcher.handle)
            self._handler.pause_control.at_checkpoint()
            self._dispatcher.obey()
