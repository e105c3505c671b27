"""Putting one question to one server in the way it takes, and remembering that way."""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace

from core.effects import Ask
from core.language.completions import Completion, Completions, read_completions
from core.language.constrained import fits, kind_of, unwrapped
from core.language.dialect import Dialect
from core.language.endpoint import Deadline, Endpoint, Stopped
from core.language.trouble import Trouble, shortened

REFUSALS = 12  # requests of one question that a server may refuse before we believe it
CHARACTERS_A_TOKEN = 4  # for estimates, where the server does not count


def estimated_tokens(characters: int) -> int:
    """About how many tokens so much text is."""
    return -(-characters // CHARACTERS_A_TOKEN)


@dataclass(frozen=True, slots=True)
class Answered:
    """Samples, what they cost, and what was odd about the exchange."""

    samples: tuple[Completion, ...]
    tokens_in: int
    tokens_out: int
    notes: tuple[str, ...] = ()

    def with_more(self, more: Answered, samples: int) -> Answered:
        """These and the first of `more`."""
        return Answered(self.samples + more.samples[:samples], self.tokens_in + more.tokens_in,
                        self.tokens_out + more.tokens_out, self.notes + more.notes)


class Exchange:
    """Questions to one model at one endpoint. Safe to use from several threads at once."""

    def __init__(self, endpoint: Endpoint, model: str, dialect: Dialect):
        self._endpoint, self._model = endpoint, model
        self._lock = threading.Lock()
        self._dialect = dialect

    @property
    def dialect(self) -> Dialect:
        """What is known of the server by now."""
        with self._lock:
            return self._dialect

    def ask(self, ask: Ask, samples: int, stopped: Stopped) -> Answered:
        """At least one sample, at most `samples`.

        Constrained output that the server ignores shows in the first reply without the form; then the next way is tried.

        Raises:
            ModelError: see `Endpoint.post`.
        """
        deadline = Deadline(self._endpoint.patience.whole)
        dialect, answered = self._taken(self.dialect, ask, samples, stopped, deadline)
        while dialect.form(ask) != "free" and not _has_form(answered, ask):
            dialect, again = self._taken(dialect.without_form(ask), ask, samples, stopped, deadline)
            answered = replace(again, tokens_in=again.tokens_in + answered.tokens_in,
                               tokens_out=again.tokens_out + answered.tokens_out)
        if len(answered.samples) < samples:
            dialect = replace(dialect, samples=False)
        with self._lock:
            self._dialect = dialect
        return answered

    def _taken(self, dialect: Dialect, ask: Ask, samples: int, stopped: Stopped,
               deadline: Deadline) -> tuple[Dialect, Answered]:
        """The first way of asking, from `dialect` on, that the server does not refuse."""
        first: Trouble | None = None
        guessing = False
        ways = [dialect]
        for _ in range(REFUSALS):
            if not ways:
                break
            way = ways.pop(0)
            try:
                payload = self._endpoint.post(way.body(ask, self._model, samples), stopped, deadline)
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
            return way, _answered(payload, ask, way, samples)
        raise first or Trouble("the server refused every form of the question", "refused", retry=False)

    def __repr__(self) -> str:
        return f"Exchange({self._endpoint!r}, {self._model})"


def _answered(payload: object, ask: Ask, dialect: Dialect, samples: int) -> Answered:
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
    return Answered(texts, *_cost(read, ask), tuple(notes))


def _cost(read: Completions, ask: Ask) -> tuple[int, int]:
    prompt = estimated_tokens(sum(len(m.content) for m in ask.messages))
    replies = estimated_tokens(sum(len(s.text) for s in read.samples))
    return (prompt if read.tokens_in is None else read.tokens_in, replies if read.tokens_out is None else read.tokens_out)


def _has_form(answered: Answered, ask: Ask) -> bool:
    """Whether every sample has the expected form; what was cut off or refused by the model tells nothing."""
    return all(s.cut or not s.text.strip() or fits(ask.expects, s.text) for s in answered.samples)
