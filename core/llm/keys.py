"""The key to a paid server: found in the environment or the system keyring, and never shown."""

from __future__ import annotations

import os
from typing import NoReturn

from core.common.errors import UsageError
from core.common.redaction import Redactor

OURS, OPENAIS = "BELVEDERE_API_KEY", "OPENAI_API_KEY"
VARIABLES_OF_HOSTS = {
    "api.openai.com": OPENAIS,
    "api.anthropic.com": "ANTHROPIC_API_KEY",
    "openrouter.ai": "OPENROUTER_API_KEY",
}
"""Where the customers of these servers keep their keys."""
KEY_VARIABLES = (OURS, *VARIABLES_OF_HOSTS.values())
SERVICE = "belvedere"
NO_KEYRING = "no system keyring can be used here"
"""How the reason begins where none runs, or it is locked."""


class Secret:
    """A text that no repr, message or traceback shows, and that is not copied or saved."""

    __slots__ = ("_redactor", "_text")

    def __init__(self, text: str):
        self._text, self._redactor = text, Redactor((text,))

    def reveal(self) -> str:
        """The text itself, for the one place that sends it."""
        return self._text

    def removed_from(self, text: str) -> str:
        """Returns `text` without the secret or parts of it (a server may echo it); the rule is in `core.common.redaction`."""
        return self._redactor.text(text)

    def __repr__(self) -> str:
        return "Secret(…)"

    def __bool__(self) -> bool:
        return bool(self._text)

    def __reduce__(self) -> NoReturn:
        raise TypeError("a secret is not saved")


def keys_in_environment() -> tuple[str, ...]:
    """All keys that are set."""
    return tuple(value for name in KEY_VARIABLES if (value := os.environ.get(name, "").strip()))


def key_variables(host: str) -> tuple[str, ...]:
    """The variables in which a key for a server is looked for, the first set one counts.

    A key that a known company gave is sent to no other known company; many other servers take `OPENAI_API_KEY`.
    """
    return OURS, VARIABLES_OF_HOSTS.get(host, OPENAIS)


def key_from_environment(host: str) -> Secret:
    """The first key for a server that is set in the environment, or an empty secret.

    Raises:
        UsageError: it cannot be sent.
    """
    for name in key_variables(host):
        if value := os.environ.get(name, "").strip():
            return _sendable(value, f"the key in {name}")
    return Secret("")


def key_from_keyring(name: str) -> tuple[Secret, str]:
    """The key kept under `name` in the system keyring (service "belvedere"), or an empty secret and why there is none.

    Raises:
        UsageError: it cannot be sent.
    """
    import keyring  # a third of a second with its backends: only when it is really needed
    from keyring.errors import KeyringError

    try:
        value = (keyring.get_password(SERVICE, name) or "").strip()
    except (KeyringError, OSError, RuntimeError) as error:  # no keyring service runs here, or it is locked
        return Secret(""), f"{NO_KEYRING} ({type(error).__name__})"
    return _sendable(value, f"the key '{name}' in the system keyring"), f"the system keyring holds no '{name}'"


def _sendable(value: str, where: str) -> Secret:
    """The key as a secret. HTTP headers hold printable ASCII only, and a failed attempt to send more could quote the key."""
    odd = next((at for at, character in enumerate(value, 1) if not " " <= character <= "~"), 0)
    if odd:
        raise UsageError(f"{where} cannot be sent: its character {odd} of {len(value)} is not plain ASCII; copy the key again")
    return Secret(value)
