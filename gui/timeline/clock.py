"""Converts between seconds and pixels. Time is linear within a turn. Pure functions, no widgets."""

from __future__ import annotations

from gui.timeline.blocks import Blocks
from gui.timeline.model import BlockLayout


def x_at(seconds: float, blocks: Blocks, layout: BlockLayout) -> float:
    """Returns the x of a moment in pixels of the content; the left edge before the first turn, the right after the last."""
    if not blocks:
        return 0.0
    k = blocks.last_begun(seconds)
    (began, ended), (left, width) = blocks.span(k), layout.spans[k]
    return left + width * min(1.0, max(0.0, (seconds - began) / max(1e-6, ended - began)))


def seconds_at(x: float, blocks: Blocks, layout: BlockLayout) -> float:
    """Returns the moment at a pixel of the content; between turns, the end of the earlier one."""
    if not blocks:
        return 0.0
    k = layout.index_at(x)
    (began, ended), (left, width) = blocks.span(k), layout.spans[k]
    return began + min(1.0, max(0.0, (x - left) / max(1e-6, width))) * (ended - began)
