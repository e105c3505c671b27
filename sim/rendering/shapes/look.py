"""What may vary between two things of one kind, and what a builder is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from sim.rendering.model import Colour, Shape


@dataclass(frozen=True, slots=True)
class Look:
    """State and taste of one thing."""

    open: bool = False
    on: bool = False
    hinge: Literal["left", "right"] = "left"
    pick: int = 0
    """A number of the thing's own that never changes; it chooses among palettes."""
    colour: Colour | None = None
    """Overrides the palette."""

    def of(self, palette: Sequence[Colour]) -> Colour:
        """The thing's own colour, or its pick of the palette."""
        return self.colour or palette[self.pick % len(palette)]


Builder = Callable[[float, float, float, Look], Shape]
"""(width, depth, height, look) -> shape: the front at +y, the origin in the middle of the bottom."""
