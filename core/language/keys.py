"""The key to a paid server: found in the environment or the system keyring, and shown to nobody."""

from __future__ import annotations

import os
from typing import NoReturn

KEY_VARIABLES = ("BELVEDERE_API_KEY", "OPENAI_API_KEY")
SERVICE = "belvedere"


class Secret:
    """A text that no repr, message or traceback shows, and that is not copied or saved."""

    __slots__ = ("_text",)

    def __init__(self, text: str):
        self._text = text

    def reveal(self) -> str:
        """The text itself, for the one place that sends it."""
        return self._text

    def removed_from(self, text: str) -> str:
        """`text` without the secret, should a server have echoed it."""
        return text.replace(self._text, "[key]") if self._text else text

    def __repr__(self) -> str:
        return "Secret(…)"

    def __bool__(self) -> bool:
        return bool(self._text)

    def __reduce__(self) -> NoReturn:
        raise TypeError("a secret is not saved")


def key_from_environment() -> Secret:
    """The first key set in the environment, or an empty secret."""
    return Secret(next((value for name in KEY_VARIABLES if (value := os.environ.get(name, "").strip())), ""))


def key_from_keyring(name: str) -> tuple[Secret, str]:
    """The key kept under `name` in the system keyring (service "belvedere"), or an empty secret and why there is none."""
    import keyring  # a third of a second with its backends: only when it is really needed
    from keyring.errors import KeyringError

    try:
        return Secret((keyring.get_password(SERVICE, name) or "").strip()), f"the system keyring holds no '{name}'"
    except (KeyringError, OSError, RuntimeError) as error:  # no keyring service runs here, or it is locked
        return Secret(""), f"no system keyring can be used here ({type(error).__name__})"
