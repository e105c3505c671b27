"""What the operator does to the run as a whole: choose its parts, start, pause, step, stop, look at the past, fork."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from PySide6.QtCore import QObject, Signal

from core import commands as c
from core.goals import Goal
from core.snapshot import Snapshot
from gui.bridge import Bridge, Moment
from gui.choices import Choices, MakeSetup, Request
from gui.context import Context
from gui.runner import Runner


class Console(QObject):
    """The acts of the operator bar, the timeline, the hotkeys and the palette.

    A request is prepared as soon as it is chosen: its session opens, shows the scene, and waits paused before the first turn's
    thinking, so that Run is at once and mistakes show early.
    """

    request_changed = Signal(object)
    shown_changed = Signal(object)
    """The Snapshot the panels should show: the newest, or that of a past turn."""
    live_snapshot = Signal(object)
    """The newest Snapshot, whatever the panels show."""
    told = Signal(str, str)
    """A short message for the status line, and its tone."""
    trouble_changed = Signal(object)
    """The exception that keeps the run from starting, or None."""

    def __init__(
        self, context: Context, bridge: Bridge, runner: Runner, choices: Choices, make_setup: MakeSetup, request: Request
    ):
        super().__init__()
        self.context, self.bridge, self.runner, self.choices = context, bridge, runner, choices
        self.request = request
        self.moment: Moment | None = None
        """The past turn that is shown; None: the present."""
        self.begun = False
        """Whether Run was said to the present session."""
        self.trouble: Exception | None = None
        self._make_setup = make_setup
        self._past: Snapshot | None = None
        bridge.changed.connect(self._on_snapshot)
        bridge.refused.connect(lambda reason: self.told.emit(reason, "warn"))
        runner.failed.connect(self._on_failed)

    # --- the run -----------------------------------------------------------
    @property
    def snapshot(self) -> Snapshot:
        """The newest state."""
        return self.bridge.snapshot

    @property
    def shown(self) -> Snapshot:
        """What the panels show."""
        return self._past if self._past is not None else self.bridge.snapshot

    @property
    def running(self) -> bool:
        """Whether the run goes on by itself."""
        alive = self.begun and self.runner.phase in ("preparing", "live")
        return alive and self.snapshot.status in ("idle", "thinking", "waiting")

    def prepare(self) -> None:
        """Open the request's session and leave it paused at its first turn."""
        self._open(c.Pause())
        self.begun = False

    def _open(self, *first: c.Command) -> None:
        self.go_live()
        self._set_trouble(None)
        self.context.undo.clear()
        self.runner.start(partial(self._make_setup, self.request), *first)

    def choose(self, request: Request) -> None:
        """Other parts, another seed or task: prepared anew."""
        if request == self.request:
            return
        self.request = request
        self.request_changed.emit(request)
        self.prepare()

    def choose_planner(self, name: str) -> None:
        """Another planner; parameters belong to a planner and go with it."""
        if name != self.request.planner:
            self.choose(replace(self.request, planner=name, preset="", parameters={}))

    def choose_preset(self, name: str) -> None:
        """Another set of parameters."""
        self.choose(replace(self.request, preset=name, parameters={}))

    def choose_simulator(self, name: str) -> None:
        """Another simulator, in its first scene."""
        if name != self.request.simulator:
            scenes = self.choices.scenes.get(name, ())
            self.choose(replace(self.request, simulator=name, scene=scenes[0].name if scenes else ""))

    def choose_scene(self, name: str) -> None:
        """Another scene."""
        self.choose(replace(self.request, scene=name))

    def choose_provider(self, name: str) -> None:
        """Another answerer."""
        self.choose(replace(self.request, provider=name))

    def run(self) -> None:
        """Begin, go on, or begin again after the end."""
        if self.runner.phase == "idle" or self.snapshot.ended is not None:
            self._open()
        else:
            self.go_live()
            self.runner.post(c.Resume())
        self.begun = True
        self.live_snapshot.emit(self.snapshot)

    def pause(self) -> None:
        """Stop at the next yield."""
        if self.snapshot.ended is None:
            self.runner.post(c.Pause())

    def run_or_pause(self) -> None:
        """What Space does."""
        if self.running:
            self.pause()
        else:
            self.run()

    def step(self, to: str = "action") -> None:
        """One action, or one checkpoint."""
        if self.moment is not None:
            self.turn_by(1)
            return
        self.begun = True
        if self.runner.phase == "idle" or self.snapshot.ended is not None:
            self._open(c.Pause())
        self.runner.post(c.Step("checkpoint" if to == "checkpoint" else "action"))

    def stop(self) -> None:
        """End the run; what it did stays to be looked at."""
        self.runner.stop()

    def again(self) -> None:
        """The same request from its beginning."""
        self._open()
        self.begun = True

    # --- goals and budgets -------------------------------------------------
    def set_goal(self, text: str, goal: Goal | None) -> None:
        """Another task: told to a run that has begun, otherwise prepared anew."""
        if self.begun and goal is not None and self.runner.phase == "live" and self.snapshot.ended is None:
            self.request = replace(self.request, task=text)
            self.runner.post(c.SetGoal(goal))
            self.request_changed.emit(self.request)
        else:
            self.choose(replace(self.request, task=text))

    def set_steps(self, most: int) -> None:
        """Another limit of steps, now and for the next runs."""
        self.request = replace(self.request, max_steps=most)
        self.runner.post(c.SetSteps(most))

    def set_limits(self, limits: c.SetLimits) -> None:
        """Other limits of the language model's use, now and for the next runs; what waits for a higher one is tried again."""
        self.request = replace(self.request, limits=limits)
        self.runner.post(limits)
        if self.snapshot.failure is not None:
            self.runner.post(c.Retry())

    def set_parameter(self, name: str, value: bool | int | float | str) -> None:
        """Another value of a planner's parameter, now and for the next runs."""
        self.request = replace(self.request, parameters={**self.request.parameters, name: value})
        self.runner.post(c.SetParameter(name, value))

    def more_simulations(self, more: int = 100) -> None:
        """Search deeper."""
        now = vars(self.snapshot.parameters).get("simulations")
        if isinstance(now, int):
            self.set_parameter("simulations", now + more)
        else:
            self.told.emit("This planner counts no simulations", "warn")

    def toggle_ban(self) -> None:
        """Ban the selected action, or allow it again."""
        selected = self.context.selection.now
        if selected is None or selected.action is None:
            self.told.emit("Select an action first", "warn")
            return
        banned = selected.action in self.snapshot.banned
        self.context.post(c.Unban(selected.action) if banned else c.Ban(selected.action))

    # --- the past ----------------------------------------------------------
    def go_to(self, moment: Moment) -> None:
        """Show how a past turn ended; the run goes on meanwhile."""
        past = self.bridge.at(moment)
        live = self.snapshot
        if past is None or moment == Moment(live.branch, live.turn):
            self.go_live()
            return
        self.moment, self._past = moment, past
        self.context.set_live(False)
        self.shown_changed.emit(past)
        self.live_snapshot.emit(live)

    def go_live(self) -> None:
        """Show the present again."""
        if self.moment is None:
            return
        self.moment, self._past = None, None
        self.context.set_live(True)
        self.shown_changed.emit(self.snapshot)
        self.live_snapshot.emit(self.snapshot)

    def turns(self) -> tuple[Moment, ...]:
        """The turns of the present branch, its parents' beginning included, oldest first."""
        return turns_of(self.snapshot)

    def turn_by(self, step: int) -> None:
        """Back or on by some turns; past the last one is the present."""
        turns = self.turns()
        live = Moment(self.snapshot.branch, self.snapshot.turn)
        at = turns.index(self.moment) if self.moment in turns else len(turns) - (1 if turns and turns[-1] == live else 0)
        goal = at + step
        if goal >= len(turns):
            self.go_live()
        elif turns:
            self.go_to(turns[max(0, goal)])

    def first_turn(self) -> None:
        """Show the first turn."""
        turns = self.turns()
        if turns:
            self.go_to(turns[0])

    def fork(self) -> None:
        """A new branch from the turn that is shown; the old one is kept as it is."""
        self._back(c.Fork)

    def rewind(self) -> None:
        """Back to the turn that is shown, on a new branch."""
        self._back(c.Rewind)

    def _back(self, how: type[c.Fork] | type[c.Rewind]) -> None:
        live = self.snapshot
        moment = self.moment or Moment(live.branch, max(1, live.turn - (0 if live.ended is not None else 1)))
        if self.runner.phase != "live" or live.turn < 1:
            self.told.emit("There is no run to go back in", "warn")
            return
        if moment.branch != live.branch and moment not in self.turns():
            self.runner.post(c.Switch(moment.branch))
        self.runner.post(how(moment.turn))
        self.go_live()

    # --- from the session --------------------------------------------------
    def _on_snapshot(self, snapshot: Snapshot) -> None:
        self.live_snapshot.emit(snapshot)
        if self.moment is None:
            self.shown_changed.emit(snapshot)

    def _on_failed(self, error: Exception) -> None:
        self._set_trouble(error)

    def _set_trouble(self, error: Exception | None) -> None:
        if error is not self.trouble:
            self.trouble = error
            self.trouble_changed.emit(error)


def turns_of(snapshot: Snapshot) -> tuple[Moment, ...]:
    """The acted turns that lead to the present, of parent branches up to where they were left."""
    parents = {number: (parent, leaves) for number, parent, leaves in snapshot.branches}
    found: dict[int, Moment] = {}
    branch: int | None = snapshot.branch
    limit = float("inf")
    while branch is not None:
        for turn in snapshot.turns:
            if turn.branch == branch and turn.number < limit and turn.number not in found:
                found[turn.number] = Moment(branch, turn.number)
        branch, leaves = parents.get(branch, (None, 1))
        limit = min(limit, leaves)
    return tuple(found[number] for number in sorted(found))
