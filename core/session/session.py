"""One run of a planner in a simulator: plays turn after turn, and executes commands at every yield and during every wait."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from core.planning.facets import Facet
from core.planning.model_requests import ModelReply, ModelRequest
from core.planning.planner import WhatIf
from core.session.camera import Camera
from core.session.command import Command
from core.session.companion import Companion
from core.session.dispatch import AnswerListener, Dispatcher, Previews
from core.session.engine import REACHED, USED_UP, play
from core.session.event_bus import EventBus, Follower, Listener
from core.session.events import Acted, CommandTaken, Ended, Failed, Recovered, Shown, TurnBegan
from core.session.history import History, TurnStart
from core.session.inbox import Inbox, Noted
from core.session.interrupts import Jump, Stopped
from core.session.operated import OperatedHost
from core.session.run import Run
from core.session.search_code import SearchCode
from core.session.setup import Script, Setup
from core.session.world import World
from core.world.vocabulary import Outcome

if TYPE_CHECKING:
    from core.session.snapshot import Snapshot

ENDED = "the run ended before this could be done: go back to a turn first"


class Session:
    """Drives one planner and one simulator through an episode. `run` is synchronous: it uses the thread of its caller.

    Other threads use `post`, `subscribe` and the few methods that say they are safe from any thread. The session starts threads
    only to wait for replies, for slow simulators and for pictures; all of them end with the session.

    Attributes:
        setup: what is run.
        partials: the parts of replies that have arrived so far. Safe from any thread.
        world: the world of the run, for the session's thread.
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
        self._run = run = Run(setup, self._inbox, self._bus, self._history)
        self._requests = run.requests
        self.partials = run.requests.partials
        self._camera = Camera(self._inbox)
        self._previews = Previews(self._inbox, run)
        self._dispatcher = Dispatcher(self._inbox, self._bus, run, self._camera, self._previews)
        self.world = World(setup, self._inbox, self._bus, self._history, run, self._dispatcher, self._camera)
        self._companion = Companion(setup, self._inbox, self._bus, run, self._history, self._dispatcher,
                                    lambda: self.world.revealed)
        run.join(self.world, self._companion)
        self._search_code = SearchCode(self._bus)
        self._script = Script(setup.script)
        """What is left of a recorded past."""
        self._host = host = OperatedHost(self.world, run, self._bus, self._dispatcher, self._companion, self._script)
        run.pause_control.checker.silent = lambda: bool(self._script) or host.replays
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

        Subscribe before `run` to receive all events.
        """
        self._bus.subscribe(listener)

    def follow(self, follower: Follower) -> None:
        """Passes every event to `follower` with the snapshot after it, on the session's thread: see `subscribe`.

        A recorder follows before all others.
        """
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

    @property
    def preparing(self) -> str:
        """What goes on beside the run, such as `compiling the search: 1 of 3 parts, about 6 s left`; or empty. Any thread.

        Nothing waits for it. No event reports it, because it concerns this machine and not the run.
        """
        return self._search_code.words

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
                        self.world.finish_pictures(over)
                        return ended
                    self._wait_after_end(ended)
                    self._run.raise_interrupt()
                    self._ended = None  # the operator allowed more steps, so the branch goes on
                except Jump as interrupt:
                    jump = interrupt
        except Stopped as stopped:
            self._requests.cancel_aside("the run was stopped before it was answered")
            ended = self._ended or self._end(str(stopped), stopped=True)
            self.world.finish_pictures(over)
            return ended
        finally:
            self.close()

    def close(self) -> None:
        """Ends everything the session started. May be called twice."""
        self._requests.close()
        self.world.close()
        self.setup.close_unused()
        for model in self.setup.all_models:
            model.close()
        self._bus.deliver(wait=True)

    # --- turns -------------------------------------------------------------
    def _begin(self) -> None:
        setup = self.setup
        if setup.planner.searches or (setup.beside is not None and setup.beside.planner.searches):
            self._search_code.prepare()
        world = self.world
        world.open()
        setup.planner.begin(setup.goal, world.simulator.schemas, setup.seed_of_planner)
        world.guide(setup.planner)
        self._companion.begin(world.simulator.schemas, world.guide)
        self._bus.emit(setup.began(world.simulator.name))
        self._requests.note(setup.calls)

    def _wait_after_end(self, ended: Ended) -> None:
        """Waits after the end until a command interrupts it or allows more steps."""
        with self._bus.clock.resting("end"):
            self._inbox.until(lambda: self._run.interrupted() or self._has_more_steps(ended), self._dispatcher.handle)

    def _end(self, reason: str, *, stopped: bool = False) -> Ended:
        """Ends the present branch and emits its `Ended`, once. The simulator decides whether the goal is reached."""
        self._run.pause_control.end()
        report = self.world.progress()
        reached = reason == REACHED or (bool(report) and all(p.reached for p in report))
        self._ended = ended = Ended(reached, REACHED if reached else reason, report)
        if not stopped:  # a stopped run may have lost its simulator
            self.world.take_pictures()
        self._bus.emit(ended)
        return ended

    def _has_more_steps(self, ended: Ended) -> bool:
        """Returns True if the branch ended because its steps were used up and the operator has allowed more since."""
        return ended.reason == USED_UP and self._run.most_steps > len(self.world.actions)

    def _play(self) -> str:
        """Plays turns of one action each until the episode is over. Returns the reason why it is over."""
        self._run.pause_control.begin()
        reason = self._play_turns()
        if reason in (REACHED, USED_UP):
            if not self.world.actions:  # the goal holds at the start: there is a scene to see and to record all the same
                self._begin_turn(TurnBegan(self.world.seen, self.world.progress()))
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
                self._search_code.report()
            else:
                self._bus.emit(what)
            if isinstance(what, Acted):
                self._after_action(what.outcome)

    def _show_last_look(self) -> None:
        """Shows what the planner knows after the last action. No further turn follows in which it would observe the result.

        A copy of the planner observes, so that a run that goes on from here is not affected.
        """
        if not self.world.actions:
            return
        self._run.pause_control.after_last_action()
        planner = copy.deepcopy(self._run.planner)
        try:
            for facet in planner.last_look(self.world.observed):
                self._bus.emit(Shown(facet))
        except Exception as error:  # noqa: BLE001 - a planner's bug must not lose the episode
            message = f"{planner.name} broke after the last action: {error}"
            self._bus.emit(Failed("planner", type(error).__name__, message, waits=False))

    def _begin_turn(self, begins: TurnBegan) -> None:
        self._bus.turn += 1
        self._history.add_start(self._run.turn_start())
        self._host.replays = False
        self._bus.emit(begins)
        self.world.take_pictures()

    def _after_action(self, outcome: Outcome) -> None:
        if self._host.replays and (difference := self._script.check_outcome(outcome)):
            self._bus.emit(Failed("simulator", "differs", difference, waits=False))
        self._run.pause_control.after_action()

    # --- going back --------------------------------------------------------
    def _leaving_point(self) -> TurnStart:
        """Returns the point where the present branch is left: after its end, or in a turn without an executed action."""
        if self._ended is not None:
            return self._run.turn_start()
        run, start = self._run, self._history.branch.turns[-1]
        return replace(start, planner=run.planner, goal=run.goal, record=self.world.record, banned=run.banned,
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
        self.world.leave_for(start)
        self._run.emit_standing()
        for facet, moment in start.known.values():
            self._bus.emit(Shown(facet, moment))
        self.world.bring(start)
        if jump.then is not None and (reason := self._run.attempt_before_turn(jump.then)):
            self._bus.emit(CommandTaken(jump.then, False, reason))
            self._go_back(Jump(parent))  # a fork in which nothing is different is of no use
        if self._ended is not None:
            self.world.take_pictures()
