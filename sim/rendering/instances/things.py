"""Objects as rows. The rows of an object are cached while it stays the same, so changing one object is cheap."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache

import numpy as np

from sim.geometry.model import House, Thing
from sim.rendering.instances.rows import Batch, Rows, concatenate, rows_of
from sim.rendering.shapes.kit import Prim
from sim.rendering.shapes.registry import shape_of

KEPT = 16384  # objects whose rows are cached: several hundred bytes each
STEP = 0.0001  # metres; well above the resolution of the depth buffer, well below a pixel


def everything(thing: Thing) -> bool:
    """Accepts any object."""
    return True


def numbering(house: House, held: Sequence[Thing] = ()) -> dict[str, int]:
    """Returns the number of each entity in a picture's ids, in the order of `house.things`, then of `held`.

    Parts of one entity share a number. Decoration (the empty id) is 0.
    """
    numbers: dict[str, int] = {"": 0}
    for thing in (*house.things, *held):
        numbers.setdefault(thing.id, len(numbers))
    return numbers


def things_batch(house: House, keep: Callable[[Thing], bool] = everything) -> Batch:
    """Returns all objects that are not hidden and that `keep` accepts, numbered as by `numbering(house)`."""
    return batch_of((t for t in house.things if not t.hidden and keep(t)), numbering(house))


def batch_of(things: Iterable[Thing], numbers: dict[str, int]) -> Batch:
    """Returns these objects as rows with the given numbers."""
    chosen = list(things)
    parts = [thing_rows(thing) for thing in chosen]
    rows = concatenate(parts)
    rows["meta"][:, 0] = np.repeat([numbers[t.id] for t in chosen], [len(p) for p in parts]) if chosen else 0
    return Batch(rows)


@lru_cache(maxsize=KEPT)
def thing_rows(thing: Thing) -> Rows:
    """Returns the rows of one object with number 0. They are shared between callers and therefore read-only."""
    prims = [_shrunk(prim, STEP * (k % 6)) for k, prim in enumerate(shape_of(thing).prims)]
    rows = rows_of(prims, max(thing.room, 0), thing.base, thing.yaw)
    rows.setflags(write=False)
    return rows


def _shrunk(prim: Prim, by: float) -> Prim:
    """Returns a primitive a fraction of a millimetre smaller, so that coplanar faces of neighbours do not flicker."""
    x, y, z = (h - min(by, h / 4) for h in prim.half)
    return prim._replace(half=(x, y, z))
