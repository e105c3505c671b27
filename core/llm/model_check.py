"""Checks a model's entry: its fields while they are edited, the models that its server offers, and a test with requests."""

from __future__ import annotations

import importlib
import importlib.util
import json
import threading
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from core.common.cancellation import Cancellation
from core.common.errors import BelvedereError, ModelError, UsageError
from core.common.parameters import Parameter, changed, described
from core.common.user_folders import cache_folder, expanded
from core.llm.keys import Address, find_key
from core.llm.known_servers import KnownServers
from core.llm.model import LanguageModel, open_model, provider_class
from core.llm.model_config import ModelConfig
from core.llm.openai_compatible import OPENAI, Settings, server_name
from core.llm.request_settings import read_extra_body
from core.llm.server_errors import Trouble, cancelled_error, shortened
from core.llm.stack import assembled
from core.planning.model_requests import Expects, Message, ModelReply, ModelRequest

LIST_PATIENCE = 10.0
"""The time limit in seconds."""
MOST, LONGEST = 2000, 200
"""The maximum number of names, and of characters of a name."""


def models_at(base_url: str, key_name: str, cancelled: Cancellation) -> tuple[str, ...]:
    """Returns the names in alphabetical order. Waits for the server, so not for the GUI thread.

    Raises:
        UsageError: the address is not valid, or the key cannot be sent.
        MissingPart: there is no key.
        ModelError: the server gives no list.
    """
    address = Address(base_url)
    if cancelled.is_set():
        raise cancelled_error()
    from core.llm.connection import Connection  # imports openai, which takes a second

    text = Connection(address, find_key(address, key_name), LIST_PATIENCE, cancelled).response()
    if isinstance(text, Trouble):
        raise text
    return names_in(text, address.where)


def names_in(text: str, where: str) -> tuple[str, ...]:
    """Returns the names in a server's response: `{"data": [{"id": …}]}`.

    Raises:
        ModelError: it contains none.
    """
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        content = None
    rows = content.get("data") if isinstance(content, dict) else None
    ids = [row.get("id") for row in rows[:MOST] if isinstance(row, dict)] if isinstance(rows, list) else []
    names = {name for name in ids if isinstance(name, str) and name.strip() and name.isprintable() and len(name) <= LONGEST}
    if not names:
        raise ModelError(f"{where} lists no models: write the name as the server calls it", "refused", retry=False)
    return tuple(sorted(names, key=str.lower))


NAME = "name"
LONGEST_NAME = 60
"""The maximum number of characters of a name, which appears in lists."""


def settings_of(provider: str) -> tuple[Parameter, ...]:
    """Returns the settings of a provider."""
    return described(provider_class(provider).settings)


def wrong_name(name: str, taken: Iterable[str]) -> str:
    """Returns why an entry cannot have this name; empty if it can."""
    if not name.strip():
        return "Give it a name"
    if len(name) > LONGEST_NAME or not name.isprintable():
        return f"A name is one line of at most {LONGEST_NAME} characters"
    return f"There is another model '{name}': give another name" if name.strip() in set(taken) else ""


def wrong_settings(provider: str, options: Mapping[str, str]) -> dict[str, str]:
    """Returns setting -> problem. Servers are not contacted; a model's file is opened."""
    settings = provider_class(provider).settings
    known = {parameter.name for parameter in described(settings)}
    found = {}
    for name, value in options.items():
        try:
            changed(settings, {name: value})
        except UsageError as error:
            found[name] = _sentence(str(error).removeprefix(f"{name}={value}: "))
    if "base_url" in known and (wrong := _wrong_address(options)):
        found["base_url"] = wrong
    if "model" in known and "base_url" in known and (wrong := _wrong_model(options)):
        found.setdefault("model", wrong)
    if "file" in known and (wrong := _wrong_file(options.get("file", ""))):
        found["file"] = wrong
    if "extra_body" in known and (wrong := _wrong_object(options.get("extra_body", ""))):
        found["extra_body"] = wrong
    return found


def wrong_amount(text: str, *, whole: bool) -> str:
    """Returns the problem of a limit or price as typed; an empty text is valid and sets none."""
    if not text.strip():
        return ""
    try:
        value = int(text) if whole else float(text)
    except ValueError:
        return f"Write a {'whole ' if whole else ''}number, or leave it empty"
    return "" if 0 <= value < 1e12 else "Write a number from 0 on, or leave it empty"


def _wrong_address(options: Mapping[str, str]) -> str:
    try:
        Address(options.get("base_url", OPENAI))
    except UsageError as error:
        words = str(error).partition(": ")[2] or str(error)
        return _sentence(words)
    return ""


def _wrong_model(options: Mapping[str, str]) -> str:
    model, address = options.get("model", ""), options.get("base_url", OPENAI)
    if not model.isprintable():
        return "Write the name as the server calls it, without odd characters"
    return "" if model.strip() or address.rstrip("/") != OPENAI else "Name the model as the server calls it"


def _wrong_file(file: str) -> str:
    if not file.strip():
        return "Choose a .gguf file"
    try:
        with expanded(file).open("rb") as opened:
            return "" if opened.read(4) == b"GGUF" else "This is no GGUF file; llama.cpp reads no other"
    except (OSError, ValueError, UsageError) as error:
        return f"It cannot be read: {(error.strerror if isinstance(error, OSError) else '') or error}"


def _wrong_object(text: str) -> str:
    if not text.strip():
        return ""
    try:
        read_extra_body(text)
    except UsageError as error:
        return _sentence(str(error).removeprefix("extra_body: "))
    return ""


def _sentence(words: str) -> str:
    return words[:1].upper() + words[1:]


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
        is_cut: True if each reply to a question for one word was cut off.
        constrained: the server's method of constrained output (`json_schema`); empty if it has none.
        scores: True if it returns log-probabilities.
    """

    seconds: float
    rate: float
    is_empty: bool
    is_cut: bool
    constrained: str
    scores: bool

    @property
    def is_usable(self) -> bool:
        """Whether planners can use what it answers."""
        return not (self.is_empty or self.is_cut)

    @property
    def words(self) -> str:
        """The result as one line for users."""
        if self.is_empty:
            return (f"It answered in {self.seconds:.1f} s with an empty reply: a model that thinks first needs more tokens, "
                    "see max tokens")
        if self.is_cut:
            return (f"It answered in {self.seconds:.1f} s, but did not come to an end within {TOKENS} tokens when asked for "
                    "one word: a planner would read half a reply, see max tokens")
        speed = f", {self.rate:.0f} tokens/s" if self.rate > 0 else ""
        form = f"works by {self.constrained}" if self.constrained else "not taken, replies are read as free text"
        return (f"Answered in {self.seconds:.1f} s{speed}; constrained output: {form}; log-probabilities: "
                f"{'yes' if self.scores else 'no'}")


def try_model(entry: ModelConfig, cancelled: Cancellation, patience: float = PATIENCE) -> Trial:
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
    forget_server(entry)
    model = assembled(open_model(entry.provider, _impatient(entry)))
    try:
        return _tried(model, cancelled)
    except ModelError as error:
        if error.kind == "cancelled" and late.is_set():
            raise ModelError(f"it did not answer within {patience:g} s", "timeout", retry=True) from None
        raise
    finally:
        timer.cancel()
        model.close()


def forget_server(entry: ModelConfig) -> None:
    """Forgets what is known about a model's server, so that the test finds it out anew."""
    if "base_url" in entry.options:
        settings = changed(Settings(), {name: entry.options[name] for name in ("base_url", "model") if name in entry.options})
        KnownServers(cache_folder()).forget(server_name(settings))


def _impatient(entry: ModelConfig) -> dict[str, str]:
    """Returns the entry's settings with shorter timeouts, if the provider has them."""
    known, options = {p.name: p.value for p in settings_of(entry.provider)}, dict(entry.options)
    if "retries" in known:
        options["retries"] = "0"
        timeout = float(options.get("timeout", known.get("timeout", ATTEMPT)))
        options["timeout"] = f"{min(timeout, ATTEMPT):g}"
    return options


def _tried(model: LanguageModel, cancelled: Cancellation) -> Trial:
    colour = ModelRequest("connection test", (Message("user", "What colour is grass? Answer with one word."),), subject="grass",
                 expects=Expects(choices=UNLIKELY), max_tokens=TOKENS)
    kept = _answered(model, colour, cancelled)  # first, so that a file is loaded before the time is measured
    constrained = model.constrained_by(colour) if kept.texts and kept.texts[0].strip() in UNLIKELY else ""
    scored = _answered(model, replace(colour, scores=True), cancelled)
    plain = ModelRequest("connection test", (Message("user", "Name three things that stand in a kitchen."),), subject="kitchen",
                max_tokens=FEW_TOKENS)
    began = time.monotonic()
    said = _answered(model, plain, cancelled)
    is_empty = not any(text.strip() for text in (*said.texts, *kept.texts))
    seconds = time.monotonic() - began
    is_cut = kept.misfit == scored.misfit == "cut"
    rate = said.rate or said.tokens_out / max(seconds, 0.001)
    return Trial(seconds, rate, is_empty, is_cut, constrained, bool(scored.scores))


def _answered(model: LanguageModel, ask: ModelRequest, cancelled: Cancellation) -> ModelReply:
    if cancelled.is_set():
        raise cancelled_error()
    return model.answer(ask, cancelled)


def failure_words(error: BelvedereError, entry: ModelConfig, cancelled: Cancellation) -> str:
    """Returns why the model did not answer, in one line.

    If the server does not know the model, adds the names of its models.
    """
    words = shortened(str(error))
    if isinstance(error, ModelError) and error.kind == "cancelled":
        return "Stopped"
    if isinstance(error, Trouble) and error.status == 404 and "base_url" in entry.options:
        words += _others(entry, cancelled)
    return words[:1].upper() + words[1:]


def _others(entry: ModelConfig, cancelled: Cancellation) -> str:
    options = MappingProxyType({"key_name": "", **entry.options})
    try:
        names = models_at(options["base_url"], options["key_name"], cancelled)
    except BelvedereError:
        return ""  # the server does not list its models either: the first error is the relevant one
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return f". Models there: {', '.join(names[:MOST_NAMED])}{more}"
