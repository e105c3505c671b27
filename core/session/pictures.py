"""The pictures of a run: of which moments they are taken, and when the run waits for them."""

from __future__ import annotations

import time
from collections.abc import Callable

from core.common.errors import SimulatorError
from core.planning.facets import View
from core.session.camera import Camera, Taken
from core.session.dispatch import Dispatcher
from core.session.event_bus import EventBus
from core.session.events import Failed
from core.session.history import History
from core.session.inbox import Inbox
from core.session.simulator_handle import SimulatorHandle


class Pictures:
    """Takes pictures of the present and of past turns with a camera. All of it happens on the session's thread.

    Args:
        interrupted: whether the present activity must be left.
    """

    def __init__(self, camera: Camera, inbox: Inbox, bus: EventBus, history: History, dispatcher: Dispatcher,
                 interrupted: Callable[[], bool]):
        self._camera, self._inbox, self._bus, self._history = camera, inbox, bus, history
        self._dispatcher, self._interrupted = dispatcher, interrupted

    def draw(self, views: tuple[View, ...], size: tuple[int, int], handle: SimulatorHandle | None, acted: int) -> None:
        """Changes the views to draw, and draws them at once. The other arguments are those of `take`."""
        self._camera.draw(views, size)
        self.take(handle, acted)

    def keep(self, views: tuple[View, ...], handle: SimulatorHandle | None, acted: int) -> None:
        """Draws these views of every turn from now on, and of past turns if the simulator can be restored to them."""
        self._camera.recorded_views = views
        self._take_missed(handle, acted)
        self.take(handle, acted)

    def take(self, handle: SimulatorHandle | None, acted: int) -> None:
        """Takes pictures of the present state, tagged with its turn, if the simulator is in it and does not change.

        Args:
            handle: the simulator; None: it is not open yet.
            acted: the number of executed actions.
        """
        if handle is not None and handle.is_there:
            self._camera.take_shots(handle.simulator, self._present(acted))

    def _present(self, acted: int) -> Taken:
        """Returns which state a picture of the present shows."""
        turn, branch = self._bus.turn, self._bus.branch
        return Taken(turn, "after", branch) if acted and turn == acted else Taken(max(1, turn), "before", branch)

    def _take_missed(self, handle: SimulatorHandle | None, acted: int) -> None:
        """Takes pictures of past turns that were not requested when they were played: recording may start late."""
        if handle is not None and handle.is_there:
            played = ((Taken(start.turn, "before", number), start.world.saved) for number, start in self._history.played())
            try:
                with handle.visit() as simulator:
                    self._camera.take_missed(simulator, played, self._present(acted))
            except SimulatorError as error:
                self._bus.emit(Failed("camera", "drawing", str(error), waits=False))

    def await_room(self, handle: SimulatorHandle) -> float:
        """Called before the simulator's state changes. Returns the seconds of work so far.

        A recorded run first waits for pictures that could not be drawn afterwards, at most as long as the simulator's patience.
        """
        camera, simulator = self._camera, handle.simulator
        until = time.monotonic() + simulator.patience
        self._inbox.until(lambda: not camera.is_crowded(simulator) or self._interrupted(), self._dispatcher.handle, until)
        camera.before_change(simulator)
        return self._bus.clock.worked

    def finish(self, handle: SimulatorHandle | None, over: Callable[[], None]) -> None:
        """Draws the pictures that the recording still lacks. Calls `over` first if that takes time."""
        self._bus.clock.stop()
        camera = self._camera
        if camera.recorded_views and camera.pending and handle is not None and not handle.simulator.slow:
            over()
        camera.finish(self._dispatcher.handle)
