"""Fruit and vegetables, whole and sliced."""

from __future__ import annotations

from sim.geometry.model import Colour
from sim.rendering.shapes.kit import LEAF, WALNUT, Builder, Look, Prim, Shape, ball, box, cylinder, made, mix, rgb, rod, shade

YELLOW, BROWN, CARROT, PITH = rgb("#f2cc2f"), rgb("#5b4322"), rgb("#e8791f"), rgb("#f1e3b8")
PEPPERS = (rgb("#3f9a3c"), rgb("#c8281e"), rgb("#e6b422"))


def fruit(colour: Colour, stalk: Colour | None = None, blush: Colour | None = None) -> Builder:
    """Round fruit (apples, plums, tomatoes) with a stalk, and a cheek of another colour."""

    def build(w: float, d: float, h: float, look: Look) -> Shape:
        top = h * (0.9 if stalk else 1.0)
        parts = [ball(0, 0, top / 2, w / 2, d / 2, top / 2, look.colour or colour)]
        if blush:
            parts.append(ball(w * 0.08, d * 0.08, top / 2, w * 0.43, d * 0.43, top * 0.44, blush))
        if stalk:
            parts.append(cylinder(0, 0, top * 0.9, h, max(min(w, d) * 0.04, 0.002), stalk))
        return made(parts)

    return build


def pear(w: float, d: float, h: float, look: Look) -> Shape:
    """A wide belly, a narrow shoulder, a stalk."""
    green = look.colour or rgb("#b9c43f")
    return made([
        ball(0, 0, h * 0.32, w / 2, d / 2, h * 0.32, green),
        ball(0, 0, h * 0.6, w * 0.32, d * 0.32, h * 0.27, green),
        ball(w * 0.1, d * 0.1, h * 0.34, w * 0.4, d * 0.4, h * 0.27, rgb("#c9b04a")),
        cylinder(0, 0, h * 0.84, h, max(w * 0.04, 0.002), WALNUT),
    ])


def citrus(w: float, d: float, h: float, look: Look) -> Shape:
    """A lime or lemon: an egg with two nibs."""
    green = look.colour or rgb("#5fae2f")
    nibs = [ball(s * w * 0.44, 0, h / 2, w * 0.06, d * 0.12, h * 0.12, shade(green, 0.85)) for s in (-1, 1)]
    return made([ball(0, 0, h / 2, w * 0.45, d / 2, h / 2, green), *nibs])


def banana(w: float, d: float, h: float, look: Look) -> Shape:
    """A yellow arc with dark tips, along its longer side."""
    across = w < d
    length, width = (d, w) if across else (w, d)
    thick = min(h / 2, width * 0.3)
    bow, parts = width - 2 * thick, []
    for k in range(9):
        t = (k - 4) / 4
        x, y = t * (length / 2 - thick), width / 2 - thick - bow * t * t
        r = thick * (1.0 if abs(t) < 0.7 else 0.78 if abs(t) < 0.9 else 0.5)
        colour = (look.colour or YELLOW) if abs(t) < 0.9 else BROWN
        parts.append(
            ball(
                y if across else x,
                x if across else y,
                h / 2,
                r * (1 if across else 1.35),
                r * (1.35 if across else 1),
                min(r, h / 2),
                colour,
            )
        )
    return made(parts)


def bell_pepper(w: float, d: float, h: float, look: Look) -> Shape:
    """Four lobes and a stalk."""
    colour = look.of(PEPPERS)
    lobes = [
        ball(x * w * 0.2, y * d * 0.2, h * 0.44, w * 0.3, d * 0.3, h * 0.43, shade(colour, f))
        for x, y, f in ((1, 1, 1), (-1, 1, 0.94), (1, -1, 0.97), (-1, -1, 1.04))
    ]
    stalk = [
        cylinder(0, 0, h * 0.78, h, max(w * 0.06, 0.003), LEAF),
        cylinder(0, 0, h * 0.76, h * 0.82, w * 0.14, shade(LEAF, 0.8)),
    ]
    return made([*lobes, *stalk])


def carrot(w: float, d: float, h: float, look: Look) -> Shape:
    """A root that tapers along its longer side, with a tuft of green."""
    across = w < d
    length, thick = (d, w) if across else (w, d)
    r = min(thick, h) / 2
    spots = ((-0.30, 1.0, 0.16), (-0.10, 0.9, 0.16), (0.10, 0.74, 0.15), (0.28, 0.52, 0.13), (0.41, 0.3, 0.09))
    parts = []
    for t, f, reach in spots:
        x, size = t * length, (reach * length, r * f, r * f)
        parts.append(
            ball(
                0 if across else x,
                x if across else 0,
                r,
                size[1] if across else size[0],
                size[0] if across else size[1],
                size[2],
                look.colour or CARROT,
            )
        )
    x = -0.44 * length
    tuft = ball(
        0 if across else x, x if across else 0, r, r if across else 0.06 * length, 0.06 * length if across else r, r * 0.8, LEAF
    )
    return made([*parts, tuft])


def lettuce(w: float, d: float, h: float, look: Look) -> Shape:
    """A head of overlapping leaves."""
    green = look.colour or rgb("#7fae3f")
    spots = (
        (0.0, 0.0, 0.5, 0.36, 0.5),
        (0.16, 0.1, 0.42, 0.34, 0.4),
        (-0.16, 0.12, 0.42, 0.34, 0.38),
        (0.04, -0.17, 0.42, 0.33, 0.38),
        (-0.1, -0.1, 0.6, 0.28, 0.36),
    )
    return made([
        ball(x * w, y * d, z * h, r * w, r * d, v * h, shade(green, 0.85 + 0.1 * k))
        for k, (x, y, z, r, v) in enumerate(spots)
    ])


def egg(w: float, d: float, h: float, look: Look) -> Shape:
    """A plain egg."""
    return made([ball(0, 0, h / 2, w / 2, d / 2, h / 2, look.colour or rgb("#ecdcc0"))])


def cracked_egg(w: float, d: float, h: float, look: Look) -> Shape:
    """A yolk in its white between two shells."""
    return made([
        cylinder(0, 0, 0, h * 0.2, w * 0.42, rgb("#f6f4ea"), ry=d * 0.42),
        ball(0, 0, h * 0.25, w * 0.2, d * 0.2, h * 0.25, rgb("#f2b52f")),
        *[ball(s * w * 0.34, d * 0.2, h * 0.25, w * 0.15, d * 0.18, h * 0.25, rgb("#ecdcc0")) for s in (-1, 1)],
    ])


def slices(rind: Colour, flesh: Colour, count: int = 5) -> Builder:
    """Round slices, leaning in a row along the longer side. The last one lies flat."""

    def build(w: float, d: float, h: float, look: Look) -> Shape:
        along_x = w > d
        length, r = (w, min(d, h) / 2) if along_x else (d, min(w, h) / 2)
        thick = min(length / (count * 1.7), r * 0.6)
        parts: list[Prim] = []
        for k in range(count):
            t = (k + 0.5) / count * length - length / 2
            x, y, yaw = (t, 0.0, 1.5708) if along_x else (0.0, t, 0.0)
            parts += [rod(x, y, r, r, thick, rind, yaw=yaw), rod(x, y, r, r * 0.88, thick * 1.12, flesh, yaw=yaw)]
        return made(parts)

    return build


def cut_blocks(crust: Colour, crumb: Colour, count: int = 5) -> Builder:
    """A loaf cut into upright slices along its longer side."""

    def build(w: float, d: float, h: float, look: Look) -> Shape:
        along_x, parts = w >= d, []
        length, width = (w, d) if along_x else (d, w)
        step = length / count
        for k in range(count):
            t = -length / 2 + step * (k + 0.5)
            for half, grow, colour in ((step * 0.36, 1.0, crust), (step * 0.38, 0.86, crumb)):
                a, b = (half, width / 2 * grow) if along_x else (width / 2 * grow, half)
                x, y = (t, 0.0) if along_x else (0.0, t)
                parts.append(box(x - a, x + a, y - b, y + b, h * (1 - grow) / 2, h * (1 + grow) / 2, colour))
        return made(parts)

    return build


def coins(rind: Colour, flesh: Colour) -> Builder:
    """Thin overlapping coins: sliced carrots and bananas."""

    def build(w: float, d: float, h: float, look: Look) -> Shape:
        r = min(w, d) * 0.22 if max(w, d) < 2.5 * min(w, d) else min(w, d) * 0.45
        thick, along_x = min(h * 0.4, 0.012), w >= d
        parts = []
        for k in range(7):
            t, side = (k - 3) / 3 * (max(w, d) / 2 - r), (min(w, d) / 2 - r) * (1, -1, 0)[k % 3]
            x, y = (t, side) if along_x else (side, t)
            z = thick * 0.4 * (k % 2)
            parts += [cylinder(x, y, z, z + thick, r, rind), cylinder(x, y, z + thick * 0.2, z + thick * 1.1, r * 0.82, flesh)]
        return made(parts)

    return build


def sliced_from(whole: Builder) -> Builder:
    """Returns a builder of slices. The rind has the colour of the whole's largest part."""

    def build(w: float, d: float, h: float, look: Look) -> Shape:
        prims = whole(w, d, h, look).prims
        rind = max(prims, key=lambda p: p.half[0] * p.half[1] * p.half[2]).colour
        return slices(rind, mix(rind, PITH, 0.65))(w, d, h, look)

    return build
