"""Who can answer questions. A new one is one file and one line here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from core.common import registry
from core.llm.model import LanguageModel

OFFLINE = "commonsense"
"""Always offered beside the chosen provider: a run whose model is down can go on."""
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
"""What they are, for people."""


def open_model(name: str, options: Mapping[str, str]) -> LanguageModel:
    """An answerer by name, with its settings as text.

    Raises:
        UsageError: no such provider, an unknown setting, or a value that makes no sense.
        MissingPart: it needs a package, a file or a key that is not there.
    """
    return cast(type[LanguageModel], registry.load("provider", name, PROVIDERS)).open(options)


def open_for(name: str, options: Mapping[str, str], scene: str) -> LanguageModel:
    """An answerer for a run in a scene: nobody marks their own paper, so the offline one knows no statistics of a room played.

    Raises:
        UsageError: as `open_model`.
        MissingPart: as `open_model`.
    """
    return open_model(name, {"without": scene, **options} if name == OFFLINE else options)
