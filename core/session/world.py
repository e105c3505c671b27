"""The world of a run: its simulator, what was done in it, its pictures, and how much of the goal holds there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from core.common.errors import UsageError
from core.common.shared_list import SharedList
from core.goals.literals import UNKNOWN, GoalRecord, LiteralProgress
from core.goals.progress import GoalWatch, progress
from core.planning.facets import Moment, View
from core.planning.planner import Planner
from core.session.camera import Camera
from core.session.dispatch import Dispatcher
from core.session.event_bus import EventBus
from core.session.events import ChangesListed
from core.session.history import History, TurnStart
from core.session.inbox import Inbox
from core.session.pictures import Pictures
from core.session.run import Run
from core.session.setup import Setup
from core.session.simulator_handle import SimulatorHandle
from core.simulator.base import Simulator, WorldChange, WorldState, options
from core.world.vocabulary import ADMISSIBLE, Action, Observation, Outcome, Verdict


class World:
    """What a run does in its simulator. The simulator is opened by `open`; before that, nothing is known of the world.

    Attributes:
        actions: the actions executed on this line of branches.
        changes: the operator's changes of the world on this line of branches, as in `TurnStart`.
    """

    def __init__(self, setup: Setup, inbox: Inbox, bus: EventBus, history: History, run: Run, dispatcher: Dispatcher,
                 camera: Camera):
        self._setup, self._inbox, self._bus, self._history, self._run = setup, inbox, bus, history, run
        self._dispatcher, self._camera = dispatcher, camera
        self._pictures = Pictures(camera, inbox, bus, history, dispatcher, run.interrupted)
        self._opened: SimulatorHandle | None = None
        self.actions: SharedList[Action] = SharedList()
        self.changes: tuple[tuple[int, WorldChange], ...] = ()
        self._goal_watch, self._watched_goal = GoalWatch(setup.goal), setup.goal

    def open(self) -> None:
        """Opens the simulator and resets it.

        Raises:
            BelvedereError: it cannot be opened at all.
        """
        self._opened = SimulatorHandle(self._setup.make_world, self._setup.seed, self._inbox, self._bus, self._dispatcher,
                                       self._run.raise_if_stopped, self._run.emit_standing)

    def close(self) -> None:
        """Closes the simulator, and ends what draws pictures of it. May be called twice."""
        self._camera.stop()
        if self._opened is not None:
            self._opened.close()
        self._camera.close()

    # --- its state -----------------------------------------------------------
    @property
    def is_open(self) -> bool:
        """Whether the simulator was opened."""
        return self._opened is not None

    @property
    def _handle(self) -> SimulatorHandle:
        if self._opened is None:
            raise UsageError("the simulator is not open yet: try again")
        return self._opened

    @property
    def simulator(self) -> Simulator:
        """The simulator; another one after it was restarted."""
        return self._handle.simulator

    @property
    def state(self) -> WorldState:
        """The state of the world at the present point of the run."""
        return self._handle.world

    @property
    def seen(self) -> Observation:
        """What the robot sees at the present point of the run."""
        return self.state.seen

    @property
    def revealed(self) -> Observation:
        """All that is true there."""
        return self.state.revealed

    @property
    def observed(self) -> Observation:
        """What the planner is given there."""
        return self.revealed if self._run.planner.omniscient else self.seen

    def progress(self) -> tuple[LiteralProgress, ...]:
        """Returns the progress towards the present goal. It needs no simulator: also one that is down has a known state."""
        if self._opened is None:
            return ()
        goal = self._run.goal
        if goal is not self._watched_goal:  # a new goal: its record of achieved literals begins now
            self._goal_watch, self._watched_goal = GoalWatch(goal), goal
        return progress(goal, self.revealed, self._goal_watch.see(self.revealed))

    @property
    def record(self) -> GoalRecord:
        """What the present goal says about the past, as far as it was achieved."""
        return self._goal_watch.record if self._run.goal is self._watched_goal else UNKNOWN

    # --- questions about it ----------------------------------------------------
    def verdict(self, action: Action) -> Verdict:
        """Returns whether an action is admissible now, and why not. While the simulator acts, only trying can tell."""
        return self._handle.query(lambda simulator: simulator.verdict(action)) if self._handle.is_there else ADMISSIBLE

    def options(self, entity: str) -> tuple[tuple[Action, Verdict], ...]:
        """Returns the actions that involve `entity` (all if empty), each with its verdict."""
        return self._handle.query(lambda simulator: options(simulator, entity))

    def guide(self, planner: Planner) -> None:
        """Passes the simulator's own sequence of actions to an omniscient planner."""
        if planner.omniscient:
            planner.guide(self._handle.call(lambda simulator: simulator.expert(self._setup.goal)))

    # --- what changes it ---------------------------------------------------------
    def execute(self, action: Action) -> tuple[Outcome, float]:
        """Executes an action in the simulator. Returns its outcome, and the seconds of work that it took."""
        seen, began = self.seen, self._pictures.await_room(self._handle)
        outcome = self._handle.persist(lambda simulator: self._camera.with_path(simulator, seen, simulator.step(action)),
                                       self._history.start_of(self._bus.turn))
        acting = self._bus.clock.worked - began
        self.actions = self.actions.plus(action)
        return outcome, acting

    def leave_for(self, start: TurnStart) -> None:
        """Makes another moment the present one. `bring` brings the simulator there."""
        self._goal_watch, self._watched_goal = GoalWatch(start.goal, start.record), start.goal
        self.actions, self.changes = start.actions, start.changes
        self._handle.leave_for(start)

    def bring(self, start: TurnStart) -> None:
        """Brings the simulator to the moment that is the present one since `leave_for`."""
        self._pictures.await_room(self._handle)
        self._handle.persist(lambda simulator: None, start)

    def change(self, change: WorldChange, start: TurnStart) -> None:
        """Makes an operator's change of the world.

        Args:
            change: the change.
            start: the present moment.

        Raises:
            UsageError: the simulator refuses it; then nothing has changed.
        """
        self._pictures.await_room(self._handle)
        if (refusal := self._handle.persist(lambda simulator: _refusal(simulator, change), start)) is not None:
            raise refusal
        self.changes = (*self.changes, (len(self.actions), change))
        self.progress()  # the record of the goal includes the changed world

    # --- changes of other turns ---------------------------------------------------
    def check_change(self, change: WorldChange, turn: int | None, branch: int | None) -> None:
        """Tries a change of the world in another turn, if the simulator can go there and back at once."""
        if not self.simulator.changes:
            self.simulator.change(change)  # it says why not
        with self._at_start_of(turn, branch) as there:
            if there is not None and not there.slow:
                now = there.save()
                try:
                    there.change(change)
                finally:
                    there.restore(now)

    def list_changes(self, thing: str, turn: int | None, branch: int | None) -> None:
        """Emits how an entity could be changed at the beginning of a turn."""
        with self._at_start_of(turn, branch) as there:
            changes = () if there is None else there.possible_changes(thing)
        name = self.simulator.title or self.simulator.name
        why = f"{name} can go back only by replaying: rewind to this turn first" if there is None else (
            "" if changes else f"{name} can change nothing about it")
        start = self._history.start_of(self._history.branch.turns[-1].turn if turn is None else turn, branch)
        of = Moment(self._history.current if branch is None else branch, start.turn)
        self._bus.emit(ChangesListed(thing, of, changes, why))

    @contextmanager
    def _at_start_of(self, turn: int | None, branch: int | None) -> Iterator[Simulator | None]:
        """Context in which the simulator is in the state at the beginning of a turn; None if it cannot go there at once.

        Raises:
            UsageError: there is no such turn, or the simulator cannot be asked now.
            SimulatorError: it has stopped.
        """
        history, now = self._history, self.state.saved
        if not history.branch.turns:
            raise UsageError("the simulator is not at a turn yet: try again")
        there = history.start_of(history.branch.turns[-1].turn if turn is None else turn, branch).world.saved
        with self._handle.visit() as simulator:
            if there == now:
                yield simulator
            elif simulator.slow or not simulator.restores:
                yield None
            else:
                simulator.restore(there)
                try:
                    yield simulator
                finally:
                    simulator.restore(now)

    # --- pictures ----------------------------------------------------------------
    def draw(self, views: tuple[View, ...], size: tuple[int, int]) -> None:
        """Changes the views to draw, and draws them at once."""
        self._pictures.draw(views, size, self._opened, len(self.actions))

    def keep_pictures(self, views: tuple[View, ...]) -> None:
        """Draws these views of every turn from now on, and of past turns if the simulator can be restored to them."""
        self._pictures.keep(views, self._opened, len(self.actions))

    def take_pictures(self) -> None:
        """Takes pictures of the present state."""
        self._pictures.take(self._opened, len(self.actions))

    def finish_pictures(self, over: Callable[[], None]) -> None:
        """Draws the pictures that the recording still lacks. Calls `over` first if that takes time."""
        self._pictures.finish(self._opened, over)


def _refusal(simulator: Simulator, change: WorldChange) -> UsageError | None:
    """Changes the world. Returns why it is impossible; then nothing has changed."""
    try:
        simulator.change(change)
    except UsageError as refused:
        return refused
    return None
