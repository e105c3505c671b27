"""The pictures of a recording turn by turn, for exports that show one a turn."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from core.facets import View
from core.recording.reader import Recording
from core.recording.tape import VIEWS


@dataclass(frozen=True, slots=True)
class Pictures:
    """When each camera's pictures were taken."""

    recording: Recording
    times: dict[View, list[float]]

    @classmethod
    def of(cls, recording: Recording) -> Pictures:
        """Those cameras that were on."""
        times = {view: recording.picture_times(view) for view in VIEWS}
        return cls(recording, {view: t for view, t in times.items() if t})

    def at(self, view: View, seconds: float) -> bytes | None:
        """The newest JPEG up to a moment, or the first one there is."""
        times = self.times.get(view)
        if not times:
            return None
        return self.recording.jpeg(view, max(0, bisect_right(times, seconds) - 1))


def spread(count: int, most: int) -> Iterator[int]:
    """At most so many of 0 … count - 1, evenly, first and last included."""
    if count <= most:
        yield from range(count)
    else:
        yield from dict.fromkeys(round(k * (count - 1) / (most - 1)) for k in range(most))
