"""Sends a model request to a server in a form that it accepts.

Servers refuse or ignore fields of a request. `Dialect` is what is known about one server; `Exchange` tries one dialect after
the other and remembers the one that worked.
"""

from __future__ import annotations

import hashlib
import json
import re
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from core.common.errors import UsageError
from core.llm.completions import END_MARKS, Completion, Completions, read_completions
from core.llm.constrained import FORMS, TOGETHER, Form, Kind, fits, form_fields, is_begun, kind_of, misfit, unwrapped
from core.llm.endpoint import LOOK, Caller, Endpoint, Posted, Stopped
from core.llm.logprobs import MOST_ALTERNATIVES
from core.llm.model import OnPartial, estimated_tokens, prompt_tokens
from core.llm.reply_checks import valid_text
from core.llm.server_errors import Trouble, cancelled_error, shortened
from core.planning.model_requests import ModelRequest

LONGEST_EXTRA = 10_000
"""The maximum number of characters of `extra_body`."""
OURS = frozenset({
    "model", "messages", "n", "stream", "stream_options", "max_tokens", "max_completion_tokens", "temperature", "top_p",
    "logprobs", "top_logprobs", "response_format", "structured_outputs", "guided_choice", "guided_regex", "guided_json",
    "grammar",
})
"""Request fields that Belvedere sets itself."""
EXAMPLE = '{"reasoning_effort": "low"}'


@dataclass(frozen=True, slots=True)
class RequestSettings:
    """The settings of all requests to one provider.

    Attributes:
        temperature: for requests that leave it open; below 0: 0.
        max_tokens: the token limit of every reply, instead of the planner's; 0: the planner's.
        extra: additional fields of each request.
    """

    temperature: float = -1.0
    max_tokens: int = 0
    extra: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))

    def temperature_of(self, ask: ModelRequest) -> float:
        """Returns the temperature of a request."""
        return ask.temperature if ask.temperature >= 0 else max(0.0, self.temperature)

    def tokens_of(self, ask: ModelRequest) -> int:
        """Returns the token limit of a request's reply."""
        return self.max_tokens or ask.max_tokens

    @property
    def label(self) -> str:
        """The settings that affect replies, as part of `source`, so that caches distinguish them. May be empty."""
        parts = [f"temperature {self.temperature:g}"] if self.temperature >= 0 else []
        parts += [f"max_tokens {self.max_tokens}"] if self.max_tokens else []
        if self.extra:
            text = json.dumps(dict(self.extra), sort_keys=True)
            parts.append(f"extra_body #{hashlib.sha256(text.encode()).hexdigest()[:8]}")
        return f" ({', '.join(parts)})" if parts else ""


def read_extra_body(text: str) -> Mapping[str, object]:
    """Returns the fields of a JSON object; none for an empty text.

    Raises:
        UsageError: it is no JSON object, or contains a field that Belvedere sets itself.
    """
    if not text.strip():
        return MappingProxyType({})
    try:
        value = json.loads(text) if len(text) <= LONGEST_EXTRA else None
        text.encode()
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise UsageError(f"extra_body must be a JSON object of at most {LONGEST_EXTRA:,} characters, such as {EXAMPLE}")
    ours = sorted(OURS & value.keys())
    if ours:
        raise UsageError(f"extra_body must not hold '{ours[0]}', which is set for each question; there is a setting or none")
    return MappingProxyType(value)


COMMON_ALTERNATIVES = 20
"""The maximum number of alternatives for each token that OpenAI, vLLM and Ollama return; llama.cpp has no limit."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """How to send requests to one server.

    Attributes:
        samples: True if it accepts `n`.
        tokens: its name of the token limit.
        temperature: True if it accepts a temperature.
        top_p: True if it accepts top_p.
        logprobs: True if it accepts `logprobs`.
        alternatives: the number of alternatives for each token with log-probabilities.
        stream: True if replies are streamed.
        usage: True if it reports token counts at the end of a stream.
        refused: (kind, form) pairs that it refused or ignored.
        stop: the texts at which it is told to end a reply.
        most: the largest `n` that it accepts; 0: any.
        continues: True if its model continues texts: it is also told where the reply to a request ends (`ModelRequest.ends`).
    """

    samples: bool = True
    tokens: str = "max_tokens"
    temperature: bool = True
    top_p: bool = True
    logprobs: bool = True
    alternatives: int = MOST_ALTERNATIVES
    stream: bool = True
    usage: bool = True
    refused: frozenset[tuple[Kind, Form]] = frozenset()
    stop: tuple[str, ...] = ()
    most: int = 0
    continues: bool = False

    def together(self, samples: int) -> int:
        """Returns how many of so many samples one request draws."""
        return 1 if not self.samples else min(samples, self.most or samples)

    def form(self, ask: ModelRequest) -> Form:
        """Returns the best remaining form for a request."""
        kind = kind_of(ask.expects)
        usable = (f for f in FORMS[kind] if (kind, f) not in self.refused and form_fields(f, ask.expects) is not None)
        return next(usable, "free")

    def without_form(self, ask: ModelRequest) -> Dialect:
        """Returns the dialect without the current form of a request, because it was refused."""
        return replace(self, refused=self.refused | {(kind_of(ask.expects), self.form(ask))})

    def without_ignored_form(self, ask: ModelRequest) -> Dialect:
        """Returns the dialect without the current form of a request and all its parts, because it was ignored."""
        kind, form = kind_of(ask.expects), self.form(ask)
        ignored = (form, *TOGETHER) if form == "together" else (form,)
        return replace(self, refused=self.refused | {(kind, part) for part in ignored})

    def with_refusals(self, other: Dialect) -> Dialect:
        """Returns the combination of what two requests learned about one server."""
        return Dialect(self.samples and other.samples, self.tokens if self.tokens != "max_tokens" else other.tokens,
                       self.temperature and other.temperature, self.top_p and other.top_p, self.logprobs and other.logprobs,
                       min(self.alternatives, other.alternatives), self.stream and other.stream, self.usage and other.usage,
                       self.refused | other.refused, self.stop, self.most, self.continues)

    def body(self, ask: ModelRequest, model: str, samples: int, settings: RequestSettings) -> dict[str, object]:
        """Returns the request's JSON fields."""
        messages = [{"role": m.role, "content": valid_text(m.content, len(m.content))} for m in ask.messages]
        body: dict[str, object] = {**settings.extra, "model": model, "messages": messages, self.tokens: settings.tokens_of(ask)}
        if self.temperature:
            body["temperature"] = settings.temperature_of(ask)
        if self.top_p and ask.top_p != 1.0:
            body["top_p"] = ask.top_p
        if samples > 1 and self.samples:
            body["n"] = samples
        stop = [*self.stop, *(ask.ends if self.continues else ())]
        if stop:
            body.setdefault("stop", stop)  # the operator's own, in `extra_body`, comes first
        if ask.scores and self.logprobs:
            body |= {"logprobs": True, "top_logprobs": self.alternatives}
        if self.stream:
            body["stream"] = True
            if self.usage:
                body["stream_options"] = {"include_usage": True}
        return body | (form_fields(self.form(ask), ask.expects) or {})

    def named_refusal(self, ask: ModelRequest, samples: int, trouble: Trouble) -> Dialect | None:
        """Returns the dialect without the field that the server's error names, if it names one."""
        named = (option for option in self._used_options(ask, samples)
                 if trouble.parameter in option.fields.split() or re.search(option.words, trouble.detail, re.IGNORECASE))
        option = next(named, None)
        return None if option is None else option.change(self, ask)

    def unnamed_refusal(self, ask: ModelRequest, samples: int) -> list[Dialect]:
        """Returns dialects to try if the error names no field: without each field in turn, finally without any."""
        options = self._used_options(ask, samples)
        plain = self
        for option in options:
            plain = option.change(plain, ask)
        while plain.form(ask) != "free":
            plain = plain.without_form(ask)
        return list(dict.fromkeys([*(option.change(self, ask) for option in options), plain]))

    def _used_options(self, ask: ModelRequest, samples: int) -> list[_Option]:
        return [option for option in _OPTIONS if option.used(self, ask, samples)]


@dataclass(frozen=True, slots=True)
class _Option:
    """A request field that a server may refuse: its names, how errors name it, when it is used, and the dialect without it."""

    fields: str
    words: str
    used: Callable[[Dialect, ModelRequest, int], bool]
    change: Callable[[Dialect, ModelRequest], Dialect]


_OPTIONS = (
    _Option("structured_outputs guided_choice guided_regex guided_json grammar response_format",
            r"structured_outputs|guided_|grammar|response_format|json_schema|json_object",
            lambda d, ask, n: d.form(ask) != "free", lambda d, ask: d.without_form(ask)),
    _Option("top_logprobs logprobs", r"logprobs",
            lambda d, ask, n: ask.scores and d.logprobs and d.alternatives > COMMON_ALTERNATIVES,
            lambda d, ask: replace(d, alternatives=COMMON_ALTERNATIVES)),
    _Option("logprobs top_logprobs", r"logprobs",
            lambda d, ask, n: ask.scores and d.logprobs, lambda d, ask: replace(d, logprobs=False)),
    _Option("n",
            r"['\"`]n['\"`]|\bn\b ?(=|>|<|must|should|is\b|param|option|value)|n_cmpl|number of (choices|completions|slots)",
            lambda d, ask, n: d.samples and n > 1, lambda d, ask: replace(d, samples=False)),
    _Option("max_tokens", r"max_tokens",
            lambda d, ask, n: d.tokens == "max_tokens", lambda d, ask: replace(d, tokens="max_completion_tokens")),
    _Option("temperature", r"temperature",
            lambda d, ask, n: d.temperature, lambda d, ask: replace(d, temperature=False)),
    _Option("top_p", r"top_p",
            lambda d, ask, n: d.top_p and ask.top_p != 1.0, lambda d, ask: replace(d, top_p=False)),
    _Option("stream_options", r"stream_options|include_usage",
            lambda d, ask, n: d.stream and d.usage, lambda d, ask: replace(d, usage=False)),
    _Option("stream", r"\bstream(ing|ed)?\b",
            lambda d, ask, n: d.stream, lambda d, ask: replace(d, stream=False)),
)


def expected_dialect(host: str) -> Dialect:
    """Returns the initial dialect. OpenAI refuses fields that only other servers know, so they are excluded for it."""
    foreign: tuple[Form, ...] = ("together", *TOGETHER)
    if host != "api.openai.com":
        return Dialect()
    refused = frozenset((kind, form) for kind, forms in FORMS.items() for form in forms if form in foreign)
    return Dialect(alternatives=COMMON_ALTERNATIVES, refused=refused)


def llama_dialect(slots: int = 1, *, continues: bool = False) -> Dialect:
    """Returns the dialect of our own llama.cpp server.

    It is told the marks that end a turn: a model may write one as plain text and go on until the token limit.

    Args:
        slots: the number of slots; so many samples are drawn from one evaluation of a prompt.
        continues: True for a base model.
    """
    ignored: tuple[Form, ...] = ("together", "structured", "guided")
    refused = frozenset((kind, form) for kind, forms in FORMS.items() for form in forms if form in ignored)
    return Dialect(samples=slots > 1, most=slots, continues=continues, refused=refused, stop=END_MARKS)


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

    def ask(self, ask: ModelRequest, samples: int, stopped: Stopped, on_partial: OnPartial | None = None) -> Answered:
        """Returns at least one sample, at most `samples`.

        If the server ignores a form of constrained output, the first reply without that form shows it, and the next form is
        tried. The first request of each kind finds out; others wait for it.

        Raises:
            ModelError: see `Endpoint.post`.
        """
        kind, caller = kind_of(ask.expects), Caller(stopped, on_partial)
        with self._lock:
            found = kind in self._probed
        if found:
            return self._ask(ask, samples, caller)
        while not self._probing.acquire(timeout=LOOK):
            if stopped():
                raise cancelled_error()
        try:
            answered = self._ask(ask, samples, caller)
        finally:
            self._probing.release()
        with self._lock:
            self._probed.add(kind)
        return answered

    def _ask(self, ask: ModelRequest, samples: int, caller: Caller) -> Answered:
        dialect, answered = self._accepted(self.dialect, ask, samples, caller)
        if not _obeyed(answered, ask):
            dialect, answered = self._try_other_forms(dialect, answered, ask, samples, caller)
        if len(answered.samples) < samples:
            dialect = replace(dialect, samples=False)
        with self._lock:
            self._dialect = self._dialect.with_refusals(dialect)
        return answered

    def _try_other_forms(self, dialect: Dialect, answered: Answered, ask: ModelRequest, samples: int,
                         caller: Caller) -> tuple[Dialect, Answered]:
        """Tries other forms until the server obeys one; else returns the reply without a form.

        If every reply is cut off or empty (a reasoning model that uses all its tokens for thinking), nothing is learned about
        the server, and the search is not repeated for requests with as few tokens.
        """
        kind, limit = kind_of(ask.expects), self._settings.tokens_of(ask)
        with self._lock:
            is_known_to_fail = limit <= self._failed_limits.get(kind, 0)
        before, lost = dialect, _is_lost(answered, ask)
        while not is_known_to_fail and dialect.form(ask) != "free" and not _obeyed(answered, ask):
            dialect, again = self._accepted(dialect.without_ignored_form(ask), ask, samples, caller)
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

    def _accepted(self, dialect: Dialect, ask: ModelRequest, samples: int, caller: Caller) -> tuple[Dialect, Answered]:
        """Returns the first dialect that the server does not refuse, starting with `dialect`, and the reply."""
        first: Trouble | None = None
        guessing = False
        candidates = [dialect]
        for _ in range(REFUSALS):
            if not candidates:
                break
            tried = candidates.pop(0)
            try:
                body = tried.body(ask, self._model, samples, self._settings)
                posted = self._endpoint.post(body, caller)
            except Trouble as trouble:
                if not trouble.adaptable:
                    raise
                first = first or trouble
                named = tried.named_refusal(ask, samples, trouble)
                if named is not None:
                    candidates.insert(0, named)
                elif not guessing:
                    candidates, guessing = tried.unnamed_refusal(ask, samples), True
                continue
            return tried, _answered(posted, ask, tried, samples)
        raise first or Trouble("the server refused every form of the question", "refused", retry=False)

    def __repr__(self) -> str:
        return f"Exchange({self._endpoint!r}, {self._model})"


def _answered(posted: Posted, ask: ModelRequest, dialect: Dialect, samples: int) -> Answered:
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


def _is_lost(answered: Answered, ask: ModelRequest) -> bool:
    """Returns True if each sample without the form is cut off or empty: with more tokens it might have it."""
    return all(misfit(ask.expects, s.text, cut=s.cut) != "free" for s in answered.samples)
