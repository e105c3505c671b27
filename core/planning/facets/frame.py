"""The facet of a picture of the world."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from core.planning.facets.base import Facet
from core.planning.moment import Moment

View = Literal["first person", "dollhouse"]
Phase = Literal["before", "after", "about"]


@dataclass(frozen=True, slots=True)
class Frame(Facet):
    """A picture of the world in one state.

    Attributes:
        view: the camera.
        turn: the turn whose state is shown, set when the picture is requested, not when it arrives; 0: unknown.
        phase: "before" or "after" the action of that turn. "about": from an old recording that only states the turn in which
            the picture arrived.
        branch: the branch of that turn.
        pixels: (H, W, 3) uint8, RGB, read-only; (H, W, 0) if the picture was never drawn.
        ids: (H, W) uint16; `names[ids[y, x]]` is the entity at a pixel, "" for none; None if the world provides no ids.
        names: the entity names that `ids` refers to; never empty if the picture was drawn.
        boxes: pixel boxes x0, y0, x1, y1 (exclusive) of the entities in sight.
        notice: why the picture is incomplete (no OpenGL) or missing; or empty.
        matrix: 16 numbers, row-major: world (x, y, z, 1) in metres to clip space (OpenGL); empty if the world has none.
        title: what is shown, if the name of the view does not say it ("Room as text"); or empty.
    """

    view: View
    turn: int = field(default=0, kw_only=True)
    phase: Phase = field(default="before", kw_only=True)
    branch: int = field(default=0, kw_only=True)
    pixels: npt.NDArray[np.uint8]
    ids: npt.NDArray[np.uint16] | None
    names: tuple[str, ...]
    boxes: tuple[tuple[str, tuple[int, int, int, int]], ...] = ()
    notice: str = ""
    matrix: tuple[float, ...] = ()
    title: str = ""

    @property
    def moment(self) -> Moment:
        """The turn and branch whose state is shown."""
        return Moment(self.branch, self.turn)

    def dated(self, turn: int, branch: int) -> Frame:
        """Returns this picture; if it has no turn, labelled with the turn in which it arrived."""
        return self if self.turn else replace(self, turn=turn, phase="about", branch=branch)

    @property
    def is_missing(self) -> bool:
        """Whether there is no picture; `notice` says why."""
        return not self.names
