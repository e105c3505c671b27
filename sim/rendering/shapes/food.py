"""Food: fruit and vegetables, whole and sliced; cooked and baked food; sweets."""

from __future__ import annotations

from sim.geometry.model import Colour
from sim.rendering.shapes.kit import (
    CERAMIC,
    GLASS,
    GREY,
    LEAF,
    WALNUT,
    WHITE,
    Appearance,
    Builder,
    Prim,
    Shape,
    ball,
    block,
    box,
    cylinder,
    lengthwise,
    mix,
    rgb,
    rod,
    shade,
)

YELLOW, BROWN, CARROT, PITH = rgb("#f2cc2f"), rgb("#5b4322"), rgb("#e8791f"), rgb("#f1e3b8")
PEPPERS = (rgb("#3f9a3c"), rgb("#c8281e"), rgb("#e6b422"))


def fruit(colour: Colour, stalk: Colour | None = None, blush: Colour | None = None) -> Builder:
    """Round fruit (apples, plums, tomatoes) with a stalk, and a cheek of another colour."""

    def build(w: float, d: float, h: float, look: Appearance) -> Shape:
        top = h * (0.9 if stalk else 1.0)
        parts = [ball(0, 0, top / 2, w / 2, d / 2, top / 2, look.colour or colour)]
        if blush:
            parts.append(ball(w * 0.08, d * 0.08, top / 2, w * 0.43, d * 0.43, top * 0.44, blush))
        if stalk:
            parts.append(cylinder(0, 0, top * 0.9, h, max(min(w, d) * 0.04, 0.002), stalk))
        return parts

    return build


def pear(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A wide belly, a narrow shoulder, a stalk."""
    green = look.colour or rgb("#b9c43f")
    return [
        ball(0, 0, h * 0.32, w / 2, d / 2, h * 0.32, green),
        ball(0, 0, h * 0.6, w * 0.32, d * 0.32, h * 0.27, green),
        ball(w * 0.1, d * 0.1, h * 0.34, w * 0.4, d * 0.4, h * 0.27, rgb("#c9b04a")),
        cylinder(0, 0, h * 0.84, h, max(w * 0.04, 0.002), WALNUT),
    ]


def citrus(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A lime or lemon: an egg with two nibs."""
    green = look.colour or rgb("#5fae2f")
    nibs = [ball(s * w * 0.44, 0, h / 2, w * 0.06, d * 0.12, h * 0.12, shade(green, 0.85)) for s in (-1, 1)]
    return [ball(0, 0, h / 2, w * 0.45, d / 2, h / 2, green), *nibs]


@lengthwise
def banana(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A yellow arc with dark tips, along its longer side."""
    thick = min(h / 2, d * 0.3)
    bow, parts = d - 2 * thick, []
    for k in range(9):
        t = (k - 4) / 4
        r = thick * (1.0 if abs(t) < 0.7 else 0.78 if abs(t) < 0.9 else 0.5)
        colour = (look.colour or YELLOW) if abs(t) < 0.9 else BROWN
        x, y = t * (w / 2 - thick), d / 2 - thick - bow * t * t
        parts.append(ball(x, y, h / 2, r * 1.35, r, min(r, h / 2), colour))
    return parts


def bell_pepper(w: float, d: float, h: float, look: Appearance) -> Shape:
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
    return [*lobes, *stalk]


@lengthwise
def carrot(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A root that tapers along its longer side, with a tuft of green."""
    r, colour = min(d, h) / 2, look.colour or CARROT
    spots = ((-0.30, 1.0, 0.16), (-0.10, 0.9, 0.16), (0.10, 0.74, 0.15), (0.28, 0.52, 0.13), (0.41, 0.3, 0.09))
    root = [ball(t * w, 0, r, reach * w, r * f, r * f, colour) for t, f, reach in spots]
    return [*root, ball(-0.44 * w, 0, r, 0.06 * w, r, r * 0.8, LEAF)]


def lettuce(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A head of overlapping leaves."""
    green = look.colour or rgb("#7fae3f")
    spots = (
        (0.0, 0.0, 0.5, 0.36, 0.5),
        (0.16, 0.1, 0.42, 0.34, 0.4),
        (-0.16, 0.12, 0.42, 0.34, 0.38),
        (0.04, -0.17, 0.42, 0.33, 0.38),
        (-0.1, -0.1, 0.6, 0.28, 0.36),
    )
    return [
        ball(x * w, y * d, z * h, r * w, r * d, v * h, shade(green, 0.85 + 0.1 * k))
        for k, (x, y, z, r, v) in enumerate(spots)
    ]


def egg(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A plain egg."""
    return [ball(0, 0, h / 2, w / 2, d / 2, h / 2, look.colour or rgb("#ecdcc0"))]


def cracked_egg(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A yolk in its white between two shells."""
    return [
        cylinder(0, 0, 0, h * 0.2, w * 0.42, rgb("#f6f4ea"), ry=d * 0.42),
        ball(0, 0, h * 0.25, w * 0.2, d * 0.2, h * 0.25, rgb("#f2b52f")),
        *[ball(s * w * 0.34, d * 0.2, h * 0.25, w * 0.15, d * 0.18, h * 0.25, rgb("#ecdcc0")) for s in (-1, 1)],
    ]


def slices(rind: Colour, flesh: Colour, count: int = 5) -> Builder:
    """Round slices, leaning in a row along the longer side. The last one lies flat."""

    def build(w: float, d: float, h: float, look: Appearance) -> Shape:
        along_x = w > d
        length, r = (w, min(d, h) / 2) if along_x else (d, min(w, h) / 2)
        thick = min(length / (count * 1.7), r * 0.6)
        parts: list[Prim] = []
        for k in range(count):
            t = (k + 0.5) / count * length - length / 2
            x, y, yaw = (t, 0.0, 1.5708) if along_x else (0.0, t, 0.0)
            parts += [rod(x, y, r, r, thick, rind, yaw=yaw), rod(x, y, r, r * 0.88, thick * 1.12, flesh, yaw=yaw)]
        return parts

    return build


def cut_blocks(crust: Colour, crumb: Colour) -> Builder:
    """A loaf cut into upright slices along its longer side."""

    @lengthwise
    def build(w: float, d: float, h: float, look: Appearance) -> Shape:
        step, parts = w / 5, []
        for k in range(5):
            x = -w / 2 + step * (k + 0.5)
            for half, grow, colour in ((step * 0.36, 1.0, crust), (step * 0.38, 0.86, crumb)):
                side = d / 2 * grow
                parts.append(box(x - half, x + half, 0.0 - side, side, h * (1 - grow) / 2, h * (1 + grow) / 2, colour))
        return parts

    return build


def coins(rind: Colour, flesh: Colour) -> Builder:
    """Thin overlapping coins: sliced carrots and bananas."""

    @lengthwise
    def build(w: float, d: float, h: float, look: Appearance) -> Shape:
        r = d * 0.22 if w < 2.5 * d else d * 0.45
        thick, parts = min(h * 0.4, 0.012), []
        for k in range(7):
            x, y = (k - 3) / 3 * (w / 2 - r), (d / 2 - r) * (1, -1, 0)[k % 3]
            z = thick * 0.4 * (k % 2)
            parts += [cylinder(x, y, z, z + thick, r, rind), cylinder(x, y, z + thick * 0.2, z + thick * 1.1, r * 0.82, flesh)]
        return parts

    return build


def sliced_from(whole: Builder) -> Builder:
    """Returns a builder of slices. The rind has the colour of the whole's largest part."""

    def build(w: float, d: float, h: float, look: Appearance) -> Shape:
        prims = whole(w, d, h, look)
        rind = max(prims, key=lambda p: p.half[0] * p.half[1] * p.half[2]).colour
        return slices(rind, mix(rind, PITH, 0.65))(w, d, h, look)

    return build


CRUST, CRUMB, CHOCOLATE, CREAM_WHITE, MEAT = rgb("#b9772f"), rgb("#ecd3a0"), rgb("#4a2c1a"), rgb("#fbf6ea"), rgb("#a34b3a")
ROAST, SALMON, CHERRY, PINK, BUTTER = rgb("#b5702f"), rgb("#f08a5f"), rgb("#b3161f"), rgb("#f2b6c8"), rgb("#f3d667")


def loaf(colour: Colour) -> Builder:
    """A long bread with cuts across its back."""

    @lengthwise
    def build(w: float, d: float, h: float, look: Appearance) -> Shape:
        crust = look.colour or colour
        cut = mix(crust, CRUMB, 0.7)
        return [
            ball(0, 0, h * 0.45, w / 2, d / 2, h * 0.45, crust),
            ball(0, 0, h * 0.5, w * 0.4, d * 0.4, h * 0.46, shade(crust, 1.06)),
            *[ball(k * 0.22 * w, 0.0, h * 0.86, 0.012, 0.28 * d, h * 0.12, cut) for k in (-1, 0, 1)],
        ]

    return build


def bread_slice(w: float, d: float, h: float, look: Appearance) -> Shape:
    """Crust around crumb."""
    top = max(h, 0.008)
    return [
        box(-w / 2, w / 2, -d / 2, d * 0.3, 0, top * 0.95, CRUST),
        cylinder(0, d * 0.22, 0, top * 0.95, w / 2, CRUST, ry=d * 0.28),
        box(-w * 0.43, w * 0.43, -d * 0.43, d * 0.26, 0, top, CRUMB),
        cylinder(0, d * 0.2, 0, top, w * 0.43, CRUMB, ry=d * 0.22),
    ]


def chicken(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A roast bird: breast, two legs with bare bones, two wings."""
    skin = look.colour or ROAST
    return [
        ball(-w * 0.08, 0, h * 0.5, w * 0.36, d * 0.42, h * 0.5, skin),
        *[ball(w * 0.2, s * d * 0.28, h * 0.34, w * 0.2, d * 0.19, h * 0.28, shade(skin, 0.9)) for s in (-1, 1)],
        *[rod(w * 0.41, s * d * 0.26, h * 0.32, min(0.012, h / 8), w * 0.14, WHITE, yaw=1.5708) for s in (-1, 1)],
        *[ball(w * 0.47, s * d * 0.26, h * 0.32, w * 0.03, d * 0.05, h * 0.08, WHITE) for s in (-1, 1)],
        *[ball(-w * 0.22, s * d * 0.38, h * 0.42, w * 0.16, d * 0.11, h * 0.2, shade(skin, 1.1)) for s in (-1, 1)],
    ]


def cutlets(w: float, d: float, h: float, look: Appearance) -> Shape:
    """Two pieces of meat with a rim of fat and a bone."""
    parts = []
    for s in (-1, 1):
        x = s * w * 0.24
        parts += [
            ball(x, -d * 0.06, h * 0.4, w * 0.25, d * 0.42, h * 0.4, CREAM_WHITE),
            ball(x + w * 0.02, -d * 0.06, h * 0.45, w * 0.21, d * 0.37, h * 0.5, look.colour or MEAT),
            box(x - 0.008, x + 0.008, d * 0.28, d / 2, h * 0.2, h * 0.55, WHITE),
        ]
    return parts


@lengthwise
def fish(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A fillet with light stripes, along its longer side."""
    flesh = look.colour or SALMON
    stripe = mix(flesh, CREAM_WHITE, 0.6)
    stripes = [ball(k * 0.15 * w, 0.0, h * 0.72, 0.004, 0.36 * d, h * 0.27, stripe) for k in range(-2, 3)]
    return [ball(0, 0, h * 0.5, w / 2, d / 2, h / 2, flesh), *stripes]


def pie(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A crust with a lattice over a red filling."""
    lattice = [
        block(
            w * 0.86 if k % 2 else 0.016,
            0.016 if k % 2 else d * 0.86,
            h * 0.9,
            h,
            rgb("#d59a4d"),
            at=(0.0, t * d) if k % 2 else (t * w, 0.0),
        )
        for k in (0, 1)
        for t in (-0.2, 0.0, 0.2)
    ]
    return [
        cylinder(0, 0, 0, h * 0.8, w * 0.44, GREY, "metal", d * 0.44),
        cylinder(0, 0, h * 0.55, h * 0.92, w / 2, CRUST, ry=d / 2),
        cylinder(0, 0, h * 0.7, h * 0.94, w * 0.42, look.colour or CHERRY, ry=d * 0.42),
        *lattice,
    ]


def cupcake(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A paper cup, icing, a cherry."""
    r, icing = min(w, d) / 2, look.of((PINK, CREAM_WHITE, CHOCOLATE))
    return [
        cylinder(0, 0, 0, h * 0.28, r * 0.68, rgb("#d9a521")),
        cylinder(0, 0, h * 0.28, h * 0.5, r * 0.8, rgb("#d9a521")),
        ball(0, 0, h * 0.56, r, r, h * 0.2, icing),
        ball(0, 0, h * 0.72, r * 0.7, r * 0.7, h * 0.17, icing),
        ball(0, 0, h * 0.92, r * 0.22, r * 0.22, h * 0.08, CHERRY),
    ]


def cake(w: float, d: float, h: float, look: Appearance) -> Shape:
    """Two layers under icing, with cherries around."""
    r, icing = min(w, d) / 2, look.of((PINK, CREAM_WHITE))
    spots = ((0.65, 0.0), (-0.65, 0.0), (0.0, 0.65), (0.0, -0.65))
    return [
        cylinder(0, 0, 0, h * 0.35, r * 0.96, CRUST),
        cylinder(0, 0, h * 0.35, h * 0.45, r * 0.98, CREAM_WHITE),
        cylinder(0, 0, h * 0.45, h * 0.7, r * 0.96, CRUST),
        cylinder(0, 0, h * 0.7, h * 0.86, r, icing),
        *[ball(x * r, y * r, h * 0.92, r * 0.12, r * 0.12, h * 0.08, CHERRY) for x, y in spots],
    ]


def pound_cake(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A baked block with a split, sugared top."""
    crust = look.colour or rgb("#c58a3a")
    return [
        block(w, d, 0, h * 0.75, crust),
        ball(0, 0, h * 0.72, w / 2, d / 2, h * 0.28, shade(crust, 0.85)),
        ball(0, 0, h * 0.86, w * 0.38, d * 0.09, h * 0.135, CRUMB),
    ]


def pudding(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A flan with caramel on a little plate."""
    r = min(w, d) / 2
    return [
        cylinder(0, 0, 0, h * 0.1, r, CERAMIC),
        cylinder(0, 0, h * 0.1, h * 0.55, r * 0.78, look.colour or BUTTER),
        cylinder(0, 0, h * 0.5, h * 0.85, r * 0.68, look.colour or BUTTER),
        cylinder(0, 0, h * 0.82, h, r * 0.6, rgb("#8a4a1c")),
    ]


def pancakes(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A stack with a pat of butter."""
    r, count = min(w, d) / 2, max(2, round(h / 0.012))
    step = h * 0.8 / count
    stack = [
        cylinder(
            0.004 * (k % 2),
            0,
            k * step,
            (k + 0.9) * step,
            r * (0.97 - 0.02 * (k % 3)),
            shade(rgb("#d9a04f"), 1 - 0.1 * (k % 2)),
        )
        for k in range(count)
    ]
    return [*stack, block(r * 0.4, r * 0.4, h * 0.78, h, BUTTER)]


def sundae(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A glass with three scoops and a cherry."""
    r = min(w, d) / 2
    return [
        cylinder(0, 0, 0, h * 0.06, r * 0.6, GLASS, "glass"),
        cylinder(0, 0, h * 0.05, h * 0.25, r * 0.14, GLASS, "glass"),
        cylinder(0, 0, h * 0.25, h * 0.62, r * 0.9, GLASS, "glass"),
        cylinder(0, 0, h * 0.28, h * 0.55, r * 0.78, PINK),
        *[
            ball(x * r, y * r, h * 0.66, r * 0.48, r * 0.48, h * 0.14, c)
            for x, y, c in ((0.38, 0.2, CREAM_WHITE), (-0.4, 0.15, rgb("#8a5a33")), (0.0, -0.4, PINK))
        ],
        ball(0, 0, h * 0.82, r * 0.4, r * 0.4, h * 0.12, CREAM_WHITE),
        ball(0, 0, h * 0.95, r * 0.16, r * 0.16, h * 0.05, CHERRY),
    ]


@lengthwise
def candy_bar(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A wrapper with crimped ends, bitten open: chocolate at one side."""
    wrap = look.of((rgb("#b3161f"), rgb("#2f6fb0"), rgb("#d9a521")))
    spans = (
        (-0.5, -0.44, 1.0, 0.4, shade(wrap, 1.3)),
        (-0.44, 0.22, 0.9, 1.0, wrap),
        (-0.3, 0.1, 0.5, 1.02, CREAM_WHITE),
        (0.22, 0.5, 0.78, 0.85, CHOCOLATE),
    )
    return [box(a * w, b * w, -d / 2 * g, d / 2 * g, 0, t * h, c) for a, b, g, t, c in spans]


def mince(w: float, d: float, h: float, look: Appearance) -> Shape:
    """Meat in a white tray under film."""
    crumbs = [
        ball(x * w, y * d, h * 0.66, w * 0.13, d * 0.14, h * 0.3, shade(MEAT, f))
        for x, y, f in (
            (-0.28, 0.2, 1),
            (0, 0.22, 1.15),
            (0.27, 0.18, 0.95),
            (-0.25, -0.2, 1.1),
            (0.02, -0.2, 0.9),
            (0.28, -0.2, 1.05),
        )
    ]
    return [block(w, d, 0, h * 0.35, WHITE), block(w * 0.9, d * 0.86, h * 0.3, h * 0.6, MEAT), *crumbs]


def buns(w: float, d: float, h: float, look: Appearance) -> Shape:
    """Six filled buns."""
    parts = []
    for x in (-0.33, 0.0, 0.33):
        for y in (-0.25, 0.25):
            parts += [
                ball(x * w, y * d, h * 0.42, w * 0.16, d * 0.23, h * 0.42, CRUST),
                ball(x * w, y * d, h * 0.78, w * 0.08, d * 0.11, h * 0.22, CREAM_WHITE),
            ]
    return parts


def cheese(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A yellow block with holes."""
    yellow = look.colour or BUTTER
    holes = [
        ball(x * w, y * d, h * 0.98, w * 0.07, d * 0.07, h * 0.02, shade(yellow, 0.7))
        for x, y in ((0.2, 0.1), (-0.2, -0.2), (-0.1, 0.25))
    ]
    return [block(w, d, 0, h, yellow), *holes]
