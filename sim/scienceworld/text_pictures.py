"""Pictures of a text world: its description as a page of text."""

from __future__ import annotations

import textwrap
from collections.abc import Callable

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from core.planning.facets import Frame, View
from sim.scienceworld.description_parser import head_of
from sim.scienceworld.observation import Moment

PAPER, INK, MARGIN = (24, 26, 30), (225, 225, 220), 12
LARGEST, SMALLEST = 18, 8
LEADING = 1.35
FOOT = 44
"""Pixels left free below the text if possible, because a caption may cover the lower edge of a picture."""


def shot(now: Moment, view: View, width: int, height: int) -> Callable[[], Frame]:
    """Returns a function that draws the room (first person), or the task, the score and the inventory (view from above)."""
    about = f"{now.task}\n\nScore {now.score} of 100\n\n{now.inventory}\n\n{now.reply}"
    text = now.look if view == "first person" else about
    ids = {**now.ids, **now.held}
    return lambda: _page(text, ids, view, width, height)


def _page(text: str, ids: dict[str, str], view: View, width: int, height: int) -> Frame:
    """Returns the page in the largest font that fits. Every line that lists an object belongs to that object."""
    sizes = range(LARGEST, SMALLEST, -1)
    size = next((s for s in sizes if len(_set(text, s, width)) * s * LEADING + MARGIN + FOOT <= height), SMALLEST)
    lines = _set(text, size, width)
    font = ImageFont.load_default(size)
    page = Image.new("RGB", (width, height), PAPER)
    pen = ImageDraw.Draw(page)
    numbers = np.zeros((height, width), np.uint16)
    known = ("", *sorted(set(ids.values())))
    boxes: dict[str, tuple[int, int, int, int]] = {}
    for k, (line, source) in enumerate(lines):
        top, bottom = MARGIN + int(k * size * LEADING), min(height, MARGIN + int((k + 1) * size * LEADING))
        if top >= height:
            break
        pen.text((MARGIN, top), line, font=font, fill=INK)
        thing = ids.get(head_of(source)) if source.startswith("\t") else None
        right = min(width, MARGIN + int(pen.textlength(line, font=font)) + 1)
        if thing is not None and bottom > top and right > MARGIN:
            numbers[top:bottom, MARGIN:right] = known.index(thing)
            boxes.setdefault(thing, (MARGIN, top, right, bottom))
    pixels = np.array(page, np.uint8)
    pixels.flags.writeable = False
    numbers.flags.writeable = False
    title = "Room as text" if view == "first person" else "Task as text"
    return Frame(view, pixels, numbers, known, tuple(boxes.items()), title=title)


def _set(text: str, size: int, width: int) -> list[tuple[str, str]]:
    """Returns the text wrapped for a font size: each line with the line it came from."""
    columns = max(10, int((width - 2 * MARGIN) / (size * 0.55)))
    return [(part, source) for source in text.splitlines()
            for part in textwrap.wrap(source.replace("\t", "  "), columns, subsequent_indent="    ") or [""]]
