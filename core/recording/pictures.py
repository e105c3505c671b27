"""Frames and JPEGs. Events are recorded without pixels, which are recorded beside them as JPEGs and put back by readers."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image
from PIL.JpegImagePlugin import JpegImageFile

from core.common.errors import DataError
from core.planning.facets import Frame
from core.session.events import Event, Shown

QUALITY = 88
MOST_PIXELS = 64 * 2**20
TOO_SLOW = "this picture was left out of the recording: the disk was too slow for all of them"
DAMAGED = "this picture is missing from the recording"


def without_pixels(event: Event) -> Event:
    """Returns the event with only the size of its picture: pixels of shape (H, W, 0). The picture itself is kept as a JPEG."""
    what = event.what
    if not (isinstance(what, Shown) and isinstance(what.facet, Frame)):
        return event
    height, width = what.facet.pixels.shape[:2]
    frame = replace(what.facet, pixels=np.zeros((height, width, 0), np.uint8))
    return replace(event, what=Shown(frame))


def left_out(event: Event, why: str) -> Event:
    """Returns the event of a picture there was no room for, without its large parts and with a notice."""
    thin = without_pixels(event)
    if not (isinstance(thin.what, Shown) and isinstance(thin.what.facet, Frame)):
        return event
    return replace(thin, what=Shown(replace(thin.what.facet, ids=None, names=(), notice=why)))


def with_pixels(frame: Frame, jpeg: bytes | None) -> Frame:
    """Returns a decoded frame with its picture; without one it is black, with a notice.

    Raises:
        DataError: the picture is damaged, or is not as large as the frame or its ids.
    """
    if frame.pixels.ndim != 3 or not _fits(frame):
        raise DataError("a frame whose parts do not fit together")
    height, width = frame.pixels.shape[:2]
    if jpeg is None:
        if height * width > MOST_PIXELS:
            raise DataError(f"a picture that claims {width}×{height} pixels")
        black = np.zeros((height, width, 3), np.uint8)
        black.setflags(write=False)
        return replace(frame, pixels=black, ids=None, names=(), boxes=(), notice=frame.notice or DAMAGED)
    pixels = pixels_of(jpeg)
    if pixels.shape[:2] != (height, width):
        raise DataError(f"a picture of another size than its frame's {width}×{height}")
    return replace(frame, pixels=pixels)


def _fits(frame: Frame) -> bool:
    """Returns True if every pixel's id has a name, and the matrix has 0 or 16 numbers."""
    ids, names = frame.ids, max(1, len(frame.names))
    named = ids is None or (ids.shape == frame.pixels.shape[:2] and int(ids.max(initial=0)) < names)
    return named and len(frame.matrix) in (0, 16)


def jpeg_of(frame: Frame) -> bytes:
    """Returns the picture of a frame as JPEG."""
    out = io.BytesIO()
    Image.fromarray(frame.pixels).save(out, "JPEG", quality=QUALITY)
    return out.getvalue()


def pixels_of(jpeg: bytes) -> Any:
    """Returns the pixels of a JPEG, shape (H, W, 3), read-only.

    Raises:
        DataError: it is damaged.
    """
    try:
        with JpegImageFile(io.BytesIO(jpeg)) as image:  # `Image.open` raises errors and warnings of its own for large images
            if image.width * image.height > MOST_PIXELS:
                raise DataError(f"a picture of {image.width}×{image.height} pixels")
            pixels = np.asarray(image.convert("RGB"))
    except (OSError, ValueError, SyntaxError) as error:
        raise DataError(f"a damaged picture: {error}") from error
    pixels.setflags(write=False)
    return pixels


def save_side_by_side(frames: Sequence[Frame], path: Path) -> None:
    """Writes frames into one PNG, left to right.

    Raises:
        DataError: the file cannot be written.
    """
    try:
        Image.fromarray(np.hstack([frame.pixels for frame in frames])).save(path)
    except (OSError, ValueError) as error:
        raise DataError(f"cannot write {path}: {error}; give a path ending in .png in a folder that exists") from error
