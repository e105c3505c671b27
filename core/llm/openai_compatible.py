"""A provider for any server with OpenAI's chat completions API: OpenAI, vLLM, Ollama, llama.cpp's server, LM Studio."""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import ClassVar, Self, cast

from core.common.cancellation import Cancellation, any_of
from core.common.errors import MissingPart, ModelError, UsageError
from core.common.installation import needs
from core.common.parameters import Parameters, changed, parameter
from core.common.redaction import Redactor
from core.common.user_folders import cache_folder
from core.llm.constrained import FORM_NAMES, misfit
from core.llm.dialect import Dialect, expected_dialect
from core.llm.endpoint import Caller, Endpoint, Patience, Talk
from core.llm.event_stream import SHOWN
from core.llm.exchange import Answered, Exchange
from core.llm.keys import Address, Secret, find_key
from core.llm.known_servers import KnownServers
from core.llm.logprobs import Scored, Scores, choice_scores, scores_of_all
from core.llm.model import LanguageModel, OnPartial, Partial, Waiter
from core.llm.reply_checks import valid_text
from core.llm.request_settings import EXAMPLE, RequestSettings, read_extra_body
from core.llm.sources import Source
from core.planning.model_requests import Expects, Misfit, ModelReply, ModelRequest

OPENAI = "https://api.openai.com/v1"
ANY = "default"
"""The model name if none is given; most servers with a single model ignore it."""
LEAST_OF_KEY = 4  # the minimum number of characters at the end of a partial text that may be the start of the key
SLOTS = 4  # the default number of simultaneous requests


@dataclass(frozen=True)
class Settings(Parameters):
    """The server's address, time limits, and fields of each request."""

    base_url: str = parameter(OPENAI, "the server's address, up to and with /v1")
    model: str = parameter("", "the model's name, as the server calls it")
    timeout: float = parameter(60.0, "for one question, all its attempts together", low=0.01, high=3600, unit="s")
    retries: int = parameter(2, "further attempts after a failed one", low=0, high=10)
    backoff: float = parameter(0.5, "wait before the second attempt; doubles with each", low=0, high=60, unit="s")
    longest_wait: float = parameter(30.0, "give up when the server asks for a longer wait", low=0, high=3600, unit="s")
    key_name: str = parameter("", "the key's name in the system keyring (service belvedere); the server's host if not given")

    temperature: float = parameter(-1.0, "for questions whose planner leaves it open; -1 stands for 0, the likeliest reply",
                                   low=-1, high=2)
    max_tokens: int = parameter(0, "longest reply, in place of the planner's limit; more for models that think first; 0: as "
                                   "the planner asks", low=0, high=1_000_000, unit="tokens")
    extra_body: str = parameter("", f"further fields of each request, as a JSON object such as {EXAMPLE}")
    slots: int = parameter(SLOTS, "questions under way at once", low=1, high=64)
    stream: bool = parameter(True, "show replies while they come, where the server can stream")

    @property
    def patience(self) -> Patience:
        """The time limits and retries."""
        return Patience(self.timeout, self.retries, self.backoff, self.longest_wait)

    @property
    def request(self) -> RequestSettings:
        """The settings of each request.

        Raises:
            UsageError: `extra_body` is no JSON object, or contains fields set elsewhere.
        """
        return RequestSettings(self.temperature, self.max_tokens, read_extra_body(self.extra_body))


class OpenAICompatible(LanguageModel):
    """A model of an OpenAI-compatible server.

    Args:
        settings: address and request settings.
        secret: the key; empty for servers without keys.
        source: the name of the source; default: derived from the settings.
        dialect: the server's dialect, if known; default: it is learned.
        known: keeps what is learned about the server, for later connections; None: it is forgotten.
    """

    name: ClassVar[str] = "openai"
    notes: ClassVar[str] = "any OpenAI-compatible server; the key comes from the environment or the system's keyring"
    needs_settings: ClassVar[bool] = True
    settings: ClassVar[Parameters] = Settings()

    def __init__(self, settings: Settings, secret: Secret, source: str = "", dialect: Dialect | None = None,
                 known: KnownServers | None = None):
        address, request = Address(settings.base_url), settings.request
        self._secret, self._redactor, self._slots = secret, Redactor((secret.reveal(),)), settings.slots
        named = Source("openai", settings.model, "" if address.normalized == OPENAI else address.normalized).text
        self._source = self._redactor.text((source or named) + request.label)
        self._endpoint, self._closed = Endpoint(address, secret, settings.patience, settings.slots), Cancellation()
        server = server_name(settings)
        dialect = dialect or (known and known.get(server)) or expected_dialect(address.host)
        unasked = dialect.stream and not settings.stream  # then it does not become known whether the server streams
        self._exchange = Exchange(
            settings.model, replace(dialect, stream=dialect.stream and settings.stream), request,
            lambda learned: None if known is None else known.put(server, replace(learned, stream=learned.stream or unasked)))

    @classmethod
    def open(cls, options: Mapping[str, str]) -> Self:
        """See the base class; the settings are those of `Settings`."""
        settings = changed(Settings(), options)
        read_extra_body(settings.extra_body)
        address = Address(settings.base_url)
        if not settings.model.isprintable():
            raise UsageError("the model's name holds a character that cannot be sent: write it as the server calls it")
        if not settings.model:
            if address.normalized == OPENAI:
                raise UsageError("no model is named: name it as the server calls it", command="give --model NAME")
            settings = replace(settings, model=ANY)
        if importlib.util.find_spec("openai") is None:
            raise MissingPart(needs("provider 'openai'", ["the package 'openai'"], ""))
        return cls(settings, find_key(address, settings.key_name), known=KnownServers(cache_folder()))

    @property
    def source(self) -> str:
        """`openai` and the model, and the address unless it is OpenAI's, since two addresses are two models.

        Settings that affect replies are appended, since they make it another model as well.
        """
        return self._source

    @property
    def secret(self) -> Secret:
        """The key."""
        return self._secret

    def __repr__(self) -> str:
        return f"OpenAICompatible({self._source})"

    def answer(self, ask: ModelRequest, cancelled: Cancellation) -> ModelReply:
        """See the base class. The reply may hold the key, and text that cannot be encoded: `Checked` removes both.

        If the server refuses single fields, requests without them are tried, and the result is remembered.
        """
        on_partial = self._without_key(cancelled.on_partial) if isinstance(cancelled, Waiter) else None
        with any_of(cancelled, self._closed) as over:
            caller = Caller(over, on_partial)
            return self._endpoint.post(self._reply(ask, caller), caller)

    def _reply(self, ask: ModelRequest, caller: Caller) -> Talk[ModelReply]:
        """Asks for all samples or scores. Returns the reply."""
        began = time.monotonic()
        ask = replace(ask, scores=ask.scores and bool(ask.expects.choices), samples=1 if ask.scores else max(1, ask.samples))
        answered = yield from self._samples(ask, caller)
        notes = [*answered.notes, *(s.note for s in answered.samples if s.note)]
        scores: tuple[tuple[str, float], ...] = ()
        if ask.scores:
            scored, answered = yield from self._scored(ask, answered, caller)
            scores = scored.values
            notes += filter(None, [scored.note])
        return ModelReply(tuple(s.text for s in answered.samples), self._source, scores, seconds=time.monotonic() - began,
                     tokens_in=answered.tokens_in, tokens_out=answered.tokens_out, note="; ".join(dict.fromkeys(notes)),
                     misfit="" if scores else _misfit(answered, ask), first_token=answered.first_token, rate=answered.rate)

    def _scored(self, ask: ModelRequest, answered: Answered, caller: Caller) -> Talk[tuple[Scored, Answered]]:
        """Returns a log-probability of each choice, and the reply with the total cost.

        A reply covers the choices that its tokens' alternatives lead to. The others are requested again, which needs a server
        that constrains the reply to the given choices, and is given up when the question's time is over.
        """
        scoring = scores_of_all(ask.expects.choices, choice_scores(ask.expects.choices, answered.samples[0].tokens))
        is_constrained = answered.form != "free"
        try:
            missing = next(scoring)
            while True:
                scores, fewer = None, replace(ask, expects=Expects(choices=missing))
                if is_constrained:
                    scores, answered = yield from self._scored_again(fewer, answered, caller)
                missing = scoring.send(scores)
        except StopIteration as end:
            return cast(Scored, end.value), answered

    def _scored_again(self, ask: ModelRequest, answered: Answered, caller: Caller) -> Talk[tuple[Scores | None, Answered]]:
        """Returns the scores of fewer choices, and `answered` with the cost of asking for them; None if there are none."""
        try:
            more = yield from self._exchange.ask(ask, 1, caller.cancelled)
        except ModelError as error:
            if error.kind != "timeout":
                raise
            return None, answered
        scores = None if more.form == "free" else choice_scores(ask.expects.choices, more.samples[0].tokens)
        return scores, answered.after(more)

    def constrained_by(self, ask: ModelRequest) -> str:
        """Returns the server's name of the form that is requested first."""
        return FORM_NAMES[self._exchange.dialect.form(ask)]

    def close(self) -> None:
        """Aborts all requests."""
        self._closed.set()

    def _samples(self, ask: ModelRequest, caller: Caller) -> Talk[Answered]:
        """Returns the wanted number of samples: with one request, or with several if the server draws fewer at once.

        Further requests have as much time as the first.
        """
        answered = yield from self._exchange.ask(ask, self._exchange.dialect.together(ask.samples), caller.cancelled)
        missing = ask.samples - len(answered.samples)
        if missing <= 0:
            return replace(answered, samples=answered.samples[:ask.samples])
        together, failed = self._exchange.dialect.together(missing), Cancellation()
        counts = [min(together, missing - begun) for begun in range(0, missing, together)]
        with any_of(caller.cancelled, failed) as over, ThreadPoolExecutor(min(len(counts), self._slots), "samples") as pool:

            def more(samples: int) -> Answered:
                try:
                    return self._endpoint.post(self._exchange.ask(ask, samples, over), Caller(over))
                except BaseException:
                    failed.set()  # stops the other samples, since there will be no reply
                    raise

            futures = [pool.submit(more, count) for count in counts]
        # The first that failed by itself has the cause; the others were only withdrawn.
        errors = [error for future in futures if (error := future.exception()) is not None]
        for error in sorted(errors, key=lambda e: isinstance(e, ModelError) and e.kind == "cancelled"):
            raise error
        for future in futures:
            answered = answered.with_more(future.result())
        return answered

    def _without_key(self, on_partial: OnPartial) -> OnPartial:
        """Returns a receiver of partial replies that removes the key and what may be its beginning."""
        key = self._secret.reveal()

        def clean(partial: Partial) -> None:
            text = self._redactor.text(valid_text(partial.text))
            for length in range(min(len(key) - 1, len(text)), LEAST_OF_KEY - 1, -1):
                if text.endswith(key[:length]):
                    text = text[:-length]
                    break
            on_partial(replace(partial, text=text[-SHOWN:]))

        return clean


def server_name(settings: Settings) -> str:
    """Returns the name under which it is kept what a server and its model take."""
    return f"{Address(settings.base_url).normalized} {settings.model}"


def _misfit(answered: Answered, ask: ModelRequest) -> Misfit:
    """Returns how the worst sample violates the required form. A refusal is as good as none."""
    found = {"empty" if s.refused else misfit(ask.expects, s.text, cut=s.cut) for s in answered.samples}
    kinds: tuple[Misfit, ...] = ("cut", "empty", "free")
    return next((kind for kind in kinds if kind in found), "")
