"""What stands around a provider: the cache in all states of its file, and the budget."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import ClassVar, Self

import pytest

from core.common.cancellation import Cancellation
from core.common.errors import ModelError, UsageError
from core.common.redaction import Redactor
from core.llm.budget import Budget, Limits, Price, read_prices
from core.llm.cache import FILE, Cached, ReplyCache
from core.llm.model import LanguageModel
from core.llm.reply_checks import checked
from core.llm.stack import assembled
from core.planning.model_requests import ModelReply, ModelRequest
from tests.core.llm.common import KEY, ask, never, provider_at
from tests.loopback.chat_server import completion, serving

ROOT = Path(__file__).parents[3]


class Counting(LanguageModel):
    """Says how often it was asked."""

    name: ClassVar[str] = "counting"

    def __init__(self, *texts: str):
        self.count, self._texts = 0, texts

    @classmethod
    def open(cls, options: Mapping[str, str]) -> Self:
        del options
        return cls()

    @property
    def source(self) -> str:
        return "openai m"

    def answer(self, ask: ModelRequest, cancelled: Cancellation) -> ModelReply:
        del ask, cancelled
        self.count += 1
        return ModelReply(self._texts or (f"answer {self.count}",), self.source, tokens_in=100, tokens_out=10, seconds=0.5)


class Rules(Counting):
    """No language model."""

    is_model: ClassVar[bool] = False


def test_a_question_is_asked_once(tmp_path: Path) -> None:
    cache = ReplyCache(tmp_path)
    model = Cached(Counting(), cache)
    first, second = model.answer(ask(), never()), model.answer(ask(), never())
    assert (first.texts, first.cached) == (("answer 1",), False)
    assert (second.texts, second.cached, second.seconds) == (("answer 1",), True, 0)
    assert model.answer(ask(temperature=1.0), never()).texts == ("answer 2",)
    assert model.answer(ask(), never()).texts == ("answer 1",)
    assert model.taken_from_cache() == 2
    cache.close()
    reopened = ReplyCache(tmp_path)
    assert reopened.count() == 2
    assert Cached(Counting(), reopened).answer(ask(), never()).texts == ("answer 1",)
    reopened.clear()
    assert (reopened.count(), reopened.notice) == (0, "")
    reopened.close()


def test_an_empty_reply_is_not_kept(tmp_path: Path) -> None:
    cache, model = ReplyCache(tmp_path), Counting("", " ")
    for _ in range(2):
        assert not Cached(model, cache).answer(ask(), never()).cached
    assert (model.count, cache.count()) == (2, 0)
    cache.close()


def test_where_every_reply_is_kept_an_empty_one_is_a_reply_only_there(tmp_path: Path) -> None:
    cache, model = ReplyCache(tmp_path), Counting("")
    assert [Cached(model, cache, every=True).answer(ask(), never()).cached for _ in range(3)] == [False, True, True]
    assert (model.count, cache.count()) == (1, 1)
    assert not Cached(model, cache).answer(ask(), never()).cached, "a window asks again"
    cache.close()


@pytest.mark.parametrize("content", [b"this is no database" * 100, b"SQLite format 3\x00" + b"\xff" * 5000, b"\x00" * 4096])
def test_a_damaged_file_is_moved_aside(content: bytes, tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(content)
    cache = ReplyCache(tmp_path)
    assert "moved aside" in cache.notice
    Cached(Counting(), cache).answer(ask(), never())
    assert cache.count() == 1
    assert [p.read_bytes() for p in tmp_path.glob("*.damaged")] == [content]
    cache.close()


def test_a_file_damaged_while_open_is_moved_aside(tmp_path: Path) -> None:
    cache = ReplyCache(tmp_path)
    for number in range(50):
        cache.put(str(number), ask(), ModelReply(("x" * 3000,), "s"))
    cache.close()
    content = bytearray((tmp_path / FILE).read_bytes())
    content[5000:] = b"\xaa" * (len(content) - 5000)
    (tmp_path / FILE).write_bytes(content)
    for number in range(50):
        cache.get(str(number))
        cache.put(str(number), ask(), ModelReply(("y",), "s"))
    assert cache.count() == 50
    assert "moved aside" in cache.notice
    cache.close()


def test_somebody_elses_database_and_rows_are_no_crash(tmp_path: Path) -> None:
    other = sqlite3.connect(tmp_path / FILE)
    other.execute("CREATE TABLE replies (something TEXT)")
    other.close()
    cache = ReplyCache(tmp_path)
    assert "moved aside" in cache.notice
    cache.put("k", ask(), ModelReply(("x",), "s"))
    direct = sqlite3.connect(tmp_path / FILE)
    direct.execute("UPDATE replies SET body = '{'")
    direct.commit()
    direct.close()
    assert cache.get("k") is None
    cache.close()


def test_a_folder_that_cannot_be_used_is_only_noticed(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    cache = ReplyCache(tmp_path / "file" / "folder")
    model = Cached(Counting(), cache)
    assert [model.answer(ask(), never()).texts[0] for _ in range(2)] == ["answer 1", "answer 2"]
    assert "cannot be used" in cache.notice
    cache.close()


def test_its_size_is_bounded_and_the_unused_go_first(tmp_path: Path) -> None:
    cache = ReplyCache(tmp_path, max_bytes=20_000)
    for number in range(100):
        cache.put(str(number), ask(), ModelReply(("x" * 1000,), "s"))
    assert 5 <= cache.count() <= 20
    assert cache.get("99") is not None
    assert cache.get("0") is None
    cache.close()


WRITER = """
import sys; from pathlib import Path
from core.planning.model_requests import ModelReply, ModelRequest
from core.llm.cache import ReplyCache
cache = ReplyCache(Path(sys.argv[1]))
for number in range(100):
    cache.put(f"{sys.argv[2]} {number}", ModelRequest("p", ()), ModelReply(("x" * 500,), "s"))
sys.exit(cache.notice or 0)
"""


def test_threads_and_processes_share_it(tmp_path: Path) -> None:
    cache = ReplyCache(tmp_path)
    root = Path(__file__).parents[3]
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path), name], cwd=root) for name in "ab"]
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda i: cache.put(f"c {i}", ask(), ModelReply(("x",), "s")), range(100)))
    assert [writer.wait(60) for writer in writers] == [0, 0]
    assert (cache.count(), cache.notice) == (300, "")
    cache.close()


@pytest.mark.parametrize(("limits", "calls"), [
    (Limits(calls=2), 2), (Limits(tokens=150), 2), (Limits(cost=0.00035), 3), (Limits(calls=0), 0), (Limits(tokens=0), 0)])
def test_limits_hold(limits: Limits, calls: int) -> None:
    budget = Budget(limits, read_prices("m=1/2, other=5/5"))  # 0.00012 a call
    model = Counting()
    whole = assembled(model, budget=budget)
    for _ in range(calls):
        whole.answer(ask(), never())
    with pytest.raises(ModelError, match="raise the limit") as caught:
        whole.answer(ask(), never())
    assert (caught.value.kind, caught.value.retry, model.count) == ("budget", False, calls)
    budget.limits = Limits()
    whole.answer(ask(), never())
    spent = budget.spent
    calls += 1
    assert (spent.calls, spent.tokens_in, spent.tokens_out, spent.under_way) == (calls, 100 * calls, 10 * calls, 0)
    assert spent.cost == pytest.approx(0.00012 * calls)
    assert spent.seconds == pytest.approx(0.5 * calls)


def test_a_long_prompt_is_not_sent_into_a_small_rest() -> None:
    model = Counting()
    with pytest.raises(ModelError, match="next prompt needs about 1000"):
        assembled(model, budget=Budget(Limits(tokens=500))).answer(ask("x" * 4000), never())
    assert model.count == 0


def test_a_limit_of_cost_needs_a_price() -> None:
    with pytest.raises(ModelError, match="no price"):
        assembled(Counting(), budget=Budget(Limits(cost=1.0))).answer(ask(), never())
    assembled(Rules(), budget=Budget(Limits(cost=1.0))).answer(ask(), never())


def test_failed_calls_and_calls_under_way_count() -> None:
    budget = Budget(Limits(calls=8))

    class Failing(Counting):
        def answer(self, ask: ModelRequest, cancelled: Cancellation) -> ModelReply:
            assert budget.spent.under_way >= 1
            raise ModelError("no", "down", retry=True)

    def attempt(_: int) -> str:
        with pytest.raises(ModelError) as caught:
            assembled(Failing(), budget=budget).answer(ask(), never())
        return caught.value.kind

    with ThreadPoolExecutor(4) as pool:
        kinds = list(pool.map(attempt, range(20)))
    assert (kinds.count("down"), kinds.count("budget")) == (8, 12)
    assert (budget.spent.calls, budget.spent.failed, budget.spent.under_way) == (8, 8, 0)


def test_what_the_cache_holds_costs_nothing(tmp_path: Path) -> None:
    model, cache, budget = Counting(), ReplyCache(tmp_path), Budget(Limits(calls=1))
    whole = assembled(model, cache, budget)
    assert [whole.answer(ask(), never()).cached for _ in range(3)] == [False, True, True]
    with pytest.raises(ModelError, match="budget"):
        whole.answer(ask("another"), never())
    assert (whole.source, model.count) == ("openai m", 1)
    whole.close()
    cache.close()


def test_the_layers_around_a_provider_check_each_reply_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[ModelReply] = []

    def counting(reply: ModelReply, ask: ModelRequest, redactor: Redactor) -> ModelReply:
        seen.append(reply)
        return checked(reply, ask, redactor)

    monkeypatch.setattr("core.llm.reply_checks.checked", counting)
    cache = ReplyCache(tmp_path)
    with serving(lambda body: completion(f"the key is {KEY}")) as server:
        whole = assembled(provider_at(server), cache)
        for k in range(2):
            assert whole.answer(ask(f"fresh {k}"), never()).texts == ("the key is [key]",)
        assert len(seen) == 2, "one check for each reply of the model"
        kept = cache.get(ask("fresh 0").key(whole.source))
        assert kept is not None
        assert kept.texts == ("the key is [key]",), "the cache keeps the checked reply"
        cache.put(ask("old").key(whole.source), ask("old"), ModelReply((f"the key is {KEY}",), whole.source))
        assert whole.answer(ask("old"), never()).texts == ("the key is [key]",), "the file is not trusted"
        assert (len(seen), len(server.requests)) == (3, 2)
        whole.close()


def test_rules_are_cached_in_memory_only(tmp_path: Path) -> None:
    lasting, passing = ReplyCache(tmp_path), ReplyCache()
    assert assembled(Rules(), lasting).cache is None
    assert assembled(Rules(), passing).cache is passing
    assert [assembled(Rules(), passing).answer(ask(), never()).cached for _ in range(2)] == [False, True]
    passing.close()
    lasting.close()


@pytest.mark.parametrize("text", ["gpt", "gpt=1", "gpt=1/2/3", "gpt=-1/2", "gpt=nan/1", "=1/2", "gpt=inf/1", "gpt=a/b"])
def test_prices_that_make_no_sense(text: str) -> None:
    with pytest.raises(UsageError, match="MODEL=IN/OUT"):
        read_prices(text)


def test_prices() -> None:
    prices = read_prices("gpt-5=1.25/10, *=0/0,")
    assert prices == {"gpt-5": Price(1.25, 10), "*": Price(0, 0)}
    assert Budget(prices=prices).price("openai gpt-5") == Price(1.25, 10)
    assert Budget(prices=prices).price("local x") == Price(0, 0)
    assert Budget().price("openai gpt-5") is None
    with pytest.raises(UsageError):
        Limits(cost=float("nan"))


AT_ONCE = """
import sys
from pathlib import Path
from core.planning.model_requests import ModelReply
from core.llm.cache import ReplyCache
from tests.core.llm.common import ask
folder, own = Path(sys.argv[1]), int(sys.argv[2])
sys.stdout.write("ready" + chr(10)); sys.stdout.flush(); sys.stdin.readline()
cache = ReplyCache(folder)
for number in range(100):
    cache.put(f"{own} {number}", ask(), ModelReply((f"{own} {number}",), "openai m"))
    cache.put(f"all {number}", ask(), ModelReply((f"all {number}",), "openai m"))
    assert cache.get(f"{own} {number}").texts == (f"{own} {number}",)
    assert cache.get(f"all {number}").texts == (f"all {number}",)
assert cache.notice == "", cache.notice
cache.close()
"""


def test_several_processes_share_a_cache_from_its_first_moment_on(tmp_path: Path) -> None:
    command = [sys.executable, "-c", AT_ONCE, str(tmp_path)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    processes = [subprocess.Popen([*command, str(own)], cwd=ROOT, **pipes) for own in range(4)]  # type: ignore[call-overload]
    for process in processes:
        assert process.stdout.readline() == "ready\n"
    for process in processes:  # all open it at once
        process.stdin.write("go\n")
        process.stdin.flush()
    for process in processes:
        _, errors = process.communicate(timeout=120)
        assert process.returncode == 0, errors
    cache = ReplyCache(tmp_path)
    assert cache.count() == 4 * 100 + 100
    cache.close()
