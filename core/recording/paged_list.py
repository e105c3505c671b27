"""Lists of a run that may be long. The newest items are kept as objects, older ones as compressed bytes, in pages.

A call to a language model holds its prompt and the facts the prompt was made from, 10 kB and more. A run of several days makes
hundreds of thousands of calls, of which only a few are ever displayed. Most of a prompt repeats the one before: a compressed
page takes 3 % of the space.
"""

from __future__ import annotations

import threading
from bisect import bisect_right
from collections import OrderedDict
from typing import TypeVar

import zstandard

from core.common.shared_list import Growing, SharedList
from core.planning.facets import Grounding
from core.recording.codec import Codec
from core.session.snapshot import Snapshot
from core.session.turns import Call

T = TypeVar("T")
LEVEL = 1
NEWEST = 256
"""Number of newest items that are kept as objects."""
PAGE_ITEMS, PAGE_BYTES = 128, 2**19
"""A page is full at this number of items or bytes. Unpacking one must not cause a noticeable delay."""
MOST_ITEMS, MOST_PAGES = 256, 4
"""Items and pages that were unpacked and are kept for further accesses."""


class PagedList(Growing[T]):
    """A growing list. Older items are decoded again on access, equal but not identical. An item that cannot be encoded stays.

    Args:
        kind: the type of the items.
        newest: number of items kept as objects; at least a page of them.
    """

    def __init__(self, kind: type[T], codec: Codec, *, newest: int = NEWEST, page_items: int = PAGE_ITEMS,
                 page_bytes: int = PAGE_BYTES):
        self._kind, self._codec = kind, codec
        self._newest, self._page_items, self._page_bytes = max(newest, page_items), page_items, page_bytes
        self._length = 0
        self._recent: dict[int, T] = {}
        self._unwritten: dict[int, T] = {}
        self._pages: list[bytes] = []
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
        """Returns the item at an index, and decodes it if it is not kept as an object."""
        try:
            return self._recent[place]
        except KeyError:
            return self._unwritten[place] if place in self._unwritten else self._decoded(place)

    def append(self, item: T) -> None:
        """Appends an item and encodes it at once, in some 20 µs for a call."""
        place, line = self._length, self._encoded(item)
        if not line:
            self._unwritten[place] = item
        self._recent[place] = item
        self._lines.append(line)
        self._size += len(line)
        self._length += 1
        if len(self._lines) >= self._page_items or self._size >= self._page_bytes:
            self._pages.append(zstandard.ZstdCompressor(level=LEVEL).compress(b"\n".join(self._lines)))
            self._ends.append(self._length)
            self._lines, self._size = [], 0
        self._recent.pop(place - self._newest, None)

    def until(self, length: int) -> PagedList[T]:
        """Returns another list that begins with the same items and shares their pages."""
        other = PagedList(self._kind, self._codec, newest=self._newest, page_items=self._page_items,
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

    def _decoded(self, place: int) -> T:
        """Returns an older item. Safe from any thread."""
        with self._lock:
            if place in self._items:
                self._items.move_to_end(place)
                return self._items[place]
            page = bisect_right(self._ends, place)
            line = self._lines_of(page)[place - (self._ends[page - 1] if page else 0)]
        item = self._codec.loads(line, self._kind)
        with self._lock:
            self._items[place] = item
            if len(self._items) > MOST_ITEMS:
                self._items.popitem(last=False)
        return item

    def _lines_of(self, page: int) -> list[bytes]:
        """Returns the encoded items of a page. The lock is held."""
        if page not in self._open:
            self._open[page] = zstandard.ZstdDecompressor().decompress(self._pages[page]).split(b"\n")
            if len(self._open) > MOST_PAGES:
                self._open.popitem(last=False)
        self._open.move_to_end(page)
        return self._open[page]


def paged_snapshot(codec: Codec) -> Snapshot:
    """Returns the snapshot of a run before its first event. Its older calls and groundings are compressed."""
    return Snapshot(calls=SharedList.beginning(PagedList(Call, codec), 0),
                    groundings=SharedList.beginning(PagedList(Grounding, codec), 0))
