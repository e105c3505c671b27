"""Towels, pillows, clothes, bags and shoes."""

from __future__ import annotations

from sim.rendering.shapes.kit import (
    BLACK,
    CREAM,
    FABRICS,
    OAK,
    PAINTS,
    STEEL,
    WALNUT,
    WHITE,
    Look,
    Shape,
    ball,
    block,
    box,
    cylinder,
    made,
    rgb,
    shade,
)

TOWELS = (*FABRICS, rgb("#d98f7c"), rgb("#9fc6c1"))
DENIM = (rgb("#3c5a80"), rgb("#2d3a4a"), rgb("#7a6a52"))
SACK = rgb("#2e3236")


def cloth(w: float, d: float, h: float, look: Look) -> Shape:
    """A dishcloth: flat, with a stripe and a fold."""
    c, top = look.of(TOWELS), max(h, 0.008)
    return made([
        block(w, d, 0, top * 0.6, c, "cloth"),
        box(-w * 0.46, w * 0.2, -d * 0.46, d * 0.46, top * 0.5, top, shade(c, 1.08), "cloth"),
        box(-w * 0.44, w * 0.18, d * 0.2, d * 0.32, top - 0.001, top, WHITE, "cloth"),
    ])


def folded_towel(w: float, d: float, h: float, look: Look) -> Shape:
    """Three layers with round folds at one side."""
    c, step = look.of(TOWELS), h / 3
    layers = [
        block(w * (1 - 0.02 * k), d * (0.96 - 0.02 * k), k * step, (k + 0.94) * step, shade(c, 0.94 + 0.06 * k), "cloth")
        for k in range(3)
    ]
    return made([*layers, box(-w * 0.47, w * 0.47, -d * 0.12, d * 0.02, h * 0.975, h, WHITE, "cloth")])


def pillow(w: float, d: float, h: float, look: Look) -> Shape:
    """A cushion, puffed in the middle."""
    c = look.of((rgb("#d6a24a"), rgb("#8fa9b8"), CREAM, rgb("#b5656a"), rgb("#7f9a7a")))
    return made([
        block(w * 0.92, d * 0.92, h * 0.3, h * 0.62, c, "cloth"),
        ball(0, 0, h * 0.5, w / 2, d / 2, h / 2, c, "cloth"),
        ball(0, 0, h * 0.52, w * 0.4, d * 0.4, h * 0.48, shade(c, 1.06), "cloth"),
    ])


def shirt(w: float, d: float, h: float, look: Look) -> Shape:
    """A folded shirt: a collar, a row of buttons."""
    c = look.of((*FABRICS, WHITE, rgb("#b5656a")))
    return made([
        block(w, d, 0, h * 0.7, shade(c, 0.92), "cloth"),
        block(w * 0.94, d * 0.96, h * 0.5, h * 0.92, c, "cloth"),
        *[box(s * w * 0.02, s * w * 0.2, d * 0.3, d * 0.46, h * 0.9, h, shade(c, 1.2), "cloth") for s in (-1, 1)],
        *[cylinder(0, d * y, h * 0.9, h * 0.96, 0.006, BLACK if c == WHITE else WHITE) for y in (0.16, 0.0, -0.16, -0.32)],
    ])


def trousers(w: float, d: float, h: float, look: Look) -> Shape:
    """Folded jeans: a waistband, two legs one over the other."""
    c = look.of(DENIM)
    return made([
        block(w, d, 0, h * 0.48, shade(c, 0.9), "cloth"),
        block(w * 0.98, d * 0.94, h * 0.5, h * 0.96, c, "cloth"),
        box(-w * 0.49, w * 0.49, d * 0.34, d * 0.47, h * 0.9, h, shade(c, 0.75), "cloth"),
        box(-w * 0.3, -w * 0.06, d * 0.02, d * 0.28, h * 0.94, h * 0.99, shade(c, 1.2), "cloth"),
    ])


def garment(w: float, d: float, h: float, look: Look) -> Shape:
    """Folded clothes of any kind."""
    c = look.of((*FABRICS, *PAINTS))
    return made([
        block(w, d, 0, h * 0.6, c, "cloth"),
        box(-w * 0.42, w * 0.36, -d * 0.42, d * 0.42, h * 0.55, h, shade(c, 1.15), "cloth"),
    ])


def bag(w: float, d: float, h: float, look: Look) -> Shape:
    """A handbag: a flap and a bow."""
    c = look.of((WALNUT, BLACK, PAINTS[4], PAINTS[1]))
    return made([
        block(w, d, 0, h * 0.66, c, "cloth"),
        box(-w * 0.48, w * 0.48, d / 2 - 0.006, d / 2, h * 0.34, h * 0.66, shade(c, 1.2), "cloth"),
        box(-0.012, 0.012, d / 2 - 0.004, d / 2, h * 0.3, h * 0.36, rgb("#d9b54a"), "metal"),
        *[box(s * w * 0.3 - 0.008, s * w * 0.3 + 0.008, -0.01, 0.01, h * 0.64, h, shade(c, 0.8)) for s in (-1, 1)],
        box(-w * 0.3, w * 0.3, -0.01, 0.01, h * 0.95, h, shade(c, 0.8)),
    ])


def sack(w: float, d: float, h: float, look: Look) -> Shape:
    """A tied rubbish bag."""
    c = look.of((SACK, rgb("#3d4a3f")))
    return made([
        ball(0, 0, h * 0.38, w / 2, d / 2, h * 0.38, c, "cloth"),
        ball(0, 0, h * 0.62, w * 0.3, d * 0.3, h * 0.2, c, "cloth"),
        cylinder(0, 0, h * 0.76, h * 0.82, w * 0.08, rgb("#c0392b")),
        ball(0, 0, h * 0.9, w * 0.16, d * 0.1, h * 0.1, c, "cloth"),
    ])


def shoes(w: float, d: float, h: float, look: Look) -> Shape:
    """A pair: soles, toes, shafts as tall as the box."""
    c = look.of((WALNUT, BLACK, PAINTS[1]))
    parts = []
    for s in (-1, 1):
        x = s * w * 0.26
        parts += [
            block(w * 0.4, d * 0.94, 0, h * 0.12, BLACK, at=(x, 0.0)),
            ball(x, d * 0.16, h * 0.26, w * 0.2, d * 0.32, h * 0.22, c),
            cylinder(x, -d * 0.22, h * 0.1, h * 0.98, w * 0.19, c, ry=d * 0.24),
            cylinder(x, -d * 0.22, h * 0.97, h, w * 0.15, shade(BLACK, 0.6), ry=d * 0.19),
        ]
    return made(parts)


def slippers(w: float, d: float, h: float, look: Look) -> Shape:
    """Flat soles with a soft vamp at the toes."""
    c, parts = look.of((rgb("#8a7a94"), rgb("#b5656a"), rgb("#5f7d8c"))), []
    for s in (-1, 1):
        x = s * w * 0.26
        parts += [
            cylinder(x, d * 0.2, 0, h * 0.28, w * 0.2, shade(c, 0.7), ry=d * 0.29),
            cylinder(x, -d * 0.22, 0, h * 0.28, w * 0.18, shade(c, 0.7), ry=d * 0.27),
            ball(x, d * 0.18, h * 0.46, w * 0.21, d * 0.29, h * 0.46, c, "cloth"),
            ball(x, -d * 0.06, h * 0.46, w * 0.15, d * 0.08, h * 0.3, CREAM, "cloth"),
        ]
    return made(parts)


def hanger(w: float, d: float, h: float, look: Look) -> Shape:
    """A bar with sloping shoulders and a hook, upright."""
    wood, t = look.of((OAK, WALNUT, WHITE)), min(d / 2, 0.008)
    steps = [
        box(s * w * a, s * w * b, -t, t, h * z, h * (z + 0.13), wood, "wood")
        for s in (-1, 1)
        for a, b, z in ((0.0, 0.14, 0.5), (0.12, 0.28, 0.38), (0.26, 0.4, 0.26), (0.38, 0.5, 0.12))
    ]
    return made([
        *steps,
        box(-w * 0.47, w * 0.47, -t * 0.6, t * 0.6, h * 0.08, h * 0.15, wood, "wood"),
        cylinder(0, 0, h * 0.6, h * 0.88, 0.003, STEEL, "metal"),
        box(0, w * 0.06, -0.003, 0.003, h * 0.94, h, STEEL, "metal"),
        box(w * 0.05, w * 0.065, -0.003, 0.003, h * 0.84, h, STEEL, "metal"),
        box(-0.003, 0.003, -0.003, 0.003, h * 0.86, h, STEEL, "metal"),
    ])
