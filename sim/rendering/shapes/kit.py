"""What builders are made of: colours, primitives, the appearance of one object, and parts that several pieces share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Literal, NamedTuple

from sim.geometry.model import Colour, Vector

ACROSS = 1.5708
"""Yaw of a rod that lies along x, radians."""
THINNEST = 0.001
"""Half extents never fall below this, so that every face keeps a normal."""


class Prim(NamedTuple):
    """One box, cylinder or ball in its object's own frame.

    Attributes:
        shape: box, cylinder or ball.
        centre: its middle, metres.
        half: half extents along the object's x, y and z, metres.
        colour: red, green, blue.
        texture: plain, wood, cloth, stone, rug, wall, glass, glow, metal, plank, tile, bathtile, carpet, ground, mirror,
            glass_dark.
        yaw: rotation about z, radians.
        axis: axis of a cylinder.
    """

    shape: Literal["box", "cylinder", "ball"]
    centre: Vector
    half: Vector
    colour: Colour
    texture: str = "plain"
    yaw: float = 0.0
    axis: Literal["y", "z"] = "z"


Shape = Sequence[Prim]
"""The parts of a drawing."""


@dataclass(frozen=True, slots=True)
class Appearance:
    """What may vary between two objects of one class.

    Attributes:
        open, on: state.
        hinge: side of the hinge.
        pick: a number of the object that never changes; it chooses from palettes.
        colour: overrides the palette.
    """

    open: bool = False
    on: bool = False
    hinge: Literal["left", "right"] = "left"
    pick: int = 0
    colour: Colour | None = None

    def of(self, palette: Sequence[Colour]) -> Colour:
        """Returns the object's own colour, or its pick of the palette."""
        return self.colour or palette[self.pick % len(palette)]

    def lit(self, on: Colour, off: Colour, texture: str = "plain") -> tuple[Colour, str]:
        """Returns colour and texture of a part that glows while the object is on."""
        return (on, "glow") if self.on else (off, texture)


Builder = Callable[[float, float, float, Appearance], Shape]
"""(width, depth, height, look) -> shape. The front is at +y, the origin in the middle of the bottom."""


def rgb(code: str) -> Colour:
    """Returns a colour written as #rrggbb."""
    red, green, blue = (int(code[i : i + 2], 16) / 255 for i in (1, 3, 5))
    return red, green, blue


OAK, WALNUT, WHITE, CREAM = rgb("#b98a58"), rgb("#6d4526"), rgb("#ece8e0"), rgb("#d8c9ae")
GREY, STEEL, BLACK, CERAMIC = rgb("#8d9297"), rgb("#c3c8cc"), rgb("#26282b"), rgb("#f4f4f1")
STONE, GLASS, GLOW, LEAF, CLAY = rgb("#55504c"), rgb("#cfe3ea"), rgb("#ffe9b8"), rgb("#3f7d3a"), rgb("#a5593b")
CARD, WICKER, SCREEN, SCREEN_ON = rgb("#b48a5a"), rgb("#c9b28a"), rgb("#12202e"), rgb("#4d8fc4")
EMBER, LED, RED = rgb("#e2572b"), rgb("#35ff8a"), rgb("#c0392b")

WOODS = (OAK, WALNUT, rgb("#d4a066"))
FABRICS = tuple(rgb(c) for c in ("#5f7d8c", "#a0654b", "#4d6b57", "#7d93b5", "#8a7a94", "#b08a4a"))
LINENS = tuple(rgb(c) for c in ("#7d93b5", "#8a9a7b", "#b59a8a", "#6f7f96"))
PAINTS = tuple(rgb(c) for c in ("#2f6fb0", "#c0392b", "#3b7a4b", "#d9a521", "#7d4b8f", "#2c8c8c", "#d0703c", "#6b7480"))


def shade(colour: Colour, factor: float) -> Colour:
    """Returns the colour made darker (factor below 1) or lighter."""
    r, g, b = colour
    return min(1.0, r * factor), min(1.0, g * factor), min(1.0, b * factor)


def mix(a: Colour, b: Colour, share: float) -> Colour:
    """Returns the colour `share` of the way from one colour to another."""
    return a[0] + (b[0] - a[0]) * share, a[1] + (b[1] - a[1]) * share, a[2] + (b[2] - a[2]) * share


def box(
    x0: float, x1: float, y0: float, y1: float, z0: float, z1: float, colour: Colour, texture: str = "plain", yaw: float = 0.0
) -> Prim:
    """Returns a box given by its faces."""
    half = (max(abs(x1 - x0) / 2, THINNEST), max(abs(y1 - y0) / 2, THINNEST), max(abs(z1 - z0) / 2, THINNEST))
    return Prim("box", ((x0 + x1) / 2, (y0 + y1) / 2, (z0 + z1) / 2), half, colour, texture, yaw)


def block(
    w: float,
    d: float,
    z0: float,
    z1: float,
    colour: Colour,
    texture: str = "plain",
    at: tuple[float, float] = (0.0, 0.0),
    yaw: float = 0.0,
) -> Prim:
    """Returns a box given by width, depth and levels, around a point of the plan."""
    x, y = at
    return box(x - w / 2, x + w / 2, y - d / 2, y + d / 2, z0, z1, colour, texture, yaw)


def cylinder(
    x: float, y: float, z0: float, z1: float, radius: float, colour: Colour, texture: str = "plain", ry: float | None = None
) -> Prim:
    """Returns an upright cylinder. `ry` makes it elliptic."""
    half = (max(radius, THINNEST), max(ry or radius, THINNEST), max((z1 - z0) / 2, THINNEST))
    return Prim("cylinder", (x, y, (z0 + z1) / 2), half, colour, texture)


def disc(x: float, y: float, z: float, radius: float, thickness: float, colour: Colour, texture: str = "plain") -> Prim:
    """Returns a cylinder whose axis runs front to back: knobs, round doors, clocks.

    Half extents are radius, radius, half length.
    """
    half = (max(radius, THINNEST), max(radius, THINNEST), max(thickness / 2, THINNEST))
    return Prim("cylinder", (x, y, z), half, colour, texture, axis="y")


def rod(
    x: float, y: float, z: float, radius: float, length: float, colour: Colour, texture: str = "plain", yaw: float = 0.0
) -> Prim:
    """Returns a lying cylinder, along y or turned by `yaw`."""
    half = (max(radius, THINNEST), max(radius, THINNEST), max(length / 2, THINNEST))
    return Prim("cylinder", (x, y, z), half, colour, texture, yaw, "y")


def ball(
    x: float, y: float, z: float, rx: float, ry: float, rz: float, colour: Colour, texture: str = "plain", yaw: float = 0.0
) -> Prim:
    """Returns an ellipsoid given by its radii."""
    return Prim("ball", (x, y, z), (max(rx, THINNEST), max(ry, THINNEST), max(rz, THINNEST)), colour, texture, yaw)


def moved(prims: Iterable[Prim], dx: float = 0.0, dy: float = 0.0, dz: float = 0.0) -> list[Prim]:
    """Returns the parts moved by (dx, dy, dz)."""
    return [p._replace(centre=(p.centre[0] + dx, p.centre[1] + dy, p.centre[2] + dz)) for p in prims]


def transposed(prims: Iterable[Prim]) -> list[Prim]:
    """Returns the parts with x and y exchanged."""
    return [_transposed(p) for p in prims]


def _transposed(p: Prim) -> Prim:
    (x, y, z), (a, b, c) = p.centre, p.half
    if p.axis == "y":
        return p._replace(centre=(y, x, z), yaw=ACROSS - p.yaw)
    return p._replace(centre=(y, x, z), half=(b, a, c))


def lengthwise(build: Builder) -> Builder:
    """Returns a builder for any box from one that is written for boxes whose longer side runs along x."""

    @wraps(build)
    def drawn(w: float, d: float, h: float, look: Appearance) -> Shape:
        return build(w, d, h, look) if w >= d else transposed(build(d, w, h, look))

    return drawn


Hinge = Literal["left", "right"]
BOARD = 0.02
DOOR = 0.018


def legs(w: float, d: float, top: float, colour: Colour = WALNUT, radius: float = 0.025, texture: str = "wood") -> list[Prim]:
    """Returns four square legs in the corners."""
    r = min(radius, w / 6, d / 6)
    return [
        box(sx * (w / 2 - 2 * r), sx * w / 2, sy * (d / 2 - 2 * r), sy * d / 2, 0, top, colour, texture)
        for sx in (-1, 1)
        for sy in (-1, 1)
    ]


def sides(
    w: float, d: float, thick: float, levels: tuple[float, float], colour: Colour, texture: str = "plain"
) -> list[Prim]:
    """Returns four upright sides around a w by d rectangle: back, front, left, right."""
    long = [box(-w / 2, w / 2, sy * (d / 2 - thick), sy * d / 2, *levels, colour, texture) for sy in (-1, 1)]
    return long + [box(sx * (w / 2 - thick), sx * w / 2, -d / 2, d / 2, *levels, colour, texture) for sx in (-1, 1)]


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
    if is_open:
        outwards = 1 if hinge == "right" else -1
        edge = x0 + DOOR / 2 if hinge == "left" else x1 - DOOR / 2
        face = edge + outwards * DOOR / 2
        grip = y + width - reach
        return [
            box(edge - DOOR / 2, edge + DOOR / 2, y, y + width, z0, z1, colour, texture),
            box(face, face + outwards * 0.022, grip - 0.007, grip + 0.007, middle - tall, middle + tall, GREY, "metal"),
        ]
    grip = x1 - reach if hinge == "left" else x0 + reach
    return [
        box(x0, x1, y - DOOR, y, z0, z1, colour, texture),
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
        box(x0, x1, y - DOOR, y, a, b, colour, texture),
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
    w: float, d: float, levels: tuple[float, float], count: int, is_open: bool, colour: Colour
) -> list[Prim]:
    """Returns drawer fronts one above the other. Open pulls the top one out with its tray."""
    step, parts = (levels[1] - levels[0]) / count, []
    span, out = (-w / 2, w / 2), d * PULL
    for k in range(count):
        a = levels[0] + k * step
        pulled = is_open and k == count - 1
        parts += drawer_front(span, d / 2 + (out if pulled else 0), (a, a + step), colour, "wood")
        if pulled:
            inner = (-w / 2 + 0.02, w / 2 - 0.02)
            parts += drawer_tray(inner, d / 2 - 0.1 * d, d / 2 + out - DOOR, a + 0.015, step * 0.65, colour)
    return parts


PULL = 0.5
"""Share of its depth by which an open drawer stands out."""


def bar(w: float, y: float, z: float, colour: Colour = STEEL, thick: float = 0.012) -> Prim:
    """Returns a horizontal handle bar."""
    return box(-w / 2, w / 2, y, y + 2 * thick, z - thick, z + thick, colour, "metal")
