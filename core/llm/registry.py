"""The providers of replies: ours, and those of other packages (entry points of the group belvedere.providers)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from core.common import registry
from core.llm.model import LanguageModel

OFFLINE = "commonsense"
"""Always offered beside the chosen provider: a run whose model is down can go on."""
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
    """An answerer by name, with its settings as text.

    Raises:
        UsageError: no such provider, an unknown setting, or a value that makes no sense.
        MissingPart: it needs a package, a file or a key that is not there.
    """
    return provider_class(name).open(options)


def open_for(name: str, options: Mapping[str, str], scene: str) -> LanguageModel:
    """An answerer for a run in a scene: nobody marks their own paper, so the offline one knows no statistics of a room played.

    Raises:
        UsageError: as `open_model`.
        MissingPart: as `open_model`.
    """
    return open_model(name, {"without": scene, **options} if name == OFFLINE else options)
