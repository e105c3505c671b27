"""The model configuration: named entries of a TOML file, which the window, the command line and sweeps share.

A file contains one entry at its top level, or several as tables, of which `chosen` names the one to use::

    chosen = "qwen"

    [models.qwen]
    provider = "openai"
    base_url = "http://127.0.0.1:8000/v1"
    model = "qwen3"
    timeout = 120
    price_in = 0.1        # per million tokens
    price_out = 0.4
    extra_body = { chat_template_kwargs = { enable_thinking = false } }
    limits = { calls = 500, cost = 2.0 }

Keys of servers are never part of it: they are read from the environment or the system keyring. `PRESETS` are templates for
entries.
"""

from __future__ import annotations

import contextlib
import json
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, cast

import tomli_w

from core.common import registry
from core.common.errors import DataError, UsageError
from core.common.files import PATIENCE, replacing
from core.common.parameters import changed
from core.common.user_folders import config_folder
from core.common.user_texts import read_text
from core.llm.budget import ANY, Limits, Price, read_limits
from core.llm.model import PROVIDERS, provider_class

NO_OPTIONS: Mapping[str, str] = MappingProxyType({})
KEYS = ("key", "api_key", "apikey", "token", "secret", "password")
"""Common names for keys. They are refused, so that no key is stored in a file."""
OWN = ("provider", "price_in", "price_out", "limits")
"""Fields of an entry besides the provider's settings."""
LARGEST = 1_000_000
"""The maximum size of a file of models in bytes."""


@dataclass(frozen=True, slots=True)
class ModelConfig:
    """One configured model.

    Attributes:
        name: its name for people.
        provider: the provider's name in the registry.
        options: the provider's settings as text (base_url, model, timeout …); never a key.
        price: per million tokens; None if it is unknown.
        limits: the limits of one run.
    """

    name: str
    provider: str
    options: Mapping[str, str] = field(default_factory=lambda: NO_OPTIONS)
    price: Price | None = None
    limits: Limits = field(default_factory=Limits)

    @property
    def prices(self) -> Mapping[str, Price]:
        """The price table for a budget."""
        return MappingProxyType({} if self.price is None else {ANY: self.price})


@dataclass(frozen=True, slots=True)
class ModelConfigs:
    """The entries of a file.

    Attributes:
        entries: in the order of the file; names are unique.
        chosen: the name of the entry to use; empty: none.
    """

    entries: tuple[ModelConfig, ...] = ()
    chosen: str = ""

    def named(self, name: str) -> ModelConfig:
        """Returns an entry by its name.

        Raises:
            UsageError: there is no such entry.
        """
        for entry in self.entries:
            if entry.name == name:
                return entry
        names = [entry.name for entry in self.entries]
        raise UsageError(f"there is no model '{name}'{registry.near_misses(name, names) or '; there is ' + ', '.join(names)}")

    def put(self, entry: ModelConfig, instead_of: str = "") -> ModelConfigs:
        """Returns the entries with one added, or replaced by a new one.

        A replaced entry keeps its place and whether it is chosen.

        Raises:
            UsageError: the name is empty or used by another entry, or a setting is invalid.
        """
        if not entry.name.strip():
            raise UsageError("the model has no name: give it one")
        entry = checked(entry)
        others = [other.name for other in self.entries if other.name != instead_of]
        if entry.name in others:
            raise UsageError(f"there is a model '{entry.name}' already: give another name")
        if instead_of not in [other.name for other in self.entries]:
            return replace(self, entries=(*self.entries, entry))
        entries = tuple(entry if other.name == instead_of else other for other in self.entries)
        return replace(self, entries=entries, chosen=entry.name if self.chosen == instead_of else self.chosen)

    def without(self, name: str) -> ModelConfigs:
        """Returns the entries without one."""
        entries = tuple(entry for entry in self.entries if entry.name != name)
        return ModelConfigs(entries, "" if self.chosen == name else self.chosen)


def models_file() -> Path:
    """Returns the path of the user's file of models."""
    return config_folder() / "models.toml"


def checked(entry: ModelConfig) -> ModelConfig:
    """Returns the entry with its settings in normal form. Files and servers it names are not checked.

    Raises:
        UsageError: the provider does not exist or does not accept its settings.
    """
    try:
        return replace(entry, options=same_form(entry.provider, entry.options))
    except UsageError as error:
        raise UsageError(f"model '{entry.name}': {error}") from error


def same_form(provider: str, options: Mapping[str, str]) -> Mapping[str, str]:
    """Returns settings in normal form, so that equal settings are equal texts: 300 and 300.0, yes and true.

    Raises:
        UsageError: the provider does not exist or does not accept them.
    """
    typed = vars(changed(provider_class(provider).settings, options))
    return MappingProxyType({name: _written(typed[name]) for name in options})


def _written(value: object) -> str:
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    if isinstance(plain := _plain(value), dict | list):
        return json.dumps(plain)
    return ("true" if value else "false") if isinstance(value, bool) else str(value)


# --- files ---------------------------------------------------------------------
def read_models(path: Path) -> ModelConfigs:
    """Returns all entries of a file; none if it does not exist.

    Raises:
        DataError: the file cannot be read, or is not TOML.
        UsageError: an entry is invalid.
    """
    try:
        if path.stat().st_size > LARGEST:
            raise DataError(f"{path} is too large for a file of models")
        content = tomllib.loads(read_text(path))
    except FileNotFoundError:
        return ModelConfigs()
    except (OSError, ValueError, RecursionError) as error:
        why = (error.strerror if isinstance(error, OSError) else "") or " ".join(str(error).split())
        raise DataError(f"{path} cannot be read as a file of models: {why}; repair or remove it") from error
    try:
        return models_of(content, path.stem)
    except UsageError as error:
        raise UsageError(f"{path}: {error}") from error


def models_of(content: Mapping[str, Any], name: str) -> ModelConfigs:
    """Returns the entries of a file's content; an entry at the top level is called `name`.

    Raises:
        UsageError: an entry is invalid.
    """
    tables = content.get("models")
    if tables is None and "provider" in content:
        return ModelConfigs((_entry(name, content),), name)
    strange = [key for key in content if key not in ("models", "chosen")]
    if strange or not isinstance(tables, dict | None):
        raise UsageError(f"'{(strange or ['models'])[0]}' is not expected: write provider = \"openai\" and its settings "
                         "at the top, or tables [models.NAME]")
    for key, table in (tables or {}).items():
        if not isinstance(table, dict):
            raise UsageError(f"models.{key} is no table: write [models.{key}]")
    found = ModelConfigs(tuple(_entry(key, table) for key, table in (tables or {}).items()))
    chosen = content.get("chosen", "")
    if not isinstance(chosen, str):
        raise UsageError("chosen: write the name of a model")
    return replace(found, chosen=found.named(chosen).name if chosen else "")


def _entry(name: str, table: Mapping[str, Any]) -> ModelConfig:
    where = f"model '{name}'"
    for key in table:
        if key.lower() in KEYS:
            raise UsageError(f"{where}: '{key}' does not belong into a file; set BELVEDERE_API_KEY, or use the system keyring")
    provider = table.get("provider")
    if not isinstance(provider, str):
        raise UsageError(f"{where}: write provider = \"openai\", or another of {', '.join(PROVIDERS)}")
    options = {key: _text(where, key, value) for key, value in table.items() if key not in OWN}
    return checked(ModelConfig(name, provider, MappingProxyType(options), _price(where, table), _limits(where, table)))


def _text(where: str, key: str, value: object) -> str:
    """Returns a setting as text: tables and lists as JSON."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str | int | float):
        return str(value)
    try:
        return json.dumps(value)
    except TypeError as error:
        raise UsageError(f"{where}: {key} is a date or time; write a text, a number or a table") from error


def _price(where: str, table: Mapping[str, Any]) -> Price | None:
    amounts = [table.get("price_in"), table.get("price_out")]
    if amounts == [None, None]:
        return None
    for amount in amounts:
        if isinstance(amount, bool) or not isinstance(amount, int | float) or not 0 <= amount < 1e12:
            raise UsageError(f"{where}: give price_in and price_out, both as numbers from 0 on, per million tokens")
    return Price(*(float(cast(float, amount)) for amount in amounts))


def _limits(where: str, table: Mapping[str, Any]) -> Limits:
    given = table.get("limits", {})
    if not isinstance(given, dict):
        raise UsageError(f"{where}: write limits = {{ calls = 500 }}")
    try:
        return read_limits({key: _text(where, key, value) for key, value in given.items()})
    except UsageError as error:
        raise UsageError(f"{where}: {error}") from error


def write_models(path: Path, models: ModelConfigs) -> None:
    """Writes all entries; the folder is created.

    Raises:
        DataError: the file cannot be written.
    """
    change_models(path, lambda _: models)


def change_models(path: Path, change: Callable[[ModelConfigs], ModelConfigs], *, patience: float = PATIENCE) -> ModelConfigs:
    """Changes the entries of a file, and returns the new ones. Those that others wrote until now are among the old ones.

    Args:
        path: the file.
        change: returns the new entries.
        patience: how many seconds another process that changes the file is waited for.

    Raises:
        DataError: the file cannot be read or written.
        UsageError: an entry is invalid, or `change` raised it; the file is unchanged.
    """
    models = ModelConfigs()
    with replacing(path, makes_folder=True, patience=patience) as draft:
        models = change(read_models(path))
        content: dict[str, Any] = {"chosen": models.chosen} if models.chosen else {}
        content["models"] = {entry.name: _table(entry) for entry in models.entries}
        draft.write_bytes(tomli_w.dumps(content).encode())
    return models


def _table(entry: ModelConfig) -> dict[str, Any]:
    given = {name: value for name, value in asdict(entry.limits).items() if value is not None}
    prices = {} if entry.price is None else {"price_in": entry.price.tokens_in, "price_out": entry.price.tokens_out}
    typed = vars(changed(provider_class(entry.provider).settings, entry.options))
    options = {name: _plain(typed[name]) for name in entry.options}
    return {"provider": entry.provider, **options, **prices, **({"limits": given} if given else {})}


def _plain(value: Any) -> Any:
    """Returns a setting for TOML: JSON text as a table."""
    if isinstance(value, str) and value.startswith(("{", "[")):
        with contextlib.suppress(ValueError):  # a text that starts like JSON
            return json.loads(value)
    return value


@dataclass(frozen=True, slots=True)
class Preset:
    """A template.

    Attributes:
        title: the name of the service or program.
        provider: the provider's name in the registry.
        about: what it needs, in a few words.
        options: the settings that are the same for everyone.
        is_file: True if the model is a file, to be chosen next.
    """

    title: str
    provider: str
    about: str
    options: Mapping[str, str]
    is_file: bool = False


def _server(title: str, base_url: str, about: str) -> Preset:
    return Preset(title, "openai", about, MappingProxyType({"base_url": base_url}))


PRESETS = (
    _server("OpenAI", "https://api.openai.com/v1", "needs a key"),
    _server("Anthropic", "https://api.anthropic.com/v1/", "its OpenAI-compatible address; needs a key"),
    _server("Ollama", "http://127.0.0.1:11434/v1", "on this machine"),
    _server("vLLM", "http://127.0.0.1:8000/v1", "on this machine"),
    _server("llama.cpp server", "http://127.0.0.1:8080/v1", "on this machine"),
    _server("LM Studio", "http://127.0.0.1:1234/v1", "on this machine"),
    _server("Another server", "http://127.0.0.1:8000/v1", "any that speaks OpenAI's chat completions"),
    Preset("A GGUF file", "local", "llama.cpp inside Belvedere", MappingProxyType({}), is_file=True),
)


def free_name(name: str, taken: Iterable[str]) -> str:
    """Returns the name itself, or with the first number from 2 that makes it unique."""
    others, number, free = set(taken), 2, name
    while free in others:
        free, number = f"{name} {number}", number + 1
    return free


def entry_of(preset: Preset, taken: Iterable[str]) -> ModelConfig:
    """Returns a new entry with a name that is not in `taken`."""
    return ModelConfig(free_name(preset.title, taken), preset.provider, preset.options)
