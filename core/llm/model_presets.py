"""Presets of common servers and files, as templates for a model's entry."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from core.llm.model_config import ModelConfig


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
