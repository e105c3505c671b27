"""The free viewpoint of the dollhouse: gestures and keys turn, move and zoom it; it belongs to the pane, not to the run."""

from __future__ import annotations

import math
from dataclasses import replace

from PySide6.QtCore import QObject, QPointF, QRectF, QSize, QTimer, Signal

from core.planning.facets import Frame
from core.simulator.orbit import USUAL_TILT, Extent, Orbit, fitted, orbit_of

REST_MS = 220
"""Milliseconds without a change after which the viewpoint rests."""
TURN, TILT = 1.2 * math.pi, math.pi / 2
"""Radians for a drag across the width and the height of the pane."""
NOTCH = 120.0
"""What a mouse wheel reports for one notch."""
ZOOM = 1.25
"""How much nearer one notch or one press of a key goes."""
PUSH = 0.12
"""How far one press of a key moves the view, as a share of the picture's height."""
SOMEWHERE = Orbit(0.0, 0.0, 10.0, 0.0, USUAL_TILT)
"""A viewpoint while it is not known where the house is."""
COARSE, FINE, LEAST = 352, 960, 64
"""Pixels: the longest side of a picture while the viewpoint moves and when it rests, and the shortest side of any."""


class Turning(QObject):
    """The viewpoint of one pane.

    Attributes:
        orbit: the viewpoint; None: the usual one, from which recorded pictures are drawn.
        extent: of the house; None while it is not known.
        rests: no gesture changes it now.
    """

    changed = Signal()
    """`orbit` or `rests` has changed."""

    def __init__(self, parent: QObject):
        super().__init__(parent)
        self.orbit: Orbit | None = None
        self.extent: Extent | None = None
        self.rests = True
        self._home: Orbit | None = None
        self._rest = QTimer(self, singleShot=True, interval=REST_MS)
        self._rest.timeout.connect(self._settle)

    def reset(self) -> None:
        """Returns to the usual viewpoint."""
        self._rest.stop()
        if self.orbit is not None:
            self.orbit, self.rests = None, True
            self.changed.emit()

    def forget(self) -> None:
        """Returns to the usual viewpoint, because another house is shown."""
        self.extent = None
        self.reset()

    def begin(self, usual: Frame | None, picture: QRectF, pane: QSize) -> bool:
        """Prepares for a gesture. Returns False if it is not known from where the house is seen.

        Args:
            usual: the picture that is shown while there is no free viewpoint.
            picture: where it lies in the pane.
            pane: the size of the pane.
        """
        if self.orbit is None:
            start = orbit_of(usual.matrix) if usual is not None else None
            if start is None or picture.height() <= 0:
                return False
            bars = pane.height() / picture.height()  # a free picture fills the pane
            self.orbit = self._home = Orbit(start.x, start.y, start.distance * bars, start.turn, start.tilt)
        return True

    def begin_without_picture(self) -> None:
        """Looks at a house of which no picture is at hand. `know` puts the whole of it into the picture."""
        self.orbit, self._home = SOMEWHERE, None
        self.changed.emit()

    @property
    def is_seeking(self) -> bool:
        """The viewpoint waits for the extent of the house."""
        return self.orbit is not None and self._home is None

    def know(self, extent: Extent | None, pane: QSize, drawn: Frame | None = None) -> None:
        """Takes the extent of the house. What was turned before it was known is put into the middle of the picture now.

        Args:
            extent: of the house; None: it is not known.
            pane: the size of the pane.
            drawn: the first picture; a plan, if the house cannot be drawn from the side.
        """
        if self.is_seeking and extent is not None:
            seen = orbit_of(drawn.matrix) if drawn is not None else None
            self._home = fitted(extent, aspect_of(pane), tilt=USUAL_TILT if seen is None else seen.tilt)
            self._change(self._home)
        first, self.extent = self.extent is None, extent
        orbit, home = self.orbit, self._home
        if first and orbit is not None and home is not None and extent is not None:
            start = replace(orbit, turn=home.turn, tilt=home.tilt)
            self._change(start.turned(orbit.turn - home.turn, orbit.tilt - home.tilt, extent, aspect_of(pane)))

    def sizes(self, pane: QSize, ratio: float) -> tuple[int, int]:
        """Returns width and height of the picture to draw now, in pixels: small while the viewpoint moves.

        Args:
            pane: its size.
            ratio: pixels of the screen for each of its pixels.
        """
        width, height = max(1.0, pane.width() * ratio), max(1.0, pane.height() * ratio)
        scale = min(1.0, (FINE if self.rests else COARSE) / max(width, height))
        return max(LEAST, round(width * scale)), max(LEAST, round(height * scale))

    # --- changes, after `begin` -----------------------------------------------
    def turn(self, by: QPointF, pane: QSize) -> None:
        """Turns the house under a pointer that moved `by` pixels. A plan is moved instead."""
        if self.orbit is None or self.orbit.is_plan:
            self.move(by, pane)
            return
        left, down = -by.x() / max(1, pane.width()) * TURN, by.y() / max(1, pane.height()) * TILT
        self._change(self.orbit.turned(left, down, self.extent, aspect_of(pane)))

    def move(self, by: QPointF, pane: QSize) -> None:
        """Moves the house along with a pointer that moved `by` pixels."""
        self.push(-by.x() / max(1, pane.height()), by.y() / max(1, pane.height()))

    def push(self, right: float, up: float) -> None:
        """Moves the view over the house by shares of the picture's height."""
        if self.orbit is not None and self._home is not None:
            flat = 1.0 if self.orbit.is_plan else math.sin(self.orbit.tilt)
            self._change(self.orbit.shifted(right, up / flat, self._home))

    def zoom(self, notches: float, at: QPointF, pane: QSize) -> None:
        """Goes nearer by so many notches; what is drawn at a point of the pane stays there."""
        if self.orbit is None or self._home is None:
            return
        spot = self.orbit.point_at(clip_of(at, pane), aspect_of(pane)) or (self.orbit.x, self.orbit.y)
        self._change(self.orbit.nearer(ZOOM ** notches, spot, self._home))

    def _change(self, orbit: Orbit) -> None:
        if orbit != self.orbit:
            self.orbit, self.rests = orbit, False
            self._rest.start()
            self.changed.emit()

    def _settle(self) -> None:
        self.rests = True
        self.changed.emit()


def aspect_of(pane: QSize) -> float:
    """Returns the width of a pane over its height."""
    return pane.width() / max(1, pane.height())


def clip_of(at: QPointF, pane: QSize) -> tuple[float, float]:
    """Returns a point of the pane in clip coordinates of a picture that fills it."""
    return 2 * at.x() / max(1, pane.width()) - 1, 1 - 2 * at.y() / max(1, pane.height())
