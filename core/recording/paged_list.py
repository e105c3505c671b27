"""Lists of a run that may be long. The newest items are in memory; older ones are on disk, in pages.

A call to a language model holds its prompt and the facts the prompt was made from, 10 kB and more. A run of several days makes
hundreds of thousands of calls, of which only a few are ever displayed. Most of a prompt repeats the one before: a compressed
page takes 3 % of the space.
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
from core.session.snapshot import Snapshot
from core.session.turns import Call

T = TypeVar("T")
LEVEL = 1
NEWEST = 256
"""Number of newest items that stay in memory as objects."""
PAGE_ITEMS, PAGE_BYTES = 128, 2**19
"""A page is full at this number of items or bytes. Unpacking one must not cause a noticeable delay."""
MOST_ITEMS, MOST_PAGES = 256, 4
"""Items and pages that were read and are kept for further accesses."""
MakeFile = Callable[[], IO[bytes]]


def unnamed_file() -> IO[bytes]:
    """Returns a temporary file that no other process can open, and that the system removes with the process.

    Raises:
        OSError: there is no writable folder for temporary files.
    """
    return tempfile.TemporaryFile(prefix="belvedere-", buffering=0)


@dataclass(slots=True)
class Page:
    """Consecutive items as bytes: first as lines, then compressed, then as (offset, size) in the file.

    Each replaces the one before.
    """

    held: list[bytes] | bytes | tuple[int, int]


class ScratchFile:
    """A file for pages, written on a thread that ends when nothing waits.

    A page that cannot be written stays in memory, compressed.

    Args:
        make: opens a file; called when there is something to write.
    """

    def __init__(self, make: MakeFile = unnamed_file):
        self._make, self._lock = make, threading.Lock()
        self._file: IO[bytes] | None = None
        self._end = 0
        self._waiting: deque[Page] = deque()
        self._writer: threading.Thread | None = None

    def keep(self, page: Page) -> None:
        """Queues a page for writing. Returns at once."""
        with self._lock:
            self._waiting.append(page)
            if self._writer is None:
                writer = threading.Thread(target=self._write_all, name="scratch", daemon=True)
                try:
                    writer.start()
                except RuntimeError:  # the system has no thread left: the next page tries again
                    return
                self._writer = writer

    def lines(self, page: Page) -> list[bytes]:
        """Returns the items of a page as bytes. Safe from any thread.

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
            except (OSError, ValueError):  # a full disk must not stop a run: this page stays in memory
                continue

    def _write(self, data: bytes) -> tuple[int, int]:
        """Writes data. Returns its offset and size."""
        if self._file is None:
            self._file = self._make()
            weakref.finalize(self, self._file.close)
        place, done = self._end, 0
        while done < len(data):
            done += self._put(memoryview(data)[done:], place + done)
        self._end += len(data)  # the written part of a page that failed is overwritten
        return place, len(data)

    # Windows cannot read or write at a position in one step: reading waits for a page that is being written.
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
    """A growing list. Older items are decoded again on access, equal but not identical. An item that cannot be encoded stays.

    Args:
        kind: the type of the items.
        newest: number of items in memory; at least a page of them.
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
        """The encoded items of the page that is not full."""
        self._size = 0
        self._lock = threading.Lock()
        self._items: OrderedDict[int, T] = OrderedDict()
        self._open: OrderedDict[int, list[bytes]] = OrderedDict()

    def __len__(self) -> int:
        return self._length

    def at(self, place: int) -> T:
        """Returns the item at an index, and reads it if it is not in memory."""
        try:
            return self._recent[place]
        except KeyError:
            return self._unwritten[place] if place in self._unwritten else self._read(place)

    def append(self, item: T) -> None:
        """Appends an item and encodes it at once. That is quick if an event with its parts was written shortly before."""
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
        """Returns another list that begins with the same items and shares their pages."""
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
        """Returns the bytes of an item; b"" if it cannot be encoded."""
        try:
            return self._codec.encode(item)
        except Exception:  # noqa: BLE001 - a value unknown to the codec, or a plug-in's odd one, must not end the run
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


def paged_snapshot(codec: Codec) -> Snapshot:
    """Returns the snapshot of a run before its first event.

    Its calls and groundings go to disk, so that the run may last for days.
    """
    scratch = ScratchFile()
    return Snapshot(calls=SharedList.beginning(PagedList(Call, codec, scratch), 0),
                    groundings=SharedList.beginning(PagedList(Grounding, codec, scratch), 0))
