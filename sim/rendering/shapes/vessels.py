"""Cups, plates, pots and vases, and the packages of food, drinks and soap."""

from __future__ import annotations

from sim.geometry.model import Colour
from sim.rendering.shapes.kit import (
    BLACK,
    CERAMIC,
    CREAM,
    GLASS,
    GREY,
    PAINTS,
    STEEL,
    WHITE,
    Appearance,
    Builder,
    Prim,
    Shape,
    ball,
    block,
    box,
    cylinder,
    rgb,
    shade,
    sides,
)

IRON, POTS = rgb("#2b2d30"), (STEEL, rgb("#8f3a30"), rgb("#4c5a63"))
WINE, COFFEE = rgb("#5a1524"), rgb("#3a2416")
CUPS = (*PAINTS[:6], CERAMIC, CREAM)
BOWLS = (CERAMIC, PAINTS[0], PAINTS[5], rgb("#d8b98a"))


def _hollow(r: float, z0: float, z1: float, colour: Colour, texture: str = "plain", inner: Colour | None = None) -> list[Prim]:
    """Returns a round vessel that looks hollow: a wall and a darker disc just below its edge."""
    return [
        cylinder(0, 0, z0, z1, r, colour, texture),
        cylinder(0, 0, z1 - 0.002, z1 + 0.0005, r * 0.86, inner or shade(colour, 0.5)),
    ]


def mug(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A cup with a handle on its right."""
    r, colour = min(w * 0.38, d / 2), look.of(CUPS)
    x = -(w / 2 - r)
    body = [p._replace(centre=(x, 0, p.centre[2])) for p in _hollow(r, 0, h, colour, inner=COFFEE)]
    grip = w / 2
    return [
        *body,
        box(x + r * 0.9, grip, -0.006, 0.006, h * 0.72, h * 0.82, colour),
        box(x + r * 0.9, grip, -0.006, 0.006, h * 0.2, h * 0.3, colour),
        box(grip - 0.01, grip, -0.006, 0.006, h * 0.2, h * 0.82, colour),
    ]


def tumbler(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A water glass."""
    r = min(w, d) / 2
    return [
        cylinder(0, 0, 0, h, r * 0.92, GLASS, "glass"),
        cylinder(0, 0, 0, h * 0.08, r * 0.9, shade(GLASS, 0.9)),
        cylinder(0, 0, h * 0.1, h * 0.5, r * 0.8, rgb("#9fd0e6"), "glass"),
    ]


def cup(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A plain beaker."""
    return _hollow(min(w, d) / 2 * 0.95, 0, h - 0.001, look.of(CUPS))


def wine_glass(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A foot, a stem, a bowl with some red in it."""
    r = min(w, d) / 2
    return [
        cylinder(0, 0, 0, 0.004, r * 0.8, shade(GLASS, 0.95)),
        cylinder(0, 0, 0.004, h * 0.5, 0.004, shade(GLASS, 0.95)),
        ball(0, 0, h * 0.74, r, r, h * 0.26, GLASS, "glass"),
        ball(0, 0, h * 0.64, r * 0.72, r * 0.72, h * 0.12, WINE),
    ]


def plate(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A foot, a well, a coloured rim."""
    rim = look.colour or (CERAMIC, CERAMIC, rgb("#c9d8e2"), rgb("#e6d3b8"))[look.pick % 4]
    return [
        cylinder(0, 0, 0, h * 0.6, w * 0.3, CERAMIC, ry=d * 0.3),
        cylinder(0, 0, h * 0.4, h, w / 2, rim, ry=d / 2),
        cylinder(0, 0, h * 0.5, h + 0.0005, w * 0.36, shade(CERAMIC, 0.97), ry=d * 0.36),
    ]


def tray(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A flat tray with raised edges: oven trays, serving trays, racks."""
    metal, e = look.of((shade(GREY, 0.6), STEEL)), min(0.015, w / 10, d / 10)
    floor = min(0.006, h / 2)
    return [block(w, d, 0, floor, shade(metal, 0.85), "metal"), *sides(w, d, e, (0, h), metal, "metal")]


def bowl(w: float, d: float, h: float, look: Appearance) -> Shape:
    """Three rings that widen upwards."""
    c = look.of(BOWLS)
    rings = [
        cylinder(0, 0, h * a, h * b, w / 2 * f, shade(c, g), ry=d / 2 * f)
        for a, b, f, g in ((0, 0.15, 0.5, 0.9), (0.12, 0.5, 0.78, 0.96), (0.45, 0.99, 1.0, 1.0))
    ]
    inner = cylinder(0, 0, h * 0.97, h, w * 0.44, shade(c, 0.62), ry=d * 0.44)
    return [*rings, inner]


def pot(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A cooking pot with two grips. The lid lies on it unless it is open."""
    r, c = min(w * 0.42, d / 2), look.of(POTS)
    grips = [box(s * r * 0.95, s * min(w / 2, r * 1.2), -0.022, 0.022, h * 0.66, h * 0.76, BLACK) for s in (-1, 1)]
    if look.open:
        return [*_hollow(r, 0, h * 0.86, c, "metal"), *grips]
    lid = [cylinder(0, 0, h * 0.82, h * 0.88, r * 1.0, shade(c, 1.1), "metal"), cylinder(0, 0, h * 0.88, h, r * 0.14, BLACK)]
    return [cylinder(0, 0, 0, h * 0.83, r * 0.97, c, "metal"), *lid, *grips]


def pan(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A frying pan. Its handle lies along the longer side, to the back."""
    across = w > d
    span, length = (d, w) if across else (w, d)
    r = min(span / 2, length * 0.36)
    middle = length / 2 - r
    top = min(h, 0.075)
    dark = look.colour or IRON
    grip = (-length / 2, middle - r * 0.95)
    handle = (
        box(*grip, -0.014, 0.014, top * 0.5, top * 0.8, BLACK)
        if across
        else box(-0.014, 0.014, *grip, top * 0.5, top * 0.8, BLACK)
    )
    x, y = (middle, 0.0) if across else (0.0, middle)
    return [cylinder(x, y, 0, top, r, dark, "metal"), cylinder(x, y, top - 0.002, top, r * 0.9, shade(dark, 0.6)), handle]


def kettle(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A belly, a spout, a bow handle. Open removes the lid."""
    r, c = min(w, d) * 0.42, look.of((STEEL, rgb("#8f3a30"), BLACK))
    lid = [] if look.open else [cylinder(0, 0, h * 0.74, h * 0.78, r * 0.5, BLACK)]
    return [
        cylinder(0, 0, 0, h * 0.5, r, c, "metal"),
        ball(0, 0, h * 0.5, r, r, h * 0.26, c, "metal"),
        box(-0.014, 0.014, r * 0.7, d / 2, h * 0.42, h * 0.62, c, "metal"),
        *[box(-0.01, 0.01, s * r * 0.8 - 0.008, s * r * 0.8 + 0.008, h * 0.62, h, BLACK) for s in (-1, 1)],
        box(-0.01, 0.01, -r * 0.85, r * 0.85, h * 0.94, h, BLACK),
        *lid,
    ]


def coffee_pot(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A glass jug with coffee, a handle, a lid."""
    r = min(w * 0.38, d / 2)
    x = -(w / 2 - r)
    return [
        cylinder(x, 0, 0, h * 0.78, r, GLASS, "glass"),
        cylinder(x, 0, 0.006, h * 0.46, r * 0.92, COFFEE),
        cylinder(x, 0, h * 0.76, h * 0.84, r * 0.96, BLACK),
        cylinder(x, 0, h * 0.84, h, r * 0.7, BLACK),
        box(x + r * 0.8, w / 2, -0.012, 0.012, h * 0.78, h * 0.86, BLACK),
        box(w / 2 - 0.02, w / 2, -0.012, 0.012, h * 0.15, h * 0.86, BLACK),
    ]


def watering_can(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A can with a long spout to the front and a bow."""
    r, c = min(w, d * 0.6) * 0.48, look.of((PAINTS[2], STEEL, PAINTS[5]))
    y = -d / 2 + r * 1.1
    return [
        cylinder(0, y, 0, h * 0.72, r, c, "metal"),
        box(-0.01, 0.01, y + r * 0.8, d / 2 - 0.02, h * 0.3, h * 0.38, c),
        box(-0.01, 0.01, d / 2 - 0.03, d / 2, h * 0.3, h * 0.8, c),
        *[box(-0.01, 0.01, y + s * r * 0.8 - 0.008, y + s * r * 0.8 + 0.008, h * 0.7, h, c) for s in (-1, 1)],
        box(-0.01, 0.01, y - r * 0.8, y + r * 0.8, h * 0.94, h, c),
    ]


def vase(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A belly, a neck, a lip."""
    r, c = min(w, d) / 2, look.of((PAINTS[5], rgb("#a5593b"), CERAMIC, PAINTS[4]))
    return [
        cylinder(0, 0, 0, h * 0.12, r * 0.5, c),
        ball(0, 0, h * 0.4, r, r, h * 0.36, c),
        cylinder(0, 0, h * 0.62, h * 0.94, r * 0.42, c),
        cylinder(0, 0, h * 0.93, h - 0.001, r * 0.55, shade(c, 1.1)),
        cylinder(0, 0, h - 0.002, h, r * 0.4, shade(c, 0.4)),
    ]


def bottle(colour: Colour | None = None, neck: float = 0.35, label: Colour = CREAM, cap: Colour | None = None) -> Builder:
    """A body, a shoulder, a neck, a label, a cap."""

    def build(w: float, d: float, h: float, look: Appearance) -> Shape:
        r, c = min(w, d) / 2, colour or look.of(PAINTS)
        shoulder = h * (1 - neck)
        return [
            cylinder(0, 0, 0, shoulder, r * 0.95, c),
            ball(0, 0, shoulder, r * 0.95, r * 0.95, h * neck * 0.4, c),
            cylinder(0, 0, shoulder, h * 0.95, r * 0.34, shade(c, 0.9)),
            cylinder(0, 0, h * 0.92, h, r * 0.4, cap or shade(c, 0.6)),
            cylinder(0, 0, h * 0.16, shoulder * 0.8, r, label),
        ]

    return build


def flask(colour: Colour | None = None, cap: Colour = WHITE) -> Builder:
    """A flat-sided bottle as used in bathrooms, with a broad cap."""

    def build(w: float, d: float, h: float, look: Appearance) -> Shape:
        c = colour or look.of(PAINTS)
        return [
            box(-w * 0.4, w * 0.4, -d / 2, d / 2, 0, h * 0.74, c),
            *[cylinder(s * w * 0.36, 0, 0, h * 0.74, w * 0.14, c, ry=d / 2) for s in (-1, 1)],
            box(-w * 0.34, w * 0.34, d / 2 - 0.002, d / 2, h * 0.18, h * 0.56, shade(c, 1.7)),
            cylinder(0, 0, h * 0.74, h, w * 0.26, cap, ry=min(d * 0.4, w * 0.26)),
        ]

    return build


def pump(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A soap dispenser with its nozzle."""
    r, c = min(w, d) / 2, look.of((PAINTS[5], rgb("#e8b7c4"), PAINTS[0], rgb("#9cc08a")))
    return [
        cylinder(0, 0, 0, h * 0.62, r * 0.95, c),
        ball(0, 0, h * 0.62, r * 0.95, r * 0.95, h * 0.1, c),
        cylinder(0, 0, h * 0.15, h * 0.5, r * 0.99, shade(c, 1.5)),
        cylinder(0, 0, h * 0.68, h * 0.92, r * 0.2, WHITE),
        box(-r * 0.2, r * 0.2, -r * 0.2, r * 0.95, h * 0.92, h, WHITE),
    ]


def spray(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A body with a trigger head."""
    r, c = min(w, d) / 2, look.of((PAINTS[5], PAINTS[0], PAINTS[3]))
    return [
        cylinder(0, 0, 0, h * 0.6, r * 0.92, c),
        ball(0, 0, h * 0.6, r * 0.92, r * 0.92, h * 0.12, c),
        cylinder(0, 0, h * 0.66, h * 0.84, r * 0.3, shade(c, 0.8)),
        box(-r * 0.25, r * 0.25, -d * 0.35, d / 2, h * 0.84, h, shade(c, 0.6)),
        box(-r * 0.12, r * 0.12, d * 0.18, d * 0.26, h * 0.68, h * 0.84, shade(c, 0.6)),
    ]


def can(colour: Colour | None = None, cap: Colour = WHITE) -> Builder:
    """An aerosol can: a cylinder with a narrower cap."""

    def build(w: float, d: float, h: float, look: Appearance) -> Shape:
        r, c = min(w, d) / 2, colour or look.of(PAINTS)
        return [
            cylinder(0, 0, 0, h * 0.78, r * 0.97, c, "metal"),
            cylinder(0, 0, h * 0.22, h * 0.55, r, shade(c, 1.5)),
            ball(0, 0, h * 0.78, r * 0.97, r * 0.97, h * 0.06, STEEL, "metal"),
            cylinder(0, 0, h * 0.8, h, r * 0.7, cap),
        ]

    return build


def jar(colour: Colour | None = None, lid: Colour = GREY) -> Builder:
    """A round jar with a lid."""

    def build(w: float, d: float, h: float, look: Appearance) -> Shape:
        r, c = min(w, d) / 2, colour or look.of((rgb("#b5402f"), rgb("#c98a3a"), rgb("#e7d9a7"), rgb("#7a4a8a")))
        return [
            cylinder(0, 0, 0, h * 0.8, r * 0.94, c),
            cylinder(0, 0, h * 0.25, h * 0.6, r * 0.97, CREAM),
            cylinder(0, 0, h * 0.8, h, r, lid),
        ]

    return build


def shaker(colour: Colour | None = None) -> Builder:
    """A small jar with a domed metal cap."""

    def build(w: float, d: float, h: float, look: Appearance) -> Shape:
        r, c = min(w, d) / 2, colour or look.of((rgb("#e8e8e8"), rgb("#3a3a3a")))
        return [
            cylinder(0, 0, 0, h * 0.72, r * 0.86, c),
            cylinder(0, 0, h * 0.7, h * 0.86, r, STEEL, "metal"),
            ball(0, 0, h * 0.86, r, r, h * 0.14, STEEL, "metal"),
        ]

    return build


def carton(colour: Colour, band: Colour) -> Builder:
    """A gable-top carton: milk and juice."""

    def build(w: float, d: float, h: float, look: Appearance) -> Shape:
        body = look.colour or colour
        return [
            block(w, d, 0, h * 0.72, body),
            block(w * 1.0, d * 1.0, h * 0.1, h * 0.3, band),
            box(-w * 0.3, w * 0.3, d / 2 - 0.001, d / 2 + 0.0005, h * 0.36, h * 0.62, band),
            block(w * 0.98, d * 0.7, h * 0.72, h * 0.8, shade(body, 0.94)),
            block(w * 0.96, d * 0.38, h * 0.8, h * 0.88, shade(body, 0.9)),
            block(w * 0.94, 0.008, h * 0.88, h, shade(body, 0.96)),
            cylinder(0, d * 0.3, h * 0.72, h * 0.83, min(w, d) * 0.16, band),
        ]

    return build


def packet(colour: Colour | None = None, patch: Colour = CREAM) -> Builder:
    """A printed box: cereal, crackers, tea."""

    def build(w: float, d: float, h: float, look: Appearance) -> Shape:
        c = look.colour or colour or look.of(PAINTS)
        front = d / 2 - 0.001
        return [
            box(-w / 2, w / 2, -d / 2, front, 0, h, c),
            box(-w * 0.4, w * 0.4, front, d / 2, h * 0.58, h * 0.86, patch),
            box(-w * 0.24, w * 0.24, front, d / 2, h * 0.12, h * 0.46, shade(c, 1.5)),
            box(-w / 2, w / 2, -0.004, 0.004, h - 0.002, h, shade(c, 0.7)),
        ]

    return build


def pouch(colour: Colour) -> Builder:
    """A puffed bag with crimped ends: chips."""

    def build(w: float, d: float, h: float, look: Appearance) -> Shape:
        c = look.of((colour, rgb("#c0392b"), rgb("#2f7f4b")))
        return [
            ball(0, 0, h / 2, w * 0.5, d / 2, h * 0.46, c),
            block(w * 0.92, d * 0.5, h * 0.12, h * 0.88, c),
            *[block(w * 0.94, 0.008, z, z + h * 0.07, shade(c, 1.2)) for z in (0, h * 0.93)],
            ball(0, d * 0.3, h * 0.56, w * 0.26, d * 0.19, h * 0.16, BUTTERY),
        ]

    return build


BUTTERY = rgb("#f3d667")
