"""Logs whose older items are on disk, compared with plain lists, also if the disk refuses them."""

from __future__ import annotations

import io
import os
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.common.errors import DataError
from core.common.shared_list import SharedList
from core.planning.facets import Grounding
from core.planning.model_requests import Ask, Message, Reply
from core.recording.codec import Codec
from core.recording.paged_list import PagedList, ScratchFile, paged_snapshot, unnamed_file
from core.session.snapshot import Snapshot
from core.session.turns import Call

CODEC = Codec()
Make = Callable[[], SharedList[Message]]
Op = tuple[str, int, int]


def message(number: int) -> Message:
    return Message("user", f"line {number}\nwith \"quotes\" and ünïcödé " + "word " * (number % 7))


def in_memory() -> SharedList[Message]:
    return SharedList()


def on_disk() -> SharedList[Message]:
    return SharedList.beginning(PagedList(Message, CODEC, ScratchFile(), newest=3, page_items=3, page_bytes=300), 0)


@dataclass(frozen=True)
class Strange:
    """A type unknown to the codec."""

    number: int


OPS = st.lists(st.tuples(st.sampled_from(["plus", "plus", "plus", "many", "index", "slice", "iterate", "equal"]),
                         st.integers(0, 40), st.integers(-45, 45)), max_size=40)


@pytest.mark.parametrize("make", [in_memory, on_disk])
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


@pytest.mark.parametrize("make", [in_memory, on_disk])
def test_logs_know_whether_one_goes_on_with_the_other(make: Make) -> None:
    first = make()
    second = first.plus(message(1)).plus(message(2))
    beside = second.plus(message(3))
    other = second.plus(message(4))
    assert second.akin(first)
    assert first.akin(beside)
    assert not other.akin(beside)
    assert (list(other), list(beside)) == ([*second, message(4)], [*second, message(3)])


def settle(scratch: ScratchFile) -> None:
    """Waits until every page is written."""
    if scratch._writer is not None:
        scratch._writer.join()


def stored(items: PagedList[Message], count: int) -> SharedList[Message]:
    log: SharedList[Message] = SharedList.beginning(items, 0)
    for number in range(count):
        log = log.plus(message(number))
    return log


def test_old_items_are_on_the_disk_and_new_ones_at_hand() -> None:
    scratch = ScratchFile()
    items = PagedList(Message, CODEC, scratch, newest=4, page_items=4)
    log = stored(items, 50)
    settle(scratch)
    assert all(isinstance(page.held, tuple) for page in items._pages)
    assert len(items._recent) == 4
    assert log[49] is log[49]
    assert list(log) == [message(k) for k in range(50)]


def test_what_was_read_is_kept_only_for_a_while() -> None:
    items = PagedList(Message, CODEC, ScratchFile())
    log = stored(items, 3000)
    assert log[0] == message(0)
    assert list(log) == [message(k) for k in range(3000)]
    assert (len(items._items), len(items._open)) == (256, 4)


def test_a_full_disk_leaves_pages_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def put(self: ScratchFile, data: memoryview, place: int) -> int:
        if place + len(data) > 500:
            os.pwrite(self._file.fileno(), data[:10], place)  # type: ignore[union-attr]
            raise OSError(28, "No space left on device")
        return os.pwrite(self._file.fileno(), data, place)  # type: ignore[union-attr]

    monkeypatch.setattr(ScratchFile, "_put", put)
    scratch = ScratchFile(lambda: io.FileIO(tmp_path / "scratch", "w+b"))
    items = PagedList(Message, CODEC, scratch, newest=4, page_items=4)
    log = stored(items, 200)
    settle(scratch)
    held = [type(page.held) for page in items._pages]
    assert (held[0], held[-1]) == (tuple, bytes)
    assert list(log) == [message(k) for k in range(200)]


def test_without_a_folder_that_takes_files_all_stays_in_memory() -> None:
    def none() -> io.FileIO:
        raise OSError(30, "Read-only file system")

    scratch = ScratchFile(none)
    items = PagedList(Message, CODEC, scratch, newest=4, page_items=4)
    log = stored(items, 40)
    settle(scratch)
    assert {type(page.held) for page in items._pages} == {bytes}
    assert list(log) == [message(k) for k in range(40)]


def test_without_a_thread_pages_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(self: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    scratch = ScratchFile()
    items = PagedList(Message, CODEC, scratch, newest=4, page_items=4)
    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", none)
        log = stored(items, 40)
        assert list(log) == [message(k) for k in range(40)]
    for number in range(40, 44):
        log = log.plus(message(number))
    settle(scratch)
    assert {type(page.held) for page in items._pages} == {tuple}
    assert list(log) == [message(k) for k in range(44)]


def test_what_nobody_taught_the_codec_stays_as_it_is() -> None:
    calls = [Call(k, k, 0, Ask("policy", (Message("user", f"prompt {k}"),), facts=Strange(k) if k % 3 else None), "model", 0.5,
                  Reply((str(k),), "model")) for k in range(60)]
    scratch = ScratchFile()
    items = PagedList(Call, CODEC, scratch, newest=8, page_items=8)
    log: SharedList[Call] = SharedList.beginning(items, 0)
    for call in calls:
        log = log.plus(call)
    settle(scratch)
    assert list(log) == calls
    assert log[1] is calls[1]
    assert log[0] == calls[0]
    assert log[0] is not calls[0]
    again = SharedList.beginning(items, 20).plus(calls[0])
    assert list(again) == [*calls[:20], calls[0]]
    assert list(log) == calls


def test_where_a_place_is_not_read_in_one_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    scratch = ScratchFile(lambda: io.FileIO(tmp_path / "scratch", "w+b"))
    log = stored(PagedList(Message, CODEC, scratch, newest=4, page_items=4), 40)
    assert log[7] == message(7)
    settle(scratch)
    assert list(log) == [message(k) for k in range(40)]


def test_a_damaged_file_is_said(tmp_path: Path) -> None:
    scratch = ScratchFile(lambda: io.FileIO(tmp_path / "scratch", "w+b"))
    items = PagedList(Message, CODEC, scratch, newest=4, page_items=4)
    log = stored(items, 40)
    settle(scratch)
    (tmp_path / "scratch").write_bytes(b"something else")
    with pytest.raises(DataError, match="cannot be read any more"):
        _ = log[0]
    assert log[39] == message(39)


def test_a_file_that_ends_with_its_last_user_and_has_no_name() -> None:
    files: list[IO[bytes]] = []

    def make() -> IO[bytes]:
        files.append(unnamed_file())
        return files[-1]

    scratch = ScratchFile(make)
    log = stored(PagedList(Message, CODEC, scratch, newest=4, page_items=4), 40)
    settle(scratch)
    assert (len(files), files[0].closed, log[0]) == (1, False, message(0))
    del scratch, log
    assert files[0].closed


def test_readers_may_look_while_it_grows() -> None:
    scratch = ScratchFile()
    items = PagedList(Message, CODEC, scratch, newest=8, page_items=8)
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
