"""Commands about the run as a whole: pauses, its end, its limits and its breakpoints."""

from __future__ import annotations

from dataclasses import astuple, dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from core.common.errors import UsageError
from core.common.recorded import ADDED
from core.llm.budget import Limits
from core.session.breakpoints import Breakpoint
from core.session.command import Command, S, Settings, Wording
from core.session.pace import Pace

if TYPE_CHECKING:
    from core.session.run import Run


@dataclass(frozen=True, slots=True)
class Pause(Command):
    """Pauses the run at the next yield."""

    def follow_up(self, run: Run) -> None:
        run.pause_control.pause("asked to", drop_step=True)


@dataclass(frozen=True, slots=True)
class Resume(Command):
    """Ends a pause."""

    def follow_up(self, run: Run) -> None:
        run.pause_control.resume()


@dataclass(frozen=True, slots=True)
class Hold(Command):
    """Pauses the run while the operator chooses something, until `Release`. A run that is already paused is not changed."""

    def follow_up(self, run: Run) -> None:
        run.pause_control.hold()


@dataclass(frozen=True, slots=True)
class Release(Command):
    """Undoes the last `Hold`. A run that was paused before it, or was paused during it, stays paused."""

    def follow_up(self, run: Run) -> None:
        run.pause_control.release()


@dataclass(frozen=True, slots=True)
class Step(Command):
    """Goes on, then pauses.

    Attributes:
        to: `checkpoint`: at the next yield; `action`: when one action is executed and the next one chosen; `decision`: when the
            action of the turn under way is chosen; if it is chosen already, the next one.
    """

    icon = "step"
    to: Literal["checkpoint", "action", "decision"] = "action"

    def follow_up(self, run: Run) -> None:
        run.pause_control.resume("choice" if self.to == "decision" else self.to)

    def line(self, wording: Wording) -> str:
        return "Step to the decision" if self.to == "decision" else f"Step one {self.to}"


@dataclass(frozen=True, slots=True)
class Stop(Command):
    """Ends the run.

    Attributes:
        why: the reason that the run's end reports, such as a spent budget; empty: the operator stopped it.
    """

    why: str = field(default="", metadata=ADDED)

    def execute(self, run: Run) -> None:
        run.stop(self.why)


@dataclass(frozen=True, slots=True)
class SetSteps(Command):
    """Changes the number of steps after which the run ends."""

    is_replayed = True
    log, undo_name = "Steps allowed: {0.most}", "Steps: {0.most}"
    most: int

    def execute(self, run: Run) -> None:
        if self.most < 1:
            raise UsageError(f"{self.most} steps: give at least 1")
        run.most_steps = self.most

    def settings_after(self, settings: S) -> S:
        return replace(settings, most_steps=self.most)

    def opposite(self, before: Settings) -> Command:
        return SetSteps(before.most_steps or self.most)


@dataclass(frozen=True, slots=True)
class SetPace(Command):
    """Changes when the run stops by itself. A run that is held goes on; one that is paused stays paused."""

    outlives_run = True
    icon = "pause"
    log, undo_name = "Pace: {0.pace.words}", "Pace: {0.pace.words}"
    pace: Pace

    def execute(self, run: Run) -> None:
        self.pace.check()
        run.pause_control.keep(self.pace)

    def settings_after(self, settings: S) -> S:
        return replace(settings, pace=self.pace)

    def opposite(self, before: Settings) -> Command:
        return SetPace(before.pace)


@dataclass(frozen=True, slots=True)
class SetLimits(Command):
    """Changes the limits on the use of the language model over the whole run. None: no limit.

    Attributes:
        calls: number of model calls.
        tokens: number of tokens.
        cost: cost in the currency of the prices.
    """

    calls: int | None = None
    tokens: int | None = None
    cost: float | None = None

    @property
    def limits(self) -> Limits:
        """The limits as a budget takes them. Raises UsageError if one is negative."""
        return Limits(self.calls, self.tokens, self.cost)

    def execute(self, run: Run) -> None:
        if run.budget is None:
            raise UsageError("nothing is asked in this run: there is nothing to limit")
        run.budget.limits = self.limits

    def settings_after(self, settings: S) -> S:
        return replace(settings, limits=self.limits)

    def opposite(self, before: Settings) -> Command:
        return SetLimits(*astuple(before.limits))

    def line(self, wording: Wording) -> str:
        limits = ((self.calls, "calls"), (self.tokens, "tokens"), (self.cost, "spent"))
        return f"Limits: {', '.join(f'{n} {what}' for n, what in limits if n is not None) or 'none'}"

    def title(self, wording: Wording) -> str:
        return "Limits"


@dataclass(frozen=True, slots=True)
class SetBreakpoint(Command):
    """Sets a breakpoint."""

    outlives_run = True
    icon = "breakpoint"
    log, undo_name = "Breakpoint set: {0.breakpoint.title}", "Breakpoint: {0.breakpoint.title}"
    breakpoint: Breakpoint

    def execute(self, run: Run) -> None:
        run.pause_control.breakpoints.add(self.breakpoint)

    def settings_after(self, settings: S) -> S:
        point, points = self.breakpoint, settings.breakpoints
        return replace(settings, breakpoints=points if point in points else (*points, point),
                       disabled=settings.disabled - {point})

    def opposite(self, before: Settings) -> Command:
        return ClearBreakpoint(self.breakpoint)


@dataclass(frozen=True, slots=True)
class ClearBreakpoint(Command):
    """Removes a breakpoint."""

    outlives_run = True
    icon = "breakpoint"
    log, undo_name = "Breakpoint deleted: {0.breakpoint.title}", "Delete breakpoint: {0.breakpoint.title}"
    breakpoint: Breakpoint

    def execute(self, run: Run) -> None:
        run.pause_control.breakpoints.remove(self.breakpoint)

    def settings_after(self, settings: S) -> S:
        return replace(settings, breakpoints=tuple(p for p in settings.breakpoints if p != self.breakpoint),
                       disabled=settings.disabled - {self.breakpoint})

    def opposite(self, before: Settings) -> Command:
        return SetBreakpoint(self.breakpoint)


@dataclass(frozen=True, slots=True)
class EnableBreakpoint(Command):
    """Enables a breakpoint, or disables it and keeps it in the list."""

    outlives_run = True
    icon = "breakpoint"
    breakpoint: Breakpoint
    enabled: bool = True

    def execute(self, run: Run) -> None:
        run.pause_control.breakpoints.enable(self.breakpoint, enabled=self.enabled)

    def settings_after(self, settings: S) -> S:
        is_disabled = not self.enabled and self.breakpoint in settings.breakpoints
        others = settings.disabled - {self.breakpoint}
        return replace(settings, disabled=others | {self.breakpoint} if is_disabled else others)

    def opposite(self, before: Settings) -> Command:
        return EnableBreakpoint(self.breakpoint, not self.enabled)

    def line(self, wording: Wording) -> str:
        return f"Breakpoint turned {'on' if self.enabled else 'off'}: {self.breakpoint.title}"

    def title(self, wording: Wording) -> str:
        return f"Turn breakpoint {'on' if self.enabled else 'off'}: {self.breakpoint.title}"
