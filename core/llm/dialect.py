"""How to send a model request to one server: which fields it takes, by which names, and how it constrains replies."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, fields, replace
from operator import itemgetter
from typing import Any

from core.llm.constrained import FORMS, TOGETHER, Form, Kind, form_fields, kind_of
from core.llm.logprobs import MOST_ALTERNATIVES
from core.llm.message_text import END_MARKS
from core.llm.reply_checks import valid_text
from core.llm.request_settings import RequestSettings
from core.llm.server_errors import Trouble
from core.planning.model_requests import ModelRequest

COMMON_ALTERNATIVES = 20
"""The maximum number of alternatives for each token that OpenAI, vLLM and Ollama return; llama.cpp has no limit."""
ROOM, NO_ROOM = 4096, -1
"""Tokens that a model which thinks first may take beyond the planner's limit; and that a server does not allow more."""
FOREIGN: tuple[Form, ...] = ("together", *TOGETHER)
"""The forms that only other servers than OpenAI's know."""


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
        room: the tokens added to the planner's limit, because the model thinks first; `NO_ROOM` if the server refuses that.
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
    room: int = 0
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
        parts = self._parts(kind)
        usable = (f for f in FORMS[kind] if (kind, f) not in self.refused and form_fields(f, ask.expects) is not None
                  and (f != "together" or len(parts) > 1))
        return next(usable, "free")

    def _parts(self, kind: Kind) -> tuple[Form, ...]:
        """Returns the forms that one request tries together."""
        return tuple(part for part in TOGETHER if (kind, part) not in self.refused)

    def without_form(self, ask: ModelRequest) -> Dialect:
        """Returns the dialect without the current form of a request, because it was refused."""
        return replace(self, refused=self.refused | {(kind_of(ask.expects), self.form(ask))})

    def without_ignored_form(self, ask: ModelRequest) -> Dialect:
        """Returns the dialect without the current form of a request and all its parts, because it was ignored."""
        kind, form = kind_of(ask.expects), self.form(ask)
        ignored = FOREIGN if form == "together" else (form,)
        return replace(self, refused=self.refused | {(kind, part) for part in ignored})

    def without_forms(self, forms: Iterable[Form]) -> Dialect:
        """Returns the dialect without some forms, of whatever kind, because the server does not know their fields."""
        return replace(self, refused=self.refused | {(kind, form) for kind in FORMS for form in forms if form in FORMS[kind]})

    def with_refusals(self, other: Dialect) -> Dialect:
        """Returns the combination of what two requests learned about one server."""
        room = NO_ROOM if NO_ROOM in (self.room, other.room) else max(self.room, other.room)
        return Dialect(self.samples and other.samples, self.tokens if self.tokens != "max_tokens" else other.tokens,
                       self.temperature and other.temperature, self.top_p and other.top_p, self.logprobs and other.logprobs,
                       min(self.alternatives, other.alternatives), self.stream and other.stream, self.usage and other.usage,
                       room, self.refused | other.refused, self.stop, self.most, self.continues)

    def body(self, ask: ModelRequest, model: str, samples: int, settings: RequestSettings) -> dict[str, object]:
        """Returns the request's JSON fields."""
        messages = [{"role": m.role, "content": valid_text(m.content, len(m.content))} for m in ask.messages]
        body: dict[str, object] = {**settings.extra, "model": model, "messages": messages,
                                   self.tokens: settings.tokens_of(ask, max(0, self.room))}
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
        return body | (form_fields(self.form(ask), ask.expects, self._parts(kind_of(ask.expects))) or {})

    def without_named(self, ask: ModelRequest, samples: int, trouble: Trouble) -> Dialect | None:
        """Returns the dialect without all fields that the server's error names; None if it names none."""
        used = [option for option in _OPTIONS if option.used(self, ask, samples)]
        named = [option for option in used if trouble.parameter in option.fields.split()]
        if not named or UNKNOWN.search(trouble.said):
            complaint = ALLOWED.split(trouble.said, maxsplit=1)[0]
            found = [(match.start(), option) for option in used if (match := re.search(option.words, complaint, re.IGNORECASE))]
            named += [option for _, option in sorted(found, key=itemgetter(0))]
        changed = self
        # One error may list all unknown fields. An error about a value may mention another field after it.
        for option in dict.fromkeys(named if UNKNOWN.search(trouble.said) else named[:1]):
            changed = option.change(changed, ask, trouble)
        return None if changed == self else changed

    def guesses(self, ask: ModelRequest, samples: int) -> tuple[Dialect, list[Dialect]]:
        """Returns what to try if the error names no field.

        Returns:
            The dialect without any field, which shows whether the fields are the cause; and the dialects without each of them.
        """
        unnamed = Trouble("", "refused", retry=False)
        options = [option for option in _OPTIONS if option.used(self, ask, samples)]
        plain = self
        for option in options:
            plain = option.change(plain, ask, unnamed)
        while plain.form(ask) != "free":
            plain = plain.without_form(ask)
        return plain, [option.change(self, ask, unnamed) for option in options]


LEARNED = tuple(f.name for f in fields(Dialect) if f.name not in ("refused", "stop", "most", "continues"))
"""The fields that a server teaches, beside the forms that it refuses."""


def as_json(dialect: Dialect) -> dict[str, object]:
    """Returns what was learned about a server, for a file."""
    found = asdict(dialect)
    return {**{name: found[name] for name in LEARNED}, "refused": sorted(map(list, dialect.refused))}


def read_dialect(value: object) -> Dialect | None:
    """Returns what a file says about a server; None if it makes no sense."""
    if not isinstance(value, dict) or not isinstance(value.get("refused"), list):
        return None
    plain = asdict(Dialect())
    known: dict[str, Any] = {name: value.get(name) for name in LEARNED}
    refused = {(kind, form) for kind, forms in FORMS.items() for form in forms if [kind, form] in value["refused"]}
    if any(type(known[name]) is not type(plain[name]) for name in LEARNED) or known["tokens"] not in TOKEN_FIELDS:
        return None
    if not (0 < known["alternatives"] <= MOST_ALTERNATIVES and known["room"] in (NO_ROOM, 0, ROOM)):
        return None
    return Dialect(refused=frozenset(refused), **known)


TOKEN_FIELDS = ("max_tokens", "max_completion_tokens")
ALLOWED = re.compile(r"(?<!not )\b(supported|allowed|accepted|valid|known|permitted|available)\b[^.;:]{0,40}(\bare\b|:)", re.I)
"""Where a message begins to list what would be taken."""
UNKNOWN = re.compile(r"unknown|unrecogni|unexpected|extra (input|field|param)|not permitted|additional propert|unsupported"
                     r"|not supported|not support\b|not allowed|no such", re.IGNORECASE)
"""Words about fields that a server does not know, whatever their values are."""
TOO_MANY = re.compile(r"<=|≤|\b(less|greater|most|max\w*|between|exceed\w*|range)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Option:
    """A request field that a server may refuse: its names, how errors name it, when it is used, and the dialect without it."""

    fields: str
    words: str
    used: Callable[[Dialect, ModelRequest, int], bool]
    change: Callable[[Dialect, ModelRequest, Trouble], Dialect]


def _without_form(dialect: Dialect, ask: ModelRequest, trouble: Trouble) -> Dialect:
    """Returns the dialect without the form of a request. A field that the server does not know is not sent in any request."""
    form, said = dialect.form(ask), f"{trouble.parameter} {trouble.said}"
    if not UNKNOWN.search(said):
        return dialect.without_form(ask)
    if form not in FOREIGN:
        return dialect.without_forms(("schema", "json") if "response_format" in said and form == "schema" else (form,))
    if form != "together" or "structured_outputs" in said:  # who does not know the newest does not know the older ones
        return dialect.without_forms(FOREIGN if form == "together" else (form,))
    named: tuple[tuple[str, Form], ...] = (("guided_", "guided"), ("grammar", "grammar"))
    parts = [part for name, part in named if name in said]
    return dialect.without_forms(parts) if parts else dialect.without_form(ask)


def _fewer_logprobs(dialect: Dialect, ask: ModelRequest, trouble: Trouble) -> Dialect:
    """Returns the dialect with fewer alternatives if that is what the error is about; else without log-probabilities."""
    del ask
    if dialect.alternatives > COMMON_ALTERNATIVES and (trouble.parameter == "top_logprobs" or TOO_MANY.search(trouble.said)):
        return replace(dialect, alternatives=COMMON_ALTERNATIVES)
    return replace(dialect, logprobs=False)


_OPTIONS = (
    _Option("structured_outputs guided_choice guided_regex guided_json grammar response_format",
            r"structured_outputs|guided_|grammar|response_format|json_schema|json_object",
            lambda d, ask, n: d.form(ask) != "free", _without_form),
    _Option("logprobs top_logprobs", r"logprobs", lambda d, ask, n: ask.scores and d.logprobs, _fewer_logprobs),
    _Option("n",
            r"['\"`]n['\"`]|\bn\b ?(=|>|<|must|should|is\b|param|option|value)|n_cmpl|number of (choices|completions|slots)",
            lambda d, ask, n: d.samples and n > 1, lambda d, ask, t: replace(d, samples=False)),
    _Option("max_tokens max_completion_tokens", r"max_(completion_)?tokens",  # its value is refused, not its name
            lambda d, ask, n: d.room > 0, lambda d, ask, t: replace(d, room=NO_ROOM)),
    _Option("max_tokens", r"max_tokens",
            lambda d, ask, n: d.tokens == "max_tokens", lambda d, ask, t: replace(d, tokens="max_completion_tokens")),
    _Option("temperature", r"temperature",
            lambda d, ask, n: d.temperature, lambda d, ask, t: replace(d, temperature=False)),
    _Option("top_p", r"top_p",
            lambda d, ask, n: d.top_p and ask.top_p != 1.0, lambda d, ask, t: replace(d, top_p=False)),
    _Option("stream_options", r"stream_options|include_usage",
            lambda d, ask, n: d.stream and d.usage, lambda d, ask, t: replace(d, usage=False)),
    _Option("stream", r"\bstream(ing|ed)?\b",
            lambda d, ask, n: d.stream, lambda d, ask, t: replace(d, stream=False)),
)


def expected_dialect(host: str) -> Dialect:
    """Returns the initial dialect. OpenAI refuses fields that only other servers know, so they are excluded for it."""
    if host != "api.openai.com":
        return Dialect()
    return Dialect(alternatives=COMMON_ALTERNATIVES).without_forms(FOREIGN)


def llama_dialect(slots: int = 1, *, continues: bool = False) -> Dialect:
    """Returns the dialect of our own llama.cpp server.

    It is told the marks that end a turn: a model may write one as plain text and go on until the token limit.

    Args:
        slots: the number of slots; so many samples are drawn from one evaluation of a prompt.
        continues: True for a base model.
    """
    own = Dialect(samples=slots > 1, most=slots, continues=continues, stop=END_MARKS)
    return own.without_forms(("together", "structured", "guided"))
