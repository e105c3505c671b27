"""What workers share: a budget on file, the server's slots, a local model. What a worker holds is released when it ends."""

from __future__ import annotations

import errno
import json
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.common.cancellation import Cancellation
from core.common.errors import DataError, ModelError
from core.evaluation.coordinator import Address, Coordinator, Slots, connected
from core.evaluation.folder import FILE, Costs, Ledger, Used, amount
from core.evaluation.worker import SharedBudget, SharedProcess, ask_sweep
from core.llm.budget import Limits, Price, Spent
from core.llm.local import LlamaProcess, Local, Settings
from core.planning.model_requests import ModelReply
from tests.core.llm.common import ask, choose, never
from tests.core.llm.test_local import STUB
from tests.model_calls import ROOT, polled_waits
from tests.waiting import until

PRICES = {"*": Price(1e6, 1e6)}
"""One a token."""
REPLY = ModelReply(("hello",), "openai m", tokens_in=100, tokens_out=10, seconds=0.5)
TOKENS = 40


def ledger(folder: Path, calls: int | None = None) -> Ledger:
    return Ledger(folder, Limits(calls), PRICES)


@pytest.fixture
def coordinator(tmp_path: Path) -> Iterator[Coordinator]:
    with Coordinator(ledger(tmp_path, 3), 1) as running:
        yield running


def spent(folder: Path) -> Spent:
    return ledger(folder).used.spent


def test_what_was_spent_is_known_to_the_next_ledger(tmp_path: Path) -> None:
    first = ledger(tmp_path, 3)
    first.settle(first.reserve(TOKENS, "openai m"), [REPLY])
    first.settle(first.reserve(TOKENS, "openai m"), [])
    first.add_cached(4)
    second = ledger(tmp_path, 3)
    assert second.used == first.used == Used(Spent(2, 1, 0, 100, 10, 110.0, 0.5), 4)
    second.reserve(TOKENS, "openai m")
    with pytest.raises(ModelError, match="3 of 3 calls"):
        second.reserve(TOKENS, "openai m")


def test_a_call_that_a_kill_broke_off_counts_as_failed_and_its_prompt_as_used(tmp_path: Path) -> None:
    killed = ledger(tmp_path)
    killed.reserve(TOKENS, "openai m")
    assert spent(tmp_path) == Spent(1, 1, 0, TOKENS, 0, float(TOKENS), 0.0)


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"calls": -1}', "[" * 100_000, '{"calls": "many"}'])
def test_a_damaged_ledger_is_said_in_a_line(content: str, tmp_path: Path) -> None:
    (tmp_path / FILE).write_text(content)
    with pytest.raises(DataError, match="choose another --out") as caught:
        ledger(tmp_path)
    assert "\n" not in str(caught.value)


def test_calls_through_a_line_are_counted_and_refused(coordinator: Coordinator, tmp_path: Path) -> None:
    budget = SharedBudget(coordinator.address)
    with budget.call(ask(), "openai m", is_model=True) as replies:
        assert spent(tmp_path).calls == 1, "on file before it is made"
        replies.append(REPLY)
    with pytest.raises(ModelError, match="it is down"), budget.call(ask(), "openai m", is_model=True):
        raise ModelError("it is down", "down", retry=True)
    assert (spent(tmp_path).tokens_in, spent(tmp_path).failed) == (100, 1)
    with budget.call(ask(), "openai m", is_model=True) as replies:
        replies.append(REPLY)
    with pytest.raises(ModelError, match="3 of 3 calls") as caught, budget.call(ask(), "openai m", is_model=True):
        pytest.fail("nobody may be asked")
    assert caught.value.kind == "budget"
    assert "3 of 3 calls" in coordinator.ended
    assert ask_sweep(coordinator.address, {"do": "begin"}) == {"go": False}


def test_a_worker_that_dies_gives_its_slot_back(coordinator: Coordinator, tmp_path: Path) -> None:
    dead, waiting = connected(coordinator.address), connected(coordinator.address)
    wanted = {"do": "reserve", "tokens": TOKENS, "source": "openai m", "samples": 5}
    dead.send(wanted)
    assert dead.receive() == {"ok": True}
    waiting.send(wanted)
    dead.cut()
    dead.close()
    assert waiting.receive() == {"ok": True}
    waiting.send({"do": "settle", "used": [1, 1, 0.5]})
    assert waiting.receive() == {"ok": True}
    waiting.close()
    found = spent(tmp_path)
    assert (found.calls, found.failed, found.tokens_in) == (2, 1, TOKENS + 1)


def test_a_worker_that_dies_while_it_waits_leaves_no_slot_taken(coordinator: Coordinator) -> None:
    holder, dead, last = (connected(coordinator.address) for _ in range(3))
    wanted = {"do": "reserve", "tokens": TOKENS, "source": "openai m", "samples": 1}
    holder.send(wanted)
    assert holder.receive() == {"ok": True}
    dead.send(wanted)
    dead.cut()
    dead.close()
    holder.send({"do": "settle", "used": None})
    assert holder.receive() == {"ok": True}
    holder.close()
    last.send(wanted)
    assert last.receive() == {"ok": True}
    last.close()


def test_who_does_not_know_the_key_gets_nothing(coordinator: Coordinator) -> None:
    wrong = Address(coordinator.address.host, coordinator.address.port, b"x" * 32)
    with pytest.raises(ConnectionRefusedError):
        connected(wrong)
    assert b"x" not in repr(wrong).encode()
    with pytest.raises(ModelError, match="cannot reach the sweep at 127"):
        ask_sweep(wrong, {"do": "begin"})
    assert ask_sweep(coordinator.address, {"do": "begin"}) == {"go": True}


def test_lines_end_with_the_sweep(tmp_path: Path) -> None:
    with Coordinator(ledger(tmp_path), 1) as running:
        line = connected(running.address)
        line.send({"do": "watch"})
        assert line.receive() == {"ok": True}
    assert line.receive() is None
    line.close()
    with pytest.raises(OSError, match=r".*"):
        connected(running.address)


@given(st.integers(1, 4), st.lists(st.integers(1, 4), max_size=12))
def test_slots_are_never_more_than_there_are_and_all_get_their_turn(total: int, wanted: list[int]) -> None:
    slots, lock = Slots(total), threading.Lock()
    now = [0]

    def work(count: int) -> bool:
        count = min(count, total)
        taken = slots.take(count, never())
        with lock:
            now[0] += count
            fits = now[0] <= total
        with lock:
            now[0] -= count
        slots.release(count)
        return taken and fits

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, wanted))


def test_slots_are_not_waited_for_in_vain() -> None:
    slots, over = Slots(1), Cancellation()
    assert slots.take(1, over)
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(slots.take, 1, over)
        until(lambda: bool(slots._waiting))
        over.set()
        assert not waiting.result()
    slots.release(1)
    assert slots.take(1, never())


def test_nothing_is_polled() -> None:
    assert polled_waits((ROOT / "core" / "evaluation").glob("*.py")) == []


def test_a_sweep_without_room_for_a_further_connection_ends_and_says_why(
        coordinator: Coordinator, monkeypatch: pytest.MonkeyPatch) -> None:
    def accept(listener: socket.socket) -> None:
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr(socket.socket, "accept", accept)
    with socket.create_connection((coordinator.address.host, coordinator.address.port)):
        until(lambda: coordinator.ended == "the sweep cannot serve its workers: Too many open files")


def test_a_connection_that_is_gone_before_it_is_served_ends_nothing(
        coordinator: Coordinator, monkeypatch: pytest.MonkeyPatch) -> None:
    tried = []
    accept = socket.socket.accept

    def gone(listener: socket.socket) -> tuple[socket.socket, object]:
        tried.append(accept(listener))
        raise ConnectionAbortedError

    monkeypatch.setattr(socket.socket, "accept", gone)
    with socket.create_connection((coordinator.address.host, coordinator.address.port)):
        until(lambda: bool(tried))
    monkeypatch.undo()
    assert ask_sweep(coordinator.address, {"do": "begin"}) == {"go": True}
    for connection, _ in tried:
        connection.close()


def test_workers_share_one_local_process_which_is_started_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "stub_llama.py").write_text(STUB)
    (tmp_path / "tiny.gguf").write_bytes(b"GGUF" + b"\0" * 100)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    settings, begun = Settings(file=str(tmp_path / "tiny.gguf")), []

    def start(settings: Settings) -> LlamaProcess:
        begun.append(LlamaProcess(settings, "stub_llama"))
        return begun[-1]

    with Coordinator(ledger(tmp_path), 1, Local(settings, start)) as running:
        workers = [Local(settings, lambda settings: SharedProcess(running.address)) for _ in range(2)]
        assert begun == [], "nobody has asked yet"
        for worker in workers:
            assert worker.answer(choose("a", "b"), never()).texts == ("a",)
        assert len(begun) == 1
        with pytest.raises(ModelError, match="local model's process ended"):
            workers[0].answer(ask("die"), never())
        for worker in workers:
            assert worker.answer(choose("a", "b"), never()).texts == ("a",)
            worker.close()
        assert len(begun) == 2
    assert all(process.ended for process in begun)
    assert "key" not in json.loads((tmp_path / FILE).read_text() if (tmp_path / FILE).exists() else "{}")


def test_what_the_rest_may_cost_is_what_the_first_part_did() -> None:
    costs = Costs(Used(Spent(40, 2, 0, 30_000, 1_000, 2.5), 7), True, 10, 30)
    assert costs.in_all == 10.0
    assert costs.short == "40 calls, 31k tokens, cost 2.5 of about 10"
    assert costs.lines == (
        "used in all runs of this sweep: 40 calls (2 failed), 30,000 tokens in, 1,000 out, cost 2.5; 7 replies from the cache",
        "the 30 episodes left may cost about 7.5 more, at the rate so far")
    free = Costs(costs.used, False, 10, 30)
    assert free.short == "40 calls, 31k tokens of about 124k"
    assert "93k tokens" in free.lines[-1]
    assert len(Costs(costs.used, True, 40, 0).lines) == 1
    resumed = Costs(costs.used, True, 40, 0, Used(Spent(38, 2, 0, 29_000, 900, 2.4), 7))
    assert resumed.lines == (f"this run: 2 calls, 0 replies from the cache; {costs.lines[0]}",)
    assert Costs(Used(Spent()), True, 0, 5).short == "0 calls, 0 tokens, cost 0"
    assert [amount(n) for n in (0, 999, 1000, 12_345, 2_500_000)] == ["0", "999", "1.0k", "12k", "2.5M"]
