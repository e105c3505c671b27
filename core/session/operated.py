"""The host of a session's engine: an operator has a say at every step, and a past may be replayed first."""

from __future__ import annotations

import contextlib

from core.goals.literals import Goal, LiteralProgress
from core.planning.planner import Decision, Planner
from core.planning.thinking import Asks, Replies, until_it_fits
from core.session.command import Command
from core.session.commands import Edit, EditCompanion
from core.session.companion import Companion
from core.session.dispatch import Dispatcher
from core.session.engine import Choice, Host, overruled, start
from core.session.event_bus import EventBus, Stopwatch
from core.session.events import Acted, Decided, Failed
from core.session.interrupts import Interrupt, Overridden
from core.session.run import Run
from core.session.setup import Script
from core.session.world import World
from core.world.vocabulary import Action, Observation, in_words

OPTIONS = ("Try again", "Override the action", "Go back")


class OperatedHost(Host):
    """Lets the operator in at every yield of the planner and during every wait.

    Attributes:
        thinking, waiting: the stopwatches of the turn under way.
        replays: whether the turn under way is of the replayed past.
    """

    thinking: Stopwatch

    def __init__(self, world: World, run: Run, bus: EventBus, dispatcher: Dispatcher, companion: Companion,
                 script: Script):
        self._world, self._run, self._bus, self._dispatcher = world, run, bus, dispatcher
        self._companion, self._script = companion, script
        self._compiled, self.replays = 0.0, False
        self.thinking, self.waiting = self._stopwatches()

    def _stopwatches(self) -> tuple[Stopwatch, Stopwatch]:
        return Stopwatch(self._bus.clock, thinks=True), Stopwatch(self._bus.clock)

    @property
    def planner(self) -> Planner:
        """The present planner."""
        return self._run.planner

    @property
    def goal(self) -> Goal:
        """The present goal."""
        return self._run.goal

    @property
    def is_used_up(self) -> bool:
        """Whether the operator allows no further action."""
        return len(self._world.actions) >= self._run.most_steps

    def progress(self) -> tuple[LiteralProgress, ...]:
        """Returns the progress towards the present goal."""
        return self._world.progress()

    def seen(self) -> Observation:
        """Returns what is seen at the present point of the run."""
        return self._world.seen

    def revealed(self) -> Observation:
        """Returns all that is true there."""
        return self._world.revealed

    def before_turn(self) -> None:
        """Changes the world as in the replayed past."""
        acted = len(self._world.actions)
        self._bus.turn = acted + 1
        for command in self._script.take_changes():
            self._run.attempt_before_turn(command)
        self._bus.turn = acted

    def forbid(self, actions: frozenset[Action]) -> None:
        """Bans these actions beside those that the operator has banned."""
        self._run.forbid(actions)

    # --- deciding ------------------------------------------------------------
    def allows(self, action: Action) -> bool:
        """Returns whether neither the operator nor the goal forbids an action."""
        return self._run.allows(action)

    def insists(self, action: Action) -> None:
        """Pauses the run."""
        self._run.pause_control.pause(f"the planner insists on a banned action: {in_words(action)}")

    def fetch(self, asks: Asks) -> Replies:
        """Returns replies. Executes commands that arrive meanwhile."""
        with self.waiting:
            return self._run.requests.fetch(asks, self._dispatcher.handle)

    def checkpoint(self) -> None:
        """Executes commands that have arrived. Blocks while the run is paused."""
        self._dispatcher.checkpoint()

    def yielded(self) -> None:
        """Does so after a yield of the planner, where single steps and breakpoints may pause the run."""
        self._run.pause_control.at_checkpoint()
        self._dispatcher.checkpoint()

    def stands(self, decision: Decision) -> bool:
        """Lets the companion think, and pauses before the action if the operator wants that.

        Returns:
            False if what the choice depends on was changed meanwhile.
        """
        pauses, companion = self._run.pause_control, self._companion
        pauses.altered = False
        companion.think(decision)
        while not pauses.altered:
            if decision.action is not None:
                pauses.before_action(Decided(decision.action, "planner", decision.because))
            self._bus.deliver(wait=True)  # listeners that react to this turn's facets must do so within this turn
            self._dispatcher.checkpoint()
            if not companion.must_think:
                return decision.action is None or not pauses.altered
            companion.think(decision)
        return False

    def broke(self, error: Exception) -> None:
        """Reports the planner's failure. The operator may let it try again."""
        message = f"{self.planner.name} broke: {error}"
        self._dispatcher.wait_after(Failed("planner", type(error).__name__, message, True, OPTIONS))

    def first_choice(self) -> Action | None:
        """Returns the action that the planner would choose so far in this turn."""
        return self._run.first_choice()

    # --- acting ---------------------------------------------------------------
    def begin_turn(self) -> None:
        """Called at the beginning of a turn, after its event."""
        self.thinking, self.waiting = self._stopwatches()
        self._compiled = self._bus.clock.compiled
        self._run.at_turn()

    def act(self, choice: Choice, action: Action) -> Acted:
        """Executes the action, and says how long each part of the turn took."""
        self._companion.observe()
        outcome, acting = self._world.execute(action)
        compiling = self._bus.clock.compiled - self._compiled
        return Acted(outcome, choice.by, self.thinking.total, self.waiting.total, acting, compiling)

    def heard(self, acted: Acted) -> None:
        """Updates the companion with the outcome, too."""
        self._companion.update(acted.outcome)

    # --- the past --------------------------------------------------------------
    def past_choice(self) -> Choice | None:
        """Returns the replayed choice for this turn; None if the planner must choose.

        Takes what has arrived, and does not wait.
        """
        self.replays = False
        if not self._script:
            return None
        self._dispatcher.handle_arrived()
        self._run.raise_if_stopped()
        step = self._script.next()
        if step.action is not None:
            self._observe()
        try:
            for command in step.commands:
                self._replay(command)
        except Overridden as override:
            self._script.forget()
            decided, choice = overruled(self, override)
        else:
            if step.action is None:
                return None
            decided = Decided(step.action, step.by, step.because, step.instead_of)
            choice = Choice(step.action, step.because, step.by, step.told)
        self._bus.emit(decided)
        self.replays = True
        return choice

    def _observe(self) -> None:
        """Lets the planner observe a turn in which it does not choose: starts its generator, and closes it at the first yield.

        What it yields is neither shown nor asked. To the planner it is as if the operator had overridden it at once.
        """
        try:
            with contextlib.closing(start(self)) as thought:
                next(thought, None)
        except Exception as error:  # noqa: BLE001 - a planner's bug must not lose the episode
            self._report(error)

    def _replay(self, command: Command) -> None:
        """Executes a command of the past again. An edit is executed as soon as the planner shows the facet that it edits."""
        run = self._run
        if isinstance(command, Edit) and type(command.facet) in run.planner.edits and self._replay_edit(command):
            return
        if not isinstance(command, EditCompanion) or not self._companion.replay_edit(command):
            run.execute(command)

    def _replay_edit(self, edit: Edit) -> bool:
        """Returns whether the edit was executed."""
        run = self._run
        try:
            with contextlib.closing(start(self)) as thought:
                return until_it_fits(thought, type(edit.facet), lambda: run.attempt(edit),
                                     lambda asks: run.requests.fetch(asks, self._dispatcher.handle), run.show,
                                     run.raise_if_stopped)
        except Interrupt:
            raise
        except Exception as error:  # noqa: BLE001 - a planner's bug must not lose the episode
            self._report(error)
            return False

    def _report(self, error: Exception) -> None:
        message = f"{self.planner.name} broke over its past: {error}"
        self._bus.emit(Failed("planner", type(error).__name__, message, waits=False))
