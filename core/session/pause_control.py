"""Decides when a run pauses and when it goes on: pauses, steps and breakpoints."""

from __future__ import annotations

from core.planning.facets import Facet
from core.session.breakpoints import Breakpoints
from core.session.event_bus import EventBus
from core.session.events import Paused, Resumed
from core.world.vocabulary import Action


class PauseControl:
    """Is called at every point at which a run may pause, and holds whether it is paused.

    Attributes:
        paused: the run stays at the next yield until it is resumed.
        playing: False once the run has ended.
        altered: whether something that the last choice depends on was changed since.
    """

    def __init__(self, bus: EventBus):
        self._bus = bus
        self.paused, self.playing, self.altered = False, True, False
        self.breakpoints = Breakpoints()
        self._step_to = self._step_done = ""
        self._began_to_think = False
        self._held: str | None = None
        """The step that was under way before the run was held; None while it is not held."""
        self._later = ""
        """The reason of a pause that was requested after the end of the run. It takes effect when the run goes on."""

    # --- called for the operator's commands ---------------------------------------------
    def pause(self, reason: str, *, for_good: bool = False) -> None:
        """Pauses and emits the reason. With `for_good` the step under way is dropped."""
        if for_good:
            self._step_to, self._held = "", None
        if not self.playing:  # a run that has ended does not proceed anyway
            self._later = reason if for_good else self._later
        elif not self.paused:
            self.paused = True
            self._bus.tell(Paused(reason))

    def go_on(self, to: str = "") -> None:
        """Resumes: to the next `checkpoint` or `action`, or without `to` to the end."""
        self._step_to, self._later, self._held = to, "", None
        if self.paused:
            self.paused = False
            self._bus.tell(Resumed())

    def hold(self) -> None:
        """Pauses while the operator chooses. A run that is already paused is not held."""
        if self.playing and not self.paused:
            going_to = self._step_to
            self.pause("the operator is choosing", for_good=True)
            self._held = going_to

    def release(self) -> None:
        """Resumes the step that was under way when the run was held."""
        if self._held is not None:
            self.go_on(self._held)

    def begin(self) -> None:
        """Marks the run as playing."""
        self.playing = True

    def over(self) -> None:
        """Marks the run as ended: neither paused nor playing."""
        self.paused = self.playing = False
        self._held = None

    def think_again(self) -> None:
        """Called when something that a choice depends on has changed.

        A paused run chooses again at once, and then pauses before the action is executed.
        """
        self.altered = True
        if self.paused and self.playing and self._began_to_think:
            self._step_done = "thought over again"
            held = self._held
            self.go_on("choice")
            self._held = held

    # --- called as the run proceeds --------------------------------------------------
    def at_turn(self, turn: int) -> None:
        """A turn begins. Pauses if that was requested after the end of the turns before."""
        if self._later:
            reason, self._later = self._later, ""
            self.pause(reason)
        self._stay_if(self.breakpoints.at_turn(turn))

    def at_facet(self, facet: Facet) -> None:
        """The planner shows a facet."""
        self._began_to_think = True
        self._stay_if(self.breakpoints.on_facet(facet))

    def at_checkpoint(self) -> None:
        """The planner yielded."""
        if self._step_to == "checkpoint":
            self._step_to = ""
            self.pause("one checkpoint done")

    def at_answer(self, tokens: int) -> None:
        """A reply arrived that used so many tokens."""
        self._stay_if(self.breakpoints.on_tokens(tokens))

    def before_action(self, action: Action) -> None:
        """The planner has chosen an action."""
        self.altered = False
        if self._step_to == "choice":
            self._step_to = ""
            self.pause(self._step_done)
        self._stay_if(self.breakpoints.before(action))

    def after_action(self) -> None:
        """An action was executed. A step ends when the next action is chosen, so that the operator sees a decision."""
        if self._step_to in ("action", "choice"):
            self._step_to, self._step_done = "choice", "one action done"
        if self._held in ("action", "choice"):
            self._held, self._step_done = "choice", "one action done"

    def _stay_if(self, reason: str) -> None:
        for hit in self.breakpoints.take_hits():
            self._bus.tell(hit)
        if reason:
            self.pause(reason)
