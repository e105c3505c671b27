"""When a run stays and when it goes on: pauses, steps and breakpoints."""

from __future__ import annotations

from core.planning.facets import Facet
from core.session.breakpoints import Breakpoints
from core.session.event_bus import EventBus
from core.session.events import Paused, Resumed
from core.world.vocabulary import Action


class PauseControl:
    """Told of every moment at which a run might stay.

    Attributes:
        paused: stay at the next yield, until told otherwise.
        playing: False once the run has ended and only lingers.
        altered: whether what the last choice stood on was changed since.
    """

    def __init__(self, bus: EventBus):
        self._bus = bus
        self.paused, self.playing, self.altered = False, True, False
        self.breakpoints = Breakpoints()
        self._step_to = self._step_done = ""
        self._began_to_think = False
        self._held: str | None = None
        """What the run was going to before it was held; None while it is not held."""
        self._later = ""
        """Why to stay once the run goes on, said while it had ended."""

    # --- what the operator wants ---------------------------------------------
    def pause(self, reason: str, *, for_good: bool = False) -> None:
        """Stay, and tell why; for good: a step under way is forgotten."""
        if for_good:
            self._step_to, self._held = "", None
        if not self.playing:  # a run that has ended stands still anyhow
            self._later = reason if for_good else self._later
        elif not self.paused:
            self.paused = True
            self._bus.tell(Paused(reason))

    def go_on(self, to: str = "") -> None:
        """Go on: to the next checkpoint or action, or to the end."""
        self._step_to, self._later, self._held = to, "", None
        if self.paused:
            self.paused = False
            self._bus.tell(Resumed())

    def hold(self) -> None:
        """Stay while the operator chooses. A run that is paused already is paused by the operator, not held."""
        if self.playing and not self.paused:
            going_to = self._step_to
            self.pause("the operator is choosing", for_good=True)
            self._held = going_to

    def release(self) -> None:
        """Go on to where the run was going when it was held."""
        if self._held is not None:
            self.go_on(self._held)

    def begin(self) -> None:
        """Turns are played from now on."""
        self.playing = True

    def over(self) -> None:
        """The run has ended: it is not paused any more, and does not play."""
        self.paused = self.playing = False
        self._held = None

    def think_again(self) -> None:
        """What a choice stands on has changed: while the run is paused, choose anew at once, then stay before that is done."""
        self.altered = True
        if self.paused and self.playing and self._began_to_think:
            self._step_done = "thought over again"
            held = self._held
            self.go_on("choice")
            self._held = held

    # --- what the run meets --------------------------------------------------
    def at_turn(self, turn: int) -> None:
        """A turn begins, paused if that was said after the end of what was played before."""
        if self._later:
            reason, self._later = self._later, ""
            self.pause(reason)
        self._stay_if(self.breakpoints.at_turn(turn))

    def at_facet(self, facet: Facet) -> None:
        """The planner shows something."""
        self._began_to_think = True
        self._stay_if(self.breakpoints.on_facet(facet))

    def at_checkpoint(self) -> None:
        """The planner yielded."""
        if self._step_to == "checkpoint":
            self._step_to = ""
            self.pause("one checkpoint done")

    def at_answer(self, tokens: int) -> None:
        """An answer came, which took so many tokens."""
        self._stay_if(self.breakpoints.on_tokens(tokens))

    def before_action(self, action: Action) -> None:
        """The planner has chosen."""
        self.altered = False
        if self._step_to == "choice":
            self._step_to = ""
            self.pause(self._step_done)
        self._stay_if(self.breakpoints.before(action))

    def after_action(self) -> None:
        """An action was done; a step ends when the next one is chosen, so that there is something to look at."""
        if self._step_to in ("action", "choice"):
            self._step_to, self._step_done = "choice", "one action done"
        if self._held in ("action", "choice"):
            self._held, self._step_done = "choice", "one action done"

    def _stay_if(self, reason: str) -> None:
        for hit in self.breakpoints.take_hits():
            self._bus.tell(hit)
        if reason:
            self.pause(reason)
