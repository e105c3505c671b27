"""Keeps a session's events in memory, so that a recording switched on late holds the episode from its first turn."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict, deque
from collections.abc import Iterable
from pathlib import Path

from core.events import Event, Failed, Shown
from core.facets import Facet, Frame
from core.recording.codec import Codec
from core.recording.pictures import TOO_OLD, left_out
from core.recording.recorder import Limits, Recorder, Tell
from core.recording.types import GATHERED

MOST_FRAMES = 200
MOST_SHOWN = 4000


class Keeper:
    """A session's listener that can turn into a recorder at any time, and back.

    Pictures beyond the newest `most_frames` are let go, and facets beyond `most_shown`, those first that were replaced
    within their turn. Everything else is kept.

    Args:
        tell: hears what a recorder says, and what had to be let go.
    """

    def __init__(self, tell: Tell, *, codec: Codec | None = None, secrets: Iterable[str] = (),
                 most_frames: int = MOST_FRAMES, most_shown: int = MOST_SHOWN, limits: Limits | None = None):
        self._tell, self._codec, self._secrets, self._limits = tell, codec or Codec(), tuple(secrets), limits
        self._most_frames, self._most_shown = most_frames, most_shown
        self._lock = threading.Lock()
        self._events: OrderedDict[int, Event] = OrderedDict()
        self._frames: deque[int] = deque()
        self._shown: OrderedDict[int, None] = OrderedDict()
        self._replaced: OrderedDict[int, None] = OrderedDict()
        self._newest: dict[type[Facet], Event] = {}
        self.frames_gone = self.facets_gone = 0
        self.recorder: Recorder | None = None
        self._began: int | None = None

    def hear(self, event: Event) -> None:
        """Keep one event, and hand it on to the recorder if there is one."""
        with self._lock:
            if self._began is None:
                self._began = time.time_ns() - round(event.at * 1e9)
            self._events[event.number] = event
            if isinstance(event.what, Shown) and not isinstance(event.what.facet, GATHERED):
                self._bound(event, event.what.facet)
            recorder = self.recorder
        if recorder is not None:
            recorder.hear(event)

    def record(self, path: Path) -> Recorder:
        """Begin to record, from the first turn on.

        Raises:
            DataError: the file exists already or cannot be made.
        """
        with self._lock:
            if self.recorder is not None:
                return self.recorder
            recorder = Recorder(path, self._tell, kept=self._events.values(), began=self._began, codec=self._codec,
                                secrets=self._secrets, limits=self._limits)
            self.recorder = recorder
        if self.notice():
            self._tell(Failed("recorder", "thinned", self.notice(), waits=False))
        return recorder

    def notice(self) -> str:
        """What a recording that begins now would lack, in one line; empty when nothing."""
        parts = []
        if self.frames_gone:
            parts.append(f"{self.frames_gone} pictures")
        if self.facets_gone:
            parts.append(f"{self.facets_gone} facets")
        return f"not kept from before the recording began: {' and '.join(parts)} of early turns" if parts else ""

    def stop(self) -> None:
        """End the recording, if there is one.

        Raises:
            DataError: not everything could be written.
        """
        with self._lock:
            recorder, self.recorder = self.recorder, None
        if recorder is not None:
            recorder.close()

    def _bound(self, event: Event, facet: Facet) -> None:
        if isinstance(facet, Frame):
            self._frames.append(event.number)
            if len(self._frames) > self._most_frames:
                old = self._frames.popleft()
                self._events[old] = left_out(self._events[old], TOO_OLD)
                self.frames_gone += 1
            return
        before, self._newest[type(facet)] = self._newest.get(type(facet)), event
        if before is not None and (before.turn, before.branch) == (event.turn, event.branch) and before.number in self._shown:
            del self._shown[before.number]
            self._replaced[before.number] = None
        self._shown[event.number] = None
        if len(self._shown) + len(self._replaced) > self._most_shown:
            number, _ = (self._replaced or self._shown).popitem(last=False)
            del self._events[number]
            self.facets_gone += 1
