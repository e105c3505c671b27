"""Writes frames as image files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from PIL import Image

from core.common.errors import DataError
from core.planning.facets import Frame


def save_side_by_side(frames: Sequence[Frame], path: Path) -> None:
    """Writes frames into one PNG, left to right.

    Raises:
        DataError: the file cannot be written.
    """
    try:
        Image.fromarray(np.hstack([frame.pixels for frame in frames])).save(path)
    except (OSError, ValueError) as error:
        raise DataError(f"cannot write {path}: {error}; give a path ending in .png in a folder that exists") from error
