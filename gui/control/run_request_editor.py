"""Changes of the parts, goal, limits and settings of a run, for the run under way and the next ones."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from core.app.run_request import Request
from core.common.errors import BelvedereError
from core.common.parameters import Value
from core.goals.literals import Goal
from core.llm.budget import Limits
from core.llm.model_config import ModelConfig
from core.session import commands as c
from core.session.breakpoints import Breakpoint
from core.session.pace import Pace
from core.world.vocabulary import Action
from gui.control.choices import BESIDE, MODEL, MORE
from gui.control.goal_reader import Calls
from gui.control.scene_choices import OPEN_GRAPH, scene_of
from gui.widgets.chooser import chosen

if TYPE_CHECKING:
    from gui.control.console import Console


MOST_ROLLED = 1000
"""Random seeds are below this number, so that they are short to read and type."""


class RunRequestEditor:
    """Applies changes to a run that has begun, and keeps them in the request for the next runs."""

    def __init__(self, console: Console):
        self._console = console

    # --- another run ---------------------------------------------------------
    def choose_planner(self, name: str) -> None:
        """Chooses another planner, without the preset and parameters of the former, or one that only thinks (`beside:NAME`)."""
        if name.startswith(BESIDE):
            beside = name.removeprefix(BESIDE)
            self._choose(f"Second planner: {beside or 'none'}", beside=beside)
        elif name != self._console.request.planner:
            self._choose(f"Planner: {name}", planner=name, preset="", parameters={})

    def choose_scene(self, name: str) -> None:
        """Chooses another scene, with its simulator if that is another one, or opens the dialog for a graph file."""
        if name == OPEN_GRAPH:
            self._console.asked_graph.emit()
            return
        simulator, scene = scene_of(name, self._console.request)
        if simulator != self._console.request.simulator:
            self.choose_simulator(simulator, scene)
        else:
            self.choose("scene", scene)

    def choose_simulator(self, name: str, scene: str = "") -> None:
        """Chooses another simulator and another planner if the present one cannot play it. Without a scene, in its first."""
        console, request = self._console, self._console.request
        if name == request.simulator:
            return
        scenes, planners = console.choices.scenes.get(name, ()), console.choices.planners_for(name)
        wanted = replace(request, simulator=name, scene=scene or (scenes[0].name if scenes else ""))
        if name in console.choices.own_tasks:
            wanted = replace(wanted, task="", goal="")
        if not chosen(planners, request.planner).available:
            free, former = [p for p in planners if p.available], console.choices.planners_for(request.simulator)
            made_for_it = [p for p in free if not chosen(former, p.name).available]
            other = next(iter(made_for_it or free), chosen(planners, request.planner))
            wanted = replace(wanted, planner=other.name, preset="", parameters={})
            why = chosen(planners, request.planner).hint
            console.message.emit(f"The planner is now {other.title}: {chosen(planners, request.planner).title} {why}", "muted")
        console.choose(wanted, f"Simulator: {name}")

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
                to_wanted, back = partial(console.set_request, wanted), partial(console.set_request, console.request)
                console.context.push(words, to_wanted, back)
                console.message.emit(f"{entry.name} answers from the next run on", "muted")
        else:
            console.choose(wanted, words)
            console.request_changed.emit(console.request)  # two entries may be equal except for their names

    def _remember(self, name: str) -> None:
        models = self._console.models
        try:
            models.choose(name)
        except BelvedereError as error:
            self._console.message.emit(f"The choice is not kept for the next start: {' '.join(str(error).split())}", "warn")

    def choose(self, part: Literal["preset", "scene", "seed", "task"], value: str | int) -> None:
        """Chooses another preset of parameters, scene, seed or task."""
        others: dict[str, Any] = {"parameters": {}} if part == "preset" else {"goal": ""} if part == "task" else {}
        self._choose(f"{part.capitalize()}: {value}", **{part: value}, **others)

    def roll_seed(self) -> None:
        """Chooses a random seed."""
        self.choose("seed", random.choice([n for n in range(MOST_ROLLED) if n != self._console.request.seed]))

    def _choose(self, words: str, **parts: Any) -> None:
        self._console.choose(replace(self._console.request, **parts), words)

    def set_goal(self, text: str, goal: Goal | None, formal: str = "", calls: Calls = ()) -> None:
        """Sets another task. A run that has begun receives it as a new goal; otherwise a new run is prepared.

        Args:
            text: the task in words.
            goal: the goal; None if it is not known yet.
            formal: the goal as formal text, if the words alone do not say it.
            calls: the model requests that reading it took, with their replies; the run records them.
        """
        console = self._console
        if not console.may_change():
            return
        before = console.snapshot.goal
        live = console.begun and console.runner.phase == "live" and console.snapshot.ended is None
        if not live or goal is None or before is None:
            console.read_calls = (replace(console.request, task=text, goal=formal), calls)
            self._choose(f"Goal: {text}", task=text, goal=formal)
            return
        console.runner.note_calls(calls)
        self._push(c.SetGoal(goal), lambda request: replace(request, task=text, goal=formal), f"Goal: {text}")

    # --- this run and the next ones ------------------------------------------
    def set_steps(self, most: int) -> None:
        """Sets another limit of steps."""
        if self._console.may_change():
            self._push(c.SetSteps(most), lambda request: replace(request, max_steps=most))

    def set_limits(self, limits: c.SetLimits) -> None:
        """Sets other limits for the language model. A run that failed is retried."""
        console = self._console
        if not console.may_change():
            return
        self._push(limits, lambda request: replace(request, limits=limits.limits))
        if console.snapshot.failure is not None:
            console.runner.post(c.Retry())

    def set_parameter(self, name: str, value: Value) -> None:
        """Sets a parameter of the planner."""
        console = self._console
        if not console.may_change():
            return
        before = vars(console.snapshot.parameters).get(name, value)
        console.context.push_parameter(f"{name}: {value}", name, value, before)

    def more_simulations(self) -> None:
        """Adds 100 to the planner's number of simulations."""
        now = vars(self._console.snapshot.parameters).get("simulations")
        if isinstance(now, int):
            self.set_parameter("simulations", now + 100)
        else:
            self._console.message.emit("This planner does not use simulations", "warn")

    def _push(self, command: c.Command, change: Callable[[Request], Request], words: str = "") -> None:
        self._console.context.push_command(command, words, command.opposite(self._console.snapshot), change)

    def set_pace(self, pace: Pace) -> None:
        """Sets when this run and the next ones stop by themselves."""
        context = self._console.context
        context.push_command(c.SetPace(pace), "", c.SetPace(context.breakpoints.pace))

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
            if action in self._console.snapshot.banned:
                self._console.context.push_command(c.Unban(action), f"Allow {words}")
            else:
                self._console.context.push_command(c.Ban(action), f"Ban {words}")

    def set_breakpoint(self, point: Breakpoint) -> None:
        """Sets a breakpoint."""
        self._console.context.push_command(c.SetBreakpoint(point))

    def clear_breakpoint(self, point: Breakpoint) -> None:
        """Deletes a breakpoint."""
        self._console.context.push_command(c.ClearBreakpoint(point))
