"""Everything in the scene of the next run, read off the GUI thread: for completion of names, and for pickers."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from core.app.run_request import Request
from core.world.vocabulary import Entity
from gui.control.background import BackgroundJobs
from gui.control.choices import ListEntities


class SceneEntities(QObject):
    """The entities of a request's scene at its seed; those of the last request are kept."""

    listed = Signal(object)
    """A tuple of Entity."""
    failed = Signal(object)
    """The exception that kept a scene from being read."""

    def __init__(self, list_entities: ListEntities | None):
        super().__init__()
        self._list, self.jobs = list_entities, BackgroundJobs("scene")
        self._scene: tuple[object, ...] = ()
        self.entities: tuple[Entity, ...] = ()
        """Those listed last."""

    def ask(self, request: Request) -> None:
        """Emits `listed`: at once if the scene was read last, otherwise when it is read."""
        scene = (request.simulator, request.scene, request.seed, tuple(sorted(request.world.items())))
        listing = self._list
        if scene == self._scene:
            self.listed.emit(self.entities)
        elif listing is not None:
            self.jobs.do(lambda: listing(request), lambda entities: self._take(scene, entities), self.failed.emit)

    def _take(self, scene: tuple[object, ...], entities: tuple[Entity, ...]) -> None:
        self._scene, self.entities = scene, entities
        self.listed.emit(entities)
