"""The past played again: the planner sees it as it goes by, and an operator's edits are said again where they were said."""

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


def glanced(begin: Callable[[], Thought], handler: CommandHandler, bus: EventBus) -> None:
    """Let the planner see the present moment: begin to think, and leave it at the first thing it yields.

    That is neither shown nor asked; to the planner it is as if the operator had overruled it at once.
    """
    try:
        with contextlib.closing(begin()) as thought:
            next(thought, None)
    except Exception as error:  # noqa: BLE001 - a planner's bug must not lose the episode
        _broke(handler, bus, error)


def edited_again(edit: Edit, begin: Callable[[], Thought], handler: CommandHandler, bus: EventBus, fetch: Fetch,
                 attempt: Callable[[], str]) -> bool:
    """Think anew, only as far as the edit fits what is shown; the decision, if it comes that far, is not taken.

    Args:
        edit: what the operator changed.
        begin: begins the planner's thought about the present moment.
        handler: takes what is shown.
        bus: tells what broke.
        fetch: answers questions, with the recorded replies where there are such.
        attempt: obeys the edit, or says why not, and then nothing has happened.

    Returns:
        Whether it was obeyed.

    Raises:
        Interrupt: the operator wants something else meanwhile.
    """
    try:
        with contextlib.closing(begin()) as thought:
            return _until_it_fits(edit, thought, handler, fetch, attempt)
    except Interrupt:
        raise
    except Exception as error:  # noqa: BLE001 - a planner's bug must not lose the episode
        _broke(handler, bus, error)
        return False


def _until_it_fits(edit: Edit, thought: Thought, handler: CommandHandler, fetch: Fetch, attempt: Callable[[], str]) -> bool:
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


def _broke(handler: CommandHandler, bus: EventBus, error: Exception) -> None:
    bus.tell(Failed("planner", type(error).__name__, f"{handler.planner.name} broke over its past: {error}", waits=False))
