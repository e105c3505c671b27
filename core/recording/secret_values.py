"""Keys never reach a file: every text that is written is looked through for those that are known here."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from typing import Any

from core.language.keys import KEY_VARIABLES

SHORTEST = 8
"""Characters: what is shorter is no key but a word such as "none", given to servers that want none."""
STANDS_FOR = "[key]"


def keys_in_environment() -> tuple[str, ...]:
    """All keys that are set."""
    return tuple(value for name in KEY_VARIABLES if (value := os.environ.get(name, "").strip()))


class Guard:
    """Takes known keys out of JSON."""

    def __init__(self, secrets: Iterable[str]):
        self._secrets = tuple(s for s in dict.fromkeys(secrets) if len(s) >= SHORTEST)
        self._written = tuple({_inner(s, ascii_only) for s in self._secrets for ascii_only in (True, False)})

    def clean(self, data: bytes) -> bytes:
        """The same JSON, with `[key]` wherever a text in it holds a key."""
        if self._written and any(secret in data for secret in self._written):
            return json.dumps(self._without(json.loads(data)), separators=(",", ":")).encode()
        return data

    def clean_text(self, text: str) -> str:
        """A plain text without keys."""
        for secret in self._secrets:
            text = text.replace(secret, STANDS_FOR)
        return text

    def _without(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.clean_text(value)
        if isinstance(value, list):
            return [self._without(v) for v in value]
        if isinstance(value, dict):
            return {self.clean_text(k): self._without(v) for k, v in value.items()}
        return value


def _inner(secret: str, ascii_only: bool) -> bytes:
    """A text as it stands within JSON, whichever way it is written."""
    return json.dumps(secret, ensure_ascii=ascii_only)[1:-1].encode("utf-8", "surrogatepass")
