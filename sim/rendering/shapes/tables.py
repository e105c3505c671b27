"""Tables, desks and worktops."""

from __future__ import annotations

from sim.rendering.shapes.kit import (
    BOARD,
    GREY,
    OAK,
    STONE,
    WALNUT,
    WHITE,
    WOODS,
    Look,
    Prim,
    Shape,
    block,
    box,
    carcass,
    cylinder,
    door,
    drawer_stack,
    legs,
    made,
    moved,
    shade,
)

KICK, TOP = 0.08, 0.03
"""Height of a plinth and thickness of a worktop, metres."""
LEAF = 0.2
"""A desk lower than this is a board at the wall, metres."""


def table(w: float, d: float, h: float, look: Look) -> Shape:
    """Four legs, an apron and a top."""
    wood, top = look.of(WOODS), min(0.04, h / 4)
    inset = min(0.05, w / 10, d / 10)
    apron = block(w - 2 * inset, d - 2 * inset, h - top - min(0.07, h / 6), h - top, shade(wood, 0.85), "wood")
    legged = moved(legs(w - inset, d - inset, h - top, shade(wood, 0.8)))
    return made([block(w, d, h - top, h, wood, "wood"), apron, *legged])


def round_table(w: float, d: float, h: float, look: Look) -> Shape:
    """A round top on one column with a spread foot."""
    wood = look.of(WOODS)
    top = min(0.035, h / 5)
    return made([
        cylinder(0, 0, h - top, h, w / 2, wood, "wood", d / 2),
        cylinder(0, 0, h - top - 0.02, h - top, w * 0.22, shade(wood, 0.8), "wood", d * 0.22),
        cylinder(0, 0, 0.03, h - top - 0.02, min(0.05, w / 8), shade(wood, 0.7), "wood"),
        cylinder(0, 0, 0, 0.03, w * 0.27, shade(wood, 0.7), "wood", d * 0.27),
    ])


def coffee_table(w: float, d: float, h: float, look: Look) -> Shape:
    """A low table with a shelf below the top."""
    wood, low = look.of(WOODS), h * 0.35
    shape = table(w, d, h, look)
    shelf = block(w - 0.1, d - 0.1, low, low + 0.02, shade(wood, 0.9), "wood")
    return made([*shape.prims, shelf])


def desk(w: float, d: float, h: float, look: Look) -> Shape:
    """A top on legs. Wide desks have a pedestal of drawers, of which the top one opens."""
    wood, top = look.of((OAK, WALNUT, WHITE)), min(0.035, h / 6)
    if h < LEAF:
        return made([block(w, d, 0, h, wood, "wood")])
    parts = [
        block(w, d, h - top, h, wood, "wood"),
        box(-w / 2 + 0.03, w / 2 - 0.03, -d / 2 + 0.02, -d / 2 + 0.04, h * 0.5, h - top, wood, "wood"),
    ]
    if w < 0.75 or d < 0.35:
        return made([*parts, *legs(w, d, h - top, shade(wood, 0.85))])
    pedestal, side = min(0.4, w * 0.35), w / 2 - min(0.4, w * 0.35) / 2 - 0.02
    depth, low, high = d - 0.08, 0.06, h - top
    body = box(-pedestal / 2, pedestal / 2, -depth / 2, depth / 2 - BOARD, low, high, wood, "wood")
    fronts = drawer_stack(pedestal, depth, (low, high), 3, look.open, shade(wood, 1.08))
    parts += moved([body, *fronts], dx=side)
    parts += [
        box(-w / 2, -w / 2 + 0.04, sy * d / 2, sy * (d / 2 - 0.04), 0, h - top, shade(wood, 0.85), "wood") for sy in (-1, 1)
    ]
    parts += [block(pedestal * 0.9, depth * 0.9, 0, low, shade(wood, 0.6), at=(side, 0))]
    return made(parts)


def hutch(w: float, d: float, h: float, look: Look) -> Shape:
    """The back, sides and roof on a desk whose box is taller than its top. Open in the middle."""
    wood, depth = look.of((OAK, WALNUT)), min(d * 0.4, 0.3)
    back, front = -d / 2, -d / 2 + depth
    return made([
        box(-w / 2, w / 2, back, back + 0.015, 0, h, shade(wood, 0.9), "wood"),
        box(-w / 2, -w / 2 + BOARD, back, front, 0, h, wood, "wood"),
        box(w / 2 - BOARD, w / 2, back, front, 0, h, wood, "wood"),
        box(-w / 2, w / 2, back, front, h - BOARD, h, wood, "wood"),
    ])


def bench(w: float, d: float, h: float, look: Look) -> Shape:
    """A plank on two trestles."""
    wood = look.of(WOODS)
    sides = [
        box(sx * (w / 2 - 0.1), sx * (w / 2 - 0.14), -d / 2 + 0.02, d / 2 - 0.02, 0, h - 0.04, shade(wood, 0.85), "wood")
        for sx in (-1, 1)
    ]
    rail = box(-w / 2 + 0.12, w / 2 - 0.12, -0.02, 0.02, h * 0.4, h * 0.4 + 0.05, shade(wood, 0.85), "wood")
    return made([block(w, d, h - 0.04, h, wood, "wood"), *sides, rail])


def worktop(w: float, d: float, h: float, look: Look) -> Shape:
    """A slab of stone, as thick as its box but at least 3 cm."""
    low = min(0.0, h - TOP)
    return made([block(w, d, low, h, look.of((STONE,)), "stone")])


def counter(w: float, d: float, h: float, look: Look) -> Shape:
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
    return made(parts)


def filler(w: float, d: float, h: float, look: Look) -> Shape:
    """A plain body below a worktop where nothing else is."""
    return made([block(w, d, 0, h, look.of((shade(WHITE, 0.93),)))])


def board(w: float, d: float, h: float, look: Look) -> Shape:
    """A cutting board with a grip hole."""
    top = max(h, 0.01)
    hole = cylinder(0, d * 0.4, top - 0.001, top, min(w, d) * 0.06, shade(WALNUT, 0.5))
    return made([block(w, d, 0, top - 0.0005, look.of(WOODS), "wood"), hole])
