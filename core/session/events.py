"""The events of a session, in order. Every view, recording and export is derived from these and nothing else."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from core.common.parameters import Parameters
from core.common.recorded import ADDED
from core.goals.literals import Goal, LiteralProgress
from core.llm.sources import Source, read_source
from core.planning.facets import Facet, Moment
from core.planning.model_requests import ModelReply, ModelRequest
from core.session.annotation import Change
from core.session.breakpoints import Breakpoint
from core.session.commands import Command, SetLimits
from core.simulator.base import WorldChange
from core.world.vocabulary import Action, Observation, Outcome, Verdict

Who = Literal["planner", "operator"]
NOBODY = "none"
"""The provider of a run whose planner asks nothing."""


STOPPED = "stopped by the operator"
"""The reason in the `Ended` of a branch that the operator stopped."""
AT_BREAKPOINT = "stopped at a breakpoint"
"""The same for a run without a window, which nobody can resume."""
CUT_SHORT = frozenset({STOPPED, AT_BREAKPOINT, "stopped by SIGTERM", "stopped by SIGHUP"})
"""The reasons of all branches that did not end by themselves. A signal ends only runs without a window."""


class Payload:
    """Base class of what an event reports. It marks the type and has no members."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Event:
    """One event of a session.

    Attributes:
        number: counts from 0 without gaps.
        at: seconds since the session began, never decreasing.
        turn: the turn it belongs to, from 1; 0 before the first.
        branch: the branch it belongs to; 0 until the run is forked or rewound.
        worked: seconds of work until then: `at` without the time spent waiting for a person, and without thinking while the
            search was being compiled. Work is thinking, waiting for the model, and acting.
        what: what happened.
    """

    number: int
    at: float
    turn: int
    branch: int
    worked: float = field(default=0.0, kw_only=True, metadata=ADDED)
    what: Payload

    @property
    def moment(self) -> Moment:
        """The turn and branch the event belongs to."""
        return Moment(self.branch, self.turn)


@dataclass(frozen=True, slots=True)
class Began(Payload):
    """The run begins. Holds everything needed to run it again, and never a key.

    Attributes:
        beside: the companion as `planner[:preset][+name=value …]`; empty: there is none.
        beside_provider: who answers the companion; empty: nobody.
        prices: what a million tokens of prompt and of reply cost, by model name; empty: no prices were given.
        world: the simulator's settings; empty: its defaults.
        planner_seed: the seed of the planner, if that is not `seed`, which is the simulator's; None: it is the same.
        answers: the `LanguageModel.source` of the provider: its name, the model and the server. Empty: nobody answers, or an
            earlier version recorded the run.
        answers_as: the user's name for that; empty: there is none.
    """

    planner: str
    simulator: str
    scene: str
    provider: str
    seed: int
    goal: Goal
    parameters: Parameters
    most_steps: int
    versions: tuple[tuple[str, str], ...] = ()
    limits: SetLimits = field(default_factory=SetLimits, metadata=ADDED)
    beside: str = field(default="", metadata=ADDED)
    beside_provider: str = field(default="", metadata=ADDED)
    prices: tuple[tuple[str, float, float], ...] = field(default=(), metadata=ADDED)
    world: tuple[tuple[str, str], ...] = field(default=(), metadata=ADDED)
    planner_seed: int | None = field(default=None, metadata=ADDED)
    answers: str = field(default="", metadata=ADDED)
    answers_as: str = field(default="", metadata=ADDED)

    @property
    def source(self) -> Source | None:
        """Who answers the planner's requests at the beginning; None: it asks nobody."""
        if self.provider in ("", NOBODY):
            return None
        return read_source(self.answers or self.provider)._replace(title=self.answers_as)


@dataclass(frozen=True, slots=True)
class TurnBegan(Payload):
    """A turn begins: the robot's observation, and the progress towards the goal in the real state."""

    seen: Observation
    progress: tuple[LiteralProgress, ...]


@dataclass(frozen=True, slots=True)
class Shown(Payload):
    """A planner or a camera shows a facet.

    Attributes:
        of: the moment in which the facet was first shown, if a run that went back restores it; None: it is new.
    """

    facet: Facet
    of: Moment | None = field(default=None, metadata=ADDED)


@dataclass(frozen=True, slots=True)
class Asked(Payload):
    """A model request was sent. `ask.messages` is the prompt."""

    id: int
    ask: ModelRequest
    source: str


@dataclass(frozen=True, slots=True)
class AskedAside(Payload):
    """The operator's own model request was sent, beside the run. Its reply is a `Replied` like any other."""

    id: int
    ask: ModelRequest
    source: str


@dataclass(frozen=True, slots=True)
class Replied(Payload):
    """A reply to a model request arrived.

    Attributes:
        given: the operator gave it to the request on this branch, with `GiveReply`.
    """

    id: int
    reply: ModelReply
    given: bool = field(default=False, metadata=ADDED)


@dataclass(frozen=True, slots=True)
class CommandTaken(Payload):
    """An operator's command was executed, or refused with the reason.

    Attributes:
        before: the facet that an edit replaced.
    """

    command: Command
    ok: bool = True
    reason: str = ""
    before: Facet | None = None


@dataclass(frozen=True, slots=True)
class Paused(Payload):
    """The run pauses and waits for the operator, or for some seconds only.

    Attributes:
        reason: asked to, a breakpoint, a step done, or the pace.
        seconds: after so many the run goes on by itself; 0: it waits for the operator.
    """

    reason: str
    seconds: float = field(default=0.0, metadata=ADDED)


@dataclass(frozen=True, slots=True)
class BreakpointHit(Payload):
    """A breakpoint matched: the run pauses, unless it is a tracepoint.

    Attributes:
        what: the action or values that matched.
        count: how often it matched so far, from 1.
    """

    point: Breakpoint
    what: str
    count: int


@dataclass(frozen=True, slots=True)
class Resumed(Payload):
    """The run goes on after a pause."""


@dataclass(frozen=True, slots=True)
class Decided(Payload):
    """An action was chosen.

    Attributes:
        action: the action; None: the planner sees nothing left to do.
        by: who chose it.
        because: why.
    """

    action: Action | None
    by: Who
    because: str = ""
    instead_of: Action | None = None
    """The action that the planner had chosen or ranked first, if an override replaced it."""


@dataclass(frozen=True, slots=True)
class Diverged(Payload):
    """The companion would not do what the driving planner chose. Its `CompanionDecision` precedes this.

    Attributes:
        action: the driving planner's choice; None: it gives up.
        other: the companion's choice; None: it would give up.
        planner: the companion's name.
    """

    action: Action | None
    other: Action | None
    planner: str


@dataclass(frozen=True, slots=True)
class Acted(Payload):
    """An action was executed.

    Attributes:
        thinking, waiting, acting: seconds the turn spent in the planner, waiting for the model, and in the simulator. Waiting
            for a person is in none of them.
        compiling: seconds in which the planner thought while its search was being compiled. They are no work.
    """

    outcome: Outcome
    by: Who
    thinking: float = 0.0
    waiting: float = 0.0
    acting: float = 0.0
    compiling: float = field(default=0.0, metadata=ADDED)


@dataclass(frozen=True, slots=True)
class Failed(Payload):
    """A part of the run failed.

    Attributes:
        waits: whether the run waits for the operator.
        options: what the operator can do, in plain words.
        call: number of the model request that failed; None: it is about no single one, or an earlier version recorded it.
    """

    part: Literal["model", "simulator", "planner", "camera", "recorder"]
    kind: str
    message: str
    waits: bool = True
    options: tuple[str, ...] = ()
    call: int | None = field(default=None, metadata=ADDED)


@dataclass(frozen=True, slots=True)
class Recovered(Payload):
    """A failed part works again."""

    part: Literal["model", "simulator", "planner", "camera", "recorder"]
    message: str


@dataclass(frozen=True, slots=True)
class Rewound(Payload):
    """The run continues in a turn, on a new branch that leaves `parent` there.

    The `Standing` that follows states what holds there.

    Attributes:
        present: the turn continues as it was when the command came, with all edits made in it; otherwise as it began.
    """

    turn: int
    branch: int
    parent: int
    forked: bool
    resample: bool
    present: bool = field(default=False, metadata=ADDED)


@dataclass(frozen=True, slots=True)
class Switched(Payload):
    """The run continues another branch where it was left. If that branch has ended, it is only displayed."""

    branch: int
    turn: int


@dataclass(frozen=True, slots=True)
class Standing(Payload):
    """What holds now, where earlier events do not determine it: after `Rewound`, after `Switched`, and after a change of goal.

    After the first two, the facets known at that moment follow, as `Shown` with `of`.
    """

    goal: Goal
    parameters: Parameters
    banned: frozenset[Action]
    seen: Observation
    progress: tuple[LiteralProgress, ...]


@dataclass(frozen=True, slots=True)
class ActionsListed(Payload):
    """The possible actions at this moment, admissible ones first, each with its verdict."""

    options: tuple[tuple[Action, Verdict], ...]
    thing: str = ""


@dataclass(frozen=True, slots=True)
class ChangesListed(Payload):
    """How an entity could be changed in the simulator's world at the beginning of a turn.

    Attributes:
        of: the turn and its branch.
        changes: all possible changes, without points.
        why: why there are none; empty if there are some.
    """

    thing: str
    of: Moment
    changes: tuple[WorldChange, ...]
    why: str = ""


@dataclass(frozen=True, slots=True)
class Annotated(Payload):
    """The operator labelled a moment.

    Attributes:
        id: of the new label; empty: the label is called after this event.
    """

    label: str
    note: str
    phase: Literal["point", "start", "stop"]
    annotator: str = ""
    id: str = field(default="", metadata=ADDED)


@dataclass(frozen=True, slots=True)
class Relabelled(Payload):
    """The operator changed, added or removed a label."""

    change: Change


@dataclass(frozen=True, slots=True)
class Ended(Payload):
    """The present branch is over: it reached the goal, used up its steps, gave up, or was stopped by the operator.

    It is emitted once. An ended branch goes on only if more steps are allowed; its next `TurnBegan` then shows that.
    """

    success: bool
    reason: str
    progress: tuple[LiteralProgress, ...]

    @property
    def cut(self) -> bool:
        """True if the operator or a signal stopped the branch before it ended by itself."""
        return self.reason in CUT_SHORT
