"""What a dollhouse view leaves out, so that walls do not hide the rooms behind them."""

from __future__ import annotations

from collections.abc import Sequence

from sim.geometry.model import House, Thing, Vector, Wall

INNER, FRONT = 1.15, 0.14  # heights in metres of walls between rooms, and of outer walls seen from outdoors
HANGING, OVERHEAD = 1.2, 1.95  # objects that start above these hang on a wall, under the ceiling
ON_WALL, SHALLOW = 0.25, 0.25  # objects this close to a wall hang on it; flatter ones are panels, such as curtains


def cut_heights(house: House, eye: Vector) -> tuple[float, ...]:
    """Returns the height at which each wall of `house.walls` is drawn for a camera at `eye`, metres.

    Outer walls are whole if the camera looks at their inner side and cut low if it looks at their outer side.
    """
    return tuple(_cut(house, wall, eye) for wall in house.walls)


def _cut(house: House, wall: Wall, eye: Vector) -> float:
    if (wall.left >= 0) == (wall.right >= 0):
        return min(INNER, house.height)
    (x0, y0), (x1, y1) = wall.start, wall.end
    on_left = (x1 - x0) * (eye[1] - y0) - (y1 - y0) * (eye[0] - x0) > 0
    from_inside = on_left == (wall.left >= 0)
    return house.height if from_inside else min(FRONT, house.height)


def shown_when_cut(house: House, thing: Thing, heights: Sequence[float]) -> bool:
    """Returns False for objects that hang overhead or on a wall that is cut away."""
    if thing.base[2] > OVERHEAD:
        return False
    panel = thing.base[2] + thing.size[2] > HANGING + 0.2 and min(thing.size[:2]) < SHALLOW and thing.parent is None
    if thing.base[2] < HANGING and not panel:
        return True
    x0, y0, x1, y1 = thing.footprint()
    for wall, height in zip(house.walls, heights, strict=True):
        if height < house.height:
            (left, right), (low, high) = sorted((wall.start[0], wall.end[0])), sorted((wall.start[1], wall.end[1]))
            if x0 < right + ON_WALL and left - ON_WALL < x1 and y0 < high + ON_WALL and low - ON_WALL < y1:
                return False
    return True
