"""The network of a request: its deadline holds for all reads together, and cancelling wakes whoever waits for it."""

from __future__ import annotations

import math
import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from core.common.cancellation import Cancellation
from core.llm.network import Network
from tests.waiting import PATIENCE, until


class Wire:
    """A stream of the HTTP library, as far as it is used."""

    def __init__(self, connection: socket.socket):
        self.connection = connection
        self.closed = threading.Event()

    def read(self, most: int, timeout: float) -> bytes:
        self.connection.settimeout(timeout if timeout < math.inf else None)
        return self.connection.recv(most)

    def get_extra_info(self, info: str) -> socket.socket:
        assert info == "socket"
        return self.connection

    def close(self) -> None:
        self.connection.close()
        self.closed.set()


class Backend:
    """The HTTP library's backend: connects to the other end of a pair, when it may."""

    def __init__(self) -> None:
        ours, self.other = socket.socketpair()
        self.wire = Wire(ours)
        self.asked, self.may = threading.Event(), threading.Event()

    def connect_tcp(self, *given: Any) -> Wire:
        self.asked.set()
        assert self.may.wait(PATIENCE)
        return self.wire


@pytest.fixture
def backend() -> Iterator[Backend]:
    made = Backend()
    yield made
    made.may.set()
    made.wire.close()
    made.other.close()


def test_cancelling_wakes_a_thread_that_reads(backend: Backend) -> None:
    backend.may.set()
    cancelled = Cancellation()
    network = Network(backend, cancelled, is_near=True)
    stream = network.connect_tcp("127.0.0.1", 1)
    with ThreadPoolExecutor(1) as pool, cancelled.calling(network.cut):
        found = pool.submit(stream.read, 10)
        cancelled.set()
        assert isinstance(found.exception(PATIENCE), TimeoutError | None)
        assert backend.other.recv(10) == b"", "the server hears of it"
    stream.close()


def test_nothing_is_read_when_it_is_late_even_if_something_has_come(backend: Backend) -> None:
    backend.may.set()
    network = Network(backend, Cancellation(), is_near=True)
    stream = network.connect_tcp("127.0.0.1", 1)
    backend.other.send(b"xy")
    assert stream.read(1) == b"x"
    network.ends = time.monotonic()
    with pytest.raises(TimeoutError):
        stream.read(1)
    stream.close()


@pytest.mark.parametrize("why", ["late", "cancelled"])
def test_a_connection_elsewhere_is_given_up_while_it_is_being_opened(
        why: str, backend: Backend, monkeypatch: pytest.MonkeyPatch) -> None:
    cancelled = Cancellation()
    network = Network(backend, cancelled, is_near=False)
    monkeypatch.setattr(network, "left", lambda: 0.01 if why == "late" else PATIENCE)  # however late the thread begins
    with ThreadPoolExecutor(1) as pool:
        found = pool.submit(network.connect_tcp, "models.example", 443)
        assert backend.asked.wait(PATIENCE)
        if why == "cancelled":
            cancelled.set()
        assert isinstance(found.exception(PATIENCE), TimeoutError)
        backend.may.set()
        assert backend.wire.closed.wait(PATIENCE), "nobody else closes what came too late"
    until(lambda: not any(thread.name == "connecting" for thread in threading.enumerate()))


def test_a_connection_elsewhere_is_made_and_its_errors_are_the_librarys(backend: Backend) -> None:
    backend.may.set()
    network = Network(backend, Cancellation(), is_near=False)
    network.ends = time.monotonic() + PATIENCE
    stream = network.connect_tcp("models.example", 443)
    backend.other.send(b"x")
    assert stream.read(1) == b"x"
    stream.close()
    assert backend.other.recv(1) == b"", "the duplicate of the socket is closed, too"

    class Refusing:
        def connect_tcp(self, *given: Any) -> Wire:
            raise ConnectionRefusedError

    refused = Network(Refusing(), Cancellation(), is_near=False)
    refused.ends = network.ends
    with pytest.raises(ConnectionRefusedError):
        refused.connect_tcp("models.example", 443)
