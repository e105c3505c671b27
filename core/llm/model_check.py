"""Validates a model's entry while it is being edited: field -> problem in one line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from core.common.errors import UsageError
from core.common.parameters import Parameter, changed, described
from core.llm.dialect import read_extra_body
from core.llm.endpoint import Address
from core.llm.openai_compatible import OPENAI
from core.llm.registry import provider_class

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
    path = Path(file).expanduser()
    try:
        with path.open("rb") as opened:
            return "" if opened.read(4) == b"GGUF" else "This is no GGUF file; llama.cpp reads no other"
    except (OSError, ValueError) as error:
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
