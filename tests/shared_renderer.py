"""A renderer process that tests use one after the other: to start one takes longer than most tests."""

from __future__ import annotations

import os
from collections import OrderedDict
from threading import Lock

import pytest

from sim.geometry.model import House, Robot
from sim.rendering import service
from sim.rendering.cameras import Camera, Picture, Size

OwnService = service.FrameService
"""The class as it is, whatever a test puts in its place."""
KEPT_BYTES = 200_000_000
"""Limit on the bytes of pictures kept for other tests."""


class SharedRenderer:
    """A frame service that starts with its first picture, and that simulators do not close.

    Many tests look at the same moments. A picture that was drawn before is not drawn again.

    Args:
        service: what draws; None: a process that is started for the first picture.
        notice: what is said of its pictures; None: what it says itself.
    """

    def __init__(self, service: OwnService | None = None, notice: str | None = None) -> None:
        self._lock = Lock()
        self._service, self._notice = service, notice
        self._drawn: OrderedDict[tuple[object, ...], Picture] = OrderedDict()
        self._bytes = 0

    @classmethod
    def of_plans(cls) -> SharedRenderer:
        """Returns one that draws plans, in a third of the time of the 3-D view, and passes them for it."""
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv(service.VARIABLE, "2d")
            return cls(OwnService(), "")

    @property
    def notice(self) -> str:
        if self._notice is not None:
            return self._notice
        return "" if self._service is None else self._service.notice

    def picture(self, house: House, camera: Camera, size: Size, robot: Robot | None, samples: int = 1) -> Picture:
        key = house, camera, size, robot, samples
        with self._lock:
            if self._service is None:
                self._service = OwnService()
            picture = self._drawn.get(key)
        return picture or self._keep(key, self._service.picture(house, camera, size, robot, samples))

    def _keep(self, key: tuple[object, ...], picture: Picture) -> Picture:
        with self._lock:
            if not self.notice and key not in self._drawn:
                self._drawn[key] = picture
                self._bytes += _bytes(picture)
            while self._bytes > KEPT_BYTES:
                self._bytes -= _bytes(self._drawn.popitem(last=False)[1])
        return picture

    def close(self) -> None:
        """Leaves it to the next simulator."""

    def end(self) -> None:
        """Ends the process."""
        if self._service is not None:
            self._service.close()
            self._service = None


def _bytes(picture: Picture) -> int:
    return picture.pixels.nbytes + picture.ids.nbytes


def service_of(shared: SharedRenderer) -> SharedRenderer | OwnService:
    """Returns the shared renderer; a new one if the environment asks for another way of drawing."""
    return OwnService() if "BELVEDERE_RENDERER" in os.environ else shared
