"""A run as the operator's commands see it: what it plays with, and how commands are executed."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from core.common.errors import BelvedereError, UsageError
from core.planning.facets import Facet, Plan
from core.planning.search_facets import Ranking
from core.session.annotation import Change
from core.session.command import Command, Phase
from core.session.commands import Edit
from core.session.event_bus import EventBus
from core.session.events import STOPPED, ActionsListed, Annotated, CommandTaken, Failed, Relabelled, Shown, Standing
from core.session.history import History, TurnStart
from core.session.inbox import Inbox
from core.session.interrupts import Interrupt, Jump, JumpBack, Overridden, Stopped
from core.session.pause_control import PauseControl
from core.session.requests import PendingRequests
from core.session.setup import Setup
from core.simulator.base import WorldChange
from core.world.vocabulary import Action

if TYPE_CHECKING:
    from core.session.companion import Companion
    from core.session.world import World

DOWN = "the simulator has stopped: try again or go back first, then override the action"


class Run:
    """Executes commands one at a time, and keeps what they change.

    Attributes:
        world: where the actions are executed.
        companion: the second planner, if there is one.
        planner: the planner; it is called on the session's thread, between its yields.
        goal: the present goal.
        most_steps: the number of steps after which the run ends.
        budget: the budget of all models; None if nothing is asked in this run.
        banned: actions that the operator has banned.
        pause_control: pauses the run, and has the breakpoints.
        requests: the model requests that wait for an answer.
    """

    world: World
    companion: Companion

    def __init__(self, setup: Setup, inbox: Inbox, bus: EventBus, history: History):
        self._bus, self._history = bus, history
        self.planner, self.goal, self.most_steps, self.budget = setup.planner, setup.goal, setup.most_steps, setup.budget
        self.banned: frozenset[Action] = frozenset()
        self._forbidden: frozenset[Action] = frozenset()
        self.pause_control = PauseControl(bus)
        self.requests = PendingRequests(inbox, bus, history, setup.models, self.interrupted, self.raise_interrupt)
        self._retry, self._is_down = True, False
        self._interrupt: Interrupt | None = None
        self._shown: dict[type[Facet], Facet] = {}
        self._is_between_turns = False
        """True while commands are executed before a turn begins: only then may the world be changed."""

    def join(self, world: World, companion: Companion) -> None:
        """Sets what commands act on. Both need the run themselves, so they are made after it."""
        self.world, self.companion = world, companion

    def execute(self, command: Command) -> None:
        """Executes a command. Emits `CommandTaken`, with ok=False and the reason if the command is refused."""
        reason = self.attempt(command)
        if reason:
            self._bus.emit(CommandTaken(command, False, reason, self._before(command)))

    def attempt(self, command: Command) -> str:
        """Executes a command and emits `CommandTaken`.

        If it is refused, emits nothing but the planner's bug that is the reason, and returns the reason; else returns "".
        """
        before = self._before(command)
        try:
            command.execute(self)
        except (BelvedereError, NotImplementedError) as error:
            return str(error) or type(error).__name__
        except Interrupt:  # a command that waits for the simulator may be left by another one
            raise
        except Exception as error:  # noqa: BLE001 - a planner's bug must not lose the episode
            message = f"{self.planner.name} broke over a command of the operator: {type(error).__name__}: {error}"
            self._bus.emit(Failed("planner", type(error).__name__, message, waits=False))
            self.pause_control.pause(message)
            return message
        self._bus.emit(CommandTaken(command, True, "", before))
        command.follow_up(self)
        if command.alters_choice:
            self.pause_control.choose_again()
        return ""

    def attempt_before_turn(self, command: Command) -> str:
        """Executes a command before a turn begins. Returns why it is refused, or ""."""
        self._is_between_turns = True
        try:
            return self.attempt(command)
        finally:
            self._is_between_turns = False

    def _before(self, command: Command) -> Facet | None:
        """Returns the facet that an edit replaces."""
        return self._shown.get(type(command.facet)) if isinstance(command, Edit) else None

    # --- what commands are made of ----------------------------------
    def check_playing(self) -> None:
        """Refuses a command that needs a turn: before the first one, and once the run has ended."""
        if not self._history.branch.turns:
            raise UsageError("the run has not begun yet: try again in its first turn")
        if not self.pause_control.playing:
            raise UsageError("the run has ended: go back to a turn first")

    def ban(self, banned: frozenset[Action]) -> None:
        """Forbids the planner these actions and no others."""
        self.banned = banned
        self.planner.ban(self.barred(banned))

    def forbid(self, actions: frozenset[Action]) -> None:
        """Sets the actions that the goal forbids at this moment, beside those that the operator banned."""
        self._forbidden = actions
        if self.planner.banned != self.barred(self.banned):
            self.planner.ban(self.barred(self.banned))

    def barred(self, banned: frozenset[Action]) -> frozenset[Action]:
        """Returns the actions that a planner must not choose if the operator bans these: also those that the goal forbids."""
        return banned | self._forbidden

    def allows(self, action: Action) -> bool:
        """Returns whether neither the operator nor the goal forbids an action."""
        return action not in self.banned and action not in self._forbidden

    def stop(self, reason: str) -> None:
        """Ends the run."""
        self._interrupt = Stopped(reason or STOPPED)

    def override(self, command: Command, action: Action, why: str, *, told: bool) -> None:
        """Leaves the decision under way and executes the operator's action."""
        if self._is_down:
            raise UsageError(DOWN)
        verdict = self.world.verdict(action)
        if not verdict.ok and verdict.reason:
            raise UsageError(verdict.reason)
        self._interrupt = Overridden(command, action, why, told=told)

    def go_back(self, turn: int | None, branch: int | None, *, resample: bool, forks: bool, then: Command | None) -> None:
        """Continues from the beginning of a turn, on a new branch; `turn` None: from the turn under way."""
        if turn is not None:
            self._history.start_of(turn, branch)
        elif branch not in (None, self._history.current):
            raise UsageError("only the present branch has a turn under way: name the turn")
        elif not self._history.branch.turns:
            raise UsageError("the run has not begun: there is no turn to fork")
        self._interrupt = JumpBack(turn, branch, resample=resample, forks=forks, then=then)

    def switch(self, branch: int) -> None:
        """Continues another branch where it was left."""
        self._history.numbered(branch)
        self._interrupt = Jump(branch)

    def change_world(self, change: WorldChange) -> None:
        """Changes the simulator's world before a turn begins, and keeps that as the beginning of the turn."""
        if not self._is_between_turns:
            raise UsageError("the world is changed only in a fork: fork a turn with this change")
        start = self.turn_start()
        self._history.add_start(start)  # the branch may be left before the change is made
        self.world.change(change, start)
        self._history.add_start(self.turn_start())

    def retry(self) -> None:
        """Tries again what failed."""
        self._retry = True
        self.requests.retry()

    def list_actions(self, entity: str) -> None:
        """Emits the actions that involve an entity (all if empty), each with its verdict."""
        self._bus.emit(ActionsListed(self.world.options(entity), entity))

    def annotate(self, label: str, note: str, phase: Phase, annotator: str, key: str) -> None:
        """Emits a label of this moment, whose id is `key`."""
        self._bus.emit(Annotated(label, note, phase, annotator, key))

    def relabel(self, change: Change) -> None:
        """Emits the change of a label."""
        self._bus.emit(Relabelled(change))

    def emit_standing(self) -> None:
        """Emits what holds now, with the progress towards the present goal."""
        if self.world.is_open:
            self._bus.emit(Standing(self.goal, self.planner.parameters, self.banned, self.world.seen, self.world.progress()))

    # --- called as the run proceeds --------------------------------------------------
    def turn_start(self) -> TurnStart:
        """Returns the present moment as a point that the run can return to."""
        world = self.world
        return TurnStart(self._bus.turn, self.planner, self.goal, world.state, world.actions, world.record, self.banned,
                         self._bus.known, self.requests.given, mind=self.companion.mind, changes=world.changes)

    def restore(self, start: TurnStart) -> None:
        """Continues from `start`, with its planner, goal and bans. Settings of the run as a whole are kept."""
        self.planner, self.goal, self.banned = copy.deepcopy(start.planner), start.goal, start.banned
        self.requests.given = start.given
        self._shown.clear()

    def at_turn(self) -> None:
        """Called at the beginning of a turn."""
        self._shown.clear()
        self.pause_control.at_turn()

    def show(self, facet: Facet) -> None:
        """Shows a facet of the planner. The same object again is only a checkpoint."""
        if self._shown.get(type(facet)) is facet:
            return
        self._shown[type(facet)] = facet
        self.pause_control.at_facet()
        self._bus.emit(Shown(facet))

    def first_choice(self) -> Action | None:
        """Returns the action the planner would choose so far in this turn; None if it has shown neither plan nor ranking.

        Its plan has precedence, because a ranking may begin with steps that are already executed.
        """
        plan = self._shown.get(Plan)
        if isinstance(plan, Plan) and plan.actions:
            return plan.actions[0]
        ranking = self._shown.get(Ranking)
        if isinstance(ranking, Ranking) and ranking.actions:
            return ranking.actions[0].steps[0]
        return None

    # --- interrupts and failures -------------------------------------------
    def interrupted(self) -> bool:
        """Returns True if the present activity must be left."""
        return self._interrupt is not None

    def raise_interrupt(self) -> None:
        """Raises the pending interrupt, if there is one."""
        if self._interrupt is not None:
            interrupt, self._interrupt = self._interrupt, None
            raise interrupt

    def refuse_override(self, reason: str) -> None:
        """Refuses an override that was accepted after the last decision, and that no further one can execute."""
        if isinstance(self._interrupt, Overridden):
            command, self._interrupt = self._interrupt.command, None
            self._bus.emit(CommandTaken(command, False, reason))

    def raise_if_stopped(self) -> None:
        """Raises the interrupt only if it ends the run. Used in calls that nothing else may interrupt."""
        if isinstance(self._interrupt, Stopped):
            self.raise_interrupt()

    @contextmanager
    def waiting_for_retry(self, part: str) -> Iterator[None]:
        """Context in which the operator's `Retry` is waited for. No override is possible while the simulator is down."""
        self._retry, self._is_down = False, part == "simulator"
        if self._is_down:
            self.refuse_override(DOWN)
        try:
            yield
        finally:
            self._is_down = False

    def retried(self) -> bool:
        """Returns True if the `Retry` arrived."""
        return self._retry
