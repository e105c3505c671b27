"""What the robot's camera shows: the objects whose colours are in AI2-THOR's segmentation picture."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

LEAST = 1e-4
"""Share of a picture that an object must fill to be recognised: 31 pixels of 640 by 480."""
STRIDE = 2
"""Every second pixel of every second row is used."""


def packed(colours: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint32]:
    """Returns (..., 3) colours as one number each."""
    wide = colours.astype(np.uint32)
    return np.asarray(wide[..., 0] << 16 | wide[..., 1] << 8 | wide[..., 2], np.uint32)


def in_picture(event: Any) -> frozenset[str]:
    """Returns AI2-THOR's ids of what can be recognised in the first-person picture; none if there is no picture."""
    segments = event.instance_segmentation_frame
    if segments is None:
        return frozenset()
    looked_at = packed(np.asarray(segments)[::STRIDE, ::STRIDE])
    values, counts = np.unique(looked_at, return_counts=True)
    shown = {int(value) for value, count in zip(values, counts, strict=True) if count >= LEAST * looked_at.size}
    colours = event.object_id_to_color.items()
    return frozenset(i for i, colour in colours if packed(np.array(colour, np.uint8)).item() in shown)
