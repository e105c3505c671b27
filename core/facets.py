"""What a mind or a world can show: frozen values, safe to hand to another thread."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from core.goals import LiteralProgress
from core.world import Action

View = Literal["first person", "dollhouse"]


class Facet:
    """Marker base: frozen, made of plain data."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Frame(Facet):
    """A picture of the world.

    Attributes:
        pixels: (H, W, 3) uint8, RGB, read-only.
        ids: (H, W) uint16; `names[ids[y, x]]` is the entity under a pixel, "" for none; None where a world has no ids.
        boxes: pixel boxes x0, y0, x1, y1 (exclusive) of the entities in sight.
        notice: why this picture is less than it could be (no OpenGL), or empty.
    """

    view: View
    pixels: npt.NDArray[np.uint8]
    ids: npt.NDArray[np.uint16] | None
    names: tuple[str, ...]
    boxes: tuple[tuple[str, tuple[int, int, int, int]], ...] = ()
    notice: str = ""


@dataclass(frozen=True, slots=True)
class Plan(Facet):
    """The actions a planner means to take next, first one first, and what they are for."""

    actions: tuple[Action, ...]
    because: str = ""


@dataclass(frozen=True, slots=True)
class GoalProgress(Facet):
    """How far each literal of the goal is reached."""

    literals: tuple[LiteralProgress, ...]

    @property
    def reached(self) -> bool:
        """Whether all literals hold."""
        return all(p.reached for p in self.literals)
