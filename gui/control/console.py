"""What the operator does to the run as a whole: choose its parts, start, pause, step, stop, look at the past, fork."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from core.app.run_request import Request
from core.planning.moment import Moment
from core.session import commands as c
from core.session.lineage import Lines
from core.session.snapshot import Snapshot
from gui.control.bridge import Bridge
from gui.control.choices import Choices, MakeSetup
from gui.control.context import Context
from gui.control.model_book import ModelBook
from gui.control.model_names import answerer_of
from gui.control.replay import Replay
from gui.control.run_request import RunRequestEditor
from gui.control.runner import Runner
from gui.control.turn_lookup import moment_of, place_of
from gui.control.undo import UndoHistory
from gui.control.undo_commands import ChoiceStep
from gui.widgets.choice import Choice

if TYPE_CHECKING:
    from core.session.setup import Setup


class Console(QObject):
    """The acts of the operator bar, the timeline, the hotkeys and the palette.

    A request is prepared as soon as it is chosen: its session opens, shows the scene, and waits paused before the first turn's
    thinking, so that Run is at once and mistakes show early.
    """

    request_changed = Signal(object)
    asked_task = Signal()
    """Draw another task for the scene."""
    asked_models = Signal()
    """Open the list of the user's models."""
    asked_choices = Signal()
    """Somebody wants to choose, and what there is is not known yet."""
    choices_changed = Signal()
    shown_changed = Signal(object)
    """The Snapshot the panels should show: the newest, or that of a past turn."""
    live_snapshot = Signal(object)
    """The newest Snapshot, whatever the panels show."""
    told = Signal(str, str)
    """A short message for the status line, and its tone."""
    asked_take_over = Signal()
    """Go back was said where a recording is shown: only a live run can, taken over from there."""
    trouble_changed = Signal(object)
    """The exception that keeps the run from starting, or None."""
    forked = Signal()
    """A fork that the operator asked for has begun."""

    def __init__(
        self, context: Context, bridge: Bridge, runner: Runner, replay: Replay, choices: Choices, make_setup: MakeSetup,
        request: Request, models: ModelBook | None = None
    ):
        super().__init__()
        self.models = models or ModelBook()
        """The user's models."""
        self.played = request
        """What the present run was asked to be; `request` is for the next one."""
        self.context, self.bridge, self.runner, self.replay, self.choices = context, bridge, runner, replay, choices
        self.request = request
        self.run_request = RunRequestEditor(self)
        self.moment: Moment | None = None
        """The past turn that is shown; None: the present."""
        self.begun = False
        """Whether Run was said to the present session."""
        self.trouble: Exception | None = None
        self._make_setup = make_setup
        self._past: Snapshot | None = None
        self._lines = Lines()
        self._forks_from: int | None = None
        context.newest = lambda _: self.snapshot
        context.become = lambda change: self.become(change(self.request))
        self.live_snapshot.connect(lambda _: context.went_on.emit())
        context.selection.asked_turn.connect(lambda branch, turn: self.go_to(Moment(branch, turn)))
        bridge.heard.connect(context.event_log.hear)
        self.undoing = UndoHistory(context)
        self.undoing.told.connect(self.told)
        bridge.heard.connect(lambda anew, events: self.undoing.hear(anew, events, self.snapshot))
        bridge.heard.connect(context.pending_edits.hear)
        self.live_snapshot.connect(context.preview.hear_snapshot)
        bridge.answered.connect(context.preview.hear_answer)
        context.preview.troubled.connect(lambda words: self.told.emit(words, "warn"))
        bridge.changed.connect(self._on_snapshot)
        bridge.refused.connect(self._on_refused)
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
    def replaying(self) -> bool:
        """Whether a recording is shown in the place of a run."""
        return self.replay.reel is not None

    @property
    def story(self) -> Snapshot:
        """What the timeline lays out: all of the run or recording so far, on the branch that is shown."""
        now, past = self.snapshot, self._past
        if past is None or past.branch == now.branch or past.branch not in now.branch_states:
            return now
        ended = now.branch_states[past.branch].ended
        return replace(now, branch=past.branch, current=None, ended=ended, line=self._lines.of(now, past.branch))

    @property
    def running(self) -> bool:
        """Whether the run, or the recording, goes on by itself."""
        if self.replaying:
            return self.replay.playing
        alive = self.begun and self.runner.phase in ("preparing", "live")
        return alive and self.snapshot.status in ("idle", "thinking", "waiting")

    def answerer(self, request: Request | None = None) -> Choice:
        """Who answers the questions of a request, by default of the next run's."""
        return answerer_of(request or self.request, self.choices, self.models)

    def offer(self, choices: Choices) -> None:
        """What there is to choose from, found out."""
        self.choices = choices
        self.choices_changed.emit()

    def prepare(self) -> None:
        """Open the request's session and leave it paused at its first turn."""
        self._open(c.Pause())
        self.begun = False

    def _open(self, *first: c.Command) -> None:
        self._clear()
        self.played = self.request
        self.runner.start(partial(self._make_setup, self.request), *first)

    def _clear(self, *, forget: bool = True) -> None:
        """Nothing is shown of what was before; `forget`: and nothing of it can be undone."""
        self.replay.close()
        self.go_live()
        self._set_trouble(None)
        self._forks_from = None
        if forget:
            self.context.undo.clear()

    def choose(self, request: Request, words: str = "Other parts") -> None:
        """Prepare a new run with other parts, another seed or task. The run so far stays in the list of runs."""
        if request != self.request and self.may_change():
            begun, before = self.begun and bool(self.snapshot.turns), self.request
            self.context.undo.clear()
            self.context.undo.push(ChoiceStep(words, self._choose, before, request))
            if begun:
                self.told.emit("The run so far is in the Runs list", "muted")

    def _choose(self, request: Request) -> None:
        """Prepare a run of these parts; what can be undone stays."""
        self.become(request)
        self._clear(forget=False)
        self.played = self.request
        self.runner.start(partial(self._make_setup, self.request), c.Pause())
        self.begun = False

    def become(self, request: Request) -> None:
        """Take a request without preparing it."""
        if request != self.request:
            self.request = request
            self.request_changed.emit(request)

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
        if self.replaying:
            self.replay.toggle()
        elif self.running:
            self.pause()
        else:
            self.run()

    def step(self, to: str = "action") -> None:
        """One action, or one checkpoint."""
        if self.replaying and to == "checkpoint":
            self.replay.step_event(1)
            return
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

    # --- a recording ---------------------------------------------------------
    def screen(self, request: Request, end: Snapshot) -> None:
        """Show a recording, read by `replay`, in the place of the run, which ends."""
        reel, self.replay.reel = self.replay.reel, None
        under_way = self.begun and self.runner.phase in ("preparing", "live") and self.snapshot.ended is None
        self._clear()
        self.replay.reel = reel
        self.runner.stop()
        self.begun = True
        self.bridge.show(end)
        self.played = request
        self.become(request)
        self.context.set_live(False)
        if under_way:
            self.told.emit("The run under way was stopped; it goes on from the Runs list", "warn")

    def go_on_from(self, request: Request, make: Callable[[], Setup]) -> None:
        """A live run that begins with a past, and waits paused where that ends."""
        self.become(request)
        self._clear()
        self.played = request
        self.runner.start(make, c.Pause())
        self.begun = True

    def may_change(self) -> bool:
        """Whether the operator may change the run; a recording is not changed, and that is said."""
        if self.replaying:
            self.told.emit("A recording is read-only: take over from here to change anything", "warn")
        return not self.replaying

    # --- the past ----------------------------------------------------------
    def go_to(self, moment: Moment) -> None:
        """Show how a past turn ended; the run goes on meanwhile."""
        if self.replaying:
            self.replay.pause()
            self.replay.seek_turn(moment)
            return
        past = self.bridge.at(moment)
        live = self.snapshot
        if past is None and moment != Moment(live.branch, live.turn):
            self.told.emit(f"Turn {moment.turn} is no longer in memory: stop recording and open the file to see it", "warn")
        if past is None or moment == Moment(live.branch, live.turn):
            self.go_live()
            return
        self.show_past(moment, past)

    def show_past(self, moment: Moment, past: Snapshot) -> None:
        """Show this in the place of the present."""
        self.moment, self._past = moment, past
        self.context.set_live(False)
        self.shown_changed.emit(past)
        self.live_snapshot.emit(self.snapshot)

    def go_live(self) -> None:
        """Show the present again; of a recording, its end."""
        if self.replaying:
            self.replay.seek_seconds(self.replay.length)
            return
        if self.moment is None:
            return
        self.moment, self._past = None, None
        self.context.set_live(True)
        self.shown_changed.emit(self.snapshot)
        self.live_snapshot.emit(self.snapshot)

    def turn_by(self, step: int) -> None:
        """Back or on by some turns; past the last one is the present."""
        line = self.story.line
        live = Moment(self.snapshot.branch, self.snapshot.turn)
        at = place_of(line, self.moment)
        if at is None:
            at = len(line) - (1 if len(line) and moment_of(line[-1]) == live else 0)
        goal = at + step
        if goal >= len(line):
            self.go_live()
        elif len(line):
            self.go_to(moment_of(line[max(0, goal)]))

    def first_turn(self) -> None:
        """Show the first turn; of a recording, its beginning."""
        if self.replaying:
            self.replay.seek_seconds(0.0)
            return
        line = self.story.line
        if len(line):
            self.go_to(moment_of(line[0]))

    def fork(self, moment: Moment | None = None) -> None:
        """A new branch from a turn, by default the one that is shown; the old branch is kept as it is.

        Where the present is shown, that is forked as it is, with the edits of the turn under way.
        """
        branches = len(self.snapshot.branches)
        if self._back(c.Fork, moment):
            self._forks_from = branches

    def rewind(self, moment: Moment | None = None) -> None:
        """Back to a turn, by default the one that is shown, on a new branch; from the present back by one action."""
        self._back(c.Rewind, moment)

    def _back(self, how: type[c.Fork] | type[c.Rewind], moment: Moment | None) -> bool:
        """Whether it was said to the session."""
        if self.replaying:
            self.asked_take_over.emit()
            return False
        live, moment = self.snapshot, moment or self.moment
        if self.runner.phase != "live" or live.turn < 1:
            self.told.emit("There is no run to rewind", "warn")
            return False
        if moment is not None:
            self.runner.post(how(moment.turn, branch=None if place_of(live.line, moment) is not None else moment.branch))
        elif how is c.Fork:
            self.runner.post(c.Fork())  # the present, with the edits of the turn under way
        else:
            self.runner.post(c.Rewind(max(1, live.turn - (0 if live.ended is not None else 1))))
        self.go_live()
        return True

    # --- from the session --------------------------------------------------
    def _on_snapshot(self, snapshot: Snapshot) -> None:
        self.live_snapshot.emit(snapshot)
        if self.moment is None and not self.replaying:
            self.shown_changed.emit(snapshot)
        elif self.moment is not None and not self.replaying:
            self._show_late_picture(self.moment)
        if self._forks_from is not None and len(snapshot.branches) > self._forks_from:
            self._forks_from = None
            self.forked.emit()

    def _show_late_picture(self, moment: Moment) -> None:
        """A picture of the past turn that is shown may arrive after it was opened."""
        past = self.bridge.at(moment)
        if past is not None and self._past is not None and past is not self._past:
            self._past = past
            self.shown_changed.emit(past)

    def _on_refused(self, reason: str) -> None:
        self._forks_from = None
        self.told.emit(reason, "warn")

    def _on_failed(self, error: Exception) -> None:
        self._set_trouble(error)

    def _set_trouble(self, error: Exception | None) -> None:
        if error is not self.trouble:
            self.trouble = error
            self.trouble_changed.emit(error)
