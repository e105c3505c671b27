"""What servers do wrong, and what an operator reads about it."""

from __future__ import annotations

import socket
import threading
import traceback

import pytest

from core.common.cancellation import Cancellation
from core.common.errors import MissingPart, ModelError, UsageError
from core.llm.keys import KEY_VARIABLES, Address, find_key, key_from_environment
from core.llm.model import open_model
from core.llm.stack import assembled
from tests.core.llm.common import KEY, ask, model_at, never
from tests.loopback.chat_server import Script, Sent, as_json, completion, error, in_turn, serving
from tests.waiting import PATIENCE, until


def failure(script: Script, **settings: object) -> tuple[ModelError, int]:
    with serving(script) as server:
        model = model_at(server, **settings)
        with pytest.raises(ModelError) as caught:
            model.answer(ask(), never())
        model.close()
        return caught.value, len(server.requests)


@pytest.mark.parametrize(("answer", "kind", "retry", "word", "requests"), [
    (error(401, f"Incorrect API key provided: {KEY}"), "key", False, "BELVEDERE_API_KEY", 1),
    (error(403), "key", False, "key", 1),
    (error(404, "The model does not exist"), "refused", False, "base_url", 1),
    (error(429, "slow down", retry_after="0"), "rate limit", True, "slow down", 3),
    (error(429, "insufficient_quota"), "rate limit", False, "quota", 1),
    (error(429, "later", retry_after="3600"), "rate limit", True, "asks to wait 3600 s, and longest_wait=30 allows less", 1),
    (error(503, "later", retry_after="25"), "down", True, "asks to wait 25 s, and timeout=20 allows less", 1),
    (error(429, "later", retry_after_ms="31000"), "rate limit", True, "asks to wait 31 s", 1),
    (error(500, "oops"), "down", True, "oops", 3),
    (error(503), "down", True, "fault", 3),
    (error(504), "timeout", True, "gave up", 3),
    (error(400, "This model's maximum context length is 5 tokens"), "refused", False, "too long", 1),
    (Sent(b"<html>welcome</html>", headers={"content-type": "text/html"}), "refused", False, "not JSON", 1),
    (Sent(b'{"choices": [{"mess'), "down", True, "broke off in the middle", 3),
    (Sent(b"[" * 200_000), "refused", False, "not JSON", 1),
    (as_json({"choices": []}), "refused", False, "holds no reply", 1),
    (as_json({"error": {"message": "model is loading"}}), "refused", False, "loading", 1),
    (as_json(None), "refused", False, "holds no reply", 1),
])
def test_a_fault_is_told_in_plain_words(answer: Sent, kind: str, retry: bool, word: str, requests: int) -> None:
    found, count = failure(in_turn(answer))
    assert (found.kind, found.retry, count) == (kind, retry, requests)
    assert word in str(found)
    assert "\n" not in str(found)
    assert KEY not in str(found)


@pytest.mark.parametrize("first", [error(500), error(429, retry_after="0"), error(503), error(429, retry_after="nonsense"),
                                   error(429, retry_after="Wed, 21 Oct 2015 07:28:00 GMT")])
def test_a_passing_fault_is_not_seen(first: Sent) -> None:
    with serving(in_turn(first, completion("hello"))) as server:
        model = model_at(server)
        assert model.answer(ask(), never()).texts == ("hello",)
        assert len(server.requests) == 2
        model.close()


def test_nobody_listens() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    model = model_at(f"http://127.0.0.1:{port}/v1", retries=1)
    with pytest.raises(ModelError, match="no server answers") as caught:
        model.answer(ask(), never())
    assert (caught.value.kind, caught.value.retry) == ("down", True)


def test_a_server_that_hangs_up() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        def accept() -> None:
            connection, _ = listener.accept()
            connection.close()

        thread = threading.Thread(target=accept)
        thread.start()
        model = model_at(f"http://127.0.0.1:{listener.getsockname()[1]}/v1", retries=0)
        with pytest.raises(ModelError) as caught:
            model.answer(ask(), never())
        thread.join()
        model.close()
    assert caught.value.kind == "down"


def test_a_hanging_server_is_left_after_the_timeout() -> None:
    with serving() as server:
        server.script = server.hang
        model = model_at(server, timeout=0.2, retries=2)
        with pytest.raises(ModelError) as caught:
            model.answer(ask(), never())
        assert (caught.value.kind, caught.value.retry) == ("timeout", True)
        assert "within 0.2 s, all attempts together" in str(caught.value)
        assert len(server.requests) == 1
        model.close()


def test_cancelling_leaves_a_hanging_server_and_cuts_the_connection() -> None:
    with serving() as server:
        server.script = server.hang
        model, cancelled, ended = model_at(server), Cancellation(), threading.Event()
        kinds: list[str] = []

        def wait() -> None:
            with pytest.raises(ModelError) as caught:
                model.answer(ask(), cancelled)
            kinds.append(caught.value.kind)
            ended.set()

        waiting = threading.Thread(target=wait)
        waiting.start()
        assert server.hanging.wait(PATIENCE)
        cancelled.set()
        assert ended.wait(PATIENCE)
        waiting.join()
        assert kinds == ["cancelled"]
        # The abandoned thread ends, too, though the server still holds the request.
        until(lambda: not any(t.name == "language model" for t in threading.enumerate()))
        model.close()


def test_cancelled_while_it_waits_for_a_retry_and_before_it_begins() -> None:
    with serving() as server:
        model, cancelled = model_at(server, backoff=15.0), Cancellation()

        def cancel(body: object) -> Sent:
            del body
            cancelled.set()
            return error(500)

        server.script = cancel
        for _ in range(2):
            with pytest.raises(ModelError) as caught:
                model.answer(ask(), cancelled)
            assert caught.value.kind == "cancelled"
        assert len(server.requests) == 1
        model.close()


def test_closing_ends_what_is_under_way() -> None:
    with serving() as server:
        server.script = server.hang
        model = model_at(server)

        def close_later() -> None:
            server.hanging.wait(PATIENCE)
            model.close()

        closer = threading.Thread(target=close_later)
        closer.start()
        with pytest.raises(ModelError) as caught:
            model.answer(ask(), never())
        closer.join()
        assert caught.value.kind == "cancelled"
        model.close()


@pytest.mark.parametrize("status", [200, 400, 401, 429, 500])
def test_the_key_is_nowhere_to_be_seen(status: int, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    """The server echoes all headers it got; neither reply, error, traceback with its causes, repr nor log may hold the key."""
    caplog.set_level(0)
    monkeypatch.setenv("BELVEDERE_API_KEY", KEY)
    with serving() as server:

        def echo(body: object) -> Sent:
            del body
            return completion(str(server.headers[-1])) if status == 200 else error(status, str(server.headers[-1]))

        server.script = echo
        provider = open_model("openai", {"base_url": server.base_url, "model": "m", "backoff": "0", "retries": "0"})
        model = assembled(provider)
        seen = [repr(provider), model.source, repr(vars(provider)), repr(vars(model))]
        try:
            seen.append(repr(model.answer(ask(), never())))
        except ModelError as caught:
            whole = traceback.TracebackException.from_exception(caught, capture_locals=True)
            seen += [str(caught), repr(caught), "".join(whole.format()), repr(vars(caught)), repr(caught.__context__)]
        assert server.headers[0]["authorization"] == f"Bearer {KEY}"
        model.close()
    assert KEY not in "\n".join(seen) + caplog.text


@pytest.mark.parametrize("settings", [
    {"model": "m", "base_url": "http://user:secret@127.0.0.1/v1"}, {"model": "m", "base_url": "127.0.0.1:8080"},
    {"model": "m", "base_url": "ftp://x"}, {"model": "m", "base_url": "http://x:y/v1"}, {},
    {"model": "m", "base_url": "http://127.0.0.1:1/v1", "timeout": "soon"}, {"modell": "m"}, {"model": "m", "timeout": "nan"},
])
def test_settings_that_make_no_sense(settings: dict[str, str]) -> None:
    with pytest.raises(UsageError) as caught:
        open_model("openai", settings)
    assert "secret" not in str(caught.value)


def test_a_distant_server_wants_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("BELVEDERE_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")
    with pytest.raises(MissingPart, match="OPENAI_API_KEY"):
        open_model("openai", {"model": "m", "base_url": "https://models.example/v1"})
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    model = open_model("openai", {"model": "m", "base_url": "https://models.example/v1"})
    assert model.source == "openai m at https://models.example/v1"


@pytest.mark.parametrize(("host", "taken"), [
    ("api.openai.com", "of-openai"), ("api.anthropic.com", "of-anthropic"), ("openrouter.ai", ""),
    ("models.example", "of-openai"),
])
def test_a_company_is_not_sent_the_key_of_another(host: str, taken: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in KEY_VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", "of-openai")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "of-anthropic")
    assert key_from_environment(host).reveal() == taken
    monkeypatch.setenv("BELVEDERE_API_KEY", "ours")
    assert key_from_environment(host).reveal() == "ours"


def test_a_key_that_a_model_names_goes_before_those_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BELVEDERE_API_KEY", "ours")
    monkeypatch.setattr("keyring.get_password", lambda service, name: {"lab": "of-the-lab"}.get(name))
    assert find_key(Address("https://models.example/v1"), "lab").reveal() == "of-the-lab"
    assert find_key(Address("https://models.example/v1"), "").reveal() == "ours"
    assert find_key(Address("https://models.example/v1"), "another").reveal() == "ours"


def test_a_server_on_this_machine_wants_none(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("BELVEDERE_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")  # must not be asked
    with serving() as server:
        model = open_model("openai", {"model": "m", "base_url": server.base_url})
        assert model.answer(ask(), never()).texts == ("hello",)
        model.close()
