"""Packages of food, drinks and soap: bottles, cartons, jars, packets."""

from __future__ import annotations

from sim.geometry.model import Colour
from sim.rendering.shapes.kit import (
    CREAM,
    GREY,
    PAINTS,
    STEEL,
    WHITE,
    Builder,
    Look,
    Shape,
    ball,
    block,
    box,
    cylinder,
    made,
    rgb,
    shade,
)


def bottle(colour: Colour | None = None, neck: float = 0.35, label: Colour = CREAM, cap: Colour | None = None) -> Builder:
    """A body, a shoulder, a neck, a label, a cap."""

    def build(w: float, d: float, h: float, look: Look) -> Shape:
        r, c = min(w, d) / 2, colour or look.of(PAINTS)
        shoulder = h * (1 - neck)
        return made([
            cylinder(0, 0, 0, shoulder, r * 0.95, c),
            ball(0, 0, shoulder, r * 0.95, r * 0.95, h * neck * 0.4, c),
            cylinder(0, 0, shoulder, h * 0.95, r * 0.34, shade(c, 0.9)),
            cylinder(0, 0, h * 0.92, h, r * 0.4, cap or shade(c, 0.6)),
            cylinder(0, 0, h * 0.16, shoulder * 0.8, r, label),
        ])

    return build


def flask(colour: Colour | None = None, cap: Colour = WHITE) -> Builder:
    """A flat-sided bottle as used in bathrooms, with a broad cap."""

    def build(w: float, d: float, h: float, look: Look) -> Shape:
        c = colour or look.of(PAINTS)
        return made([
            box(-w * 0.4, w * 0.4, -d / 2, d / 2, 0, h * 0.74, c),
            *[cylinder(s * w * 0.36, 0, 0, h * 0.74, w * 0.14, c, ry=d / 2) for s in (-1, 1)],
            box(-w * 0.34, w * 0.34, d / 2 - 0.002, d / 2, h * 0.18, h * 0.56, shade(c, 1.7)),
            cylinder(0, 0, h * 0.74, h, w * 0.26, cap, ry=min(d * 0.4, w * 0.26)),
        ])

    return build


def pump(w: float, d: float, h: float, look: Look) -> Shape:
    """A soap dispenser with its nozzle."""
    r, c = min(w, d) / 2, look.of((PAINTS[5], rgb("#e8b7c4"), PAINTS[0], rgb("#9cc08a")))
    return made([
        cylinder(0, 0, 0, h * 0.62, r * 0.95, c),
        ball(0, 0, h * 0.62, r * 0.95, r * 0.95, h * 0.1, c),
        cylinder(0, 0, h * 0.15, h * 0.5, r * 0.99, shade(c, 1.5)),
        cylinder(0, 0, h * 0.68, h * 0.92, r * 0.2, WHITE),
        box(-r * 0.2, r * 0.2, -r * 0.2, r * 0.95, h * 0.92, h, WHITE),
    ])


def spray(w: float, d: float, h: float, look: Look) -> Shape:
    """A body with a trigger head."""
    r, c = min(w, d) / 2, look.of((PAINTS[5], PAINTS[0], PAINTS[3]))
    return made([
        cylinder(0, 0, 0, h * 0.6, r * 0.92, c),
        ball(0, 0, h * 0.6, r * 0.92, r * 0.92, h * 0.12, c),
        cylinder(0, 0, h * 0.66, h * 0.84, r * 0.3, WHITE),
        box(-r * 0.25, r * 0.25, -d * 0.35, d / 2, h * 0.84, h, shade(c, 0.6)),
        box(-r * 0.12, r * 0.12, d * 0.18, d * 0.26, h * 0.68, h * 0.84, shade(c, 0.6)),
    ])


def can(colour: Colour | None = None, cap: Colour = WHITE) -> Builder:
    """An aerosol can: a cylinder with a narrower cap."""

    def build(w: float, d: float, h: float, look: Look) -> Shape:
        r, c = min(w, d) / 2, colour or look.of(PAINTS)
        return made([
            cylinder(0, 0, 0, h * 0.78, r * 0.97, c, "metal"),
            cylinder(0, 0, h * 0.22, h * 0.55, r, shade(c, 1.5)),
            ball(0, 0, h * 0.78, r * 0.97, r * 0.97, h * 0.06, STEEL, "metal"),
            cylinder(0, 0, h * 0.8, h, r * 0.7, cap),
        ])

    return build


def jar(colour: Colour | None = None, lid: Colour = GREY) -> Builder:
    """A round jar with a lid."""

    def build(w: float, d: float, h: float, look: Look) -> Shape:
        r, c = min(w, d) / 2, colour or look.of((rgb("#b5402f"), rgb("#c98a3a"), rgb("#e7d9a7"), rgb("#7a4a8a")))
        return made([
            cylinder(0, 0, 0, h * 0.8, r * 0.94, c),
            cylinder(0, 0, h * 0.25, h * 0.6, r * 0.97, CREAM),
            cylinder(0, 0, h * 0.8, h, r, lid),
        ])

    return build


def shaker(colour: Colour | None = None) -> Builder:
    """A small jar with a domed metal cap."""

    def build(w: float, d: float, h: float, look: Look) -> Shape:
        r, c = min(w, d) / 2, colour or look.of((rgb("#e8e8e8"), rgb("#3a3a3a")))
        return made([
            cylinder(0, 0, 0, h * 0.72, r * 0.86, c),
            cylinder(0, 0, h * 0.7, h * 0.86, r, STEEL, "metal"),
            ball(0, 0, h * 0.86, r, r, h * 0.14, STEEL, "metal"),
        ])

    return build


def carton(colour: Colour, band: Colour) -> Builder:
    """A gable-top carton: milk and juice."""

    def build(w: float, d: float, h: float, look: Look) -> Shape:
        body = look.colour or colour
        return made([
            block(w, d, 0, h * 0.72, body),
            block(w * 1.0, d * 1.0, h * 0.1, h * 0.3, band),
            box(-w * 0.3, w * 0.3, d / 2 - 0.001, d / 2 + 0.0005, h * 0.36, h * 0.62, band),
            block(w * 0.98, d * 0.7, h * 0.72, h * 0.8, shade(body, 0.94)),
            block(w * 0.96, d * 0.38, h * 0.8, h * 0.88, shade(body, 0.9)),
            block(w * 0.94, 0.008, h * 0.88, h, shade(body, 0.96)),
            cylinder(0, d * 0.3, h * 0.72, h * 0.83, min(w, d) * 0.16, band),
        ])

    return build


def packet(colour: Colour | None = None, patch: Colour = CREAM) -> Builder:
    """A printed box: cereal, crackers, tea."""

    def build(w: float, d: float, h: float, look: Look) -> Shape:
        c = look.colour or colour or look.of(PAINTS)
        front = d / 2 - 0.001
        return made([
            box(-w / 2, w / 2, -d / 2, front, 0, h, c),
            box(-w * 0.4, w * 0.4, front, d / 2, h * 0.58, h * 0.86, patch),
            box(-w * 0.24, w * 0.24, front, d / 2, h * 0.12, h * 0.46, shade(c, 1.5)),
            box(-w / 2, w / 2, -0.004, 0.004, h - 0.002, h, shade(c, 0.7)),
        ])

    return build


def pouch(colour: Colour) -> Builder:
    """A puffed bag with crimped ends: chips."""

    def build(w: float, d: float, h: float, look: Look) -> Shape:
        c = look.of((colour, rgb("#c0392b"), rgb("#2f7f4b")))
        return made([
            ball(0, 0, h / 2, w * 0.5, d / 2, h * 0.46, c),
            block(w * 0.92, d * 0.5, h * 0.12, h * 0.88, c),
            *[block(w * 0.94, 0.008, z, z + h * 0.07, shade(c, 1.2)) for z in (0, h * 0.93)],
            ball(0, d * 0.3, h * 0.56, w * 0.26, d * 0.19, h * 0.16, BUTTERY),
        ])

    return build


BUTTERY = rgb("#f3d667")
