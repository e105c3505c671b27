"""The names of what answers a request's model calls, and the list to choose from: the same wording everywhere."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

from core.app.run_request import Request
from core.llm.model_config import ModelConfig
from gui.control.choices import Choices
from gui.control.model_book import ModelBook
from gui.widgets.choice import Choice, chosen

MODEL = "model:"
"""Prefix of an entry's name in the list of providers."""
MORE = "models…"
"""Name of the choice that opens the list of models."""
YOURS = "Your models"


def where_words(provider: str, options: Mapping[str, str]) -> str:
    """Returns a short name of what answers: `qwen3 at 127.0.0.1:8000`, `gemma.gguf`, or the provider's name."""
    model, file = options.get("model", ""), options.get("file", "")
    address = urlsplit(options["base_url"]).netloc if options.get("base_url") else ""
    if file:
        return Path(file).name
    return " at ".join(filter(None, (model, address))) or provider


def answerer_of(request: Request, choices: Choices, book: ModelBook) -> Choice:
    """Returns who answers a request's model calls: an entry under its name, a model without an entry under the model's name."""
    entry = book.used_by(request)
    if entry is not None and request.model:
        return entry_choice(entry)
    provider = chosen(choices.providers, request.provider)
    if not request.model or not provider.by_models:
        return provider
    model, file = request.model.get("model", ""), request.model.get("file", "")
    words = where_words(request.provider, request.model)
    return Choice(request.provider, model or (Path(file).stem if file else words), hint=provider.hint, note=words)


def entry_choice(entry: ModelConfig) -> Choice:
    """Returns an entry as a choice in the list of providers."""
    return Choice(f"{MODEL}{entry.name}", entry.name, hint=f"{entry.provider}: {where_words(entry.provider, entry.options)}",
                  note=where_words(entry.provider, entry.options), group=YOURS)


def answerers(request: Request, choices: Choices, book: ModelBook) -> tuple[Choice, ...]:
    """Returns all choices: providers that need no settings, the user's models, and the item that opens the list of models."""
    now = answerer_of(request, choices, book)
    plain = tuple(c for c in choices.providers if not c.by_models)
    own = tuple(map(entry_choice, book.entries))
    other = () if now.name in {c.name for c in (*plain, *own)} else (now,)
    return (*plain, *other, *own, Choice(MORE, "Models …", hint="Add, edit, test and choose language models", group="Set up"))
