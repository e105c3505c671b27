"""Machines that stand on worktops, desks and floors."""

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
    Look,
    Prim,
    Shape,
    ball,
    block,
    box,
    cylinder,
    disc,
    made,
    rgb,
    shade,
)
from .parts import door

COLD, IRON, COFFEE, DISPLAY = rgb("#eef3f5"), rgb("#3b3d40"), rgb("#5a3b28"), rgb("#5fd0b0")


def microwave(w: float, d: float, h: float, look: Look) -> Shape:
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
    parts += door((-w / 2, edge), d / 2 - 0.005, (0.008, h), "left", look.open, shade(case, 1.1))
    if not look.open:
        pane = (GLOW, "glow") if look.on else (rgb("#333b44"), "glass_dark")
        parts.append(box(-w / 2 + 0.04, edge - 0.06, d / 2 - 0.005, d / 2 - 0.002, h * 0.2, h * 0.8, *pane))
    return made(parts)


def coffee_machine(w: float, d: float, h: float, look: Look) -> Shape:
    """A tower with a jug below its head."""
    ww, dd = min(w, 0.32), min(d, 0.38)
    case = look.of((BLACK, rgb("#7a2320"), STEEL))
    jug = [
        cylinder(0, dd * 0.16, h * 0.12, h * 0.5, ww * 0.3, GLASS, "glass"),
        cylinder(0, dd * 0.16, h * 0.125, h * 0.33, ww * 0.28, COFFEE),
        cylinder(0, dd * 0.16, h * 0.5, h * 0.54, ww * 0.24, BLACK),
        box(-0.01, 0.01, dd * 0.16 + ww * 0.3, dd / 2, h * 0.2, h * 0.48, BLACK),
    ]
    return made([
        box(-ww / 2, ww / 2, -dd / 2, -dd * 0.12, 0, h, case),
        box(-ww / 2, ww / 2, -dd * 0.12, dd / 2, 0, h * 0.1, shade(case, 0.8)),
        cylinder(0, dd * 0.16, h * 0.1, h * 0.12, ww * 0.34, IRON, "metal"),
        box(-ww / 2, ww / 2, -dd * 0.12, dd * 0.46, h * 0.7, h, case),
        cylinder(0, dd * 0.16, h * 0.6, h * 0.7, ww * 0.2, shade(case, 0.7)),
        disc(ww * 0.28, dd * 0.46, h * 0.85, min(0.015, h / 14), 0.01, LED if look.on else RED, "glow"),
        *jug,
    ])


def toaster(w: float, d: float, h: float, look: Look) -> Shape:
    """Two slots, a lever, a knob."""
    case, along = look.of((STEEL, RED, CREAMY)), w >= d
    if not along:
        turned = toaster(d, w, h, look)
        return made([_quarter(p) for p in turned.prims])
    slot = (EMBER, "glow") if look.on else (BLACK, "plain")
    slots = [box(-w * 0.36, w * 0.36, k * d * 0.18 - 0.012, k * d * 0.18 + 0.012, h - 0.004, h, *slot) for k in (-1, 1)]
    lever = box(w / 2 - 0.02, w / 2, -0.02, 0.02, h * (0.3 if look.on else 0.66), h * (0.3 if look.on else 0.66) + 0.014, BLACK)
    return made([
        block(w - 0.03, d, 0.012, h - 0.003, case, "metal"),
        block(w - 0.05, d * 0.9, 0, 0.012, BLACK),
        block(w - 0.022, d * 0.94, 0.014, h * 0.25, BLACK),
        *slots,
        lever,
    ])


CREAMY = rgb("#e8dcc0")


def _quarter(p: Prim) -> Prim:
    """Returns a box turned by 90 degrees about the object's middle."""
    (x, y, z), (a, b, c) = p.centre, p.half
    return p._replace(centre=(-y, x, z), half=(b, a, c))


def machine(w: float, d: float, h: float, look: Look) -> Shape:
    """A dark body, a lighter face and one light: players, computers, stereos."""
    face = d / 2
    return made([
        box(-w / 2, w / 2, -d / 2, face - 0.004, 0, h, look.of((BLACK, shade(GREY, 0.6), shade(GREY, 0.4)))),
        box(-w * 0.38, w * 0.38, face - 0.004, face - 0.001, h * 0.2, h * 0.72, shade(GREY, 0.75)),
        disc(
            w * 0.34, face - 0.004, h * 0.87, min(0.012, h / 12, w / 12), 0.008, LED if look.on else rgb("#8a2f2f"), "glow"
        ),
    ])


def computer(w: float, d: float, h: float, look: Look) -> Shape:
    """A tower: a drive slot, a button, a grille."""
    front = d / 2 - 0.006
    return made([
        box(-w / 2, w / 2, -d / 2, front, 0.01, h, look.of((BLACK, shade(GREY, 0.7)))),
        box(-w * 0.36, w * 0.36, front, d / 2 - 0.002, h * 0.8, h * 0.86, GREY),
        box(-w * 0.3, w * 0.3, front, d / 2 - 0.003, h * 0.12, h * 0.5, shade(GREY, 0.6)),
        disc(0, front + 0.002, h * 0.66, min(0.016, w / 8), 0.006, LED if look.on else GREY, "glow"),
    ])


def vacuum(w: float, d: float, h: float, look: Look) -> Shape:
    """An upright cleaner: a nozzle, a body, a handle."""
    colour = look.of((RED, rgb("#2f6fb0"), GREY))
    return made([
        box(-w / 2, w / 2, d * 0.05, d / 2, 0, min(0.09, h / 4), BLACK),
        ball(0, 0, h * 0.3, w * 0.38, d * 0.3, h * 0.24, colour),
        cylinder(0, -d * 0.2, h * 0.1, h, min(0.018, w / 6), GREY, "metal"),
        box(-0.014, 0.014, -d * 0.32, -d * 0.05, h * 0.95, h, BLACK),
    ])
