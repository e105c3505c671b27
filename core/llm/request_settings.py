"""The settings of all requests to one provider."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from core.common.errors import UsageError
from core.planning.model_requests import ModelRequest

LONGEST_EXTRA = 10_000
"""The maximum number of characters of `extra_body`."""
OURS = frozenset({
    "model", "messages", "n", "stream", "stream_options", "max_tokens", "max_completion_tokens", "temperature", "top_p",
    "logprobs", "top_logprobs", "response_format", "structured_outputs", "guided_choice", "guided_regex", "guided_json",
    "grammar",
})
"""Request fields that Belvedere sets itself."""
EXAMPLE = '{"reasoning_effort": "low"}'


@dataclass(frozen=True, slots=True)
class RequestSettings:
    """The settings of all requests to one provider.

    Attributes:
        temperature: for requests that leave it open; below 0: 0.
        max_tokens: the token limit of every reply, instead of the planner's; 0: the planner's.
        extra: additional fields of each request.
    """

    temperature: float = -1.0
    max_tokens: int = 0
    extra: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))

    def temperature_of(self, ask: ModelRequest) -> float:
        """Returns the temperature of a request."""
        return ask.temperature if ask.temperature >= 0 else max(0.0, self.temperature)

    def tokens_of(self, ask: ModelRequest, room: int = 0) -> int:
        """Returns the token limit of a request's reply; `room` is added to the planner's, not to the operator's."""
        return self.max_tokens or ask.max_tokens + room

    @property
    def label(self) -> str:
        """The settings that affect replies, as part of `source`, so that caches distinguish them. May be empty."""
        parts = [f"temperature {self.temperature:g}"] if self.temperature >= 0 else []
        parts += [f"max_tokens {self.max_tokens}"] if self.max_tokens else []
        if self.extra:
            text = json.dumps(dict(self.extra), sort_keys=True)
            parts.append(f"extra_body #{hashlib.sha256(text.encode()).hexdigest()[:8]}")
        return f" ({', '.join(parts)})" if parts else ""


def read_extra_body(text: str) -> Mapping[str, object]:
    """Returns the fields of a JSON object; none for an empty text.

    Raises:
        UsageError: it is no JSON object, or contains a field that Belvedere sets itself.
    """
    if not text.strip():
        return MappingProxyType({})
    try:
        value = json.loads(text) if len(text) <= LONGEST_EXTRA else None
        text.encode()
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise UsageError(f"extra_body must be a JSON object of at most {LONGEST_EXTRA:,} characters, such as {EXAMPLE}")
    ours = sorted(OURS & value.keys())
    if ours:
        raise UsageError(f"extra_body must not hold '{ours[0]}', which is set for each question; there is a setting or none")
    return MappingProxyType(value)
