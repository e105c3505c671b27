"""The commands an operator can give to a running session. Frozen, plain data, safe to post from any thread."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from core.common.parameters import Value
from core.goals.literals import Goal
from core.planning.facets import Facet, View
from core.planning.model_requests import Ask
from core.session.annotation import Change
from core.world.vocabulary import Action


class Command:
    """Base class of all commands. It marks the type and has no members."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Pause(Command):
    """Pauses the run at the next yield."""


@dataclass(frozen=True, slots=True)
class Resume(Command):
    """Ends a pause."""


@dataclass(frozen=True, slots=True)
class Hold(Command):
    """Pauses the run while the operator chooses something, until `Release`. A run that is already paused is not changed."""


@dataclass(frozen=True, slots=True)
class Release(Command):
    """Undoes the last `Hold`. A run that was paused before it, or was paused during it, stays paused."""


@dataclass(frozen=True, slots=True)
class Step(Command):
    """Goes on to the next checkpoint, or until one action is executed and the next one is chosen; then pauses."""

    to: Literal["checkpoint", "action"] = "action"


@dataclass(frozen=True, slots=True)
class Stop(Command):
    """Ends the run.

    Attributes:
        why: the reason that the run's end reports, such as a spent budget; empty: the operator stopped it.
    """

    why: str = ""


@dataclass(frozen=True, slots=True)
class Override(Command):
    """Executes this action now, in place of the planner's choice.

    Attributes:
        told: whether the planner is updated with the outcome; if False, it can only notice the change by observing.
        why: the operator's reason.
    """

    action: Action
    told: bool = True
    why: str = ""


@dataclass(frozen=True, slots=True)
class Ban(Command):
    """Forbids the planner to choose this action, until it is unbanned."""

    action: Action


@dataclass(frozen=True, slots=True)
class Unban(Command):
    """Allows the planner to choose a banned action again."""

    action: Action


@dataclass(frozen=True, slots=True)
class Edit(Command):
    """Replaces a facet of the planner's state by this one.

    Attributes:
        facet: the edited facet.
        why: the operator's reason; it labels the mark on the timeline.
    """

    facet: Facet
    why: str = ""


@dataclass(frozen=True, slots=True)
class Answer(Command):
    """Answers a waiting model request with the operator's text.

    Attributes:
        ask: the number of the request.
    """

    ask: int
    text: str


@dataclass(frozen=True, slots=True)
class AskAgain(Command):
    """Sends a waiting or failed model request again, bypassing every cache.

    Attributes:
        ask: the number of the request.
    """

    ask: int


@dataclass(frozen=True, slots=True)
class AskAside(Command):
    """Sends the operator's own request to the present model, beside the run. The planner never receives the reply."""

    question: Ask


@dataclass(frozen=True, slots=True)
class Retry(Command):
    """Tries again what failed."""


@dataclass(frozen=True, slots=True)
class UseModel(Command):
    """Lets another provider answer from now on.

    Attributes:
        name: the key of the provider in the session's `Setup.models`.
    """

    name: str


@dataclass(frozen=True, slots=True)
class SetParameter(Command):
    """Changes one parameter of the planner, from its next yield on."""

    name: str
    value: Value


@dataclass(frozen=True, slots=True)
class Deepen(Command):
    """Searches one action of the ranking further.

    Attributes:
        action: the action; None: every action, until all have equally many simulations.
        visits: number of additional simulations.
    """

    action: Action | None
    visits: int = 25


@dataclass(frozen=True, slots=True)
class SetGoal(Command):
    """Gives the planner another goal."""

    goal: Goal


@dataclass(frozen=True, slots=True)
class SetSteps(Command):
    """Changes the number of steps after which the run ends."""

    most: int


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


@dataclass(frozen=True, slots=True)
class Breakpoint:
    """A condition at which the run pauses.

    Attributes:
        on: before an action whose text begins with `text`; at a turn; when the belief's largest entropy (bits) of a wanted row
            is over `level`; when the best two values differ by less than `level`; when the tokens used are over `level`; when
            a condition blocks the plan that has not blocked it before.
        once: remove the breakpoint after its first hit.
    """

    on: Literal["action", "turn", "entropy", "gap", "tokens", "condition"]
    text: str = ""
    level: float = 0.0
    once: bool = False


@dataclass(frozen=True, slots=True)
class SetBreakpoint(Command):
    """Sets a breakpoint."""

    breakpoint: Breakpoint


@dataclass(frozen=True, slots=True)
class ClearBreakpoint(Command):
    """Removes a breakpoint."""

    breakpoint: Breakpoint


@dataclass(frozen=True, slots=True)
class EnableBreakpoint(Command):
    """Enables a breakpoint, or disables it and keeps it in the list."""

    breakpoint: Breakpoint
    enabled: bool = True


@dataclass(frozen=True, slots=True)
class Rewind(Command):
    """Goes back to the beginning of a turn and continues from there. The later turns are kept as history.

    Attributes:
        resample: ask the model again and use other random numbers; if False, the run repeats itself exactly.
        branch: the branch of the turn; None: the present one.
    """

    turn: int
    resample: bool = False
    branch: int | None = None


@dataclass(frozen=True, slots=True)
class Fork(Command):
    """Continues on a new branch from the beginning of a turn. `Switch` returns to the old branch where it was left.

    Attributes:
        turn: None: the turn under way as it is now, with its edits, bans, parameters and goal.
        resample: as in `Rewind`.
        branch: as in `Rewind`.
    """

    turn: int | None = None
    resample: bool = False
    branch: int | None = None


@dataclass(frozen=True, slots=True)
class Switch(Command):
    """Continues another branch where it was left. A branch that has ended is only displayed."""

    branch: int


@dataclass(frozen=True, slots=True)
class Look(Command):
    """Draws these views, in this size (pixels), from now on. Without views nothing is drawn."""

    views: tuple[View, ...]
    width: int = 640
    height: int = 480


@dataclass(frozen=True, slots=True)
class KeepPictures(Command):
    """Draws these views of every turn for a recording, also when no panel shows them. Without views: the recording ended."""

    views: tuple[View, ...] = ("first person", "dollhouse")


@dataclass(frozen=True, slots=True)
class ListActions(Command):
    """Lists the actions that are possible now, and those that are not yet possible with the reasons.

    Attributes:
        thing: list only actions that involve this entity; empty: all.
    """

    thing: str = ""


@dataclass(frozen=True, slots=True)
class Annotate(Command):
    """Puts a label or a note of the operator on this moment."""

    label: str
    note: str = ""
    phase: Literal["point", "start", "stop"] = "point"
    annotator: str = ""


@dataclass(frozen=True, slots=True)
class Relabel(Command):
    """Changes, adds or removes a label: its times, its text, or its existence."""

    change: Change
