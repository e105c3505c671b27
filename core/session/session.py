"""One run of a planner in a simulator: plays turn after turn, and executes commands at every yield and during every wait."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from core.common.errors import SimulatorError, UsageError
from core.common.shared_list import SharedList
from core.goals.literals import UNKNOWN, LiteralProgress
from core.goals.progress import GoalWatch, progress
from core.llm.budget import Price
from core.llm.model import Partial
from core.planning.facets import Facet, Moment, View
from core.planning.model_requests import ModelReply, ModelRequest
from core.planning.planner import Planner, WhatIf
from core.search.compilation.preparation import Preparation, preparation
from core.session import events
from core.session.camera import Camera, Taken
from core.session.command import Command
from core.session.companion import Companion
from core.session.dispatch import AnswerListener, Dispatcher, Previews
from core.session.engine import REACHED, USED_UP, play
from core.session.event_bus import EventBus, Follower, Listener
from core.session.events import Acted, Ended, Failed, Recovered, Shown, Standing, TurnBegan
from core.session.history import History, TurnStart
from core.session.inbox import Inbox, Noted
from core.session.interrupts import Jump, Stopped
from core.session.operated import OperatedHost
from core.session.run import Run
from core.session.setup import Script, Setup
from core.session.simulator_handle import SimulatorHandle
from core.simulator.base import Simulator, WorldChange, WorldState, options
from core.world.vocabulary import ADMISSIBLE, Action, Observation, Outcome, Verdict

if TYPE_CHECKING:
    from core.session.snapshot import Snapshot

ENDED = "the run ended before this could be done: go back to a turn first"


class Session:
    """Drives one planner and one simulator through an episode. `run` is synchronous: it uses the thread of its caller.

    Other threads use `post`, `subscribe` and the few methods that say they are safe from any thread. The session starts threads
    only to wait for replies, for slow simulators and for pictures; all of them end with the session.
    """

    def __init__(self, setup: Setup, begin: Callable[[], Snapshot] | None = None):
        """Creates the session.

        Args:
            setup: what is run.
            begin: makes the snapshot before the first event; by default an empty one.
        """
        self.setup = setup
        self._bus, self._history = EventBus(begin), History()
        self._inbox = Inbox(lambda waits: self._bus.deliver(wait=waits))
        self._run = Run(setup, self._inbox, self._bus, self._history, self)
        self._requests = self._run.requests
        self._camera = Camera(self._inbox)
        self._previews = Previews(self._inbox, self._run, self._observed)
        self._dispatcher = Dispatcher(self._inbox, self._bus, self._run, self._camera, self._previews)
        self._companion = Companion(setup, self._inbox, self._bus, self._run, self._history, self._dispatcher,
                                    lambda: self.world.revealed)
        self._simulator_handle: SimulatorHandle | None = None
        self._search: Preparation | None = None
        """How far the machine code of the search is; None if no planner searches, or once that was reported."""
        self._actions: SharedList[Action] = SharedList()
        self._changes: tuple[tuple[int, WorldChange], ...] = ()
        """The operator's changes of the world on this line of branches, as in `TurnStart`."""
        self._is_between_turns = False
        """True while commands are executed before a turn begins: only then may the world be changed."""
        self._script = Script(setup.script)
        """What is left of a recorded past."""
        self._host = host = OperatedHost(self, self._run, self._bus, self._dispatcher, self._companion, self._script)
        self._run.pause_control.checker.silent = lambda: bool(self._script) or host.replays
        self._goal_watch, self._watched_goal = GoalWatch(setup.goal), setup.goal
        self._ended: Ended | None = None
        """The end of the present branch; None while it goes on."""

    # --- for callers --------------------------------------------------------
    def post(self, command: Command) -> None:
        """Puts a command into the inbox. Safe from any thread; the session executes it at the next yield or wait."""
        self._inbox.put(command)

    @property
    def has_commands(self) -> bool:
        """Whether commands wait in the inbox. Safe from any thread."""
        return self._inbox.has_commands

    def subscribe(self, listener: Listener) -> None:
        """Passes every event to `listener`, on the session's thread.

        Subscribe before `run` to receive all events. Subscribe a recorder before all other listeners.
        """
        self._bus.subscribe(listener)

    def follow(self, follower: Follower) -> None:
        """Passes every event to `follower` with the snapshot after it, on the session's thread: see `subscribe`."""
        self._bus.follow(follower)

    def ask_what_if(self, question: WhatIf | None) -> None:
        """Asks a what-if question: what the planner would do if something were different. Safe from any thread.

        The question is not part of the run. Only the newest question is answered, while the run is paused within a turn.

        Args:
            question: replaces the question before it; None withdraws it.
        """
        self._previews.ask(question)

    def subscribe_answers(self, listener: AnswerListener) -> None:
        """Passes answers to what-if questions to `listener`, on the session's thread."""
        self._previews.subscribe(listener)

    def report(self, what: Failed | Recovered) -> None:
        """Reports a failure or a recovery of a listener (such as a full disk). Safe from any thread.

        A failure with `waits` set pauses the run.
        """
        self._inbox.put(what)

    def note_calls(self, calls: tuple[tuple[ModelRequest, ModelReply], ...]) -> None:
        """Records model requests that were answered outside the session, such as those that read a goal. Any thread."""
        if calls:
            self._inbox.put(Noted(calls))

    def partial(self, call: int) -> Partial | None:
        """Returns the part of the reply to a waiting model request that has arrived so far. Safe from any thread."""
        return self._requests.partials.of(call)

    def price(self, source: str) -> Price | None:
        """Returns the price of a million tokens of a source of replies; None if it is unknown. Safe from any thread."""
        return None if self.setup.budget is None else self.setup.budget.price(source)

    @property
    def preparing(self) -> str:
        """What goes on beside the run, such as `compiling the search: 1 of 3 parts, about 6 s left`; or empty. Any thread.

        Nothing waits for it. No event reports it, because it concerns this machine and not the run.
        """
        search = self._search
        return "" if search is None else search.words

    @property
    def is_waiting(self) -> bool:
        """True if everything that arrived was handled, and only a command or a reply makes the session go on. Any thread.

        It then neither thinks nor acts, and has emitted everything, also the pictures that were requested.
        """
        return self._inbox.is_waiting and not self._camera.pending

    @property
    def awaits_model(self) -> bool:
        """True if a model, not a person, must still answer a request. Safe from any thread."""
        return self._requests.awaits_model

    @property
    def pictures_left(self) -> int:
        """Number of pictures that were requested and are not drawn yet. Safe from any thread."""
        return self._camera.pending

    def limit_pictures(self, seconds: float) -> None:
        """Limits the time spent on pictures after the run is over to so many seconds from now. Safe from any thread."""
        self._camera.set_deadline(time.monotonic() + seconds)

    def run(self, *, linger: bool = False, over: Callable[[], None] = lambda: None) -> Ended:
        """Plays until the goal is reached, the steps are used up, the planner gives up, or the operator stops the run.

        Args:
            linger: keep the session open for rewinding after the end, until it is stopped. This does not change how it ended.
            over: called when only pictures that the recording lacks are left to draw. Another session may begin then.

        Returns:
            The end of the branch that is present when the run stops.

        Raises:
            BelvedereError: the simulator cannot be opened at all.
        """
        try:
            self._begin()
            jump: Jump | None = None
            while True:
                try:
                    if jump is not None:
                        there, jump = jump, None
                        self._go_back(there)
                    ended = self._ended or self._end(self._play())
                    self._run.refuse_override(ENDED)
                    if not linger:
                        self._finish_pictures(over)
                        return ended
                    self._wait_after_end(ended)
                    self._run.raise_interrupt()
                    self._ended = None  # the operator allowed more steps, so the branch goes on
                except Jump as interrupt:
                    jump = interrupt
        except Stopped as stopped:
            self._requests.cancel_aside("the run was stopped before it was answered")
            ended = self._ended or self._end(str(stopped), stopped=True)
            self._finish_pictures(over)
            return ended
        finally:
            self.close()

    def close(self) -> None:
        """Ends everything the session started. May be called twice."""
        self._requests.close()
        self._camera.stop()
        if self._simulator_handle is not None:
            self._simulator_handle.close()
        self._camera.close()
        self.setup.close_unused()
        for model in self.setup.all_models:
            model.close()
        self._bus.deliver(wait=True)

    # --- turns -------------------------------------------------------------
    @property
    def _handle(self) -> SimulatorHandle:
        if self._simulator_handle is None:
            raise UsageError("the simulator is not open yet: try again")
        return self._simulator_handle

    @property
    def _simulator(self) -> Simulator:
        return self._handle.simulator

    @property
    def world(self) -> WorldState:
        """The state of the world at the present point of the run."""
        return self._handle.world

    def _begin(self) -> None:
        setup = self.setup
        if setup.planner.searches or (setup.beside is not None and setup.beside.planner.searches):
            self._search = search = preparation()
            self._bus.clock.is_compiling = lambda: not search.is_over
        self._simulator_handle = SimulatorHandle(setup.make_world, setup.seed, self._inbox, self._bus, self._dispatcher,
                                                 self._run.raise_if_stopped, self.emit_standing)
        setup.planner.begin(setup.goal, self._simulator.schemas, setup.seed_of_planner)
        self._guide(setup.planner)
        self._companion.begin(self._simulator.schemas, self._guide)
        self._bus.emit(setup.began(self._simulator.name))
        self._requests.note(setup.calls)

    def _guide(self, planner: Planner) -> None:
        """Passes the simulator's own sequence of actions to an omniscient planner."""
        if planner.omniscient:
            planner.guide(self._handle.call(lambda simulator: simulator.expert(self.setup.goal)))

    def _wait_after_end(self, ended: Ended) -> None:
        """Waits after the end until a command interrupts it or allows more steps."""
        with self._bus.clock.resting("end"):
            self._inbox.until(lambda: self._run.interrupted() or self._has_more_steps(ended), self._dispatcher.handle)

    def _end(self, reason: str, *, stopped: bool = False) -> Ended:
        """Ends the present branch and emits its `Ended`, once. The simulator decides whether the goal is reached."""
        self._run.pause_control.end()
        report = self.progress()
        reached = reason == REACHED or (bool(report) and all(p.reached for p in report))
        self._ended = ended = Ended(reached, REACHED if reached else reason, report)
        if not stopped:  # a stopped run may have lost its simulator
            self._take_pictures()
        self._bus.emit(ended)
        return ended

    def _has_more_steps(self, ended: Ended) -> bool:
        """Returns True if the branch ended because its steps were used up and the operator has allowed more since."""
        return ended.reason == USED_UP and self._run.most_steps > len(self._actions)

    def _play(self) -> str:
        """Plays turns of one action each until the episode is over. Returns the reason why it is over."""
        self._run.pause_control.begin()
        reason = self._play_turns()
        if reason in (REACHED, USED_UP):
            if not self._actions:  # the goal holds at the start: there is a scene to see and to record all the same
                self._begin_turn(TurnBegan(self.world.seen, self.progress()))
                self._dispatcher.handle_arrived()
            self._show_last_look()
        return reason

    def _play_turns(self) -> str:
        """Lets the engine play, and emits what happens."""
        turns = play(self._host)
        while True:
            try:
                what = next(turns)
            except StopIteration as over:
                return str(over.value)
            if isinstance(what, Facet):
                self._run.show(what)
            elif isinstance(what, TurnBegan):
                self._begin_turn(what)
                self._host.begin_turn()
                self._report_search()
            else:
                self._bus.emit(what)
            if isinstance(what, Acted):
                self._after_action(what.outcome)

    def _show_last_look(self) -> None:
        """Shows what the planner knows after the last action. No further turn follows in which it would observe the result.

        A copy of the planner observes, so that a run that goes on from here is not affected.
        """
        if not self._actions:
            return
        self._run.pause_control.after_last_action()
        planner = copy.deepcopy(self._run.planner)
        try:
            for facet in planner.last_look(self._observed()):
                self._bus.emit(Shown(facet))
        except Exception as error:  # noqa: BLE001 - a planner's bug must not lose the episode
            message = f"{planner.name} broke after the last action: {error}"
            self._bus.emit(Failed("planner", type(error).__name__, message, waits=False))

    def _begin_turn(self, begins: TurnBegan) -> None:
        self._bus.turn += 1
        self._history.add_start(self._turn_start())
        self._host.replays = False
        self._bus.emit(begins)
        self._take_pictures()

    def _after_action(self, outcome: Outcome) -> None:
        if self._host.replays and (difference := self._script.check_outcome(outcome)):
            self._bus.emit(Failed("simulator", "differs", difference, waits=False))
        self._run.pause_control.after_action()

    def _report_search(self) -> None:
        """Reports once why the search is slower than it could be, if it is, as soon as that is known."""
        search = self._search
        if search is not None and search.is_over:
            self._search = self._bus.clock.is_compiling = None
            if search.note:
                self._bus.emit(Failed("planner", "slower", search.note, waits=False))

    # --- Turns, for the engine's host ----------------------------------------------
    @property
    def is_used_up(self) -> bool:
        """Whether the operator allows no further action."""
        return len(self._actions) >= self._run.most_steps

    def change_world_before_turn(self) -> None:
        """Makes the changes of the world that the replayed past has before its next turn."""
        self._bus.turn = len(self._actions) + 1
        for command in self._script.take_changes():
            self._change_before_turn(command)
        self._bus.turn = len(self._actions)

    def execute(self, action: Action) -> tuple[Outcome, float]:
        """Executes an action in the simulator. Returns its outcome, and the seconds of work that it took."""
        seen, began = self.world.seen, self._await_pictures()
        outcome = self._handle.persist(lambda simulator: self._camera.with_path(simulator, seen, simulator.step(action)),
                                       self._history.start_of(self._bus.turn))
        acting = self._bus.clock.worked - began
        self._actions = self._actions.plus(action)
        return outcome, acting

    def _observed(self) -> Observation:
        """Returns the observation the planner is given at this moment."""
        return self.world.revealed if self._run.planner.omniscient else self.world.seen

    # --- what commands are made of, for `Run` ------------------------------------
    def verdict(self, action: Action) -> Verdict:
        """Returns whether an action is admissible now, and why not. While the simulator acts, only trying can tell."""
        return self._handle.query(lambda simulator: simulator.verdict(action)) if self._handle.is_there else ADMISSIBLE

    def options(self, entity: str) -> tuple[tuple[Action, Verdict], ...]:
        """Returns the actions that involve `entity` (all if empty), each with its verdict."""
        return self._handle.query(lambda simulator: options(simulator, entity))

    def draw(self, views: tuple[View, ...], size: tuple[int, int]) -> None:
        """Changes the views to draw, and draws them at once."""
        self._camera.draw(views, size)
        self._take_pictures()

    def keep_pictures(self, views: tuple[View, ...]) -> None:
        """Draws these views of every turn from now on, and of past turns if the simulator can be restored to them."""
        self._camera.recorded_views = views
        self._take_missed_pictures()
        self._take_pictures()

    def edit_companion(self, facet: Facet) -> None:
        """Replaces a facet of the companion's state, and lets it think again."""
        self._companion.edit(facet)

    # --- pictures ----------------------------------------------------------
    def _take_pictures(self) -> None:
        """Takes pictures of the present state, tagged with its turn."""
        if self._can_be_pictured:
            self._camera.take_shots(self._simulator, self._present())

    @property
    def _can_be_pictured(self) -> bool:
        """True if the simulator is open, does not change, and is in the state of the present turn."""
        return self._simulator_handle is not None and self._simulator_handle.is_there

    def _present(self) -> Taken:
        """Returns which state a picture of the present shows."""
        turn, acted, branch = self._bus.turn, len(self._actions), self._bus.branch
        return Taken(turn, "after", branch) if acted and turn == acted else Taken(max(1, turn), "before", branch)

    def _take_missed_pictures(self) -> None:
        """Takes pictures of past turns that were not requested when they were played: recording may start late."""
        if self._can_be_pictured:
            played = ((Taken(start.turn, "before", number), start.world.saved) for number, start in self._history.played())
            try:
                with self._handle.visit() as simulator:
                    self._camera.take_missed(simulator, played, self._present())
            except SimulatorError as error:
                self._bus.emit(Failed("camera", "drawing", str(error), waits=False))

    def _finish_pictures(self, over: Callable[[], None]) -> None:
        """Draws the pictures that the recording still lacks. Calls `over` first if that takes time."""
        self._bus.clock.stop()
        camera = self._camera
        if camera.recorded_views and camera.pending and self._simulator_handle is not None and not self._simulator.slow:
            over()
        camera.finish(self._dispatcher.handle)

    def _await_pictures(self) -> float:
        """Called before the simulator's state changes. Returns the seconds of work so far.

        A recorded run first waits for pictures that could not be drawn afterwards, at most as long as the simulator's patience.
        """
        camera, simulator, run = self._camera, self._simulator, self._run
        until = time.monotonic() + simulator.patience
        self._inbox.until(lambda: not camera.is_crowded(simulator) or run.interrupted(), self._dispatcher.handle, until)
        camera.before_change(simulator)
        return self._bus.clock.worked

    def emit_standing(self) -> None:
        """Emits what holds now, with the progress towards the present goal."""
        if self._simulator_handle is not None:
            run = self._run
            self._bus.emit(Standing(run.goal, run.planner.parameters, run.banned, self.world.seen,
                                    self.progress()))

    # --- going back --------------------------------------------------------
    def _turn_start(self) -> TurnStart:
        """Returns the present moment as a point that the run can return to."""
        run = self._run
        return TurnStart(self._bus.turn, run.planner, run.goal, self.world, self._actions, self._goal_watch.record,
                         run.banned, self._bus.known, self._requests.given, mind=self._companion.mind,
                         changes=self._changes)

    def _leaving_point(self) -> TurnStart:
        """Returns the point where the present branch is left: after its end, or in a turn without an executed action."""
        if self._ended is not None:
            return self._turn_start()
        run, start = self._run, self._history.branch.turns[-1]
        record = self._goal_watch.record if run.goal is self._watched_goal else UNKNOWN
        return replace(start, planner=run.planner, goal=run.goal, record=record, banned=run.banned,
                       known=self._bus.known, given=self._requests.given, replies={},
                       mind=self._companion.mind_after(start))

    def _go_back(self, jump: Jump) -> None:
        """Restores simulator, planner and random state of another moment. Known model requests get their remembered replies."""
        self._script.forget()
        left = self._leaving_point()
        self._history.leave(left, self._ended)
        parent = self._history.current
        start = jump.take(self._history, self._bus, left)
        self._bus.branch, self._bus.turn = self._history.current, start.turn
        self._ended, pauses = self._history.branch.ended, self._run.pause_control
        (pauses.begin if self._ended is None else pauses.end)()
        self._run.restore(start)
        if jump.resample:
            self._run.planner.reseed(self._history.branch.fresh)
        self._companion.restore(start.mind, self._history.branch.fresh if jump.resample else None)
        self._goal_watch, self._watched_goal = GoalWatch(start.goal, start.record), start.goal
        self._actions, self._changes = start.actions, start.changes
        self._handle.leave_for(start)
        self.emit_standing()
        for facet, moment in start.known.values():
            self._bus.emit(Shown(facet, moment))
        self._await_pictures()
        self._handle.persist(lambda simulator: None, start)
        if jump.then is not None and (reason := self._change_before_turn(jump.then)):
            self._bus.emit(events.CommandTaken(jump.then, False, reason))
            self._go_back(Jump(parent))  # a fork in which nothing is different is of no use
        if self._ended is not None:
            self._take_pictures()

    def _change_before_turn(self, command: Command) -> str:
        """Executes a command before a turn begins. Returns why it is refused, or ""."""
        self._is_between_turns = True
        try:
            return self._run.attempt(command)
        finally:
            self._is_between_turns = False

    def check_change(self, change: WorldChange, turn: int | None, branch: int | None) -> None:
        """Tries a change of the world in another turn, if the simulator can go there and back at once."""
        simulator = self._simulator
        if not simulator.changes:
            simulator.change(change)  # it says why not
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
        name = self._simulator.title or self._simulator.name
        why = f"{name} can go back only by replaying: rewind to this turn first" if there is None else (
            "" if changes else f"{name} can change nothing about it")
        start = self._history.start_of(self._history.branch.turns[-1].turn if turn is None else turn, branch)
        of = Moment(self._history.current if branch is None else branch, start.turn)
        self._bus.emit(events.ChangesListed(thing, of, changes, why))

    @contextmanager
    def _at_start_of(self, turn: int | None, branch: int | None) -> Iterator[Simulator | None]:
        """Context in which the simulator is in the state at the beginning of a turn; None if it cannot go there at once.

        Raises:
            UsageError: there is no such turn, or the simulator cannot be asked now.
            SimulatorError: it has stopped.
        """
        history, now = self._history, self.world.saved
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

    def change_world(self, change: WorldChange) -> None:
        """Changes the simulator's world before a turn begins, and keeps that as the beginning of the turn."""
        if not self._is_between_turns:
            raise UsageError("the world is changed only in a fork: fork a turn with this change")
        start = self._turn_start()
        self._history.add_start(start)  # the branch may be left before the change is made
        self._await_pictures()
        if (refusal := self._handle.persist(lambda simulator: _refusal(simulator, change), start)) is not None:
            raise refusal
        self._changes = (*self._changes, (len(self._actions), change))
        self.progress()  # the record of the goal includes the changed world
        self._history.add_start(self._turn_start())

    def progress(self) -> tuple[LiteralProgress, ...]:
        """Returns the progress towards the present goal. It needs no simulator: also one that is down has a known state."""
        if self._simulator_handle is None:
            return ()
        if self._run.goal is not self._watched_goal:  # a new goal: its record of achieved literals begins now
            self._goal_watch, self._watched_goal = GoalWatch(self._run.goal), self._run.goal
        world = self.world.revealed
        return progress(self._run.goal, world, self._goal_watch.see(world))


def _refusal(simulator: Simulator, change: WorldChange) -> UsageError | None:
    """Changes the world. Returns why it is impossible; then nothing has changed."""
    try:
        simulator.change(change)
    except UsageError as refused:
        return refused
    return None
