"""Every reply becomes sound, useless ones are reported, reading stops at a limit, and the cache reports damage."""

from __future__ import annotations

import math
import sqlite3
import subprocess
import sys
import threading
import time
import zlib
from pathlib import Path
from typing import ClassVar, Self

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcap.reader import make_reader

import main
from core.common.cancellation import Cancellation
from core.common.errors import ModelError
from core.common.redaction import Redactor
from core.llm import connection
from core.llm.cache import FILE, ReplyCache
from core.llm.human import Human
from core.llm.logprobs import choice_scores, positions
from core.llm.model import LanguageModel
from core.llm.reply_checks import (
    MOST_SECONDS,
    MOST_TOKENS,
    TEXT_LIMIT,
    checked,
    read_reply,
    reply_text,
    uselessness,
    valid_text,
)
from core.llm.stack import assembled
from core.planning.model_requests import Expects, Message, ModelReply, ModelRequest
from core.session.requests import typed_answer
from tests.core.llm.common import KEY, ask, choose, model_at, never
from tests.loopback.chat_server import Json, Sent, Wire, completion, error, in_turn, serving

ROOT = Path(__file__).resolve().parents[3]
RUN = ("run", "--planner", "llm-policy", "--provider", "openai", "--max-steps", "3",
       "--task", "Put one apple inside the fridge")
ANY_TEXT = st.text(st.characters() | st.characters(categories=["Cs"]), max_size=30)  # halves of pairs, too
NUMBERS = st.integers() | st.floats()
SCORES = st.lists(st.tuples(st.sampled_from("ab?"), st.floats())).map(tuple)
REPLIES = st.builds(
    ModelReply, st.lists(ANY_TEXT, max_size=4).map(tuple), ANY_TEXT, SCORES,
    seconds=st.floats(), tokens_in=NUMBERS, tokens_out=NUMBERS, note=ANY_TEXT,
    alike=st.lists(st.lists(st.floats(), max_size=2).map(tuple), max_size=4).map(tuple))


# --- replies ------------------------------------------------------------------
@given(REPLIES, st.integers(1, 3))
def test_every_reply_becomes_sound(reply: ModelReply, samples: int) -> None:
    sound = checked(reply, choose("a", "b", samples=samples), Redactor([KEY]))
    for text in (*sound.texts, sound.source, sound.note):
        text.encode()
    assert len(sound.texts) <= samples
    assert all(choice in "ab" and math.isfinite(value) and value <= 0 for choice, value in sound.scores)
    assert 0 <= sound.seconds <= MOST_SECONDS
    assert all(type(count) is int and 0 <= count <= MOST_TOKENS for count in (sound.tokens_in, sound.tokens_out))
    assert read_reply(reply_text(sound)) == sound, "what is kept comes back"


@given(ANY_TEXT)
def test_valid_text_stays_and_other_text_becomes_valid(text: str) -> None:
    valid = valid_text(text)
    assert valid.encode().decode() == valid
    assert valid == text or any("\ud800" <= c <= "\udfff" for c in text)


def test_long_text_is_cut() -> None:
    assert len(valid_text("x" * (TEXT_LIMIT + 1))) == TEXT_LIMIT


class Saying(LanguageModel):
    """Gives a reply, or raises."""

    name: ClassVar[str] = "saying"

    def __init__(self, said: ModelReply | Exception):
        self.said, self.asked = said, 0

    @classmethod
    def open(cls, options: object) -> Self:
        raise NotImplementedError

    @property
    def source(self) -> str:
        return "saying"

    def answer(self, ask: ModelRequest, cancelled: Cancellation) -> ModelReply:
        self.asked += 1
        if isinstance(self.said, Exception):
            raise self.said
        return self.said


@pytest.mark.parametrize("failure", [ModelError(f"no {KEY}", "down", retry=True), ValueError(f"bad {KEY[:12]}"),
                                     RuntimeError("\ud800" + KEY)])
def test_no_provider_says_a_key_when_it_fails(failure: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BELVEDERE_API_KEY", KEY)
    with pytest.raises(ModelError) as caught:
        assembled(Saying(failure)).answer(ask(), never())
    assert "[key]" in str(caught.value)
    assert KEY[:12] not in str(caught.value)
    assert caught.value.retry


def test_surrogates_of_all_providers_end_no_run() -> None:
    human = Human()
    replies: list[ModelReply] = []
    waiting = threading.Thread(target=lambda: replies.append(assembled(human).answer(ask(), never())))
    waiting.start()
    while not human.pending():
        time.sleep(0.001)
    human.reply(human.pending()[0][0], "Inside \ud800")
    waiting.join()
    replies += [typed_answer("\udfff"), assembled(Saying(ModelReply(("\ud800\udfff x",), "\ud800"))).answer(ask(), never())]
    with serving(in_turn(completion("\ud800 fridge"), completion("fine"))) as server:
        model = model_at(server)
        replies.append(model.answer(ask(), never()))
        messages = Message("user", "they said \ud800"), Message("assistant", "\udfff")
        replies.append(model.answer(ModelRequest("policy", messages), never()))
        assert server.requests[1]["messages"][0]["content"] == "they said \ufffd"
        model.close()
    for reply in replies:
        reply_text(reply).encode()
        " ".join([*reply.texts, reply.source]).encode()


@pytest.mark.parametrize(("texts", "kind"), [
    (("",), "empty"), ((" \n", ""), "empty"), (("<html>",), "a web page"), ((" <!DOCTYPE HTML><p>sign in",), "a web page"),
    (("", "<html>"), "a web page"), (("", "fridge"), ""), (("a < b",), ""), ((), "")])
def test_useless_replies_are_called_so_and_not_kept(texts: tuple[str, ...], kind: str, tmp_path: Path) -> None:
    assert uselessness(ModelReply(texts, "s")) == kind
    cache, model = ReplyCache(tmp_path), Saying(ModelReply(texts, "s"))
    whole = assembled(model, cache)
    for _ in range(2):
        assert (f"the reply is {kind}" in whole.answer(ask(samples=2), never()).note) == bool(kind)
    assert model.asked == (2 if kind or not texts else 1)
    cache.close()


@pytest.mark.parametrize("text", ["", "<!DOCTYPE html><html>Please sign in</html>"])
def test_useless_replies_are_said_in_a_run_without_a_window(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    with serving(lambda body: completion(*[text] * int(body.get("n", 1)))) as server:
        main.main([*RUN, "--base-url", server.base_url, "--no-cache"])
    warnings = [said for said in capsys.readouterr().err.splitlines() if "warning" in said]
    assert len(warnings) == 2
    assert "the model's reply is" in warnings[0]
    assert " replies of the model were " in warnings[1]


# --- numbers -------------------------------------------------------------------
@pytest.mark.parametrize("value", ["1" + "0" * 400, "9" * 5000, "-" + "9" * 5000, "NaN", "Infinity", "-1", "1e999", "true",
                                   '"many"', "[1]", "1" + "0" * 12])
def test_absurd_counts_are_estimated(value: str) -> None:
    body = completion("hello").body.replace(b'"prompt_tokens": 10', f'"prompt_tokens": {value}'.encode())
    with serving(in_turn(Sent(body))) as server:
        model = model_at(server)
        reply = model.answer(ask("x" * 40), never())
        assert (reply.texts, reply.tokens_in) == (("hello",), 10)
        model.close()


@pytest.mark.parametrize("value", ["1" + "0" * 400, "NaN", "-1e308", "-Infinity", "1e308", "null"])
def test_absurd_log_probabilities_give_finite_scores(value: str) -> None:
    entries = [{"token": t, "logprob": 0, "top_logprobs": [{"token": o, "logprob": 0} for o in "ab"]} for t in ("a", "", "b")]
    body = completion("a", logprobs={"content": entries}).body.replace(b'"logprob": 0', f'"logprob": {value}'.encode())
    with serving(in_turn(Sent(body))) as server:
        model = model_at(server)
        reply = model.answer(choose("a", "b", scores=True), never())
        assert all(math.isfinite(score) and score <= 0 for _, score in reply.scores)
        model.close()


@given(st.lists(st.tuples(st.text("ab ", max_size=3), NUMBERS | st.none(), NUMBERS)))
def test_scores_are_probabilities(tokens: list[tuple[str, float | None, float]]) -> None:
    entries = [{"token": t, "logprob": own, "top_logprobs": [{"token": "b", "logprob": other}]} for t, own, other in tokens]
    scores = choice_scores(("a", "b", "ab"), positions({"content": entries})).values
    assert all(math.isfinite(value) and value <= 0 for _, value in scores)


# --- bodies --------------------------------------------------------------------
def packed(data: bytes, wbits: int) -> bytes:
    packer = zlib.compressobj(wbits=wbits)
    return packer.compress(data) + packer.flush()


@pytest.mark.parametrize(("encoding", "wbits"), [("gzip", 31), ("x-gzip", 31), ("deflate", 15)])
def test_a_server_that_packs_unasked_is_understood(encoding: str, wbits: int) -> None:
    with serving(in_turn(Sent(packed(completion("hello").body, wbits), headers={"content-encoding": encoding}))) as server:
        model = model_at(server)
        assert model.answer(ask(), never()).texts == ("hello",)
        assert server.headers[0]["accept-encoding"] == "identity"
        model.close()


@pytest.mark.parametrize("size", [-1, 0, 1])
@pytest.mark.parametrize("how", ["whole", "gzip", "chunked"])
def test_the_limit_counts_bytes_however_they_come(size: int, how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "BODY_LIMIT", 200_000)
    body = completion("hello").body.ljust(200_000 + size)

    def stream(wire: Wire) -> None:
        wire.send(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n")
        for at in range(0, len(body), 1000):
            piece = body[at:at + 1000]
            wire.send(b"%x\r\n%s\r\n" % (len(piece), piece))
        wire.send(b"0\r\n\r\n")

    sent = {"whole": Sent(body), "gzip": Sent(packed(body, 31), headers={"content-encoding": "gzip"}),
            "chunked": Sent(b"", stream=stream)}
    with serving(in_turn(sent[how])) as server:
        model = model_at(server, retries=0)
        if size > 0:
            with pytest.raises(ModelError, match="more than"):
                model.answer(ask(), never())
        else:
            assert model.answer(ask(), never()).texts == ("hello",)
        model.close()


def test_cookies_are_not_collected() -> None:
    with serving(in_turn(Sent(completion("hello").body, headers={"set-cookie": "a=" + "b" * 2000}))) as server:
        model = model_at(server)
        for _ in range(3):
            model.answer(ask(), never())
        assert not any("cookie" in headers for headers in server.headers)
        model.close()


# --- time ------------------------------------------------------------------------
SLOW_IMPORT = """
import sys, time, importlib.abc
class Slow(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name == "openai":
            sys.meta_path.remove(self)
            real = time.monotonic
            time.monotonic = lambda: real() + 600
sys.meta_path.insert(0, Slow())
from tests.core.llm.common import ask, model_at, never
print(model_at(sys.argv[1], timeout=60.0, retries=0).answer(ask(), never()).texts)
"""


def test_the_import_of_openai_is_not_counted_as_waiting_for_the_server() -> None:
    with serving() as server:
        command = [sys.executable, "-c", SLOW_IMPORT, server.base_url]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "('hello',)", done.stderr


def test_refusals_and_retries_share_one_deadline() -> None:
    def slow(body: Json) -> Sent:
        del body
        time.sleep(0.25)
        return error(400)

    with serving(slow) as server:
        model = model_at(server, timeout=0.3, retries=0)
        began = time.monotonic()
        with pytest.raises(ModelError):
            model.answer(choose("a", "b", samples=3, temperature=1.0, top_p=0.5), never())
        assert time.monotonic() - began < 4 * 0.3 + 1
        model.close()


# --- the cache -------------------------------------------------------------------
def test_damaged_caches_are_told_once_and_all_kept(tmp_path: Path) -> None:
    contents = [b"no database", b"SQLite format 3\x00" + b"\xff" * 3000, b"another"]
    for number, content in enumerate(contents):
        (tmp_path / FILE).write_bytes(content)
        (tmp_path / f"{FILE}-wal").write_bytes(b"wal %d" % number)
        cache = ReplyCache(tmp_path)
        whole = assembled(Saying(ModelReply(("x",), "s")), cache)
        whole.answer(ask(), never())
        said = whole.news()
        assert len(said) == 1
        assert "moved aside" in said[0]
        assert "\n" not in said[0]
        assert whole.news() == ()
        cache.close()
    assert sorted(p.read_bytes() for p in tmp_path.glob("*.damaged")) == sorted(contents)


def test_a_reply_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    cache = ReplyCache(tmp_path)
    cache.put("k", ask(), ModelReply(("x",), "s"))
    with sqlite3.connect(tmp_path / FILE) as direct:
        direct.execute("UPDATE replies SET body = '{'")
    direct.close()
    assert cache.get("k") is None
    assert "could not be read" in cache.news()[0]
    cache.close()


def test_a_damaged_cache_is_one_line_of_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                                              capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    (tmp_path / "belvedere").mkdir()
    (tmp_path / "belvedere" / FILE).write_bytes(b"no database at all")
    with serving(lambda body: completion(*["walk to the kitchen"] * int(body.get("n", 1)))) as server:
        main.main([*RUN, "--base-url", server.base_url])
    assert capsys.readouterr().err.count("the cache of replies was damaged") == 1
    assert [p.read_bytes() for p in (tmp_path / "belvedere").glob("*.damaged")] == [b"no database at all"]


def test_old_replies_with_a_key_are_cleaned_as_they_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BELVEDERE_API_KEY", KEY)
    cache = ReplyCache(tmp_path)
    question = ask(expects=Expects())
    cache.put(question.key("saying"), question, ModelReply((f"the key is {KEY}",), "saying"))
    assert assembled(Saying(ValueError()), cache).answer(question, never()).texts == ("the key is [key]",)
    cache.close()


def test_a_key_of_the_keyring_is_in_no_file_either(tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                                                   capsys: pytest.CaptureFixture[str]) -> None:
    key = "kr-0aB1cD2eF3gH4iJ5kL6mN7oP8"
    for name in ("BELVEDERE_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("keyring.get_password", lambda service, name: key)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    record = tmp_path / "run.mcap"
    with serving(lambda body: completion(*[f"walk to {key} or {key[4:20]}"] * int(body.get("n", 1)))) as server:
        words = ["--base-url", server.base_url, "--ask", "key_name=mine", "--model", key, "--record", str(record)]
        words += ["--no-pictures", "--json"]
        code = main.main([*RUN, *words])
        assert server.headers[0]["authorization"] == f"Bearer {key}"
    assert code == 1
    with record.open("rb") as file:
        messages = b"".join(message.data for _, _, message in make_reader(file).iter_messages())
    held = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()) + messages
    said = "".join(capsys.readouterr())
    assert b"[key]" in held
    assert key[4:20].encode() not in held
    assert key[4:20] not in said
