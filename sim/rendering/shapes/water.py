"""Sinks, taps, toilets, tubs and showers."""

from __future__ import annotations

from sim.geometry.model import Colour
from sim.rendering.shapes.kit import (
    CERAMIC,
    GLASS,
    GREY,
    OAK,
    STEEL,
    WHITE,
    Look,
    Shape,
    block,
    box,
    carcass,
    cylinder,
    door,
    made,
    moved,
    rgb,
    shade,
)

WATER, POOL = rgb("#9fd4ee"), rgb("#bfe3f0")


def basin(w: float, d: float, h: float, look: Look, colour: Colour = STEEL) -> Shape:
    """An open bowl with a drain. Filled while on."""
    t = min(0.02, w / 10, d / 10)
    floor = min(t, h / 4)
    texture = "metal" if colour == STEEL else "plain"
    parts = [
        block(w, d, 0, floor, shade(colour, 0.8), texture),
        *[box(sx * (w / 2 - t), sx * w / 2, -d / 2, d / 2, 0, h, colour, texture) for sx in (-1, 1)],
        *[box(-w / 2, w / 2, sy * (d / 2 - t), sy * d / 2, 0, h, colour, texture) for sy in (-1, 1)],
        cylinder(0, 0, floor, floor + 0.003, min(0.03, w / 8), GREY, "metal"),
    ]
    if look.on:
        parts.append(block(w - 2 * t, d - 2 * t, h * 0.55, h * 0.58, POOL, "glass"))
    return made(parts)


def rim(w: float, d: float, h: float, look: Look) -> Shape:
    """The edge of a sink set into a worktop. Its SinkBasin draws the bowl."""
    e = min(w, d) * 0.1
    return made([
        *[box(-w / 2, w / 2, sy * (d / 2 - e), sy * d / 2, 0, h, STEEL, "metal") for sy in (-1, 1)],
        *[box(sx * (w / 2 - e), sx * w / 2, -d / 2, d / 2, 0, h, STEEL, "metal") for sx in (-1, 1)],
    ])


def sink(w: float, d: float, h: float, look: Look) -> Shape:
    """A basin set into a worktop if the box is low, a wash-stand if it is tall."""
    if h < 0.5:
        return basin(w, d, h, look)
    depth = min(0.16, h / 4)
    bowl = basin(w * 0.94, d * 0.86, depth, look, CERAMIC)
    pedestal = [
        cylinder(0, -d * 0.12, 0, h - depth, min(w, d) * 0.2, shade(CERAMIC, 0.97)),
        block(min(w, d) * 0.5, min(w, d) * 0.5, 0, 0.04, CERAMIC, at=(0, -d * 0.12)),
        box(-w / 2, w / 2, -d / 2, -d * 0.4, h - depth, h, CERAMIC),
    ]
    return made([*pedestal, *moved(bowl.prims, dz=h - depth)])


def faucet(w: float, d: float, h: float, look: Look) -> Shape:
    """A column at the back, a spout to the front, two handles. Water while on."""
    r = min(0.016, w / 5, d / 6)
    back, front, lever = -d / 2 + r * 1.2, d / 2, min(w, 0.18) / 2
    parts = [
        cylinder(0, back, 0, h, r, STEEL, "metal"),
        box(-r * 0.8, r * 0.8, back, front, h - 2 * r, h, STEEL, "metal"),
        cylinder(0, front - r, h - min(0.05, h / 3), h, r * 0.9, STEEL, "metal"),
        box(-lever, lever, back - r * 0.7, back + r * 0.7, h * 0.2, h * 0.2 + 1.4 * r, STEEL, "metal"),
    ]
    return made([*parts, cylinder(0, front - r, -0.1, h - 0.05, r * 0.5, WATER, "glass")] if look.on else parts)


def toilet(w: float, d: float, h: float, look: Look) -> Shape:
    """A cistern at the wall, a bowl, a lid that opens. Boxes that are far too wide are drawn at a toilet's size."""
    ww, dd, seat, tank = min(w, 0.44), min(d, 0.75), min(0.42, h * 0.52), min(h, 0.82)
    front, back = dd / 2, -dd / 2
    bowl = min(0.25, dd * 0.34)
    parts = [
        box(-ww / 2, ww / 2, back, back + 0.18, seat - 0.04, tank - 0.03, CERAMIC),
        box(-ww / 2, ww / 2, back, back + 0.19, tank - 0.03, tank - 0.008, WHITE),
        cylinder(0, back + 0.09, tank - 0.008, tank, 0.025, STEEL, "metal"),
        box(-ww * 0.27, ww * 0.27, back + 0.04, front - bowl, 0, seat - 0.06, CERAMIC),
        cylinder(0, front - bowl * 1.2, 0, seat - 0.05, ww * 0.3, CERAMIC, ry=bowl * 0.8),
        cylinder(0, front - bowl, seat - 0.13, seat - 0.02, ww * 0.43, CERAMIC, ry=bowl * 0.96),
    ]
    if look.open:
        parts += [
            cylinder(0, front - bowl, seat - 0.02, seat - 0.015, ww * 0.3, POOL, ry=bowl * 0.7),
            box(-ww * 0.42, ww * 0.42, back + 0.19, back + 0.215, seat, seat + min(0.4, h * 0.5), WHITE),
        ]
    else:
        parts.append(cylinder(0, front - bowl, seat - 0.02, seat + 0.01, ww * 0.45, WHITE, ry=bowl))
    dy = dd / 2 - d / 2
    return made(moved(parts, dy=dy))


def bathtub(w: float, d: float, h: float, look: Look) -> Shape:
    """A tub with a broad rim. Water while on."""
    h, t = min(h, 0.62), min(0.07, w / 8, d / 8)
    parts = [
        block(w, d, 0, 0.12, CERAMIC),
        *[box(-w / 2, w / 2, sy * (d / 2 - t), sy * d / 2, 0, h, CERAMIC) for sy in (-1, 1)],
        *[box(sx * (w / 2 - t), sx * w / 2, -d / 2, d / 2, 0, h, CERAMIC) for sx in (-1, 1)],
        cylinder(-w / 2 + 2.5 * t, 0, 0.12, 0.124, 0.03, GREY, "metal"),
    ]
    if look.on:
        parts.append(block(w - 2 * t, d - 2 * t, h * 0.6, h * 0.62, POOL, "glass"))
    return made(parts)


def shower(w: float, d: float, h: float, look: Look) -> Shape:
    """A tray, two glass sides, a riser with a head, and a sliding pane that leaves half the front free."""
    edge = 0.012
    pane = (-w / 2, 0.0) if look.open else (-w / 2, w / 2)
    parts = [
        block(w, d, 0, 0.06, CERAMIC),
        cylinder(0, 0, 0.06, 0.064, 0.04, GREY, "metal"),
        cylinder(0, -d / 2 + 0.05, 0.9 * min(h / 2, 1), h, 0.012, STEEL, "metal"),
        box(-0.012, 0.012, -d / 2 + 0.05, -d / 2 + 0.2, h - 0.02, h, STEEL, "metal"),
        cylinder(0, -d / 2 + 0.2, h - 0.05, h - 0.02, 0.1, STEEL, "metal"),
        box(-0.06, 0.06, -d / 2 + 0.02, -d / 2 + 0.06, 1.0, 1.04, STEEL, "metal"),
        box(w / 2 - edge, w / 2, -d / 2, d / 2, 0.06, h, GLASS, "glass"),
        box(*pane, d / 2 - edge, d / 2, 0.06, h, GLASS, "glass"),
        box(-w / 2, w / 2, d / 2 - 0.02, d / 2, h - 0.03, h, STEEL, "metal"),
        box(w / 2 - 0.02, w / 2, -d / 2, d / 2, h - 0.03, h, STEEL, "metal"),
        box(w / 2 - 0.02, w / 2, d / 2 - 0.02, d / 2, 0.06, h, STEEL, "metal"),
    ]
    if look.on:
        parts += [
            cylinder(x, -d / 2 + 0.2 + y, 0.07, h - 0.05, 0.004, WATER)
            for x, y in ((0, 0), (0.05, 0.03), (-0.05, 0.03), (0.02, -0.05))
        ]
    return made(parts)


def glass_wall(w: float, d: float, h: float, look: Look) -> Shape:
    """A pane as thick as its thinnest side. A cabin given by one box shows its two outer sides.

    Open leaves half the width.
    """
    if w > 0.3 and d > 0.3:
        side = box(w / 2 - 0.012, w / 2, -d / 2, d / 2, 0, h, GLASS, "glass")
        return made([box(-w / 2, w / 2, d / 2 - 0.012, d / 2, 0, h, GLASS, "glass"), side])
    x1, y1 = (w / 2 if not look.open or w < d else 0.0), (d / 2 if not look.open or w >= d else 0.0)
    return made([
        box(-w / 2, x1, -d / 2, y1, 0, h - 0.02, GLASS, "glass"),
        block(w, d, h - 0.02, h, STEEL, "metal"),
        block(w, d, 0, 0.015, STEEL, "metal"),
    ])


def shower_head(w: float, d: float, h: float, look: Look) -> Shape:
    """A riser at the wall with a round head."""
    r = min(0.1, w / 2, d * 0.3)
    parts = [
        cylinder(0, -d / 2 + 0.015, 0, h, min(0.01, w / 4), STEEL, "metal"),
        box(-min(0.01, w / 4), min(0.01, w / 4), -d / 2, d / 2 - r, h - 0.02, h, STEEL, "metal"),
        cylinder(0, d / 2 - r, max(h - 0.05, 0), h - 0.02, r, STEEL, "metal"),
    ]
    return made([*parts, cylinder(0, d / 2 - r, -0.9, h - 0.05, r * 0.6, WATER, "glass")] if look.on else parts)


def vanity(w: float, d: float, h: float, look: Look) -> Shape:
    """A bathroom counter: a wooden body with two doors, a light top."""
    top, wood, gap = 0.03, look.of((OAK, WHITE, rgb("#8fa3a3"))), 0.1
    body, texture = h - top - gap, "wood"
    parts = [
        block(w, d, h - top, h, CERAMIC, "stone"),
        box(-w / 2 + 0.04, w / 2 - 0.04, -d / 2, d / 2 - 0.06, 0, gap, shade(GREY, 0.7)),
        *moved(carcass(w - 0.01, d - 0.03, body, wood, 1, texture), dy=-0.015, dz=gap),
    ]
    count = max(2, round(w / 0.55))
    bay = (w - 0.01) / count
    for k in range(count):
        a = -w / 2 + 0.005 + k * bay
        parts += door(
            (a, a + bay),
            d / 2 - 0.012,
            (gap, h - top),
            "left" if k % 2 == 0 else "right",
            look.open,
            shade(wood, 1.06),
            texture,
        )
    return made(parts)
