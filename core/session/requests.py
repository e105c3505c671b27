"""Pending model requests: sent by reply threads; answered from memory, by the model or by the operator."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Protocol

from core.common.errors import BelvedereError, MissingPart, ModelError, UsageError
from core.llm.human import Human
from core.llm.model import LanguageModel, OnPartial, Partial, Waiter
from core.llm.reply_checks import valid_text
from core.planning.model_requests import Ask, Reply
from core.session.event_bus import EventBus
from core.session.events import Asked, AskedAside, Failed, Replied
from core.session.history import History
from core.session.inbox import Arrived, Inbox, Item
from core.session.pause_control import PauseControl


@dataclass(slots=True)
class PendingRequest:
    """One model request that was sent.

    Attributes:
        attempt: how often it was sent; replies to older attempts are ignored.
        human: it was put to a person.
        reply: the reply, once there is one.
        error: why there is no reply, until it is sent again.
    """

    id: int
    ask: Ask
    attempt: int = 0
    human: bool = False
    cancelled: threading.Event = field(default_factory=threading.Event)
    reply: Reply | None = None
    error: BelvedereError | None = None


class RunState(Protocol):
    """What sending requests needs of the command handler."""

    @property
    def model(self) -> LanguageModel | None:
        """The model that answers; None if nothing answers in this run."""

    @property
    def pause_control(self) -> PauseControl:
        """Pauses the run, at a breakpoint on tokens."""

    def interrupted(self) -> bool:
        """Returns whether to leave what is being done."""

    def raise_interrupt(self) -> None:
        """Raises the pending interrupt, if there is one."""

    def failed(self, purpose: str, error: BelvedereError) -> None:
        """Makes the run wait for the operator: a request got no reply."""


class PendingRequests:
    """Sends requests to the present model, each on a thread of its own, and keeps those without a reply.

    A thread outlives its request only until the provider notices that the request was cancelled.
    """

    def __init__(self, inbox: Inbox, bus: EventBus, history: History, handler: RunState):
        self._inbox, self._bus, self._history, self._handler = inbox, bus, history, handler
        self._pending: dict[int, PendingRequest] = {}
        self._aside: dict[int, PendingRequest] = {}
        """The operator's own requests. The planner does not receive their replies."""
        self._count = 0
        self.partials = PartialReplies()

    def fetch(self, asks: Ask | tuple[Ask, ...], handle: Callable[[Item], None]) -> Reply | tuple[Reply, ...]:
        """Returns replies, from memory where the same request was answered before. Handles what arrives meanwhile.

        Raises:
            Interrupt: a command interrupted the wait.
        """
        many = asks if isinstance(asks, tuple) else (asks,)
        sent = [self._send(replace(ask, fresh=self._history.branch.fresh)) for ask in many]
        self._until_answered(sent, handle)
        for pending in sent:
            pending.cancelled.set()
            self.partials.end(pending.id)
            del self._pending[pending.id]
        self._handler.raise_interrupt()
        replies = tuple(p.reply for p in sent if p.reply is not None)
        return replies if isinstance(asks, tuple) else replies[0]

    def _until_answered(self, sent: list[PendingRequest], handle: Callable[[Item], None]) -> None:
        """Waits for replies.

        The work clock stops while all missing replies depend on a person: to answer, or to resolve a failure.
        """
        def left_to_a_person() -> bool:
            missing = [p for p in sent if p.reply is None]
            return bool(missing) and all(p.human or p.error is not None for p in missing)

        def take(item: Item) -> None:
            handle(item)
            self._bus.clock.hold("answer", left_to_a_person())

        self._bus.clock.hold("answer", left_to_a_person())
        try:
            self._inbox.until(lambda: all(p.reply for p in sent) or self._handler.interrupted(), take)
        finally:
            self._bus.clock.hold("answer", False)

    def _send(self, ask: Ask) -> PendingRequest:
        pending = PendingRequest(self._count, ask)
        self._count += 1
        self._pending[pending.id] = pending
        self._bus.emit(Asked(pending.id, ask, self._source))
        known = self._history.reply_to(ask.key(self._source))
        if known is not None:
            self.answer(pending, replace(known, cached=True, seconds=0.0, first_token=0.0, rate=0.0))
        else:
            self.ask_again(pending)
        return pending

    @property
    def _source(self) -> str:
        return self._handler.model.source if self._handler.model is not None else "nobody"

    def ask_again(self, pending: PendingRequest) -> None:
        """Sends a request to the present model, once more if it was sent before."""
        model = self._handler.model
        if model is None:
            self._fail(pending, MissingPart("this planner asks a language model, and none was chosen: choose a provider"))
            return
        pending.cancelled.set()
        pending.attempt += 1
        pending.error, pending.human = None, model.source == Human.name
        pending.cancelled = Waiter(self.partials.callback(pending.id))
        args = (pending.id, pending.attempt, pending.ask, model, pending.cancelled)
        threading.Thread(target=self._fetch, args=args, name=f"reply-{pending.id}", daemon=True).start()

    def ask_aside(self, ask: Ask) -> None:
        """Sends an operator's own request to the present model.

        Raises:
            UsageError: there is no model.
        """
        if self._handler.model is None:
            raise UsageError("no model answers in this run: choose a provider, and a planner that asks one")
        pending = PendingRequest(self._count, ask)
        self._count += 1
        self._aside[pending.id] = pending
        self._bus.emit(AskedAside(pending.id, ask, self._source))
        self.ask_again(pending)

    def cancel_aside(self, why: str) -> None:
        """Ends the operator's own requests without a reply, and emits that with the reason."""
        for pending in list(self._aside.values()):
            self._answer_aside(pending, Reply((), "nobody", is_model=False, note=why))

    def _answer_aside(self, pending: PendingRequest, reply: Reply) -> None:
        pending.cancelled.set()
        self.partials.end(pending.id)
        del self._aside[pending.id]
        self._bus.emit(Replied(pending.id, reply))
        self._handler.pause_control.at_answer(reply.tokens_in + reply.tokens_out)

    def _fetch(self, number: int, attempt: int, ask: Ask, model: LanguageModel, cancelled: threading.Event) -> None:
        began = time.monotonic()
        try:
            reply = model.answer(ask, cancelled)
        except BelvedereError as error:
            self._inbox.put(Arrived(number, attempt, None, error))
        except Exception as error:  # noqa: BLE001 - a provider's own bug must reach the operator, not end a thread unseen
            wrapped = ModelError(f"{model.source} broke: {type(error).__name__}: {error}", "refused", retry=True)
            self._inbox.put(Arrived(number, attempt, None, wrapped))
        else:
            seconds = reply.seconds or time.monotonic() - began
            self._inbox.put(Arrived(number, attempt, replace(reply, seconds=seconds), None))
        finally:
            for words in model.news():
                self._inbox.put(Failed("model", "beside", words, waits=False))

    def arrived(self, item: Arrived) -> None:
        """Takes a reply, or the error in its place. Those for abandoned attempts are dropped."""
        if item.ask in self._aside:
            reply = item.reply or Reply((), self._source, is_model=False, note=str(item.error))
            self._answer_aside(self._aside[item.ask], reply)
            return
        pending = self._pending.get(item.ask)
        if pending is None or pending.attempt != item.attempt or pending.reply is not None:
            return
        if item.reply is not None:
            self.answer(pending, item.reply)
        elif item.error is not None:
            self._fail(pending, item.error)

    def answer(self, pending: PendingRequest, reply: Reply) -> None:
        """Takes a reply from any source and remembers it for rewound runs."""
        pending.reply, pending.error = reply, None
        pending.cancelled.set()
        self.partials.end(pending.id)
        self._history.add_reply(pending.ask.key(self._source), reply)
        self._bus.emit(Replied(pending.id, reply))
        self._handler.pause_control.at_answer(reply.tokens_in + reply.tokens_out)

    def _fail(self, pending: PendingRequest, error: BelvedereError) -> None:
        pending.error = error
        self.partials.end(pending.id)
        self._handler.failed(pending.ask.purpose, error)

    def waiting(self) -> dict[int, PendingRequest]:
        """Returns the requests without a reply, by number."""
        return {k: p for k, p in self._pending.items() if p.reply is None}

    def waiting_request(self, number: int) -> PendingRequest:
        """Returns a waiting request.

        Raises:
            UsageError: it is not waiting.
        """
        if number not in self.waiting():
            raise UsageError(f"call {number} is not waiting for an answer")
        return self._pending[number]

    def close(self) -> None:
        """Cancels all requests."""
        for pending in (*self._pending.values(), *self._aside.values()):
            pending.cancelled.set()


def typed_answer(text: str) -> Reply:
    """Returns the operator's answer as a reply."""
    return Reply((valid_text(text),), "human", is_model=False)


class PartialReplies:
    """The newest partial reply of each waiting model request. Safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._callbacks: dict[int, OnPartial] = {}
        self._found: dict[int, Partial] = {}

    def callback(self, number: int) -> OnPartial:
        """Returns a callback that receives the partial replies of a request. It replaces the request's previous callback."""
        def hear(partial: Partial) -> None:
            with self._lock:
                if self._callbacks.get(number) is hear:  # otherwise it is answered, or was sent again
                    self._found[number] = partial

        with self._lock:
            self._callbacks[number] = hear
            self._found.pop(number, None)
        return hear

    def end(self, number: int) -> None:
        """Forgets the partial reply of a request that is answered, failed or withdrawn."""
        with self._lock:
            self._callbacks.pop(number, None)
            self._found.pop(number, None)

    def of(self, number: int) -> Partial | None:
        """Returns the partial reply of a request; None if nothing has arrived or the request is not waiting."""
        with self._lock:
            return self._found.get(number)
