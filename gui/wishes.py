"""What the operator wants of this run and the next ones: parts, goal, parameters, budgets, bans."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from core import commands as c
from core.goals import Goal
from core.language.budget import Limits
from gui.choices import chosen

if TYPE_CHECKING:
    from gui.console import Console


class Wishes:
    """Told to a run that has begun, and kept in the request for those that follow."""

    def __init__(self, console: Console):
        self._console = console

    def choose_planner(self, name: str) -> None:
        """Another planner; parameters belong to a planner and go with it."""
        if name != self._console.request.planner:
            self._console.choose(replace(self._console.request, planner=name, preset="", parameters={}))

    def choose_preset(self, name: str) -> None:
        """Another set of parameters."""
        self._console.choose(replace(self._console.request, preset=name, parameters={}))

    def choose_simulator(self, name: str) -> None:
        """Another simulator, in its first scene; with another planner if the present one cannot play it."""
        console, request = self._console, self._console.request
        if name == request.simulator:
            return
        scenes, planners = console.choices.scenes.get(name, ()), console.choices.planners_for(name)
        wanted = replace(request, simulator=name, scene=scenes[0].name if scenes else "")
        if name in console.choices.own_tasks:
            wanted = replace(wanted, task="")
        if not chosen(planners, request.planner).available:
            other = next((p for p in planners if p.available), chosen(planners, request.planner))
            wanted = replace(wanted, planner=other.name, preset="", parameters={})
            why = chosen(planners, request.planner).hint
            console.told.emit(f"The planner is now {other.title}: {chosen(planners, request.planner).title} {why}", "muted")
        console.choose(wanted)

    def choose_scene(self, name: str) -> None:
        """Another scene."""
        self._console.choose(replace(self._console.request, scene=name))

    def choose_provider(self, name: str) -> None:
        """Another answerer."""
        self._console.choose(replace(self._console.request, provider=name))

    def set_goal(self, text: str, goal: Goal | None) -> None:
        """Another task: told to a run that has begun, otherwise prepared anew."""
        if not self._console.may_change():
            return
        console = self._console
        if console.begun and goal is not None and console.runner.phase == "live" and console.snapshot.ended is None:
            console.become(replace(console.request, task=text))
            console.runner.post(c.SetGoal(goal))
        else:
            console.choose(replace(console.request, task=text))

    def set_steps(self, most: int) -> None:
        """Another limit of steps, now and for the next runs."""
        if not self._console.may_change():
            return
        self._console.request = replace(self._console.request, max_steps=most)
        self._console.runner.post(c.SetSteps(most))

    def set_limits(self, limits: c.SetLimits) -> None:
        """Other limits of the language model's use, now and for the next runs; what waits for a higher one is tried again."""
        console = self._console
        if not console.may_change():
            return
        console.request = replace(console.request, limits=Limits(limits.calls, limits.tokens, limits.cost))
        console.runner.post(limits)
        if console.snapshot.failure is not None:
            console.runner.post(c.Retry())

    def set_parameter(self, name: str, value: bool | int | float | str) -> None:
        """Another value of a planner's parameter, now and for the next runs."""
        if not self._console.may_change():
            return
        self._console.request = replace(self._console.request, parameters={**self._console.request.parameters, name: value})
        self._console.runner.post(c.SetParameter(name, value))

    def more_simulations(self, more: int = 100) -> None:
        """Search deeper."""
        now = vars(self._console.snapshot.parameters).get("simulations")
        if isinstance(now, int):
            self.set_parameter("simulations", now + more)
        else:
            self._console.told.emit("This planner counts no simulations", "warn")

    def toggle_ban(self) -> None:
        """Ban the selected action, or allow it again."""
        if not self._console.may_change():
            return
        selected = self._console.context.selection.now
        if selected is None or selected.action is None:
            self._console.told.emit("Select an action first", "warn")
            return
        banned = selected.action in self._console.snapshot.banned
        self._console.context.post(c.Unban(selected.action) if banned else c.Ban(selected.action))
