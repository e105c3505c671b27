"""Lists of a run that may be long: the newest items are in memory, older ones on the disk, a page at a time.

A call to a language model holds its prompt and what that was made from, 10 kB and more; a run of days makes hundreds of
thousands of them, and nobody looks at more than a few. Most of a prompt stood in the one before: packed, a page takes 3 %.
"""

from __future__ import annotations

import os
import sys
import tempfile
import threading
import weakref
from bisect import bisect_right
from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import IO, TypeVar

import zstandard

from core.common.errors import DataError
from core.common.shared_list import Growing, SharedList
from core.planning.facets import Grounding
from core.recording.codec import Codec
from core.session.snapshot import Call, Snapshot

T = TypeVar("T")
LEVEL = 1
NEWEST = 256
"""Items that are never written down only: they are at hand as they are."""
PAGE_ITEMS, PAGE_BYTES = 128, 2**19
"""A page is full with so many, or so much: unpacking one must not be felt."""
MOST_ITEMS, MOST_PAGES = 256, 4
"""Read and kept for when they are looked at again."""
MakeFile = Callable[[], IO[bytes]]


def nameless() -> IO[bytes]:
    """A file in the user's folder for such, which nobody else can open and the system removes with the process.

    Raises:
        OSError: there is no folder that takes files.
    """
    return tempfile.TemporaryFile(prefix="belvedere-", buffering=0)


@dataclass(slots=True)
class Page:
    """Items in a row as bytes: lines, then packed, then (offset, size) in the file; one takes the other's place at once."""

    held: list[bytes] | bytes | tuple[int, int]


class ScratchFile:
    """A file for pages, written on a thread that ends when nothing waits. What the disk does not take stays in memory, packed.

    Args:
        make: opens a file; asked when there is something to write.
    """

    def __init__(self, make: MakeFile = nameless):
        self._make, self._lock = make, threading.Lock()
        self._file: IO[bytes] | None = None
        self._end = 0
        self._waiting: deque[Page] = deque()
        self._writer: threading.Thread | None = None

    def keep(self, page: Page) -> None:
        """Write a page as soon as may be; returns at once."""
        with self._lock:
            self._waiting.append(page)
            if self._writer is None:
                writer = threading.Thread(target=self._write_all, name="scratch", daemon=True)
                try:
                    writer.start()
                except RuntimeError:  # the system has no thread left: it waits with the next page
                    return
                self._writer = writer

    def lines(self, page: Page) -> list[bytes]:
        """The items of a page, from any thread.

        Raises:
            DataError: the file is damaged.
        """
        held = page.held
        if isinstance(held, list):
            return held
        try:
            packed = self._read(*held) if isinstance(held, tuple) else held
            return zstandard.ZstdDecompressor().decompress(packed).split(b"\n")
        except (OSError, zstandard.ZstdError) as error:
            raise DataError(f"what this run keeps in {tempfile.gettempdir()} cannot be read any more: {error}") from error

    # --- on the writer's thread ----------------------------------------------
    def _write_all(self) -> None:
        pack = zstandard.ZstdCompressor(level=LEVEL).compress
        while True:
            with self._lock:
                if not self._waiting:
                    self._writer = None
                    return
                page = self._waiting.popleft()
            assert isinstance(page.held, list), "a page is written once"
            page.held = pack(b"\n".join(page.held))
            try:
                page.held = self._write(page.held)
            except (OSError, ValueError):  # a full disk is no reason to stop a run: this page stays where it is
                continue

    def _write(self, data: bytes) -> tuple[int, int]:
        """Where it is now."""
        if self._file is None:
            self._file = self._make()
            weakref.finalize(self, self._file.close)
        place, done = self._end, 0
        while done < len(data):
            done += self._put(memoryview(data)[done:], place + done)
        self._end += len(data)  # what was written of a page that failed is written over
        return place, len(data)

    # Without positions in one step (Windows), reading waits for a page that is being written.
    def _put(self, data: memoryview, place: int) -> int:
        assert self._file is not None
        if sys.platform == "win32":
            with self._lock:
                self._file.seek(place)
                return self._file.write(data) or 0
        return os.pwrite(self._file.fileno(), data, place)

    def _read(self, place: int, size: int) -> bytes:
        assert self._file is not None, "it was written to"
        if sys.platform == "win32":
            with self._lock:
                self._file.seek(place)
                return self._file.read(size)
        return os.pread(self._file.fileno(), size, place)


class PagedList(Growing[T]):
    """A growing list whose older items are made anew, equal, when they are looked at; one that cannot be written stays.

    Args:
        kind: what the items are.
        newest: so many are in memory; at least a page of them.
    """

    def __init__(self, kind: type[T], codec: Codec, scratch: ScratchFile, *, newest: int = NEWEST, page_items: int = PAGE_ITEMS,
                 page_bytes: int = PAGE_BYTES):
        self._kind, self._codec, self._scratch = kind, codec, scratch
        self._newest, self._page_items, self._page_bytes = max(newest, page_items), page_items, page_bytes
        self._length = 0
        self._recent: dict[int, T] = {}
        self._unwritten: dict[int, T] = {}
        self._pages: list[Page] = []
        self._ends: list[int] = []
        self._lines: list[bytes] = []
        """Those of the page that is not full."""
        self._size = 0
        self._lock = threading.Lock()
        self._items: OrderedDict[int, T] = OrderedDict()
        self._open: OrderedDict[int, list[bytes]] = OrderedDict()

    def __len__(self) -> int:
        return self._length

    def at(self, place: int) -> T:
        """The item of a place; read, if it is not at hand."""
        try:
            return self._recent[place]
        except KeyError:
            return self._unwritten[place] if place in self._unwritten else self._read(place)

    def append(self, item: T) -> None:
        """One more item, made bytes at once: that is quick where an event that holds its parts was written shortly before."""
        place, line = self._length, self._encoded(item)
        if not line:
            self._unwritten[place] = item
        self._recent[place] = item
        self._lines.append(line)
        self._size += len(line)
        self._length += 1
        if len(self._lines) >= self._page_items or self._size >= self._page_bytes:
            page = Page(self._lines)
            self._pages.append(page)
            self._ends.append(self._length)
            self._lines, self._size = [], 0
            self._scratch.keep(page)
        self._recent.pop(place - self._newest, None)

    def until(self, length: int) -> PagedList[T]:
        """Another one that begins with the same items: it shares their pages."""
        other = PagedList(self._kind, self._codec, self._scratch, newest=self._newest, page_items=self._page_items,
                      page_bytes=self._page_bytes)
        count = bisect_right(self._ends, length)
        other._pages, other._ends = self._pages[:count], self._ends[:count]
        other._length = other._ends[-1] if count else 0
        other._unwritten = {k: item for k, item in self._unwritten.items() if k < other._length}
        for place in range(other._length, length):
            other.append(self[place])
        return other

    def _encoded(self, item: T) -> bytes:
        """Its bytes; none for what cannot be written."""
        try:
            return self._codec.encode(item)
        except Exception:  # noqa: BLE001 - a value nobody taught the codec, or a plug-in's odd one, must not end the run
            return b""

    def _read(self, place: int) -> T:
        with self._lock:
            found = self._items.get(place)
            if found is not None:
                self._items.move_to_end(place)
                return found
        page = bisect_right(self._ends, place)
        line = self._unpacked(page)[place - (self._ends[page - 1] if page else 0)]
        item = self._codec.loads(line, self._kind)
        with self._lock:
            self._items[place] = item
            if len(self._items) > MOST_ITEMS:
                self._items.popitem(last=False)
        return item

    def _unpacked(self, page: int) -> list[bytes]:
        with self._lock:
            lines = self._open.get(page)
            if lines is not None:
                self._open.move_to_end(page)
                return lines
        lines = self._scratch.lines(self._pages[page])
        with self._lock:
            self._open[page] = lines
            if len(self._open) > MOST_PAGES:
                self._open.popitem(last=False)
        return lines


def roomy_snapshot(codec: Codec) -> Snapshot:
    """Of a run before its first event: it may go on for days, for what was asked and answered goes to the disk."""
    scratch = ScratchFile()
    return Snapshot(calls=SharedList.beginning(PagedList(Call, codec, scratch), 0),
                    groundings=SharedList.beginning(PagedList(Grounding, codec, scratch), 0))
