"""Commands about the planner and its choice."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from core.common.errors import UsageError
from core.common.parameters import Parameters, Value, changed
from core.goals.literals import Goal
from core.planning.belief_facets import Belief
from core.planning.facets import Facet
from core.session.command import Command, MarkKind, S, Settings, Wording, because, spaced
from core.world.vocabulary import Action

if TYPE_CHECKING:
    from core.session.run import Run


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

    def execute(self, run: Run) -> None:
        run.check_playing()
        run.override(self, self.action, self.why, told=self.told)

    def line(self, wording: Wording) -> str:
        return f"{self.title(wording)}{'' if self.told else ' · planner not told'}{because(self.why)}"

    def title(self, wording: Wording) -> str:
        return f"Override: {wording.phrase(self.action)}"


@dataclass(frozen=True, slots=True)
class Ban(Command):
    """Forbids the planner to choose this action, until it is unbanned."""

    icon = "ban"
    alters_choice = is_intervention = is_replayed = True
    action: Action

    def execute(self, run: Run) -> None:
        run.ban(run.banned | {self.action})

    def settings_after(self, settings: S) -> S:
        return replace(settings, banned=settings.banned | {self.action})

    def opposite(self, before: Settings) -> Command:
        return Unban(self.action)

    def line(self, wording: Wording) -> str:
        return f"Ban: {wording.phrase(self.action)}"


@dataclass(frozen=True, slots=True)
class Unban(Command):
    """Allows the planner to choose a banned action again."""

    icon = "ban"
    alters_choice = is_intervention = is_replayed = True
    action: Action

    def execute(self, run: Run) -> None:
        run.ban(run.banned - {self.action})

    def settings_after(self, settings: S) -> S:
        return replace(settings, banned=settings.banned - {self.action})

    def opposite(self, before: Settings) -> Command:
        return Ban(self.action)

    def line(self, wording: Wording) -> str:
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

    def execute(self, run: Run) -> None:
        run.check_playing()
        if type(self.facet) not in run.planner.edits:
            raise UsageError(f"{run.planner.name} takes no edits of its {type(self.facet).__name__}")
        run.planner.accept(self.facet)

    def mark(self) -> tuple[MarkKind, str]:
        return "edit", self.why or type(self.facet).__name__

    def line(self, wording: Wording) -> str:
        before, after = wording.before, self.facet
        text = f"Edited: {spaced(type(after).__name__)}"
        if isinstance(before, Belief) and isinstance(after, Belief) and before.probability.shape == after.probability.shape:
            change = np.abs(after.probability - before.probability)
            row, column = (int(k) for k in np.unravel_index(int(change.argmax()), change.shape))
            was, now = before.probability[row, column], after.probability[row, column]
            text = f"Belief: {after.called(row)} · {wording.name(after.places[column])} · {was:.2f} → {now:.2f}"
        return f"{text}{because(self.why)}"


@dataclass(frozen=True, slots=True)
class EditCompanion(Command):
    """Replaces a facet of the companion's state by this one. The companion thinks again; the driving planner does not.

    Attributes:
        facet: the edited facet.
        why: the operator's reason.
    """

    is_intervention = is_replayed = True
    facet: Facet
    why: str = ""

    def execute(self, run: Run) -> None:
        run.check_playing()
        run.companion.edit(self.facet)

    def mark(self) -> tuple[MarkKind, str]:
        return "edit", f"second planner: {self.why or spaced(type(self.facet).__name__)}"

    def line(self, wording: Wording) -> str:
        return f"Second planner, edited: {spaced(type(self.facet).__name__)}{because(self.why)}"


@dataclass(frozen=True, slots=True)
class Deepen(Command):
    """Searches one action of the ranking further.

    Attributes:
        action: the action; None: every action, until all have equally many simulations.
        visits: number of additional simulations.
    """

    action: Action | None
    visits: int = 25

    def execute(self, run: Run) -> None:
        run.check_playing()
        run.planner.deepen(self.action, self.visits)


@dataclass(frozen=True, slots=True)
class SetParameter(Command):
    """Changes one parameter of the planner, from its next yield on."""

    icon = "parameters"
    is_intervention = is_replayed = True
    name: str
    value: Value

    def execute(self, run: Run) -> None:
        run.planner.parameters = self._changed(run.planner.parameters)

    def settings_after(self, settings: S) -> S:
        return replace(settings, parameters=self._changed(settings.parameters))

    def _changed(self, parameters: Parameters) -> Parameters:
        return changed(parameters, {self.name: self.value})

    def opposite(self, before: Settings) -> Command:
        return SetParameter(self.name, vars(before.parameters).get(self.name, self.value))

    def line(self, wording: Wording) -> str:
        return f"{self.name}: {_value(vars(wording.parameters).get(self.name))} → {_value(self.value)}"

    def title(self, wording: Wording) -> str:
        return f"{self.name}: {self.value}"


@dataclass(frozen=True, slots=True)
class SetGoal(Command):
    """Gives the planner another goal."""

    icon = "goal"
    alters_choice = is_intervention = is_replayed = True
    log, undo_name = "New goal: {0.goal.text}", "Goal: {0.goal.text}"
    goal: Goal

    def execute(self, run: Run) -> None:
        run.check_playing()
        run.planner.set_goal(self.goal)
        run.goal = self.goal

    def follow_up(self, run: Run) -> None:
        run.emit_standing()

    def settings_after(self, settings: S) -> S:
        return replace(settings, goal=self.goal)

    def mark(self) -> tuple[MarkKind, str]:
        return "goal", self.goal.text

    def opposite(self, before: Settings) -> Command | None:
        return None if before.goal is None else SetGoal(before.goal)


def _value(value: Value | None) -> str:
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "on" if value else "off"
    return f"{value:g}" if isinstance(value, float) else str(value)
