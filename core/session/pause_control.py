"""Decides when a run pauses and when it goes on: pauses, steps and breakpoints."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import numpy as np

from core.common.errors import UsageError
from core.planning.facets import Belief, BlockingTree, Facet, Ranking
from core.session.commands import Breakpoint
from core.session.event_bus import EventBus
from core.session.events import BreakpointHit, Paused, Resumed
from core.world.action_phrases import in_words
from core.world.vocabulary import Action


class Breakpoints:
    """Checks the breakpoints that are set. Each check returns why to pause, or ""; `take_hits` then returns the hits to emit.

    Attributes:
        silent: returns True while a recorded past is replayed: nothing is checked then.
    """

    def __init__(self) -> None:
        self._points: list[Breakpoint] = []
        self._disabled: set[Breakpoint] = set()
        self._counts: Counter[Breakpoint] = Counter()
        self._hits: list[BreakpointHit] = []
        self._tokens = 0
        self._blocked: frozenset[str] = frozenset()
        self.silent: Callable[[], bool] = lambda: False

    @property
    def points(self) -> tuple[Breakpoint, ...]:
        """The breakpoints that are set."""
        return tuple(self._points)

    def add(self, point: Breakpoint) -> None:
        """Sets a breakpoint and enables it."""
        self._disabled.discard(point)
        if point not in self._points:
            self._points.append(point)

    def remove(self, point: Breakpoint) -> None:
        """Clears a breakpoint.

        Raises:
            UsageError: it is not set.
        """
        self._require(point)
        self._points.remove(point)
        self._disabled.discard(point)

    def enable(self, point: Breakpoint, *, enabled: bool) -> None:
        """Enables a breakpoint, or disables it and keeps it.

        Raises:
            UsageError: it is not set.
        """
        self._require(point)
        if enabled:
            self._disabled.discard(point)
        else:
            self._disabled.add(point)

    def _require(self, point: Breakpoint) -> None:
        if point not in self._points:
            raise UsageError("no such breakpoint is set")

    def take_hits(self) -> tuple[BreakpointHit, ...]:
        """Returns the hits since the last call."""
        hits, self._hits = tuple(self._hits), []
        return hits

    def at_turn(self, turn: int) -> str:
        """Checks the beginning of a turn."""
        return self._hit("turn", lambda p: turn == p.level, f"turn {turn}")

    def before(self, action: Action) -> str:
        """Checks a chosen action."""
        return self._hit("action", lambda p: str(action).startswith(p.text), f"before {in_words(action)}")

    def on_tokens(self, more: int) -> str:
        """Checks the tokens used, which are `more` than before."""
        self._tokens += more
        return self._hit("tokens", lambda p: self._tokens > p.level, f"{self._tokens} tokens used")

    def on_facet(self, facet: Facet) -> str:
        """Checks a facet that the planner shows."""
        if isinstance(facet, Belief):
            bits = _entropy(facet)
            return self._hit("entropy", lambda p: bits > p.level, f"entropy {bits:.2f} bits")
        if isinstance(facet, Ranking):
            values = sorted((a.value for a in facet.actions if a.value is not None), reverse=True)
            if len(values) > 1:
                gap = values[0] - values[1]
                return self._hit("gap", lambda p: gap < p.level, f"the best two differ by {gap:.2f}")
        if isinstance(facet, BlockingTree):
            return self._on_tree(facet)
        return ""

    def _on_tree(self, tree: BlockingTree) -> str:
        blocking = [node.text for node in tree.nodes if node.kind == "condition" and node.state != "reached"]
        new = [text for text in blocking if text not in self._blocked]
        self._blocked = self._blocked.union(blocking)
        return self._hit("condition", lambda _: True, new[0]) if new else ""

    def _hit(self, on: str, test: Callable[[Breakpoint], bool], what: str) -> str:
        if self.silent():
            return ""
        found = [p for p in self._points if p.on == on and p not in self._disabled and test(p)]
        for point in found:
            self._counts[point] += 1
            self._hits.append(BreakpointHit(point, what, self._counts[point]))
            if point.once:
                self._points.remove(point)
        return f"breakpoint: {what}" if found else ""


def _entropy(belief: Belief) -> float:
    """Returns the largest entropy, in bits, of a wanted object that is not found yet."""
    rows = [belief.probability[k] for k, wanted in enumerate(belief.wanted) if wanted and belief.located[k] is None]
    return max((float(-(row[row > 0] * np.log2(row[row > 0])).sum()) for row in rows), default=0.0)


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
        elif not self.paused:
            self.paused = True
            self._bus.emit(Paused(reason))

    def resume(self, to: str = "") -> None:
        """Resumes: to the next `checkpoint` or `action`, or without `to` to the end."""
        self._step_to, self._reason_later, self._held_step = to, "", None
        if self.paused:
            self.paused = False
            self._bus.emit(Resumed())

    def hold(self) -> None:
        """Pauses while the operator chooses. A run that is already paused is not held."""
        if self.playing and not self.paused:
            step = self._step_to
            self.pause("the operator is choosing", drop_step=True)
            self._held_step = step

    def release(self) -> None:
        """Resumes the step that was under way when the run was held."""
        if self._held_step is not None:
            self.resume(self._held_step)

    def begin(self) -> None:
        """Marks the run as playing."""
        self.playing = True

    def end(self) -> None:
        """Marks the run as ended: neither paused nor playing."""
        self.paused = self.playing = False
        self._held_step = None

    def choose_again(self) -> None:
        """Called when something that a choice depends on has changed.

        A paused run chooses again at once, and then pauses before the action is executed.
        """
        self.altered = True
        if self.paused and self.playing and self._has_shown:
            self._step_done = "thought over again"
            held_step = self._held_step
            self.resume("choice")
            self._held_step = held_step

    # --- called as the run proceeds --------------------------------------------------
    def at_turn(self, turn: int) -> None:
        """A turn begins. Pauses if that was requested after the end of the turns before."""
        if self._reason_later:
            reason, self._reason_later = self._reason_later, ""
            self.pause(reason)
        self._pause_if(self.breakpoints.at_turn(turn))

    def at_facet(self, facet: Facet) -> None:
        """The planner shows a facet."""
        self._has_shown = True
        self._pause_if(self.breakpoints.on_facet(facet))

    def at_checkpoint(self) -> None:
        """The planner yielded."""
        if self._step_to == "checkpoint":
            self._step_to = ""
            self.pause("one checkpoint done")

    def at_answer(self, tokens: int) -> None:
        """A reply arrived that used so many tokens."""
        self._pause_if(self.breakpoints.on_tokens(tokens))

    def before_action(self, action: Action) -> None:
        """The planner has chosen an action."""
        self.altered = False
        if self._step_to == "choice":
            self._step_to = ""
            self.pause(self._step_done)
        self._pause_if(self.breakpoints.before(action))

    def after_action(self) -> None:
        """An action was executed. A step ends when the next action is chosen, so that the operator sees a decision."""
        if self._step_to in ("action", "choice"):
            self._step_to, self._step_done = "choice", "one action done"
        if self._held_step in ("action", "choice"):
            self._held_step, self._step_done = "choice", "one action done"

    def _pause_if(self, reason: str) -> None:
        for hit in self.breakpoints.take_hits():
            self._bus.emit(hit)
        if reason:
            self.pause(reason)
