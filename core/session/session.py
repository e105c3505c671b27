"""The run itself: turn by turn, obeying at every yield and while it waits."""

from __future__ import annotations

import contextlib
import copy
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from core import events
from core.commands import Command, Edit, Look, Override, SetLimits
from core.errors import SimulatorError
from core.events import Acted, Began, Decided, Ended, Failed, Recovered, Shown, TurnBegan
from core.facets import Facet
from core.goal_record import GoalWatch
from core.goals import Goal, LiteralProgress, progress
from core.language.budget import Budget, Limits
from core.language.model import LanguageModel
from core.log import Log
from core.options import options
from core.planner import Decision, Planner, Sent, Thought
from core.session.camera import Camera
from core.session.desk import Desk, Interrupt, Jump, Overridden, Stopped
from core.session.history import History
from core.session.inbox import Arrived, Drawn, Inbox, Item
from core.session.questions import Questions
from core.session.rethinking import edited_again, glanced
from core.session.script import Script, Scripted
from core.session.voice import Clock, Listener, Voice
from core.session.world import World
from core.simulator import Simulator
from core.world import Action, Outcome, Verdict

MOST_BANNED_CHOICES = 3
USED_UP = "steps used up"


@dataclass(frozen=True, slots=True)
class Setup:
    """What a session is made of.

    Attributes:
        make_world: opens the simulator, and opens it again when it died.
        models: the providers the operator may choose from; the first answers at the start. Empty for planners that ask nothing.
        names: what recordings call the planner, simulator, scene and provider.
        budget: stands behind the models; its limits can be changed while the run goes on.
        script: turns that are known beforehand.
    """

    planner: Planner
    make_world: Callable[[], Simulator]
    goal: Goal
    seed: int = 0
    most_steps: int = 30
    models: Mapping[str, LanguageModel] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)
    versions: tuple[tuple[str, str], ...] = ()
    budget: Budget | None = None
    script: tuple[Scripted, ...] = ()


class Session:
    """Synchronous: whoever calls `run` lends it the thread. `post` and `subscribe` are all that others use.

    It starts threads only to wait for replies, for slow simulators and for pictures; all end with it.
    """

    def __init__(self, setup: Setup):
        self.setup = setup
        self._voice, self._history = Voice(), History()
        self._inbox = Inbox(lambda waits: self._voice.hand_on(wait=waits))
        self._desk = Desk(setup, self._voice, self._history)
        self._questions, self._camera = Questions(self._inbox, self._voice, self._history, self._desk), Camera(self._inbox)
        self._world: World | None = None
        self._actions: Log[Action] = Log()
        self._script = Script(setup.script)
        self._past, self._past_of = GoalWatch(), setup.goal

    # --- for others --------------------------------------------------------
    def post(self, command: Command) -> None:
        """Say something to the run; safe from any thread, obeyed at the next yield or wait."""
        self._inbox.put(command)

    def subscribe(self, listener: Listener) -> None:
        """Hear every event, on the session's thread. Subscribe before `run` to hear all, and a recorder before all others."""
        self._voice.subscribe(listener)

    def report(self, what: Failed | Recovered) -> None:
        """Say what a listener met with (a full disk); safe from any thread. What waits for the operator pauses the run."""
        self._inbox.put(what)

    def run(self, *, linger: bool = False) -> Ended:
        """Play until the goal is reached, the steps are used up, the planner gives up, or the operator stops.

        With `linger` the session then stays open for rewinding, until it is stopped.

        Raises:
            BelvedereError: the simulator cannot be opened at all.
        """
        try:
            self._begin()
            while True:
                try:
                    ended = self._play()
                    self._desk.playing = False
                    if linger:  # else nobody would hear of the pictures
                        self._camera.aim(self._simulator)
                    self._voice.tell(ended)
                    if not linger:
                        return ended
                    self._linger(ended)
                    self._desk.raise_interrupt()
                except Jump as jump:
                    self._go_back(jump)
        except Stopped:
            self._questions.leave_aside("the run was stopped before it was answered")
            ended = Ended(False, "stopped by the operator", self._progress())
            self._voice.tell(ended)
            return ended
        finally:
            self.close()

    def close(self) -> None:
        """End everything the session started. May be called twice."""
        self._questions.close()
        self._camera.close()
        if self._world is not None:
            self._world.close()
        for model in self.setup.models.values():
            model.close()
        self._voice.hand_on(wait=True)

    # --- turns -------------------------------------------------------------
    @property
    def _simulator(self) -> Simulator:
        assert self._world is not None, "opened by _begin"
        return self._world.simulator

    def _begin(self) -> None:
        setup = self.setup
        self._world = World(setup.make_world, setup.seed, self._inbox, self._handle, self._desk.raise_if_stopped)
        setup.planner.begin(setup.goal, self._simulator.schemas, setup.seed)
        if setup.planner.omniscient:
            setup.planner.guide(self._world.do(lambda: self._simulator.expert(setup.goal)))
        name, limits = setup.names.get, Limits() if setup.budget is None else setup.budget.limits
        provider = name("provider") or next(iter(setup.models), "none")
        self._voice.tell(Began(name("planner", setup.planner.name), name("simulator", self._simulator.name), name("scene", ""),
                               provider, setup.seed, setup.goal, setup.planner.parameters, setup.most_steps, setup.versions,
                               SetLimits(limits.calls, limits.tokens, limits.cost)))

    def _linger(self, ended: Ended) -> None:
        """Wait after the end until the operator wants something."""
        self._inbox.until(lambda: self._desk.interrupted() or self._may_go_on(ended), self._handle)

    def _may_go_on(self, ended: Ended) -> bool:
        """Whether the operator allowed more steps after they were used up."""
        return ended.reason == USED_UP and self._desk.most_steps > len(self._actions)

    def _play(self) -> Ended:
        """Turns until the end; each does one action."""
        self._desk.playing = True
        while True:
            self._voice.turn = len(self._actions)
            report = self._progress()
            reached, used_up = all(p.reached for p in report), len(self._actions) >= self._desk.most_steps
            if reached or used_up:
                self._look_back()
                return Ended(reached, "goal reached" if reached else USED_UP, report)
            self._voice.turn += 1
            gave_up = self._turn(report)
            if gave_up is not None:
                return Ended(False, gave_up, self._progress())

    def _look_back(self) -> None:
        """Show what the planner knows after the last action: no turn follows in which it would see what came of it.

        A copy looks, so that a run that goes on from here goes on as if nobody had looked.
        """
        if not self._actions:
            return
        planner, simulator = copy.deepcopy(self._desk.planner), self._simulator
        try:
            for facet in planner.last_look(simulator.reveal() if planner.omniscient else simulator.observe()):
                self._voice.tell(Shown(facet))
        except Exception as error:  # noqa: BLE001 - a planner's bug must not lose the episode
            message = f"{planner.name} broke after the last action: {error}"
            self._voice.tell(Failed("planner", type(error).__name__, message, waits=False))

    def _turn(self, report: tuple[LiteralProgress, ...]) -> str | None:
        """One turn; why the planner gives up, if it does."""
        desk, turn = self._desk, self._voice.turn
        self._history.remember(turn, desk.planner, desk.goal, self._simulator.save(), self._actions,
                               self._past.record)
        seen = self._simulator.observe()
        self._voice.tell(TurnBegan(seen, report))
        self._camera.aim(self._simulator)
        clocks = Clock(), Clock()
        desk.at_turn(turn)
        scripted = self._scripted()
        decision, by, told = scripted or self._decide(clocks)
        if decision.action is None:
            return decision.because or "the planner sees nothing left to do"
        outcome, acting = self._act(decision.action)
        outcome = self._camera.trace(self._simulator, seen, outcome)
        self._actions = self._actions.plus(decision.action)
        if told:
            desk.planner.update(outcome)
        self._voice.tell(Acted(outcome, by, clocks[0].total, clocks[1].total, acting))
        if scripted is not None and (odd := self._script.hear(outcome)):
            self._voice.tell(Failed("simulator", "differs", odd, waits=False))
        desk.after_action()
        return None

    def _scripted(self) -> tuple[Decision, events.Who, bool] | None:
        """What the script says of this turn; what arrives meanwhile is taken, but nothing is waited for."""
        if not self._script:
            return None
        while (item := self._inbox.take(0)) is not None:
            self._handle(item)
        self._desk.raise_if_stopped()
        step = self._script.next()
        if step.action is not None:
            glanced(self._thought, self._desk, self._voice)
        try:
            for command in step.commands:
                self._say_again(command)
        except Overridden as overridden:
            self._script.forget()
            return self._overruled(overridden.command)
        if step.action is None:
            return None
        self._voice.tell(Decided(step.action, step.by, step.because, step.instead_of))
        return Decision(step.action, step.because), step.by, step.told

    def _say_again(self, command: Command) -> None:
        """Obey a command of the past; an edit once the planner shows what it changes."""
        desk = self._desk
        if isinstance(command, Edit) and type(command.facet) in desk.planner.edits and edited_again(
                command, self._thought, desk, self._voice, lambda asks: self._questions.fetch(asks, self._handle),
                lambda: desk.attempt(command, self, self._questions)):
            return
        desk.obey(command, self, self._questions)

    def _thought(self) -> Thought:
        """The planner's thought about the present moment, not begun yet."""
        planner, simulator = self._desk.planner, self._simulator
        return planner.plan(simulator.reveal() if planner.omniscient else simulator.observe())

    def _decide(self, clocks: tuple[Clock, Clock]) -> tuple[Decision, events.Who, bool]:
        """The planner's choice, or the operator's instead, and whether the planner is told what comes of it."""
        desk = self._desk
        try:
            self._obey()
            while True:
                decision = self._allowed_choice(clocks)
                if decision.action is not None:
                    desk.before_action(decision.action)
                self._voice.hand_on(wait=True)  # whoever answers to what was shown in this turn is heard in this turn
                self._obey()
                if decision.action is None or not desk.altered:  # else the operator changed what it stands on while it waited
                    break
            self._voice.tell(Decided(decision.action, "planner", decision.because))
            return decision, "planner", True
        except Overridden as overridden:
            return self._overruled(overridden.command)

    def _overruled(self, command: Override) -> tuple[Decision, events.Who, bool]:
        """The operator's action, and whether the planner is told what comes of it."""
        self._voice.tell(Decided(command.action, "operator", command.why, self._desk.first_choice()))
        return Decision(command.action, command.why), "operator", command.told

    def _allowed_choice(self, clocks: tuple[Clock, Clock]) -> Decision:
        """The planner's choice; one that insists on a banned action waits for the operator."""
        tries = 0
        while True:
            decision = self._think(clocks)
            if decision.action is None or decision.action not in self._desk.banned:
                return decision
            tries += 1
            if tries % MOST_BANNED_CHOICES == 0:
                self._desk.pause(f"the planner insists on {decision.action}, which is banned")
            self._obey()

    def _think(self, clocks: tuple[Clock, Clock]) -> Decision:
        """The planner's decision; its own bugs are shown, and it may be tried again."""
        while True:
            try:
                with contextlib.closing(self._thought()) as thought:
                    return self._drive(thought, clocks)
            except Interrupt:
                raise
            except Exception as error:  # noqa: BLE001 - a planner's bug must not lose the episode
                self._wait_after(Failed("planner", type(error).__name__, f"{self._desk.planner.name} broke: {error}", True,
                                        ("Try again", "Override the action", "Go back")))

    def _drive(self, thought: Thought, clocks: tuple[Clock, Clock]) -> Decision:
        """Show what it shows, answer what it asks, obey at every yield, until it returns."""
        thinking, waiting = clocks
        sent: Sent = None
        while True:
            try:
                with thinking:
                    yielded = thought.send(sent)
            except StopIteration as done:
                decision: Decision = done.value
                return decision
            sent = None
            if isinstance(yielded, Facet):
                self._desk.notice(yielded)
                self._voice.tell(Shown(yielded))
            else:
                with waiting:
                    sent = self._questions.fetch(yielded, self._handle)
            self._desk.at_checkpoint()
            self._obey()

    # --- acting ------------------------------------------------------------
    def _act(self, action: Action) -> tuple[Outcome, float]:
        """Do it; a dead or hung simulator is brought back once by itself, then as often as the operator says."""
        assert self._world is not None, "opened by _begin"
        began, tries = time.perf_counter(), 0
        start = self._history.start_of(self._voice.turn)
        while True:
            try:
                if tries:
                    how = self._world.revive(start.world, start.actions)
                    self._voice.tell(Recovered("simulator", f"the simulator was started again and {how}"))
                outcome = self._world.do(lambda: self._simulator.step(action))
                return outcome, time.perf_counter() - began
            except SimulatorError as error:
                tries += 1
                waits = tries > 1
                failure = Failed("simulator", "stopped", str(error), waits, ("Try again", "Go back to the last turn"))
                if waits:
                    self._wait_after(failure)
                else:
                    self._voice.tell(failure)

    def _wait_after(self, failure: Failed) -> None:
        """Tell a failure, and wait for the operator's word."""
        self._voice.tell(failure)
        self._desk.wait_for_retry()
        self._inbox.until(lambda: self._desk.retried() or self._desk.interrupted(), self._handle)
        self._desk.raise_interrupt()

    # --- obeying -----------------------------------------------------------
    def _obey(self) -> None:
        """Take all that has arrived; stay here while the run is paused."""
        while (item := self._inbox.take(0)) is not None:
            self._handle(item)
        self._inbox.until(lambda: not self._desk.paused or self._desk.interrupted(), self._handle)
        self._desk.raise_interrupt()

    def _handle(self, item: Item) -> None:
        """One arrival, whatever the session is doing."""
        if isinstance(item, Command):
            self._desk.obey(item, self, self._questions)
        elif isinstance(item, Arrived):
            self._questions.arrived(item)
        elif isinstance(item, Failed | Recovered):
            self._voice.tell(item)
            if isinstance(item, Failed) and item.waits:
                self._desk.pause(item.message)
        elif isinstance(item, Drawn):
            for frame in item.frames:
                self._voice.tell(Shown(frame))
            if item.error is not None:
                self._voice.tell(Failed("camera", "drawing", str(item.error), waits=False))

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
        if self._world is not None:
            self._camera.aim(self._simulator)

    # --- going back --------------------------------------------------------
    def _go_back(self, jump: Jump) -> None:
        """Simulator, planner and random state of the beginning of a turn; replies come from memory."""
        assert self._world is not None, "opened by _begin"
        self._script.forget()
        start = jump.take(self._history, self._voice)
        self._desk.planner, self._desk.goal = copy.deepcopy(start.planner), start.goal
        if jump.resample:
            self._desk.planner.reseed(self._history.branch.fresh)
        self._past, self._past_of = GoalWatch(start.record), start.goal
        self._actions = start.actions
        self._world.go_back(start.world, start.actions)
        self._voice.branch = self._history.current

    def _progress(self) -> tuple[LiteralProgress, ...]:
        if self._desk.goal is not self._past_of:  # a new goal: what it says of the past begins now
            self._past, self._past_of = GoalWatch(), self._desk.goal
        world = self._simulator.reveal()
        return progress(self._desk.goal, world, self._past.see(world))
