"""Pictures of the dollhouse from any side, of any moment, drawn on a thread of their own by a replica of the run's world."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from PySide6.QtCore import QObject, Signal

from core.app.run_request import NONE, Request
from core.common.errors import BelvedereError, SimulatorError
from core.common.priority import lower_priority
from core.planning.facets import Frame
from core.session.replica import Replica, World, WorldMoment
from core.simulator.base import Simulator, WorldChange
from core.simulator.orbit import Extent, Orbit
from core.world.vocabulary import Entity
from gui.control.frame_images import FrameImages

OpenWorld = Callable[[Request], Simulator]
"""Opens the simulator of a request; called off the GUI thread. Raises BelvedereError if it cannot be drawn from all sides."""
log = logging.getLogger(__name__)


def world_request(world: World, now: Request) -> Request:
    """Returns the request that opens a world. Events do not hold a simulator's settings: those of `now` are used if it fits."""
    simulator, scene, seed = world
    fits = (now.simulator, now.scene, now.seed) == world
    return Request(simulator=simulator, scene=scene, seed=seed, world=now.world if fits else NONE)


@dataclass(frozen=True, slots=True)
class Wanted:
    """A picture that is wanted: the moment it shows, the viewpoint, and width and height in pixels."""

    moment: WorldMoment
    orbit: Orbit
    size: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Drawn:
    """The picture that was drawn, and the box around the rooms of the house."""

    wanted: Wanted
    frame: Frame
    extent: Extent | None


@dataclass(frozen=True, slots=True)
class Lifted:
    """What is known of a thing that may be moved at a moment.

    Attributes:
        changes: where it can be put.
        holders: by id, what each thing is in or on.
        entities: everything in the world, by id.
        tops: by id, at which height above the floor things lie on an entity, metres; empty if the world chooses where.
        lies_on: id of what the thing lies on; empty if it is in something, or held.
    """

    moment: WorldMoment
    thing: str
    changes: tuple[WorldChange, ...]
    holders: Mapping[str, str]
    entities: Mapping[str, Entity]
    tops: Mapping[str, float]
    lies_on: str


@dataclass(frozen=True, slots=True)
class Tried:
    """A change of the world that was tried at a moment, and why it is refused; empty if it is possible."""

    moment: WorldMoment
    change: WorldChange
    refusal: str


class FreeView(QObject):
    """Draws the newest wanted picture, and answers the newest question about a thing. Older ones are forgotten, never queued.

    The replica and its renderer start with the first wish. They are closed when another run is looked at.

    Args:
        images: the images of frames, which are made before a picture is delivered.
    """

    drawn = Signal(object)
    """A Drawn."""
    lifted = Signal(object)
    """A Lifted."""
    tried = Signal(object)
    """A Tried."""
    failed = Signal(str)
    """Why there is no picture from another side, in one line."""

    def __init__(self, images: FrameImages):
        super().__init__()
        self.open_world: OpenWorld | None = None
        self.request_of: Callable[[World], Request] = lambda world: world_request(world, Request())
        """Returns the request of the run that began so. Called on the GUI thread."""
        self._images = images
        self._wake = threading.Condition()
        self._wanted: tuple[Wanted, Request] | None = None
        self._asked: tuple[WorldMoment, str | WorldChange, Request] | None = None
        self._over = self._is_busy = False
        self._thread: threading.Thread | None = None
        self._replica: tuple[Request, Replica] | None = None

    # --- on the GUI thread ---------------------------------------------------
    def want(self, wanted: Wanted) -> None:
        """Draws a picture in place of the one that waits to be drawn."""
        self._put(wanted=(wanted, self.request_of(wanted.moment.world)))

    def lift(self, moment: WorldMoment, thing: str) -> None:
        """Asks where a thing can be put."""
        self._put(asked=(moment, thing, self.request_of(moment.world)))

    def try_change(self, moment: WorldMoment, change: WorldChange) -> None:
        """Asks why the world cannot be changed so."""
        self._put(asked=(moment, change, self.request_of(moment.world)))

    def _put(self, wanted: tuple[Wanted, Request] | None = None,
             asked: tuple[WorldMoment, str | WorldChange, Request] | None = None) -> None:
        if self.open_world is None:
            self.failed.emit("this window draws the house from one side only")
            return
        with self._wake:
            self._wanted, self._asked = wanted or self._wanted, asked or self._asked
            self._wake.notify()
        if self._thread is None and not self._over:
            self._thread = threading.Thread(target=self._run, name="free view", daemon=True)
            self._thread.start()

    @property
    def is_idle(self) -> bool:
        """True if nothing is drawn or answered, or waits to be."""
        with self._wake:
            return not (self._is_busy or self._wanted or self._asked)

    def close(self, patience: float) -> None:
        """Ends the thread and the replica. Waits at most `patience` seconds for a picture that is being drawn."""
        self.blockSignals(True)
        with self._wake:
            self._over = True
            self._wake.notify()
        if self._thread is not None:
            self._thread.join(patience)

    # --- on its own thread -----------------------------------------------------
    def _run(self) -> None:
        lower_priority()
        while not self._over:
            with self._wake:
                self._is_busy = False
                self._wake.wait_for(lambda: self._wanted or self._asked or self._over)
                wanted, self._wanted = self._wanted, None
                asked, self._asked = self._asked, None
                self._is_busy = True
            try:
                if asked is not None and not self._over:
                    self._answer(*asked)
                if wanted is not None and not self._over:
                    self._draw(*wanted)
            except SimulatorError as error:
                self._drop()  # it may have died in any state: the next wish starts another one
                self.failed.emit(str(error))
            except BelvedereError as error:
                self.failed.emit(str(error))
            except Exception as error:  # an adapter's bug must reach the operator, not end a thread unseen
                log.exception("the free view broke")
                self.failed.emit(f"{type(error).__name__}: {error}")
        self._drop()

    def _draw(self, wanted: Wanted, request: Request) -> None:
        simulator, moment = self._of(request).bring(wanted.moment), wanted.moment
        frame = replace(simulator.view_from(wanted.orbit, *wanted.size), turn=moment.turn, phase=moment.phase,
                        branch=moment.branch)
        self._images.prepare(frame)
        self.drawn.emit(Drawn(wanted, frame, simulator.extent()))

    def _answer(self, moment: WorldMoment, about: str | WorldChange, request: Request) -> None:
        replica = self._of(request)
        if isinstance(about, WorldChange):
            self.tried.emit(Tried(moment, about, replica.try_change(moment, about)))
            return
        simulator = replica.bring(moment)
        world = simulator.reveal()
        holders = {r.subject: r.object for r in world.relations if r.kind != "controls"}
        lies_on = next((r.object for r in world.relations if r.subject == about and r.kind == "on"), "")
        self.lifted.emit(Lifted(moment, about, simulator.possible_changes(about), holders, {e.id: e for e in world.entities},
                                simulator.tops(), lies_on))

    def _of(self, request: Request) -> Replica:
        if self._replica is None or self._replica[0] != request:
            self._drop()
            assert self.open_world is not None, "wishes are taken only with it"
            self._replica = request, Replica(self.open_world(request), request.seed)
        return self._replica[1]

    def _drop(self) -> None:
        replica, self._replica = self._replica, None
        if replica is not None:
            replica[1].close()
