"""Small pictures of scenes: drawn once, off the GUI thread, and kept in a folder by scene and version."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QImage, QPixmap

from core.common.errors import BelvedereError, DataError
from core.common.files import replacing
from core.common.installation import version
from core.common.priority import lower_priority
from core.planning.facets import Frame
from gui.control.background import BackgroundJobs
from gui.control.frame_images import image_of

DrawScene = Callable[[str, str], Frame | None]
"""Returns a picture of a scene, given its simulator and name; None if that simulator takes too long for it. Called off the GUI
thread. Raises BelvedereError if it cannot be drawn."""
WIDTH, HEIGHT = 192, 120
"""Size of a picture in pixels."""
Scene = tuple[str, str]
"""A simulator and the name of one of its scenes, or the path of a graph file."""


class ScenePictures(QObject):
    """Returns the pictures that are there, and draws the others: one after another, the one asked for last first.

    Args:
        draw: draws a scene; None: there are no pictures.
        folder: where they are kept; None: only in memory.
    """

    drawn = Signal()
    """Another picture is there."""

    def __init__(self, draw: DrawScene | None, folder: Path | None):
        super().__init__()
        self._draw, self._folder = draw, folder
        self._pictures: dict[Scene, QPixmap | None] = {}
        self._wanted: list[Scene] = []
        self._busy = False
        self.jobs = BackgroundJobs("scene pictures")

    def of(self, simulator: str, scene: str) -> QPixmap | None:
        """Returns the picture of a scene, or None while it is not drawn."""
        asked = (simulator, scene)
        if asked not in self._pictures and self._draw is not None:
            if asked in self._wanted:
                self._wanted.remove(asked)
            self._wanted.append(asked)
            self._next()
        return self._pictures.get(asked)

    def forget(self) -> None:
        """Draws no more of the pictures asked for so far."""
        self._wanted.clear()

    def _next(self) -> None:
        draw = self._draw
        if self._busy or not self._wanted or draw is None:
            return
        asked, self._busy = self._wanted.pop(), True
        self.jobs.do(lambda: self._image(draw, asked), lambda image: self._take(asked, image),
                     lambda _: self._take(asked, None))

    def _take(self, asked: Scene, image: QImage | None) -> None:
        self._busy = False
        self._pictures[asked] = QPixmap.fromImage(image) if image is not None else None
        self.drawn.emit()
        self._next()

    # --- on the thread of the jobs -------------------------------------------
    def _image(self, draw: DrawScene, asked: Scene) -> QImage | None:
        """Returns the picture from the folder, or draws it and keeps it there."""
        path = self._path(asked)
        if path is not None and path.is_file() and not (kept := QImage(str(path))).isNull():
            return kept
        lower_priority()
        try:
            frame = draw(*asked)
        except BelvedereError:
            return None  # a scene that cannot be drawn keeps the mark of a scene without a picture
        if frame is None or frame.is_missing:
            return None
        image = image_of(frame).scaled(WIDTH, HEIGHT, Qt.AspectRatioMode.KeepAspectRatio,
                                       Qt.TransformationMode.SmoothTransformation)
        if path is not None:
            _keep(image, path)
        return image

    def _path(self, asked: Scene) -> Path | None:
        """Returns the file of a picture: its name tells the scene, this version, and of a graph file its size and time."""
        if self._folder is None:
            return None
        file = Path(asked[1])
        state = f"{file.stat().st_size} {file.stat().st_mtime_ns}" if file.is_file() else ""
        name = hashlib.sha256("\n".join((*asked, version(), state, f"{WIDTH}x{HEIGHT}")).encode()).hexdigest()[:32]
        return self._folder / f"{name}.png"


def _keep(image: QImage, path: Path) -> None:
    """Writes a picture. A folder that cannot be written to only means that the picture is drawn again at the next start."""
    with suppress(DataError), replacing(path, makes_folder=True) as draft:
        if not image.save(str(draft)):
            raise DataError(f"cannot write {draft}")
