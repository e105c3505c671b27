"""Decides when a run pauses and when it goes on: pauses, steps and breakpoints."""

from __future__ import annotations

import time
from collections.abc import Iterable

from core.session.breakpoints import Breakpoints
from core.session.checked_expressions import condition
from core.session.event_bus import EventBus
from core.session.events import BreakpointHit, Decided, Paused, Resumed
from core.session.pace import DEFAULT_PACE, Pace
from core.session.point_checker import Found, PointChecker


class PauseControl:
    """Is called at every point at which a run may pause, and holds whether it is paused.

    Attributes:
        paused: the run stays at the next yield until it is resumed.
        playing: False once the run has ended.
        altered: whether something that the last choice depends on was changed since.
        pace: when the run stops by itself.
        goes_on_at: when a paused run goes on by itself, in the time of `time.monotonic`; None: it waits for the operator.
    """

    def __init__(self, bus: EventBus):
        self._bus = bus
        self.paused, self.playing, self.altered = False, True, False
        self.pace: Pace = DEFAULT_PACE
        self.goes_on_at: float | None = None
        self.breakpoints = Breakpoints(condition)
        self.checker = PointChecker(self.breakpoints)
        bus.emitted = lambda event, now: self._take(self.checker.see(event, now))
        self._step_to = self._step_done = ""
        self._has_shown = False
        self._held_step: str | None = None
        """The step that was under way before the run was held; None while it is not held."""
        self._reason_later = ""
        """The reason of a pause that was requested after the end of the run. It takes effect when the run goes on."""

    # --- called for the operator's commands ---------------------------------------------
    def pause(self, reason: str, *, drop_step: bool = False) -> None:
        """Pauses and emits the reason. With `drop_step` the step under way is dropped."""
        if drop_step:
            self._step_to, self._held_step = "", None
        if not self.playing:  # a run that has ended does not proceed anyway
            self._reason_later = reason if drop_step else self._reason_later
        elif not self.paused or self.goes_on_at is not None:
            self.paused, self.goes_on_at = True, None
            self._bus.emit(Paused(reason))

    def resume(self, to: str = "") -> None:
        """Resumes: to the next `checkpoint`, `action` or `choice`, or without `to` to the end."""
        self._step_to, self._reason_later, self._held_step = to, "", None
        self._step_done = "an action is chosen"
        self.go_on()

    def go_on(self) -> None:
        """Ends a pause. A step under way goes on."""
        if self.paused:
            self.paused, self.goes_on_at = False, None
            self._bus.emit(Resumed())

    def keep(self, pace: Pace) -> None:
        """Takes another pace. A run that is held now goes on, and keeps the new pace from the next action on."""
        self.pace = pace
        if self.goes_on_at is not None:
            self.go_on()

    def hold(self) -> None:
        """Pauses while the operator chooses. A run that is already paused is not held."""
        if self.playing and (not self.paused or self.goes_on_at is not None):
            step = self._step_to
            self.pause("the operator is choosing", drop_step=True)
            self._held_step = step

    def release(self) -> None:
        """Resumes the step that was under way when the run was held."""
        if self._held_step is not None:
            done = self._step_done
            self.resume(self._held_step)
            self._step_done = done

    def begin(self) -> None:
        """Marks the run as playing."""
        self.playing = True

    def after_last_action(self) -> None:
        """No action follows, so nothing pauses the run any more. A pause that a last override left lasts until the end."""
        self.playing = False

    def end(self) -> None:
        """Marks the run as ended: neither paused nor playing."""
        self.paused = self.playing = False
        self._held_step = self.goes_on_at = None

    def choose_again(self) -> None:
        """Called when something that a choice depends on has changed.

        A paused run chooses again at once, and then pauses before the action is executed. One that is only held is held again.
        """
        self.altered = True
        if self.goes_on_at is not None:
            self.go_on()
        elif self.paused and self.playing and self._has_shown:
            held_step = self._held_step
            self.resume("choice")
            self._step_done, self._held_step = "thought over again", held_step

    def think_beside_again(self) -> None:
        """Called when the companion must think again about a turn in which the driving planner has chosen.

        A paused run lets it think at once, and then pauses before the action is executed. One that is only held is held again.
        """
        if self.goes_on_at is not None:
            self.go_on()
        elif self.paused and self.playing:
            held_step = self._held_step
            self.resume("choice")
            self._step_done, self._held_step = "the second planner thought again", held_step

    # --- called as the run proceeds --------------------------------------------------
    def at_turn(self) -> None:
        """A turn begins. Ends a hold that a command left; pauses if that was requested after the end of the turns before."""
        if self.goes_on_at is not None:
            self.go_on()
        if self._reason_later:
            reason, self._reason_later = self._reason_later, ""
            self.pause(reason)

    def at_facet(self) -> None:
        """The planner shows a facet."""
        self._has_shown = True

    def at_checkpoint(self) -> None:
        """The planner yielded."""
        if self._step_to == "checkpoint":
            self._step_to = ""
            self.pause("one checkpoint done")

    def before_action(self, decided: Decided) -> None:
        """The planner has chosen an action. It is emitted only when nothing has changed the choice until it is executed."""
        self.altered = False
        if self._step_to == "choice":
            self._step_to = ""
            self.pause(self._step_done)
        self._take(self.checker.before_action(decided))
        if not self.paused:
            self._stop_as_paced()

    def after_action(self) -> None:
        """An action was executed. A step ends when the next action is chosen, so that the operator sees a decision."""
        if self._step_to in ("action", "choice"):
            self._step_to, self._step_done = "choice", "one action done"
        if self._held_step in ("action", "choice"):
            self._held_step, self._step_done = "choice", "one action done"

    def begin_hold(self) -> None:
        """The run waits from now on. A hold lasts its whole time, however long it took to tell the listeners of it."""
        if self.goes_on_at is not None:
            self.goes_on_at = time.monotonic() + self.pace.seconds

    def _stop_as_paced(self) -> None:
        """Pauses before an action if the pace says so."""
        if self.pace.rule == "actions":
            self.pause(self.pace.words)
        elif self.pace.rule == "hold":
            self.paused, self.goes_on_at = True, time.monotonic() + self.pace.seconds
            self._bus.emit(Paused(self.pace.words, self.pace.seconds))

    def _take(self, found: Iterable[Found]) -> None:
        """Emits the breakpoints that were hit, and pauses unless they only log or the run goes at full speed."""
        stops = ""
        for point, what, count in found:
            self._bus.emit(BreakpointHit(point, what, count))
            stops = stops or ("" if point.log else what)
        if stops and self.pace.rule != "full":
            self.pause(f"breakpoint: {stops}")
