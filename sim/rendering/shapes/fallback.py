"""Shapes for classes without a drawing, chosen by the proportions of the box."""

from __future__ import annotations

from . import containers, hung, paper, storage, tables, tools
from .kit import Builder, Look, Shape

SMALL = 0.6
"""Objects with no side longer than this count as objects to carry, metres."""

_small_tall, _small_long, _small_boxy = containers.bottle(), tools.tool(), containers.packet()


def by_proportions(w: float, d: float, h: float, look: Look) -> Shape:
    """Returns a plausible piece: a bottle, a tool, a packet; a rug, a table, a cupboard."""
    builder = _small(w, d, h) if max(w, d, h) <= SMALL else _large(w, d, h)
    return builder(w, d, h, look)


def _small(w: float, d: float, h: float) -> Builder:
    long, short = max(w, d), min(w, d)
    if h < 0.03 and short > 0.05:
        return paper.sheet()
    if h > 1.8 * long:
        return _small_tall
    return _small_long if long > 3 * short and h < 2 * short else _small_boxy


def _large(w: float, d: float, h: float) -> Builder:
    if h < 0.05:
        return hung.rug
    if min(w, d) < 0.08:
        return hung.picture
    return tables.table if 0.3 <= h <= 0.85 and min(w, d) > 0.35 else storage.wooden_cupboard
