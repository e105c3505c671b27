"""The commands an operator can give to a running session: one table, one class a command.

A class says what the command is (its fields: frozen, plain data, safe to post from any thread), how it is executed (`_execute`
and, once the session has emitted that, `_follow_up`), what it changes in the settings (`_change`), how it is undone
(`_opposite`), and its line in the log (`log` or `_line`, `icon`). Every class of this module is recorded under its name.
"""

from __future__ import annotations

from dataclasses import astuple, dataclass, replace
from typing import Literal

import numpy as np

from core.common.errors import UsageError
from core.common.parameters import Parameters, Value, changed
from core.goals.literals import Goal
from core.llm.budget import Limits
from core.planning.facets import Belief, Facet, View
from core.planning.model_requests import Message, ModelReply, ModelRequest
from core.session.annotation import Change
from core.session.breakpoints import Breakpoint
from core.session.command import Command as Command
from core.session.command import MarkKind, Phase, Run, S, Settings, Wording, because, shortened, spaced
from core.world.vocabulary import Action


# --- pauses -----------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class Pause(Command):
    """Pauses the run at the next yield."""

    def _follow_up(self, run: Run) -> None:
        run.pause("asked to", drop_step=True)


@dataclass(frozen=True, slots=True)
class Resume(Command):
    """Ends a pause."""

    def _follow_up(self, run: Run) -> None:
        run.resume()


@dataclass(frozen=True, slots=True)
class Hold(Command):
    """Pauses the run while the operator chooses something, until `Release`. A run that is already paused is not changed."""

    def _follow_up(self, run: Run) -> None:
        run.hold()


@dataclass(frozen=True, slots=True)
class Release(Command):
    """Undoes the last `Hold`. A run that was paused before it, or was paused during it, stays paused."""

    def _follow_up(self, run: Run) -> None:
        run.release()


@dataclass(frozen=True, slots=True)
class Step(Command):
    """Goes on, then pauses.

    Attributes:
        to: `checkpoint`: at the next yield; `action`: when one action is executed and the next one chosen; `decision`: when the
            action of the turn under way is chosen; if it is chosen already, the next one.
    """

    icon = "step"
    to: Literal["checkpoint", "action", "decision"] = "action"

    def _follow_up(self, run: Run) -> None:
        run.resume("choice" if self.to == "decision" else self.to)

    def _line(self, wording: Wording) -> str:
        return "Step to the decision" if self.to == "decision" else f"Step one {self.to}"


@dataclass(frozen=True, slots=True)
class Stop(Command):
    """Ends the run.

    Attributes:
        why: the reason that the run's end reports, such as a spent budget; empty: the operator stopped it.
    """

    why: str = ""

    def _execute(self, run: Run) -> None:
        run.stop(self.why)


# --- the planner and its choice -----------------------------------------------
@dataclass(frozen=True, slots=True)
class Override(Command):
    """Executes this action now, in place of the planner's choice.

    Attributes:
        told: whether the planner is updated with the outcome; if False, it can only notice the change by observing.
        why: the operator's reason.
    """

    icon = "override"
    is_intervention = is_final = True
    action: Action
    told: bool = True
    why: str = ""

    def _execute(self, run: Run) -> None:
        run.check_playing()
        run.override(self, self.action, self.why, told=self.told)

    def _line(self, wording: Wording) -> str:
        return f"{self._title(wording)}{'' if self.told else ' · planner not told'}{because(self.why)}"

    def _title(self, wording: Wording) -> str:
        return f"Override: {wording.phrase(self.action)}"


@dataclass(frozen=True, slots=True)
class Ban(Command):
    """Forbids the planner to choose this action, until it is unbanned."""

    icon = "ban"
    alters_choice = is_intervention = is_replayed = True
    action: Action

    def _execute(self, run: Run) -> None:
        run.ban(run.banned | {self.action})

    def _change(self, settings: S) -> S:
        return replace(settings, banned=settings.banned | {self.action})

    def _opposite(self, before: Settings) -> Command:
        return Unban(self.action)

    def _line(self, wording: Wording) -> str:
        return f"Ban: {wording.phrase(self.action)}"


@dataclass(frozen=True, slots=True)
class Unban(Command):
    """Allows the planner to choose a banned action again."""

    icon = "ban"
    alters_choice = is_intervention = is_replayed = True
    action: Action

    def _execute(self, run: Run) -> None:
        run.ban(run.banned - {self.action})

    def _change(self, settings: S) -> S:
        return replace(settings, banned=settings.banned - {self.action})

    def _opposite(self, before: Settings) -> Command:
        return Ban(self.action)

    def _line(self, wording: Wording) -> str:
        return f"Allow again: {wording.phrase(self.action)}"


@dataclass(frozen=True, slots=True)
class Edit(Command):
    """Replaces a facet of the planner's state by this one. The panel that edits the facet undoes it, by another edit.

    Attributes:
        facet: the edited facet.
        why: the operator's reason; it labels the mark on the timeline.
    """

    alters_choice = is_intervention = is_replayed = True
    facet: Facet
    why: str = ""

    def _execute(self, run: Run) -> None:
        run.check_playing()
        if type(self.facet) not in run.planner.edits:
            raise UsageError(f"{run.planner.name} takes no edits of its {type(self.facet).__name__}")
        run.planner.accept(self.facet)

    def _mark(self) -> tuple[MarkKind, str]:
        return "edit", self.why or type(self.facet).__name__

    def _line(self, wording: Wording) -> str:
        before, after = wording.before, self.facet
        text = f"Edited: {spaced(type(after).__name__)}"
        if isinstance(before, Belief) and isinstance(after, Belief) and before.probability.shape == after.probability.shape:
            change = np.abs(after.probability - before.probability)
            row, column = (int(k) for k in np.unravel_index(int(change.argmax()), change.shape))
            was, now = before.probability[row, column], after.probability[row, column]
            text = f"Belief: {after.objects[row]} · {wording.name(after.places[column])} · {was:.2f} → {now:.2f}"
        return f"{text}{because(self.why)}"


@dataclass(frozen=True, slots=True)
class Deepen(Command):
    """Searches one action of the ranking further.

    Attributes:
        action: the action; None: every action, until all have equally many simulations.
        visits: number of additional simulations.
    """

    action: Action | None
    visits: int = 25

    def _execute(self, run: Run) -> None:
        run.check_playing()
        run.planner.deepen(self.action, self.visits)


@dataclass(frozen=True, slots=True)
class SetParameter(Command):
    """Changes one parameter of the planner, from its next yield on."""

    icon = "parameters"
    is_intervention = is_replayed = True
    name: str
    value: Value

    def _execute(self, run: Run) -> None:
        run.planner.parameters = self._changed(run.planner.parameters)

    def _change(self, settings: S) -> S:
        return replace(settings, parameters=self._changed(settings.parameters))

    def _changed(self, parameters: Parameters) -> Parameters:
        return changed(parameters, {self.name: self.value})

    def _opposite(self, before: Settings) -> Command:
        return SetParameter(self.name, vars(before.parameters).get(self.name, self.value))

    def _line(self, wording: Wording) -> str:
        return f"{self.name}: {_value(vars(wording.parameters).get(self.name))} → {_value(self.value)}"

    def _title(self, wording: Wording) -> str:
        return f"{self.name}: {self.value}"


@dataclass(frozen=True, slots=True)
class SetGoal(Command):
    """Gives the planner another goal."""

    icon = "goal"
    alters_choice = is_intervention = is_replayed = True
    log, undo_name = "New goal: {0.goal.text}", "Goal: {0.goal.text}"
    goal: Goal

    def _execute(self, run: Run) -> None:
        run.check_playing()
        run.planner.set_goal(self.goal)
        run.goal = self.goal

    def _follow_up(self, run: Run) -> None:
        run.emit_standing()

    def _change(self, settings: S) -> S:
        return replace(settings, goal=self.goal)

    def _mark(self) -> tuple[MarkKind, str]:
        return "goal", self.goal.text

    def _opposite(self, before: Settings) -> Command | None:
        return None if before.goal is None else SetGoal(before.goal)


# --- the language model ---------------------------------------------------------
@dataclass(frozen=True, slots=True)
class Answer(Command):
    """Answers a waiting model request with the operator's text.

    Attributes:
        ask: the number of the request.
    """

    icon = "user"
    is_intervention = is_final = True
    ask: int
    text: str

    def _execute(self, run: Run) -> None:
        run.answer(self.ask, self.text)

    def _line(self, wording: Wording) -> str:
        return f"Operator answered call {self.ask}: {shortened(self.text)}"

    def _title(self, wording: Wording) -> str:
        return f"Answer to call {self.ask}"


@dataclass(frozen=True, slots=True)
class GiveReply(Command):
    """Answers a model request with this reply whenever it is made on this branch from now on. The model is not asked.

    The reply that it received before is kept for the other branches.

    Attributes:
        call: the number of the call that made the request before.
        ask: the request, as the planner makes it.
        reply: the reply.
        prompt: the operator's prompt that the model answered with this reply; empty: the operator wrote the reply.
    """

    icon = "user"
    is_intervention = is_replayed = True
    call: int
    ask: ModelRequest
    reply: ModelReply
    prompt: tuple[Message, ...] = ()

    def _execute(self, run: Run) -> None:
        run.give_reply(self.ask, self.reply)

    def _mark(self) -> tuple[MarkKind, str]:
        return "edit", self._line(Wording())

    def _line(self, wording: Wording) -> str:
        how = "the reply to the operator's prompt" if self.prompt else "the operator's reply"
        return f"Call {self.call} gets {how}: {shortened(' · '.join(self.reply.texts))}"


@dataclass(frozen=True, slots=True)
class AskAgain(Command):
    """Sends a waiting or failed model request again, bypassing every cache.

    Attributes:
        ask: the number of the request.
    """

    icon = "retry"
    log = "Asked call {0.ask} again"
    ask: int

    def _execute(self, run: Run) -> None:
        run.ask_again(self.ask)


@dataclass(frozen=True, slots=True)
class AskAside(Command):
    """Sends the operator's own request to the present model, beside the run. The planner never receives the reply."""

    log = "Asked with the operator's prompt: {0.question.purpose}"
    question: ModelRequest

    def _execute(self, run: Run) -> None:
        run.ask_aside(self.question)


@dataclass(frozen=True, slots=True)
class Retry(Command):
    """Tries again what failed."""

    resolves_failure = True

    def _execute(self, run: Run) -> None:
        run.retry()


@dataclass(frozen=True, slots=True)
class UseModel(Command):
    """Lets another provider answer from now on.

    Attributes:
        name: the key of the provider in the session's `Setup.models`.
    """

    icon = "provider"
    is_final = resolves_failure = True
    log = "Provider: {0.name}"
    name: str

    def _execute(self, run: Run) -> None:
        run.use_model(self.name)


# --- limits and breakpoints -------------------------------------------------------
@dataclass(frozen=True, slots=True)
class SetSteps(Command):
    """Changes the number of steps after which the run ends."""

    is_replayed = True
    log, undo_name = "Steps allowed: {0.most}", "Steps: {0.most}"
    most: int

    def _execute(self, run: Run) -> None:
        if self.most < 1:
            raise UsageError(f"{self.most} steps: give at least 1")
        run.most_steps = self.most

    def _change(self, settings: S) -> S:
        return replace(settings, most_steps=self.most)

    def _opposite(self, before: Settings) -> Command:
        return SetSteps(before.most_steps or self.most)


@dataclass(frozen=True, slots=True)
class SetLimits(Command):
    """Changes the limits on the use of the language model over the whole run. None: no limit.

    Attributes:
        calls: number of model calls.
        tokens: number of tokens.
        cost: cost in the currency of the prices.
    """

    calls: int | None = None
    tokens: int | None = None
    cost: float | None = None

    @property
    def limits(self) -> Limits:
        """The limits as a budget takes them. Raises UsageError if one is negative."""
        return Limits(self.calls, self.tokens, self.cost)

    def _execute(self, run: Run) -> None:
        if run.budget is None:
            raise UsageError("nothing is asked in this run: there is nothing to limit")
        run.budget.limits = self.limits

    def _change(self, settings: S) -> S:
        return replace(settings, limits=self.limits)

    def _opposite(self, before: Settings) -> Command:
        return SetLimits(*astuple(before.limits))

    def _line(self, wording: Wording) -> str:
        limits = ((self.calls, "calls"), (self.tokens, "tokens"), (self.cost, "spent"))
        return f"Limits: {', '.join(f'{n} {what}' for n, what in limits if n is not None) or 'none'}"

    def _title(self, wording: Wording) -> str:
        return "Limits"


@dataclass(frozen=True, slots=True)
class SetBreakpoint(Command):
    """Sets a breakpoint."""

    icon = "breakpoint"
    log, undo_name = "Breakpoint set: {0.breakpoint.title}", "Breakpoint: {0.breakpoint.title}"
    breakpoint: Breakpoint

    def _execute(self, run: Run) -> None:
        run.breakpoints.add(self.breakpoint)

    def _change(self, settings: S) -> S:
        point, points = self.breakpoint, settings.breakpoints
        return replace(settings, breakpoints=points if point in points else (*points, point),
                       disabled=settings.disabled - {point})

    def _opposite(self, before: Settings) -> Command:
        return ClearBreakpoint(self.breakpoint)


@dataclass(frozen=True, slots=True)
class ClearBreakpoint(Command):
    """Removes a breakpoint."""

    icon = "breakpoint"
    log, undo_name = "Breakpoint deleted: {0.breakpoint.title}", "Delete breakpoint: {0.breakpoint.title}"
    breakpoint: Breakpoint

    def _execute(self, run: Run) -> None:
        run.breakpoints.remove(self.breakpoint)

    def _change(self, settings: S) -> S:
        return replace(settings, breakpoints=tuple(p for p in settings.breakpoints if p != self.breakpoint),
                       disabled=settings.disabled - {self.breakpoint})

    def _opposite(self, before: Settings) -> Command:
        return SetBreakpoint(self.breakpoint)


@dataclass(frozen=True, slots=True)
class EnableBreakpoint(Command):
    """Enables a breakpoint, or disables it and keeps it in the list."""

    icon = "breakpoint"
    breakpoint: Breakpoint
    enabled: bool = True

    def _execute(self, run: Run) -> None:
        run.breakpoints.enable(self.breakpoint, enabled=self.enabled)

    def _change(self, settings: S) -> S:
        is_disabled = not self.enabled and self.breakpoint in settings.breakpoints
        others = settings.disabled - {self.breakpoint}
        return replace(settings, disabled=others | {self.breakpoint} if is_disabled else others)

    def _opposite(self, before: Settings) -> Command:
        return EnableBreakpoint(self.breakpoint, not self.enabled)

    def _line(self, wording: Wording) -> str:
        return f"Breakpoint turned {'on' if self.enabled else 'off'}: {self.breakpoint.title}"

    def _title(self, wording: Wording) -> str:
        return f"Turn breakpoint {'on' if self.enabled else 'off'}: {self.breakpoint.title}"


# --- the history ----------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class Rewind(Command):
    """Goes back to the beginning of a turn and continues from there. The later turns are kept as history.

    Attributes:
        resample: ask the model again and use other random numbers; if False, the run repeats itself exactly.
        branch: the branch of the turn; None: the present one.
    """

    is_intervention = True
    turn: int
    resample: bool = False
    branch: int | None = None

    def _execute(self, run: Run) -> None:
        run.go_back(self.turn, self.branch, resample=self.resample, forks=False, then=None)


@dataclass(frozen=True, slots=True)
class Fork(Command):
    """Continues on a new branch from the beginning of a turn. `Switch` returns to the old branch where it was left.

    Attributes:
        turn: None: the turn under way as it is now, with its edits, bans, parameters and goal.
        resample: as in `Rewind`.
        branch: as in `Rewind`.
        then: is executed on the new branch before its turn begins; None: nothing is.
    """

    is_intervention = True
    turn: int | None = None
    resample: bool = False
    branch: int | None = None
    then: GiveReply | None = None

    def _execute(self, run: Run) -> None:
        run.go_back(self.turn, self.branch, resample=self.resample, forks=True, then=self.then)


@dataclass(frozen=True, slots=True)
class Switch(Command):
    """Continues another branch where it was left. A branch that has ended is only displayed."""

    is_intervention = True
    branch: int

    def _execute(self, run: Run) -> None:
        run.switch(self.branch)


# --- pictures, lists and labels: nothing of the run changes -------------------------
@dataclass(frozen=True, slots=True)
class Look(Command):
    """Draws these views, in this size (pixels), from now on. Without views nothing is drawn."""

    log = ""
    views: tuple[View, ...]
    width: int = 640
    height: int = 480

    def _execute(self, run: Run) -> None:
        run.draw(self.views, (self.width, self.height))


@dataclass(frozen=True, slots=True)
class KeepPictures(Command):
    """Draws these views of every turn for a recording, also when no panel shows them. Without views: the recording ended."""

    log = ""
    views: tuple[View, ...] = ("first person", "dollhouse")

    def _execute(self, run: Run) -> None:
        run.keep_pictures(self.views)


@dataclass(frozen=True, slots=True)
class ListActions(Command):
    """Lists the actions that are possible now, and those that are not yet possible with the reasons.

    Attributes:
        thing: list only actions that involve this entity; empty: all.
    """

    log = ""
    thing: str = ""

    def _execute(self, run: Run) -> None:
        run.list_actions(self.thing)


@dataclass(frozen=True, slots=True)
class Annotate(Command):
    """Puts a label or a note of the operator on this moment."""

    label: str
    note: str = ""
    phase: Phase = "point"
    annotator: str = ""

    def _follow_up(self, run: Run) -> None:
        run.annotate(self.label, self.note, self.phase, self.annotator)

    def _line(self, wording: Wording) -> str:
        return ""  # the label is logged


@dataclass(frozen=True, slots=True)
class Relabel(Command):
    """Changes, adds or removes a label: its times, its text, or its existence."""

    change: Change

    def _follow_up(self, run: Run) -> None:
        run.relabel(self.change)


def _value(value: Value | None) -> str:
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "on" if value else "off"
    return f"{value:g}" if isinstance(value, float) else str(value)
