"""Executes the operator's commands on a run. Knows no simulator and no threads."""

from __future__ import annotations

import copy
from typing import Protocol

from core.common.errors import BelvedereError, ModelError, UsageError
from core.common.parameters import changed
from core.llm.budget import Limits
from core.llm.human import Human
from core.planning.facets import Facet, Plan, Ranking, View
from core.session import commands as c
from core.session.event_bus import EventBus
from core.session.events import STOPPED, ActionsListed, Annotated, CommandTaken, Failed, Relabelled
from core.session.history import History, ShownFacets, TurnStart
from core.session.interrupts import Interrupt, Jump, Overridden, Stopped
from core.session.pause_control import PauseControl
from core.session.requests import PendingRequests, typed_answer
from core.session.setup import Setup
from core.world.vocabulary import Action, Verdict


class SessionActions(Protocol):
    """What the command handler needs of a session."""

    def verdict(self, override: c.Override) -> str:
        """Returns why an override is not admissible now; empty if it is admissible."""

    def options(self, thing: str) -> tuple[tuple[Action, Verdict], ...]:
        """Returns the actions that involve `thing` (all if empty), each with its verdict."""

    def look(self, look: c.Look) -> None:
        """Changes the views to draw."""

    def keep_pictures(self, views: tuple[View, ...]) -> None:
        """Draws these views of every turn, also those that no panel shows."""

    def emit_standing(self) -> None:
        """Emits what holds now, after a change of goal."""


class CommandHandler:
    """Executes commands one at a time and keeps what they change: planner, goal, bans, model, step limit, pauses."""

    def __init__(self, setup: Setup, bus: EventBus, history: History):
        self._setup, self._bus, self._history = setup, bus, history
        self.planner, self.goal, self.most_steps = setup.planner, setup.goal, setup.most_steps
        self.model = next(iter(setup.models.values()), None)
        self.banned: frozenset[Action] = frozenset()
        self.shown_facets = ShownFacets(bus)
        self.pause_control = PauseControl(bus)
        self._retry = True
        self._interrupt: Interrupt | None = None
        self._shown: dict[type[Facet], Facet] = {}

    # --- commands ----------------------------------------------------------
    def execute(self, command: c.Command, session: SessionActions, requests: PendingRequests) -> None:
        """Executes a command. Emits `CommandTaken`, with ok=False and the reason if the command is refused."""
        reason = self.attempt(command, session, requests)
        if reason:
            self._bus.emit(CommandTaken(command, False, reason, self._before(command)))

    def attempt(self, command: c.Command, session: SessionActions, requests: PendingRequests) -> str:
        """Executes a command and emits `CommandTaken`.

        If it is refused, emits nothing and returns the reason; else returns "".
        """
        before = self._before(command)
        try:
            self._do(command, session, requests)
        except (BelvedereError, NotImplementedError) as error:
            return str(error) or type(error).__name__
        self._bus.emit(CommandTaken(command, True, "", before))
        if isinstance(command, c.SetGoal):
            session.emit_standing()
        self._after(command)
        return ""

    def _before(self, command: c.Command) -> Facet | None:
        """Returns the facet that an edit replaces."""
        return self._shown.get(type(command.facet)) if isinstance(command, c.Edit) else None

    def _do(self, command: c.Command, session: SessionActions, requests: PendingRequests) -> None:
        match command:
            case c.Override():
                self._override(command, session)
            case c.Rewind() | c.Fork():
                self._go_back(command)
            case c.Switch(branch=branch):
                self._history.numbered(branch)
                self._interrupt = Jump(command)
            case c.Stop(why=why):
                self._interrupt = Stopped(why or STOPPED)
            case c.Look():
                session.look(command)
            case c.KeepPictures(views=views):
                session.keep_pictures(views)
            case c.ListActions(thing=thing):
                self._bus.emit(ActionsListed(session.options(thing), thing))
            case c.Answer() | c.AskAgain() | c.AskAside() | c.UseModel() | c.Retry():
                self._do_about_requests(command, requests)
            case _:
                self._do_about_planner(command)

    def _go_back(self, command: c.Rewind | c.Fork) -> None:
        if command.turn is not None:
            self._history.start_of(command.turn, command.branch)
        elif command.branch not in (None, self._history.current):
            raise UsageError("only the present branch has a turn under way: name the turn")
        elif not self._history.branch.turns:
            raise UsageError("the run has not begun: there is no turn to fork")
        self._interrupt = Jump(command)

    def _override(self, command: c.Override, session: SessionActions) -> None:
        self._check_playing()
        reason = session.verdict(command)
        if reason:
            raise UsageError(reason)
        self._interrupt = Overridden(command)

    def _check_playing(self) -> None:
        """Refuses a command that would change how the run ended, once it has ended.

        Raises:
            UsageError: the present branch has ended.
        """
        if not self.pause_control.playing:
            raise UsageError("the run has ended: go back to a turn first")

    def _do_about_requests(self, command: c.Command, requests: PendingRequests) -> None:
        match command:
            case c.Answer(ask=number, text=text):
                requests.answer(requests.waiting_request(number), typed_answer(text))
            case c.AskAgain(ask=number):
                requests.ask_again(requests.waiting_request(number))
            case c.AskAside(question=ask):
                requests.ask_aside(ask)
            case c.UseModel(name=name):
                if name not in self._setup.models:
                    raise UsageError(f"no provider '{name}' here: there is {', '.join(self._setup.models) or 'none'}")
                self.model = self._setup.models[name]
                for pending in requests.waiting().values():
                    requests.ask_again(pending)
            case _:
                self._retry = True
                for pending in requests.waiting().values():
                    if pending.error is not None:
                        requests.ask_again(pending)

    def _do_about_planner(self, command: c.Command) -> None:
        planner = self.planner
        if isinstance(command, c.Edit | c.SetGoal | c.Deepen):
            self._check_playing()
        match command:
            case c.Edit(facet=facet):
                if type(facet) not in planner.edits:
                    raise UsageError(f"{planner.name} takes no edits of its {type(facet).__name__}")
                planner.accept(facet)
            case c.Ban(action=action):
                self._ban(self.banned | {action})
            case c.Unban(action=action):
                self._ban(self.banned - {action})
            case c.Deepen(action=action, visits=visits):
                planner.deepen(action, visits)
            case c.SetParameter(name=name, value=value):
                planner.parameters = changed(planner.parameters, {name: value})
            case c.SetGoal(goal=goal):
                planner.set_goal(goal)
                self.goal = goal
            case _:
                self._do_about_run(command)

    def _do_about_run(self, command: c.Command) -> None:
        match command:
            case c.SetSteps(most=most):
                if most < 1:
                    raise UsageError(f"{most} steps: give at least 1")
                self.most_steps = most
            case c.SetLimits(calls=calls, tokens=tokens, cost=cost):
                if self._setup.budget is None:
                    raise UsageError("nothing is asked in this run: there is nothing to limit")
                self._setup.budget.limits = Limits(calls, tokens, cost)
            case c.SetBreakpoint(breakpoint=point):
                self.pause_control.breakpoints.add(point)
            case c.ClearBreakpoint(breakpoint=point):
                self.pause_control.breakpoints.remove(point)
            case c.EnableBreakpoint(breakpoint=point, enabled=enabled):
                self.pause_control.breakpoints.enable(point, enabled=enabled)
            case (c.Pause() | c.Resume() | c.Hold() | c.Release() | c.Step() | c.Annotate() | c.Relabel()):
                pass  # these take effect in `_after`, once `CommandTaken` is emitted
            case _:
                raise UsageError(f"a session knows no command {type(command).__name__}")

    def _ban(self, banned: frozenset[Action]) -> None:
        self.banned = banned
        self.planner.ban(banned)

    def _after(self, command: c.Command) -> None:
        """Emits what follows from a command, and applies it to the pause control."""
        match command:
            case c.Pause():
                self.pause_control.pause("asked to", drop_step=True)
            case c.Resume():
                self.pause_control.resume()
            case c.Hold():
                self.pause_control.hold()
            case c.Release():
                self.pause_control.release()
            case c.Step(to=to):
                self.pause_control.resume(to)
            case c.Edit() | c.Ban() | c.Unban() | c.SetGoal():
                self.pause_control.choose_again()
            case c.Annotate(label=label, note=note, phase=phase, annotator=annotator):
                self._bus.emit(Annotated(label, note, phase, annotator))
            case c.Relabel(change=change):
                self._bus.emit(Relabelled(change))

    # --- called as the run proceeds --------------------------------------------------
    def restore(self, start: TurnStart) -> None:
        """Continues from `start`, with its planner, goal and bans. Settings of the run as a whole are kept."""
        self.planner, self.goal, self.banned = copy.deepcopy(start.planner), start.goal, start.banned
        self._shown.clear()

    def at_turn(self, turn: int) -> None:
        """Called at the beginning of a turn."""
        self._shown.clear()
        self.pause_control.at_turn(turn)

    def show(self, facet: Facet) -> None:
        """Shows a facet of the planner. The same object again is only a checkpoint."""
        if self._shown.get(type(facet)) is facet:
            return
        self._shown[type(facet)] = facet
        self.pause_control.at_facet(facet)
        self.shown_facets.show(facet)

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

    def refuse_override(self) -> None:
        """Refuses an override that arrived after the last decision, because the run has ended."""
        if isinstance(self._interrupt, Overridden):
            command, self._interrupt = self._interrupt.command, None
            self._bus.emit(CommandTaken(command, False, "the run ended before this could be done: go back to a turn first"))

    def raise_if_stopped(self) -> None:
        """Raises the interrupt only if it ends the run. Used in calls that nothing else may interrupt."""
        if isinstance(self._interrupt, Stopped):
            self.raise_interrupt()

    def failed(self, purpose: str, error: BelvedereError) -> None:
        """Emits that a model request failed. The run waits for the operator."""
        kind = error.kind if isinstance(error, ModelError) else "refused"
        others = tuple(f"Use {name}" for name, model in self._setup.models.items()
                       if model is not self.model and name != Human.name)  # the last option below is the operator
        self._bus.emit(Failed("model", kind, f"{purpose}: {error}", True,
                              ("Try again", *others, "Answer myself")))

    def wait_for_retry(self) -> None:
        """Begins to wait for the operator's `Retry`."""
        self._retry = False

    def retried(self) -> bool:
        """Returns True if the `Retry` arrived."""
        return self._retry
