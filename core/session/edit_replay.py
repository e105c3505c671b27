"""Replays a run's past: the planner observes each turn, and the operator's edits are applied again where they were made."""

from __future__ import annotations

import contextlib
from collections.abc import Callable

from core.planning.facets import Facet
from core.planning.model_requests import Ask, Reply
from core.planning.planner import Sent, Thought
from core.session.command_handler import CommandHandler
from core.session.commands import Edit
from core.session.event_bus import EventBus
from core.session.events import Failed
from core.session.interrupts import Interrupt

Fetch = Callable[[Ask | tuple[Ask, ...]], Reply | tuple[Reply, ...]]


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
            return _run_until_it_fits(edit, thought, handler, fetch, attempt)
    except Interrupt:
        raise
    except Exception as error:  # noqa: BLE001 - a planner's bug must not lose the episode
        _report_failure(handler, bus, error)
        return False


def _run_until_it_fits(edit: Edit, thought: Thought, handler: CommandHandler, fetch: Fetch, attempt: Callable[[], str]) -> bool:
    sent: Sent = None
    while True:
        try:
            yielded = thought.send(sent)
        except StopIteration:
            return False
        sent = None
        if isinstance(yielded, Facet):
            handler.show(yielded)
            if type(yielded) is type(edit.facet) and not attempt():
                return True
        else:
            sent = fetch(yielded)
        handler.raise_if_stopped()


def _report_failure(handler: CommandHandler, bus: EventBus, error: Exception) -> None:
    bus.emit(Failed("planner", type(error).__name__, f"{handler.planner.name} broke over its past: {error}", waits=False))
