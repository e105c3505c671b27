"""The providers of replies: ours, and those of other packages (entry points of the group belvedere.providers)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from core.common import registry
from core.llm.model import LanguageModel

OFFLINE = "commonsense"
"""The provider that is always offered besides the chosen one, so that a run can continue if its model is down."""
PROVIDERS = registry.Registry("provider", "belvedere.providers", {
    "commonsense": "core.llm.commonsense:Commonsense",
    "openai": "core.llm.openai_compatible:OpenAICompatible",
    "local": "core.llm.local:Local",
    "human": "core.llm.human:Human",
    "replay": "core.llm.replay:Replay",
}, base=LanguageModel)
NEED_SETTINGS = frozenset({"openai", "local"})
"""Our providers that answer only with settings, known before they are loaded; equal to each class's `needs_settings`."""


def provider_class(name: str) -> type[LanguageModel]:
    """Returns a provider's class.

    Raises:
        UsageError: there is no such provider.
        MissingPart: it needs a package that is not installed.
    """
    return cast(type[LanguageModel], PROVIDERS.load(name))


def open_model(name: str, options: Mapping[str, str]) -> LanguageModel:
    """Returns a provider with its settings given as text.

    Raises:
        UsageError: there is no such provider, a setting is unknown, or a value is invalid.
        MissingPart: a package, a file or a key is missing.
    """
    return provider_class(name).open(options)


def open_for(name: str, options: Mapping[str, str], scene: str) -> LanguageModel:
    """Returns a provider for a run in a scene. The offline provider then excludes the statistics of that scene.

    Raises:
        UsageError: as `open_model`.
        MissingPart: as `open_model`.
    """
    return open_model(name, {"without": scene, **options} if name == OFFLINE else options)
