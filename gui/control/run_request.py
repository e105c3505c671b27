"""Changes to this run and to the request of the next ones: parts, goal, parameters, budgets, bans."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from core.app.run_request import Request
from core.common.errors import BelvedereError
from core.common.parameters import Value
from core.goals.literals import Goal
from core.llm.budget import Limits
from core.llm.model_config import ModelConfig
from core.session import commands as c
from core.session.breakpoint_hits import title
from core.world.vocabulary import Action
from gui.control.model_book import MODEL, MORE
from gui.control.undo_commands import ChoiceStep, CommandStep, ParameterSet, RequestStep
from gui.widgets.chooser import chosen

if TYPE_CHECKING:
    from gui.control.console import Console


MOST_ROLLED = 1000
"""Random seeds are below this number, so that they are short to read and type."""
RunChange = tuple[c.Command, Callable[[Request], Request]]
"""A command for the run, and the change of the request for the next runs."""


class RunRequestEditor:
    """Applies changes to a run that has begun, and keeps them in the request for the next runs."""

    def __init__(self, console: Console):
        self._console = console

    # --- another run ---------------------------------------------------------
    def choose_planner(self, name: str) -> None:
        """Chooses another planner. The preset and parameters are reset, because they belong to a planner."""
        if name != self._console.request.planner:
            self._choose(f"Planner: {name}", planner=name, preset="", parameters={})

    def choose_preset(self, name: str) -> None:
        """Chooses another preset of parameters."""
        self._choose(f"Preset: {name}", preset=name, parameters={})

    def choose_simulator(self, name: str) -> None:
        """Chooses another simulator, in its first scene, and another planner if the present one cannot play it."""
        console, request = self._console, self._console.request
        if name == request.simulator:
            return
        scenes, planners = console.choices.scenes.get(name, ()), console.choices.planners_for(name)
        wanted = replace(request, simulator=name, scene=scenes[0].name if scenes else "")
        if name in console.choices.own_tasks:
            wanted = replace(wanted, task="")
        if not chosen(planners, request.planner).available:
            free, former = [p for p in planners if p.available], console.choices.planners_for(request.simulator)
            made_for_it = [p for p in free if not chosen(former, p.name).available]
            other = next(iter(made_for_it or free), chosen(planners, request.planner))
            wanted = replace(wanted, planner=other.name, preset="", parameters={})
            why = chosen(planners, request.planner).hint
            console.message.emit(f"The planner is now {other.title}: {chosen(planners, request.planner).title} {why}", "muted")
        console.choose(wanted, f"Simulator: {name}")

    def choose_scene(self, name: str) -> None:
        """Chooses another scene."""
        self._choose(f"Scene: {name}", scene=name)

    def choose_provider(self, name: str) -> None:
        """Chooses another answerer: a provider, one of the user's models, or the item that opens the list of models."""
        console = self._console
        entry = console.models.find(name.removeprefix(MODEL)) if name.startswith(MODEL) else None
        if name == MORE:
            console.asked_models.emit()
        elif entry is not None:
            self.choose_model(entry)
        elif name != console.request.provider and console.may_change():
            self._remember("")
            limits: dict[str, Any] = {"limits": Limits(), "prices": {}} if console.request.model else {}
            self._choose(f"Provider: {name}", provider=name, model={}, **limits)

    def choose_model(self, entry: ModelConfig) -> None:
        """Chooses one of the user's models, with its limits and prices. A run under way continues with the model it has."""
        console = self._console
        if not console.may_change():
            return
        self._remember(entry.name)
        wanted = replace(console.request, provider=entry.provider, model=entry.options, limits=entry.limits,
                         prices=entry.prices)
        words = f"Model: {entry.name}"
        if console.begun and console.runner.phase == "live" and console.snapshot.ended is None:
            if wanted != console.request:
                console.context.undo.push(ChoiceStep(words, console.set_request, console.request, wanted))
                console.message.emit(f"{entry.name} answers from the next run on", "muted")
        else:
            console.choose(wanted, words)
            console.request_changed.emit(console.request)  # two entries may be equal except for their names

    def _remember(self, name: str) -> None:
        """Stores the model for the next start."""
        models = self._console.models
        try:
            if not models.trouble:
                models.choose(name)
        except BelvedereError as error:
            self._console.message.emit(f"The choice is not kept for the next start: {' '.join(str(error).split())}", "warn")

    def choose_seed(self, seed: int) -> None:
        """Chooses another seed: other positions of objects, other random draws of the planner."""
        self._choose(f"Seed: {seed}", seed=seed)

    def choose_task(self, task: str) -> None:
        """Chooses another task and prepares a new run."""
        self._choose(f"Task: {task}", task=task)

    def roll_seed(self) -> None:
        """Chooses a random seed."""
        self.choose_seed(random.choice([n for n in range(MOST_ROLLED) if n != self._console.request.seed]))

    def _choose(self, words: str, **parts: Any) -> None:
        self._console.choose(replace(self._console.request, **parts), words)

    def set_goal(self, text: str, goal: Goal | None) -> None:
        """Sets another task. A run that has begun receives it as a new goal; otherwise a new run is prepared."""
        console = self._console
        if not console.may_change():
            return
        before = console.snapshot.goal
        live = console.begun and console.runner.phase == "live" and console.snapshot.ended is None
        if not live or goal is None or before is None:
            self._choose(f"Goal: {text}", task=text)
            return
        former = console.request.task
        self._push(f"Goal: {text}", (c.SetGoal(goal), lambda request: replace(request, task=text)),
                   (c.SetGoal(before), lambda request: replace(request, task=former)))

    # --- this run and the next ones ------------------------------------------
    def set_steps(self, most: int) -> None:
        """Sets another limit of steps."""
        if self._console.may_change():
            before, now = self._console.request.max_steps, self._console.snapshot.most_steps
            self._push(f"Steps: {most}", (c.SetSteps(most), lambda request: replace(request, max_steps=most)),
                       (c.SetSteps(now or most), lambda request: replace(request, max_steps=before)))

    def set_limits(self, limits: c.SetLimits) -> None:
        """Sets other limits for the language model. A run that failed is retried."""
        console = self._console
        if not console.may_change():
            return
        before, former = console.snapshot.limits, console.request.limits
        wanted = Limits(limits.calls, limits.tokens, limits.cost)
        self._push("Limits", (limits, lambda request: replace(request, limits=wanted)),
                   (before, lambda request: replace(request, limits=former)))
        if console.snapshot.failure is not None:
            console.runner.post(c.Retry())

    def set_parameter(self, name: str, value: Value) -> None:
        """Sets a parameter of the planner."""
        console = self._console
        if not console.may_change():
            return
        before = vars(console.snapshot.parameters).get(name, value)
        console.context.undo.push(ParameterSet(console.context, f"{name}: {value}", name, value, before))

    def more_simulations(self, more: int = 100) -> None:
        """Adds `more` to the planner's number of simulations."""
        now = vars(self._console.snapshot.parameters).get("simulations")
        if isinstance(now, int):
            self.set_parameter("simulations", now + more)
        else:
            self._console.message.emit("This planner does not use simulations", "warn")

    def _push(self, words: str, now: RunChange, opposite: RunChange) -> None:
        context = self._console.context
        context.undo.push(RequestStep(words, context.post, context.change_request, now, opposite))

    # --- this run only ---------------------------------------------------------
    def toggle_ban(self) -> None:
        """Bans the selected action, or allows it again."""
        selected = self._console.context.selection.now
        if selected is None or selected.action is None:
            self._console.message.emit("Select an action first", "warn")
        else:
            self.ban_or_allow(selected.action, str(selected.action))

    def ban_or_allow(self, action: Action, words: str) -> None:
        """Bans an action, or allows it again. `words` names it."""
        if self._console.may_change():
            ban, allow = c.Ban(action), c.Unban(action)
            banned = action in self._console.snapshot.banned
            now, opposite, word = (allow, ban, "Allow") if banned else (ban, allow, "Ban")
            self._push_command(f"{word} {words}", now, opposite)

    def set_breakpoint(self, point: c.Breakpoint) -> None:
        """Sets a breakpoint."""
        self._push_command(f"Breakpoint: {title(point)}", c.SetBreakpoint(point), c.ClearBreakpoint(point))

    def clear_breakpoint(self, point: c.Breakpoint) -> None:
        """Deletes a breakpoint."""
        self._push_command(f"Delete breakpoint: {title(point)}", c.ClearBreakpoint(point), c.SetBreakpoint(point))

    def _push_command(self, words: str, now: c.Command, opposite: c.Command) -> None:
        self._console.context.undo.push(CommandStep(self._console.context, words, now, opposite))
