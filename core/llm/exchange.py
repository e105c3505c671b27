"""Asks a server in a form that it accepts.

Servers refuse or ignore fields of a request. `Exchange` tries one dialect after the other and remembers the one that worked.
Its conversations are generators, which `core.llm.endpoint` drives: they yield requests and receive responses.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, replace

from core.common.cancellation import Cancellation
from core.common.errors import ModelError
from core.llm.completions import Completion, Completions
from core.llm.constrained import Form, Kind, fits, is_begun, kind_of, misfit, unwrapped
from core.llm.dialect import NO_ROOM, ROOM, Dialect
from core.llm.endpoint import Posted, Talk
from core.llm.model import estimated_tokens, prompt_tokens
from core.llm.request_settings import RequestSettings
from core.llm.server_errors import Trouble, cancelled_error
from core.planning.model_requests import ModelRequest

REFUSALS = 16  # the maximum number of refused HTTP requests of one model request


@dataclass(frozen=True, slots=True)
class Answered:
    """Samples, their cost, and remarks about the exchange.

    Attributes:
        samples: the samples.
        tokens_in: prompt tokens.
        tokens_out: reply tokens.
        notes: remarks.
        form: how the required form was requested.
        first_token: seconds until the first piece of the last reply; 0 if it was not streamed.
        rate: tokens per second after that; 0 if it was not streamed.
    """

    samples: tuple[Completion, ...]
    tokens_in: int
    tokens_out: int
    notes: tuple[str, ...] = ()
    form: Form = "free"
    first_token: float = 0.0
    rate: float = 0.0

    def with_more(self, more: Answered) -> Answered:
        """Returns these samples and those of `more`."""
        return replace(self, samples=self.samples + more.samples, tokens_in=self.tokens_in + more.tokens_in,
                       tokens_out=self.tokens_out + more.tokens_out, notes=self.notes + more.notes)

    def after(self, earlier: Answered) -> Answered:
        """Returns the same with the cost of an earlier attempt added."""
        return replace(self, tokens_in=self.tokens_in + earlier.tokens_in, tokens_out=self.tokens_out + earlier.tokens_out)


class Exchange:
    """Knows how one server is asked for replies of one model. Thread-safe.

    Args:
        model: the model's name.
        dialect: what is known about the server.
        settings: those of each request.
        on_learned: called with what is known whenever more is known and a reply has come.
    """

    def __init__(self, model: str, dialect: Dialect, settings: RequestSettings,
                 on_learned: Callable[[Dialect], None] = lambda dialect: None):
        self._model, self._settings = model, settings
        self._changed = threading.Condition()
        self._dialect = self._reported = dialect
        self._on_learned = on_learned
        self._is_probing = False
        """Whether a request finds out what the server refuses, and which form it obeys."""
        self._probed: set[Kind] = set()
        self._failures = 0
        """How many of these requests got no reply."""
        self._failed_limits: dict[Kind, int] = {}
        """Kind of form -> the highest token limit at which no way of requesting it gave a complete reply."""

    @property
    def dialect(self) -> Dialect:
        """What is known about the server so far."""
        with self._changed:
            return self._dialect

    def ask(self, ask: ModelRequest, samples: int, cancelled: Cancellation) -> Talk[Answered]:
        """Asks for `samples` samples. Returns at least one.

        If the server ignores a form of constrained output, the first reply without that form shows it, and the next form is
        tried. The first request of each kind finds out; others wait for it.

        Raises:
            ModelError: there is no reply; see `Endpoint.post`.
        """
        kind = kind_of(ask.expects)
        if not self._has_to_probe(kind, cancelled):
            return (yield from self._ask(ask, samples))
        try:
            answered = yield from self._ask(ask, samples)
            with self._changed:
                self._probed.add(kind)
        except ModelError:
            with self._changed:
                self._failures += 1
            raise
        finally:
            with self._changed:
                self._is_probing = False
                self._changed.notify_all()
        return answered

    def _has_to_probe(self, kind: Kind, cancelled: Cancellation) -> bool:
        """Waits until it is known how to ask for a kind of form. Returns True if this request has to find out.

        If the request that tries to find out fails, the others do not wait in turn, since the server may not answer at all.

        Raises:
            ModelError: the request is cancelled.
        """
        with self._changed:
            failures = self._failures

            def is_over() -> bool:
                return kind in self._probed or self._failures != failures

            cancelled.wait_with(self._changed, lambda: not self._is_probing or is_over())
            if is_over():
                return False
            if cancelled.is_set():
                raise cancelled_error()
            self._is_probing = True
            return True

    def _ask(self, ask: ModelRequest, samples: int) -> Talk[Answered]:
        dialect, answered = yield from self._accepted(self.dialect, ask, samples)
        if dialect.room == 0 and self._settings.max_tokens == 0 and _is_used_up(answered):
            dialect, answered = yield from self._with_room(dialect, answered, ask, samples)
        if not _obeyed(answered, ask):
            dialect, answered = yield from self._try_other_forms(dialect, answered, ask, samples)
        if len(answered.samples) < samples:
            dialect = replace(dialect, samples=False)
        self._learn(dialect)
        with self._changed:
            known, self._reported, is_new = self._dialect, self._dialect, self._dialect != self._reported
        if is_new:
            self._on_learned(known)
        return answered

    def _learn(self, dialect: Dialect) -> None:
        """Adds what a request has learned. An error that names a field is certain, even if no reply follows."""
        with self._changed:
            self._dialect = self._dialect.with_refusals(dialect)

    def _with_room(self, dialect: Dialect, answered: Answered, ask: ModelRequest,
                   samples: int) -> Talk[tuple[Dialect, Answered]]:
        """Asks again with a higher token limit, because the model has used it up by thinking.

        If the server allows no more, the reply stays as it is.
        """
        try:
            dialect, again = yield from self._accepted(replace(dialect, room=ROOM), ask, samples)
        except Trouble as trouble:
            if not 400 <= trouble.status < 500 or trouble.status == 429:
                raise
            return replace(dialect, room=NO_ROOM), answered
        return dialect, again.after(answered)

    def _try_other_forms(self, dialect: Dialect, answered: Answered, ask: ModelRequest,
                         samples: int) -> Talk[tuple[Dialect, Answered]]:
        """Tries other forms until the server obeys one; else returns the reply without a form.

        If every reply is cut off or empty (a reasoning model that uses all its tokens for thinking), nothing is learned about
        the server, and the search is not repeated for requests with as few tokens.
        """
        kind, limit = kind_of(ask.expects), self._settings.tokens_of(ask, max(0, dialect.room))
        with self._changed:
            is_known_to_fail = limit <= self._failed_limits.get(kind, 0)
        before, lost = dialect, _is_lost(answered, ask)
        while not is_known_to_fail and dialect.form(ask) != "free" and not _obeyed(answered, ask):
            dialect, again = yield from self._accepted(dialect.without_ignored_form(ask), ask, samples)
            answered = again.after(answered)
            lost = lost and _is_lost(answered, ask)
        if _obeyed(answered, ask) or not lost:
            return dialect, answered
        with self._changed:
            self._failed_limits[kind] = max(limit, self._failed_limits.get(kind, 0))
        cut = any(sample.cut for sample in answered.samples)
        note = f"no way of asking gives a whole reply within {limit} tokens: allow more with max_tokens=NUMBER" if cut \
            else "no way of asking gives a reply"
        return before, replace(answered, notes=(*answered.notes, note))

    def _accepted(self, dialect: Dialect, ask: ModelRequest, samples: int) -> Talk[tuple[Dialect, Answered]]:
        """Returns the first dialect that the server does not refuse, starting with `dialect`, and the reply."""
        first: Trouble | None = None
        for _ in range(REFUSALS):
            try:
                return dialect, (yield from self._answer(dialect, ask, samples))
            except Trouble as trouble:
                if not trouble.adaptable:
                    raise
                first = first or trouble
                named = dialect.without_named(ask, samples, trouble)
            if named is None:
                return (yield from self._guessed(dialect, ask, samples, first))
            self._learn(named)
            dialect = named
        raise first or _refused()

    def _guessed(self, dialect: Dialect, ask: ModelRequest, samples: int,
                 first: Trouble) -> Talk[tuple[Dialect, Answered]]:
        """Returns an accepted dialect, though the error names no field, and the reply.

        First without the form, which is the most likely cause. Then without all fields: if that is refused as well, fields are
        not the cause. Then without each.
        """
        plain, singles = dialect.guesses(ask, samples)
        candidates = list(dict.fromkeys([*singles[:1], plain, *singles[1:]]))
        fallback: tuple[Dialect, Answered] | None = None
        for _ in range(REFUSALS):
            if not candidates:
                break
            tried = candidates.pop(0)
            try:
                answered = yield from self._answer(tried, ask, samples)
            except Trouble as trouble:
                if not trouble.adaptable:
                    raise
                named = tried.without_named(ask, samples, trouble)
                if named is None and tried == plain:
                    raise first from None
                candidates = candidates if named is None else [named, *candidates]
                continue
            if tried != plain or not candidates:
                return tried, answered if fallback is None else answered.after(fallback[1])
            fallback = tried, answered
        if fallback is None:
            raise first
        return fallback

    def _answer(self, dialect: Dialect, ask: ModelRequest, samples: int) -> Talk[Answered]:
        body = dialect.body(ask, self._model, samples, self._settings)
        return _answered((yield body), ask, dialect, samples)

    def __repr__(self) -> str:
        return f"Exchange({self._model})"


def _refused() -> Trouble:
    return Trouble("the server refused every form of the question", "refused", retry=False)


def _answered(posted: Posted, ask: ModelRequest, dialect: Dialect, samples: int) -> Answered:
    form, read = dialect.form(ask), posted.completions
    texts = tuple(s if s.refused else replace(s, text=unwrapped(form, ask.expects, s.text)) for s in read.samples[:samples])
    notes = []
    if form == "free" and kind_of(ask.expects) != "text":
        notes.append("asked freely: the server takes no constrained output")
    if not dialect.temperature:
        notes.append("the server takes no temperature")
    if dialect.room > 0:
        notes.append(f"the model thinks first: it may take {dialect.room:,} tokens more; max_tokens=NUMBER sets another limit")
    return Answered(texts, *_cost(read, ask, dialect), tuple(notes), form, posted.first_token, posted.rate)


def _cost(read: Completions, ask: ModelRequest, dialect: Dialect) -> tuple[int, int]:
    """Returns the tokens of the prompt and of all samples, estimated where they are not reported."""
    replies = estimated_tokens(sum(len(s.text) for s in read.samples))
    if read.tokens_out is not None:  # our own server reports those of one sample
        replies = max(replies, read.tokens_out) if dialect.most else read.tokens_out
    return prompt_tokens(ask) if read.tokens_in is None else read.tokens_in, replies


def _obeyed(answered: Answered, ask: ModelRequest) -> bool:
    """Returns True if each sample has the form, or had it until it was cut off.

    A model that declines to answer says nothing about the server.
    """
    return all(fits(ask.expects, s.text) or s.refused or (s.cut and is_begun(ask.expects, answered.form, s.text))
               for s in answered.samples)


def _is_used_up(answered: Answered) -> bool:
    """Returns True if thinking has used up the token limit: each sample ends there, and is empty or was thought about."""
    return all(s.cut and not s.refused and (s.thinks or not s.text.strip()) for s in answered.samples)


def _is_lost(answered: Answered, ask: ModelRequest) -> bool:
    """Returns True if each sample without the form is cut off or empty: with more tokens it might have it."""
    return all(misfit(ask.expects, s.text, cut=s.cut) != "free" for s in answered.samples)
