"""The parts of a run on its timeline: model calls, turns and marks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from core.planning.facets import Moment
from core.planning.model_requests import Ask, Reply
from core.session import events as e
from core.world.vocabulary import Action, AgentState, Done


@dataclass(frozen=True, slots=True)
class Call:
    """A model request and its reply, if it has one."""

    id: int
    turn: int
    branch: int
    ask: Ask
    source: str
    asked_at: float
    reply: Reply | None = None
    by: e.Who = "planner"


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn on the timeline. Times are seconds since the session began.

    A run keeps all its turns, so each is small. What was observed in a turn is in its events.

    Attributes:
        began, ended: in wall clock time.
        agent: the robot at the beginning of the turn.
        thinking, waiting, acting: seconds in the planner, waiting for the model, and in the simulator. Waiting for a person is
            in none of them.
        work_began, work_ended: `began` and `ended` on a clock that stands still while the session waits for a person.
        best: the action of highest value in the turn's ranking when the action was chosen; None if no action had a value.
        loss: value of `best` minus value of the chosen action; None if the chosen action was never visited or not ranked.
    """

    number: int
    branch: int
    began: float
    agent: AgentState
    ended: float | None = None
    action: Action | None = None
    by: e.Who = "planner"
    because: str = ""
    instead_of: Action | None = None
    outcome: Done | None = None
    thinking: float = 0.0
    waiting: float = 0.0
    acting: float = 0.0
    best: Action | None = None
    loss: float | None = None
    work_began: float = 0.0
    work_ended: float | None = None

    @property
    def moment(self) -> Moment:
        """Its branch and number."""
        return Moment(self.branch, self.number)

    @property
    def work(self) -> float:
        """Seconds of work: thinking, waiting for the model, acting, and the time between them."""
        return max(0.0, (self.work_began if self.work_ended is None else self.work_ended) - self.work_began)

    @property
    def idle(self) -> float:
        """Seconds in which the session waited for a person."""
        return max(0.0, (self.began if self.ended is None else self.ended) - self.began - self.work)

    @property
    def done(self) -> Action | None:
        """The executed action; before it is executed, the chosen one."""
        return self.outcome.action if self.outcome is not None else self.action


@dataclass(frozen=True, slots=True)
class Mark:
    """A mark on the timeline, such as an edit, an override or a fault. It belongs to a turn of a branch."""

    at: float
    turn: int
    kind: Literal["edit", "override", "fault", "goal", "rewind", "command"]
    text: str
    branch: int = 0
