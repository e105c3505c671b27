"""Converts frames for other viewers: a JPEG, and the boxes on it. The event keeps everything else of its frame.

Writes frames as image files.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from foxglove_schemas_protobuf.CompressedImage_pb2 import CompressedImage
from foxglove_schemas_protobuf.ImageAnnotations_pb2 import ImageAnnotations
from foxglove_schemas_protobuf.Log_pb2 import Log
from foxglove_schemas_protobuf.PointsAnnotation_pb2 import PointsAnnotation
from google.protobuf.message import DecodeError
from google.protobuf.timestamp_pb2 import Timestamp
from PIL import Image
from PIL.JpegImagePlugin import JpegImageFile

from core.common.errors import DataError
from core.planning.facets import Frame
from core.recording.mcap_messages import Line
from core.session.events import Event, Shown

QUALITY = 88
MOST_PIXELS = 64 * 2**20
TOO_SLOW = "this picture was left out of the recording: the disk was too slow for all of them"
DAMAGED = "this picture is missing from the recording"
BOX = (0.36, 0.83, 0.90, 1.0)
LEVELS = {"info": Log.INFO, "warning": Log.WARNING, "error": Log.ERROR}


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


# --- messages for other viewers --------------------------------------
def image_message(frame: Frame, nanoseconds: int) -> bytes:
    """Returns a foxglove.CompressedImage."""
    message = CompressedImage(timestamp=_stamp(nanoseconds), frame_id=frame.view, data=jpeg_of(frame), format="jpeg")
    return bytes(message.SerializeToString())


def jpeg_in(message: bytes) -> bytes:
    """Returns the JPEG of a foxglove.CompressedImage.

    Raises:
        DataError: it is not one.
    """
    try:
        return bytes(CompressedImage.FromString(message).data)
    except DecodeError as error:
        raise DataError(f"a damaged picture: {error}") from error


def boxes_message(frame: Frame, nanoseconds: int) -> bytes:
    """Returns a foxglove.ImageAnnotations: a box and a name for everything in view."""
    message, stamp = ImageAnnotations(), _stamp(nanoseconds)
    for name, (x0, y0, x1, y1) in frame.boxes:
        loop = message.points.add(timestamp=stamp, type=PointsAnnotation.LINE_LOOP, thickness=1.0)
        loop.outline_color.r, loop.outline_color.g, loop.outline_color.b, loop.outline_color.a = BOX
        for x, y in ((x0, y0), (x1, y0), (x1, y1), (x0, y1)):
            loop.points.add(x=float(x), y=float(y))
        text = message.texts.add(timestamp=stamp, text=name, font_size=11.0)
        text.position.x, text.position.y = float(x0), float(y0)
        text.text_color.CopyFrom(loop.outline_color)
    return bytes(message.SerializeToString())


def log_message(line: Line, nanoseconds: int) -> bytes:
    """Returns a foxglove.Log. Lone surrogates, which its text cannot hold, become question marks."""
    text = line.text.encode("utf-8", "replace").decode("utf-8")
    message = Log(timestamp=_stamp(nanoseconds), level=LEVELS[line.level], message=text, name=line.who)
    return bytes(message.SerializeToString())


def _stamp(nanoseconds: int) -> Timestamp:
    return Timestamp(seconds=nanoseconds // 10**9, nanos=nanoseconds % 10**9)


def save_side_by_side(frames: Sequence[Frame], path: Path) -> None:
    """Writes frames into one PNG, left to right.

    Raises:
        DataError: the file cannot be written.
    """
    try:
        Image.fromarray(np.hstack([frame.pixels for frame in frames])).save(path)
    except (OSError, ValueError) as error:
        raise DataError(f"cannot write {path}: {error}; give a path ending in .png in a folder that exists") from error
