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
from core.session.history import History, TurnStart
from core.session.interrupts import Interrupt, Jump, Overridden, Stopped
from core.session.pause_control import PauseControl
from core.session.requests import PendingRequests, typed_answer
from core.session.setup import Setup
from core.session.shown_facets import ShownFacets
from core.world.vocabulary import Action, Verdict


class SessionActions(Protocol):
    """What the desk lets a session do."""

    def verdict(self, override: c.Override) -> str:
        """Why an override is not admissible now; empty when it is."""

    def options(self, thing: str) -> tuple[tuple[Action, Verdict], ...]:
        """What could be done now, with verdicts."""

    def look(self, look: c.Look) -> None:
        """Other views."""

    def keep_pictures(self, views: tuple[View, ...]) -> None:
        """Draw these views of every turn, also those that are not on the screen."""

    def tell_standing(self) -> None:
        """Tell what holds now: the goal is another one."""


class CommandHandler:
    """Takes commands one at a time and keeps what they change."""

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
    def obey(self, command: c.Command, hands: SessionActions, questions: PendingRequests) -> None:
        """Do what can be done, refuse the rest with the reason; either way it is told."""
        reason = self.attempt(command, hands, questions)
        if reason:
            self._bus.tell(CommandTaken(command, False, reason, self._before(command)))

    def attempt(self, command: c.Command, hands: SessionActions, questions: PendingRequests) -> str:
        """Do it and tell; why it cannot be done now, if so, and then nothing is told."""
        before = self._before(command)
        try:
            self._do(command, hands, questions)
        except (BelvedereError, NotImplementedError) as error:
            return str(error) or type(error).__name__
        self._bus.tell(CommandTaken(command, True, "", before))
        if isinstance(command, c.SetGoal):
            hands.tell_standing()
        self._after(command)
        return ""

    def _before(self, command: c.Command) -> Facet | None:
        """What an edit replaces."""
        return self._shown.get(type(command.facet)) if isinstance(command, c.Edit) else None

    def _do(self, command: c.Command, hands: SessionActions, questions: PendingRequests) -> None:
        match command:
            case c.Override():
                self._override(command, hands)
            case c.Rewind() | c.Fork():
                self._go_back(command)
            case c.Switch(branch=branch):
                self._history.numbered(branch)
                self._interrupt = Jump(command)
            case c.Stop(why=why):
                self._interrupt = Stopped(why or STOPPED)
            case c.Look():
                hands.look(command)
            case c.KeepPictures(views=views):
                hands.keep_pictures(views)
            case c.ListActions(thing=thing):
                self._bus.tell(ActionsListed(hands.options(thing), thing))
            case c.Answer() | c.AskAgain() | c.AskAside() | c.UseModel() | c.Retry():
                self._about_questions(command, questions)
            case _:
                self._about_planner(command)

    def _go_back(self, command: c.Rewind | c.Fork) -> None:
        if command.turn is not None:
            self._history.start_of(command.turn, command.branch)
        elif command.branch not in (None, self._history.current):
            raise UsageError("only the present branch has a turn under way: name the turn")
        elif not self._history.branch.turns:
            raise UsageError("the run has not begun: there is no turn to fork")
        self._interrupt = Jump(command)

    def _override(self, command: c.Override, hands: SessionActions) -> None:
        self._check_playing()
        reason = hands.verdict(command)
        if reason:
            raise UsageError(reason)
        self._interrupt = Overridden(command)

    def _check_playing(self) -> None:
        """What would change how the run ended is refused: its end stands.

        Raises:
            UsageError: the present branch has ended.
        """
        if not self.pause_control.playing:
            raise UsageError("the run has ended: go back to a turn first")

    def _about_questions(self, command: c.Command, questions: PendingRequests) -> None:
        match command:
            case c.Answer(ask=number, text=text):
                questions.answer(questions.question(number), typed_answer(text))
            case c.AskAgain(ask=number):
                questions.ask_again(questions.question(number))
            case c.AskAside(question=ask):
                questions.ask_aside(ask)
            case c.UseModel(name=name):
                if name not in self._setup.models:
                    raise UsageError(f"no provider '{name}' here: there is {', '.join(self._setup.models) or 'none'}")
                self.model = self._setup.models[name]
                for pending in questions.waiting().values():
                    questions.ask_again(pending)
            case _:
                self._retry = True
                for pending in questions.waiting().values():
                    if pending.error is not None:
                        questions.ask_again(pending)

    def _about_planner(self, command: c.Command) -> None:
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
                self._about_run(command)

    def _about_run(self, command: c.Command) -> None:
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

    def _ban(self, banned: frozenset[Action]) -> None:
        self.banned = banned
        self.planner.ban(banned)

    def _after(self, command: c.Command) -> None:
        """What is told beside the command itself."""
        match command:
            case c.Pause():
                self.pause_control.pause("asked to", for_good=True)
            case c.Resume():
                self.pause_control.go_on()
            case c.Hold():
                self.pause_control.hold()
            case c.Release():
                self.pause_control.release()
            case c.Step(to=to):
                self.pause_control.go_on(to)
            case c.Edit() | c.Ban() | c.Unban() | c.SetGoal():
                self.pause_control.think_again()
            case c.Annotate(label=label, note=note, phase=phase, annotator=annotator):
                self._bus.tell(Annotated(label, note, phase, annotator))
            case c.Relabel(change=change):
                self._bus.tell(Relabelled(change))

    # --- what the run meets --------------------------------------------------
    def take_up(self, start: TurnStart) -> None:
        """The run goes on there, with planner, goal and bans of then. What was set for the run as a whole stays."""
        self.planner, self.goal, self.banned = copy.deepcopy(start.planner), start.goal, start.banned
        self._shown.clear()

    def at_turn(self, turn: int) -> None:
        """A turn begins."""
        self._shown.clear()
        self.pause_control.at_turn(turn)

    def show(self, facet: Facet) -> None:
        """The planner shows something; what it shows already is only a checkpoint."""
        if self._shown.get(type(facet)) is facet:
            return
        self._shown[type(facet)] = facet
        self.pause_control.at_facet(facet)
        self.shown_facets.show(facet)

    def first_choice(self) -> Action | None:
        """What the planner would do so far this turn. Its plan comes first: a ranking may begin with steps that are done."""
        plan = self._shown.get(Plan)
        if isinstance(plan, Plan) and plan.actions:
            return plan.actions[0]
        ranking = self._shown.get(Ranking)
        if isinstance(ranking, Ranking) and ranking.actions:
            return ranking.actions[0].steps[0]
        return None

    # --- interrupts and failures -------------------------------------------
    def interrupted(self) -> bool:
        """Whether what is being done should be left."""
        return self._interrupt is not None

    def raise_interrupt(self) -> None:
        """Leave it now."""
        if self._interrupt is not None:
            interrupt, self._interrupt = self._interrupt, None
            raise interrupt

    def refuse_override(self) -> None:
        """The run has ended: an override that came after the last decision cannot be done any more."""
        if isinstance(self._interrupt, Overridden):
            command, self._interrupt = self._interrupt.command, None
            self._bus.tell(CommandTaken(command, False, "the run ended before this could be done: go back to a turn first"))

    def raise_if_stopped(self) -> None:
        """Leave even a call that cannot be interrupted, if the run is to end."""
        if isinstance(self._interrupt, Stopped):
            self.raise_interrupt()

    def failed(self, purpose: str, error: BelvedereError) -> None:
        """A question got no answer: the run waits for the operator."""
        kind = error.kind if isinstance(error, ModelError) else "refused"
        others = tuple(f"Use {name}" for name, model in self._setup.models.items()
                       if model is not self.model and name != Human.name)  # the last option stands for the operator
        self._bus.tell(Failed("model", kind, f"{purpose}: {error}", True,
                                ("Try again", *others, "Answer myself")))

    def wait_for_retry(self) -> None:
        """Something waits for the operator's word."""
        self._retry = False

    def retried(self) -> bool:
        """Whether it came."""
        return self._retry
