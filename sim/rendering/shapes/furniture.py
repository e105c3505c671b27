"""Furniture: chairs, sofas and beds; tables and worktops; cupboards, drawers, shelves, boxes and bins."""

from __future__ import annotations

import math
from functools import partial

from sim.geometry.model import Colour
from sim.rendering.shapes.kit import (
    BLACK,
    BOARD,
    CARD,
    CREAM,
    FABRICS,
    GREY,
    LINENS,
    OAK,
    STEEL,
    STONE,
    WALNUT,
    WHITE,
    WICKER,
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
    door,
    doors,
    drawer_front,
    drawer_stack,
    legs,
    moved,
    rgb,
    shade,
    sides,
)

STUFFING = rgb("#7d6a55")
CHAIRS = (OAK, WALNUT, shade(GREY, 0.5), FABRICS[0])


def chair(w: float, d: float, h: float, look: Appearance) -> Shape:
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
    return parts


def stool(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A round seat on four legs with a ring."""
    r = min(w, d) / 2
    top = min(0.05, h / 5)
    parts = [cylinder(0, 0, h - top, h, r, look.of(WOODS), "wood"), *legs(r * 1.35, r * 1.35, h - top, GREY, 0.014, "metal")]
    if h > 0.5:
        parts.append(cylinder(0, 0, h * 0.3, h * 0.3 + 0.015, r * 0.72, GREY, "metal"))
    return parts


def footstool(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A padded block on short feet: ottomans, footstools."""
    fabric, foot = look.of(FABRICS), min(0.06, h * 0.2)
    parts = [block(w, d, foot, h * 0.8, fabric, "cloth"), block(w * 0.98, d * 0.98, h * 0.78, h, shade(fabric, 1.12), "cloth")]
    return [*parts, *legs(w * 0.9, d * 0.9, foot)]


def sofa(w: float, d: float, h: float, look: Appearance) -> Shape:
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
    return parts


def bed(w: float, d: float, h: float, look: Appearance) -> Shape:
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
    return [*parts, *_pillows(w, back, top)]


def _pillows(w: float, back: float, top: float) -> list[Prim]:
    """Two pillows on a double bed, one on a single."""
    count = 2 if w > 1.2 else 1
    width = min(0.7, w * (0.44 if count == 2 else 0.7))
    return [
        ball((k - (count - 1) / 2) * w * 0.48, back + 0.28, top + 0.01, width / 2, 0.19, 0.075, WHITE, "cloth")
        for k in range(count)
    ]


def office_chair(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A swivel chair on a star of five."""
    fabric, seat = look.of((BLACK, *FABRICS[:2], GREY)), min(0.48, h * 0.5)
    ww, dd = w * 0.8, d * 0.78
    arm = min(w, d) * 0.45
    turns = [(k * math.tau / 5, math.cos(k * math.tau / 5), math.sin(k * math.tau / 5)) for k in range(5)]
    star = [block(arm, 0.04, 0.05, 0.08, BLACK, at=(x * arm / 2, y * arm / 2), yaw=a) for a, x, y in turns]
    wheels = [ball(x * (arm - 0.03), y * (arm - 0.03), 0.03, 0.03, 0.03, 0.03, BLACK) for _, x, y in turns]
    return [
        *star,
        *wheels,
        cylinder(0, 0, 0.08, seat - 0.06, 0.028, STEEL, "metal"),
        block(ww, dd, seat - 0.07, seat, fabric, "cloth"),
        box(-0.03, 0.03, -dd / 2 - 0.02, -dd / 2 + 0.02, seat - 0.04, seat + 0.2, BLACK),
        box(-ww * 0.46, ww * 0.46, -dd / 2 - 0.03, -dd / 2 + 0.04, seat + 0.13, h, fabric, "cloth"),
        *[box(sx * ww * 0.5, sx * ww * 0.56, -dd * 0.3, dd * 0.25, seat + 0.18, seat + 0.21, BLACK) for sx in (-1, 1)],
        *[box(sx * ww * 0.5, sx * ww * 0.56, -0.02, 0.02, seat - 0.04, seat + 0.18, BLACK) for sx in (-1, 1)],
    ]


def dog_bed(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A padded ring around a cushion."""
    cloth = look.of((STUFFING, *FABRICS[:2]))
    rim = min(0.14, w / 6, d / 6)
    return [block(w * 0.96, d * 0.96, 0, h * 0.45, CREAM, "cloth"), *sides(w, d, rim, (0, h), cloth, "cloth")]


KICK, TOP = 0.08, 0.03
"""Height of a plinth and thickness of a worktop, metres."""
LEAF = 0.2
"""A desk lower than this is a board at the wall, metres."""


def table(w: float, d: float, h: float, look: Appearance) -> Shape:
    """Four legs, an apron and a top."""
    wood, top = look.of(WOODS), min(0.04, h / 4)
    inset = min(0.05, w / 10, d / 10)
    apron = block(w - 2 * inset, d - 2 * inset, h - top - min(0.07, h / 6), h - top, shade(wood, 0.85), "wood")
    legged = moved(legs(w - inset, d - inset, h - top, shade(wood, 0.8)))
    return [block(w, d, h - top, h, wood, "wood"), apron, *legged]


def round_table(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A round top on one column with a spread foot."""
    wood = look.of(WOODS)
    top = min(0.035, h / 5)
    return [
        cylinder(0, 0, h - top, h, w / 2, wood, "wood", d / 2),
        cylinder(0, 0, h - top - 0.02, h - top, w * 0.22, shade(wood, 0.8), "wood", d * 0.22),
        cylinder(0, 0, 0.03, h - top - 0.02, min(0.05, w / 8), shade(wood, 0.7), "wood"),
        cylinder(0, 0, 0, 0.03, w * 0.27, shade(wood, 0.7), "wood", d * 0.27),
    ]


def coffee_table(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A low table with a shelf below the top."""
    wood, low = look.of(WOODS), h * 0.35
    shape = table(w, d, h, look)
    shelf = block(w - 0.1, d - 0.1, low, low + 0.02, shade(wood, 0.9), "wood")
    return [*shape, shelf]


def desk(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A top on legs. Wide desks have a pedestal of drawers, of which the top one opens: on the left if hinged right."""
    wood, top = look.of((OAK, WALNUT, WHITE)), min(0.035, h / 6)
    if h < LEAF:
        return [block(w, d, 0, h, wood, "wood")]
    parts = [
        block(w, d, h - top, h, wood, "wood"),
        box(-w / 2 + 0.03, w / 2 - 0.03, -d / 2 + 0.02, -d / 2 + 0.04, h * 0.5, h - top, wood, "wood"),
    ]
    if w < 0.75 or d < 0.35:
        return [*parts, *legs(w, d, h - top, shade(wood, 0.85))]
    pedestal, mirror = min(0.4, w * 0.35), -1 if look.hinge == "right" else 1
    side = mirror * (w / 2 - pedestal / 2 - 0.02)
    depth, low, high = d - 0.08, 0.06, h - top
    body = box(-pedestal / 2, pedestal / 2, -depth / 2, depth / 2 - BOARD, low, high, wood, "wood")
    fronts = drawer_stack(pedestal, depth, (low, high), 3, look.open, shade(wood, 1.08))
    parts += moved([body, *fronts], dx=side)
    parts += [
        box(-mirror * w / 2, -mirror * (w / 2 - 0.04), sy * d / 2, sy * (d / 2 - 0.04), 0, h - top, shade(wood, 0.85), "wood")
        for sy in (-1, 1)
    ]
    parts += [block(pedestal * 0.9, depth * 0.9, 0, low, shade(wood, 0.6), at=(side, 0))]
    return parts


def hutch(w: float, d: float, h: float, look: Appearance) -> Shape:
    """The back, sides and roof on a desk whose box is taller than its top. Open in the middle."""
    wood, depth = look.of((OAK, WALNUT)), min(d * 0.4, 0.3)
    back, front = -d / 2, -d / 2 + depth
    return [
        box(-w / 2, w / 2, back, back + 0.015, 0, h, shade(wood, 0.9), "wood"),
        box(-w / 2, -w / 2 + BOARD, back, front, 0, h, wood, "wood"),
        box(w / 2 - BOARD, w / 2, back, front, 0, h, wood, "wood"),
        box(-w / 2, w / 2, back, front, h - BOARD, h, wood, "wood"),
    ]


def bench(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A plank on two trestles."""
    wood = look.of(WOODS)
    trestles = [
        box(sx * (w / 2 - 0.1), sx * (w / 2 - 0.14), -d / 2 + 0.02, d / 2 - 0.02, 0, h - 0.04, shade(wood, 0.85), "wood")
        for sx in (-1, 1)
    ]
    rail = box(-w / 2 + 0.12, w / 2 - 0.12, -0.02, 0.02, h * 0.4, h * 0.4 + 0.05, shade(wood, 0.85), "wood")
    return [block(w, d, h - 0.04, h, wood, "wood"), *trestles, rail]


def worktop(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A slab of stone, as thick as its box but at least 3 cm."""
    low = min(0.0, h - TOP)
    return [block(w, d, low, h, look.of((STONE,)), "stone")]


def counter(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A run of base cupboards under one worktop. Open shows the inside of all of them."""
    count = max(1, round(w / 0.5))
    front, bay, colour = look.of((WHITE,)), w / count, shade(look.of((WHITE,)), 1.03)
    parts: list[Prim] = [
        box(-w / 2, w / 2, -d / 2, d / 2 - 0.06, 0, KICK, GREY),
        block(w, d, h - TOP, h, STONE, "stone"),
    ]
    body, depth = h - TOP - KICK, d - 0.03
    if not look.open:
        parts.append(box(-w / 2, w / 2, -d / 2, d / 2 - 0.03, KICK, h - TOP, front))
    for k in range(count):
        x = -w / 2 + bay * (k + 0.5)
        if look.open:
            parts += moved(carcass(bay, depth, body, front, 1), x, -0.015, KICK)
        parts += door(
            (x - bay / 2, x + bay / 2),
            d / 2 - 0.012,
            (KICK + 0.01, h - TOP - 0.01),
            "left" if k % 2 == 0 else "right",
            look.open,
            colour,
        )
    return parts


def filler(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A plain body below a worktop where nothing else is."""
    return [block(w, d, 0, h, look.of((shade(WHITE, 0.93),)))]


def board(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A cutting board with a grip hole."""
    top = max(h, 0.01)
    hole = cylinder(0, d * 0.4, top - 0.001, top, min(w, d) * 0.06, shade(WALNUT, 0.5))
    return [block(w, d, 0, top - 0.0005, look.of(WOODS), "wood"), hole]


SAFE, SAFE_DOOR = rgb("#4b5157"), rgb("#5a6168")
WIDE = 0.62
"""Wider cupboards have two doors, metres."""


def cupboard(
    w: float, d: float, h: float, look: Appearance, colour: Colour = WHITE, shelves: int | None = None, texture: str = "plain"
) -> Shape:
    """A hollow body behind one or two hinged doors. Its shelves show while it is open."""
    count = max(1, round(h / 0.4) - 1) if shelves is None else shelves
    paint, body = look.colour or colour, d - 0.012
    parts = moved(carcass(w, body, h, paint, count, texture), dy=-0.006)
    parts += doors(w, d / 2, (0, h), 2 if w > WIDE else 1, look.open, shade(paint, 1.03), texture, look.hinge)
    return parts


base_cupboard = partial(cupboard, colour=WHITE)
wooden_cupboard = partial(cupboard, colour=OAK, texture="wood")


def cabinet_on_legs(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A sideboard: a wooden cupboard on short legs."""
    foot = min(0.12, h * 0.15)
    body = wooden_cupboard(w, d, h - foot, look, colour=look.of(WOODS))
    return [*moved(body, dz=foot), *legs(w * 0.96, d * 0.9, foot)]


def wardrobe(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A tall cupboard with a clothes rail."""
    shape = cupboard(w, d, h, look, CREAM, 2, "wood")
    rail = box(-w / 2 + BOARD, w / 2 - BOARD, -0.012, 0.012, h * 0.93, h * 0.93 + 0.024, STEEL, "metal")
    return [*shape, rail] if look.open else shape


def dresser(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A chest of drawers, or a wardrobe if it is as tall as one."""
    return wardrobe(w, d, h, look) if h > 1.4 else drawers(w, d, h, look)


def drawers(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A stack of drawers under a top. Open pulls the upper one out."""
    count = max(1, round(h / 0.24))
    wood = look.of(WOODS)
    foot = min(0.05, h * 0.1)
    return [
        block(w, d - 0.005, h - 0.02, h, shade(wood, 0.9), "wood"),
        box(-w / 2, w / 2, -d / 2, d / 2 - BOARD, foot, h - 0.02, wood, "wood"),
        block(w * 0.94, d * 0.9, 0, foot, shade(wood, 0.55)),
        *drawer_stack(w, d, (foot, h - 0.02), count, look.open, shade(wood, 1.08)),
    ]


def tv_stand(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A low board with an open niche in the middle and doors at both sides."""
    if h > 0.8 or w < 0.7:
        return drawers(w, d, h, look)
    wood, third = look.of(WOODS), w / 3
    foot, body = min(0.06, h * 0.15), d - 0.012
    parts = [*legs(w * 0.97, d * 0.9, foot), block(w, d, h - BOARD, h, shade(wood, 0.9), "wood")]
    for k, x in enumerate((-third, 0.0, third)):
        parts += moved(carcass(third, body, h - BOARD - foot, wood, 1 if k == 1 else 0, "wood"), x, -0.006, foot)
        if k != 1:
            levels = (foot, h - BOARD)
            parts += door(
                (x - third / 2, x + third / 2),
                d / 2,
                levels,
                "left" if k == 0 else "right",
                look.open,
                shade(wood, 1.08),
                "wood",
            )
    return parts


def drawer(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A single drawer as iTHOR lists them: an open tray that slides out of the piece around it."""
    out, t, front = (d * 0.6 if look.open else 0.0), 0.012, look.colour or WHITE
    tray = [
        box(-w / 2 + t, w / 2 - t, -d / 2, d / 2 - t, 0.004, 0.016, OAK, "wood"),
        box(-w / 2 + 0.004, -w / 2 + t, -d / 2, d / 2 - t, 0.004, h * 0.8, OAK, "wood"),
        box(w / 2 - t, w / 2 - 0.004, -d / 2, d / 2 - t, 0.004, h * 0.8, OAK, "wood"),
        box(-w / 2 + 0.004, w / 2 - 0.004, -d / 2, -d / 2 + t, 0.004, h * 0.8, OAK, "wood"),
    ]
    return moved([*tray, *drawer_front((-w / 2, w / 2), d / 2, (0, h), shade(front, 1.03), "plain")], dy=out)


def shelves(w: float, d: float, h: float, look: Appearance) -> Shape:
    """An open shelf: bookshelves, shoe racks, shelving units."""
    wood = look.of((OAK, WALNUT))
    count = max(1, round(h / 0.38) - 1)
    return carcass(w, d, h, wood, count, "wood")


def shelf_case(w: float, d: float, h: float, look: Appearance) -> Shape:
    """An open shelf whose boards are objects of their own."""
    return carcass(w, d, h, look.of((OAK, WALNUT)), 0, "wood")


def shoe_rack(w: float, d: float, h: float, look: Appearance) -> Shape:
    """Two sides and three slatted boards."""
    wood = look.of(WOODS)
    levels = (h * 0.12, h * 0.52, h - BOARD)
    uprights = [box(sx * (w / 2 - BOARD), sx * w / 2, -d / 2, d / 2, 0, h, wood, "wood") for sx in (-1, 1)]
    slats = [
        box(-w / 2, w / 2, y - d * 0.1, y + d * 0.1, z, z + 0.016, shade(wood, 1.08), "wood")
        for z in levels
        for y in (-d * 0.36, 0, d * 0.36)
    ]
    return [*uprights, *slats]


def shelf_board(w: float, d: float, h: float, look: Appearance) -> Shape:
    """An iTHOR Shelf. The box covers the free air above, only its floor is a board."""
    return [block(w, d, -0.012, 0.006, look.of((OAK,)), "wood")]


def wall_shelf(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A board on two brackets."""
    wood, thick = look.of(WOODS), min(h, 0.03)
    brackets = [
        box(x - 0.01, x + 0.01, -d / 2, d * 0.2, max(h - thick - 0.03, 0), h - thick, GREY) for x in (-w * 0.35, w * 0.35)
    ]
    return [block(w, d, h - thick, h, wood, "wood"), *(brackets if h > 0.04 else [])]


def bin_with_lid(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A round bin. Open tips its lid up behind it."""
    colour, r = look.of((GREY, BLACK, STEEL)), min(w, d) / 2
    parts = [
        cylinder(0, 0, 0, h * 0.93, r * 0.95, colour, "metal"),
        box(-r * 0.2, r * 0.2, r * 0.8, r * 0.98, 0.01, 0.03, BLACK),
    ]
    if look.open:
        lid = disc(0, -r * 0.93, h * 0.95, r * 0.85, 0.02, shade(colour, 0.8))
        return [*parts, cylinder(0, 0, h * 0.92, h * 0.935, r * 0.86, shade(BLACK, 0.5)), lid]
    lid_parts = [
        cylinder(0, 0, h * 0.93, h * 0.97, r, shade(colour, 0.8)),
        cylinder(0, 0, h * 0.97, h, r * 0.6, shade(colour, 0.8)),
    ]
    return [*parts, *lid_parts]


def bin_without_lid(w: float, d: float, h: float, look: Appearance) -> Shape:
    """An open bin."""
    colour, r = look.of((GREY, BLACK, STEEL)), min(w, d) / 2
    return [
        cylinder(0, 0, 0, h * 0.97, r * 0.92, colour, "plain"),
        cylinder(0, 0, h * 0.95, h - 0.003, r, shade(colour, 1.15)),
        cylinder(0, 0, h - 0.004, h, r * 0.86, shade(BLACK, 0.6)),
    ]


def basket(w: float, d: float, h: float, look: Appearance) -> Shape:
    """Wicker walls in two bands, with cloth inside."""
    wicker, t = look.of((WICKER,)), min(0.025, w / 8, d / 8)
    parts = [block(w - t, d - t, 0, 0.02, wicker, "cloth")]
    for z0, z1, factor, grow in ((0, 0.45, 0.92, 0.985), (0.45, 0.9, 1.0, 0.985), (0.9, 1.0, 0.8, 1.0)):
        ww, dd, colour = w * grow, d * grow, shade(wicker, factor)
        parts += sides(ww, dd, t, (h * z0, h * z1), colour, "cloth")
    parts.append(block(w - 2 * t, d - 2 * t, h * 0.5, h * 0.55, shade(WHITE, 0.95), "cloth"))
    return parts


def hamper(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A laundry basket with a lid. Open stands the lid up at the back."""
    lid, wicker = max(0.015, h * 0.03), shade(look.of((WICKER,)), 0.8)
    body = basket(w, d, h - lid, look)
    if look.open:
        leaf = box(-w / 2, w / 2, -d / 2, -d / 2 + lid, h - lid, h - lid + d * 0.8, wicker, "cloth")
    else:
        leaf = block(w, d, h - lid, h, wicker, "cloth")
    return [*body, leaf]


def carton(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A cardboard box. Open spreads its flaps."""
    t, card = min(0.012, w / 8, d / 8), look.colour or CARD
    parts = [
        block(w, d, 0, t, card),
        *[box(sx * (w / 2 - t), sx * w / 2, -d / 2, d / 2, 0, h - 0.004, shade(card, 0.95)) for sx in (-1, 1)],
        *[box(-w / 2, w / 2, sy * (d / 2 - t), sy * d / 2, 0, h - 0.004, card) for sy in (-1, 1)],
    ]
    if look.open:
        flap = min(0.12, w * 0.4)
        flaps = [box(sx * w / 2, sx * (w / 2 + flap), -d / 2, d / 2, h - 0.012, h - 0.004, card) for sx in (-1, 1)]
        return [*parts, *flaps]
    lid = [block(w, d, h - 0.01, h - 0.001, card), block(min(0.05, w / 5), d, h - 0.002, h, shade(card, 1.35))]
    return [*parts, *lid]


def safe(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A steel box with a wheel on its door."""
    parts = moved(carcass(w, d - 0.012, h, SAFE, 0, "metal"), dy=-0.006)
    parts += door((-w / 2, w / 2), d / 2, (0, h), "left", look.open, SAFE_DOOR, "metal")
    wheel = [] if look.open else [disc(0, d / 2 + 0.005, h * 0.55, min(0.06, w / 6), 0.03, STEEL, "metal")]
    return [*parts, *wheel]
