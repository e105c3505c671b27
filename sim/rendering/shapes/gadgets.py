"""Phones, remotes, keyboards, radios, clocks: small electronics."""

from __future__ import annotations

from sim.rendering.shapes.kit import (
    BLACK,
    CREAM,
    GREY,
    LED,
    PAINTS,
    RED,
    SCREEN_ON,
    STEEL,
    WALNUT,
    WHITE,
    Look,
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

DARK_SCREEN = rgb("#1c2530")
BLUE_FACE = rgb("#b9c8e8")


def phone(w: float, d: float, h: float, look: Look) -> Shape:
    """A slab with a screen."""
    ww, dd = min(w, 0.085), min(d, 0.17)
    top = max(min(h, 0.012), 0.006)
    screen = (SCREEN_ON, "glow") if look.on else (DARK_SCREEN, "glass_dark")
    icons = [
        block(ww * 0.14, ww * 0.14, top, top + 0.0004, PAINTS[(i + 2 * j) % 8], at=(ww * 0.26 * i, dd * 0.12 * j))
        for i in (-1, 0, 1)
        for j in (-1, 1, 2)
    ]
    return made([
        block(ww, dd, 0, top - 0.0005, look.of((BLACK, GREY, WHITE))),
        block(ww * 0.92, dd * 0.92, top * 0.5, top, *screen),
        *(icons if look.on else []),
    ])


def remote(w: float, d: float, h: float, look: Look) -> Shape:
    """A dark stick with rows of buttons and a red one."""
    along_x, top = w >= d, max(h, 0.012)
    length, wide = max(w, d), min(w, d, 0.07)

    def spot(t: float, side: float) -> tuple[float, float]:
        return (t * length, side * wide) if along_x else (side * wide, t * length)

    size = (length, wide) if along_x else (wide, length)
    buttons = [
        cylinder(*spot(t, s), top * 0.8, top, wide * 0.1, GREY) for t in (0.2, 0.06, -0.08, -0.22) for s in (-0.26, 0.0, 0.26)
    ]
    return made([block(*size, 0, top * 0.86, BLACK), *buttons, cylinder(*spot(0.4, 0.0), top * 0.8, top, wide * 0.14, RED)])


def mouse(w: float, d: float, h: float, look: Look) -> Shape:
    """A rounded back, two buttons, a wheel."""
    c = look.of((BLACK, GREY, WHITE))
    seam = box(-0.001, 0.001, d * 0.05, d * 0.42, h * 0.5, h * 0.97, shade(c, 0.5))
    return made([
        ball(0, 0, h * 0.5, w / 2, d / 2, h / 2, c),
        block(w * 0.8, d * 0.8, 0, h * 0.3, shade(c, 0.8)),
        seam,
        ball(0, d * 0.24, h * 0.86, w * 0.06, d * 0.08, h * 0.12, GREY),
    ])


def keyboard(w: float, d: float, h: float, look: Look) -> Shape:
    """Four rows of keys and a space bar, along the longer side."""
    along_x, top = w >= d, max(h, 0.012)
    length, wide = max(w, d), min(w, d)
    case = look.of((BLACK, GREY, WHITE))
    key = WHITE if case != WHITE else GREY
    parts = [block(w, d, 0, top * 0.6, case)]
    step = length * 0.94 / 10
    for row in range(4):
        for column in range(10):
            t, s = (column - 4.5) * step, wide * (0.32 - 0.19 * row)
            size, at = ((step * 0.8, wide * 0.14), (t, s)) if along_x else ((wide * 0.14, step * 0.8), (s, t))
            parts.append(block(*size, top * 0.6, top, key, at=at))
    size, at = (
        ((length * 0.4, wide * 0.14), (0.0, -wide * 0.41)) if along_x else ((wide * 0.14, length * 0.4), (-wide * 0.41, 0.0))
    )
    return made([*parts, block(*size, top * 0.6, top, key, at=at)])


def radio(w: float, d: float, h: float, look: Look) -> Shape:
    """A wooden case, a round grille, a lit scale, an aerial."""
    front, case, tall = d / 2 - 0.012, look.of((WALNUT, PAINTS[1], PAINTS[5], CREAM)), h * 0.78
    r = min(w * 0.2, tall * 0.36)
    return made([
        box(-w / 2, w / 2, -d / 2, front, 0, tall, case, "wood"),
        disc(-w * 0.24, front, tall / 2, r, 0.01, GREY, "metal"),
        disc(-w * 0.24, front + 0.003, tall / 2, r * 0.82, 0.01, BLACK, "cloth"),
        box(
            w * 0.02,
            w * 0.44,
            front,
            front + 0.004,
            tall * 0.6,
            tall * 0.85,
            rgb("#ffe9b8") if look.on else rgb("#d8d2bd"),
            "glow" if look.on else "plain",
        ),
        *[disc(w * x, front + 0.005, tall * 0.3, min(0.018, h / 8), 0.014, STEEL, "metal") for x in (0.1, 0.36)],
        cylinder(w * 0.42, -d * 0.3, tall, h, 0.003, STEEL, "metal"),
        box(-w * 0.3, w * 0.3, -d * 0.1, d * 0.05, tall, tall + 0.014, BLACK),
    ])


def alarm_clock(w: float, d: float, h: float, look: Look) -> Shape:
    """Wide boxes are digital clocks. Others have a face, two bells and feet."""
    case, front = look.of((BLACK, PAINTS[1], PAINTS[0], CREAM)), d / 2
    if w > h * 1.35:
        digits = [
            box(w * x, w * (x + 0.1), front - 0.002, front, h * 0.3, h * 0.72, LED, "glow") for x in (-0.34, -0.18, 0.06, 0.22)
        ]
        return made([
            box(-w / 2, w / 2, -d / 2, front - 0.004, 0, h, case),
            box(-w * 0.43, w * 0.43, front - 0.004, front - 0.002, h * 0.18, h * 0.84, BLACK, "glass_dark"),
            *digits,
        ])
    r = min(w / 2, h * 0.4)
    z = h * 0.08 + r
    return made([
        disc(0, 0, z, r, d - 0.008, case),
        disc(0, front - 0.005, z, r * 0.86, 0.004, WHITE),
        box(-0.004, 0.004, front - 0.004, front, z, z + r * 0.65, BLACK),
        box(0, r * 0.45, front - 0.004, front, z - 0.004, z + 0.004, BLACK),
        *[ball(s * r * 0.6, 0, min(z + r * 0.95, h * 0.9), r * 0.34, d * 0.3, h * 0.1, STEEL, "metal") for s in (-1, 1)],
        *[box(s * r * 0.6 - 0.008, s * r * 0.6 + 0.008, -d * 0.3, d * 0.3, 0, z - r * 0.6, BLACK) for s in (-1, 1)],
    ])


def watch(w: float, d: float, h: float, look: Look) -> Shape:
    """A face on a strap, along the longer side."""
    along_x, top = w >= d, max(h, 0.006)
    length, wide = max(w, d), min(w, d)
    strap = (length, wide * 0.5) if along_x else (wide * 0.5, length)
    r = min(wide / 2, length * 0.25)
    return made([
        block(*strap, 0, top * 0.4, look.of((WALNUT, BLACK))),
        cylinder(0, 0, top * 0.2, top * 0.9, r, STEEL, "metal"),
        cylinder(0, 0, top * 0.8, top, r * 0.84, WHITE),
        block(0.002, r * 0.7, top - 0.0005, top, BLACK, at=(0.0, r * 0.3)),
    ])


def compact_disc(w: float, d: float, h: float, look: Look) -> Shape:
    """A silver disc with a hole."""
    top = max(h, 0.002)
    return made([
        cylinder(0, 0, 0, top * 0.8, w / 2, BLUE_FACE, "metal", d / 2),
        cylinder(0, 0, 0, top * 0.9, w * 0.2, STEEL, "metal", d * 0.2),
        cylinder(0, 0, 0, top, w * 0.07, BLACK, ry=d * 0.07),
    ])


def mousepad(w: float, d: float, h: float, look: Look) -> Shape:
    """A dark mat."""
    return made([block(w, d, 0, max(h, 0.003), look.of((BLACK, PAINTS[0], GREY)), "cloth")])


def bulb(w: float, d: float, h: float, look: Look) -> Shape:
    """A light bulb on its socket."""
    r = min(w, d) / 2
    return made([
        cylinder(0, 0, 0, h * 0.3, r * 0.45, GREY, "metal"),
        ball(0, 0, h * 0.62, r, r, h * 0.38, CREAM, "glow" if look.on else "plain"),
    ])


def hand_device(w: float, d: float, h: float, look: Look) -> Shape:
    """Irons, blenders and hair dryers: a body, a grip, a switch."""
    c = look.of((PAINTS[1], PAINTS[5], BLACK, GREY))
    return made([
        block(w * 0.8, d * 0.8, 0, h * 0.12, BLACK),
        cylinder(0, 0, h * 0.1, h * 0.8, min(w, d) * 0.36, c),
        ball(0, 0, h * 0.8, min(w, d) * 0.36, min(w, d) * 0.36, h * 0.2, shade(c, 1.15)),
        box(-0.014, 0.014, d * 0.3, d / 2, h * 0.2, h * 0.7, BLACK),
        disc(0, min(w, d) * 0.36, h * 0.5, 0.012, 0.01, LED if look.on else GREY, "glow"),
    ])
