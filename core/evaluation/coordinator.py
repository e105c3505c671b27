"""What all workers of a sweep share, held in the sweep's own process: the budget, the server's slots, a local model.

A worker asks over a TCP connection of its own before each call, with one line of JSON per message. It must prove that it has
the sweep's key, which it got with its work and which is never sent. Only numbers and names are sent, and the address and key of
a shared local model to workers of this machine.

When a connection ends, what it holds is released: after a worker is killed its slots are free again, and its call counts as
failed. When the sweep's process is killed, all connections end, and so do the workers.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import json
import secrets
import selectors
import socket
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

from core.common.cancellation import Cancellation
from core.common.errors import BelvedereError, DataError, ModelError
from core.evaluation.folder import Ledger
from core.llm.budget import Reservation
from core.llm.local import Local
from core.planning.model_requests import ModelReply

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


QUEUE = 128  # number of connections that may wait to be accepted
ENDED = "ended"
"""Kind of a ModelError: the sweep is ending and makes no more calls."""


class Slots:
    """The calls the server takes at once. Slots are granted in the order of the requests."""

    def __init__(self, total: int):
        self.total = total
        self._free = total
        self._turn = threading.Condition()
        self._waiting: deque[object] = deque()

    def take(self, count: int, given_up: Cancellation) -> bool:
        """Waits for `count` free slots, at most `total`. Returns False if the wait was given up."""
        ticket = object()
        with self._turn:
            self._waiting.append(ticket)
            try:
                is_next = given_up.wait_with(self._turn, lambda: self._waiting[0] is ticket and self._free >= count)
                if not is_next or given_up.is_set():
                    return False
                self._free -= count
                return True
            finally:
                self._waiting.remove(ticket)
                self._turn.notify_all()

    def release(self, count: int) -> None:
        """Gives slots back."""
        with self._turn:
            self._free += count
            self._turn.notify_all()


class Coordinator:
    """Listens for the workers of one sweep. Use it as a context manager.

    Args:
        ledger: the budget; None if no language model is used.
        slots: number of calls the server takes at once.
        local: a local model for all workers; the first request starts it, and the coordinator closes it.
        host: the address of this machine at which the workers reach it.
        on_change: called after each change of the ledger, from any thread.
    """

    def __init__(self, ledger: Ledger | None, slots: int, local: Local | None = None, host: str = "127.0.0.1",
                 on_change: Callable[[], None] = lambda: None):
        self._ledger, self._slots, self._local, self._on_change = ledger, Slots(slots), local, on_change
        self._lock = threading.Lock()
        self._connections: dict[Connection, threading.Thread] = {}
        self._closed, self._ended = Cancellation(), Cancellation()
        self._reason = ""
        self._listener = socket.create_server((host, 0), backlog=QUEUE)
        self._listener.setblocking(False)
        self._bell, self._rung = socket.socketpair()
        """Closing the listener does not wake a thread that waits for a connection: a byte through this pair does."""
        self.address = Address(host, self._listener.getsockname()[1], secrets.token_bytes(32))
        self._thread = threading.Thread(target=self._listen, name="sweep", daemon=True)
        self._thread.start()

    @property
    def ended(self) -> str:
        """Why no further episode may begin; empty while they may."""
        with self._lock:
            return self._reason

    def end(self, reason: str) -> None:
        """Allows no further episode or call. The first reason is kept."""
        with self._lock:
            self._reason = self._reason or reason
        self._ended.set()

    def __enter__(self) -> Coordinator:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._closed.set()
        self._ended.set()
        self._bell.send(b"\0")
        self._thread.join()
        self._bell.close()
        self._rung.close()
        with self._lock:
            connections = dict(self._connections)
        for connection in connections:
            connection.cut()
        for thread in connections.values():
            thread.join()  # they still write their counts to the ledger
        if self._local is not None:
            self._local.close()

    def _listen(self) -> None:
        """Accepts connections until the coordinator closes."""
        with self._listener, selectors.DefaultSelector() as ready:
            ready.register(self._listener, selectors.EVENT_READ)
            ready.register(self._rung, selectors.EVENT_READ)
            while not self._closed.is_set():
                ready.select()
                if not self._closed.is_set():
                    self._accept()

    def _accept(self) -> None:
        try:
            accepted, _ = self._listener.accept()
        except (BlockingIOError, ConnectionAbortedError):  # it was gone before it was accepted
            return
        except OSError as error:  # no file can be opened any more
            self.end(f"the sweep cannot serve its workers: {error.strerror or error}")
            self._closed.wait()  # it would be told the same again at once
            return
        threading.Thread(target=self._serve, args=(Connection(accepted),), name="sweep's worker", daemon=True).start()

    def _serve(self, connection: Connection) -> None:
        """Serves one connection until it ends."""
        with self._lock:
            self._connections[connection] = threading.current_thread()
        held = _Holdings()
        try:
            if not self._closed.is_set() and self._is_known(connection):
                while (message := connection.receive()) is not None:
                    connection.send(self._answer(message, held))
        except OSError:  # the worker is gone
            pass
        finally:
            self._release(held)
            with self._lock:
                del self._connections[connection]
            connection.close()

    def _is_known(self, connection: Connection) -> bool:
        nonce = secrets.token_hex(16)
        connection.send({"nonce": nonce})
        answer = connection.receive() or {}
        known = hmac.compare_digest(str(answer.get("proof")).encode(), proof(self.address.key, nonce).encode())
        if known:
            connection.send({"ok": True})
        return known

    def _answer(self, message: Message, held: _Holdings) -> Message:
        try:
            match message:
                case {"do": "begin"}:
                    return {"go": not self._ended.is_set()}
                case {"do": "reserve", "tokens": int(tokens), "source": str(source), "samples": int(samples)}:
                    return self._reserve(tokens, source, samples, held)
                case {"do": "settle", "used": used}:
                    return self._settle(used, held)
                case {"do": "local"} if self._local is not None:
                    where, secret = self._local.serving(self._closed)
                    return {"where": where, "key": secret.reveal()}
                case {"do": "local lives", "where": str(where)} if self._local is not None:
                    return {"lives": self._local.serves(where)}
                case _:
                    return {"ok": True}
        except ModelError as error:
            if error.kind == "budget":
                self.end(str(error))
            return {"error": str(error), "kind": error.kind, "retry": error.retry}
        except (BelvedereError, OSError) as error:
            self.end(str(error))
            return {"error": str(error), "kind": ENDED, "retry": False}

    def _reserve(self, tokens: int, source: str, samples: int, held: _Holdings) -> Message:
        assert self._ledger is not None, "who asks a language model keeps a ledger"
        count = min(max(1, samples), self._slots.total)
        if not self._slots.take(count, self._ended):
            raise ModelError(self.ended or "the sweep has ended", ENDED, retry=False)
        held.slots = count
        held.reservation = self._reserved(tokens, source, held)
        self._on_change()
        return {"ok": True}

    def _reserved(self, tokens: int, source: str, held: _Holdings) -> Reservation:
        assert self._ledger is not None
        try:
            return self._ledger.reserve(tokens, source)
        except BelvedereError:  # a limit is reached, or the file cannot be written
            self._slots.release(held.slots)
            held.slots = 0
            raise

    def _settle(self, used: object, held: _Holdings) -> Message:
        replies = []
        match used:
            case [int(tokens_in), int(tokens_out), float(seconds)]:
                replies.append(ModelReply((), "", seconds=seconds, tokens_in=tokens_in, tokens_out=tokens_out))
        reservation, held.reservation = held.reservation, None
        self._slots.release(held.slots)
        held.slots = 0
        if self._ledger is not None and reservation is not None:
            self._ledger.settle(reservation, replies)
            self._on_change()
        return {"ok": True}

    def _release(self, held: _Holdings) -> None:
        """Releases what an ended connection held."""
        self._slots.release(held.slots)
        if self._ledger is not None and held.reservation is not None:
            try:
                self._ledger.settle(held.reservation, (), is_lost=True)
            except DataError as error:
                self.end(str(error))
            self._on_change()


class _Holdings:
    """What one connection holds now: slots, and the call it has reserved."""

    def __init__(self) -> None:
        self.slots = 0
        self.reservation: Reservation | None = None
