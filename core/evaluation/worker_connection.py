"""The connection between a sweep and its workers: TCP, with one line of JSON per message.

A process that connects must prove that it has the sweep's key. The key is never sent over this connection; workers get it with
their work. Only numbers and names are sent, and the address and key of a shared local model to workers of this machine.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import json
import socket
from dataclasses import dataclass, field
from typing import Any

LONGEST = 2**20  # maximum size of a message in bytes
PATIENCE = 30.0  # seconds in which a connection must be made

Message = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Address:
    """Where a sweep listens, and its key."""

    host: str
    port: int
    key: bytes = field(repr=False)


class Connection:
    """One end of a connection. Only one thread at a time may use it, except for `cut`."""

    def __init__(self, connection: socket.socket):
        connection.settimeout(None)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._socket = connection
        self._input = connection.makefile("rb")

    def send(self, message: Message) -> None:
        """Sends a message.

        Raises:
            OSError: the other end is gone.
        """
        self._socket.sendall(json.dumps(message).encode() + b"\n")

    def receive(self) -> Message | None:
        """Returns the next message; None if the other end is gone, or sends something else."""
        try:
            data = self._input.readline(LONGEST)
            message = json.loads(data) if data.endswith(b"\n") else None
        except (OSError, ValueError, RecursionError):
            return None
        return message if isinstance(message, dict) else None

    def cut(self) -> None:
        """Ends the connection. Safe from any thread: a waiting `receive` returns None."""
        with contextlib.suppress(OSError):  # the other end has closed it already
            self._socket.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Closes this end."""
        self._input.close()
        self._socket.close()


def proof(key: bytes, nonce: str) -> str:
    """Returns the answer to a nonce, which only a process with the key can compute."""
    return hmac.new(key, nonce.encode(), hashlib.sha256).hexdigest()


def connected(address: Address) -> Connection:
    """Returns a connection to a sweep.

    Raises:
        OSError: no sweep with this key listens there.
    """
    connection = Connection(socket.create_connection((address.host, address.port), PATIENCE))
    try:
        greeting = connection.receive()
        if greeting is None or "nonce" not in greeting:
            raise ConnectionAbortedError("the sweep has ended")
        connection.send({"proof": proof(address.key, str(greeting["nonce"]))})
        if connection.receive() != {"ok": True}:
            raise ConnectionRefusedError("it does not know the key of this sweep")
    except BaseException:
        connection.close()
        raise
    return connection
