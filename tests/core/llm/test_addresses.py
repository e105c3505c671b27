"""Addresses, redirects and keys that cannot be sent: one line each, and prompts go only where the user said."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import main
from core.common.errors import ModelError, UsageError
from core.llm.cache import ReplyCache
from core.llm.keys import Address
from core.llm.stack import assembled
from tests.core.llm.common import KEY, ask, model_at, never
from tests.loopback.chat_server import ChatServer, Sent, completion, in_turn, serving

PIECES = ["http://", "https://", "ftp://", "//", "[", "]", "::1", "%25", "%zz", ":", ":80", ":99999", ":-1", "@", "/", "\\",
          "?", "#", " ", "\n", "\x00", "..", ".", "é", "\ud800", "xn--", "127.0.0.1", "localhost", "host", "/v1", "①", "\u202e"]


def parsed(text: str) -> Address | str:
    try:
        return Address(text)
    except UsageError as error:
        return str(error)


@given(st.lists(st.sampled_from(PIECES), max_size=7).map("".join) | st.text(max_size=30).map("http://".__add__))
def test_every_address_is_taken_or_refused_in_one_line(text: str) -> None:
    address = parsed(text)
    if isinstance(address, str):
        assert address.isprintable()
        return
    assert address.host
    assert Address(address.normalized).normalized == address.normalized
    assert isinstance(address.loopback, bool)


MALFORMED = ["http://[::1", "http://[::1]x:1/v1", "http://]", "http://[zz]/v1", "http://x:99999", "http://x:", "http://",
             "https:///v1", "http://a b/v1", "http://a\tb/v1", "http://.", "http://a..b/v1", "http://x/" + "y" * 5000,
             "http://user:pw@x/v1", "http://x/v1?key=1", "javascript:1", "\ud800", "http://\u202ex/v1"]


@pytest.mark.parametrize("url", MALFORMED)
def test_a_malformed_address_is_one_line_and_exit_two(url: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.main(["run", "--provider", "openai", "--model", "m", "--base-url", url]) == 2
    err = capsys.readouterr().err
    assert err.startswith("error: ")
    assert err.count("\n") == 1
    assert len(err) < 500


@pytest.mark.parametrize(("url", "here"), [
    ("http://127.0.0.1:1/v1", True), ("http://localhost/v1", True), ("http://[::1]:1/v1", True), ("http://127.8.8.8/v1", True),
    ("http://127.example.com/v1", False), ("http://localhost.example.com/v1", False), ("http://192.168.0.1/v1", False)])
def test_what_runs_on_this_machine(url: str, here: bool) -> None:
    assert Address(url).loopback == here


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("where", ["{}/chat/completions", "//127.0.0.2:9/v1", "https://127.0.0.1/v1", "http://[::1]:9/",
                                   "ftp://x/", "http://["])
def test_no_redirect_takes_a_prompt_to_another_origin(status: int, where: str) -> None:
    with serving() as other, serving(in_turn(Sent(b"", status, {"location": where.format(other.base_url)}))) as server:
        model = model_at(server)
        with pytest.raises(ModelError, match="redirects") as caught:
            model.answer(ask(), never())
        assert "\n" not in str(caught.value)
        assert (len(server.requests), other.requests) == (1, [])
        model.close()


@pytest.mark.parametrize("status", [307, 308])
def test_a_redirect_within_the_server_is_followed(status: int) -> None:
    with serving(in_turn(Sent(b"", status, {"location": "/v1/chat/completions/"}), completion("hello"))) as server:
        model = model_at(server)
        assert model.answer(ask(), never()).texts == ("hello",)
        assert server.requests[0] == server.requests[1]
        assert server.headers[1]["authorization"] == f"Bearer {KEY}"
        model.close()


def test_two_models_behind_one_host_share_no_replies(tmp_path: Path) -> None:
    with serving() as server:
        cache = ReplyCache(tmp_path)

        def says(path: str, text: str) -> str:
            server.script = in_turn(completion(text))
            whole = assembled(model_at(server.base_url.replace("/v1", path)), cache)
            reply = whole.answer(ask(), never()).texts[0]
            whole.close()
            return reply

        assert [says("/A/v1", "a"), says("/B/v1", "b"), says("/A/v1/", "c"), says("/A/v1", "d")] == ["a", "b", "a", "a"]
        cache.close()


@pytest.mark.parametrize("key", ["schlüssel-12345", "key\nwith-lines", "key\x00null", "sk-\u200binvisible", "\udcff-no-utf8"])
@pytest.mark.parametrize("variable", ["BELVEDERE_API_KEY", "OPENAI_API_KEY"])
def test_a_key_that_cannot_be_sent_is_one_line(key: str, variable: str, monkeypatch: pytest.MonkeyPatch,
                                               capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.delenv("BELVEDERE_API_KEY", raising=False)
    if "\x00" in key:
        monkeypatch.setattr("os.environ", {variable: key})
    else:
        monkeypatch.setenv(variable, key)
    assert main.main(["run", "--provider", "openai", "--model", "m", "--base-url", "http://127.0.0.1:9/v1"]) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert variable in err
    assert key not in err
    assert main.main(["run", "--planner", "oracle", "--task", "Put one apple inside the fridge", "--max-steps", "1"]) == 1


def test_an_odd_proxy_or_certificate_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "nonsense://[")
    model = model_at("https://models.example/v1", retries=0)
    with pytest.raises(ModelError, match="no request can be made"):
        model.answer(ask(), never())
    model.close()


def test_the_environment_names_an_account_to_openai_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_ORG_ID", "org-of-mine")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "project-of-mine")

    def sent(server: ChatServer) -> str:
        model = model_at(server)
        model.answer(ask(), never())
        model.close()
        return str(server.headers)

    with serving() as server:
        assert "of-mine" not in sent(server)
