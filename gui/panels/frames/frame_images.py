"""Frames as Qt images; the dollhouse is lifted off its lawn, so that it can stand on the panel's own stage."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from PySide6.QtGui import QImage

from core.planning.facets import Frame

Bits = npt.NDArray[np.bool_]
COARSE = 4
GREENER = 6
"""How much greener than red and blue a lawn is at least; floors, walls and the sky's haze are not."""


def image_of(frame: Frame) -> QImage:
    """The frame as an image that owns its memory."""
    pixels = np.ascontiguousarray(frame.pixels)
    height, width = pixels.shape[:2]
    image = QImage(pixels.data, width, height, 3 * width, QImage.Format.Format_RGB888)
    if frame.view == "dollhouse" and frame.ids is not None:
        return _lifted(image, outside(frame))
    return image.convertToFormat(QImage.Format.Format_RGB32)


def outside(frame: Frame) -> Bits:
    """(H, W) what surrounds the house: green pixels of no entity that join to the picture's edge.

    Walls and floors are nobody's pixels too, so ids alone do not tell; a rug or plant is somebody's, so colour alone does not.
    What joins to the edge is found on a coarse grid, which pixel belongs to it on the fine one.
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
    """Spread what is reached from each row to the next one, in place."""
    for y in range(1, len(lawn)):
        reached[y] |= lawn[y] & reached[y - 1]


def _lifted(image: QImage, gone: Bits) -> QImage:
    """The house alone; its outermost pixels, which the lawn has coloured, go too and the next ones are half there."""
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
