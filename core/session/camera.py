"""Takes pictures for the operator and for recordings, drawn on a thread of their own so that the search does not wait.

A shot is cheap to take (about 1 ms) and slow to draw (about 70 ms), so a fast run takes more shots than can be drawn. The
newest moment is drawn first, then the oldest missing one. A shot holds the geometry of its moment (about 40 kB in a household).
Each simulator says how many of its shots may wait (`Simulator.keeps_shots`), which bounds the memory. An unrecorded run drops
the oldest shot beyond that number; a recorded run waits for room.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np

from core.common.errors import BelvedereError, RendererError
from core.planning.facets import Frame, Phase, View
from core.session.inbox import Drawn, Inbox, Item
from core.simulator.base import Saved, Simulator
from core.world.vocabulary import Observation, Outcome

BOTH: tuple[View, ...] = ("first person", "dollhouse")
USUAL = 640, 480
"""Width and height of recorded pictures while no panel asks for another size."""
STUCK = 30.0
"""Seconds without any picture after which the camera gives up the missing ones."""
POLL = 0.2
MOST_ASKED = 4000
"""Number of requested pictures that are remembered: more than the turns that a session can go back to have."""
MOST_MISSED = 100
"""Past turns whose pictures are still taken when a recording begins: a few milliseconds each."""
MOVED_ON = "this picture is missing: the world changed before it was drawn"
CROWDED = "this picture is missing: too many pictures were waiting to be drawn"
NOT_DRAWN = "this picture is missing: the run was closed before it was drawn"


@dataclass(frozen=True, slots=True)
class Taken:
    """The state a picture shows: before or after the action of a turn of a branch."""

    turn: int
    phase: Phase
    branch: int


@dataclass(frozen=True, slots=True)
class Job:
    """One picture to draw.

    Attributes:
        size: width and height in pixels.
        epoch: for a shot that must be drawn before the simulator's state changes, how often it had changed; None for all
            others.
    """

    view: View
    taken: Taken
    size: tuple[int, int]
    shot: Callable[[], Frame]
    epoch: int | None

    def tagged(self, frame: Frame) -> Frame:
        """Returns the picture tagged with the state it shows."""
        return replace(frame, turn=self.taken.turn, phase=self.taken.phase, branch=self.taken.branch)

    def missing(self, why: str) -> Frame:
        """Returns the placeholder that a recording holds in place of the picture."""
        width, height = self.size
        return self.tagged(Frame(self.view, np.zeros((height, width, 0), np.uint8), None, (), notice=why))


class Camera:
    """Takes shots on the session's thread and draws them on a thread of its own.

    Attributes:
        recorded_views: views that a recording wants of every turn; empty without a recording.
        pending: number of pictures that were requested and not emitted yet. Changed on the session's thread only.
    """

    def __init__(self, inbox: Inbox):
        self._inbox = inbox
        self._size = USUAL
        self._views: tuple[View, ...] = ()
        self.recorded_views: tuple[View, ...] = ()
        self.pending = 0
        self._lock = threading.Condition()
        self._waiting: OrderedDict[tuple[Taken, View], Job] = OrderedDict()
        self._busy: Job | None = None
        self._now = Taken(0, "before", 0)
        self._latest: dict[View, tuple[Taken, tuple[int, int]]] = {}
        self._asked: OrderedDict[tuple[Taken, View], None] = OrderedDict()
        self._epoch = 0
        self._until = float("inf")
        self._thread: threading.Thread | None = None
        self._over = False

    # --- on the session's thread ---------------------------------------------
    def draw(self, views: tuple[View, ...], size: tuple[int, int]) -> None:
        """Changes the views to draw, and their width and height."""
        self._views = views
        if views:
            self._size = size

    def take_shots(self, simulator: Simulator, taken: Taken) -> None:
        """Takes shots of the present state, which `taken` names. Shots that were already taken are not taken again."""
        wanted = (view for view in BOTH if view in self._views or view in self.recorded_views)
        views = [view for view in wanted if self._latest.get(view) != (taken, self._size)]
        self._latest |= dict.fromkeys(views, (taken, self._size))
        with self._lock:
            self._now = taken
        self._take(simulator, taken, views)

    def take_missed(self, simulator: Simulator, played: Iterable[tuple[Taken, Saved]], present: Taken) -> None:
        """Takes the shots of past turns that a recording lacks, where the simulator can go there and back at once.

        Args:
            simulator: in the present state, to which it is brought back.
            played: the past turns, and the simulator's state at each.
            present: the state the simulator is in.
        """
        if not self.recorded_views or simulator.slow or not (simulator.restores and simulator.keeps_shots):
            return
        missed = [(taken, saved) for taken, saved in played if taken != present and self._lacked(taken)][-MOST_MISSED:]
        now = simulator.save() if missed else ""
        try:
            for taken, saved in missed:
                simulator.restore(saved)
                self._take(simulator, taken, self._lacked(taken))
        finally:
            if missed:
                simulator.restore(now)

    def _lacked(self, taken: Taken) -> list[View]:
        """Returns the views of a state that a recording wants and that were never requested."""
        return [view for view in self.recorded_views if (taken, view) not in self._asked]

    def _take(self, simulator: Simulator, taken: Taken, views: list[View]) -> None:
        epoch = None if simulator.keeps_shots else self._epoch
        jobs = [Job(view, taken, self._size, _shot(simulator, view, self._size), epoch) for view in views]
        lost: list[Job] = []
        for view in views:
            self._asked[taken, view] = None
        while len(self._asked) > MOST_ASKED:
            self._asked.popitem(last=False)
        with self._lock:
            for job in jobs:
                self.pending += (taken, job.view) not in self._waiting
                self._waiting[taken, job.view] = job
            while len(self._waiting) > max(len(BOTH), simulator.keeps_shots):
                lost.append(self._waiting.popitem(last=False)[1])
            self._lock.notify()
        self._report_missing(lost, CROWDED)
        if jobs and self._thread is None:
            self._thread = threading.Thread(target=self._work, name="camera", daemon=True)
            self._thread.start()

    def is_crowded(self, simulator: Simulator) -> bool:
        """Returns True if a recorded run must wait for pictures before the simulator's state may change."""
        return bool(self.recorded_views) and self.pending + len(BOTH) > max(len(BOTH), simulator.keeps_shots)

    def before_change(self, simulator: Simulator) -> None:
        """Called before the simulator's state changes. Drops waiting shots that are only valid before the change."""
        if simulator.keeps_shots:
            return
        with self._lock:
            self._epoch += 1
            lost = list(self._waiting.values())
            self._waiting.clear()
        self._report_missing(lost, MOVED_ON)

    def count_emitted(self) -> None:
        """Called after a `Drawn` was taken from the inbox and emitted."""
        self.pending -= 1

    def finish(self, handle: Callable[[Item], None]) -> None:
        """Draws what the recording still lacks after the run, until the deadline at most, and reports what is missing.

        Args:
            handle: handles a picture that arrives.
        """
        since = time.monotonic()
        while self.recorded_views and self.pending:
            left = min(self._until, since + STUCK) - time.monotonic()
            if left <= 0:
                break
            item = self._inbox.take(min(left, POLL))
            if isinstance(item, Drawn):
                handle(item)
                since = time.monotonic()
        with self._lock:
            self._over = True
            lost = [*self._waiting.values(), *([self._busy] if self._busy is not None else [])]
            self._waiting.clear()
            self._lock.notify()
        self._report_missing(lost, NOT_DRAWN)
        while (item := self._inbox.take(0)) is not None:
            if isinstance(item, Drawn):
                handle(item)

    def _report_missing(self, jobs: Iterable[Job], why: str) -> None:
        for job in jobs:
            self._inbox.put(Drawn((job.missing(why),) if self.recorded_views else (), None))

    def with_path(self, simulator: Simulator, before: Observation, outcome: Outcome) -> Outcome:
        """Returns the outcome with the path the robot took, if pictures are drawn and the path is known."""
        start, end = before.agent.pose, outcome.observation.agent.pose
        if not (self._views or self.recorded_views) or start is None or end is None or start[:2] == end[:2]:
            return outcome
        return replace(outcome, way=simulator.way(start, end))

    def stop(self) -> None:
        """Begins no further picture."""
        with self._lock:
            self._over = True
            self._lock.notify()

    def close(self) -> None:
        """Ends the thread. Close the simulator between `stop` and this: it may give up the picture in progress."""
        self.stop()
        if self._thread is not None:
            self._thread.join(timeout=5.0)

    # --- on any thread -------------------------------------------------------
    def set_deadline(self, until: float) -> None:
        """Stops drawing at this time of `time.monotonic`, once the run is over."""
        self._until = min(self._until, until)

    # --- on the camera's thread ----------------------------------------------
    def _work(self) -> None:
        while (job := self._next()) is not None:
            drawn = self._draw(job)
            with self._lock:
                if self._over:
                    return
                self._busy = None
                if job.epoch not in (None, self._epoch):
                    drawn = Drawn((job.missing(MOVED_ON),) if self.recorded_views else (), None)
                self._inbox.put(drawn)

    def _next(self) -> Job | None:
        """Returns the next picture to draw: of the newest moment, else the oldest; None when there will be no more."""
        with self._lock:
            self._lock.wait_for(lambda: self._waiting or self._over)
            if self._over:
                return None
            newest = next((key for view in BOTH if (key := (self._now, view)) in self._waiting), None)
            self._busy = self._waiting.popitem(last=False)[1] if newest is None else self._waiting.pop(newest)
            return self._busy

    def _draw(self, job: Job) -> Drawn:
        try:
            return Drawn((job.tagged(job.shot()),), None)
        except BelvedereError as error:
            failed = error
        except Exception as error:  # noqa: BLE001 - an adapter's bug must reach the operator, not end a thread unseen
            failed = RendererError(f"the camera broke: {type(error).__name__}: {error}")
        return Drawn((job.missing(f"this picture is missing: {failed}"),) if self.recorded_views else (), failed)


def _shot(simulator: Simulator, view: View, size: tuple[int, int]) -> Callable[[], Frame]:
    """Returns a shot of the present state. Where none can be taken, drawing it says why."""
    try:
        return simulator.shot(view, *size)
    except Exception as error:  # noqa: BLE001 - the run goes on without the picture; the next action shows whether it has died
        failed = error

    def missing() -> Frame:
        raise failed

    return missing
