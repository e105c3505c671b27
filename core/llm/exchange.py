"""Sends a model request to a server in a form it accepts, and remembers that form."""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace

from core.llm.completions import Completion, Completions, read_completions
from core.llm.constrained import Form, Kind, fits, is_begun, kind_of, misfit, unwrapped
from core.llm.dialect import Dialect, RequestSettings
from core.llm.endpoint import LOOK, Deadline, Endpoint, Posted, Stopped, cancelled_error
from core.llm.model import Hear
from core.llm.server_errors import Trouble, shortened
from core.planning.model_requests import Ask

REFUSALS = 16  # the maximum number of refused HTTP requests of one model request
CHARACTERS_A_TOKEN = 4  # for estimates if the server reports no counts


def estimated_tokens(characters: int) -> int:
    """Returns the approximate number of tokens of a text."""
    return -(-characters // CHARACTERS_A_TOKEN)


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

    def with_more(self, more: Answered, samples: int) -> Answered:
        """Returns these samples and the first ones of `more`."""
        return replace(self, samples=self.samples + more.samples[:samples], tokens_in=self.tokens_in + more.tokens_in,
                       tokens_out=self.tokens_out + more.tokens_out, notes=self.notes + more.notes)

    def after(self, earlier: Answered) -> Answered:
        """Returns the same with the cost of an earlier attempt added."""
        return replace(self, tokens_in=self.tokens_in + earlier.tokens_in, tokens_out=self.tokens_out + earlier.tokens_out)


class Exchange:
    """Sends requests for one model to one endpoint. Thread-safe."""

    def __init__(self, endpoint: Endpoint, model: str, dialect: Dialect, settings: RequestSettings):
        self._endpoint, self._model, self._settings = endpoint, model, settings
        self._lock = threading.Lock()
        self._dialect = dialect
        self._probing = threading.Lock()
        """Held by the request that finds out which form the server obeys."""
        self._probed: set[Kind] = {"text"}
        self._failed_limits: dict[Kind, int] = {}
        """Kind of form -> the highest token limit at which no way of requesting it gave a complete reply."""

    @property
    def dialect(self) -> Dialect:
        """What is known about the server so far."""
        with self._lock:
            return self._dialect

    def ask(self, ask: Ask, samples: int, stopped: Stopped, hear: Hear | None = None) -> Answered:
        """Returns at least one sample, at most `samples`.

        If the server ignores a form of constrained output, the first reply without that form shows it, and the next form is
        tried. The first request of each kind finds out; others wait for it.

        Raises:
            ModelError: see `Endpoint.post`.
        """
        kind = kind_of(ask.expects)
        with self._lock:
            found = kind in self._probed
        if found:
            return self._ask(ask, samples, stopped, hear)
        while not self._probing.acquire(timeout=LOOK):
            if stopped():
                raise cancelled_error()
        try:
            answered = self._ask(ask, samples, stopped, hear)
        finally:
            self._probing.release()
        with self._lock:
            self._probed.add(kind)
        return answered

    def _ask(self, ask: Ask, samples: int, stopped: Stopped, hear: Hear | None) -> Answered:
        deadline = Deadline(self._endpoint.patience.whole)
        dialect, answered = self._accepted(self.dialect, ask, samples, stopped, deadline, hear)
        if not _obeyed(answered, ask):
            dialect, answered = self._try_other_forms(dialect, answered, ask, samples, stopped, deadline, hear)
        if len(answered.samples) < samples:
            dialect = replace(dialect, samples=False)
        with self._lock:
            self._dialect = self._dialect.with_refusals(dialect)
        return answered

    def _try_other_forms(self, dialect: Dialect, answered: Answered, ask: Ask, samples: int, stopped: Stopped,
                         deadline: Deadline, hear: Hear | None) -> tuple[Dialect, Answered]:
        """Tries other forms until the server obeys one; else returns the reply without a form.

        If every reply is cut off or empty (a reasoning model that uses all its tokens for thinking), nothing is learned about
        the server, and the search is not repeated for requests with as few tokens.
        """
        kind, limit = kind_of(ask.expects), self._settings.tokens_of(ask)
        with self._lock:
            vain = limit <= self._failed_limits.get(kind, 0)
        before, lost = dialect, _is_lost(answered, ask)
        while not vain and dialect.form(ask) != "free" and not _obeyed(answered, ask):
            dialect, again = self._accepted(dialect.without_ignored_form(ask), ask, samples, stopped, deadline, hear)
            answered = again.after(answered)
            lost = lost and _is_lost(answered, ask)
        if _obeyed(answered, ask) or not lost:
            return dialect, answered
        with self._lock:
            self._failed_limits[kind] = max(limit, self._failed_limits.get(kind, 0))
        cut = any(sample.cut for sample in answered.samples)
        note = f"no way of asking gives a whole reply within {limit} tokens: allow more with max_tokens=NUMBER" if cut \
            else "no way of asking gives a reply"
        return before, replace(answered, notes=(*answered.notes, note))

    def _accepted(self, dialect: Dialect, ask: Ask, samples: int, stopped: Stopped, deadline: Deadline,
                  hear: Hear | None) -> tuple[Dialect, Answered]:
        """Returns the first dialect that the server does not refuse, starting with `dialect`, and the reply."""
        first: Trouble | None = None
        guessing = False
        ways = [dialect]
        for _ in range(REFUSALS):
            if not ways:
                break
            way = ways.pop(0)
            try:
                body = way.body(ask, self._model, samples, self._settings)
                posted = self._endpoint.post(body, stopped, deadline, hear)
            except Trouble as trouble:
                if not trouble.adaptable:
                    raise
                first = first or trouble
                named = way.named_refusal(ask, samples, trouble)
                if named is not None:
                    ways.insert(0, named)
                elif not guessing:
                    ways, guessing = way.unnamed_refusal(ask, samples), True
                continue
            return way, _answered(posted, ask, way, samples)
        raise first or Trouble("the server refused every form of the question", "refused", retry=False)

    def __repr__(self) -> str:
        return f"Exchange({self._endpoint!r}, {self._model})"


def _answered(posted: Posted, ask: Ask, dialect: Dialect, samples: int) -> Answered:
    payload = posted.payload
    read = read_completions(payload, samples)
    if not read.samples:
        error = payload.get("error") if isinstance(payload, dict) else None
        error = error.get("message") if isinstance(error, dict) else error
        said = f": {shortened(error)}" if isinstance(error, str) and error else ""
        raise Trouble(f"the server's answer holds no reply{said}", "refused", retry=False)
    form = dialect.form(ask)
    texts = tuple(replace(s, text=unwrapped(form, ask.expects, s.text)) for s in read.samples)
    notes = []
    if form == "free" and kind_of(ask.expects) != "text":
        notes.append("asked freely: the server takes no constrained output")
    if not dialect.temperature:
        notes.append("the server takes no temperature")
    return Answered(texts, *_cost(read, ask), tuple(notes), form, posted.first_token, posted.rate)


def _cost(read: Completions, ask: Ask) -> tuple[int, int]:
    prompt = estimated_tokens(sum(len(m.content) for m in ask.messages))
    replies = estimated_tokens(sum(len(s.text) for s in read.samples))
    return (prompt if read.tokens_in is None else read.tokens_in, replies if read.tokens_out is None else read.tokens_out)


def _obeyed(answered: Answered, ask: Ask) -> bool:
    """Returns True if each sample has the form, or had it until it was cut off.

    A model that declines to answer says nothing about the server.
    """
    return all(fits(ask.expects, s.text) or s.refused or (s.cut and is_begun(ask.expects, answered.form, s.text))
               for s in answered.samples)


def _is_lost(answered: Answered, ask: Ask) -> bool:
    """Returns True if each sample without the form is cut off or empty: with more tokens it might have it."""
    return all(misfit(ask.expects, s.text, cut=s.cut) != "free" for s in answered.samples)
