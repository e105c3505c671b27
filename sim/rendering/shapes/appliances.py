"""Large and small appliances of kitchen and laundry."""

from __future__ import annotations

from .kit import (
    BLACK,
    EMBER,
    GLASS,
    GLOW,
    GREY,
    LED,
    RED,
    STEEL,
    WHITE,
    Look,
    Prim,
    Shape,
    block,
    box,
    cylinder,
    disc,
    made,
    moved,
    rgb,
    shade,
)
from .parts import bar, carcass, door

COLD, IRON, COFFEE, DISPLAY = rgb("#eef3f5"), rgb("#3b3d40"), rgb("#5a3b28"), rgb("#5fd0b0")


def fridge(w: float, d: float, h: float, look: Look) -> Shape:
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
        parts += door((-w / 2, w / 2), d / 2, (z0, z1), look.hinge, look.open, shade(steel, 1.04), "metal")
    return made(parts)


def cooker(w: float, d: float, h: float, look: Look) -> Shape:
    """A free-standing cooker with four burners and a drop-down oven door."""
    z0, z1, front = h * 0.18, h * 0.8, d / 2 - 0.02
    steel = look.of((STEEL, WHITE))
    parts = [
        box(-w / 2, w / 2, -d / 2, front, 0.02, z0, steel, "metal"),
        box(-w / 2, w / 2, -d / 2, front, h * 0.82, h - 0.02, steel, "metal"),
        *[box(sx * (w / 2 - 0.04), sx * w / 2, -d / 2, front, 0.1, h - 0.02, steel, "metal") for sx in (-1, 1)],
        box(-w / 2, w / 2, -d / 2, -d / 2 + 0.04, 0.1, h - 0.02, IRON),
        box(-w / 2 + 0.04, w / 2 - 0.04, -d / 2 + 0.04, front - 0.03, h * 0.4, h * 0.4 + 0.012, GREY, "metal"),
        block(w, d, h - 0.02, h - 0.008, BLACK),
        *_burners(w, d, h, look),
        *[disc(w * k / 6, d / 2 - 0.008, h * 0.9, min(0.02, w / 14), 0.03, BLACK) for k in (-2, -1, 1, 2)],
    ]
    return made([*parts, *_drop_door(w, d, (z0, z1), look)])


def _burners(w: float, d: float, h: float, look: Look) -> list[Prim]:
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


def _drop_door(w: float, d: float, levels: tuple[float, float], look: Look) -> list[Prim]:
    """An oven door, hinged below. Its window glows while the oven is on."""
    z0, z1 = levels
    if look.open:
        y1 = d / 2 + z1 - z0
        return [
            box(-w / 2 + 0.01, w / 2 - 0.01, d / 2, y1, z0, z0 + 0.03, STEEL, "metal"),
            box(-w * 0.36, w * 0.36, d / 2 + 0.06, y1 - 0.1, z0 + 0.03, z0 + 0.034, BLACK, "glass_dark"),
            box(-w * 0.38, w * 0.38, y1 - 0.06, y1 - 0.03, z0 - 0.03, z0, GREY, "metal"),
        ]
    window = (EMBER, "glow") if look.on else (BLACK, "glass_dark")
    return [
        box(-w / 2 + 0.01, w / 2 - 0.01, d / 2 - 0.02, d / 2, z0, z1, STEEL, "metal"),
        box(-w * 0.36, w * 0.36, d / 2, d / 2 + 0.003, z0 + (z1 - z0) * 0.15, z1 - (z1 - z0) * 0.25, *window),
        bar(w * 0.76, d / 2, z1 - (z1 - z0) * 0.1, GREY, 0.01),
    ]


def hob(w: float, d: float, h: float, look: Look) -> Shape:
    """A glass plate set into a worktop."""
    return made([block(w, d, 0, h, BLACK, "glass_dark")])


def burner(w: float, d: float, h: float, look: Look) -> Shape:
    """A ring with a cap, and a grate over it if there is room."""
    r = min(w, d) / 2
    hot = (EMBER, "glow") if look.on else (IRON, "plain")
    parts = [cylinder(0, 0, 0, h * 0.5, r * 0.8, BLACK), cylinder(0, 0, h * 0.5, h * 0.8, r * 0.45, *hot)]
    grate = [block(r * 1.9, 0.012, h * 0.8, h, BLACK), block(0.012, r * 1.9, h * 0.8, h, BLACK)]
    return made([*parts, *grate])


def knob(w: float, d: float, h: float, look: Look) -> Shape:
    """The knob of a cooker, with a light mark."""
    r = min(w, h) / 2
    mark = box(-0.003, 0.003, d / 2 - 0.003, d / 2, h / 2, h / 2 + r * 0.8, RED if look.on else WHITE)
    return made([disc(0, 0, h / 2, r, d - 0.004, BLACK), mark])


def washer(w: float, d: float, h: float, look: Look) -> Shape:
    """A washing machine: porthole, panel, knob."""
    front, z, r = d / 2 - 0.015, h * 0.45, min(w * 0.32, h * 0.3)
    parts = [
        box(-w / 2, w / 2, -d / 2, front, 0.02, h, WHITE),
        box(-w * 0.47, w * 0.47, front, front + 0.006, h * 0.85, h * 0.97, GREY),
        box(-w * 0.4, -w * 0.1, front + 0.004, front + 0.01, h * 0.87, h * 0.95, WHITE),
        box(
            w * 0.2,
            w * 0.4,
            front + 0.004,
            front + 0.009,
            h * 0.88,
            h * 0.94,
            LED if look.on else BLACK,
            "glow" if look.on else "plain",
        ),
        disc(w * 0.08, front + 0.01, h * 0.91, min(0.03, h * 0.05), 0.02, STEEL, "metal"),
    ]
    if look.open:
        hole = [
            disc(0, front + 0.002, z, r, 0.01, STEEL, "metal"),
            disc(0, front + 0.006, z, r * 0.85, 0.006, shade(BLACK, 0.6)),
        ]
        leaf = rod_door(-w * 0.32, front, z, r)
        return made([*parts, *hole, *leaf])
    glow = shade(GLASS, 0.55) if look.on else BLACK
    ring = [disc(0, front + 0.006, z, r, 0.02, STEEL, "metal"), disc(0, front + 0.012, z, r * 0.78, 0.012, glow, "glass_dark")]
    return made([*parts, *ring])


def rod_door(x: float, y: float, z: float, r: float) -> list[Prim]:
    """A round door that stands open at its hinge: a disc seen from its side."""
    leaf = disc(x, y + r, z, r, 0.03, STEEL, "metal")._replace(yaw=1.5708)
    return [leaf, disc(x - 0.006, y + r, z, r * 0.75, 0.032, BLACK, "glass_dark")._replace(yaw=1.5708)]


def dishwasher(w: float, d: float, h: float, look: Look) -> Shape:
    """A steel front under a worktop. Open, the door hangs down and the racks show."""
    front, steel = d / 2 - 0.02, look.of((STEEL, WHITE))
    parts = [
        *moved(carcass(w, d - 0.02, h, steel, 1, "metal"), dy=-0.01),
        box(-w / 2, w / 2, -d / 2, front - 0.04, 0, 0.08, BLACK),
    ]
    if look.open:
        parts += [
            box(-w / 2 + 0.01, w / 2 - 0.01, d / 2, d / 2 + h * 0.75, 0.09, 0.12, steel, "metal"),
            box(-w / 2 + 0.04, w / 2 - 0.04, d / 2 - 0.1, d / 2 + 0.2, h * 0.25, h * 0.27, GREY, "metal"),
        ]
    else:
        parts += [
            box(-w / 2 + 0.004, w / 2 - 0.004, front, d / 2 - 0.002, 0.09, h - 0.004, steel, "metal"),
            bar(w * 0.8, d / 2 - 0.002, h * 0.82, GREY, 0.009),
            box(
                -w * 0.4,
                w * 0.4,
                d / 2 - 0.003,
                d / 2,
                h * 0.9,
                h * 0.96,
                LED if look.on else BLACK,
                "glow" if look.on else "plain",
            ),
        ]
    return made(parts)


def hood(w: float, d: float, h: float, look: Look) -> Shape:
    """A canopy and a chimney at the wall."""
    low = min(0.08, h * 0.3)
    parts = [
        block(w, d, 0.004, low, STEEL, "metal"),
        block(w * 0.8, d * 0.8, low, low + min(0.06, h * 0.1), shade(STEEL, 0.95), "metal", at=(0, -d * 0.1)),
        box(-w * 0.2, w * 0.2, -d / 2, -d / 2 + min(0.26, d), low, h, STEEL, "metal"),
        block(w * 0.7, d * 0.6, 0, 0.004, GLOW if look.on else IRON, "glow" if look.on else "plain"),
    ]
    return made(parts)
