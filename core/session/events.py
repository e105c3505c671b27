"""What happened in a session, in order. Every view, recording and export is made from these and nothing else."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from core.common.parameters import Parameters
from core.goals.literals import Goal, LiteralProgress
from core.planning.facets import Facet
from core.planning.model_requests import Ask, Reply
from core.planning.moment import Moment
from core.session.annotation import Change
from core.session.commands import Breakpoint, Command, SetLimits
from core.world.vocabulary import Action, Observation, Outcome, Verdict

Who = Literal["planner", "operator"]


STOPPED = "stopped by the operator"
"""Why a branch is over that did not come to its end by itself."""
CUT_SHORT = frozenset({STOPPED, "stopped by SIGTERM", "stopped by SIGHUP"})
"""All such reasons; a signal ends only runs without a window."""


class Payload:
    """Marker base of what an event tells."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened.

    Attributes:
        number: counts from 0 without gaps.
        at: seconds since the session began, never decreasing.
        turn: the turn it belongs to, from 1; 0 before the first.
        branch: 0, until the run is forked or rewound.
        worked: the seconds of `at` without those in which a person was waited for: thinking, waiting for the model, acting.
    """

    number: int
    at: float
    turn: int
    branch: int
    worked: float = field(default=0.0, kw_only=True)
    what: Payload

    @property
    def moment(self) -> Moment:
        """The turn and branch it belongs to."""
        return Moment(self.branch, self.turn)


@dataclass(frozen=True, slots=True)
class Began(Payload):
    """The run begins: everything needed to run it again. Never a key."""

    planner: str
    simulator: str
    scene: str
    provider: str
    seed: int
    goal: Goal
    parameters: Parameters
    most_steps: int
    versions: tuple[tuple[str, str], ...] = ()
    limits: SetLimits = field(default_factory=SetLimits)


@dataclass(frozen=True, slots=True)
class TurnBegan(Payload):
    """A turn begins: what the robot sees, and how far the goal really is."""

    seen: Observation
    progress: tuple[LiteralProgress, ...]


@dataclass(frozen=True, slots=True)
class Shown(Payload):
    """A planner, or a camera, shows something.

    Attributes:
        of: where it was shown first, when a run that went back is told what was known there; None: it is new.
    """

    facet: Facet
    of: Moment | None = None


@dataclass(frozen=True, slots=True)
class Asked(Payload):
    """A question went out; `ask.messages` are the prompt."""

    id: int
    ask: Ask
    source: str


@dataclass(frozen=True, slots=True)
class AskedAside(Payload):
    """The operator's own question went out, beside the run; its answer is a `Replied` like any other."""

    id: int
    ask: Ask
    source: str


@dataclass(frozen=True, slots=True)
class Replied(Payload):
    """An answer came."""

    id: int
    reply: Reply


@dataclass(frozen=True, slots=True)
class CommandTaken(Payload):
    """An operator's command was obeyed, or refused with the reason. `before` is what an edit replaced."""

    command: Command
    ok: bool = True
    reason: str = ""
    before: Facet | None = None


@dataclass(frozen=True, slots=True)
class Paused(Payload):
    """The run waits for the operator, and why: asked to, a breakpoint, a step done."""

    reason: str


@dataclass(frozen=True, slots=True)
class BreakpointHit(Payload):
    """A breakpoint matched and the run pauses. `what` is the action or value that matched, `count` its hits so far."""

    point: Breakpoint
    what: str
    count: int


@dataclass(frozen=True, slots=True)
class Resumed(Payload):
    """It goes on."""


@dataclass(frozen=True, slots=True)
class Decided(Payload):
    """An action was chosen, by whom and why; None: the planner sees nothing left to do."""

    action: Action | None
    by: Who
    because: str = ""
    instead_of: Action | None = None
    """What the planner had chosen or ranked first, under an override."""


@dataclass(frozen=True, slots=True)
class Acted(Payload):
    """An action was done. Seconds of the turn: planner, waiting for the model, simulator; waiting for a person is in none."""

    outcome: Outcome
    by: Who
    thinking: float = 0.0
    waiting: float = 0.0
    acting: float = 0.0


@dataclass(frozen=True, slots=True)
class Failed(Payload):
    """Something broke. The run waits for the operator when `waits`; `options` are what can be done, in plain words."""

    part: Literal["model", "simulator", "planner", "camera", "recorder"]
    kind: str
    message: str
    waits: bool = True
    options: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Recovered(Payload):
    """A broken part was brought back."""

    part: Literal["model", "simulator", "planner", "camera", "recorder"]
    message: str


@dataclass(frozen=True, slots=True)
class Rewound(Payload):
    """The run goes on in a turn, on a new branch that leaves `parent` there. `Standing` tells what holds there.

    Attributes:
        present: the turn is taken as it was when the operator said so, with all edits of it; else as it began.
    """

    turn: int
    branch: int
    parent: int
    forked: bool
    resample: bool
    present: bool = False


@dataclass(frozen=True, slots=True)
class Switched(Payload):
    """The run goes on with another branch, as it was left; if that branch has ended, it is only looked at."""

    branch: int
    turn: int


@dataclass(frozen=True, slots=True)
class Standing(Payload):
    """What holds now, told where the events before do not say it: after `Rewound`, `Switched`, and another goal.

    After the first two the facets known there follow, as `Shown` with `of`.
    """

    goal: Goal
    parameters: Parameters
    banned: frozenset[Action]
    seen: Observation
    progress: tuple[LiteralProgress, ...]


@dataclass(frozen=True, slots=True)
class ActionsListed(Payload):
    """What could be done at this moment, admissible ones first, each with its verdict."""

    options: tuple[tuple[Action, Verdict], ...]
    thing: str = ""


@dataclass(frozen=True, slots=True)
class Annotated(Payload):
    """An operator's label."""

    label: str
    note: str
    phase: Literal["point", "start", "stop"]
    annotator: str = ""


@dataclass(frozen=True, slots=True)
class Relabelled(Payload):
    """An operator's label was changed, added by hand, or taken away."""

    change: Change


@dataclass(frozen=True, slots=True)
class Ended(Payload):
    """The present branch is over: it reached the goal, used up its steps, gave up, or was stopped by the operator.

    It is told once. Only more steps make an ended branch go on, which its next `TurnBegan` tells.
    """

    success: bool
    reason: str
    progress: tuple[LiteralProgress, ...]

    @property
    def cut(self) -> bool:
        """Whether the operator or a signal stopped it before it came to an end by itself."""
        return self.reason in CUT_SHORT
