"""Chairs, sofas and beds."""

from __future__ import annotations

from sim.rendering.shapes.kit import (
    BLACK,
    CREAM,
    FABRICS,
    GREY,
    LINENS,
    OAK,
    STEEL,
    WALNUT,
    WHITE,
    WOODS,
    Look,
    Prim,
    Shape,
    ball,
    block,
    box,
    cylinder,
    legs,
    made,
    rgb,
    shade,
)

STUFFING = rgb("#7d6a55")
CHAIRS = (OAK, WALNUT, shade(GREY, 0.5), FABRICS[0])


def chair(w: float, d: float, h: float, look: Look) -> Shape:
    """A dining chair with a slatted back."""
    seat, wood = min(0.47, h * 0.52), look.of(CHAIRS)
    ww, dd = min(w, 0.52), min(d, 0.54)
    frame, back = shade(wood, 0.75), -dd / 2
    parts = [
        block(ww, dd, seat - 0.04, seat, wood, "wood"),
        box(-ww / 2, ww / 2, back, back + 0.03, h - min(0.14, (h - seat) * 0.3), h, wood, "wood"),
        box(-ww / 2, ww / 2, back, back + 0.025, seat + (h - seat) * 0.3, seat + (h - seat) * 0.45, wood, "wood"),
        *legs(ww, dd, seat - 0.04, frame, 0.018),
    ]
    parts += [box(sx * (ww / 2 - 0.035), sx * ww / 2, back, back + 0.035, seat - 0.02, h, frame, "wood") for sx in (-1, 1)]
    return made(parts)


def stool(w: float, d: float, h: float, look: Look) -> Shape:
    """A round seat on four legs with a ring."""
    r = min(w, d) / 2
    top = min(0.05, h / 5)
    parts = [cylinder(0, 0, h - top, h, r, look.of(WOODS), "wood"), *legs(r * 1.35, r * 1.35, h - top, GREY, 0.014, "metal")]
    if h > 0.5:
        parts.append(cylinder(0, 0, h * 0.3, h * 0.3 + 0.015, r * 0.72, GREY, "metal"))
    return made(parts)


def footstool(w: float, d: float, h: float, look: Look) -> Shape:
    """A padded block on short feet: ottomans, footstools."""
    fabric, foot = look.of(FABRICS), min(0.06, h * 0.2)
    parts = [block(w, d, foot, h * 0.8, fabric, "cloth"), block(w * 0.98, d * 0.98, h * 0.78, h, shade(fabric, 1.12), "cloth")]
    return made([*parts, *legs(w * 0.9, d * 0.9, foot)])


def sofa(w: float, d: float, h: float, look: Look) -> Shape:
    """A sofa or an armchair, with as many cushions as fit."""
    fabric = look.of(FABRICS)
    cushion, arm, seat, back = shade(fabric, 1.12), min(0.18, w * 0.16), min(0.45, h * 0.52), min(0.24, d * 0.26)
    rest = min(seat + 0.2, h)
    parts = [
        block(w, d, 0.06, seat - 0.12, fabric, "cloth"),
        box(-w / 2, w / 2, -d / 2, -d / 2 + back, 0.06, h - 0.04, fabric, "cloth"),
        *[box(sx * (w / 2 - arm), sx * w / 2, -d / 2, d / 2, 0.06, rest, fabric, "cloth") for sx in (-1, 1)],
        *legs(w * 0.95, d * 0.9, 0.06),
    ]
    count = max(1, round((w - 2 * arm) / 0.65))
    step = (w - 2 * arm) / count
    for k in range(count):
        a = -w / 2 + arm + k * step
        parts += [
            box(a + 0.008, a + step - 0.008, -d / 2 + back, d / 2 - 0.015, seat - 0.14, seat, cushion, "cloth"),
            box(a + 0.02, a + step - 0.02, -d / 2 + back - 0.05, -d / 2 + back + 0.1, seat - 0.01, h, cushion, "cloth"),
        ]
    return made(parts)


def bed(w: float, d: float, h: float, look: Look) -> Shape:
    """A bed with its head at the back. The foot end faces the front."""
    top = min(0.55, h * 0.6)
    cover, wood = look.of(LINENS), (look.colour and shade(look.colour, 0.5)) or WALNUT
    back, front = -d / 2, d / 2
    parts = [
        block(w, d, 0.08, top * 0.5, wood, "wood"),
        *legs(w, d, 0.08),
        box(-w / 2 + 0.03, w / 2 - 0.03, back + 0.05, front - 0.03, top * 0.5, top - 0.03, WHITE, "cloth"),
        box(-w / 2 + 0.008, w / 2 - 0.008, back + d * 0.34, front - 0.006, top * 0.55, top, cover, "cloth"),
        box(
            -w / 2 + 0.008, w / 2 - 0.008, back + d * 0.30, back + d * 0.40, top * 0.6, top + 0.012, shade(cover, 1.25), "cloth"
        ),
        box(-w / 2, w / 2, back, back + 0.05, 0, h, wood, "wood"),
        box(-w / 2, w / 2, front - 0.03, front, 0.05, min(top * 0.8, h), wood, "wood"),
    ]
    return made([*parts, *_pillows(w, back, top)])


def _pillows(w: float, back: float, top: float) -> list[Prim]:
    """Two pillows on a double bed, one on a single."""
    count = 2 if w > 1.2 else 1
    width = min(0.7, w * (0.44 if count == 2 else 0.7))
    return [
        ball((k - (count - 1) / 2) * w * 0.48, back + 0.28, top + 0.01, width / 2, 0.19, 0.075, WHITE, "cloth")
        for k in range(count)
    ]


def office_chair(w: float, d: float, h: float, look: Look) -> Shape:
    """A swivel chair on a star of five."""
    fabric, seat = look.of((BLACK, *FABRICS[:2], GREY)), min(0.48, h * 0.5)
    ww, dd = w * 0.8, d * 0.78
    star = [block(w * 0.9, 0.04, 0.05, 0.08, BLACK, yaw=k * 0.6283) for k in range(5)]
    wheels = [
        ball(x * w * 0.4, y * d * 0.4, 0.03, 0.03, 0.03, 0.03, BLACK)
        for x, y in ((0, 1), (0.95, 0.3), (0.6, -0.8), (-0.6, -0.8), (-0.95, 0.3))
    ]
    return made([
        *star,
        *wheels,
        cylinder(0, 0, 0.08, seat - 0.06, 0.028, STEEL, "metal"),
        block(ww, dd, seat - 0.07, seat, fabric, "cloth"),
        box(-0.03, 0.03, -dd / 2 - 0.02, -dd / 2 + 0.02, seat - 0.04, seat + 0.2, BLACK),
        box(-ww * 0.46, ww * 0.46, -dd / 2 - 0.03, -dd / 2 + 0.04, seat + 0.13, h, fabric, "cloth"),
        *[box(sx * ww * 0.5, sx * ww * 0.56, -dd * 0.3, dd * 0.25, seat + 0.18, seat + 0.21, BLACK) for sx in (-1, 1)],
        *[box(sx * ww * 0.5, sx * ww * 0.56, -0.02, 0.02, seat - 0.04, seat + 0.18, BLACK) for sx in (-1, 1)],
    ])


def dog_bed(w: float, d: float, h: float, look: Look) -> Shape:
    """A padded ring around a cushion."""
    cloth = look.of((STUFFING, *FABRICS[:2]))
    rim = min(0.14, w / 6, d / 6)
    sides = [box(-w / 2, w / 2, sy * (d / 2 - rim), sy * d / 2, 0, h, cloth, "cloth") for sy in (-1, 1)]
    ends = [box(sx * (w / 2 - rim), sx * w / 2, -d / 2, d / 2, 0, h, cloth, "cloth") for sx in (-1, 1)]
    return made([block(w * 0.96, d * 0.96, 0, h * 0.45, CREAM, "cloth"), *sides, *ends])
