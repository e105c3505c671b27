"""Belongings: cloth and clothes, books and papers, small electronics."""

from __future__ import annotations

from sim.geometry.model import Colour
from sim.rendering.shapes.kit import (
    BLACK,
    CREAM,
    FABRICS,
    GREY,
    LED,
    OAK,
    PAINTS,
    RED,
    SCREEN_ON,
    STEEL,
    WALNUT,
    WHITE,
    Appearance,
    Builder,
    Shape,
    ball,
    block,
    box,
    cylinder,
    disc,
    lengthwise,
    mix,
    rgb,
    shade,
)

TOWELS = (*FABRICS, rgb("#d98f7c"), rgb("#9fc6c1"))
DENIM = (rgb("#3c5a80"), rgb("#2d3a4a"), rgb("#7a6a52"))
SACK = rgb("#2e3236")


def cloth(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A dishcloth: flat, with a stripe and a fold."""
    c, top = look.of(TOWELS), max(h, 0.008)
    return [
        block(w, d, 0, top * 0.6, c, "cloth"),
        box(-w * 0.46, w * 0.2, -d * 0.46, d * 0.46, top * 0.5, top, shade(c, 1.08), "cloth"),
        box(-w * 0.44, w * 0.18, d * 0.2, d * 0.32, top - 0.001, top, WHITE, "cloth"),
    ]


def folded_towel(w: float, d: float, h: float, look: Appearance) -> Shape:
    """Three layers with round folds at one side."""
    c, step = look.of(TOWELS), h / 3
    layers = [
        block(w * (1 - 0.02 * k), d * (0.96 - 0.02 * k), k * step, (k + 0.94) * step, shade(c, 0.94 + 0.06 * k), "cloth")
        for k in range(3)
    ]
    return [*layers, box(-w * 0.47, w * 0.47, -d * 0.12, d * 0.02, h * 0.975, h, WHITE, "cloth")]


def pillow(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A cushion, puffed in the middle."""
    c = look.of((rgb("#d6a24a"), rgb("#8fa9b8"), CREAM, rgb("#b5656a"), rgb("#7f9a7a")))
    return [
        block(w * 0.92, d * 0.92, h * 0.3, h * 0.62, c, "cloth"),
        ball(0, 0, h * 0.5, w / 2, d / 2, h / 2, c, "cloth"),
        ball(0, 0, h * 0.52, w * 0.4, d * 0.4, h * 0.48, shade(c, 1.06), "cloth"),
    ]


def shirt(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A folded shirt: a collar, a row of buttons."""
    c = look.of((*FABRICS, WHITE, rgb("#b5656a")))
    return [
        block(w, d, 0, h * 0.7, shade(c, 0.92), "cloth"),
        block(w * 0.94, d * 0.96, h * 0.5, h * 0.92, c, "cloth"),
        *[box(s * w * 0.02, s * w * 0.2, d * 0.3, d * 0.46, h * 0.9, h, shade(c, 1.2), "cloth") for s in (-1, 1)],
        *[cylinder(0, d * y, h * 0.9, h * 0.96, 0.006, BLACK if c == WHITE else WHITE) for y in (0.16, 0.0, -0.16, -0.32)],
    ]


def trousers(w: float, d: float, h: float, look: Appearance) -> Shape:
    """Folded jeans: a waistband, two legs one over the other."""
    c = look.of(DENIM)
    return [
        block(w, d, 0, h * 0.48, shade(c, 0.9), "cloth"),
        block(w * 0.98, d * 0.94, h * 0.5, h * 0.96, c, "cloth"),
        box(-w * 0.49, w * 0.49, d * 0.34, d * 0.47, h * 0.9, h, shade(c, 0.75), "cloth"),
        box(-w * 0.3, -w * 0.06, d * 0.02, d * 0.28, h * 0.94, h * 0.99, shade(c, 1.2), "cloth"),
    ]


def garment(w: float, d: float, h: float, look: Appearance) -> Shape:
    """Folded clothes of any kind."""
    c = look.of((*FABRICS, *PAINTS))
    return [
        block(w, d, 0, h * 0.6, c, "cloth"),
        box(-w * 0.42, w * 0.36, -d * 0.42, d * 0.42, h * 0.55, h, shade(c, 1.15), "cloth"),
    ]


def bag(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A handbag: a flap and a bow."""
    c = look.of((WALNUT, BLACK, PAINTS[4], PAINTS[1]))
    return [
        block(w, d, 0, h * 0.66, c, "cloth"),
        box(-w * 0.48, w * 0.48, d / 2 - 0.006, d / 2, h * 0.34, h * 0.66, shade(c, 1.2), "cloth"),
        box(-0.012, 0.012, d / 2 - 0.004, d / 2, h * 0.3, h * 0.36, rgb("#d9b54a"), "metal"),
        *[box(s * w * 0.3 - 0.008, s * w * 0.3 + 0.008, -0.01, 0.01, h * 0.64, h, shade(c, 0.8)) for s in (-1, 1)],
        box(-w * 0.3, w * 0.3, -0.01, 0.01, h * 0.95, h, shade(c, 0.8)),
    ]


def sack(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A tied rubbish bag."""
    c = look.of((SACK, rgb("#3d4a3f")))
    return [
        ball(0, 0, h * 0.38, w / 2, d / 2, h * 0.38, c, "cloth"),
        ball(0, 0, h * 0.62, w * 0.3, d * 0.3, h * 0.2, c, "cloth"),
        cylinder(0, 0, h * 0.76, h * 0.82, w * 0.08, rgb("#c0392b")),
        ball(0, 0, h * 0.9, w * 0.16, d * 0.1, h * 0.1, c, "cloth"),
    ]


def shoes(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A pair: soles, toes, shafts as tall as the box."""
    c = look.of((WALNUT, BLACK, PAINTS[1]))
    parts = []
    for s in (-1, 1):
        x = s * w * 0.26
        parts += [
            block(w * 0.4, d * 0.94, 0, h * 0.12, BLACK, at=(x, 0.0)),
            ball(x, d * 0.16, h * 0.26, w * 0.2, d * 0.32, h * 0.22, c),
            cylinder(x, -d * 0.22, h * 0.1, h * 0.98, w * 0.19, c, ry=d * 0.24),
            cylinder(x, -d * 0.22, h * 0.97, h, w * 0.15, shade(BLACK, 0.6), ry=d * 0.19),
        ]
    return parts


def slippers(w: float, d: float, h: float, look: Appearance) -> Shape:
    """Flat soles with a soft vamp at the toes."""
    c, parts = look.of((rgb("#8a7a94"), rgb("#b5656a"), rgb("#5f7d8c"))), []
    for s in (-1, 1):
        x = s * w * 0.26
        parts += [
            cylinder(x, d * 0.2, 0, h * 0.28, w * 0.2, shade(c, 0.7), ry=d * 0.29),
            cylinder(x, -d * 0.22, 0, h * 0.28, w * 0.18, shade(c, 0.7), ry=d * 0.27),
            ball(x, d * 0.18, h * 0.46, w * 0.21, d * 0.29, h * 0.46, c, "cloth"),
            ball(x, -d * 0.06, h * 0.46, w * 0.15, d * 0.08, h * 0.3, CREAM, "cloth"),
        ]
    return parts


def hanger(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A bar with sloping shoulders and a hook, upright."""
    wood, t = look.of((OAK, WALNUT, WHITE)), min(d / 2, 0.008)
    steps = [
        box(s * w * a, s * w * b, -t, t, h * z, h * (z + 0.13), wood, "wood")
        for s in (-1, 1)
        for a, b, z in ((0.0, 0.14, 0.5), (0.12, 0.28, 0.38), (0.26, 0.4, 0.26), (0.38, 0.5, 0.12))
    ]
    return [
        *steps,
        box(-w * 0.47, w * 0.47, -t * 0.6, t * 0.6, h * 0.08, h * 0.15, wood, "wood"),
        cylinder(0, 0, h * 0.6, h * 0.88, 0.003, STEEL, "metal"),
        box(0, w * 0.06, -0.003, 0.003, h * 0.94, h, STEEL, "metal"),
        box(w * 0.05, w * 0.065, -0.003, 0.003, h * 0.84, h, STEEL, "metal"),
        box(-0.003, 0.003, -0.003, 0.003, h * 0.86, h, STEEL, "metal"),
    ]


PAPER, INK = rgb("#f7f5ee"), rgb("#8b8f96")
COVERS = (*PAINTS, rgb("#2d3e50"), rgb("#8a2f3c"))


def book(w: float, d: float, h: float, look: Appearance) -> Shape:
    """Covers around pages. Open shows two pages with lines. Tall boxes stand."""
    cover = look.of(COVERS)
    if look.open:
        return _open_book(w, d, h, cover)
    if h > max(w, d):
        return _standing_book(w, d, h, cover)
    t = min(0.006, h * 0.2)
    return [
        block(w, d, 0, t, cover),
        box(-w / 2 + t, w / 2 - 0.004, -d / 2 + 0.004, d / 2 - 0.004, t, h - t, PAPER),
        block(w, d, h - t, h - 0.0005, cover),
        box(-w / 2, -w / 2 + t, -d / 2, d / 2, 0, h - 0.0005, shade(cover, 0.9)),
        box(-w * 0.28, w * 0.34, d * 0.12, d * 0.3, h - 0.001, h, mix(cover, CREAM, 0.75)),
    ]


def _open_book(w: float, d: float, h: float, cover: Colour) -> Shape:
    t, top = min(0.006, h * 0.2), max(h * 0.6, 0.008)
    pages = [box(s * 0.002, s * (w / 2 - 0.005), -d / 2 + 0.005, d / 2 - 0.005, t, top, PAPER) for s in (-1, 1)]
    lines = [
        box(s * w * 0.08, s * w * 0.42, y * d - 0.003, y * d + 0.003, top - 0.001, top + 0.0005, INK)
        for s in (-1, 1)
        for y in (-0.28, -0.12, 0.04, 0.2)
    ]
    return [block(w, d, 0, t, cover), *pages, *lines]


def _standing_book(w: float, d: float, h: float, cover: Colour) -> Shape:
    t = min(0.005, w * 0.2, d * 0.2)
    if w < d:
        boards = [box(s * (w / 2 - t), s * w / 2, -d / 2, d / 2, 0, h, cover) for s in (-1, 1)]
        return [
            *boards,
            box(-w / 2, w / 2, d / 2 - t, d / 2, 0, h, cover),
            box(-w / 2 + t, w / 2 - t, -d / 2 + 0.004, d / 2 - t, 0.003, h - 0.003, PAPER),
        ]
    boards = [box(-w / 2, w / 2, s * (d / 2 - t), s * d / 2, 0, h, cover) for s in (-1, 1)]
    return [
        *boards,
        box(-w / 2, -w / 2 + t, -d / 2, d / 2, 0, h, cover),
        box(-w / 2 + t, w / 2 - 0.004, -d / 2 + t, d / 2 - t, 0.003, h - 0.003, PAPER),
    ]


def sheet(colour: Colour | None = None) -> Builder:
    """Letters, forms, cards: a flat rectangle with lines of print."""

    def build(w: float, d: float, h: float, look: Appearance) -> Shape:
        paper, top = look.colour or colour or (PAPER, rgb("#efe8d4"), rgb("#e6eef2"))[look.pick % 3], max(h, 0.002)
        print_on = shade(paper, 0.62)
        lines = [
            box(-w * 0.36, w * f, d * y - d * 0.02, d * y + d * 0.02, top - 0.0008, top, print_on)
            for y, f in ((0.34, 0.1), (0.18, 0.36), (0.04, 0.3), (-0.1, 0.36), (-0.24, 0.2))
        ]
        return [block(w, d, 0, top - 0.0004, paper), *lines]

    return build


def card(colour: Colour) -> Builder:
    """A bank card: a stripe and a chip."""

    def build(w: float, d: float, h: float, look: Appearance) -> Shape:
        c, top = look.colour or colour, max(h, 0.002)
        return [
            block(w, d, 0, top - 0.0004, c),
            box(-w / 2, w / 2, d * 0.2, d * 0.36, top - 0.001, top, BLACK),
            box(-w * 0.36, -w * 0.16, -d * 0.2, d * 0.05, top - 0.001, top, rgb("#d9b54a")),
        ]

    return build


def magazine(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A bright cover: a headline and a picture."""
    cover, top = look.of(PAINTS), max(h, 0.003)
    return [
        block(w, d, 0, top - 0.0008, PAPER),
        block(w, d, top * 0.7, top - 0.0004, cover),
        box(-w * 0.44, w * 0.44, d * 0.28, d * 0.44, top - 0.001, top, rgb("#fff2cc")),
        box(-w * 0.34, w * 0.34, -d * 0.4, d * 0.2, top - 0.001, top, mix(cover, WHITE, 0.55)),
        cylinder(0, -d * 0.08, top - 0.001, top, w * 0.16, shade(cover, 0.6)),
    ]


def notes(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A block of sticky notes."""
    colour, top = look.of((rgb("#f6e05e"), rgb("#f7a8b8"), rgb("#a5d6a7"))), max(h, 0.004)
    lines = [
        box(-w * 0.36, w * 0.3, d * y - 0.002, d * y + 0.002, top - 0.0005, top, shade(colour, 0.5))
        for y in (0.22, 0.05, -0.12)
    ]
    return [block(w, d, 0, top * 0.8, shade(colour, 0.92)), block(w, d * 0.98, top * 0.8, top - 0.0003, colour), *lines]


def folder(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A manila folder with a tab and visible papers."""
    colour, top = look.of((rgb("#dcb56b"), PAINTS[0], PAINTS[1])), max(h, 0.006)
    return [
        block(w * 0.97, d * 0.94, 0, top * 0.35, colour),
        block(w * 0.93, d * 0.9, top * 0.3, top * 0.75, PAPER, at=(w * 0.03, 0.0)),
        block(w * 0.97, d * 0.94, top * 0.7, top, shade(colour, 1.08), at=(-w * 0.015, -d * 0.03)),
        box(w * 0.1, w * 0.42, d * 0.4, d / 2, 0, top * 0.5, shade(colour, 0.9)),
    ]


def board_game(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A flat box with a chequered lid."""
    colour, top = look.of((PAINTS[1], PAINTS[0], PAINTS[2], PAINTS[4])), max(h, 0.006)
    step = min(w, d) * 0.15
    squares = [
        block(step, step, top - 0.001, top, (WHITE, BLACK)[(i + j) % 2], at=((i - 1.5) * step, (j - 1.5) * step))
        for i in range(4)
        for j in range(4)
    ]
    return [block(w * 0.97, d * 0.97, 0, top * 0.4, shade(colour, 0.7)), block(w, d, top * 0.3, top - 0.0005, colour), *squares]


def crayons(w: float, d: float, h: float, look: Appearance) -> Shape:
    """An open packet. The tips stand out at the back."""
    hues = tuple(PAINTS[k] for k in (1, 3, 2, 0, 4, 6))
    step, r = w * 0.9 / len(hues), min(w * 0.9 / len(hues) / 2, h * 0.42)
    sticks = [
        box(
            -w * 0.45 + k * step + step * 0.1, -w * 0.45 + (k + 1) * step - step * 0.1, -d * 0.3, d / 2, h / 2 - r, h / 2 + r, c
        )
        for k, c in enumerate(hues)
    ]
    return [
        box(-w / 2, w / 2, -d / 2, d * 0.18, 0, h, rgb("#f2c230")),
        box(-w * 0.3, w * 0.3, -d * 0.3, d * 0.02, h - 0.0008, h, rgb("#2f7f4b")),
        *sticks,
    ]


def tissues(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A box with a tissue pulled out."""
    c = look.of((PAINTS[0], rgb("#9fc6c1"), rgb("#d98f7c"), rgb("#c9b6d6")))
    return [
        block(w, d, 0, h * 0.78, c),
        cylinder(0, 0, h * 0.775, h * 0.79, w * 0.28, shade(c, 0.6), ry=d * 0.28),
        block(min(w, d) * 0.36, 0.012, h * 0.78, h * 0.95, WHITE, "cloth"),
        block(0.012, min(w, d) * 0.3, h * 0.78, h, WHITE, "cloth", yaw=0.5),
    ]


def newspaper(w: float, d: float, h: float, look: Appearance) -> Shape:
    """Folded newsprint: a headline, a picture, columns."""
    paper, top = rgb("#dcd9cf"), max(h, 0.004)
    columns = [box(w * x, w * (x + 0.22), -d * 0.42, d * 0.1, top - 0.0008, top, rgb("#a9a79f")) for x in (-0.44, -0.2, 0.22)]
    return [
        block(w, d, 0, top * 0.9, shade(paper, 0.92)),
        block(w * 0.99, d * 0.99, top * 0.5, top - 0.0004, paper),
        box(-w * 0.44, w * 0.44, d * 0.3, d * 0.44, top - 0.0008, top, GREY),
        box(w * 0.02, w * 0.2, -d * 0.3, d * 0.2, top - 0.0008, top, shade(GREY, 0.7)),
        *columns,
    ]


DARK_SCREEN = rgb("#1c2530")
BLUE_FACE = rgb("#b9c8e8")


def phone(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A slab with a screen."""
    ww, dd = min(w, 0.085), min(d, 0.17)
    top = max(min(h, 0.012), 0.006)
    screen = look.lit(SCREEN_ON, DARK_SCREEN, "glass_dark")
    icons = [
        block(ww * 0.14, ww * 0.14, top, top + 0.0004, PAINTS[(i + 2 * j) % 8], at=(ww * 0.26 * i, dd * 0.12 * j))
        for i in (-1, 0, 1)
        for j in (-1, 1, 2)
    ]
    return [
        block(ww, dd, 0, top - 0.0005, look.of((BLACK, GREY, WHITE))),
        block(ww * 0.92, dd * 0.92, top * 0.5, top, *screen),
        *(icons if look.on else []),
    ]


@lengthwise
def remote(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A dark stick with rows of buttons and a red one."""
    top, wide = max(h, 0.012), min(d, 0.07)
    spots = [(t * w, s * wide) for t in (0.2, 0.06, -0.08, -0.22) for s in (-0.26, 0.0, 0.26)]
    return [
        block(w, wide, 0, top * 0.86, BLACK),
        *[cylinder(x, y, top * 0.8, top, wide * 0.1, GREY) for x, y in spots],
        cylinder(0.4 * w, 0.0, top * 0.8, top, wide * 0.14, RED),
    ]


def mouse(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A rounded back, two buttons, a wheel."""
    c = look.of((BLACK, GREY, WHITE))
    seam = box(-0.001, 0.001, d * 0.05, d * 0.42, h * 0.5, h * 0.97, shade(c, 0.5))
    return [
        ball(0, 0, h * 0.5, w / 2, d / 2, h / 2, c),
        block(w * 0.8, d * 0.8, 0, h * 0.3, shade(c, 0.8)),
        seam,
        ball(0, d * 0.24, h * 0.86, w * 0.06, d * 0.08, h * 0.12, GREY),
    ]


@lengthwise
def keyboard(w: float, d: float, h: float, look: Appearance) -> Shape:
    """Four rows of keys and a space bar, along the longer side."""
    top, case = max(h, 0.012), look.of((BLACK, GREY, WHITE))
    key, step = WHITE if case != WHITE else GREY, w * 0.94 / 10
    spots = [((column - 4.5) * step, d * (0.32 - 0.19 * row)) for row in range(4) for column in range(10)]
    return [
        block(w, d, 0, top * 0.6, case),
        *[block(step * 0.8, d * 0.14, top * 0.6, top, key, at=at) for at in spots],
        block(w * 0.4, d * 0.14, top * 0.6, top, key, at=(0.0, -d * 0.41)),
    ]


def radio(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A wooden case, a round grille, a lit scale, an aerial."""
    front, case, tall = d / 2 - 0.012, look.of((WALNUT, PAINTS[1], PAINTS[5], CREAM)), h * 0.78
    r = min(w * 0.2, tall * 0.36)
    return [
        box(-w / 2, w / 2, -d / 2, front, 0, tall, case, "wood"),
        disc(-w * 0.24, front, tall / 2, r, 0.01, GREY, "metal"),
        disc(-w * 0.24, front + 0.003, tall / 2, r * 0.82, 0.01, BLACK, "cloth"),
        box(w * 0.02, w * 0.44, front, front + 0.004, tall * 0.6, tall * 0.85, *look.lit(rgb("#ffe9b8"), rgb("#d8d2bd"))),
        *[disc(w * x, front + 0.005, tall * 0.3, min(0.018, h / 8), 0.014, STEEL, "metal") for x in (0.1, 0.36)],
        cylinder(w * 0.42, -d * 0.3, tall, h, 0.003, STEEL, "metal"),
        box(-w * 0.3, w * 0.3, -d * 0.1, d * 0.05, tall, tall + 0.014, BLACK),
    ]


def alarm_clock(w: float, d: float, h: float, look: Appearance) -> Shape:
    """Wide boxes are digital clocks. Others have a face, two bells and feet."""
    case, front = look.of((BLACK, PAINTS[1], PAINTS[0], CREAM)), d / 2
    if w > h * 1.35:
        digits = [
            box(w * x, w * (x + 0.1), front - 0.002, front, h * 0.3, h * 0.72, LED, "glow") for x in (-0.34, -0.18, 0.06, 0.22)
        ]
        return [
            box(-w / 2, w / 2, -d / 2, front - 0.004, 0, h, case),
            box(-w * 0.43, w * 0.43, front - 0.004, front - 0.002, h * 0.18, h * 0.84, BLACK, "glass_dark"),
            *digits,
        ]
    r = min(w / 2, h * 0.4)
    z = h * 0.08 + r
    return [
        disc(0, 0, z, r, d - 0.008, case),
        disc(0, front - 0.005, z, r * 0.86, 0.004, WHITE),
        box(-0.004, 0.004, front - 0.004, front, z, z + r * 0.65, BLACK),
        box(0, r * 0.45, front - 0.004, front, z - 0.004, z + 0.004, BLACK),
        *[ball(s * r * 0.6, 0, min(z + r * 0.95, h * 0.9), r * 0.34, d * 0.3, h * 0.1, STEEL, "metal") for s in (-1, 1)],
        *[box(s * r * 0.6 - 0.008, s * r * 0.6 + 0.008, -d * 0.3, d * 0.3, 0, z - r * 0.6, BLACK) for s in (-1, 1)],
    ]


def watch(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A face on a strap, along the longer side."""
    top, length, wide = max(h, 0.006), max(w, d), min(w, d)
    strap = (length, wide * 0.5) if w >= d else (wide * 0.5, length)
    r = min(wide / 2, length * 0.25)
    return [
        block(*strap, 0, top * 0.4, look.of((WALNUT, BLACK))),
        cylinder(0, 0, top * 0.2, top * 0.9, r, STEEL, "metal"),
        cylinder(0, 0, top * 0.8, top, r * 0.84, WHITE),
        block(0.002, r * 0.7, top - 0.0005, top, BLACK, at=(0.0, r * 0.3)),
    ]


def compact_disc(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A silver disc with a hole."""
    top = max(h, 0.002)
    return [
        cylinder(0, 0, 0, top * 0.8, w / 2, BLUE_FACE, "metal", d / 2),
        cylinder(0, 0, 0, top * 0.9, w * 0.2, STEEL, "metal", d * 0.2),
        cylinder(0, 0, 0, top, w * 0.07, BLACK, ry=d * 0.07),
    ]


def mousepad(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A dark mat."""
    return [block(w, d, 0, max(h, 0.003), look.of((BLACK, PAINTS[0], GREY)), "cloth")]


def bulb(w: float, d: float, h: float, look: Appearance) -> Shape:
    """A light bulb on its socket."""
    r = min(w, d) / 2
    return [
        cylinder(0, 0, 0, h * 0.3, r * 0.45, GREY, "metal"),
        ball(0, 0, h * 0.62, r, r, h * 0.38, *look.lit(CREAM, CREAM)),
    ]


def hand_device(w: float, d: float, h: float, look: Appearance) -> Shape:
    """Irons, blenders and hair dryers: a body, a grip, a switch."""
    c = look.of((PAINTS[1], PAINTS[5], BLACK, GREY))
    return [
        block(w * 0.8, d * 0.8, 0, h * 0.12, BLACK),
        cylinder(0, 0, h * 0.1, h * 0.8, min(w, d) * 0.36, c),
        ball(0, 0, h * 0.8, min(w, d) * 0.36, min(w, d) * 0.36, h * 0.2, shade(c, 1.15)),
        box(-0.014, 0.014, d * 0.3, d / 2, h * 0.2, h * 0.7, BLACK),
        disc(0, min(w, d) * 0.36, h * 0.5, 0.012, 0.01, LED if look.on else GREY, "glow"),
    ]
