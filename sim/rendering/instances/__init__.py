"""A house as rows for the graphics card. One row is one box, cylinder or ball with its place in the house."""

from sim.rendering.instances.building import FLOOR_COLOURS, ceilings_batch, floors_batch, walls_batch
from sim.rendering.instances.cutaway import cut_heights, shown_when_cut
from sim.rendering.instances.rows import MESHES, ROW, Batch, rows_of
from sim.rendering.instances.things import numbering, things_batch

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
