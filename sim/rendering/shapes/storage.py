"""Cupboards, drawers, shelves, boxes, baskets and bins."""

from __future__ import annotations

from functools import partial

from sim.geometry.model import Colour
from sim.rendering.shapes.kit import (
    BLACK,
    BOARD,
    CARD,
    CREAM,
    GREY,
    OAK,
    STEEL,
    WALNUT,
    WHITE,
    WICKER,
    WOODS,
    Look,
    Shape,
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
    made,
    moved,
    rgb,
    shade,
)

SAFE, SAFE_DOOR = rgb("#4b5157"), rgb("#5a6168")
WIDE = 0.62
"""Wider cupboards have two doors, metres."""


def cupboard(
    w: float, d: float, h: float, look: Look, colour: Colour = WHITE, shelves: int | None = None, texture: str = "plain"
) -> Shape:
    """A hollow body behind one or two hinged doors. Its shelves show while it is open."""
    count = max(1, round(h / 0.4) - 1) if shelves is None else shelves
    paint, body = look.colour or colour, d - 0.012
    parts = moved(carcass(w, body, h, paint, count, texture), dy=-0.006)
    parts += doors(w, d / 2, (0, h), 2 if w > WIDE else 1, look.open, shade(paint, 1.03), texture, look.hinge)
    return made(parts)


base_cupboard = partial(cupboard, colour=WHITE)
wooden_cupboard = partial(cupboard, colour=OAK, texture="wood")


def cabinet_on_legs(w: float, d: float, h: float, look: Look) -> Shape:
    """A sideboard: a wooden cupboard on short legs."""
    foot = min(0.12, h * 0.15)
    body = wooden_cupboard(w, d, h - foot, look, colour=look.of(WOODS))
    parts = [*moved(body.prims, dz=foot), *legs(w * 0.96, d * 0.9, foot)]
    return made(parts)


def wardrobe(w: float, d: float, h: float, look: Look) -> Shape:
    """A tall cupboard with a clothes rail."""
    shape = cupboard(w, d, h, look, CREAM, 2, "wood")
    rail = box(-w / 2 + BOARD, w / 2 - BOARD, -0.012, 0.012, h * 0.93, h * 0.93 + 0.024, STEEL, "metal")
    return made([*shape.prims, rail] if look.open else shape.prims)


def dresser(w: float, d: float, h: float, look: Look) -> Shape:
    """A chest of drawers, or a wardrobe if it is as tall as one."""
    return wardrobe(w, d, h, look) if h > 1.4 else drawers(w, d, h, look)


def drawers(w: float, d: float, h: float, look: Look, colour: Colour | None = None) -> Shape:
    """A stack of drawers under a top. Open pulls the upper one out."""
    count = max(1, round(h / 0.24))
    wood = look.colour or colour or look.of(WOODS)
    foot = min(0.05, h * 0.1)
    parts = [
        block(w, d - 0.005, h - 0.02, h, shade(wood, 0.9), "wood"),
        box(-w / 2, w / 2, -d / 2, d / 2 - BOARD, foot, h - 0.02, wood, "wood"),
        block(w * 0.94, d * 0.9, 0, foot, shade(wood, 0.55)),
        *drawer_stack(w, d, (foot, h - 0.02), count, look.open, shade(wood, 1.08)),
    ]
    return made(parts)


def tv_stand(w: float, d: float, h: float, look: Look) -> Shape:
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
    return made(parts)


def drawer(w: float, d: float, h: float, look: Look) -> Shape:
    """A single drawer as iTHOR lists them: an open tray that slides out of the piece around it."""
    out, t, front = (d * 0.6 if look.open else 0.0), 0.012, look.colour or WHITE
    tray = [
        box(-w / 2 + t, w / 2 - t, -d / 2, d / 2 - t, 0.004, 0.016, OAK, "wood"),
        box(-w / 2 + 0.004, -w / 2 + t, -d / 2, d / 2 - t, 0.004, h * 0.8, OAK, "wood"),
        box(w / 2 - t, w / 2 - 0.004, -d / 2, d / 2 - t, 0.004, h * 0.8, OAK, "wood"),
        box(-w / 2 + 0.004, w / 2 - 0.004, -d / 2, -d / 2 + t, 0.004, h * 0.8, OAK, "wood"),
    ]
    parts = moved([*tray, *drawer_front((-w / 2, w / 2), d / 2, (0, h), shade(front, 1.03), "plain")], dy=out)
    return made(parts)


def shelves(w: float, d: float, h: float, look: Look) -> Shape:
    """An open shelf: bookshelves, shoe racks, shelving units."""
    wood = look.of((OAK, WALNUT))
    count = max(1, round(h / 0.38) - 1)
    return made(carcass(w, d, h, wood, count, "wood"))


def shoe_rack(w: float, d: float, h: float, look: Look) -> Shape:
    """Two sides and three slatted boards."""
    wood = look.of(WOODS)
    levels = (h * 0.12, h * 0.52, h - BOARD)
    sides = [box(sx * (w / 2 - BOARD), sx * w / 2, -d / 2, d / 2, 0, h, wood, "wood") for sx in (-1, 1)]
    slats = [
        box(-w / 2, w / 2, y - d * 0.1, y + d * 0.1, z, z + 0.016, shade(wood, 1.08), "wood")
        for z in levels
        for y in (-d * 0.36, 0, d * 0.36)
    ]
    return made([*sides, *slats])


def board(w: float, d: float, h: float, look: Look) -> Shape:
    """An iTHOR Shelf. The box covers the free air above, only its floor is a board."""
    return made([block(w, d, -0.012, 0.006, look.of((OAK,)), "wood")])


def wall_shelf(w: float, d: float, h: float, look: Look) -> Shape:
    """A board on two brackets."""
    wood, thick = look.of(WOODS), min(h, 0.03)
    brackets = [
        box(x - 0.01, x + 0.01, -d / 2, d * 0.2, max(h - thick - 0.03, 0), h - thick, GREY) for x in (-w * 0.35, w * 0.35)
    ]
    return made([block(w, d, h - thick, h, wood, "wood"), *(brackets if h > 0.04 else [])])


def bin_with_lid(w: float, d: float, h: float, look: Look) -> Shape:
    """A round bin. Open tips its lid up behind it."""
    colour, r = look.of((GREY, BLACK, STEEL)), min(w, d) / 2
    parts = [
        cylinder(0, 0, 0, h * 0.93, r * 0.95, colour, "metal"),
        box(-r * 0.2, r * 0.2, r * 0.8, r * 0.98, 0.01, 0.03, BLACK),
    ]
    if look.open:
        lid = disc(0, -r * 0.93, h * 0.95, r * 0.85, 0.02, shade(colour, 0.8))
        return made([*parts, cylinder(0, 0, h * 0.92, h * 0.935, r * 0.86, shade(BLACK, 0.5)), lid])
    lid_parts = [
        cylinder(0, 0, h * 0.93, h * 0.97, r, shade(colour, 0.8)),
        cylinder(0, 0, h * 0.97, h, r * 0.6, shade(colour, 0.8)),
    ]
    return made([*parts, *lid_parts])


def bin_without_lid(w: float, d: float, h: float, look: Look) -> Shape:
    """An open bin."""
    colour, r = look.of((GREY, BLACK, STEEL)), min(w, d) / 2
    parts = [
        cylinder(0, 0, 0, h * 0.97, r * 0.92, colour, "plain"),
        cylinder(0, 0, h * 0.95, h - 0.003, r, shade(colour, 1.15)),
        cylinder(0, 0, h - 0.004, h, r * 0.86, shade(BLACK, 0.6)),
    ]
    return made(parts)


def basket(w: float, d: float, h: float, look: Look) -> Shape:
    """Wicker walls in two bands, with cloth inside."""
    wicker, t = look.of((WICKER,)), min(0.025, w / 8, d / 8)
    parts = [block(w - t, d - t, 0, 0.02, wicker, "cloth")]
    for z0, z1, factor, grow in ((0, 0.45, 0.92, 0.985), (0.45, 0.9, 1.0, 0.985), (0.9, 1.0, 0.8, 1.0)):
        ww, dd, colour = w * grow, d * grow, shade(wicker, factor)
        parts += [box(-ww / 2, ww / 2, sy * (dd / 2 - t), sy * dd / 2, h * z0, h * z1, colour, "cloth") for sy in (-1, 1)]
        parts += [box(sx * (ww / 2 - t), sx * ww / 2, -dd / 2, dd / 2, h * z0, h * z1, colour, "cloth") for sx in (-1, 1)]
    parts.append(block(w - 2 * t, d - 2 * t, h * 0.5, h * 0.55, shade(WHITE, 0.95), "cloth"))
    return made(parts)


def hamper(w: float, d: float, h: float, look: Look) -> Shape:
    """A laundry basket with a lid. Open stands the lid up at the back."""
    lid, wicker = max(0.015, h * 0.03), shade(look.of((WICKER,)), 0.8)
    body = basket(w, d, h - lid, look)
    if look.open:
        leaf = box(-w / 2, w / 2, -d / 2, -d / 2 + lid, h - lid, h - lid + d * 0.8, wicker, "cloth")
    else:
        leaf = block(w, d, h - lid, h, wicker, "cloth")
    return made([*body.prims, leaf])


def carton(w: float, d: float, h: float, look: Look) -> Shape:
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
        return made([*parts, *flaps])
    lid = [block(w, d, h - 0.01, h - 0.001, card), block(min(0.05, w / 5), d, h - 0.002, h, shade(card, 1.35))]
    return made([*parts, *lid])


def safe(w: float, d: float, h: float, look: Look) -> Shape:
    """A steel box with a wheel on its door."""
    parts = moved(carcass(w, d - 0.012, h, SAFE, 0, "metal"), dy=-0.006)
    parts += door((-w / 2, w / 2), d / 2, (0, h), "left", look.open, SAFE_DOOR, "metal")
    wheel = [] if look.open else [disc(0, d / 2 + 0.005, h * 0.55, min(0.06, w / 6), 0.03, STEEL, "metal")]
    return made([*parts, *wheel])
