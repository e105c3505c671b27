"""Pending model requests: sent by reply threads; answered from memory, by the model or by the operator."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from core.common.cancellation import Cancellation
from core.common.errors import BelvedereError, MissingPart, ModelError, UsageError
from core.llm.human import Human
from core.llm.model import LanguageModel, OnPartial, Partial, Waiter
from core.llm.reply_checks import valid_text
from core.planning.model_requests import ModelReply, ModelRequest
from core.session.event_bus import EventBus
from core.session.events import Asked, AskedAside, Failed, Replied
from core.session.history import NOTHING_GIVEN, Given, History
from core.session.inbox import Arrived, Inbox, Item


@dataclass(slots=True)
class PendingRequest:
    """One model request that was sent.

    Attributes:
        attempt: how often it was sent; replies to older attempts are ignored.
        human: it was put to a person.
        reply: the reply, once there is one.
        cancelled: ends the attempt under way; None if there is none.
        error: why there is no reply, until it is sent again.
    """

    id: int
    ask: ModelRequest
    attempt: int = 0
    human: bool = False
    cancelled: Cancellation | None = None
    reply: ModelReply | None = None
    error: BelvedereError | None = None

    def withdraw(self) -> None:
        """Ends the attempt under way."""
        if self.cancelled is not None:
            self.cancelled.set()
            self.cancelled = None


class PendingRequests:
    """Sends requests to the present model, each on a thread of its own, and keeps those without a reply.

    A thread outlives its request only until the provider notices that the request was cancelled.

    Args:
        models: the models that can answer, by name; the first one answers until `use_model`.
        interrupted: returns True if the wait for replies must be left.
        raise_interrupt: raises the pending interrupt, if there is one.
    """

    def __init__(self, inbox: Inbox, bus: EventBus, history: History, models: Mapping[str, LanguageModel],
                 interrupted: Callable[[], bool], raise_interrupt: Callable[[], None]):
        self._inbox, self._bus, self._history, self._models = inbox, bus, history, models
        self._interrupted, self._raise_interrupt = interrupted, raise_interrupt
        self._model = next(iter(models.values()), None)
        self._pending: dict[int, PendingRequest] = {}
        self._aside: dict[int, PendingRequest] = {}
        """The operator's own requests. The planner does not receive their replies."""
        self._count = 0
        self.given: Given = NOTHING_GIVEN
        """Replies that the operator gives on this branch."""
        self.partials = PartialReplies()

    @property
    def awaits_model(self) -> bool:
        """True if a model, not a person, must still answer a request. Safe from any thread."""
        pending = (*tuple(self._pending.values()), *tuple(self._aside.values()))
        return any(p.reply is None and p.error is None and not p.human for p in pending)

    def fetch(self, asks: ModelRequest | tuple[ModelRequest, ...],
              handle: Callable[[Item], None]) -> ModelReply | tuple[ModelReply, ...]:
        """Returns replies, from memory where the same request was answered before. Handles what arrives meanwhile.

        Raises:
            Interrupt: a command interrupted the wait.
        """
        many = asks if isinstance(asks, tuple) else (asks,)
        sent = [self._send(replace(ask, fresh=self._history.branch.fresh)) for ask in many]
        self._until_answered(sent, handle)
        for pending in sent:
            pending.withdraw()
            self.partials.end(pending.id)
            del self._pending[pending.id]
        self._raise_interrupt()
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
            self._inbox.until(lambda: all(p.reply for p in sent) or self._interrupted(), take)
        finally:
            self._bus.clock.hold("answer", False)

    def _send(self, ask: ModelRequest) -> PendingRequest:
        pending = PendingRequest(self._count, ask)
        self._count += 1
        self._pending[pending.id] = pending
        self._bus.emit(Asked(pending.id, ask, self._source))
        given, known = self.given.get(ask.key("")), self._history.reply_to(ask.key(self._source))
        if given is not None:
            self._take(pending, given, given=True)
        elif known is not None:
            self._take(pending, replace(known, cached=True, seconds=0.0, first_token=0.0, rate=0.0))
        else:
            self._submit(pending)
        return pending

    @property
    def _source(self) -> str:
        return self._model.source if self._model is not None else "nobody"

    def _submit(self, pending: PendingRequest) -> None:
        """Sends a request to the present model, once more if it was sent before."""
        model = self._model
        if model is None:
            self._fail(pending, MissingPart("this planner asks a language model, and none was chosen: choose a provider"))
            return
        pending.withdraw()
        pending.attempt += 1
        pending.error, pending.human = None, model.source == Human.name
        pending.cancelled = cancelled = Waiter(self.partials.callback(pending.id))
        args = (pending.id, pending.attempt, pending.ask, model, cancelled)
        threading.Thread(target=self._fetch, args=args, name=f"reply-{pending.id}", daemon=True).start()

    def ask_aside(self, ask: ModelRequest) -> None:
        """Sends an operator's own request to the present model.

        Raises:
            UsageError: there is no model.
        """
        if self._model is None:
            raise UsageError("no model answers in this run: choose a provider, and a planner that asks one")
        pending = PendingRequest(self._count, ask)
        self._count += 1
        self._aside[pending.id] = pending
        self._bus.emit(AskedAside(pending.id, ask, self._source))
        self._submit(pending)

    def note(self, calls: Iterable[tuple[ModelRequest, ModelReply]]) -> None:
        """Emits requests that were answered outside the session, and their replies, as the operator's own."""
        for ask, reply in calls:
            self._bus.emit(AskedAside(self._count, ask, reply.source))
            self._bus.emit(Replied(self._count, reply))
            self._count += 1

    def cancel_aside(self, why: str) -> None:
        """Ends the operator's own requests without a reply, and emits that with the reason."""
        for pending in list(self._aside.values()):
            self._answer_aside(pending, ModelReply((), "nobody", is_model=False, note=why))

    def _answer_aside(self, pending: PendingRequest, reply: ModelReply) -> None:
        pending.withdraw()
        self.partials.end(pending.id)
        del self._aside[pending.id]
        self._bus.emit(Replied(pending.id, reply))

    def _fetch(self, number: int, attempt: int, ask: ModelRequest, model: LanguageModel, cancelled: Cancellation) -> None:
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
            reply = item.reply or ModelReply((), self._source, is_model=False, note=str(item.error))
            self._answer_aside(self._aside[item.ask], reply)
            return
        pending = self._pending.get(item.ask)
        if pending is None or pending.attempt != item.attempt or pending.reply is not None:
            return
        if item.reply is not None:
            self._take(pending, item.reply)
        elif item.error is not None:
            self._fail(pending, item.error)

    def _take(self, pending: PendingRequest, reply: ModelReply, *, given: bool = False) -> None:
        """Takes a reply from any source, and remembers it for rewound runs unless it is given to this branch alone."""
        pending.reply, pending.error = reply, None
        pending.withdraw()
        self.partials.end(pending.id)
        if not given:
            self._history.add_reply(pending.ask.key(self._source), reply)
        self._bus.emit(Replied(pending.id, reply, given))

    def _fail(self, pending: PendingRequest, error: BelvedereError) -> None:
        """Emits that a request failed. The run waits for the operator."""
        pending.error = error
        self.partials.end(pending.id)
        kind = error.kind if isinstance(error, ModelError) else "refused"
        others = tuple(f"Use {name}" for name, model in self._models.items()
                       if model is not self._model and name != Human.name)  # the last option below is the operator
        options = "Try again", *others, "Answer myself"
        self._bus.emit(Failed("model", kind, f"{pending.ask.purpose}: {error}", True, options, pending.id))

    # --- what the operator does about them --------------------------------------
    def answer(self, number: int, text: str) -> None:
        """Answers a waiting request with the operator's text.

        Raises:
            UsageError: it is not waiting.
        """
        self._take(self._waiting(number), typed_answer(text))

    def give(self, ask: ModelRequest, reply: ModelReply) -> None:
        """Answers a request with this reply whenever it is made on this branch from now on."""
        self.given = MappingProxyType({**self.given, ask.key(""): reply})

    def ask_again(self, number: int) -> None:
        """Sends a waiting or failed request again.

        Raises:
            UsageError: it is not waiting.
        """
        self._submit(self._waiting(number))

    def use_model(self, name: str) -> None:
        """Lets another provider answer, also the requests that are waiting.

        Raises:
            UsageError: there is no such provider.
        """
        if name not in self._models:
            raise UsageError(f"no provider '{name}' here: there is {', '.join(self._models) or 'none'}")
        self._model = self._models[name]
        self._submit_all(failed=False)

    def retry(self) -> None:
        """Sends the failed requests again."""
        self._submit_all(failed=True)

    def _submit_all(self, *, failed: bool) -> None:
        """Sends all requests without a reply again, or only the failed ones."""
        for pending in [p for p in self._pending.values() if p.reply is None and (p.error is not None or not failed)]:
            self._submit(pending)

    def _waiting(self, number: int) -> PendingRequest:
        pending = self._pending.get(number)
        if pending is None or pending.reply is not None:
            raise UsageError(f"call {number} is not waiting for an answer")
        return pending

    def close(self) -> None:
        """Cancels all requests."""
        for pending in (*self._pending.values(), *self._aside.values()):
            pending.withdraw()


def typed_answer(text: str) -> ModelReply:
    """Returns the operator's answer as a reply."""
    return ModelReply((valid_text(text),), "human", is_model=False)


class PartialReplies:
    """The newest partial reply of each waiting model request. Safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._callbacks: dict[int, OnPartial] = {}
        self._found: dict[int, Partial] = {}

    def callback(self, number: int) -> OnPartial:
        """Returns a callback that receives the partial replies of a request. It replaces the request's previous callback."""
        def receive(partial: Partial) -> None:
            with self._lock:
                if self._callbacks.get(number) is receive:  # otherwise it is answered, or was sent again
                    self._found[number] = partial

        with self._lock:
            self._callbacks[number] = receive
            self._found.pop(number, None)
        return receive

    def end(self, number: int) -> None:
        """Forgets the partial reply of a request that is answered, failed or withdrawn."""
        with self._lock:
            self._callbacks.pop(number, None)
            self._found.pop(number, None)

    def of(self, number: int) -> Partial | None:
        """Returns the partial reply of a request; None if nothing has arrived or the request is not waiting."""
        with self._lock:
            return self._found.get(number)
