"""Between moments and pixels: time runs evenly within a turn, and turns are as wide as they took. Pure: no widget."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from gui.timeline.model import Block, Lay


def x_at(seconds: float, blocks: Sequence[Block], lay: Lay) -> float:
    """Where a moment lies, in pixels of the content; before the first turn at its left edge, after the last at its right."""
    if not blocks:
        return 0.0
    k = max(0, bisect_right([b.began for b in blocks], seconds) - 1)
    left, width = lay.spans[k]
    length = max(1e-6, blocks[k].ended - blocks[k].began)
    return left + width * min(1.0, max(0.0, (seconds - blocks[k].began) / length))


def seconds_at(x: float, blocks: Sequence[Block], lay: Lay) -> float:
    """The moment under a pixel of the content; of a place between turns, the end of the one before."""
    if not blocks:
        return 0.0
    k = lay.index_at(x)
    left, width = lay.spans[k]
    part = min(1.0, max(0.0, (x - left) / max(1e-6, width)))
    return blocks[k].began + part * (blocks[k].ended - blocks[k].began)
