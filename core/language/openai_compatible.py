"""Any server that speaks OpenAI's chat completions: OpenAI, vLLM, Ollama, llama.cpp's server, LM Studio."""

from __future__ import annotations

import importlib.util
import threading
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import ClassVar, Self

from core.effects import Ask, Reply
from core.errors import MissingPart, ModelError, UsageError
from core.language.constrained import FORM_NAMES
from core.language.dialect import Dialect, expected_dialect
from core.language.endpoint import Address, Endpoint, Patience
from core.language.exchange import Answered, Exchange
from core.language.keys import KEY_VARIABLES, Secret, key_from_environment, key_from_keyring
from core.language.logprobs import choice_scores
from core.language.model import LanguageModel
from core.language.reply_checks import checked, without_keys
from core.parameters import Parameters, changed, parameter
from core.redaction import Redactor

OPENAI = "https://api.openai.com/v1"
ANY = "default"
"""What a server with one model is asked for when no name is given: most of them do not look at it."""
AT_ONCE = 4  # requests for samples that are under way together, where the server does not take n


@dataclass(frozen=True)
class Settings(Parameters):
    """Where the server is and how long to wait for it."""

    base_url: str = parameter(OPENAI, "the server's address, up to and with /v1")
    model: str = parameter("", "the model's name, as the server calls it")
    timeout: float = parameter(60.0, "for one attempt", low=0.01, high=3600, unit="s")
    retries: int = parameter(2, "further attempts after a failed one", low=0, high=10)
    backoff: float = parameter(0.5, "wait before the second attempt; doubles with each", low=0, high=60, unit="s")
    longest_wait: float = parameter(30.0, "give up when the server asks for a longer wait", low=0, high=3600, unit="s")
    key_name: str = parameter("", "the key's name in the system keyring (service belvedere); the server's host if not given")

    @property
    def patience(self) -> Patience:
        """The settings about waiting."""
        return Patience(self.timeout, self.retries, self.backoff, self.longest_wait)


class OpenAICompatible(LanguageModel):
    """A model behind an OpenAI-compatible server.

    Args:
        settings: where it is.
        secret: the key, empty for servers that want none.
        source: who answers; made from the settings if not given.
        dialect: what the server takes, if that is known; found out otherwise.
    """

    name: ClassVar[str] = "openai"
    settings: ClassVar[Parameters] = Settings()

    def __init__(self, settings: Settings, secret: Secret, source: str = "", dialect: Dialect | None = None):
        address = Address(settings.base_url)
        self._secret, self._redactor = secret, Redactor((secret.reveal(),))
        named = f"openai {settings.model}" + ("" if address.whole == OPENAI else f" at {address.whole}")
        self._source = self._redactor.text(source or named)
        self._endpoint = Endpoint(address, secret, settings.patience)
        self._exchange = Exchange(self._endpoint, settings.model, dialect or expected_dialect(address.host))

    @classmethod
    def open(cls, options: Mapping[str, str]) -> Self:
        """See the base class; the settings are those of `Settings`."""
        settings = changed(Settings(), options)
        address = Address(settings.base_url)
        if not settings.model.isprintable():
            raise UsageError("the model's name holds a character that cannot be sent: write it as the server calls it")
        if not settings.model:
            if address.whole == OPENAI:
                raise UsageError("no model is named: name it as the server calls it", command="give --model NAME")
            settings = replace(settings, model=ANY)
        if importlib.util.find_spec("openai") is None:
            raise MissingPart("provider 'openai' needs the package 'openai', not installed here: pip install -e .")
        return cls(settings, find_key(address, settings.key_name))

    @property
    def source(self) -> str:
        """`openai` and the model, and the whole address unless that is OpenAI's: two addresses are two models."""
        return self._source

    @property
    def secret(self) -> Secret:
        """The key."""
        return self._secret

    def __repr__(self) -> str:
        return f"OpenAICompatible({self._source})"

    def answer(self, ask: Ask, cancelled: threading.Event) -> Reply:
        """See the base class. A server's refusals of single fields are worked around and remembered."""
        try:
            return checked(self._answer(ask, cancelled), ask, self._redactor)
        except ModelError as error:
            raise without_keys(error, self._redactor) from None

    def _answer(self, ask: Ask, cancelled: threading.Event) -> Reply:
        began = time.monotonic()
        ask = replace(ask, scores=ask.scores and bool(ask.expects.choices), samples=1 if ask.scores else max(1, ask.samples))
        answered = self._samples(ask, cancelled)
        notes = [*answered.notes, *(s.note for s in answered.samples if s.note)]
        scores: tuple[tuple[str, float], ...] = ()
        if ask.scores:
            found = choice_scores(ask.expects.choices, answered.samples[0].tokens)
            scores = found.values
            notes += [] if scores else ["the server gave no log-probabilities"]
            notes += ["choices that begin alike share their beginning's probability"] if found.shared else []
        return Reply(tuple(s.text for s in answered.samples), self._source, scores, seconds=time.monotonic() - began,
                     tokens_in=answered.tokens_in, tokens_out=answered.tokens_out, note="; ".join(dict.fromkeys(notes)))

    def constrained_by(self, ask: Ask) -> str:
        """By the server's words for the form that is asked for first."""
        return FORM_NAMES[self._exchange.dialect.form(ask)]

    def close(self) -> None:
        """Abandon what is under way."""
        self._endpoint.close()

    def _samples(self, ask: Ask, cancelled: threading.Event) -> Answered:
        """As many samples as are wanted: with one request, or with several where the server takes no `n`."""
        answered = self._exchange.ask(ask, ask.samples, cancelled.is_set)
        missing = ask.samples - len(answered.samples)
        if missing <= 0:
            return replace(answered, samples=answered.samples[:ask.samples])
        with ThreadPoolExecutor(min(missing, AT_ONCE), "samples") as pool:
            stopped = _Stopped(cancelled)
            futures = [pool.submit(self._one_more, ask, stopped) for _ in range(missing)]
        # The first that failed by itself tells the cause; the others were only withdrawn.
        errors = [error for future in futures if (error := future.exception()) is not None]
        for error in sorted(errors, key=lambda e: isinstance(e, ModelError) and e.kind == "cancelled"):
            raise error
        for future in futures:
            answered = answered.with_more(future.result(), 1)
        return answered

    def _one_more(self, ask: Ask, stopped: _Stopped) -> Answered:
        try:
            return self._exchange.ask(ask, 1, stopped)
        except BaseException:
            stopped.failed.set()
            raise


class _Stopped:
    """One failed sample ends its fellows: there will be no reply."""

    def __init__(self, cancelled: threading.Event):
        self._cancelled, self.failed = cancelled, threading.Event()

    def __call__(self) -> bool:
        return self._cancelled.is_set() or self.failed.is_set()


def find_key(address: Address, key_name: str) -> Secret:
    """The key for a server: from the environment, else from the system keyring.

    Raises:
        MissingPart: there is none, and the server is not on this machine.
    """
    secret = key_from_environment()
    if secret or (address.loopback and not key_name):  # servers on this machine rarely want one
        return secret
    name = key_name or address.host
    secret, reason = key_from_keyring(name)
    if not secret:
        raise MissingPart(f"no key for {address.where}: set {' or '.join(KEY_VARIABLES)}, or run `keyring set belvedere {name}`"
                          f" ({reason}); a server without keys takes any text")
    return secret
