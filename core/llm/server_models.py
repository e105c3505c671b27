"""The names of the models that a server offers."""

from __future__ import annotations

import json
import threading
import time

from core.common.errors import ModelError
from core.llm.endpoint import LOOK, Address, cancelled_error
from core.llm.keys import Secret
from core.llm.openai_compatible import find_key
from core.llm.server_errors import Trouble

PATIENCE = 10.0
"""The time limit in seconds."""
MOST, LONGEST = 2000, 200
"""The maximum number of names, and of characters of a name."""


def models_at(base_url: str, key_name: str, cancelled: threading.Event, patience: float = PATIENCE) -> tuple[str, ...]:
    """Returns the names in alphabetical order. Waits for the server, so not for the GUI thread.

    Raises:
        UsageError: the address is not valid, or the key cannot be sent.
        MissingPart: there is no key.
        ModelError: the server gives no list.
    """
    address = Address(base_url)
    if cancelled.is_set():
        raise cancelled_error()
    return names_in(_asked(address, find_key(address, key_name), cancelled, patience), address.where)


def _asked(address: Address, secret: Secret, cancelled: threading.Event, patience: float) -> str:
    from core.llm.connection import Line  # imports openai, which takes a second

    line = Line(address.base_url, address.where, secret, patience, loopback=address.loopback)
    found: list[str | Trouble] = []
    asking = threading.Thread(target=lambda: found.append(line.models()), name="list models", daemon=True)
    asking.start()
    until = time.monotonic() + patience
    while asking.is_alive() and not cancelled.is_set() and time.monotonic() < until:
        asking.join(LOOK)
    if asking.is_alive():
        line.cut()
        if cancelled.is_set():
            raise cancelled_error()
        raise ModelError(f"{address.where} did not answer within {patience:g} s", "timeout", retry=True)
    line.close()
    if isinstance(found[0], Trouble):
        raise found[0]
    return found[0]


def names_in(text: str, where: str) -> tuple[str, ...]:
    """Returns the names in a server's response: `{"data": [{"id": …}]}`.

    Raises:
        ModelError: it contains none.
    """
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        content = None
    rows = content.get("data") if isinstance(content, dict) else None
    ids = [row.get("id") for row in rows[:MOST] if isinstance(row, dict)] if isinstance(rows, list) else []
    names = {name for name in ids if isinstance(name, str) and name.strip() and name.isprintable() and len(name) <= LONGEST}
    if not names:
        raise ModelError(f"{where} lists no models: write the name as the server calls it", "refused", retry=False)
    return tuple(sorted(names, key=str.lower))
