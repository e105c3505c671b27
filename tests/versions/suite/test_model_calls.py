"""The deadline and the cancellation of a model call reach into the HTTP client, which offers no public way there."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import suppress

import pytest

from core.common.cancellation import Cancellation
from core.common.errors import ModelError
from core.llm.model import open_model
from core.planning.model_requests import Message, ModelRequest

QUESTION = ModelRequest("policy", (Message("user", "Say hello"),))


@pytest.fixture
def address() -> Iterator[str]:
    """The address of a server that always begins, and never comes to its answer."""
    def serve() -> None:
        with suppress(OSError):  # the test is over, or the client has left
            connection, _ = listener.accept()
            with connection:
                while True:
                    connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
    thread.join()


@pytest.mark.parametrize(("kind", "timeout"), [("timeout", "0.5"), ("cancelled", "600")])
def test_a_call_ends_though_the_server_goes_on(kind: str, timeout: str, address: str) -> None:
    model, cancelled = open_model("openai", {"base_url": address, "model": "m", "timeout": timeout}), Cancellation()
    timer = threading.Timer(0.5, cancelled.set) if kind == "cancelled" else None
    if timer is not None:
        timer.start()
    with pytest.raises(ModelError) as caught:
        model.answer(QUESTION, cancelled)
    assert caught.value.kind == kind
    model.close()
