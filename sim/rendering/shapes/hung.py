"""Objects on walls and at windows, rugs, and radiators."""

from __future__ import annotations

import math

from sim.rendering.shapes.kit import (
    BLACK,
    CERAMIC,
    FABRICS,
    GREY,
    OAK,
    PAINTS,
    STEEL,
    WALNUT,
    WHITE,
    Look,
    Prim,
    Shape,
    ball,
    block,
    box,
    carcass,
    cylinder,
    disc,
    doors,
    made,
    mix,
    moved,
    rgb,
    rod,
    shade,
)

SILVER, DRAPES = rgb("#cfe0e6"), (rgb("#d9cdb8"), rgb("#9fb4bd"), rgb("#b7a6b8"))
RUGS = (rgb("#8f5d4a"), rgb("#49617d"), rgb("#7fa89b"), rgb("#a08a5a"))
SKIES = (rgb("#a9cbe6"), rgb("#f2cf9b"), rgb("#dfe6e3"), rgb("#8fb3c9"))


def picture(w: float, d: float, h: float, look: Look) -> Shape:
    """A frame, a mount, and a small landscape or an abstract in colours chosen by the object's pick."""
    pick, edge, front = look.pick, min(w, h) * 0.06, d / 2
    frame = block(w, d - 0.004, 0, h, (WALNUT, BLACK, OAK, WHITE)[pick % 4], "wood")
    frame = frame._replace(centre=(0, -0.002, h / 2))
    mount = box(-w / 2 + edge, w / 2 - edge, front - 0.004, front - 0.003, edge, h - edge, CERAMIC)
    inner = edge * 2.2
    return made([frame, mount, *_painting(w / 2 - inner, (inner, h - inner), front, pick)])


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


def mirror(w: float, d: float, h: float, look: Look) -> Shape:
    """A silvered pane in a thin frame."""
    edge = min(0.02, w / 8, h / 8)
    frame = box(-w / 2, w / 2, -d / 2, d / 2 - 0.004, 0, h, look.of((GREY, OAK, BLACK)), "metal")
    return made([frame, box(-w / 2 + edge, w / 2 - edge, d / 2 - 0.004, d / 2, edge, h - edge, SILVER, "mirror")])


def mirror_cabinet(w: float, d: float, h: float, look: Look) -> Shape:
    """A shallow wall cupboard whose doors are mirrors."""
    parts = moved(carcass(w, d - 0.012, h, WHITE, 2), dy=-0.006)
    count = 2 if w > 0.55 else 1
    parts += doors(w, d / 2 - 0.004, (0, h), count, look.open, WHITE, hinge=look.hinge)
    if not look.open:
        step = w / count
        panes = [(-w / 2 + k * step, -w / 2 + (k + 1) * step) for k in range(count)]
        parts += [box(a + 0.02, b - 0.02, d / 2 - 0.004, d / 2 - 0.001, 0.02, h - 0.02, SILVER, "mirror") for a, b in panes]
    return made(parts)


def clock(w: float, d: float, h: float, look: Look) -> Shape:
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
    return made([
        disc(0, -0.003, z, r, d - 0.006, look.of((BLACK, WALNUT, PAINTS[1])), "plain"),
        disc(0, front - 0.006, z, r * 0.9, 0.004, WHITE),
        *ticks,
        *hands,
    ])


def curtain(w: float, d: float, h: float, look: Look) -> Shape:
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
    return made([*folds, box(-w / 2, w / 2, -0.01, 0.01, h - 0.02, h, GREY, "metal")])


def blinds(w: float, d: float, h: float, look: Look) -> Shape:
    """Slats. Open raises them to the head."""
    top = h * 0.12 if look.open else h
    count = max(2, min(40, round(top / 0.05)))
    step, depth = top / count, min(d, 0.04)
    slats = [block(w, depth, h - top + step * k, h - top + step * (k + 0.6), WHITE) for k in range(count)]
    return made([*slats, block(w, depth, h - 0.025, h, shade(WHITE, 0.9))])


def rail(w: float, d: float, h: float, look: Look) -> Shape:
    """A towel rail or a paper hanger: a bar on two arms."""
    z, front = h / 2, d / 2
    r = min(0.012, h / 2, d / 4)
    arms = [box(sx * (w / 2 - 2 * r), sx * w / 2, -d / 2, front, z - r, z + r, STEEL, "metal") for sx in (-1, 1)]
    bar = rod(0, front - r, z, r, w - 2 * r, STEEL, "metal", math.pi / 2)
    return made([bar, *arms])


def radiator(w: float, d: float, h: float, look: Look) -> Shape:
    """Ribs between two pipes, with a valve."""
    count = max(3, round(w / 0.08))
    step, depth = w / count, d * 0.7
    ribs = [block(step * 0.72, depth, h * 0.04, h * 0.98, WHITE, at=(-w / 2 + step * (k + 0.5), 0)) for k in range(count)]
    pipes = [block(w, depth * 0.5, z, z + h * 0.06, shade(WHITE, 0.93)) for z in (h * 0.08, h * 0.86)]
    valve = box(w / 2 - 0.02, w / 2, d * 0.3, d / 2, h * 0.1, h * 0.16, GREY, "metal")
    return made([*ribs, *pipes, box(-w * 0.4, w * 0.4, -d / 2, -depth / 2, h * 0.4, h * 0.5, GREY), valve])


def wall_plate(w: float, d: float, h: float, look: Look) -> Shape:
    """Light switches and sockets."""
    tilt = (0.5, 0.68) if look.on else (0.32, 0.5)
    return made([
        box(-w / 2, w / 2, -d / 2, 0, 0, h, WHITE),
        box(-w / 6, w / 6, 0, d / 4, h * 0.32, h * 0.68, shade(WHITE, 0.8)),
        box(-w / 6, w / 6, 0, d / 2, h * tilt[0], h * tilt[1], WHITE),
    ])


def phone_on_wall(w: float, d: float, h: float, look: Look) -> Shape:
    """A receiver on a keypad."""
    face = d / 2 - 0.03
    keys = [
        box(w * x - 0.008, w * x + 0.008, face, face + 0.005, h * z, h * z + 0.012, GREY)
        for x in (0.06, 0.2, 0.34)
        for z in (0.2, 0.32, 0.44)
    ]
    case = look.of((CERAMIC, rgb("#c0392b"), BLACK))
    return made([
        box(-w / 2, w / 2, -d / 2, face, 0, h * 0.9, case),
        box(-w * 0.44, -w * 0.1, face, d / 2 - 0.012, h * 0.05, h, shade(case, 0.85)),
        *[ball(-w * 0.27, face + 0.014, h * z, w * 0.19, 0.016, h * 0.1, shade(case, 0.8)) for z in (0.14, 0.88)],
        *keys,
    ])


def rug(w: float, d: float, h: float, look: Look) -> Shape:
    """A rug with a border."""
    colour, flat = look.of(RUGS), max(min(h, 0.012), 0.004)
    edge = min(0.12, w / 8, d / 8)
    inner = block(w - 2 * edge, d - 2 * edge, flat - 0.001, flat + 0.001, shade(colour, 1.25), "rug")
    return made([block(w, d, 0, flat, shade(colour, 0.85), "rug"), inner])


def hanging_cloth(w: float, d: float, h: float, look: Look) -> Shape:
    """A towel over its rail: two layers and a stripe."""
    cloth, depth = look.of((*FABRICS, rgb("#d98f7c"), rgb("#9fc6c1"))), max(d, 0.012)
    return made([
        box(-w / 2, w / 2, 0, depth / 2, 0, h, cloth, "cloth"),
        box(-w / 2, w / 2, -depth / 2, 0, h * 0.25, h, shade(cloth, 0.9), "cloth"),
        box(-w / 2, w / 2, depth / 2 - 0.002, depth / 2, h * 0.12, h * 0.2, shade(cloth, 1.4), "cloth"),
    ])
