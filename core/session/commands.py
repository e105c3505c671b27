"""What an operator can say to a running session. Frozen, plain, and safe to post from any thread."""

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
    """Marker base."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Pause(Command):
    """Stop at the next yield."""


@dataclass(frozen=True, slots=True)
class Resume(Command):
    """Go on."""


@dataclass(frozen=True, slots=True)
class Hold(Command):
    """Stand still while the operator chooses something, until `Release`; a run that is paused stays paused."""


@dataclass(frozen=True, slots=True)
class Release(Command):
    """Go on as before the last `Hold`: a run it found paused, or was told to pause since, stays paused."""


@dataclass(frozen=True, slots=True)
class Step(Command):
    """Go on to the next checkpoint, or until one action is done and the next is chosen; then pause."""

    to: Literal["checkpoint", "action"] = "action"


@dataclass(frozen=True, slots=True)
class Stop(Command):
    """End the run.

    Attributes:
        why: the reason the run ends with, such as a spent budget; empty: the operator wanted it.
    """

    why: str = ""


@dataclass(frozen=True, slots=True)
class Override(Command):
    """Do this now instead of what the planner would choose. Untold, the planner is left to notice by looking."""

    action: Action
    told: bool = True
    why: str = ""


@dataclass(frozen=True, slots=True)
class Ban(Command):
    """The planner must not choose this action, until it is allowed again."""

    action: Action


@dataclass(frozen=True, slots=True)
class Unban(Command):
    """The action may be chosen again."""

    action: Action


@dataclass(frozen=True, slots=True)
class Edit(Command):
    """Put this facet in the place of what the planner has in mind."""

    facet: Facet
    why: str = ""


@dataclass(frozen=True, slots=True)
class Answer(Command):
    """The operator answers a waiting question."""

    ask: int
    text: str


@dataclass(frozen=True, slots=True)
class AskAgain(Command):
    """Put a waiting or failed question to the model again, past every cache."""

    ask: int


@dataclass(frozen=True, slots=True)
class AskAside(Command):
    """Put a question of the operator's own to the present model, beside the run: the planner hears nothing of the reply."""

    question: Ask


@dataclass(frozen=True, slots=True)
class Retry(Command):
    """Try again what failed."""


@dataclass(frozen=True, slots=True)
class UseModel(Command):
    """Let another provider answer from now on, by its name in the session's choice."""

    name: str


@dataclass(frozen=True, slots=True)
class SetParameter(Command):
    """Change one parameter of the planner, from its next yield on."""

    name: str
    value: Value


@dataclass(frozen=True, slots=True)
class Deepen(Command):
    """Search one action of the ranking with so many more simulations; None: every action until all have equally many."""

    action: Action | None
    visits: int = 25


@dataclass(frozen=True, slots=True)
class SetGoal(Command):
    """Give the planner another goal."""

    goal: Goal


@dataclass(frozen=True, slots=True)
class SetSteps(Command):
    """Change the number of steps after which the run ends."""

    most: int


@dataclass(frozen=True, slots=True)
class SetLimits(Command):
    """Change how much the language model may be used, all in all; None: no limit. Cost is in the currency of the prices."""

    calls: int | None = None
    tokens: int | None = None
    cost: float | None = None


@dataclass(frozen=True, slots=True)
class Breakpoint:
    """A condition on which the run pauses.

    Attributes:
        on: before an action whose text begins with `text`; at a turn; when the belief's largest entropy (bits) of a wanted row
            is over `level`; when the best two values differ by less than `level`; when tokens used are over `level`; when
            something blocks the plan that has not blocked it before.
        once: forget it when it was hit.
    """

    on: Literal["action", "turn", "entropy", "gap", "tokens", "condition"]
    text: str = ""
    level: float = 0.0
    once: bool = False


@dataclass(frozen=True, slots=True)
class SetBreakpoint(Command):
    """Pause when this happens."""

    breakpoint: Breakpoint


@dataclass(frozen=True, slots=True)
class ClearBreakpoint(Command):
    """Do not pause for this any more."""

    breakpoint: Breakpoint


@dataclass(frozen=True, slots=True)
class EnableBreakpoint(Command):
    """Let a breakpoint stop the run again, or keep it in the list without stopping."""

    breakpoint: Breakpoint
    enabled: bool = True


@dataclass(frozen=True, slots=True)
class Rewind(Command):
    """Go back to the beginning of a turn and go on from there; what came after is kept as history.

    Attributes:
        resample: ask the model again and draw other random numbers; without it the run repeats itself exactly.
        branch: the branch of the turn; None: the present one.
    """

    turn: int
    resample: bool = False
    branch: int | None = None


@dataclass(frozen=True, slots=True)
class Fork(Command):
    """Like `Rewind`, on a branch of its own; `Switch` returns to the old one where it was left.

    Attributes:
        turn: None: the turn under way as it is now, with its edits, bans, parameters and goal.
    """

    turn: int | None = None
    resample: bool = False
    branch: int | None = None


@dataclass(frozen=True, slots=True)
class Switch(Command):
    """Go on with another branch, as it was left. One that has ended is only looked at."""

    branch: int


@dataclass(frozen=True, slots=True)
class Look(Command):
    """Show these views, at this size, from now on; none: draw nothing."""

    views: tuple[View, ...]
    width: int = 640
    height: int = 480


@dataclass(frozen=True, slots=True)
class KeepPictures(Command):
    """A recording wants these views of every turn, also those that are not on the screen. Without views: it ended."""

    views: tuple[View, ...] = ("first person", "dollhouse")


@dataclass(frozen=True, slots=True)
class ListActions(Command):
    """List what could be done now and what cannot yet, with the reasons; with a thing, only what is about it."""

    thing: str = ""


@dataclass(frozen=True, slots=True)
class Annotate(Command):
    """An operator's label or note on this moment."""

    label: str
    note: str = ""
    phase: Literal["point", "start", "stop"] = "point"
    annotator: str = ""


@dataclass(frozen=True, slots=True)
class Relabel(Command):
    """Change a label that was given: its edges, its words, or whether there is one."""

    change: Change
