"""The text that says who answered: provider, model, server and settings, such as `openai qwen3 at http://127.0.0.1:8080/v1`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import groupby
from typing import NamedTuple
from urllib.parse import urlsplit

REPLAYED = "replay of "
_SERVED = re.compile(r"^(?P<model>.*?) at (?P<server>https?://\S+)$", re.DOTALL)
_SETTINGS = re.compile(r" \((?:temperature|max_tokens|extra_body) [^()]*\)$")


class Source(NamedTuple):
    """Who answered.

    Attributes:
        provider: its name in the registry.
        model: the model's name as it is sent to the server; empty if the provider has none.
        server: the address; empty if it is the provider's usual one, or there is none.
        title: the user's name for it; empty if there is none. It is no part of the text.
    """

    provider: str
    model: str = ""
    server: str = ""
    title: str = ""

    @property
    def text(self) -> str:
        """The source as text, without settings."""
        return " ".join(filter(None, (self.provider, self.model))) + (f" at {self.server}" if self.server else "")

    @property
    def host(self) -> tuple[str, int | None]:
        """Host and port of the server; an empty host if there is none."""
        try:
            parts = urlsplit(self.server)
            return parts.hostname or "", parts.port
        except ValueError:  # a damaged recording
            return "", None


def sources_text(sources: Iterable[Source]) -> str:
    """Returns who answered, one after the other: `openai qwen3 at http://127.0.0.1:8080/v1, then commonsense`."""
    return ", then ".join(text for text, _ in groupby(source.text for source in sources))


def read_source(text: str) -> Source:
    """Returns the parts of a source. A source of another form is a provider and the rest as its model.

    Args:
        text: `LanguageModel.source`, also with settings, or of replies that were played again.
    """
    provider, _, rest = _SETTINGS.sub("", text.removeprefix(REPLAYED)).partition(" ")
    served = _SERVED.match(rest)
    return Source(provider, rest) if served is None else Source(provider, served["model"], served["server"])
