"""The registry of providers. A new provider is one file and one line here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from core.common import registry
from core.llm.model import LanguageModel

OFFLINE = "commonsense"
"""The provider that is always offered besides the chosen one, so that a run can continue if its model is down."""
PROVIDERS = {
    "commonsense": "core.llm.commonsense:Commonsense",
    "openai": "core.llm.openai_compatible:OpenAICompatible",
    "local": "core.llm.local:Local",
    "human": "core.llm.human:Human",
    "replay": "core.llm.replay:Replay",
}

PROVIDER_NOTES = {
    "commonsense": "plain rules and placement statistics, offline; not an LLM",
    "openai": "any OpenAI-compatible server; the key comes from the environment or the system's keyring",
    "local": "a GGUF file through llama.cpp (extra local-llm)",
    "human": "you answer every question",
    "replay": "the answers of a recording",
}
"""Descriptions for users."""


def open_model(name: str, options: Mapping[str, str]) -> LanguageModel:
    """Returns a provider with its settings given as text.

    Raises:
        UsageError: there is no such provider, a setting is unknown, or a value is invalid.
        MissingPart: a package, a file or a key is missing.
    """
    return cast(type[LanguageModel], registry.load("provider", name, PROVIDERS)).open(options)


def open_for(name: str, options: Mapping[str, str], scene: str) -> LanguageModel:
    """Returns a provider for a run in a scene. The offline provider then excludes the statistics of that scene.

    Raises:
        UsageError: as `open_model`.
        MissingPart: as `open_model`.
    """
    return open_model(name, {"without": scene, **options} if name == OFFLINE else options)
