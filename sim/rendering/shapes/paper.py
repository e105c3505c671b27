"""Books, papers and boxes of games."""

from __future__ import annotations

from sim.geometry.model import Colour
from sim.rendering.shapes.kit import (
    BLACK,
    CREAM,
    GREY,
    PAINTS,
    WHITE,
    Builder,
    Look,
    Shape,
    block,
    box,
    cylinder,
    made,
    mix,
    rgb,
    shade,
)

PAPER, INK = rgb("#f7f5ee"), rgb("#8b8f96")
COVERS = (*PAINTS, rgb("#2d3e50"), rgb("#8a2f3c"))


def book(w: float, d: float, h: float, look: Look) -> Shape:
    """Covers around pages. Open shows two pages with lines. Tall boxes stand."""
    cover = look.of(COVERS)
    if look.open:
        return _open_book(w, d, h, cover)
    if h > max(w, d):
        return _standing_book(w, d, h, cover)
    t = min(0.006, h * 0.2)
    return made([
        block(w, d, 0, t, cover),
        box(-w / 2 + t, w / 2 - 0.004, -d / 2 + 0.004, d / 2 - 0.004, t, h - t, PAPER),
        block(w, d, h - t, h - 0.0005, cover),
        box(-w / 2, -w / 2 + t, -d / 2, d / 2, 0, h - 0.0005, shade(cover, 0.9)),
        box(-w * 0.28, w * 0.34, d * 0.12, d * 0.3, h - 0.001, h, mix(cover, CREAM, 0.75)),
    ])


def _open_book(w: float, d: float, h: float, cover: Colour) -> Shape:
    t, top = min(0.006, h * 0.2), max(h * 0.6, 0.008)
    pages = [box(s * 0.002, s * (w / 2 - 0.005), -d / 2 + 0.005, d / 2 - 0.005, t, top, PAPER) for s in (-1, 1)]
    lines = [
        box(s * w * 0.08, s * w * 0.42, y * d - 0.003, y * d + 0.003, top - 0.001, top + 0.0005, INK)
        for s in (-1, 1)
        for y in (-0.28, -0.12, 0.04, 0.2)
    ]
    return made([block(w, d, 0, t, cover), *pages, *lines])


def _standing_book(w: float, d: float, h: float, cover: Colour) -> Shape:
    t = min(0.005, w * 0.2, d * 0.2)
    if w < d:
        boards = [box(s * (w / 2 - t), s * w / 2, -d / 2, d / 2, 0, h, cover) for s in (-1, 1)]
        return made([
            *boards,
            box(-w / 2, w / 2, d / 2 - t, d / 2, 0, h, cover),
            box(-w / 2 + t, w / 2 - t, -d / 2 + 0.004, d / 2 - t, 0.003, h - 0.003, PAPER),
        ])
    boards = [box(-w / 2, w / 2, s * (d / 2 - t), s * d / 2, 0, h, cover) for s in (-1, 1)]
    return made([
        *boards,
        box(-w / 2, -w / 2 + t, -d / 2, d / 2, 0, h, cover),
        box(-w / 2 + t, w / 2 - 0.004, -d / 2 + t, d / 2 - t, 0.003, h - 0.003, PAPER),
    ])


def sheet(colour: Colour | None = None) -> Builder:
    """Letters, forms, cards: a flat rectangle with lines of print."""

    def build(w: float, d: float, h: float, look: Look) -> Shape:
        paper, top = look.colour or colour or (PAPER, rgb("#efe8d4"), rgb("#e6eef2"))[look.pick % 3], max(h, 0.002)
        print_on = shade(paper, 0.62)
        lines = [
            box(-w * 0.36, w * f, d * y - d * 0.02, d * y + d * 0.02, top - 0.0008, top, print_on)
            for y, f in ((0.34, 0.1), (0.18, 0.36), (0.04, 0.3), (-0.1, 0.36), (-0.24, 0.2))
        ]
        return made([block(w, d, 0, top - 0.0004, paper), *lines])

    return build


def card(colour: Colour) -> Builder:
    """A bank card: a stripe and a chip."""

    def build(w: float, d: float, h: float, look: Look) -> Shape:
        c, top = look.colour or colour, max(h, 0.002)
        return made([
            block(w, d, 0, top - 0.0004, c),
            box(-w / 2, w / 2, d * 0.2, d * 0.36, top - 0.001, top, BLACK),
            box(-w * 0.36, -w * 0.16, -d * 0.2, d * 0.05, top - 0.001, top, rgb("#d9b54a")),
        ])

    return build


def magazine(w: float, d: float, h: float, look: Look) -> Shape:
    """A bright cover: a headline and a picture."""
    cover, top = look.of(PAINTS), max(h, 0.003)
    return made([
        block(w, d, 0, top - 0.0008, PAPER),
        block(w, d, top * 0.7, top - 0.0004, cover),
        box(-w * 0.44, w * 0.44, d * 0.28, d * 0.44, top - 0.001, top, rgb("#fff2cc")),
        box(-w * 0.34, w * 0.34, -d * 0.4, d * 0.2, top - 0.001, top, mix(cover, WHITE, 0.55)),
        cylinder(0, -d * 0.08, top - 0.001, top, w * 0.16, shade(cover, 0.6)),
    ])


def notes(w: float, d: float, h: float, look: Look) -> Shape:
    """A block of sticky notes."""
    colour, top = look.of((rgb("#f6e05e"), rgb("#f7a8b8"), rgb("#a5d6a7"))), max(h, 0.004)
    lines = [
        box(-w * 0.36, w * 0.3, d * y - 0.002, d * y + 0.002, top - 0.0005, top, shade(colour, 0.5))
        for y in (0.22, 0.05, -0.12)
    ]
    return made([block(w, d, 0, top * 0.8, shade(colour, 0.92)), block(w, d * 0.98, top * 0.8, top - 0.0003, colour), *lines])


def folder(w: float, d: float, h: float, look: Look) -> Shape:
    """A manila folder with a tab and visible papers."""
    colour, top = look.of((rgb("#dcb56b"), PAINTS[0], PAINTS[1])), max(h, 0.006)
    return made([
        block(w * 0.97, d * 0.94, 0, top * 0.35, colour),
        block(w * 0.93, d * 0.9, top * 0.3, top * 0.75, PAPER, at=(w * 0.03, 0.0)),
        block(w * 0.97, d * 0.94, top * 0.7, top, shade(colour, 1.08), at=(-w * 0.015, -d * 0.03)),
        box(w * 0.1, w * 0.42, d * 0.4, d / 2, 0, top * 0.5, shade(colour, 0.9)),
    ])


def board_game(w: float, d: float, h: float, look: Look) -> Shape:
    """A flat box with a chequered lid."""
    colour, top = look.of((PAINTS[1], PAINTS[0], PAINTS[2], PAINTS[4])), max(h, 0.006)
    step = min(w, d) * 0.15
    squares = [
        block(step, step, top - 0.001, top, (WHITE, BLACK)[(i + j) % 2], at=((i - 1.5) * step, (j - 1.5) * step))
        for i in range(4)
        for j in range(4)
    ]
    return made(
        [block(w * 0.97, d * 0.97, 0, top * 0.4, shade(colour, 0.7)), block(w, d, top * 0.3, top - 0.0005, colour), *squares]
    )


def crayons(w: float, d: float, h: float, look: Look) -> Shape:
    """An open packet. The tips stand out at the back."""
    hues = tuple(PAINTS[k] for k in (1, 3, 2, 0, 4, 6))
    step, r = w * 0.9 / len(hues), min(w * 0.9 / len(hues) / 2, h * 0.42)
    sticks = [
        box(
            -w * 0.45 + k * step + step * 0.1, -w * 0.45 + (k + 1) * step - step * 0.1, -d * 0.3, d / 2, h / 2 - r, h / 2 + r, c
        )
        for k, c in enumerate(hues)
    ]
    return made([
        box(-w / 2, w / 2, -d / 2, d * 0.18, 0, h, rgb("#f2c230")),
        box(-w * 0.3, w * 0.3, -d * 0.3, d * 0.02, h - 0.0008, h, rgb("#2f7f4b")),
        *sticks,
    ])


def tissues(w: float, d: float, h: float, look: Look) -> Shape:
    """A box with a tissue pulled out."""
    c = look.of((PAINTS[0], rgb("#9fc6c1"), rgb("#d98f7c"), rgb("#c9b6d6")))
    return made([
        block(w, d, 0, h * 0.78, c),
        cylinder(0, 0, h * 0.775, h * 0.79, w * 0.28, shade(c, 0.6), ry=d * 0.28),
        block(min(w, d) * 0.36, 0.012, h * 0.78, h * 0.95, WHITE, "cloth"),
        block(0.012, min(w, d) * 0.3, h * 0.78, h, WHITE, "cloth", yaw=0.5),
    ])


def newspaper(w: float, d: float, h: float, look: Look) -> Shape:
    """Folded newsprint: a headline, a picture, columns."""
    paper, top = rgb("#dcd9cf"), max(h, 0.004)
    columns = [box(w * x, w * (x + 0.22), -d * 0.42, d * 0.1, top - 0.0008, top, rgb("#a9a79f")) for x in (-0.44, -0.2, 0.22)]
    return made([
        block(w, d, 0, top * 0.9, shade(paper, 0.92)),
        block(w * 0.99, d * 0.99, top * 0.5, top - 0.0004, paper),
        box(-w * 0.44, w * 0.44, d * 0.3, d * 0.44, top - 0.0008, top, GREY),
        box(w * 0.02, w * 0.2, -d * 0.3, d * 0.2, top - 0.0008, top, shade(GREY, 0.7)),
        *columns,
    ])
