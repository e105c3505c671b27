"""Appliances and machines of kitchen, laundry and desk; sinks, taps, toilets, tubs and showers."""

from __future__ import annotations

from sim.geometry.model import Colour
from sim.rendering.shapes.kit import (
    BLACK,
    CERAMIC,
    EMBER,
    GLASS,
    GLOW,
    GREY,
    LED,
    OAK,
    RED,
    STEEL,
    WHITE,
    Appearance,
    Prim,
    Shape,
    ball,
    bar,
    block,
    box,
    carcass,
    cylinder,
    disc,
    door,
    moved,
    rgb,
    shade,
    sides,
)

COLD, IRON, COFFEE, DISPLAY = rgb("#eef3f5"), rgb("#3b3d40"), rgb("#5a3b28"), rgb("#5fd0b0")
CREAMY = rgb("#e8dcc0")


def fridge(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A freezer above a fridge. Both doors open."""
    steel, split, body = look.of((STEEL, WHITE)), h * 0.68, d - 0.06
    front = -d / 2 + body
    parts = moved(carcass(w, body, h, steel, 4, "metal"), dy=-0.03)
    parts += [
        box(-w / 2, w / 2, -d / 2, front - 0.02, split - 0.02, split + 0.02, steel, "metal"),
        box(-w / 2 + 0.02, w / 2 - 0.02, -d / 2 + 0.02, -d / 2 + 0.03, 0.03, h - 0.03, COLD, "glow" if look.open else "plain"),
        box(-w / 2 + 0.01, w / 2 - 0.01, front - 0.05, front, 0, 0.02, BLACK),
    ]
    for z0, z1 in ((0.03, split - 0.003), (split + 0.003, h)):
        if not look.open:
            parts.append(box(-w / 2, w / 2, front + 0.003, d / 2 - 0.014, z0, z1, steel, "metal"))
        face = front if look.open else d / 2
        parts += door((-w / 2, w / 2), face, (z0, z1), look.hinge, look.open, shade(steel, 1.04), "metal")
    return parts


def cooker(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A free-standing cooker with four burners and a drop-down oven door."""
    z0, z1, front = h * 0.18, h * 0.8, d / 2 - 0.02
    steel = look.of((STEEL, WHITE))
    parts = [
        box(-w / 2, w / 2, -d / 2, front, 0.0, z0, steel, "metal"),
        box(-w / 2, w / 2, -d / 2, front, h * 0.82, h - 0.02, steel, "metal"),
        *[box(sx * (w / 2 - 0.04), sx * w / 2, -d / 2, front, 0.1, h - 0.02, steel, "metal") for sx in (-1, 1)],
        box(-w / 2, w / 2, -d / 2, -d / 2 + 0.04, 0.1, h - 0.02, IRON),
        box(-w / 2 + 0.04, w / 2 - 0.04, -d / 2 + 0.04, front - 0.03, h * 0.4, h * 0.4 + 0.012, GREY, "metal"),
        block(w, d, h - 0.02, h - 0.008, BLACK),
        *_burners(w, d, h, look),
        *[disc(w * k / 6, d / 2 - 0.008, h * 0.9, min(0.02, w / 14), 0.03, BLACK) for k in (-2, -1, 1, 2)],
    ]
    return [*parts, *_drop_door(w, d, (z0, z1), look)]


def _burners(w: float, d: float, h: float, look: Appearance) -> list[Prim]:
    r, hot = min(0.085, w / 7, d / 7), look.on
    spots = [(sx, sy) for sx in (-1, 1) for sy in (-1, 1)]
    return [
        cylinder(
            x * w * 0.23,
            y * d * 0.22,
            h - 0.009,
            h,
            r,
            EMBER if hot and x < 0 < y else IRON,
            "glow" if hot and x < 0 < y else "plain",
        )
        for x, y in spots
    ]


def _drop_door(w: float, d: float, levels: tuple[float, float], look: Appearance) -> list[Prim]:
    """An oven door, hinged below. Its window glows while the oven is on."""
    z0, z1 = levels
    if look.open:
        y1 = d / 2 + z1 - z0
        return [
            box(-w / 2 + 0.01, w / 2 - 0.01, d / 2 - 0.02, y1, z0, z0 + 0.03, STEEL, "metal"),
            box(-w * 0.36, w * 0.36, d / 2 + 0.06, y1 - 0.1, z0 + 0.03, z0 + 0.034, BLACK, "glass_dark"),
            box(-w * 0.38, w * 0.38, y1 - 0.06, y1 - 0.03, z0 - 0.03, z0, GREY, "metal"),
        ]
    window = look.lit(EMBER, BLACK, "glass_dark")
    return [
        box(-w / 2 + 0.01, w / 2 - 0.01, d / 2 - 0.02, d / 2, z0, z1, STEEL, "metal"),
        box(-w * 0.36, w * 0.36, d / 2, d / 2 + 0.003, z0 + (z1 - z0) * 0.15, z1 - (z1 - z0) * 0.25, *window),
        bar(w * 0.76, d / 2, z1 - (z1 - z0) * 0.1, GREY, 0.01),
    ]


def hob(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A glass plate set into a worktop."""
    return [block(w, d, 0, h, BLACK, "glass_dark")]


def burner(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A ring with a cap, and a grate over it if there is room."""
    r = min(w, d) / 2
    hot = look.lit(EMBER, IRON)
    parts = [cylinder(0, 0, 0, h * 0.5, r * 0.8, BLACK), cylinder(0, 0, h * 0.5, h * 0.8, r * 0.45, *hot)]
    grate = [block(r * 1.9, 0.012, h * 0.8, h, BLACK), block(0.012, r * 1.9, h * 0.8, h, BLACK)]
    return [*parts, *grate]


def knob(w: float, d: float, h: float, look: Appearance) -> Shape:
    """The knob of a cooker, with a light mark."""
    r = min(w, h) / 2
    mark = box(-0.003, 0.003, d / 2 - 0.003, d / 2, h / 2, h / 2 + r * 0.8, RED if look.on else WHITE)
    return [disc(0, 0, h / 2, r, d - 0.004, BLACK), mark]


def washer(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A washing machine: porthole, panel, knob."""
    front, z, r = d / 2 - 0.015, h * 0.45, min(w * 0.32, h * 0.3)
    parts = [
        box(-w / 2, w / 2, -d / 2, front, 0, h, WHITE),
        box(-w * 0.47, w * 0.47, front, front + 0.006, h * 0.85, h * 0.97, GREY),
        box(-w * 0.4, -w * 0.1, front + 0.004, front + 0.01, h * 0.87, h * 0.95, WHITE),
        box(w * 0.2, w * 0.4, front + 0.004, front + 0.009, h * 0.88, h * 0.94, *look.lit(LED, BLACK)),
        disc(w * 0.08, front + 0.01, h * 0.91, min(0.03, h * 0.05), 0.02, STEEL, "metal"),
    ]
    if look.open:
        hole = [
            disc(0, front + 0.002, z, r, 0.01, STEEL, "metal"),
            disc(0, front + 0.006, z, r * 0.85, 0.006, shade(BLACK, 0.6)),
        ]
        leaf = rod_door(-w * 0.32, front, z, r)
        return [*parts, *hole, *leaf]
    glow = shade(GLASS, 0.55) if look.on else BLACK
    ring = [disc(0, front + 0.006, z, r, 0.02, STEEL, "metal"), disc(0, front + 0.012, z, r * 0.78, 0.012, glow, "glass_dark")]
    return [*parts, *ring]


def rod_door(x: float, y: float, z: float, r: float) -> list[Prim]:
    """A round door that stands open at its hinge: a disc seen from its side."""
    leaf = disc(x, y + r, z, r, 0.03, STEEL, "metal")._replace(yaw=1.5708)
    return [leaf, disc(x - 0.006, y + r, z, r * 0.75, 0.032, BLACK, "glass_dark")._replace(yaw=1.5708)]


def dishwasher(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A steel front under a worktop. Open, the door hangs down and the racks show."""
    front, steel = d / 2 - 0.02, look.of((STEEL, WHITE))
    parts = [
        *moved(carcass(w, d - 0.02, h, steel, 1, "metal"), dy=-0.01),
        box(-w / 2, w / 2, -d / 2, front - 0.04, 0, 0.08, BLACK),
    ]
    if look.open:
        parts += [
            box(-w / 2 + 0.01, w / 2 - 0.01, front, d / 2 + h * 0.75, 0.09, 0.12, steel, "metal"),
            box(-w / 2 + 0.02, w / 2 - 0.02, d / 2 - 0.1, d / 2 + 0.2, h * 0.25, h * 0.27, GREY, "metal"),
        ]
    else:
        parts += [
            box(-w / 2 + 0.004, w / 2 - 0.004, front, d / 2 - 0.002, 0.09, h - 0.004, steel, "metal"),
            bar(w * 0.8, d / 2 - 0.002, h * 0.82, GREY, 0.009),
            box(-w * 0.4, w * 0.4, d / 2 - 0.003, d / 2, h * 0.9, h * 0.96, *look.lit(LED, BLACK)),
        ]
    return parts


def hood(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A canopy and a chimney at the wall."""
    low = min(0.08, h * 0.3)
    return [
        block(w, d, 0.004, low, STEEL, "metal"),
        block(w * 0.8, d * 0.8, low, low + min(0.06, h * 0.1), shade(STEEL, 0.95), "metal", at=(0, -d * 0.1)),
        box(-w * 0.2, w * 0.2, -d / 2, -d / 2 + min(0.26, d), low, h, STEEL, "metal"),
        block(w * 0.7, d * 0.6, 0, 0.004, *look.lit(GLOW, IRON)),
    ]


def microwave(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A box with a door on the left and a panel on the right."""
    t, front, edge = 0.02, d / 2 - 0.018, w * 0.26
    case, cavity = look.of((BLACK, STEEL)), shade(GREY, 1.3)
    parts = [
        box(-w / 2, w / 2, -d / 2, front, 0.008, t, case),
        box(-w / 2, w / 2, -d / 2, front, h - t, h, case),
        box(-w / 2, -w / 2 + t, -d / 2, front, 0.008, h, case),
        box(edge, w / 2, -d / 2, front + 0.012, 0.008, h, case),
        box(-w / 2 + t, edge, -d / 2, -d / 2 + t, t, h - t, cavity),
        box(-w / 2 + t, edge, -d / 2 + t, front - 0.01, t, t + 0.004, cavity),
        box(edge + 0.02, w / 2 - 0.02, front + 0.012, front + 0.015, h * 0.68, h * 0.86, DISPLAY, "glow"),
        *[box(edge + 0.02, w / 2 - 0.02, front + 0.012, front + 0.016, h * z, h * (z + 0.1), GREY) for z in (0.15, 0.32, 0.48)],
    ]
    face = front if look.open else d / 2 - 0.005
    parts += door((-w / 2, edge), face, (0.008, h), "left", look.open, shade(case, 1.1))
    if not look.open:
        pane = look.lit(GLOW, rgb("#333b44"), "glass_dark")
        parts.append(box(-w / 2 + 0.04, edge - 0.06, d / 2 - 0.005, d / 2 - 0.002, h * 0.2, h * 0.8, *pane))
    return parts


def coffee_machine(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A tower with a jug below its head."""
    ww, dd = min(w, 0.32), min(d, 0.38)
    case = look.of((BLACK, rgb("#7a2320"), STEEL))
    jug = [
        cylinder(0, dd * 0.16, h * 0.12, h * 0.5, ww * 0.3, GLASS, "glass"),
        cylinder(0, dd * 0.16, h * 0.125, h * 0.33, ww * 0.28, COFFEE),
        cylinder(0, dd * 0.16, h * 0.5, h * 0.54, ww * 0.24, BLACK),
        box(-0.01, 0.01, dd * 0.16 + ww * 0.3, dd / 2, h * 0.2, h * 0.48, BLACK),
    ]
    return [
        box(-ww / 2, ww / 2, -dd / 2, -dd * 0.12, 0, h, case),
        box(-ww / 2, ww / 2, -dd * 0.12, dd / 2, 0, h * 0.1, shade(case, 0.8)),
        cylinder(0, dd * 0.16, h * 0.1, h * 0.12, ww * 0.34, IRON, "metal"),
        box(-ww / 2, ww / 2, -dd * 0.12, dd * 0.46, h * 0.7, h, case),
        cylinder(0, dd * 0.16, h * 0.6, h * 0.7, ww * 0.2, shade(case, 0.7)),
        disc(ww * 0.28, dd * 0.46, h * 0.85, min(0.015, h / 14), 0.01, LED if look.on else RED, "glow"),
        *jug,
    ]


def toaster(w: float, d: float, h: float, look: Appearance) -> Shape:
    """Two slots, a lever, a knob."""
    case, along = look.of((STEEL, RED, CREAMY)), w >= d
    if not along:
        turned = toaster(d, w, h, look)
        return [_quarter(p) for p in turned]
    slot = look.lit(EMBER, BLACK)
    slots = [box(-w * 0.36, w * 0.36, k * d * 0.18 - 0.012, k * d * 0.18 + 0.012, h - 0.004, h, *slot) for k in (-1, 1)]
    lever = box(w / 2 - 0.02, w / 2, -0.02, 0.02, h * (0.3 if look.on else 0.66), h * (0.3 if look.on else 0.66) + 0.014, BLACK)
    return [
        block(w - 0.03, d, 0.012, h - 0.003, case, "metal"),
        block(w - 0.05, d * 0.9, 0, 0.012, BLACK),
        block(w - 0.022, d * 0.94, 0.014, h * 0.25, BLACK),
        *slots,
        lever,
    ]


def _quarter(p: Prim) -> Prim:
    """Returns a box turned by 90 degrees about the object's middle."""
    (x, y, z), (a, b, c) = p.centre, p.half
    return p._replace(centre=(-y, x, z), half=(b, a, c))


def machine(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A dark body, a lighter face and one light: players, computers, stereos."""
    face = d / 2
    return [
        box(-w / 2, w / 2, -d / 2, face - 0.004, 0, h, look.of((BLACK, shade(GREY, 0.6), shade(GREY, 0.4)))),
        box(-w * 0.38, w * 0.38, face - 0.004, face - 0.001, h * 0.2, h * 0.72, shade(GREY, 0.75)),
        disc(
            w * 0.34, face - 0.004, h * 0.87, min(0.012, h / 12, w / 12), 0.008, LED if look.on else rgb("#8a2f2f"), "glow"
        ),
    ]


def computer(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A tower: a drive slot, a button, a grille."""
    front = d / 2 - 0.006
    return [
        box(-w / 2, w / 2, -d / 2, front, 0.01, h, look.of((BLACK, shade(GREY, 0.7)))),
        box(-w * 0.36, w * 0.36, front, d / 2 - 0.002, h * 0.8, h * 0.86, GREY),
        box(-w * 0.3, w * 0.3, front, d / 2 - 0.003, h * 0.12, h * 0.5, shade(GREY, 0.6)),
        disc(0, front + 0.002, h * 0.66, min(0.016, w / 8), 0.006, LED if look.on else GREY, "glow"),
    ]


def vacuum(w: float, d: float, h: float, look: Appearance) -> Shape:
    """An upright cleaner: a nozzle, a body, a handle."""
    colour = look.of((RED, rgb("#2f6fb0"), GREY))
    return [
        box(-w / 2, w / 2, d * 0.05, d / 2, 0, min(0.09, h / 4), BLACK),
        ball(0, 0, h * 0.3, w * 0.38, d * 0.3, h * 0.24, colour),
        cylinder(0, -d * 0.2, h * 0.1, h, min(0.018, w / 6), GREY, "metal"),
        box(-0.014, 0.014, -d * 0.32, -d * 0.05, h * 0.95, h, BLACK),
    ]


WATER, POOL = rgb("#9fd4ee"), rgb("#bfe3f0")


def basin(w: float, d: float, h: float, look: Appearance, colour: Colour = STEEL) -> Shape:
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
    return parts


def rim(w: float, d: float, h: float, look: Appearance) -> Shape:
    """The edge of a sink set into a worktop. Its SinkBasin draws the bowl."""
    e = min(w, d) * 0.1
    return sides(w, d, e, (0, h), STEEL, "metal")


def sink(w: float, d: float, h: float, look: Appearance) -> Shape:
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
    return [*pedestal, *moved(bowl, dz=h - depth)]


def faucet(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A column at the back, a spout to the front, two handles. Water while on."""
    r = min(0.016, w / 5, d / 6)
    back, front, lever = -d / 2 + r * 1.2, d / 2, min(w, 0.18) / 2
    parts = [
        cylinder(0, back, 0, h, r, STEEL, "metal"),
        box(-r * 0.8, r * 0.8, back, front, h - 2 * r, h, STEEL, "metal"),
        cylinder(0, front - r, h - min(0.05, h / 3), h, r * 0.9, STEEL, "metal"),
        box(-lever, lever, back - r * 0.7, back + r * 0.7, h * 0.2, h * 0.2 + 1.4 * r, STEEL, "metal"),
    ]
    return [*parts, cylinder(0, front - r, -0.1, h - min(0.05, h / 3), r * 0.5, WATER, "glass")] if look.on else parts


def toilet(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A cistern at the wall, a bowl, a lid that opens. Boxes that are far too wide are drawn at a toilet's size."""
    ww, dd, seat, tank = min(w, 0.44), min(d, 0.75), min(0.42, h * 0.52), min(h, 0.82)
    front, back = dd / 2, -dd / 2
    bowl = min(0.25, dd * 0.34)
    parts = [
        box(-ww / 2, ww / 2, back, back + 0.18, seat - 0.08, tank - 0.03, CERAMIC),
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
    return moved(parts, dy=dy)


def bathtub(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A tub with a broad rim. Water while on."""
    h, t = min(h, 0.62), min(0.07, w / 8, d / 8)
    parts = [
        block(w, d, 0, 0.12, CERAMIC),
        *sides(w, d, t, (0, h), CERAMIC),
        cylinder(-w / 2 + 2.5 * t, 0, 0.12, 0.124, 0.03, GREY, "metal"),
    ]
    if look.on:
        parts.append(block(w - 2 * t, d - 2 * t, h * 0.6, h * 0.62, POOL, "glass"))
    return parts


def shower(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A tray, two glass sides, a riser with a head, and a sliding pane that leaves half the front free."""
    edge = 0.012
    pane = (-w / 2, 0.0) if look.open else (-w / 2, w / 2)
    parts = [
        block(w, d, 0, 0.06, CERAMIC),
        cylinder(0, 0, 0.06, 0.064, 0.04, GREY, "metal"),
        cylinder(0, -d / 2 + 0.05, 0.06, h, 0.012, STEEL, "metal"),
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
    return parts


def glass_wall(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A pane as thick as its thinnest side. A cabin given by one box shows its two outer sides.

    Open leaves half the width.
    """
    if w > 0.3 and d > 0.3:
        side = box(w / 2 - 0.012, w / 2, -d / 2, d / 2, 0, h, GLASS, "glass")
        return [box(-w / 2, w / 2, d / 2 - 0.012, d / 2, 0, h, GLASS, "glass"), side]
    x1, y1 = (w / 2 if not look.open or w < d else 0.0), (d / 2 if not look.open or w >= d else 0.0)
    return [
        box(-w / 2, x1, -d / 2, y1, 0, h - 0.02, GLASS, "glass"),
        block(w, d, h - 0.02, h, STEEL, "metal"),
        block(w, d, 0, 0.015, STEEL, "metal"),
    ]


def shower_head(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A riser at the wall with a round head."""
    r = min(0.1, w / 2, d * 0.3)
    parts = [
        cylinder(0, -d / 2 + 0.015, 0, h, min(0.01, w / 4), STEEL, "metal"),
        box(-min(0.01, w / 4), min(0.01, w / 4), -d / 2, d / 2 - r, h - 0.02, h, STEEL, "metal"),
        cylinder(0, d / 2 - r, max(h - 0.05, 0), h - 0.02, r, STEEL, "metal"),
    ]
    return [*parts, cylinder(0, d / 2 - r, -0.9, h - 0.05, r * 0.6, WATER, "glass")] if look.on else parts


def vanity(w: float, d: float, h: float, look: Appearance) -> Shape:
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
    return parts
