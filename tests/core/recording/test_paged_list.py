"""Logs whose older items are compressed, compared with plain lists."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.common.shared_list import SharedList
from core.planning.facets import Grounding
from core.planning.model_requests import Message, ModelReply, ModelRequest
from core.recording.codec import Codec
from core.recording.paged_list import PagedList, paged_snapshot
from core.session.snapshot import Snapshot
from core.session.turns import Call

CODEC = Codec()
Make = Callable[[], SharedList[Message]]
Op = tuple[str, int, int]


def message(number: int) -> Message:
    return Message("user", f"line {number}\nwith \"quotes\" and ünïcödé " + "word " * (number % 7))


def in_memory() -> SharedList[Message]:
    return SharedList()


def in_pages() -> SharedList[Message]:
    return SharedList.beginning(PagedList(Message, CODEC, newest=3, page_items=3, page_bytes=300), 0)


@dataclass(frozen=True)
class Strange:
    """A type unknown to the codec."""

    number: int


OPS = st.lists(st.tuples(st.sampled_from(["plus", "plus", "plus", "many", "index", "slice", "iterate", "equal"]),
                         st.integers(0, 40), st.integers(-45, 45)), max_size=40)


@pytest.mark.parametrize("make", [in_memory, in_pages])
@given(ops=OPS)
def test_any_log_is_a_list(make: Make, ops: list[Op]) -> None:
    """Any earlier log may be appended to, read and compared, however the others go on."""
    logs, plain, count = [make()], [list[Message]()], 0
    for what, which, number in ops:
        log, items = logs[which % len(logs)], plain[which % len(logs)]
        if what in ("plus", "many"):
            new = [message(count + k) for k in range(1 if what == "plus" else 9)]
            count += len(new)
            items = [*items, *new]
            for one in new:
                log = log.plus(one)
            logs.append(log)
            plain.append(items)
        elif what == "index":
            if -len(items) <= number < len(items):
                assert log[number] == items[number]
            else:
                with pytest.raises(IndexError):
                    _ = log[number]
        elif what == "slice":
            assert list(log[number:which]) == items[number:which]
            assert list(log[which:number:-2]) == items[which:number:-2]
        elif what == "iterate":
            assert list(log) == items
            assert list(reversed(log)) == items[::-1]
        else:
            assert (log == logs[number % len(logs)]) == (items == plain[number % len(logs)])
    assert [list(log) for log in logs] == plain
    assert [len(log) for log in logs] == [len(items) for items in plain]


@pytest.mark.parametrize("make", [in_memory, in_pages])
def test_logs_know_whether_one_goes_on_with_the_other(make: Make) -> None:
    first = make()
    second = first.plus(message(1)).plus(message(2))
    beside = second.plus(message(3))
    other = second.plus(message(4))
    assert second.akin(first)
    assert first.akin(beside)
    assert not other.akin(beside)
    assert (list(other), list(beside)) == ([*second, message(4)], [*second, message(3)])


def stored(items: PagedList[Message], count: int) -> SharedList[Message]:
    log: SharedList[Message] = SharedList.beginning(items, 0)
    for number in range(count):
        log = log.plus(message(number))
    return log


def test_old_items_are_compressed_and_new_ones_at_hand() -> None:
    items = PagedList(Message, CODEC, newest=4, page_items=4)
    log = stored(items, 50)
    assert len(items._pages) == 12
    assert len(items._lines) == 2
    assert len(items._recent) == 4
    assert log[49] is log[49]
    assert list(log) == [message(k) for k in range(50)]


def test_what_was_read_is_kept_only_for_a_while() -> None:
    items = PagedList(Message, CODEC)
    log = stored(items, 3000)
    assert log[0] == message(0)
    assert list(log) == [message(k) for k in range(3000)]
    assert (len(items._items), len(items._open)) == (256, 4)


def test_what_nobody_taught_the_codec_stays_as_it_is() -> None:
    asks = [ModelRequest("policy", (Message("user", f"prompt {k}"),), facts=Strange(k) if k % 3 else None) for k in range(60)]
    calls = [Call(k, k, 0, asks[k], "model", 0.5, ModelReply((str(k),), "model")) for k in range(60)]
    items = PagedList(Call, CODEC, newest=8, page_items=8)
    log: SharedList[Call] = SharedList.beginning(items, 0)
    for call in calls:
        log = log.plus(call)
    assert list(log) == calls
    assert log[1] is calls[1]
    assert log[0] == calls[0]
    assert log[0] is not calls[0]
    again = SharedList.beginning(items, 20).plus(calls[0])
    assert list(again) == [*calls[:20], calls[0]]
    assert list(log) == calls


def test_readers_may_look_while_it_grows() -> None:
    items = PagedList(Message, CODEC, newest=8, page_items=8)
    now: list[SharedList[Message]] = [SharedList.beginning(items, 0)]
    over, wrong = threading.Event(), list[object]()

    def read(step: int) -> None:
        k = 0
        while not over.is_set():
            log = now[0]
            if len(log):
                k = (k + step) % len(log)
                try:
                    if log[k] != message(k) or log[-1] != message(len(log) - 1):
                        wrong.append(k)
                except Exception as error:  # noqa: BLE001 - whatever it is, the test says it
                    wrong.append(error)

    readers = [threading.Thread(target=read, args=(step,)) for step in (1, 7, 113)]
    for reader in readers:
        reader.start()
    for number in range(3000):
        now[0] = now[0].plus(message(number))
    over.set()
    for reader in readers:
        reader.join()
    assert not wrong
    assert list(now[0]) == [message(k) for k in range(3000)]


def test_a_paged_snapshot_is_a_first_one() -> None:
    snapshot = paged_snapshot(CODEC)
    assert snapshot == Snapshot()
    grounding = Grounding("digest", "reply", "meant", 1.0, "exact")
    assert list(snapshot.groundings.plus(grounding)) == [grounding]
