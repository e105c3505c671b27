"""What all workers of a sweep share, held in the sweep's own process: the budget, the server's slots, a local model.

A worker asks over a line of its own (`core.evaluation.worker_connection`) before each call. What it holds ends with
its line: when a worker is killed its slots are free again, and its call counts as failed. When the sweep's process is killed,
all lines end, and the workers with them.
"""

from __future__ import annotations

import hmac
import secrets
import socket
import threading
from collections import deque
from collections.abc import Callable
from types import TracebackType

from core.common.errors import BelvedereError, ModelError
from core.evaluation.ledger import Ledger
from core.evaluation.worker_connection import Address, Line, Message, proof
from core.llm.budget import Reservation
from core.llm.local import Local
from core.planning.model_requests import Reply

LOOK = 0.1  # seconds between two looks at whether a wait for a slot still makes sense
QUEUE = 128  # connections that may wait to be taken
ENDED = "ended"
"""Kind of a ModelError: the sweep is ending, and asks nothing more."""


class Slots:
    """How many calls the server takes at once, handed out in the order they were asked for."""

    def __init__(self, total: int):
        self.total = total
        self._free = total
        self._turn = threading.Condition()
        self._waiting: deque[object] = deque()

    def take(self, count: int, given_up: Callable[[], bool]) -> bool:
        """Wait for so many free slots, `total` at most; False when `given_up` said so in the meantime."""
        ticket = object()
        with self._turn:
            self._waiting.append(ticket)
            try:
                while not given_up():
                    if self._waiting[0] is ticket and self._free >= count:
                        self._free -= count
                        return True
                    self._turn.wait(LOOK)
                return False
            finally:
                self._waiting.remove(ticket)
                self._turn.notify_all()

    def give(self, count: int) -> None:
        """Give slots back."""
        with self._turn:
            self._free += count
            self._turn.notify_all()


class Coordinator:
    """Listens for the workers of one sweep. Use it as a context manager.

    Args:
        ledger: the budget; None where no language model is asked.
        slots: calls the server takes at once.
        local: a local model for all workers; it is started by the first question and closed with the coordinator.
        host: the address of this machine at which the workers reach it.
        heard: called after each change of the ledger, from any thread.
    """

    def __init__(self, ledger: Ledger | None, slots: int, local: Local | None = None, host: str = "127.0.0.1",
                 heard: Callable[[], None] = lambda: None):
        self._ledger, self._slots, self._local, self._heard = ledger, Slots(slots), local, heard
        self._lock = threading.Lock()
        self._lines: dict[Line, threading.Thread] = {}
        self._closed = threading.Event()
        self._ended = threading.Event()
        self._reason = ""
        self._listener = socket.create_server((host, 0), backlog=QUEUE)
        self._listener.settimeout(LOOK)  # closing it does not wake a thread that waits for a connection
        self.address = Address(host, self._listener.getsockname()[1], secrets.token_bytes(32))
        self._thread = threading.Thread(target=self._listen, name="sweep", daemon=True)
        self._thread.start()

    @property
    def ended(self) -> str:
        """Why no further episode may begin; empty while they may."""
        with self._lock:
            return self._reason

    def end(self, reason: str) -> None:
        """Let no further episode or call begin. The first reason holds."""
        with self._lock:
            self._reason = self._reason or reason
        self._ended.set()

    def __enter__(self) -> Coordinator:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._closed.set()
        self._listener.close()
        with self._lock:
            lines = dict(self._lines)
        for line in lines:
            line.cut()
        self._thread.join()
        for thread in lines.values():
            thread.join()  # the ledger holds what they have counted
        if self._local is not None:
            self._local.close()

    def _listen(self) -> None:
        while not self._closed.is_set():
            try:
                connection, _ = self._listener.accept()
            except TimeoutError:
                continue
            except OSError:  # closed, or a connection that was gone before it was taken
                self._closed.wait(LOOK)
                continue
            threading.Thread(target=self._serve, args=(Line(connection),), name="sweep's worker", daemon=True).start()

    def _serve(self, line: Line) -> None:
        """One line, until it ends."""
        with self._lock:
            self._lines[line] = threading.current_thread()
        held = _Held()
        try:
            if not self._closed.is_set() and self._is_known(line):
                while (message := line.receive()) is not None:
                    line.send(self._answer(message, held))
        except OSError:  # the worker is gone
            pass
        finally:
            self._drop(held)
            with self._lock:
                del self._lines[line]
            line.close()

    def _is_known(self, line: Line) -> bool:
        nonce = secrets.token_hex(16)
        line.send({"nonce": nonce})
        said = line.receive() or {}
        known = hmac.compare_digest(str(said.get("proof")).encode(), proof(self.address.key, nonce).encode())
        if known:
            line.send({"ok": True})
        return known

    def _answer(self, message: Message, held: _Held) -> Message:
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

    def _reserve(self, tokens: int, source: str, samples: int, held: _Held) -> Message:
        assert self._ledger is not None, "who asks a language model keeps a ledger"
        count = min(max(1, samples), self._slots.total)
        if not self._slots.take(count, lambda: self._ended.is_set() or self._closed.is_set()):
            raise ModelError(self.ended or "the sweep has ended", ENDED, retry=False)
        held.slots = count
        held.reservation = self._reserved(tokens, source, held)
        self._heard()
        return {"ok": True}

    def _reserved(self, tokens: int, source: str, held: _Held) -> Reservation:
        assert self._ledger is not None
        try:
            return self._ledger.reserve(tokens, source)
        except (ModelError, OSError):
            self._slots.give(held.slots)
            held.slots = 0
            raise

    def _settle(self, used: object, held: _Held) -> Message:
        replies = []
        match used:
            case [int(tokens_in), int(tokens_out), float(seconds)]:
                replies.append(Reply((), "", seconds=seconds, tokens_in=tokens_in, tokens_out=tokens_out))
        reservation, held.reservation = held.reservation, None
        self._slots.give(held.slots)
        held.slots = 0
        if self._ledger is not None and reservation is not None:
            self._ledger.settle(reservation, replies)
            self._heard()
        return {"ok": True}

    def _drop(self, held: _Held) -> None:
        """Take back what a line held that has ended."""
        self._slots.give(held.slots)
        if self._ledger is not None and held.reservation is not None:
            try:
                self._ledger.lose(held.reservation)
            except OSError as error:
                self.end(str(error))
            self._heard()


class _Held:
    """What one line holds now: slots, and the call it has reserved."""

    def __init__(self) -> None:
        self.slots = 0
        self.reservation: Reservation | None = None
