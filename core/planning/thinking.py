"""Runs a planner's generator through one turn. Nothing else sends to it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager

from core.planning.facets import Facet
from core.planning.model_requests import ModelReply, ModelRequest
from core.planning.planner import Decision, Sent, Thought

Asks = ModelRequest | tuple[ModelRequest, ...]
Replies = ModelReply | tuple[ModelReply, ...]
Fetch = Callable[[Asks], Replies]
"""Returns the reply to a request, or replies in the order of several requests."""
NO_CLOCK = contextlib.nullcontext()


def steps(thought: Thought, fetch: Fetch, checkpoint: Callable[[], None] = lambda: None,
          thinking: AbstractContextManager[None] = NO_CLOCK) -> Iterator[Facet | Decision]:
    """Yields the facets that a planner shows in a turn, and at last its decision.

    Args:
        thought: the planner's generator, not started. Whoever made it closes it.
        fetch: answers model requests.
        checkpoint: is called after each yield of the planner. What it raises leaves the turn.
        thinking: the context in which the planner computes.
    """
    sent: Sent = None
    while True:
        try:
            with thinking:
                yielded = thought.send(sent)
        except StopIteration as done:
            decision: Decision = done.value
            yield decision
            return
        sent = None
        if isinstance(yielded, Facet):
            yield yielded
        elif yielded:
            sent = fetch(yielded)
        checkpoint()


def each(answer: Callable[[ModelRequest], ModelReply]) -> Fetch:
    """Returns a function that answers several requests one after the other."""
    return lambda asks: tuple(map(answer, asks)) if isinstance(asks, tuple) else answer(asks)


def decide(thought: Thought, fetch: Fetch, show: Callable[[Facet], object] = lambda facet: None,
           checkpoint: Callable[[], None] = lambda: None, thinking: AbstractContextManager[None] = NO_CLOCK) -> Decision:
    """Runs a turn of a planner to its decision. `show` receives each facet; the other arguments are those of `steps`."""
    for step in steps(thought, fetch, checkpoint, thinking):
        if isinstance(step, Decision):
            return step
        show(step)
    raise AssertionError("the last step is a decision")


def until_it_fits(thought: Thought, kind: type[Facet], attempt: Callable[[], str], fetch: Fetch,
                  show: Callable[[Facet], object] = lambda facet: None,
                  checkpoint: Callable[[], None] = lambda: None) -> bool:
    """Runs a turn of a planner until an edit fits a facet that it shows. A decision, if it comes to one, is not used.

    Args:
        thought: the planner's generator, not started.
        kind: the class of the edited facet.
        attempt: executes the edit, or returns why it cannot be executed; then nothing has happened.
        fetch: answers model requests.
        show: receives each facet.
        checkpoint: is called after each yield of the planner.

    Returns:
        True if the edit was executed.
    """
    for step in steps(thought, fetch, checkpoint):
        if isinstance(step, Decision):
            break
        show(step)
        if type(step) is kind and not attempt():
            return True
    return False
