"""Encodes pictures as H.264 video, with PyAV."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import av  # type: ignore[import-not-found,import-untyped,unused-ignore]
import numpy as np
import numpy.typing as npt

from core.common.errors import DataError

Pixels = npt.NDArray[np.uint8]


def write_video(pictures: Iterable[Pixels], out: Path, rate: int, about: Mapping[str, str] | None = None, *,
                keyframes: int = 250) -> int:
    """Writes pictures of one size. Returns how many there were. An odd last row or column is left out.

    Args:
        pictures: arrays of shape (H, W, 3).
        out: the file.
        rate: pictures per second.
        about: metadata that players show.
        keyframes: distance in pictures between two pictures that can be decoded by themselves.

    Raises:
        DataError: there are no pictures.
    """
    count = 0
    with av.open(str(out), "w", format="mp4") as container:
        container.metadata.update(about or {})
        stream = container.add_stream("libx264", rate=rate, options={"crf": "20", "preset": "veryfast", "g": str(keyframes)})
        stream.pix_fmt = "yuv420p"
        for pixels in pictures:
            even = np.ascontiguousarray(pixels[:pixels.shape[0] // 2 * 2, :pixels.shape[1] // 2 * 2])
            if not count:
                stream.height, stream.width = even.shape[:2]
            container.mux(stream.encode(av.VideoFrame.from_ndarray(even, format="rgb24")))
            count += 1
        if not count:
            raise DataError("there are no pictures in this recording: record with a camera on (Look) to export a video")
        container.mux(stream.encode(None))
    return count
