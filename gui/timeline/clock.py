"""Between moments and pixels: time runs evenly within a turn, and turns are as wide as they took. Pure: no widget."""

from __future__ import annotations

from gui.timeline.blocks import Blocks
from gui.timeline.model import Lay


def x_at(seconds: float, blocks: Blocks, lay: Lay) -> float:
    """Where a moment lies, in pixels of the content; before the first turn at its left edge, after the last at its right."""
    if not blocks:
        return 0.0
    k = blocks.last_begun(seconds)
    (began, ended), (left, width) = blocks.span(k), lay.spans[k]
    return left + width * min(1.0, max(0.0, (seconds - began) / max(1e-6, ended - began)))


def seconds_at(x: float, blocks: Blocks, lay: Lay) -> float:
    """The moment under a pixel of the content; of a place between turns, the end of the one before."""
    if not blocks:
        return 0.0
    k = lay.index_at(x)
    (began, ended), (left, width) = blocks.span(k), lay.spans[k]
    return began + min(1.0, max(0.0, (x - left) / max(1e-6, width))) * (ended - began)
