"""Objects on walls, floors and windows; lamps, screens, speakers and plants."""

from __future__ import annotations

import math
from functools import partial

from sim.rendering.shapes.kit import (
    BLACK,
    CERAMIC,
    CLAY,
    FABRICS,
    GLOW,
    GREY,
    LEAF,
    OAK,
    PAINTS,
    SCREEN,
    SCREEN_ON,
    STEEL,
    WALNUT,
    WHITE,
    WOODS,
    Appearance,
    Prim,
    Shape,
    ball,
    block,
    box,
    carcass,
    cylinder,
    disc,
    doors,
    mix,
    moved,
    rgb,
    rod,
    shade,
)

SILVER, DRAPES = rgb("#cfe0e6"), (rgb("#d9cdb8"), rgb("#9fb4bd"), rgb("#b7a6b8"))
RUGS = (rgb("#8f5d4a"), rgb("#49617d"), rgb("#7fa89b"), rgb("#a08a5a"))
SKIES = (rgb("#a9cbe6"), rgb("#f2cf9b"), rgb("#dfe6e3"), rgb("#8fb3c9"))


def picture(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A frame, a mount, and a small landscape or an abstract in colours chosen by the object's pick."""
    pick, edge, front = look.pick, min(w, h) * 0.06, d / 2
    frame = block(w, d - 0.004, 0, h, (WALNUT, BLACK, OAK, WHITE)[pick % 4], "wood")
    frame = frame._replace(centre=(0, -0.002, h / 2))
    mount = box(-w / 2 + edge, w / 2 - edge, front - 0.004, front - 0.003, edge, h - edge, CERAMIC)
    inner = edge * 2.2
    return [frame, mount, *_painting(w / 2 - inner, (inner, h - inner), front, pick)]


def _painting(half: float, levels: tuple[float, float], front: float, pick: int) -> list[Prim]:
    z0, z1 = levels
    height, low = z1 - z0, front - 0.003
    sky, ground = SKIES[pick % len(SKIES)], PAINTS[pick % len(PAINTS)]
    parts = [box(-half, half, low, front - 0.002, z0, z1, sky)]
    if pick % 3 == 2:
        spots = ((-0.5, 0.35, 0.5), (0.4, 0.6, 0.42), (0.1, 0.2, 0.3))
        radius = min(half, height / 2)
        dots = [
            (half * x * 0.7, z0 + height * z, radius * r * 0.8, PAINTS[(pick + k * 3) % len(PAINTS)])
            for k, (x, z, r) in enumerate(spots)
        ]
        return parts + [disc(x, front - 0.0015 + 0.0003 * k, z, r, 0.001, c) for k, (x, z, r, c) in enumerate(dots)]
    sun = disc(half * 0.4, front - 0.0017, z0 + height * 0.7, min(half, height) * 0.16, 0.001, rgb("#f6e7a8"))
    hills = [
        box(-half, half, front - 0.002, front - 0.001, z0, z0 + height * 0.45, mix(ground, sky, 0.35)),
        box(-half, half, front - 0.001, front, z0, z0 + height * 0.25, shade(ground, 0.8)),
    ]
    return [*parts, sun, *hills]


def mirror(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A silvered pane in a thin frame."""
    edge = min(0.02, w / 8, h / 8)
    frame = box(-w / 2, w / 2, -d / 2, d / 2 - 0.004, 0, h, look.of((GREY, OAK, BLACK)), "metal")
    return [frame, box(-w / 2 + edge, w / 2 - edge, d / 2 - 0.004, d / 2, edge, h - edge, SILVER, "mirror")]


def mirror_cabinet(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A shallow wall cupboard whose doors are mirrors."""
    parts = moved(carcass(w, d - 0.012, h, WHITE, 2), dy=-0.006)
    count = 2 if w > 0.55 else 1
    parts += doors(w, d / 2 - 0.004, (0, h), count, look.open, WHITE, hinge=look.hinge)
    if not look.open:
        step = w / count
        panes = [(-w / 2 + k * step, -w / 2 + (k + 1) * step) for k in range(count)]
        parts += [box(a + 0.02, b - 0.02, d / 2 - 0.004, d / 2 - 0.001, 0.02, h - 0.02, SILVER, "mirror") for a, b in panes]
    return parts


def clock(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A round clock at ten past ten."""
    r, z, front = min(w, h) / 2, h / 2, d / 2
    hands = [
        box(-0.006, 0.006, front - 0.004, front - 0.001, z, z + r * 0.7, BLACK),
        box(0, r * 0.5, front - 0.004, front - 0.002, z - 0.006, z + 0.006, BLACK),
    ]
    ticks = [
        disc(math.sin(a) * r * 0.78, front - 0.005, z + math.cos(a) * r * 0.78, r * 0.05, 0.004, BLACK)
        for a in (k * math.pi / 6 for k in range(12))
    ]
    return [
        disc(0, -0.003, z, r, d - 0.006, look.of((BLACK, WALNUT, PAINTS[1])), "plain"),
        disc(0, front - 0.006, z, r * 0.9, 0.004, WHITE),
        *ticks,
        *hands,
    ]


def curtain(w: float, d: float, h: float, look: Appearance) -> Shape:
    """Folds under a rail. Open gathers them at the sides."""
    fabric = look.of(DRAPES)
    gathered = [(-w / 2, w * 0.16), (w * 0.34, w * 0.16)] if w > 1 else [(-w / 2, w * 0.3)]
    spans = gathered if look.open else [(-w / 2, w)]
    count = max(3, round(spans[0][1] / 0.09))
    r, depth = spans[0][1] / count * 0.62, min(max(d / 2, 0.006), 0.04)
    folds = [
        cylinder(
            min(max(start + (k + 0.5) * span / count, -w / 2 + r), w / 2 - r),
            0,
            0,
            h - 0.02,
            r,
            shade(fabric, 0.94 + 0.08 * (k % 2)),
            "cloth",
            depth,
        )
        for start, span in spans
        for k in range(count)
    ]
    return [*folds, box(-w / 2, w / 2, -0.01, 0.01, h - 0.02, h, GREY, "metal")]


def blinds(w: float, d: float, h: float, look: Appearance) -> Shape:
    """Slats. Open raises them to the head."""
    top = h * 0.12 if look.open else h
    count = max(2, min(40, round(top / 0.05)))
    step, depth = top / count, min(d, 0.04)
    slats = [block(w, depth, h - top + step * k, h - top + step * (k + 0.6), WHITE) for k in range(count)]
    cords = [block(0.004, 0.004, h - top, h, shade(WHITE, 0.9), at=(x, 0.0)) for x in (-w * 0.35, w * 0.35)]
    return [*slats, *cords, block(w, depth, h - 0.025, h, shade(WHITE, 0.9))]


def rail(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A towel rail or a paper hanger: a bar on two arms."""
    z, front = h / 2, d / 2
    r = min(0.012, h / 2, d / 4)
    arms = [box(sx * (w / 2 - 2 * r), sx * w / 2, -d / 2, front, z - r, z + r, STEEL, "metal") for sx in (-1, 1)]
    bar = rod(0, front - r, z, r, w - 2 * r, STEEL, "metal", math.pi / 2)
    return [bar, *arms]


def radiator(w: float, d: float, h: float, look: Appearance) -> Shape:
    """Ribs between two pipes, with a valve."""
    count = max(3, round(w / 0.08))
    step, depth = w / count, d * 0.7
    ribs = [block(step * 0.72, depth, h * 0.04, h * 0.98, WHITE, at=(-w / 2 + step * (k + 0.5), 0)) for k in range(count)]
    pipes = [block(w, depth * 0.5, z, z + h * 0.06, shade(WHITE, 0.93)) for z in (h * 0.08, h * 0.86)]
    valve = box(w / 2 - 0.02, w / 2, d * 0.3, d / 2, h * 0.1, h * 0.16, GREY, "metal")
    return [*ribs, *pipes, box(-w * 0.4, w * 0.4, -d / 2, -depth / 2, h * 0.4, h * 0.5, GREY), valve]


def wall_plate(w: float, d: float, h: float, look: Appearance) -> Shape:
    """Light switches and sockets."""
    tilt = (0.5, 0.68) if look.on else (0.32, 0.5)
    return [
        box(-w / 2, w / 2, -d / 2, 0, 0, h, WHITE),
        box(-w / 6, w / 6, 0, d / 4, h * 0.32, h * 0.68, shade(WHITE, 0.8)),
        box(-w / 6, w / 6, 0, d / 2, h * tilt[0], h * tilt[1], WHITE),
    ]


def phone_on_wall(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A receiver on a keypad."""
    face = d / 2 - 0.03
    keys = [
        box(w * x - 0.008, w * x + 0.008, face, face + 0.005, h * z, h * z + 0.012, GREY)
        for x in (0.06, 0.2, 0.34)
        for z in (0.2, 0.32, 0.44)
    ]
    case = look.of((CERAMIC, rgb("#c0392b"), BLACK))
    return [
        box(-w / 2, w / 2, -d / 2, face, 0, h * 0.9, case),
        box(-w * 0.44, -w * 0.1, face, d / 2 - 0.012, h * 0.05, h, shade(case, 0.85)),
        *[ball(-w * 0.27, face + 0.014, h * z, w * 0.19, 0.016, h * 0.1, shade(case, 0.8)) for z in (0.14, 0.88)],
        *keys,
    ]


def rug(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A rug with a border."""
    colour, flat = look.of(RUGS), max(min(h, 0.012), 0.004)
    edge = min(0.12, w / 8, d / 8)
    inner = block(w - 2 * edge, d - 2 * edge, flat - 0.001, flat + 0.001, shade(colour, 1.25), "rug")
    return [block(w, d, 0, flat, shade(colour, 0.85), "rug"), inner]


def hanging_cloth(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A towel over its rail: two layers and a stripe."""
    cloth, depth = look.of((*FABRICS, rgb("#d98f7c"), rgb("#9fc6c1"))), max(d, 0.012)
    return [
        box(-w / 2, w / 2, 0, depth / 2, 0, h, cloth, "cloth"),
        box(-w / 2, w / 2, -depth / 2, 0, h * 0.25, h, shade(cloth, 0.9), "cloth"),
        box(-w / 2, w / 2, depth / 2 - 0.002, depth / 2, h * 0.12, h * 0.2, shade(cloth, 1.4), "cloth"),
    ]


SHADES = (rgb("#f2e6c8"), rgb("#d9c4b0"), rgb("#c9d3cf"))
LEAVES = (
    *((0.1, 0.35, 0.28), (-0.2, -0.4, 0.3), (0.4, -0.2, 0.34), (-0.42, 0.1, 0.36), (0.0, 0.0, 0.82)),
    *((0.5, 0.1, 0.55), (-0.45, 0.3, 0.62), (0.12, -0.5, 0.58), (-0.3, -0.38, 0.74), (0.3, 0.42, 0.7)),
)
"""Positions of the balls of a crown: x and y as shares of the radius, height as a share of the crown."""


def _lampshade(x: float, y: float, z0: float, z1: float, r: float, look: Appearance) -> list[Prim]:
    """Two stacked drums, the upper one narrower. Lit while on."""
    colour, texture = look.lit(GLOW, look.of(SHADES), "cloth")
    middle = (z0 + z1) / 2
    return [
        cylinder(x, y, z0, middle, r, colour, texture),
        cylinder(x, y, middle, z1, r * 0.86, shade(colour, 0.97), texture),
    ]


def lamp(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A table or floor lamp: a foot, a stem, a shade."""
    r = min(w, d) / 2
    low = h * 0.58 if h < 0.8 else h - min(0.34, h * 0.25)
    stem = cylinder(0, 0, 0.02, low + 0.02, min(0.014, r / 4), GREY, "metal")
    foot = [cylinder(0, 0, 0, 0.02, r * 0.7, BLACK)]
    if h < 0.8:
        foot = [
            ball(0, 0, h * 0.24, r * 0.5, r * 0.5, h * 0.2, look.of((CLAY, STEEL, rgb("#2c8c8c")))),
            cylinder(0, 0, 0, h * 0.08, r * 0.4, BLACK),
        ]
    return [*foot, stem, *_lampshade(0, 0, low, h, r, look)]


def desk_lamp(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A heavy foot, a stem at the back, an arm to the front with a reflector."""
    metal = look.of((BLACK, rgb("#c0392b"), rgb("#2c8c8c"), STEEL))
    r, back = min(w, d) * 0.32, -d / 2 + min(w, d) * 0.32
    bulb = look.lit(GLOW, WHITE)
    head = min(0.08, d * 0.25, w / 2)
    return [
        cylinder(0, back, 0, 0.02, r, metal),
        cylinder(0, back, 0.02, h - 0.02, min(0.01, r / 3), metal, "metal"),
        box(-0.008, 0.008, back, d / 2 - head, h - 0.03, h - 0.014, metal, "metal"),
        cylinder(0, d / 2 - head, h * 0.8, h, head, metal),
        cylinder(0, d / 2 - head, h * 0.8 - 0.012, h * 0.8, head * 0.8, *bulb),
    ]


def wall_lamp(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A plate, an arm and a shade."""
    r = min(w, d) / 2.6
    plate = box(-0.03, 0.03, -d / 2, -d / 2 + 0.02, h * 0.3, h * 0.7, GREY, "metal")
    arm = box(-0.008, 0.008, -d / 2, d / 2 - r, h * 0.46, h * 0.54, GREY, "metal")
    return [plate, arm, *_lampshade(0, d / 2 - r, h * 0.1, h, r, look)]


def ceiling_lamp(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A pendant."""
    return [
        cylinder(0, 0, h - 0.02, h, min(0.06, w / 4), GREY, "metal"),
        cylinder(0, 0, h * 0.4, h - 0.02, 0.008, GREY, "metal"),
        cylinder(0, 0, h * 0.3, h * 0.42, w * 0.2, GREY, "metal", d * 0.2),
        cylinder(0, 0, 0.02, h * 0.32, w / 2, *look.lit(GLOW, SHADES[0], "cloth"), d / 2),
        cylinder(0, 0, 0, 0.02, w * 0.42, *look.lit(WHITE, WHITE), d * 0.42),
    ]


def _screen(w: float, z0: float, z1: float, y: float, look: Appearance) -> list[Prim]:
    edge = min(0.02, w / 20)
    picture = look.lit(SCREEN_ON, SCREEN, "glass_dark")
    parts = [
        box(-w / 2, w / 2, y - 0.045, y, z0, z1, BLACK),
        box(-w / 2 + edge, w / 2 - edge, y, y + 0.004, z0 + edge, z1 - edge, *picture),
    ]
    if look.on:
        parts.append(
            box(
                -w * 0.3,
                w * 0.1,
                y + 0.004,
                y + 0.006,
                z0 + (z1 - z0) * 0.2,
                z0 + (z1 - z0) * 0.55,
                mix(SCREEN_ON, WHITE, 0.6),
                "glow",
            )
        )
    return parts


def television(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A flat screen on a foot."""
    foot, half = min(0.07, h * 0.12), min(d, 0.3) / 2
    y = min(0.025, d / 2 - 0.006)
    return [
        *_screen(w, foot, h, y, look),
        box(-w * 0.2, w * 0.2, -half, half, 0, 0.014, shade(BLACK, 1.4), "metal"),
        box(-min(0.05, w / 8), min(0.05, w / 8), y - 0.045, y - 0.02, 0.01, foot + 0.03, BLACK),
    ]


def monitor(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A computer screen: a smaller television with a tall neck."""
    foot, half = h * 0.25, min(d, 0.22) / 2
    y = min(0.02, d / 2 - 0.006)
    return [
        *_screen(w, foot, h, y, look),
        box(-w * 0.22, w * 0.22, -half, half, 0, 0.014, GREY, "metal"),
        box(-0.025, 0.025, y - 0.045, y - 0.02, 0.01, h * 0.6, GREY, "metal"),
    ]


def laptop(w: float, d: float, h: float, look: Appearance, always_open: bool = False) -> Shape:
    """Closed it is flat, whatever its box is. Open, its screen stands up, if necessary out of a flat box."""
    ww, dd, case = min(w, 0.4), min(d, 0.32), look.of((GREY, STEEL, BLACK))
    base = block(ww, dd, 0, 0.016, case, "metal")
    if not (look.open or always_open):
        return [base, block(ww, dd, 0.016, 0.024, shade(case, 0.9), "metal")]
    back, h = -dd / 2, max(h, 0.8 * dd)
    picture = look.lit(SCREEN_ON, rgb("#1c2530"), "glass_dark")
    return [
        base,
        box(-ww / 2 + 0.02, ww / 2 - 0.02, back + 0.04, dd / 2 - 0.09, 0.016, 0.019, BLACK),
        box(-0.04, 0.04, dd / 2 - 0.08, dd / 2 - 0.02, 0.016, 0.018, shade(case, 0.8)),
        box(-ww / 2, ww / 2, back, back + 0.01, 0.016, h, case, "metal"),
        box(-ww / 2 + 0.012, ww / 2 - 0.012, back + 0.01, back + 0.013, 0.03, h - 0.01, *picture),
    ]


open_laptop = partial(laptop, always_open=True)


def speaker(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A loudspeaker box: woofer, midrange, tweeter."""
    front, wood = d / 2 - 0.012, look.of((BLACK, WALNUT, WOODS[0]))
    r = min(w * 0.38, h * 0.2)
    cones = [(h * 0.28, r), (h * 0.62, r * 0.7), (h * 0.84, r * 0.4)]
    rings = [disc(0, front + 0.002, z, k, 0.014, GREY, "metal") for z, k in cones]
    membranes = [disc(0, front + 0.004, z, k * 0.84, 0.014, shade(BLACK, 0.7)) for z, k in cones]
    caps = [ball(0, front + 0.004, z, k * 0.3, 0.008, k * 0.3, shade(BLACK, 1.6)) for z, k in cones]
    return [box(-w / 2, w / 2, -d / 2, front, 0, h, wood, "wood"), *rings, *membranes, *caps]


def plant(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A pot, earth and a head of leaves."""
    r, pot = min(w, d) / 2, min(h * 0.36, 0.35)
    crown, clay = h - pot, look.of((CLAY, WHITE, GREY, rgb("#2c6e7a")))
    leaves = [
        ball(x * r, y * r, pot + crown * (0.16 + z * 0.62), r * 0.48, r * 0.48, crown * 0.2, shade(LEAF, 0.72 + 0.06 * k))
        for k, (x, y, z) in enumerate(LEAVES)
    ]
    return [
        cylinder(0, 0, 0, pot * 0.8, r * 0.5, clay),
        cylinder(0, 0, pot * 0.8, pot, r * 0.58, shade(clay, 1.1)),
        cylinder(0, 0, pot - 0.004, pot + 0.002, r * 0.5, shade(WALNUT, 0.6)),
        cylinder(0, 0, pot, pot + crown * 0.5, max(r * 0.06, 0.004), shade(LEAF, 0.7)),
        *leaves,
    ]


def orchid(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A slim stem with blossoms above two broad leaves."""
    r, pot, bloom = min(w, d) / 2, h * 0.28, look.of((rgb("#d98fc0"), rgb("#f2e3ef"), rgb("#b06fc4")))
    blossoms = [
        ball(x * r, y * r, h * z, r * 0.26, r * 0.26, h * 0.06, shade(bloom, f))
        for x, y, z, f in ((0.15, 0, 0.93, 1), (-0.2, 0.2, 0.82, 0.9), (0.3, -0.15, 0.74, 1.1), (-0.05, -0.3, 0.66, 1))
    ]
    leaves = [ball(s * r * 0.5, 0, pot * 1.15, r * 0.48, r * 0.2, h * 0.025, LEAF) for s in (-1, 1)]
    stem = cylinder(0, 0, pot, h * 0.9, max(0.004, r * 0.04), LEAF)
    return [cylinder(0, 0, 0, pot, r * 0.45, WHITE), *leaves, stem, *blossoms]


def statue(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A figure on a plinth."""
    r, stone = min(w, d) / 2, look.of((rgb("#c9b28a"), GREY, WHITE, rgb("#8a6a4a")))
    return [
        block(r * 1.7, r * 1.7, 0, h * 0.1, WALNUT, "wood"),
        cylinder(0, 0, h * 0.1, h * 0.55, r * 0.42, stone),
        ball(0, 0, h * 0.58, r * 0.66, r * 0.5, h * 0.2, stone),
        ball(0, 0, h * 0.88, r * 0.34, r * 0.34, h * 0.12, stone),
    ]
