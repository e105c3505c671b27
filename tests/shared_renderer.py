"""A renderer process that tests use one after the other: to start one takes longer than most tests."""

from __future__ import annotations

import os
from threading import Lock
from typing import Any

from sim.rendering import service
from sim.rendering.cameras import Picture

OwnService = service.FrameService
"""The class as it is, whatever a test puts in its place."""


class SharedRenderer:
    """A frame service that starts with its first picture, and that simulators do not close."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._service: OwnService | None = None

    @property
    def notice(self) -> str:
        return "" if self._service is None else self._service.notice

    def picture(self, *given: Any, **named: Any) -> Picture:
        with self._lock:
            if self._service is None:
                self._service = OwnService()
        return self._service.picture(*given, **named)

    def close(self) -> None:
        """Leaves it to the next simulator."""

    def end(self) -> None:
        """Ends the process."""
        if self._service is not None:
            self._service.close()
            self._service = None


def service_of(shared: SharedRenderer) -> SharedRenderer | OwnService:
    """Returns the shared renderer; a new one if the environment asks for another way of drawing."""
    return OwnService() if "BELVEDERE_RENDERER" in os.environ else shared
