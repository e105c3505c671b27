"""The parts of a run on its timeline (model calls, turns, marks), and the lines of turns that lead to a moment.

A run that was rewound or forked has several lines of turns.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from core.planning.facets import Moment
from core.planning.model_requests import ModelReply, ModelRequest
from core.session import events as e
from core.simulator.base import WorldChange
from core.world.vocabulary import Action, AgentState, Done


@dataclass(frozen=True, slots=True)
class Call:
    """A model request and its reply, if it has one."""

    id: int
    turn: int
    branch: int
    ask: ModelRequest
    source: str
    asked_at: float
    reply: ModelReply | None = None
    by: e.Who = "planner"

    @property
    def moment(self) -> Moment:
        """The turn and branch in which it was made."""
        return Moment(self.branch, self.turn)


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn on the timeline. Times are seconds since the session began.

    A run keeps all its turns, so each is small. What was observed in a turn is in its events.

    Attributes:
        began, ended: in wall clock time.
        agent: the robot at the beginning of the turn.
        thinking, waiting, acting: seconds in the planner, waiting for the model, and in the simulator. Waiting for a person is
            in none of them.
        work_began, work_ended: `began` and `ended` on a clock that stands still while the session waits for a person, and while
            the planner thinks before its search is compiled.
        compiling: seconds in which the planner thought before its search was compiled.
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
    compiling: float = 0.0

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
        return max(0.0, (self.began if self.ended is None else self.ended) - self.began - self.work - self.compiling)

    @property
    def done(self) -> Action | None:
        """The executed action; before it is executed, the chosen one."""
        return self.outcome.action if self.outcome is not None else self.action


def worked_at(turns: Sequence[Turn], at: float, worked: float, seconds: float) -> float:
    """Returns how many of the seconds up to a moment were work; within a turn that was paused, in proportion.

    Args:
        turns: of a line, in order.
        at: when the run was last heard of, in wall clock time.
        worked: the seconds of work until then.
        seconds: the moment, in wall clock time.
    """
    k = bisect_right(turns, seconds, key=lambda turn: turn.began) - 1
    if k < 0:
        return min(seconds, turns[0].work_began if turns else worked)
    turn = turns[k]
    ended, work_ended = (at, worked) if turn.ended is None or turn.work_ended is None else (turn.ended, turn.work_ended)
    if seconds > ended:
        return min(work_ended + seconds - ended, turns[k + 1].work_began if k + 1 < len(turns) else worked)
    share = (seconds - turn.began) / (ended - turn.began) if ended > turn.began else 1.0
    return turn.work_began + share * (work_ended - turn.work_began)


Marked = Literal["edit", "world", "override", "fault", "goal", "rewind", "command", "divergence"]


@dataclass(frozen=True, slots=True)
class Mark:
    """A mark on the timeline, such as an edit, an override or a fault. It belongs to a turn of a branch.

    Attributes:
        change: the change of the world that it marks, if it is one.
    """

    at: float
    turn: int
    kind: Marked
    text: str
    branch: int = 0
    change: WorldChange | None = None


Branches = Iterable[tuple[int, int | None, int]]
"""(number, parent, turn at which it leaves its parent) of each branch."""


def first_from(line: Sequence[Turn], number: int) -> int:
    """Returns the index of the turn with a number on a line, else of the next one after it, else the line's length."""
    guess = number - line[0].number if line else 0
    if 0 <= guess < len(line) and line[guess].number == number:
        return guess  # usually no turn is missing
    return bisect_left(line, number, key=lambda turn: turn.number)


def place_of(line: Sequence[Turn], moment: Moment | None) -> int | None:
    """Returns the index of a turn on a line; None if it is not on this line."""
    if moment is None:
        return None
    place = first_from(line, moment.turn)
    return place if place < len(line) and line[place].moment == moment else None


def line_of(turns: Sequence[Turn], branches: Branches, branch: int) -> tuple[Turn, ...]:
    """Returns the completed turns of a branch, and of its parents up to where they were left, oldest first.

    Raises:
        KeyError: there is no such branch.
    """
    return tuple(turns[place] for place in places_of(((t.number, t.branch) for t in turns), branches, branch))


def leaving_turns(branches: Branches, branch: int) -> dict[int, float]:
    """Returns the branches that lead to a branch, each with the turn in which the line leaves it; infinite for the last one.

    Raises:
        KeyError: the branch or one of its parents does not exist, or is its own parent.
    """
    parents = {number: (parent, leaves) for number, parent, leaves in branches}
    found: dict[int, float] = {}
    at: int | None = branch
    limit = float("inf")
    while at is not None:
        found[at] = limit
        at, leaves = parents.pop(at)  # in a damaged recording a branch may be its own parent
        limit = min(limit, leaves)
    return found


def places_of(played: Iterable[tuple[int, int]], branches: Branches, branch: int) -> list[int]:
    """Returns the indices, among all completed turns, of the turns that lead to a branch, ordered by turn number.

    If a turn was played again on its branch (a run that had ended goes on from its last turn), the last time counts.

    Args:
        played: (number, branch) of every completed turn, in the order they were played.
        branches: all branches.
        branch: the branch whose line is wanted.

    Raises:
        KeyError: the branch or one of its parents does not exist, or is its own parent.
    """
    of: defaultdict[int, dict[int, int]] = defaultdict(dict)
    for place, (number, branch_of) in enumerate(played):
        of[branch_of][number] = place
    found: dict[int, int] = {}
    for at, limit in leaving_turns(branches, branch).items():
        found = {number: place for number, place in of[at].items() if number < limit} | found
    return [found[number] for number in sorted(found)]
