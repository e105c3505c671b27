"""Pictures of the decision lab: the task as a page of text, and a map of the flights."""

from __future__ import annotations

import textwrap

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from core.planning.facets import Frame, View
from sim.decision_lab.maps import FlightMap

PAPER, INK, LINES, HERE, GOAL = (24, 26, 30), (225, 225, 220), (90, 96, 110), (240, 180, 60), (90, 200, 140)
MARGIN, SIZE, LEADING = 14, 15, 1.35
DOT = 3
"""Radius of a city in pixels."""


def page(text: str, view: View, width: int, height: int) -> Frame:
    """Returns the text, wrapped to the width; what does not fit is cut off."""
    image = Image.new("RGB", (width, height), PAPER)
    pen, font = ImageDraw.Draw(image), ImageFont.load_default(SIZE)
    columns = max(10, int((width - 2 * MARGIN) / (SIZE * 0.55)))
    lines = [part for line in text.splitlines() for part in textwrap.wrap(line, columns) or [""]]
    for k, line in enumerate(lines[:int((height - MARGIN) / (SIZE * LEADING))]):
        pen.text((MARGIN, MARGIN + int(k * SIZE * LEADING)), line, font=font, fill=INK)
    return _frame(image, view, "Task as text")


def flight_map(drawn: FlightMap, city: str, view: View, width: int, height: int) -> Frame:
    """Returns the map: flights as lines, the present city and the destination with their names."""
    image = Image.new("RGB", (width, height), PAPER)
    pen, font = ImageDraw.Draw(image), ImageFont.load_default(SIZE)

    def spot(name: str) -> tuple[float, float]:
        x, y = drawn.places[name]
        return MARGIN + x * (width - 2 * MARGIN), MARGIN + y * (height - 2 * MARGIN)

    for name, there in drawn.flights.items():
        for other in there:
            pen.line((spot(name), spot(other)), fill=LINES)
    for name in drawn.places:
        colour = HERE if name == city else GOAL if name == drawn.goal else INK
        x, y = spot(name)
        pen.ellipse((x - DOT, y - DOT, x + DOT, y + DOT), fill=colour)
        if colour != INK:
            pen.text((min(x + 2 * DOT, width - pen.textlength(name, font=font) - MARGIN), y), name, font=font, fill=colour)
    return _frame(image, view, "Map of the flights")


def _frame(image: Image.Image, view: View, title: str) -> Frame:
    pixels = np.array(image, np.uint8)
    pixels.flags.writeable = False
    return Frame(view, pixels, None, ("",), title=title)
