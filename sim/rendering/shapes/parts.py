"""Parts that many pieces of furniture share: legs, hollow bodies, doors, drawers."""

from __future__ import annotations

from typing import Literal

from sim.geometry.model import Colour
from sim.rendering.shapes.kit import GREY, STEEL, WALNUT, Prim, box, shade

Hinge = Literal["left", "right"]
BOARD = 0.02
DOOR = 0.018
GAP = 0.004


def legs(w: float, d: float, top: float, colour: Colour = WALNUT, radius: float = 0.025, texture: str = "wood") -> list[Prim]:
    """Returns four square legs in the corners."""
    r = min(radius, w / 6, d / 6)
    return [
        box(sx * (w / 2 - 2 * r), sx * w / 2, sy * (d / 2 - 2 * r), sy * d / 2, 0, top, colour, texture)
        for sx in (-1, 1)
        for sy in (-1, 1)
    ]


def carcass(w: float, d: float, h: float, colour: Colour, shelves: int = 1, texture: str = "plain") -> list[Prim]:
    """Returns a hollow body, open at the front, with evenly spaced inner shelves."""
    t = min(BOARD, w / 8, d / 8, h / 8)
    parts = [
        box(-w / 2, w / 2, -d / 2, -d / 2 + t, 0, h, shade(colour, 0.92), texture),
        box(-w / 2, -w / 2 + t, -d / 2, d / 2, 0, h, colour, texture),
        box(w / 2 - t, w / 2, -d / 2, d / 2, 0, h, colour, texture),
        box(-w / 2, w / 2, -d / 2, d / 2, 0, t, colour, texture),
        box(-w / 2, w / 2, -d / 2, d / 2, h - t, h, colour, texture),
    ]
    inner = shade(colour, 0.95)
    for k in range(1, shelves + 1):
        z = h * k / (shelves + 1)
        parts.append(box(-w / 2 + t, w / 2 - t, -d / 2 + t, d / 2 - 0.03, z - t / 2, z + t / 2, inner, texture))
    return parts


def door(
    span: tuple[float, float],
    y: float,
    levels: tuple[float, float],
    hinge: Hinge,
    is_open: bool,
    colour: Colour,
    texture: str = "plain",
) -> list[Prim]:
    """Returns a hinged front with a handle: flush with `y` when closed, square to the front when open."""
    (x0, x1), (z0, z1) = span, levels
    width, middle = x1 - x0, (z0 + z1) / 2
    reach, tall = min(0.05, width / 6), min(0.09, (z1 - z0) / 4)
    a, b = z0 + GAP, z1 - GAP
    if is_open:
        outwards = 1 if hinge == "right" else -1
        edge = x0 + DOOR / 2 if hinge == "left" else x1 - DOOR / 2
        face = edge + outwards * DOOR / 2
        grip = y + width - reach
        return [
            box(edge - DOOR / 2, edge + DOOR / 2, y, y + width - GAP, a, b, colour, texture),
            box(face, face + outwards * 0.022, grip - 0.007, grip + 0.007, middle - tall, middle + tall, GREY, "metal"),
        ]
    grip = x1 - reach if hinge == "left" else x0 + reach
    return [
        box(x0 + GAP, x1 - GAP, y - DOOR, y, a, b, colour, texture),
        box(grip - 0.007, grip + 0.007, y, y + 0.022, middle - tall, middle + tall, GREY, "metal"),
    ]


def doors(
    w: float,
    y: float,
    levels: tuple[float, float],
    count: int,
    is_open: bool,
    colour: Colour,
    texture: str = "plain",
    hinge: Hinge = "left",
) -> list[Prim]:
    """Returns one door, or a pair that opens from the middle."""
    if count == 1:
        return door((-w / 2, w / 2), y, levels, hinge, is_open, colour, texture)
    left = door((-w / 2, 0), y, levels, "left", is_open, colour, texture)
    return left + door((0, w / 2), y, levels, "right", is_open, colour, texture)


def drawer_front(span: tuple[float, float], y: float, levels: tuple[float, float], colour: Colour, texture: str) -> list[Prim]:
    """Returns one closed drawer: a front flush with `y` and its pull."""
    (x0, x1), (a, b) = span, levels
    half, middle = (x1 - x0) / 7, (x0 + x1) / 2
    thick = min(0.007, (b - a) / 6)
    return [
        box(x0 + GAP, x1 - GAP, y - DOOR, y, a + GAP, b - GAP, colour, texture),
        box(middle - half, middle + half, y, y + 0.02, (a + b) / 2 - thick, (a + b) / 2 + thick, GREY, "metal"),
    ]


def drawer_tray(span: tuple[float, float], back: float, front: float, z: float, height: float, colour: Colour) -> list[Prim]:
    """Returns the open box behind a pulled-out front: a floor and four low sides."""
    x0, x1, t, top = *span, 0.012, z + height
    return [
        box(x0, x1, back, front, z, z + t, shade(colour, 0.85), "wood"),
        box(x0, x0 + t, back, front, z, top, colour, "wood"),
        box(x1 - t, x1, back, front, z, top, colour, "wood"),
        box(x0, x1, back, back + t, z, top, colour, "wood"),
    ]


def drawer_stack(
    w: float, d: float, levels: tuple[float, float], count: int, is_open: bool, colour: Colour, texture: str = "wood"
) -> list[Prim]:
    """Returns drawer fronts one above the other. Open pulls the top one out with its tray."""
    step, parts = (levels[1] - levels[0]) / count, []
    span, out = (-w / 2, w / 2), d * PULL
    for k in range(count):
        a = levels[0] + k * step
        pulled = is_open and k == count - 1
        parts += drawer_front(span, d / 2 + (out if pulled else 0), (a, a + step), colour, texture)
        if pulled:
            inner = (-w / 2 + 0.02, w / 2 - 0.02)
            parts += drawer_tray(inner, d / 2 - 0.1 * d, d / 2 + out - DOOR, a + 0.015, step * 0.65, colour)
    return parts


PULL = 0.5
"""Share of its depth by which an open drawer stands out."""


def bar(w: float, y: float, z: float, colour: Colour = STEEL, thick: float = 0.012) -> Prim:
    """Returns a horizontal handle bar."""
    return box(-w / 2, w / 2, y, y + 2 * thick, z - thick, z + thick, colour, "metal")
