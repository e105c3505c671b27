"""Drives the planner's generator: to a decision, or through a recorded past."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from contextlib import AbstractContextManager

from core.planning.facets import Facet
from core.planning.model_requests import ModelReply, ModelRequest
from core.planning.planner import Decision, Sent, Thought
from core.session.command_handler import CommandHandler, Interrupt, Overridden
from core.session.commands import Edit
from core.session.dispatch import Dispatcher
from core.session.event_bus import EventBus, Stopwatch
from core.session.events import Decided, Failed, Who
from core.session.requests import PendingRequests
from core.world.vocabulary import in_words

MOST_BANNED_CHOICES = 3
NO_CLOCK = contextlib.nullcontext()
OPTIONS = ("Try again", "Override the action", "Go back")


class DecisionMaker:
    """Drives the planner's generator and executes commands at every yield.

    Args:
        start_planning: returns the planner's generator for the present moment.
        think_beside: lets the companion think about a decision that was made, before it is executed.
        must_think_beside: whether the operator has edited the companion since it thought.
    """

    def __init__(self, handler: CommandHandler, bus: EventBus, requests: PendingRequests, dispatcher: Dispatcher,
                 start_planning: Callable[[], Thought], think_beside: Callable[[Decision], None],
                 must_think_beside: Callable[[], bool]):
        self._handler, self._bus, self._requests, self._dispatcher = handler, bus, requests, dispatcher
        self._start_planning, self._think_beside, self._must_think_beside = start_planning, think_beside, must_think_beside

    def decide(self, clocks: tuple[Stopwatch, Stopwatch]) -> tuple[Decision, Who, bool]:
        """Returns the decision, who made it (planner or operator), and whether the planner is updated with its outcome."""
        handler = self._handler
        try:
            self._dispatcher.checkpoint()
            while True:
                decision = self._allowed_choice(clocks)
                handler.pause_control.altered = False
                if self._stands(decision):
                    break  # otherwise the operator changed what the choice depends on
            self._bus.emit(Decided(decision.action, "planner", decision.because))
            return decision, "planner", True
        except Overridden as overridden:
            return self.override(overridden)

    def _stands(self, decision: Decision) -> bool:
        """Lets the companion think, and pauses before the action if the operator wants that.

        Returns:
            False if what the choice depends on was changed meanwhile.
        """
        pauses = self._handler.pause_control
        self._think_beside(decision)
        while not pauses.altered:
            if decision.action is not None:
                pauses.before_action(Decided(decision.action, "planner", decision.because))
            self._bus.deliver(wait=True)  # listeners that react to this turn's facets must do so within this turn
            self._dispatcher.checkpoint()
            if not self._must_think_beside():
                return decision.action is None or not pauses.altered
            self._think_beside(decision)
        return False

    def override(self, override: Overridden) -> tuple[Decision, Who, bool]:
        """Returns the operator's action as the decision, and whether the planner is updated with its outcome."""
        self._bus.emit(Decided(override.action, "operator", override.why, self._handler.first_choice()))
        return Decision(override.action, override.why), "operator", override.told

    def _allowed_choice(self, clocks: tuple[Stopwatch, Stopwatch]) -> Decision:
        """Returns a choice that is not banned. A planner that insists on a banned action pauses the run."""
        tries = 0
        while True:
            decision = self._think(clocks)
            if decision.action is None or self._handler.allows(decision.action):
                return decision
            tries += 1
            if tries % MOST_BANNED_CHOICES == 0:
                self._handler.pause_control.pause(f"the planner insists on a banned action: {in_words(decision.action)}")
            self._dispatcher.checkpoint()

    def _think(self, clocks: tuple[Stopwatch, Stopwatch]) -> Decision:
        """Returns the planner's decision. An exception in the planner is reported, and the operator may try again."""
        while True:
            try:
                with contextlib.closing(self._start_planning()) as thought:
                    return self._drive(thought, clocks)
            except Interrupt:
                raise
            except Exception as error:  # noqa: BLE001 - a planner's bug must not lose the episode
                message = f"{self._handler.planner.name} broke: {error}"
                self._dispatcher.wait_after(Failed("planner", type(error).__name__, message, True, OPTIONS))

    def _drive(self, thought: Thought, clocks: tuple[Stopwatch, Stopwatch]) -> Decision:
        """Runs the generator until it returns: shows its facets, fetches replies, executes commands at every yield."""
        thinking, waiting = clocks

        def fetch(asks: Asks) -> Replies:
            with waiting:
                return self._requests.fetch(asks, self._dispatcher.handle)

        def checkpoint() -> None:
            self._handler.pause_control.at_checkpoint()
            self._dispatcher.checkpoint()

        return drive(thought, self._handler.show, fetch, checkpoint, thinking)


Asks = ModelRequest | tuple[ModelRequest, ...]
Replies = ModelReply | tuple[ModelReply, ...]
Fetch = Callable[[Asks], Replies]


def drive(thought: Thought, show: Callable[[Facet], None], fetch: Fetch, checkpoint: Callable[[], None],
          thinking: AbstractContextManager[None] = NO_CLOCK) -> Decision:
    """Runs a planner's generator until it returns.

    Args:
        thought: the generator, not started.
        show: receives each facet.
        fetch: returns the replies to model requests.
        checkpoint: is called after each yield; what it raises leaves the generator.
        thinking: the context in which the planner computes.
    """
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
            show(yielded)
        elif yielded:
            sent = fetch(yielded)
        checkpoint()


def observe_turn(start_planning: Callable[[], Thought], handler: CommandHandler, bus: EventBus) -> None:
    """Lets the planner observe the present moment: starts its generator, and closes it at the first yield.

    What it yields is neither shown nor asked. To the planner it is as if the operator had overridden it at once.
    """
    try:
        with contextlib.closing(start_planning()) as thought:
            next(thought, None)
    except Exception as error:  # noqa: BLE001 - a planner's bug must not lose the episode
        _report_failure(handler, bus, error)


def replay_edit(edit: Edit, start_planning: Callable[[], Thought], handler: CommandHandler, bus: EventBus, fetch: Fetch,
                 attempt: Callable[[], str]) -> bool:
    """Runs the planner's generator until the edit fits a shown facet. A decision, if it comes to one, is not used.

    Args:
        edit: what the operator changed.
        start_planning: returns the planner's generator for the present moment.
        handler: shows the facets.
        bus: emits failures.
        fetch: answers model requests, with the recorded replies where there are any.
        attempt: executes the edit, or returns why it cannot be executed; then nothing has happened.

    Returns:
        True if the edit was executed.

    Raises:
        Interrupt: a command interrupts meanwhile.
    """
    try:
        with contextlib.closing(start_planning()) as thought:
            return run_until_it_fits(thought, type(edit.facet), attempt, handler.show, fetch, handler.raise_if_stopped)
    except Interrupt:
        raise
    except Exception as error:  # noqa: BLE001 - a planner's bug must not lose the episode
        _report_failure(handler, bus, error)
        return False


def run_until_it_fits(thought: Thought, kind: type[Facet], attempt: Callable[[], str], show: Callable[[Facet], None],
                      fetch: Fetch, checkpoint: Callable[[], None]) -> bool:
    """Runs a planner's generator until an edit fits a facet that it shows.

    Args:
        thought: the generator, not started.
        kind: the class of the edited facet.
        attempt: executes the edit, or returns why it cannot be executed.
        show: receives each facet.
        fetch: returns the replies to model requests.
        checkpoint: is called after each yield; what it raises leaves the generator.

    Returns:
        True if the edit was executed.
    """
    sent: Sent = None
    while True:
        try:
            yielded = thought.send(sent)
        except StopIteration:
            return False
        sent = None
        if isinstance(yielded, Facet):
            show(yielded)
            if type(yielded) is kind and not attempt():
                return True
        elif yielded:
            sent = fetch(yielded)
        checkpoint()


def _report_failure(handler: CommandHandler, bus: EventBus, error: Exception) -> None:
    bus.emit(Failed("planner", type(error).__name__, f"{handler.planner.name} broke over its past: {error}", waits=False))
