"""Cutlery, brushes, poles and other long tools; soap, sponges, rolls; toys, instruments and pets."""

from __future__ import annotations

from sim.geometry.model import Colour
from sim.rendering.shapes.kit import (
    ACROSS,
    BLACK,
    CERAMIC,
    GLOW,
    GREY,
    OAK,
    PAINTS,
    STEEL,
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
    rgb,
    rod,
    shade,
)

CARDBOARD = rgb("#9a7a55")


def tool(head: Colour = STEEL, grip: Colour = BLACK) -> Builder:
    """Spoons, spatulas, brushes: a grip on one half and a broader head at the end. Tall boxes stand."""

    @lengthwise
    def build(w: float, d: float, h: float, look: Appearance) -> Shape:
        c = look.colour or grip
        if h > w:
            r = d / 2
            return [cylinder(0, 0, h * 0.3, h, min(0.012, r), c), cylinder(0, 0, 0, h * 0.3, r * 0.84, head)]
        top, t = max(h, 0.006), min(d, 0.022) / 2
        return [
            box(-w / 2, 0.05 * w, -t, t, top * 0.2, top * 0.8, c),
            box(0.0, w * 0.3, -t * 0.5, t * 0.5, top * 0.3, top * 0.7, head, "metal"),
            ball(w * 0.36, 0.0, top * 0.5, w * 0.14, min(d / 2, 0.04), min(top / 2, 0.02), head, "metal"),
        ]

    return build


@lengthwise
def knife(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A dark grip and a blade with a lighter edge."""
    top, t = max(h, 0.005), min(d, 0.035) / 2
    return [
        box(-w / 2, -w * 0.08, -t * 0.8, t * 0.8, 0, top, look.colour or BLACK),
        box(-w * 0.08, w * 0.4, -t, t * 0.8, top * 0.3, top * 0.7, STEEL, "metal"),
        box(w * 0.4, w / 2, -t, t * 0.1, top * 0.3, top * 0.7, STEEL, "metal"),
        box(-w * 0.06, w * 0.46, -t, -t * 0.75, top * 0.25, top * 0.75, WHITE, "metal"),
    ]


@lengthwise
def fork(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A handle and four tines."""
    top, t = max(h, 0.004), min(d, 0.03) / 2
    starts = [-t + k * t * 0.58 for k in range(4)]
    return [
        box(-w / 2, w * 0.12, -t * 0.35, t * 0.35, top * 0.2, top * 0.8, look.colour or STEEL, "metal"),
        box(w * 0.12, w * 0.27, -t, t, top * 0.3, top * 0.8, STEEL, "metal"),
        *[box(w * 0.26, w / 2, y, y + t * 0.26, top * 0.3, top * 0.8, STEEL, "metal") for y in starts],
    ]


def stick(colour: Colour, tip: Colour = BLACK) -> Builder:
    """Pens and pencils."""

    @lengthwise
    def build(w: float, d: float, h: float, look: Appearance) -> Shape:
        r = min(max(min(d, h) / 2, 0.003), 0.006)
        ends = ((-0.02 * w, 0.92 * w, colour, r), (0.46 * w, 0.08 * w, tip, r * 0.6))
        return [rod(t, 0, r, size, span, c, yaw=ACROSS) for t, span, c, size in ends]

    return build


@lengthwise
def toothbrush(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A coloured handle with white bristles at one end."""
    c, t = look.of(PAINTS), d / 2
    return [
        box(-w / 2, w / 2, -t * 0.7, t * 0.7, 0, h * 0.45, c),
        box(-w / 2, -w * 0.1, -t, t, 0, h * 0.5, shade(c, 1.2)),
        box(w * 0.32, w * 0.48, -t * 0.9, t * 0.9, h * 0.4, h, WHITE),
    ]


def tube(colour: Colour = CERAMIC, band: Colour = PAINTS[1]) -> Builder:
    """A squeezed tube: flat at one end, a cap at the other."""

    @lengthwise
    def build(w: float, d: float, h: float, look: Appearance) -> Shape:
        r = h / 2
        return [
            ball(-w * 0.05, 0, r * 0.9, w * 0.42, d / 2, r * 0.9, colour),
            box(-w / 2, -w * 0.2, -d / 2, d / 2, r * 0.5, r * 0.8, colour),
            box(-w * 0.2, w * 0.15, -d * 0.4, d * 0.4, r * 0.4, h * 0.93, band),
            rod(w * 0.45, 0, r, min(d * 0.3, r), w * 0.1, WHITE, yaw=ACROSS),
        ]

    return build


def pole(colour: Colour = OAK, head: Colour | None = None) -> Builder:
    """Brooms, plungers and brushes that stand."""

    def build(w: float, d: float, h: float, look: Appearance) -> Shape:
        r = min(w, d) / 2
        foot = h * 0.22 if head else h * 0.03
        return [
            cylinder(0, 0, foot, h, min(0.014, r), look.colour or colour, "wood"),
            cylinder(0, 0, 0, foot, w / 2 * 0.9, head or colour, ry=d / 2 * 0.9),
        ]

    return build


def broom(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A pole in a row of bristles."""
    bristle = look.of((rgb("#c9a85a"), PAINTS[5], GREY))
    return [
        cylinder(0, 0, h * 0.16, h, min(0.014, d / 2), OAK, "wood"),
        block(w, d * 0.7, h * 0.13, h * 0.18, WALNUT, "wood"),
        block(w * 0.96, d, 0, h * 0.14, bristle, "cloth"),
    ]


@lengthwise
def bat(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A baseball bat, standing or lying along its longest side."""
    if h >= w:
        r = d / 2
        return [
            cylinder(0, 0, 0, h * 0.5, r, OAK, "wood"),
            cylinder(0, 0, h * 0.45, h * 0.75, r * 0.75, OAK, "wood"),
            cylinder(0, 0, h * 0.72, h * 0.97, r * 0.45, BLACK),
            cylinder(0, 0, h * 0.96, h, r * 0.65, OAK, "wood"),
        ]
    r = min(d, h) / 2
    pieces = ((0.22, 0.56, r, OAK), (-0.2, 0.34, r * 0.72, OAK), (-0.4, 0.18, r * 0.5, BLACK))
    return [rod(t * w, 0, r, size, span * w, c, "wood", ACROSS) for t, span, size, c in pieces]


def soap(colour: Colour) -> Builder:
    """A rounded bar with a stamp."""

    def build(w: float, d: float, h: float, look: Appearance) -> Shape:
        c = look.colour or colour
        return [
            block(w * 0.9, d * 0.84, 0, h, c),
            ball(0, 0, h / 2, w / 2, d / 2, h * 0.48, c),
            block(w * 0.4, d * 0.3, h - 0.001, h, shade(c, 0.85)),
        ]

    return build


def sponge(w: float, d: float, h: float, look: Appearance) -> Shape:
    """Yellow below, a green scouring layer on top."""
    return [block(w, d, 0, h * 0.72, look.colour or rgb("#ecc63f"), "cloth"), block(w, d, h * 0.72, h, rgb("#3f8a4b"), "cloth")]


def roll(w: float, d: float, h: float, look: Appearance) -> Shape:
    """Paper on a tube, upright."""
    r, paper = min(w, d) / 2, look.colour or WHITE
    return [
        cylinder(0, 0, 0, h - 0.001, r, paper, "cloth"),
        cylinder(0, 0, h - 0.002, h - 0.0005, r * 0.42, CARDBOARD),
        cylinder(0, 0, h - 0.001, h, r * 0.32, shade(BLACK, 0.7)),
    ]


@lengthwise
def foil(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A shiny roll lying along its longer side."""
    r = min(h, d) / 2
    return [rod(0, 0, r, r, w, STEEL, "metal", ACROSS), rod(0, 0, r, r * 0.4, w + 0.001, CARDBOARD, yaw=ACROSS)]


def candle(w: float, d: float, h: float, look: Appearance) -> Shape:
    """Wax in a saucer, a wick, a flame while on."""
    r, wax = min(w, d) / 2, look.of((rgb("#efe4cf"), rgb("#b5404a"), rgb("#7f9a7a")))
    parts = [
        cylinder(0, 0, 0, h * 0.06, r, GREY, "metal"),
        cylinder(0, 0, h * 0.06, h * 0.78, r * 0.72, wax),
        cylinder(0, 0, h * 0.78, h * 0.84, 0.002, BLACK),
    ]
    flame = [ball(0, 0, h * 0.9, min(0.012, r / 2), min(0.012, r / 2), h * 0.1, GLOW, "glow")]
    return [*parts, *(flame if look.on else [])]


@lengthwise
def keys(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A ring with two keys."""
    r, top = d * 0.3, max(h, 0.005)
    middle = -w / 2 + r
    blades = [
        box(middle + r * 0.5, w / 2 * f, s * r * 0.5 - 0.004, s * r * 0.5 + 0.004, 0, top * 0.6, rgb("#c9a227"), "metal")
        for s, f in ((-1, 0.9), (1, 1.0))
    ]
    tag = box(middle - r * 0.2, middle + r * 0.5, -r * 0.4, r * 0.4, top * 0.4, top, look.of(PAINTS))
    return [cylinder(middle, 0, 0, top * 0.5, r, GREY, "metal"), *blades, tag]


def mop_bucket(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A pail with a bow handle."""
    r, c = min(w, d) / 2, look.of((PAINTS[0], PAINTS[1], GREY))
    return [
        cylinder(0, 0, 0, h * 0.72, r * 0.86, c),
        cylinder(0, 0, h * 0.68, h * 0.76, r * 0.95, shade(c, 1.15)),
        cylinder(0, 0, h * 0.755, h * 0.765, r * 0.8, rgb("#7fb4cf")),
        *[box(s * r * 0.9 - 0.006, s * r * 0.9 + 0.006, -0.006, 0.006, h * 0.7, h, GREY) for s in (-1, 1)],
        box(-r * 0.9, r * 0.9, -0.008, 0.008, h - 0.014, h, GREY),
    ]


RACKETS, STRINGS = (PAINTS[1], PAINTS[0], BLACK), rgb("#f0ead6")
FURS = (rgb("#a9794c"), rgb("#8a5a33"), rgb("#c9a27a"))


def bear(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A sitting teddy bear."""
    c = look.of(FURS)
    light = shade(c, 1.35)
    return [
        ball(0, -d * 0.08, h * 0.3, w * 0.34, d * 0.3, h * 0.3, c, "cloth"),
        ball(0, d * 0.12, h * 0.3, w * 0.22, d * 0.14, h * 0.2, light, "cloth"),
        ball(0, -d * 0.04, h * 0.74, w * 0.28, d * 0.28, h * 0.22, c, "cloth"),
        ball(0, d * 0.2, h * 0.7, w * 0.13, d * 0.12, h * 0.09, light, "cloth"),
        ball(0, d * 0.31, h * 0.73, w * 0.04, d * 0.03, h * 0.025, BLACK),
        *[ball(s * w * 0.1, d * 0.2, h * 0.81, w * 0.03, d * 0.04, h * 0.025, BLACK) for s in (-1, 1)],
        *[ball(s * w * 0.23, -d * 0.04, h * 0.92, w * 0.1, d * 0.07, h * 0.08, c, "cloth") for s in (-1, 1)],
        *[ball(s * w * 0.37, d * 0.06, h * 0.4, w * 0.12, d * 0.13, h * 0.17, c, "cloth") for s in (-1, 1)],
        *[ball(s * w * 0.24, d * 0.28, h * 0.11, w * 0.15, d * 0.2, h * 0.11, c, "cloth") for s in (-1, 1)],
        *[ball(s * w * 0.24, d * 0.44, h * 0.12, w * 0.09, d * 0.05, h * 0.07, light, "cloth") for s in (-1, 1)],
    ]


@lengthwise
def toy_car(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A bright little car, driving along its longer side."""
    c, r = look.of((PAINTS[1], PAINTS[0], PAINTS[3], PAINTS[2])), h * 0.22

    def piece(a: float, b: float, grow: float, z0: float, z1: float, colour: Colour) -> Prim:
        half = d / 2 * grow
        return box(a * w, b * w, -half, half, z0 * h, z1 * h, colour)

    wheels = []
    for x, side in ((t * w, s * d * 0.44) for t in (-0.28, 0.28) for s in (-1, 1)):
        wheels += [rod(x, side, r, r, d * 0.12, BLACK), rod(x, side, r, r * 0.5, d * 0.125, WHITE)]
    return [
        piece(-0.5, 0.5, 0.9, 0.18, 0.6, c),
        piece(-0.28, 0.2, 0.82, 0.6, 0.94, rgb("#bfe3f0")),
        piece(-0.3, 0.22, 0.86, 0.92, 1.0, c),
        piece(0.46, 0.5, 0.7, 0.3, 0.46, rgb("#ffe9b8")),
        *wheels,
    ]


def basketball(w: float, d: float, h: float, look: Appearance) -> Shape:
    """An orange ball with seams."""
    c = look.colour or rgb("#d0703c")
    seams = [
        ball(0, 0, h / 2, a * w / 2, b * d / 2, e * h / 2, BLACK)
        for a, b, e in ((0.05, 1.0, 1.0), (1.0, 0.05, 1.0), (1.0, 1.0, 0.05))
    ]
    return [ball(0, 0, h / 2, w / 2 * 0.985, d / 2 * 0.985, h / 2 * 0.985, c), *seams]


@lengthwise
def dumbbell(w: float, d: float, h: float, look: Appearance) -> Shape:
    """Two weights on a bar, along the longer side."""
    r = min(h, d) / 2
    pieces = (
        [(0.0, w * 0.9, r * 0.3, STEEL)]
        + [(s * w * 0.33, w * 0.2, r, BLACK) for s in (-1, 1)]
        + [(s * w * 0.46, w * 0.08, r * 0.7, BLACK) for s in (-1, 1)]
    )
    return [rod(t, 0, r, size, span, c, "metal", ACROSS) for t, span, size, c in pieces]


def racket(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A tennis racket, standing or lying along its longest side."""
    if h < max(w, d):
        return _lying_racket(w, d, h, look)
    frame, r, t = look.of(RACKETS), min(w, 0.26) / 2, min(d / 2, 0.012)
    head = [
        Prim("cylinder", (0, 0, h * 0.71), (r * f, h * 0.29 * f, t * g), c, axis="y")
        for f, g, c in ((1.0, 1.0, frame), (0.86, 1.1, STRINGS))
    ]
    return [
        cylinder(0, 0, 0, h * 0.3, min(0.016, d / 2), BLACK),
        cylinder(0, 0, h * 0.3, h * 0.45, min(0.01, d / 2), frame),
        *head,
    ]


@lengthwise
def _lying_racket(w: float, d: float, h: float, look: Appearance) -> Shape:
    x, rx, ry, top = w * 0.21, w * 0.29, min(d / 2, 0.13), min(h, 0.03)
    return [
        cylinder(x, 0.0, 0, top * 0.8, rx, look.of(RACKETS), ry=ry),
        cylinder(x, 0.0, 0, top * 0.85, rx * 0.86, STRINGS, ry=ry * 0.86),
        rod(-w * 0.28, 0, top / 2, top / 2, w * 0.44, BLACK, yaw=ACROSS),
    ]


def guitar(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A body of two bouts, a sound hole, a neck; standing."""
    wood, front = look.of((OAK, rgb("#a0522d"))), d / 2
    depth = d * 0.8
    return [
        Prim("cylinder", (0, -d * 0.1, h * 0.2), (w / 2, h * 0.2, depth / 2), wood, "wood", axis="y"),
        Prim("cylinder", (0, -d * 0.1, h * 0.43), (w * 0.38, h * 0.14, depth / 2), wood, "wood", axis="y"),
        Prim("cylinder", (0, front - d * 0.18, h * 0.34), (w * 0.14, w * 0.14, 0.004), BLACK, axis="y"),
        box(-w * 0.14, w * 0.14, front - d * 0.2, front - d * 0.12, h * 0.13, h * 0.15, WALNUT),
        box(-0.022, 0.022, front - d * 0.2, front - d * 0.06, h * 0.38, h * 0.9, WALNUT, "wood"),
        box(-0.035, 0.035, front - d * 0.22, front - d * 0.08, h * 0.88, h, BLACK),
    ]


def animal(colour: Colour) -> Builder:
    """A cat or a dog, standing."""

    def build(w: float, d: float, h: float, look: Appearance) -> Shape:
        c = look.colour or colour
        return [
            ball(0, -d * 0.04, h * 0.5, w * 0.42, d * 0.36, h * 0.22, c, "cloth"),
            ball(0, d * 0.34, h * 0.76, w * 0.34, d * 0.15, h * 0.17, c, "cloth"),
            ball(0, d * 0.44, h * 0.7, w * 0.16, d * 0.06, h * 0.08, shade(c, 1.3), "cloth"),
            *[ball(s * w * 0.22, d * 0.32, h * 0.93, w * 0.08, d * 0.04, h * 0.07, shade(c, 0.8)) for s in (-1, 1)],
            *[ball(s * w * 0.12, d * 0.46, h * 0.8, w * 0.04, d * 0.015, h * 0.025, BLACK) for s in (-1, 1)],
            *[cylinder(sx * w * 0.24, sy * d * 0.2, 0, h * 0.42, w * 0.1, c) for sx in (-1, 1) for sy in (-1, 1)],
            ball(0, -d * 0.43, h * 0.66, w * 0.07, d * 0.07, h * 0.2, c),
        ]

    return build


def spectacles(w: float, d: float, h: float, look: Appearance) -> Shape:
    """Two lenses, a bridge, two arms folded back."""
    frame, front = look.of((BLACK, WALNUT, PAINTS[1])), d / 2
    lens = min(w * 0.2, h / 2)
    parts: list[Prim] = []
    for s in (-1, 1):
        x = s * w * 0.27
        parts += [
            Prim("cylinder", (x, front - 0.003, h / 2), (w * 0.22, lens, 0.003), frame, axis="y"),
            Prim("cylinder", (x, front - 0.003, h / 2), (w * 0.185, lens * 0.84, 0.0034), rgb("#a9c7d6"), axis="y"),
            box(s * (w / 2 - 0.004), s * w / 2, -d / 2, front, h * 0.55, h * 0.7, frame),
        ]
    return [*parts, block(w * 0.14, 0.005, h * 0.5, h * 0.64, frame, at=(0.0, front - 0.003))]
