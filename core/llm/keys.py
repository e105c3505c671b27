"""The key to a paid server: read from the environment or the system keyring, and never shown."""

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
"""The usual variables for keys of these servers."""
KEY_VARIABLES = (OURS, *VARIABLES_OF_HOSTS.values())
SERVICE = "belvedere"
NO_KEYRING = "no system keyring can be used here"
"""The start of the message if no keyring is running, or it is locked."""


class Secret:
    """A text that no repr, message or traceback shows, and that cannot be copied or saved."""

    __slots__ = ("_redactor", "_text")

    def __init__(self, text: str):
        self._text, self._redactor = text, Redactor((text,))

    def reveal(self) -> str:
        """Returns the text itself, only for sending it."""
        return self._text

    def removed_from(self, text: str) -> str:
        """Returns `text` without the secret or parts of it (a server may echo it), see `core.common.redaction`."""
        return self._redactor.text(text)

    def __repr__(self) -> str:
        return "Secret(…)"

    def __bool__(self) -> bool:
        return bool(self._text)

    def __reduce__(self) -> NoReturn:
        raise TypeError("a secret is not saved")


def keys_in_environment() -> tuple[str, ...]:
    """Returns all keys that are set."""
    return tuple(value for name in KEY_VARIABLES if (value := os.environ.get(name, "").strip()))


def key_variables(host: str) -> tuple[str, ...]:
    """Returns the variables with the key for a server; the first one that is set counts.

    The key of one known company is not sent to another. Many other servers use `OPENAI_API_KEY`.
    """
    return OURS, VARIABLES_OF_HOSTS.get(host, OPENAIS)


def key_from_environment(host: str) -> Secret:
    """Returns the first key for a server that is set in the environment, or an empty secret.

    Raises:
        UsageError: the key cannot be sent.
    """
    for name in key_variables(host):
        if value := os.environ.get(name, "").strip():
            return _sendable(value, f"the key in {name}")
    return Secret("")


def key_from_keyring(name: str) -> tuple[Secret, str]:
    """Returns the key stored under `name` in the system keyring (service "belvedere"), or an empty secret and the reason.

    Raises:
        UsageError: the key cannot be sent.
    """
    import keyring  # takes a third of a second with its backends, so it is imported only when needed
    from keyring.errors import KeyringError

    try:
        value = (keyring.get_password(SERVICE, name) or "").strip()
    except (KeyringError, OSError, RuntimeError) as error:  # no keyring service is running, or it is locked
        return Secret(""), f"{NO_KEYRING} ({type(error).__name__})"
    return _sendable(value, f"the key '{name}' in the system keyring"), f"the system keyring holds no '{name}'"


def _sendable(value: str, where: str) -> Secret:
    """Returns the key as a secret. HTTP headers allow printable ASCII only; the error of sending others could quote the key."""
    odd = next((at for at, character in enumerate(value, 1) if not " " <= character <= "~"), 0)
    if odd:
        raise UsageError(f"{where} cannot be sent: its character {odd} of {len(value)} is not plain ASCII; copy the key again")
    return Secret(value)
