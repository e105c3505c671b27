"""A house as rows for the graphics card. One row is one box, cylinder or ball with its place in the house."""

from sim.rendering.instances.building import (
    FLOOR_COLOURS,
    ceilings_batch,
    cut_heights,
    floors_batch,
    shown_when_cut,
    walls_batch,
)
from sim.rendering.instances.rows import MESHES, ROW, Batch, numbering, rows_of, things_batch

__all__ = [
    "FLOOR_COLOURS",
    "MESHES",
    "ROW",
    "Batch",
    "ceilings_batch",
    "cut_heights",
    "floors_batch",
    "numbering",
    "rows_of",
    "shown_when_cut",
    "things_batch",
    "walls_batch",
]
