"""The run itself: turn by turn, obeying at every yield and while it waits."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

from core.common.errors import SimulatorError
from core.common.shared_list import SharedList
from core.goals.achieved import GoalWatch
from core.goals.literals import LiteralProgress, progress
from core.llm.budget import Limits, Price
from core.llm.waiter import Partial
from core.planning.facets import View
from core.planning.planner import Decision, Thought
from core.planning.what_if import WhatIf
from core.search.compilation.preparation import Preparation
from core.session import events
from core.session.action import act
from core.session.camera import Camera, Taken
from core.session.command_handler import CommandHandler
from core.session.commands import Command, Edit, Look, Override, SetLimits
from core.session.decision import DecisionMaker
from core.session.dispatch import Dispatcher
from core.session.edit_replay import edited_again, glanced
from core.session.event_bus import EventBus, Listener
from core.session.events import Acted, Began, Decided, Ended, Failed, Recovered, Standing, TurnBegan
from core.session.history import History, TurnStart
from core.session.inbox import Done, Inbox
from core.session.interrupts import Jump, Overridden, Stopped
from core.session.previews import Hear, Previews
from core.session.requests import PendingRequests
from core.session.script import Script
from core.session.setup import Setup
from core.session.simulator_handle import SimulatorHandle
from core.session.work_clock import Stopwatch
from core.simulator.action_options import options
from core.simulator.base import Simulator
from core.world.vocabulary import Action, AgentState, Observation, Verdict

USED_UP, REACHED = "steps used up", "goal reached"
MOST_MISSED = 100
"""Past turns whose pictures are still taken when a recording begins: a few milliseconds each."""


class Session:
    """Synchronous: whoever calls `run` lends it the thread. `post` and `subscribe` are all that others use.

    It starts threads only to wait for replies, for slow simulators and for pictures; all end with it.
    """

    def __init__(self, setup: Setup):
        self.setup = setup
        self._bus, self._history = EventBus(), History()
        self._inbox = Inbox(lambda waits: self._bus.hand_on(wait=waits))
        self._handler = CommandHandler(setup, self._bus, self._history)
        self._requests = PendingRequests(self._inbox, self._bus, self._history, self._handler)
        self._camera = Camera(self._inbox)
        self._previews = Previews(self._inbox, self._handler, self._observed)
        self._dispatcher = Dispatcher(self._inbox, self._bus, self._handler, self._requests, self, self._camera, self._previews)
        self._choosing = DecisionMaker(self._handler, self._bus, self._requests, self._dispatcher, self._thought)
        self._world: SimulatorHandle | None = None
        self._search = Preparation(lambda: self._inbox.put(Done())) if setup.planner.searches else None
        self._still = True
        """False while the world changes: no picture can be taken of it then."""
        self._actions: SharedList[Action] = SharedList()
        self._script = Script(setup.script)
        self._handler.pause_control.breakpoints.silent = lambda: bool(self._script)
        self._past, self._past_of = GoalWatch(), setup.goal
        self._ended: Ended | None = None
        """The end of the present branch, once it has one."""
        self._seen, self._report = Observation(AgentState(""), (), ()), tuple[LiteralProgress, ...]()
        """The last observation and goal progress that were emitted."""
        self._between = False
        """The world is on its way to another moment: what holds there is known, but cannot be asked of the world."""

    # --- for others --------------------------------------------------------
    def post(self, command: Command) -> None:
        """Say something to the run; safe from any thread, obeyed at the next yield or wait."""
        self._inbox.put(command)

    def subscribe(self, listener: Listener) -> None:
        """Hear every event, on the session's thread. Subscribe before `run` to hear all, and a recorder before all others."""
        self._bus.subscribe(listener)

    def wonder(self, question: WhatIf | None) -> None:
        """Ask what would be planned if something stood otherwise; safe from any thread. It is no part of the run.

        The newest question is answered while the run is paused within a turn; None: none is asked any more.
        """
        self._previews.ask(question)

    def subscribe_answers(self, hear: Hear) -> None:
        """Hear answers to what-if questions, on the session's thread."""
        self._previews.subscribe(hear)

    def report(self, what: Failed | Recovered) -> None:
        """Say what a listener met with (a full disk); safe from any thread. What waits for the operator pauses the run."""
        self._inbox.put(what)

    def partial(self, call: int) -> Partial | None:
        """What came so far of the reply to a waiting question; from any thread."""
        return self._requests.partials.of(call)

    def price(self, source: str) -> Price | None:
        """What a million tokens of an answerer cost, where prices are known; from any thread."""
        return None if self.setup.budget is None else self.setup.budget.price(source)

    @property
    def preparing(self) -> str:
        """What the first search waits for, such as `compiling the search, once: 6 of about 15 s`; from any thread.

        No event tells it: it is about this machine, not about the run.
        """
        search = self._search
        return "" if search is None else search.words

    @property
    def pictures_left(self) -> int:
        """How many pictures were asked for and are not drawn yet; from any thread."""
        return self._camera.owed

    def hurry(self, seconds: float) -> None:
        """Spend at most so many seconds on pictures once the run is over; safe from any thread."""
        self._camera.hurry(time.monotonic() + seconds)

    def run(self, *, linger: bool = False, over: Callable[[], None] = lambda: None) -> Ended:
        """Play until the goal is reached, the steps are used up, the planner gives up, or the operator stops.

        With `linger` the session then stays open for rewinding, until it is stopped. That does not change how it ended.
        `over` is called when only pictures that its recording lacks are left to draw; another session may begin then.

        Returns:
            The end of the branch that is present when it stops.

        Raises:
            BelvedereError: the simulator cannot be opened at all.
        """
        try:
            self._begin()
            while True:
                try:
                    ended = self._ended or self._end(self._play())
                    self._handler.refuse_override()
                    if not linger:
                        self._develop(over)
                        return ended
                    self._linger(ended)
                    self._handler.raise_interrupt()
                    self._ended = None  # more steps are allowed: the branch goes on
                except Jump as jump:
                    self._go_back(jump)
        except Stopped as stopped:
            self._requests.leave_aside("the run was stopped before it was answered")
            ended = self._ended or self._end(str(stopped), stopped=True)
            self._develop(over)
            return ended
        finally:
            self.close()

    def close(self) -> None:
        """End everything the session started. May be called twice."""
        self._requests.close()
        self._camera.close()
        if self._search is not None:
            self._search.close()
        if self._world is not None:
            self._world.close()
        self.setup.let_go()
        for model in self.setup.models.values():
            model.close()
        self._bus.hand_on(wait=True)

    # --- turns -------------------------------------------------------------
    @property
    def _simulator(self) -> Simulator:
        assert self._world is not None, "opened by _begin"
        return self._world.simulator

    def _begin(self) -> None:
        setup = self.setup
        if self._search is not None:
            self._search.start()
        self._world = SimulatorHandle(setup.make_world, setup.seed, self._inbox, self._dispatcher.handle,
                                      self._handler.raise_if_stopped)
        setup.planner.begin(setup.goal, self._simulator.schemas, setup.seed)
        if setup.planner.omniscient:
            setup.planner.guide(self._world.do(lambda: self._simulator.expert(setup.goal)))
        name, limits = setup.names.get, Limits() if setup.budget is None else setup.budget.limits
        provider = name("provider") or next(iter(setup.models), "none")
        self._bus.tell(Began(name("planner", setup.planner.name), name("simulator", self._simulator.name), name("scene", ""),
                               provider, setup.seed, setup.goal, setup.planner.parameters, setup.most_steps, setup.versions,
                               SetLimits(limits.calls, limits.tokens, limits.cost)))

    def _linger(self, ended: Ended) -> None:
        """Wait after the end until the operator wants something."""
        with self._bus.clock.resting("end"):
            self._inbox.until(lambda: self._handler.interrupted() or self._may_go_on(ended), self._dispatcher.handle)

    def _end(self, reason: str, *, stopped: bool = False) -> Ended:
        """The present branch is over: tell its end, once. Whether the goal is reached is asked of the world."""
        self._handler.pause_control.over()
        report = self._known_progress()
        reached = reason == REACHED or (bool(report) and all(p.reached for p in report))
        self._ended = ended = Ended(reached, REACHED if reached else reason, report)
        if not stopped:  # a run that is stopped may have lost its simulator
            self._aim()
        self._bus.tell(ended)
        return ended

    def _may_go_on(self, ended: Ended) -> bool:
        """Whether the operator allowed more steps after they were used up."""
        return ended.reason == USED_UP and self._handler.most_steps > len(self._actions)

    def _play(self) -> str:
        """Turns until the end, each of which does one action; why it is over."""
        self._handler.pause_control.begin()
        while True:
            self._bus.turn = len(self._actions)
            report = self._progress()
            reached, used_up = all(p.reached for p in report), len(self._actions) >= self._handler.most_steps
            if reached or used_up:
                self._look_back()
                return REACHED if reached else USED_UP
            self._bus.turn += 1
            gave_up = self._turn(report)
            if gave_up is not None:
                return gave_up

    def _look_back(self) -> None:
        """Show what the planner knows after the last action: no turn follows in which it would see what came of it.

        A copy looks, so that a run that goes on from here goes on as if nobody had looked.
        """
        if not self._actions:
            return
        planner, simulator = copy.deepcopy(self._handler.planner), self._simulator
        try:
            for facet in planner.last_look(simulator.reveal() if planner.omniscient else simulator.observe()):
                self._handler.shown_facets.show(facet)
        except Exception as error:  # noqa: BLE001 - a planner's bug must not lose the episode
            message = f"{planner.name} broke after the last action: {error}"
            self._bus.tell(Failed("planner", type(error).__name__, message, waits=False))

    def _turn(self, report: tuple[LiteralProgress, ...]) -> str | None:
        """One turn; why the planner gives up, if it does."""
        handler, turn = self._handler, self._bus.turn
        seen = self._seen = self._simulator.observe()
        self._report = report
        self._history.remember(self._now(turn, seen, report))
        self._bus.tell(TurnBegan(seen, report))
        self._aim()
        clocks = Stopwatch(self._bus.clock), Stopwatch(self._bus.clock)
        handler.at_turn(turn)
        self._await_search()
        scripted = self._scripted()
        decision, by, told = scripted or self._choosing.decide(clocks)
        if decision.action is None:
            return decision.because or "the planner sees nothing left to do"
        assert self._world is not None, "opened by _begin"
        with self._changing():
            start, wait_after = self._history.start_of(turn), self._dispatcher.wait_after
            outcome, acting = act(decision.action, self._world, start, self._bus, wait_after)
        outcome = self._camera.trace(self._simulator, seen, outcome)
        self._seen = outcome.observation
        self._actions = self._actions.plus(decision.action)
        if told:
            handler.planner.update(outcome)
        self._bus.tell(Acted(outcome, by, clocks[0].total, clocks[1].total, acting))
        if scripted is not None and (odd := self._script.hear(outcome)):
            self._bus.tell(Failed("simulator", "differs", odd, waits=False))
        handler.pause_control.after_action()
        return None

    def _await_search(self) -> None:
        """Obey until the search is ready, or the operator wants something else than the planner's thought."""
        search = self._search
        if search is None:
            return
        self._inbox.until(lambda: search.is_over or self._handler.interrupted(), self._dispatcher.handle)
        if search.is_over:
            self._search = None
            if search.note:
                self._bus.tell(Failed("planner", "slower", search.note, waits=False))

    def _scripted(self) -> tuple[Decision, events.Who, bool] | None:
        """What the script says of this turn; what arrives meanwhile is taken, but nothing is waited for."""
        if not self._script:
            return None
        self._dispatcher.take_all()
        self._handler.raise_if_stopped()
        step = self._script.next()
        if step.action is not None:
            glanced(self._thought, self._handler, self._bus)
        try:
            for command in step.commands:
                self._say_again(command)
        except Overridden as overridden:
            self._script.forget()
            return self._choosing.overruled(overridden.command)
        if step.action is None:
            return None
        self._bus.tell(Decided(step.action, step.by, step.because, step.instead_of))
        return Decision(step.action, step.because), step.by, step.told

    def _say_again(self, command: Command) -> None:
        """Obey a command of the past; an edit once the planner shows what it changes."""
        handler = self._handler
        if isinstance(command, Edit) and type(command.facet) in handler.planner.edits and edited_again(
                command, self._thought, handler, self._bus, lambda asks: self._requests.fetch(asks, self._dispatcher.handle),
                lambda: handler.attempt(command, self, self._requests)):
            return
        handler.obey(command, self, self._requests)

    def _thought(self) -> Thought:
        """The planner's thought about the present moment, not begun yet."""
        planner, simulator = self._handler.planner, self._simulator
        return planner.plan(simulator.reveal() if planner.omniscient else simulator.observe())

    def _observed(self) -> Observation:
        """What the planner sees in the turn under way."""
        return self._simulator.reveal() if self._handler.planner.omniscient else self._seen

    # --- what the desk needs of a session ----------------------------------
    def verdict(self, override: Override) -> str:
        """Why an override is not admissible now; empty when it is."""
        verdict = self._simulator.verdict(override.action)
        return "" if verdict.ok else verdict.reason

    def options(self, thing: str) -> tuple[tuple[Action, Verdict], ...]:
        """What could be done now, with verdicts."""
        return options(self._simulator, thing)

    def look(self, look: Look) -> None:
        """Other views from now on, and at once."""
        self._camera.look(look)
        self._aim()

    def keep_pictures(self, views: tuple[View, ...]) -> None:
        """Draw these views of every turn from now on; of past turns too, where the world can go back to them."""
        self._camera.keeping = views
        self._catch_up()
        self._aim()

    # --- pictures ----------------------------------------------------------
    def _aim(self) -> None:
        """Take pictures of the present state, tagged with its turn."""
        if self._can_be_pictured:
            self._camera.aim(self._simulator, self._present())

    @property
    def _can_be_pictured(self) -> bool:
        """Whether the world stands still, in the state of the present turn."""
        return self._world is not None and self._still and not self._between

    def _present(self) -> Taken:
        """What a picture of the present shows."""
        turn, acted, branch = self._bus.turn, len(self._actions), self._bus.branch
        return Taken(turn, "after", branch) if acted and turn == acted else Taken(max(1, turn), "before", branch)

    def _catch_up(self) -> None:
        """Take shots of past turns that were not asked for while they were played: a recording may be switched on late."""
        if not self._can_be_pictured:
            return
        camera, simulator = self._camera, self._simulator
        if not camera.keeping or simulator.slow or not (simulator.restores and simulator.keeps_shots):
            return
        played = ((Taken(start.turn, "before", number), start.world) for number, start in self._history.played())
        missed = [(taken, world) for taken, world in played if taken != self._present() and camera.lacks(taken)][-MOST_MISSED:]
        now = simulator.save() if missed else ""
        try:
            for taken, saved in missed:
                simulator.restore(saved)
                camera.catch_up(simulator, taken)
        finally:
            if missed:
                simulator.restore(now)

    def _develop(self, over: Callable[[], None]) -> None:
        """Draw the pictures that the recording still lacks."""
        self._bus.clock.stop()
        if self._camera.keeping and self._camera.owed and self._world is not None and not self._simulator.slow:
            over()
        self._camera.develop(self._dispatcher.handle)

    @contextmanager
    def _changing(self) -> Iterator[None]:
        """The world changes within. A recorded run waits before that for pictures that could not be drawn afterwards."""
        camera, simulator, handler = self._camera, self._simulator, self._handler
        until = time.monotonic() + simulator.patience
        self._inbox.until(lambda: not camera.is_crowded(simulator) or handler.interrupted(), self._dispatcher.handle, until)
        camera.moved(simulator)
        self._still = False
        try:
            yield
        finally:
            self._still = True

    def tell_standing(self) -> None:
        """What holds now, and how far another goal is reached already."""
        if self._world is not None:
            self._tell_standing(self._seen, self._known_progress())

    def _tell_standing(self, seen: Observation, report: tuple[LiteralProgress, ...]) -> None:
        handler, self._seen, self._report = self._handler, seen, report
        self._bus.tell(Standing(handler.goal, handler.planner.parameters, handler.banned, seen, report))

    # --- going back --------------------------------------------------------
    def _now(self, turn: int, seen: Observation, report: tuple[LiteralProgress, ...]) -> TurnStart:
        """The present moment as one to come back to."""
        handler = self._handler
        return TurnStart(turn, handler.planner, handler.goal, self._simulator.save(), self._actions, self._past.record, seen,
                         report, handler.banned, handler.shown_facets.known)

    def _left(self) -> TurnStart:
        """Where the present branch is left: after its end, or in a turn in which nothing is done yet."""
        if self._ended is not None:
            return self._now(self._bus.turn, self._seen, self._ended.progress)
        handler, start = self._handler, self._history.branch.turns[-1]
        record = self._past.record if handler.goal is self._past_of else GoalWatch().record
        return replace(start, planner=handler.planner, goal=handler.goal, record=record, seen=self._seen, progress=self._report,
                       banned=handler.banned, known=handler.shown_facets.known, met={})

    def _go_back(self, jump: Jump) -> None:
        """Simulator, planner and random state of another moment; replies come from memory."""
        assert self._world is not None, "opened by _begin"
        self._script.forget()
        left = self._left()
        self._history.leave(left, self._ended)
        start = jump.take(self._history, self._bus, left)
        self._bus.branch, self._bus.turn = self._history.current, start.turn
        self._ended = self._history.branch.ended
        self._handler.take_up(start)
        if jump.resample:
            self._handler.planner.reseed(self._history.branch.fresh)
        self._past, self._past_of = GoalWatch(start.record), start.goal
        self._actions = start.actions
        self._between = True
        self._tell_standing(start.seen, start.progress)
        self._handler.shown_facets.recall(start.known)
        with self._changing():
            self._world.go_back(start.world, start.actions)
        self._between = False
        if self._ended is not None:
            self._handler.pause_control.over()
            self._aim()

    def _known_progress(self) -> tuple[LiteralProgress, ...]:
        """The goal progress; the last that was emitted if the simulator cannot answer."""
        if self._world is None or self._between:
            return self._report
        try:
            return self._progress()
        except SimulatorError:  # it died, and waits to be brought back
            return self._report

    def _progress(self) -> tuple[LiteralProgress, ...]:
        if self._handler.goal is not self._past_of:  # a new goal: what it says of the past begins now
            self._past, self._past_of = GoalWatch(), self._handler.goal
        world = self._simulator.reveal()
        return progress(self._handler.goal, world, self._past.see(world))
