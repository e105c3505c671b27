"""The network of one HTTP request: every wait ends at the request's deadline, and at once when it is cancelled.

The HTTP library restarts its timeouts with every byte, and closing it does not wake a thread that reads. So `Network` takes
the place of its network backend and of the streams that this opens. The library comes with the `openai` package under changing
names, so that its classes are not named here.
"""

from __future__ import annotations

import contextlib
import math
import socket
import ssl
import threading
import time
from concurrent.futures import Future, InvalidStateError
from typing import Any

from core.common.cancellation import Cancellation, any_of


class Network:
    """Opens the connections of one request with the library's own backend.

    Args:
        backend: the library's backend.
        cancelled: ends the request.
        is_near: True if the server is this machine, which needs no name server and answers at once.

    Attributes:
        ends: the deadline (`time.monotonic`); infinite until the request begins.
    """

    def __init__(self, backend: Any, cancelled: Cancellation, *, is_near: bool):
        self._backend, self._cancelled, self._is_near = backend, cancelled, is_near
        self.ends = math.inf
        self._lock = threading.Lock()
        self._sockets: set[socket.socket] = set()

    def connect_tcp(self, host: str, port: int, timeout: float | None = None, local_address: str | None = None,
                    socket_options: Any = None) -> _Stream:
        """Returns a connection.

        Raises:
            TimeoutError: the request is late or cancelled.
            Exception: there is none; the library's exceptions.
        """
        del timeout  # the deadline is earlier
        left = self.left()
        given = host, port, left, local_address, socket_options
        stream = self._backend.connect_tcp(*given) if self._is_near else self._connected_elsewhere(given, left)
        twin = stream.get_extra_info("socket").dup()  # TLS will take the socket itself
        with self._lock:
            self._sockets.add(twin)
        if self._cancelled.is_set():
            self.cut()
        return _Stream(stream, self, twin)

    def _connected_elsewhere(self, given: tuple[Any, ...], seconds: float) -> Any:
        """Connects to another machine in a thread of its own, since nothing wakes a thread that resolves a name."""
        found, done = Future[Any](), Cancellation()

        def connect() -> None:
            try:
                stream = self._backend.connect_tcp(*given)
            except Exception as error:  # noqa: BLE001 - raised again by `result`
                with contextlib.suppress(InvalidStateError):  # nobody waits for it
                    found.set_exception(error)
            else:
                try:
                    found.set_result(stream)
                except InvalidStateError:  # nobody waits for it
                    stream.close()
            done.set()

        threading.Thread(target=connect, name="connecting", daemon=True).start()
        with any_of(done, self._cancelled) as over:
            over.wait(seconds)
        if found.cancel():
            raise TimeoutError
        return found.result()

    def left(self) -> float:
        """Returns the seconds until the deadline.

        Raises:
            TimeoutError: none are left, or the request is cancelled.
        """
        left = self.ends - time.monotonic()
        if left <= 0 or self._cancelled.is_set():
            raise TimeoutError
        return left

    def cut(self) -> None:
        """Shuts down the connections, which wakes a thread that reads from one or writes to it."""
        with self._lock:
            for connection in self._sockets:
                with contextlib.suppress(OSError):  # the server has closed it
                    connection.shutdown(socket.SHUT_RDWR)

    def release(self, twin: socket.socket) -> None:
        """Forgets a connection that is closed."""
        with self._lock:
            self._sockets.discard(twin)
            twin.close()


class _Stream:
    """A connection; with the methods of the library's streams.

    Args:
        stream: the library's stream.
        network: its network.
        twin: a duplicate of its socket, by which it can be shut down in any state.
    """

    def __init__(self, stream: Any, network: Network, twin: socket.socket):
        self._stream, self._network, self._twin = stream, network, twin

    def read(self, max_bytes: int, timeout: float | None = None) -> Any:
        """Returns the next bytes."""
        del timeout
        return self._stream.read(max_bytes, self._network.left())

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Sends bytes."""
        del timeout
        self._stream.write(buffer, self._network.left())

    def start_tls(self, ssl_context: ssl.SSLContext, server_hostname: str | None = None,
                  timeout: float | None = None) -> _Stream:
        """Returns the encrypted connection."""
        del timeout
        return _Stream(self._stream.start_tls(ssl_context, server_hostname, self._network.left()), self._network, self._twin)

    def close(self) -> None:
        """Closes the connection."""
        self._stream.close()
        self._network.release(self._twin)

    def get_extra_info(self, info: str) -> Any:
        """Returns what the library's stream knows."""
        return self._stream.get_extra_info(info)
