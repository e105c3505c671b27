"""Tests a model with three short requests: whether it answers, how fast, and which features it supports."""

from __future__ import annotations

import importlib
import importlib.util
import threading
import time
from dataclasses import dataclass, replace
from types import MappingProxyType

from core.common.errors import BelvedereError, ModelError
from core.llm.endpoint import cancelled_error
from core.llm.model import LanguageModel
from core.llm.model_check import settings_of
from core.llm.model_config import ModelConfig
from core.llm.registry import open_model
from core.llm.server_errors import Trouble, shortened
from core.llm.server_models import models_at
from core.planning.model_requests import Ask, Expects, Message, Reply

PATIENCE = 90.0
"""The time limit of the whole test in seconds; loading a large file from a slow disk may need most of it."""
ATTEMPT = 30.0
"""The time limit of one request to a server in seconds."""
MOST_NAMED = 6
"""The maximum number of models named if the requested one does not exist."""
TOKENS, FEW_TOKENS = 200, 64
"""Tokens of a reply: enough for models that think briefly first, and enough to measure the speed."""
UNLIKELY = ("zulu 1", "zulu 7")
"""Choices that only a constrained model names, because the prompt does not contain them."""


@dataclass(frozen=True, slots=True)
class Trial:
    """The result of a test.

    Attributes:
        seconds: the duration of the plain request.
        rate: tokens per second.
        is_empty: True if no reply contained text.
        constrained: the server's method of constrained output (`json_schema`); empty if it has none.
        scores: True if it returns log-probabilities.
    """

    seconds: float
    rate: float
    is_empty: bool
    constrained: str
    scores: bool

    @property
    def words(self) -> str:
        """The result as one line for users."""
        if self.is_empty:
            return (f"It answered in {self.seconds:.1f} s with an empty reply: a model that thinks first needs more tokens, "
                    "see max tokens")
        speed = f", {self.rate:.0f} tokens/s" if self.rate > 0 else ""
        form = f"works by {self.constrained}" if self.constrained else "not taken, replies are read as free text"
        return (f"Answered in {self.seconds:.1f} s{speed}; constrained output: {form}; log-probabilities: "
                f"{'yes' if self.scores else 'no'}")


def try_model(entry: ModelConfig, cancelled: threading.Event, patience: float = PATIENCE) -> Trial:
    """Tests a model. Not for the GUI thread. Ends soon after `cancelled` is set, which also happens after `patience` seconds.

    Raises:
        UsageError: the entry is invalid.
        MissingPart: a package, a file or a key is missing.
        ModelError: the model does not answer; kind `cancelled` once `cancelled` is set.
    """
    if importlib.util.find_spec("openai") is not None:
        importlib.import_module("openai")  # takes a second that does not count as the server's
    late = threading.Event()

    def give_up() -> None:
        late.set()
        cancelled.set()

    timer = threading.Timer(patience, give_up)
    timer.daemon = True
    timer.start()
    model = open_model(entry.provider, _impatient(entry))
    try:
        return _tried(model, cancelled)
    except ModelError as error:
        if error.kind == "cancelled" and late.is_set():
            raise ModelError(f"it did not answer within {patience:g} s", "timeout", retry=True) from None
        raise
    finally:
        timer.cancel()
        model.close()


def _impatient(entry: ModelConfig) -> dict[str, str]:
    """Returns the entry's settings with shorter timeouts, if the provider has them."""
    known, options = {p.name: p.value for p in settings_of(entry.provider)}, dict(entry.options)
    if "retries" in known:
        options["retries"] = "0"
        timeout = float(options.get("timeout", known.get("timeout", ATTEMPT)))
        options["timeout"] = f"{min(timeout, ATTEMPT):g}"
    return options


def _tried(model: LanguageModel, cancelled: threading.Event) -> Trial:
    colour = Ask("connection test", (Message("user", "What colour is grass? Answer with one word."),), subject="grass",
                 expects=Expects(choices=UNLIKELY), max_tokens=TOKENS)
    kept = _answered(model, colour, cancelled)  # first, so that a file is loaded before the time is measured
    constrained = model.constrained_by(colour) if kept.texts and kept.texts[0].strip() in UNLIKELY else ""
    scored = _answered(model, replace(colour, scores=True), cancelled)
    plain = Ask("connection test", (Message("user", "Name three things that stand in a kitchen."),), subject="kitchen",
                max_tokens=FEW_TOKENS)
    began = time.monotonic()
    said = _answered(model, plain, cancelled)
    is_empty = not any(text.strip() for text in (*said.texts, *kept.texts))
    seconds = time.monotonic() - began
    return Trial(seconds, said.rate or said.tokens_out / max(seconds, 0.001), is_empty, constrained, bool(scored.scores))


def _answered(model: LanguageModel, ask: Ask, cancelled: threading.Event) -> Reply:
    if cancelled.is_set():
        raise cancelled_error()
    return model.answer(ask, cancelled)


def failure_words(error: BelvedereError, entry: ModelConfig, cancelled: threading.Event) -> str:
    """Returns why the model did not answer, in one line.

    If the server does not know the model, adds the names of its models.
    """
    words = shortened(str(error))
    if isinstance(error, ModelError) and error.kind == "cancelled":
        return "Stopped"
    if isinstance(error, Trouble) and error.status == 404 and "base_url" in entry.options:
        words += _others(entry, cancelled)
    return words[:1].upper() + words[1:]


def _others(entry: ModelConfig, cancelled: threading.Event) -> str:
    options = MappingProxyType({"key_name": "", **entry.options})
    try:
        names = models_at(options["base_url"], options["key_name"], cancelled)
    except BelvedereError:
        return ""  # the server does not list its models either: the first error is the relevant one
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return f". Models there: {', '.join(names[:MOST_NAMED])}{more}"
