"""Converts frames to Qt images. The lawn around the dollhouse is made transparent, so that the panel's own stage shows."""

from __future__ import annotations

import threading
from collections import deque

import numpy as np
import numpy.typing as npt
from PySide6.QtGui import QImage

from core.planning.facets import Frame

Bits = npt.NDArray[np.bool_]
COARSE = 4
GREENER = 6
"""The least amount by which a lawn's green exceeds its red and blue. Floors, walls and the haze of the sky stay below it."""
KEPT = 6
"""Number of images kept: those of two views, of three pictures each."""


class FrameImages:
    """The images of the newest frames. May be used by several threads.

    Making an image takes up to 14 ms, so the thread that delivers a frame makes it, and the GUI thread finds it here.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._images: deque[tuple[Frame, QImage]] = deque(maxlen=KEPT)

    def of(self, frame: Frame) -> QImage:
        """Returns the image of a frame. Makes it if it is not there yet."""
        with self._lock:
            image = next((i for known, i in self._images
                          if known.pixels is frame.pixels and known.camera == frame.camera), None)
        if image is None:
            image = image_of(frame)
            with self._lock:
                self._images.append((frame, image))
        return image

    def prepare(self, frame: Frame) -> None:
        """Makes the image of a frame in advance."""
        if not frame.is_missing:
            self.of(frame)


def image_of(frame: Frame) -> QImage:
    """Returns the frame as an image that owns its memory."""
    pixels = np.ascontiguousarray(frame.pixels)
    height, width = pixels.shape[:2]
    image = QImage(pixels.data, width, height, 3 * width, QImage.Format.Format_RGB888)
    if frame.camera == "dollhouse" and frame.ids is not None:
        return _lifted(image, outside(frame))
    return image.convertToFormat(QImage.Format.Format_RGB32)


def outside(frame: Frame) -> Bits:
    """Returns the mask of what surrounds the house: green pixels without an entity that connect to the picture's edge.

    Walls and floors have no entity id either, so ids alone are not enough. Rugs and plants can be green but have an id, so
    colour alone is not enough. The connection to the edge is found on a coarse grid, each single pixel on the fine one.

    Shape (H, W).
    """
    red, green, blue = (frame.pixels[..., k] for k in range(3))
    lawn = green > np.minimum(np.maximum(red, blue), 255 - GREENER) + np.uint8(GREENER)
    if frame.ids is not None:
        lawn &= frame.ids == 0
    coarse = _joined(np.ascontiguousarray(lawn[::COARSE, ::COARSE]))
    near = np.repeat(np.repeat(_grown(coarse), COARSE, axis=0), COARSE, axis=1)[:lawn.shape[0], :lawn.shape[1]]
    return lawn & near


def _joined(lawn: Bits) -> Bits:
    reached = np.zeros_like(lawn)
    for edge in (0, -1):
        reached[edge], reached[:, edge] = lawn[edge], lawn[:, edge]
    for _ in range(2):
        for one, other in ((lawn, reached), (lawn[::-1], reached[::-1]), (lawn.T, reached.T), (lawn.T[::-1], reached.T[::-1])):
            _sweep(one, other)
    return reached


def _sweep(lawn: Bits, reached: Bits) -> None:
    """Spreads the reached pixels from each row to the next one, in place."""
    for y in range(1, len(lawn)):
        reached[y] |= lawn[y] & reached[y - 1]


def _lifted(image: QImage, gone: Bits) -> QImage:
    """Returns the image with the surroundings transparent.

    The outermost pixels of the house are removed too, because the lawn has coloured them. The pixels next to those are half
    transparent.
    """
    once = _grown(gone)
    twice = _grown(once)
    alpha = np.uint8(255) - once.view(np.uint8) * np.uint8(127) - twice.view(np.uint8) * np.uint8(128)
    height, width = alpha.shape
    image = image.convertToFormat(QImage.Format.Format_ARGB32_Premultiplied)
    image.setAlphaChannel(QImage(alpha.data, width, height, width, QImage.Format.Format_Alpha8))
    return image


def _grown(bits: Bits) -> Bits:
    grown = bits.copy()
    grown[1:] |= bits[:-1]
    grown[:-1] |= bits[1:]
    grown[:, 1:] |= bits[:, :-1]
    grown[:, :-1] |= bits[:, 1:]
    return grown
