"""AI2-THOR's pictures as frames: scaled to the requested size, with our ids and their boxes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import Image

from core.common.errors import RendererError
from core.planning.facets import Frame, View
from sim.thor.sight import packed

BACKGROUND = 40
"""Grey beside a picture of other proportions."""
Pixels = npt.NDArray[np.uint8]
Ids = npt.NDArray[np.uint16]


def shot(event: Any, names: Mapping[str, str], view: View, width: int, height: int) -> Callable[[], Frame]:
    """Captures the pictures of a moment. The returned function makes the frame."""
    if view == "first person":
        pixels, segments = event.frame, event.instance_segmentation_frame
    else:
        pixels = next(iter(event.third_party_camera_frames), None)
        segments = next(iter(event.third_party_instance_segmentation_frames), None)
    colours = event.object_id_to_color

    def draw() -> Frame:
        if pixels is None:
            raise RendererError(f"AI2-THOR sent no {view} picture of this moment")
        ids, known = _ids(segments, colours, names)
        return _frame(view, pixels[:, :, :3], ids, known, width, height)

    return draw


def _ids(segments: Any, colours: Mapping[str, tuple[int, ...]], names: Mapping[str, str]) -> tuple[Ids | None, tuple[str, ...]]:
    """Returns the segmentation picture as indices into a list of our ids, and the list. A basin counts as its sink."""
    if segments is None:
        return None, ("",)
    known = ["", *sorted(set(names.values()))]
    numbers = {name: k for k, name in enumerate(known)}
    colours_shown = packed(np.asarray(segments))
    found, inverse = np.unique(colours_shown, return_inverse=True)
    table = {packed(np.array(c, np.uint8)).item(): numbers[names[i]] for i, c in colours.items() if i in names}
    lookup = np.array([table.get(int(colour), 0) for colour in found], np.uint16)
    return lookup[inverse].reshape(colours_shown.shape), tuple(known)


def _frame(view: View, pixels: Pixels, ids: Ids | None, known: tuple[str, ...], width: int, height: int) -> Frame:
    """Returns a frame with both pictures in the middle."""
    scale = min(width / pixels.shape[1], height / pixels.shape[0])
    size = max(1, round(pixels.shape[1] * scale)), max(1, round(pixels.shape[0] * scale))
    left, top = (width - size[0]) // 2, (height - size[1]) // 2
    canvas = np.full((height, width, 3), BACKGROUND, np.uint8)
    scaled = Image.fromarray(np.ascontiguousarray(pixels)).resize(size, Image.Resampling.BILINEAR)
    canvas[top:top + size[1], left:left + size[0]] = np.asarray(scaled)
    canvas.flags.writeable = False
    if ids is None:
        return Frame(view, canvas, None, ("",))
    numbers = np.zeros((height, width), np.uint16)
    rows = (np.arange(size[1]) * pixels.shape[0] // size[1])[:, None]
    columns = np.arange(size[0]) * pixels.shape[1] // size[0]
    numbers[top:top + size[1], left:left + size[0]] = ids[rows, columns]
    numbers.flags.writeable = False
    return Frame(view, canvas, numbers, known, _boxes(numbers, known))


def _boxes(ids: Ids, known: tuple[str, ...]) -> tuple[tuple[str, tuple[int, int, int, int]], ...]:
    found = []
    for number in np.unique(ids[ids > 0]):
        rows, columns = np.nonzero(ids == number)
        box = int(columns.min()), int(rows.min()), int(columns.max()) + 1, int(rows.max()) + 1
        found.append((known[int(number)], box))
    return tuple(found)
