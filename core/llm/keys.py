"""The address of a server, and the key to it: read from the environment or the system keyring, and never shown."""

from __future__ import annotations

import ipaddress
import os
import re
from dataclasses import dataclass
from typing import NoReturn
from urllib.parse import urlsplit

from core.common.errors import MissingPart, UsageError
from core.common.redaction import Redactor
from core.common.visible import pasted
from core.llm.server_errors import shortened

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
HOST_AND_PORT = re.compile(r"(\[[0-9a-fA-F:.]+\]|[^\[\]:]+)(:[0-9]+)?")
LONGEST_URL = 2000  # characters


@dataclass(frozen=True, slots=True)
class Address:
    """The address of a server.

    Raises:
        UsageError: it is no http address, or contains a password.
    """

    base_url: str

    def __post_init__(self) -> None:
        if any(sign in self.base_url for sign in "@?#"):
            raise UsageError("base_url must hold no password, query or fragment; the key comes from BELVEDERE_API_KEY")
        if len(self.base_url) > LONGEST_URL or not _is_address(self.base_url):
            raise UsageError(f"base_url={shortened(self.base_url)}: write an address such as http://127.0.0.1:8080/v1")

    @property
    def where(self) -> str:
        """Host and port, for people."""
        return urlsplit(self.base_url).netloc

    @property
    def normalized(self) -> str:
        """The normalized address for cache keys: equal for all spellings of one address only."""
        parts = urlsplit(self.base_url)
        return f"{parts.scheme}://{parts.netloc.lower()}{parts.path.rstrip('/')}"

    @property
    def host(self) -> str:
        """The host name."""
        return urlsplit(self.base_url).hostname or ""

    @property
    def is_secure(self) -> bool:
        """Whether requests are encrypted."""
        return self.base_url.lower().startswith("https:")

    @property
    def loopback(self) -> bool:
        """Whether the server runs on this machine."""
        return is_loopback(self.host)


def is_loopback(host: str) -> bool:
    """Returns True if a host is this machine."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:  # a name
        return False


def _is_address(text: str) -> bool:
    """Returns True for a valid address."""
    if not text.isprintable() or any(sign in text for sign in " \\<>\"'`{}|^"):
        return False
    try:
        parts = urlsplit(text)
        host = parts.hostname or ""
        if parts.scheme not in ("http", "https") or parts.port == 0 or not HOST_AND_PORT.fullmatch(parts.netloc):
            return False
        return bool(host.encode("idna")) if ":" not in host else ipaddress.ip_address(host).version == 6
    except ValueError:  # unclosed brackets, an invalid port, or an invalid host name
        return False


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


def find_key(address: Address, key_name: str) -> Secret:
    """Returns the key for a server: from the environment, else from the system keyring.

    A named key is read from the keyring first.

    Raises:
        MissingPart: there is no key, and the server is not on this machine.
        UsageError: the key cannot be sent.
    """
    secret, _, reason = _found_key(address, key_name)
    if secret or _needs_none(address, key_name):
        return secret
    variables, name = " or ".join(key_variables(address.host)), key_name or address.host
    raise MissingPart(f"no key for {address.where}: set {variables}, or run `keyring set belvedere {name}` ({reason}); "
                      "a server without keys takes any text")


def _found_key(address: Address, key_name: str) -> tuple[Secret, str, str]:
    """Returns the key or an empty secret, its variable unless it comes from the keyring, and why the keyring holds none."""
    reason = ""
    if key_name:
        secret, reason = key_from_keyring(key_name)
        if secret:
            return secret, "", ""
    secret = key_from_environment(address.host)
    if secret:
        return secret, _variable(address.host), ""
    if not key_name and not address.loopback:
        secret, reason = key_from_keyring(address.host)
    return secret, "", reason


def _needs_none(address: Address, key_name: str) -> bool:
    return address.loopback and not key_name  # servers on this machine usually need none


def _variable(host: str) -> str:
    """Returns the variable that holds the key for a server; empty if none is set."""
    return next((name for name in key_variables(host) if os.environ.get(name, "").strip()), "")


def key_from_environment(host: str) -> Secret:
    """Returns the first key for a server that is set in the environment, or an empty secret.

    Raises:
        UsageError: the key cannot be sent.
    """
    name = _variable(host)
    return _sendable(os.environ[name].strip(), f"the key in {name}") if name else Secret("")


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


@dataclass(frozen=True, slots=True)
class KeySource:
    """Where the key comes from.

    Attributes:
        found: whether there is a key.
        needed: whether the provider requires one.
        can_keep: whether the system keyring works, so that a key can be stored.
        words: one line for users.
        name: the keyring's name for the key of this server.
    """

    found: bool
    needed: bool
    can_keep: bool
    words: str
    name: str


def key_source(base_url: str, key_name: str) -> KeySource:
    """Returns where the key comes from, in the order of `find_key`. Reads the system keyring, so not for the GUI thread.

    Raises:
        UsageError: the address is not valid, or the key cannot be sent.
    """
    address = Address(base_url)
    secret, variable, reason = _found_key(address, key_name)
    name = key_name or (address.where if address.loopback else address.host)
    if variable:
        return KeySource(True, True, False, f"Key: found in the environment variable {variable}", name)
    if _needs_none(address, key_name):
        can_keep = not key_from_keyring(name)[1].startswith(NO_KEYRING)
        return KeySource(False, False, can_keep, "Key: none is sent; a server on this machine rarely wants one, but one behind "
                         "a tunnel may", name)
    if secret:
        return KeySource(True, True, True, f"Key: found in the system keyring as '{name}'", name)
    either = " or ".join(key_variables(address.host))
    if reason.startswith(NO_KEYRING):
        return KeySource(False, True, False, f"No key: set {either} before the start; {reason}", name)
    return KeySource(False, True, True, f"No key: put it into the system keyring here, or set {either} before the start", name)


def keep_key(name: str, key: str) -> None:
    """Stores a key in the system keyring.

    Raises:
        UsageError: the key is empty, or cannot be sent.
        MissingPart: no keyring is available.
    """
    key = pasted(key).strip()
    if not key:
        raise UsageError("the field is empty: paste the key")
    if not (key.isascii() and key.isprintable()):
        raise UsageError("this is no key that can be sent: it holds characters other than plain ASCII; copy it again")
    import keyring  # takes a third of a second with its backends, so it is imported only when needed
    from keyring.errors import KeyringError

    try:
        keyring.set_password(SERVICE, name, key)
    except (KeyringError, OSError, RuntimeError) as error:
        raise MissingPart(f"{NO_KEYRING} ({type(error).__name__}): set {OURS} in the "
                          "environment before the start instead") from None  # its traceback could contain the key
