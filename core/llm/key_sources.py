"""Describes where the key of a server comes from, without showing it, and stores a key in the system keyring."""

from __future__ import annotations

import os
from dataclasses import dataclass

from core.common.errors import MissingPart, UsageError
from core.llm.endpoint import Address
from core.llm.keys import NO_KEYRING, OURS, SERVICE, Secret, key_from_environment, key_from_keyring, key_variables


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
    name, variables = key_name or address.host, key_variables(address.host)
    kept, reason = key_from_keyring(name) if key_name else (Secret(""), "")
    if not kept and key_from_environment(address.host):
        variable = next(v for v in variables if os.environ.get(v, "").strip())
        return KeySource(True, True, False, f"Key: found in the environment variable {variable}", name)
    if address.loopback and not key_name:
        return KeySource(False, False, False, "Key: none is sent; a server on this machine rarely wants one", name)
    if not key_name:
        kept, reason = key_from_keyring(name)
    if kept:
        return KeySource(True, True, True, f"Key: found in the system keyring as '{name}'", name)
    either = " or ".join(variables)
    if reason.startswith(NO_KEYRING):
        return KeySource(False, True, False, f"No key: set {either} before the start; {reason}", name)
    return KeySource(False, True, True, f"No key: put it into the system keyring here, or set {either} before the start", name)


def keep_key(name: str, key: str) -> None:
    """Stores a key in the system keyring.

    Raises:
        UsageError: the key is empty, or cannot be sent.
        MissingPart: no keyring is available.
    """
    key = key.strip()
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
