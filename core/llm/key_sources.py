"""Where the key to a server comes from, told without the key; and putting one into the system keyring."""

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
        found: there is one.
        needed: without one the provider does not open.
        can_keep: the system keyring works, so that a key can be put there.
        words: one plain line.
        name: what the keyring calls, or would call, the key of this server.
    """

    found: bool
    needed: bool
    can_keep: bool
    words: str
    name: str


def key_source(base_url: str, key_name: str) -> KeySource:
    """Where the key comes from, in the order of `find_key`. Asks the system keyring: not for the thread of a window.

    Raises:
        UsageError: no address, or a key that cannot be sent.
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
    """Put a key into the system keyring.

    Raises:
        UsageError: it is empty, or cannot be sent.
        MissingPart: no keyring can be used here.
    """
    key = key.strip()
    if not key:
        raise UsageError("the field is empty: paste the key")
    if not (key.isascii() and key.isprintable()):
        raise UsageError("this is no key that can be sent: it holds characters other than plain ASCII; copy it again")
    import keyring  # a third of a second with its backends: only when it is really needed
    from keyring.errors import KeyringError

    try:
        keyring.set_password(SERVICE, name, key)
    except (KeyringError, OSError, RuntimeError) as error:
        raise MissingPart(f"{NO_KEYRING} ({type(error).__name__}): set {OURS} in the "
                          "environment before the start instead") from None  # its traceback could hold the key
