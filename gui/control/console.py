"""What the operator does to the run as a whole: choose its parts, start, pause, step, stop, look at the past, fork."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import QObject, Signal

from core.app.run_request import Request
from core.planning.facets import Moment
from core.session import commands as c
from core.session.branch_comparison import Lines
from core.session.breakpoints import Breakpoint
from core.session.snapshot import Snapshot
from core.session.turns import place_of, worked_at
from gui.control.bridge import Bridge
from gui.control.choices import Choices, MakeSetup, ModelBook, answerer_of, answerer_of_source, planner_title
from gui.control.context import Context
from gui.control.goal_reader import Calls
from gui.control.replay import Replay
from gui.control.run_request_editor import RunRequestEditor
from gui.control.runner import Runner
from gui.control.undo import UndoHistory
from gui.widgets.chooser import Choice, chosen

if TYPE_CHECKING:
    from core.session.setup import Setup
    from gui.control.recording_files import OpenRecording


NEXT_DIVERGENCE = Breakpoint("diverged", once=True)
"""Stops a run where its two planners differ next."""


class Console(QObject):
    """The actions behind the operator bar, the timeline, the shortcuts and the palette.

    A request is prepared as soon as it is chosen: its session opens, shows the scene, and waits paused before the first turn's
    thinking. So Run takes effect at once, and mistakes show early.
    """

    request_changed = Signal(object)
    asked_task = Signal()
    """Requests another random task for the scene."""
    task_read = Signal(object, object)
    """A Request that is being prepared, and the GoalReading of its task."""
    asked_tasks = Signal()
    """Requests the list of sample tasks of the scene."""
    asked_things = Signal()
    """Requests the list of the scene's objects."""
    asked_graph = Signal()
    """Requests the dialog that opens a graph file."""
    asked_models = Signal()
    """Requests the list of the user's models."""
    asked_choices = Signal()
    """Emitted when the operator opens a list of choices whose entries are not known yet."""
    choices_changed = Signal()
    shown_changed = Signal(object)
    """The Snapshot that panels show: the newest, or that of a past turn."""
    live_snapshot = Signal(object)
    """The newest Snapshot, also while panels show the past."""
    message = Signal(str, str)
    """A short message for the status line, and its tone."""
    message_over = Signal(str)
    """A message that no longer holds. It ends where it is still shown."""
    asked_take_over = Signal(object, object)
    """Emitted if the operator rewinds, forks or wants a live planner while a recording is shown, which must be taken over
    first: at a Moment, with a command to execute there; None and None: at the event that is shown."""
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
        self.context, self.bridge, self.runner, self.replay, self.choices = context, bridge, runner, replay, choices
        self.request = request
        """The request of the next run; that of the present one is `Runner.request`."""
        self.graph_files: tuple[str, ...] = ()
        """Paths of the household graphs that the operator opened last."""
        self.run_request = RunRequestEditor(self)
        self.moment: Moment | None = None
        """The past turn that is shown, or None for the present."""
        self.begun = False
        """Whether the operator has started the present session."""
        self.trouble: Exception | None = None
        self._make_parts = make_setup
        self.read_calls: tuple[Request, Calls] = (request, ())
        """The last request whose goal was read in the window, and the model requests that took."""
        self._past: Snapshot | None = None
        self._lines = Lines()
        self._forks_from: int | None = None
        self._seeks_divergence, self._ended_before = False, self.snapshot.ended
        """Whether the run goes on to the next divergence, and the end of the run that was shown when this was asked for."""
        context.newest = lambda _: self.snapshot
        context.read_turn, context.fork_with = self._read_turn, self.fork
        context.is_recording, context.decide_here = lambda: self.replaying, self.decide_here
        context.planner_title = lambda planner: planner_title(self.choices, planner)
        context.kinds_of = lambda planner: chosen(self.choices.planners, planner).shows
        context.read_recording, context.worked_at = replay.read_other, self.worked_at
        context.request, context.set_request = lambda: self.request, self.set_request
        self.live_snapshot.connect(lambda _: context.newest_changed.emit())
        self.live_snapshot.connect(lambda _: self._end_seeking())
        context.selection.asked_turn.connect(lambda branch, turn: self.go_to(Moment(branch, turn)))
        bridge.events_arrived.connect(context.event_log.take_events)
        context.event_log.failed.connect(self.report)
        replay.opened.connect(self._offer_log)
        self.undoing = UndoHistory(context, bridge.catch_up)
        self.undoing.message.connect(self.message)
        bridge.events_arrived.connect(lambda new_run, events: self.undoing.take_events(new_run, events, self.snapshot))
        bridge.events_arrived.connect(context.pending_edits.take_events)
        self.live_snapshot.connect(context.preview.take_snapshot)
        bridge.answered.connect(context.preview.take_answer)
        self.live_snapshot.connect(context.margins.take_snapshot)
        bridge.answered.connect(context.margins.take_answer)
        context.preview.troubled.connect(lambda words: self.message.emit(words, "warn"))
        bridge.changed.connect(self._on_snapshot)
        bridge.refused.connect(self._on_refused)
        runner.failed.connect(self._set_trouble)

    def _offer_log(self, recording: OpenRecording) -> None:
        """Lets the log read the lines of a recording, should it be looked at."""
        self.context.event_log.offer(recording.worded(), self.replay.jobs, lambda: self.replay.recording is recording)

    def report(self, error: Exception, tone: str = "bad") -> None:
        """Shows an error in one line."""
        self.message.emit(" ".join(str(error).split()), tone)

    # --- the run -----------------------------------------------------------
    @property
    def snapshot(self) -> Snapshot:
        """The newest snapshot."""
        return self.bridge.snapshot

    @property
    def shown(self) -> Snapshot:
        """The snapshot that the panels show."""
        return self._past if self._past is not None else self.bridge.snapshot

    @property
    def replaying(self) -> bool:
        """Whether a recording is shown instead of a run."""
        return self.replay.recording is not None

    def worked_at(self, seconds: float) -> float:
        """Returns how many of the seconds up to a moment of what is shown were work: the clock of the timeline."""
        if (recording := self.replay.recording) is not None:
            return recording.reader.worked_at(seconds)
        live = self.snapshot
        return worked_at(live.line, live.at, live.worked, seconds)

    @property
    def story(self) -> Snapshot:
        """The snapshot the timeline lays out: the whole run or recording so far, on the branch that is shown."""
        now, past = self.snapshot, self._past
        if past is None or past.branch == now.branch or past.branch not in now.branch_states:
            return now
        ended = now.branch_states[past.branch].ended
        return replace(now, branch=past.branch, current=None, ended=ended, line=self._lines.of(now, past.branch))

    @property
    def running(self) -> bool:
        """Whether the run, or the playback of a recording, is going on."""
        if self.replaying:
            return self.replay.playing
        alive = self.begun and self.runner.phase in ("preparing", "live")
        return alive and (self.snapshot.status in ("idle", "thinking", "waiting") or self.snapshot.held > 0)

    def answerer(self, request: Request | None = None) -> Choice:
        """Returns who answers the model requests of a run request, by default of the next run's."""
        return answerer_of(request or self.request, self.choices, self.models)

    @property
    def answering(self) -> Choice | None:
        """Who answers the requests of the run or recording that is shown, as its snapshot says; None: it asks nobody."""
        source = (self.shown if self.replaying else self.snapshot).source
        return None if source is None else answerer_of_source(source, self.choices, self.models)

    def offer(self, choices: Choices) -> None:
        """Takes the list of available parts and emits `choices_changed`."""
        self.choices = choices
        self.choices_changed.emit()

    def prepare(self) -> None:
        """Opens the request's session and leaves it paused at its first turn."""
        self._open(c.Pause())
        self.begun = False

    def _open(self, *first: c.Command, make: Callable[[], Setup] | None = None, forget: bool = True) -> None:
        self._clear(forget=forget)
        self.runner.start(self.request, make or partial(self._make_setup, self.request), *first)

    def _make_setup(self, request: Request) -> Setup:
        """Returns the setup of a request, and reports how its task was read. Called on the session's thread."""
        setup, (read, calls) = self._make_parts(request), self.read_calls
        if setup.reading is not None:
            self.task_read.emit(request, setup.reading)
        setup = replace(setup, names={**setup.names, "answerer": self.answerer(request).title if request.model else ""})
        return replace(setup, calls=(*setup.calls, *calls)) if calls and read == request else setup

    def _clear(self, *, forget: bool = True) -> None:
        """Clears what was shown of the previous run, and its undo history if `forget`."""
        self.replay.close()
        self.go_live()
        self._set_trouble(None)
        self._forks_from = None
        if forget:
            self.context.undo.clear()

    def choose(self, request: Request, words: str = "Other parts") -> None:
        """Prepares a new run with other parts, another seed or another task. The present run stays in the list of runs."""
        if request != self.request and self.may_change():
            begun, before = self.begun and bool(self.snapshot.turns), self.request
            self.context.undo.clear()
            self.context.push(words, partial(self._choose, request), partial(self._choose, before))
            if begun:
                self.message.emit("The previous run is in the Runs list", "muted")

    def _choose(self, request: Request) -> None:
        """Prepares a run of these parts. The undo history stays."""
        self.set_request(request)
        self._open(c.Pause(), forget=False)
        self.begun = False

    def set_request(self, request: Request) -> None:
        """Takes a request without preparing it."""
        if request != self.request:
            self.request = request
            self.request_changed.emit(request)

    def run(self) -> None:
        """Starts the run, resumes it, or starts it again after its end."""
        if self.runner.phase == "idle" or self.snapshot.ended is not None:
            self._open()
        else:
            self.go_live()
            self.runner.post(c.Resume())
        self.begun = True
        self.live_snapshot.emit(self.snapshot)

    def pause(self) -> None:
        """Pauses the run at the next yield of the planner."""
        if self.snapshot.ended is None:
            self.runner.post(c.Pause())

    def run_or_pause(self) -> None:
        """Toggles between running and paused, for the live run or the playback of a recording; the Space key calls this."""
        if self.replaying:
            self.replay.toggle()
        elif self.running:
            self.pause()
        else:
            self.run()

    def run_to_divergence(self) -> None:
        """Runs until the second planner would act differently, and stops before the action; of a recording, goes there."""
        if self.replaying:
            mark = self.replay.jump(1, "divergence")
            self.message.emit(mark.text if mark is not None else "The two planners do not differ in a later turn", "muted")
        elif self.snapshot.began is None or not self.snapshot.began.beside:
            self.message.emit("No second planner thinks in this run: choose one in the list of planners", "warn")
        else:
            self._seeks_divergence, self._ended_before = True, self.snapshot.ended
            self.runner.post(c.SetBreakpoint(NEXT_DIVERGENCE))
            self.run()

    def _end_seeking(self) -> None:
        """Takes the stop at the next divergence back if the run ended before one came: the next run would stop there."""
        if not self._seeks_divergence:
            return
        if NEXT_DIVERGENCE not in self.context.breakpoints.points:
            self._seeks_divergence = False
        elif self.snapshot.ended is not None and self.snapshot.ended is not self._ended_before:
            self._seeks_divergence = False
            self.runner.post(c.ClearBreakpoint(NEXT_DIVERGENCE))
            self.message.emit("The run ended before the two planners differed", "muted")

    def step(self, to: str = "action") -> None:
        """Steps by one action or one checkpoint."""
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
        """Ends the run. Its turns can still be viewed."""
        self.runner.stop()

    def again(self) -> None:
        """Starts the same request from its beginning."""
        self._open()
        self.begun = True

    # --- a recording ---------------------------------------------------------
    def show_recording(self, request: Request, end: Snapshot) -> None:
        """Shows a recording that `replay` has read. The run under way ends."""
        recording, self.replay.recording = self.replay.recording, None
        under_way = self.begun and self.runner.phase in ("preparing", "live") and self.snapshot.ended is None
        self._clear()
        self.replay.recording = recording
        self.runner.stop()
        self.begun = True
        self.bridge.show(end)
        self.set_request(request)
        self.context.set_live(False)
        if under_way:
            self.message.emit("The run under way was stopped; you can continue it from the Runs list", "warn")

    def go_on_from(self, request: Request, make: Callable[[], Setup], first: c.Command) -> None:
        """Starts a live run that begins with a recorded past. `first` pauses it where that past ends, or soon after."""
        self.set_request(request)
        self._open(first, make=make)
        self.begun = True

    def may_change(self) -> bool:
        """Returns True if the operator may change the run. A recording is read-only; the status line says so."""
        if self.replaying:
            self.message.emit("A recording is read-only: take over from here to change anything", "warn")
        return not self.replaying

    # --- the past ----------------------------------------------------------
    def go_to(self, moment: Moment) -> None:
        """Shows the end of a past turn. The run continues in the background."""
        if self.replaying:
            self.replay.pause()
            self.replay.seek_turn(moment)
            return
        past = self.bridge.at(moment)
        live = self.snapshot
        if past is None and moment != Moment(live.branch, live.turn):
            self.message.emit(f"Turn {moment.turn} is no longer in memory: stop recording and open the file to see it", "warn")
        if past is None or moment == Moment(live.branch, live.turn):
            self.go_live()
            return
        self.show_past(moment, past)

    def _read_turn(self, moment: Moment, take: Callable[[Snapshot | None], None]) -> None:
        """Passes on the last snapshot of a turn of the run, or of the recording that is shown."""
        if self.replaying:
            self.replay.read_turn(moment, take)
        else:
            take(self.bridge.at(moment))

    def show_past(self, moment: Moment, past: Snapshot) -> None:
        """Shows a past snapshot instead of the present one."""
        self.moment, self._past = moment, past
        self.context.set_live(False)
        self.shown_changed.emit(past)
        self.live_snapshot.emit(self.snapshot)

    def go_live(self) -> None:
        """Shows the present again; of a recording, its end."""
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
        """Moves by `step` turns, back if negative. Past the last turn is the present; before the first nothing is."""
        line = self.story.line
        live = Moment(self.snapshot.branch, self.snapshot.turn)
        at = place_of(line, self.moment)
        if self.replaying and self.replay.at_start:
            if step < 0:
                return
            at = -1  # the beginning of a recording, before the end of its first turn
        elif at is None:
            at = len(line) - (1 if len(line) and line[-1].moment == live else 0)
        goal = at + step
        if goal >= len(line):
            self.go_live()
        elif len(line):
            self.go_to(line[max(0, goal)].moment)

    def first_turn(self) -> None:
        """Shows the first turn; of a recording, its beginning."""
        if self.replaying:
            self.replay.seek_seconds(0.0)
            return
        line = self.story.line
        if len(line):
            self.go_to(line[0].moment)

    def fork(self, moment: Moment | None = None, then: c.GiveReply | c.ChangeWorld | None = None) -> None:
        """Starts a new branch from a turn, by default the one shown. The old branch is kept unchanged.

        If the present is shown, the fork starts there, with the edits of the turn under way.

        Args:
            moment: the turn; None: the one shown.
            then: on the new branch gives a call of that turn another reply, or changes the world before the turn begins.
        """
        branches = len(self.snapshot.branches)
        if self._back(c.Fork, moment, then):
            self._forks_from = branches

    def rewind(self, moment: Moment | None = None) -> None:
        """Goes back to a turn, by default the one shown, on a new branch. From the present it goes back by one action."""
        self._back(c.Rewind, moment)

    def decide_here(self) -> None:
        """Makes the decision on display the present: takes a recording over, or the run back, and pauses once it is made."""
        moment = Moment(self.shown.branch, self.shown.turn)
        if self.replaying:
            self.asked_take_over.emit(moment, c.Step("decision"))
        else:
            self._back(c.Rewind, moment, to="decision")

    def _back(self, how: type[c.Fork] | type[c.Rewind], moment: Moment | None,
              then: c.GiveReply | c.ChangeWorld | None = None, to: Literal["", "decision"] = "") -> bool:
        """Posts a fork or rewind. Returns True if it was sent to the session."""
        if self.replaying:
            self.asked_take_over.emit(moment if then is not None else None, then)
            return False
        live, moment = self.snapshot, moment or self.moment
        if self.runner.phase != "live" or live.turn < 1:
            self.message.emit("There is no run to rewind", "warn")
            return False
        if moment is not None:
            branch = None if place_of(live.line, moment) is not None else moment.branch
            self.runner.post(c.Rewind(moment.turn, branch=branch, to=to) if how is c.Rewind else
                             c.Fork(moment.turn, branch=branch, then=then))
        elif how is c.Fork:
            self.runner.post(c.Fork(then=then))  # the present, with the edits of the turn under way
        else:
            self.runner.post(c.Rewind(max(1, live.turn - (0 if live.ended is not None else 1))))
        self.go_live()
        return True

    # --- from the session --------------------------------------------------
    def _on_snapshot(self, snapshot: Snapshot) -> None:
        self.context.names.of(snapshot)  # also what no panel in view is shown is known from now on
        self.live_snapshot.emit(snapshot)
        if self.moment is None and not self.replaying:
            self.shown_changed.emit(snapshot)
        elif self.moment is not None and not self.replaying:
            self._show_late_picture(self.moment)
        if self._forks_from is not None and len(snapshot.branches) > self._forks_from:
            self._forks_from = None
            self.forked.emit()

    def _show_late_picture(self, moment: Moment) -> None:
        """Shows a picture of the past turn on display that arrived after the turn was opened."""
        past = self.bridge.at(moment)
        if past is not None and self._past is not None and past is not self._past:
            self._past = past
            self.shown_changed.emit(past)

    def _on_refused(self, reason: str) -> None:
        self._forks_from = None
        self.message.emit(reason, "warn")

    def _set_trouble(self, error: Exception | None) -> None:
        if error is not self.trouble:
            self.trouble = error
            self.trouble_changed.emit(error)
