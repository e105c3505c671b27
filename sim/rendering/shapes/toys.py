"""Toys, games, instruments, pets and sports equipment."""

from __future__ import annotations

from sim.geometry.model import Colour
from sim.rendering.shapes.kit import (
    BLACK,
    OAK,
    PAINTS,
    STEEL,
    WALNUT,
    WHITE,
    Builder,
    Look,
    Prim,
    Shape,
    ball,
    block,
    box,
    cylinder,
    made,
    rgb,
    rod,
    shade,
)

FURS = (rgb("#a9794c"), rgb("#8a5a33"), rgb("#c9a27a"))


def bear(w: float, d: float, h: float, look: Look) -> Shape:
    """A sitting teddy bear."""
    c = look.of(FURS)
    light = shade(c, 1.35)
    return made([
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
    ])


def toy_car(w: float, d: float, h: float, look: Look) -> Shape:
    """A bright little car, driving along its longer side."""
    c, along_x = look.of((PAINTS[1], PAINTS[0], PAINTS[3], PAINTS[2])), w >= d
    length, wide, r = max(w, d), min(w, d), h * 0.22

    def piece(a: float, b: float, grow: float, z0: float, z1: float, colour: Colour) -> Prim:
        half = wide / 2 * grow
        return (
            box(a * length, b * length, -half, half, z0 * h, z1 * h, colour)
            if along_x
            else box(-half, half, a * length, b * length, z0 * h, z1 * h, colour)
        )

    wheels = []
    for t in (-0.28, 0.28):
        for s in (-1, 1):
            side = s * wide * 0.44
            x, y, yaw = (t * length, side, 0.0) if along_x else (side, t * length, 1.5708)
            wheels += [rod(x, y, r, r, wide * 0.12, BLACK, yaw=yaw), rod(x, y, r, r * 0.5, wide * 0.125, WHITE, yaw=yaw)]
    return made([
        piece(-0.5, 0.5, 0.9, 0.18, 0.6, c),
        piece(-0.28, 0.2, 0.82, 0.6, 0.94, rgb("#bfe3f0")),
        piece(-0.3, 0.22, 0.86, 0.92, 1.0, c),
        piece(0.46, 0.5, 0.7, 0.3, 0.46, rgb("#ffe9b8")),
        *wheels,
    ])


def basketball(w: float, d: float, h: float, look: Look) -> Shape:
    """An orange ball with seams."""
    c = look.colour or rgb("#d0703c")
    seams = [
        ball(0, 0, h / 2, a * w / 2, b * d / 2, e * h / 2, BLACK)
        for a, b, e in ((0.05, 1.0, 1.0), (1.0, 0.05, 1.0), (1.0, 1.0, 0.05))
    ]
    return made([ball(0, 0, h / 2, w / 2 * 0.985, d / 2 * 0.985, h / 2 * 0.985, c), *seams])


def dumbbell(w: float, d: float, h: float, look: Look) -> Shape:
    """Two weights on a bar, along the longer side."""
    along_x, length, r = w >= d, max(w, d), min(h, min(w, d)) / 2
    yaw = 1.5708 if along_x else 0.0
    pieces = (
        [(0.0, length * 0.9, r * 0.3, STEEL)]
        + [(s * length * 0.33, length * 0.2, r, BLACK) for s in (-1, 1)]
        + [(s * length * 0.46, length * 0.08, r * 0.7, BLACK) for s in (-1, 1)]
    )
    return made([rod(t if along_x else 0, 0 if along_x else t, r, size, span, c, "metal", yaw) for t, span, size, c in pieces])


def racket(w: float, d: float, h: float, look: Look) -> Shape:
    """A tennis racket, standing or lying along its longest side."""
    frame, strings = look.of((PAINTS[1], PAINTS[0], BLACK)), rgb("#f0ead6")
    if h >= max(w, d):
        r, t = min(w, 0.26) / 2, min(d / 2, 0.012)
        head = [
            Prim("cylinder", (0, 0, h * 0.71), (r * f, h * 0.29 * f, t * g), c, axis="y")
            for f, g, c in ((1.0, 1.0, frame), (0.86, 1.1, strings))
        ]
        return made([
            cylinder(0, 0, 0, h * 0.3, min(0.016, d / 2), BLACK),
            cylinder(0, 0, h * 0.3, h * 0.45, min(0.01, d / 2), frame),
            *head,
        ])
    along_x, length, r = w >= d, max(w, d), min(min(w, d) / 2, 0.13)
    t = length * 0.21
    x, y, rx, ry = (t, 0.0, length * 0.29, r) if along_x else (0.0, t, r, length * 0.29)
    top = min(h, 0.03)
    grip = rod(
        -length * 0.32 if along_x else 0,
        0 if along_x else -length * 0.32,
        top / 2,
        top / 2,
        length * 0.36,
        BLACK,
        yaw=1.5708 if along_x else 0.0,
    )
    return made(
        [cylinder(x, y, 0, top * 0.8, rx, frame, ry=ry), cylinder(x, y, 0, top * 0.85, rx * 0.86, strings, ry=ry * 0.86), grip]
    )


def guitar(w: float, d: float, h: float, look: Look) -> Shape:
    """A body of two bouts, a sound hole, a neck; standing."""
    wood, front = look.of((OAK, rgb("#a0522d"))), d / 2
    depth = d * 0.8
    return made([
        Prim("cylinder", (0, -d * 0.1, h * 0.2), (w / 2, h * 0.2, depth / 2), wood, "wood", axis="y"),
        Prim("cylinder", (0, -d * 0.1, h * 0.43), (w * 0.38, h * 0.14, depth / 2), wood, "wood", axis="y"),
        Prim("cylinder", (0, front - d * 0.18, h * 0.34), (w * 0.14, w * 0.14, 0.004), BLACK, axis="y"),
        box(-w * 0.14, w * 0.14, front - d * 0.2, front - d * 0.12, h * 0.13, h * 0.15, WALNUT),
        box(-0.022, 0.022, front - d * 0.2, front - d * 0.06, h * 0.38, h * 0.9, WALNUT, "wood"),
        box(-0.035, 0.035, front - d * 0.22, front - d * 0.08, h * 0.88, h, BLACK),
    ])


def animal(colour: Colour) -> Builder:
    """A cat or a dog, standing."""

    def build(w: float, d: float, h: float, look: Look) -> Shape:
        c = look.colour or colour
        return made([
            ball(0, -d * 0.04, h * 0.5, w * 0.42, d * 0.36, h * 0.22, c, "cloth"),
            ball(0, d * 0.34, h * 0.76, w * 0.34, d * 0.15, h * 0.17, c, "cloth"),
            ball(0, d * 0.44, h * 0.7, w * 0.16, d * 0.06, h * 0.08, shade(c, 1.3), "cloth"),
            *[ball(s * w * 0.22, d * 0.32, h * 0.93, w * 0.08, d * 0.04, h * 0.07, shade(c, 0.8)) for s in (-1, 1)],
            *[ball(s * w * 0.12, d * 0.46, h * 0.8, w * 0.04, d * 0.015, h * 0.025, BLACK) for s in (-1, 1)],
            *[cylinder(sx * w * 0.24, sy * d * 0.2, 0, h * 0.42, w * 0.1, c) for sx in (-1, 1) for sy in (-1, 1)],
            ball(0, -d * 0.43, h * 0.66, w * 0.07, d * 0.07, h * 0.2, c),
        ])

    return build


def spectacles(w: float, d: float, h: float, look: Look) -> Shape:
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
    return made([*parts, block(w * 0.14, 0.005, h * 0.5, h * 0.64, frame, at=(0.0, front - 0.003))])
