"""What the analysis of a failure reads: the turns that led to the end of a branch, each with what was recorded in it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Final

from core.goals.literals import Goal, LiteralProgress
from core.planning.facets import Belief, Facet, Grounded, Grounding, Moment, Plan, Ranking
from core.planning.model_requests import ModelReply, ModelRequest
from core.planning.prompt_facts import PolicyFacts
from core.session import events as e
from core.session.commands import SetGoal
from core.session.outcome import branch_of
from core.session.turns import places_of
from core.world.vocabulary import Action, Observation, Outcome

READ: Final = ("Began", "TurnBegan", "Asked", "Replied", "CommandTaken", "Decided", "Acted", "Failed", "Recovered", "Rewound",
               "Switched", "Standing", "Ended", "Belief", "Ranking", "Plan", "Grounded")
"""The kinds of event and facet that are read. Pictures and search trees are not."""
WORLD_MODEL: Final = frozenset({"object positions", "place rooms"})
"""The purposes of requests about where objects are."""
ASIDE: Final = frozenset({"few shots", "examples", "goal", "attention", "state", "learner"})
"""The purposes of requests that neither choose an action nor say where an object is. All others choose actions."""


@dataclass(frozen=True, slots=True)
class RecordedCall:
    """A model request of the planner and its reply; None if none came."""

    id: int
    ask: ModelRequest
    reply: ModelReply | None = None


@dataclass(frozen=True, slots=True)
class RecordedTurn:
    """One turn.

    Attributes:
        seen: the observation at its beginning.
        progress: the progress at its beginning, in the real state.
        belief, ranking, plan: the last ones that were shown in it; None: none was.
        groundings: how replies were interpreted in it.
        calls: the model requests of the turn.
        decided: the decision; None: none was made.
        outcome: the result of the action; None: none was executed.
        acts: what the operator did that changed the run, in words.
        fault: the failure the run waited for when the turn ended; None: none.
    """

    moment: Moment
    seen: Observation
    progress: tuple[LiteralProgress, ...]
    belief: Belief | None = None
    ranking: Ranking | None = None
    plan: Plan | None = None
    groundings: tuple[Grounding, ...] = ()
    calls: tuple[RecordedCall, ...] = ()
    decided: e.Decided | None = None
    outcome: Outcome | None = None
    acts: tuple[str, ...] = ()
    fault: e.Failed | None = None

    @property
    def number(self) -> int:
        """The number of the turn."""
        return self.moment.turn

    @property
    def action(self) -> Action | None:
        """The executed action."""
        return self.outcome.action if self.outcome is not None else None

    @property
    def by_operator(self) -> bool:
        """Whether the operator chose its action."""
        return self.decided is not None and self.decided.by == "operator"


@dataclass(frozen=True, slots=True)
class RecordedRun:
    """One branch of a recorded run.

    Attributes:
        began: how it began; None if the record lacks that.
        goal: the goal at its end.
        turns: the completed turns that lead to its end, oldest first.
        last: the turn under way when it ended, which has no outcome; None if the last turn was completed.
        ended: its end; None if it has none.
        at: when it ended, in seconds; without an end, the time of the last event.
    """

    branch: int
    began: e.Began | None
    goal: Goal
    turns: tuple[RecordedTurn, ...]
    last: RecordedTurn | None
    ended: e.Ended | None
    at: float

    @property
    def every_turn(self) -> tuple[RecordedTurn, ...]:
        """All turns, with the one under way."""
        return self.turns if self.last is None else (*self.turns, self.last)


@dataclass(slots=True)
class _Reading:
    began: e.Began | None = None
    at: float = 0.0
    branch: int = 0
    turns: dict[Moment, RecordedTurn] = field(default_factory=dict)
    played: list[tuple[int, int]] = field(default_factory=list)
    branches: list[tuple[int, int | None, int]] = field(default_factory=lambda: [(0, None, 1)])
    goals: dict[int, Goal] = field(default_factory=dict)
    ends: dict[int, tuple[e.Ended, float]] = field(default_factory=dict)


def read_run(events: Iterable[e.Event], branch: int | None = None) -> RecordedRun:
    """Returns a branch of a run as it was recorded. Equal events give an equal run.

    Args:
        events: the events of `READ`, in order; others are ignored.
        branch: the number of the branch; None: the present one at the end of the record.

    Raises:
        KeyError: there is no such branch.
    """
    reading = _Reading()
    for event in events:
        reading.branch, reading.at = branch_of(event), event.at
        _take(reading, event)
    branch = reading.branch if branch is None else branch
    order = [reading.played[k] for k in places_of(reading.played, reading.branches, branch)]
    turns = tuple(reading.turns[Moment(at, number)] for number, at in order)
    under_way = [t for m, t in reading.turns.items() if m.branch == branch and t.outcome is None]
    ended, at = reading.ends.get(branch, (None, reading.at))
    goal = reading.goals.get(branch, reading.began.goal if reading.began is not None else Goal(()))
    last = under_way[-1] if under_way and (not turns or under_way[-1].number > turns[-1].number) else None
    return RecordedRun(branch, reading.began, goal, turns, last, ended, at)


def _take(reading: _Reading, event: e.Event) -> None:
    what, moment = event.what, event.moment
    match what:
        case e.Began():
            reading.began, reading.goals[0] = what, what.goal
        case e.TurnBegan():
            reading.turns[moment] = RecordedTurn(moment, what.seen, what.progress)
            reading.ends.pop(moment.branch, None)
        case e.Rewound():
            reading.branches.append((what.branch, what.parent, what.turn))
        case e.Standing():
            reading.goals[event.branch] = what.goal
            reading.turns.setdefault(moment, RecordedTurn(moment, what.seen, what.progress))
        case e.Ended():
            reading.ends.setdefault(event.branch, (what, event.at))
        case e.CommandTaken(ok=True, command=SetGoal(goal=goal)):
            reading.goals[event.branch] = goal
            _change(reading, moment, event)
        case _:
            _change(reading, moment, event)


def _change(reading: _Reading, moment: Moment, event: e.Event) -> None:
    turn = reading.turns.get(moment)
    if turn is None:
        return
    new = _with_event(turn, event.what)
    reading.turns[moment] = new
    if isinstance(event.what, e.Acted):
        reading.played.append((moment.turn, moment.branch))


def _with_event(turn: RecordedTurn, what: e.Payload) -> RecordedTurn:
    match what:
        case e.Shown(facet=facet):
            return _with_facet(turn, facet)
        case e.Asked(id=number, ask=ask):
            return replace(turn, calls=(*turn.calls, RecordedCall(number, ask)))
        case e.Replied(id=number, reply=reply):
            return replace(_recovered(turn, "model"),
                           calls=tuple(replace(c, reply=reply) if c.id == number else c for c in turn.calls))
        case e.Decided():
            return replace(turn, decided=what)
        case e.Acted(outcome=outcome):
            return replace(turn, outcome=outcome)
        case e.Failed(waits=True):
            return replace(turn, fault=what)
        case e.Recovered(part=part):
            return _recovered(turn, part)
        case e.CommandTaken(ok=True, command=command) if command.is_intervention:
            return replace(turn, acts=(*turn.acts, type(command).__name__))
        case _:
            return turn


def _with_facet(turn: RecordedTurn, facet: Facet) -> RecordedTurn:
    match facet:
        case Belief():
            return replace(turn, belief=facet)
        case Ranking():
            return replace(turn, ranking=facet)
        case Plan():
            return replace(turn, plan=facet)
        case Grounded(replies=replies):
            return replace(turn, groundings=(*turn.groundings, *replies))
        case _:
            return turn


def _recovered(turn: RecordedTurn, part: str) -> RecordedTurn:
    return replace(turn, fault=None) if turn.fault is not None and turn.fault.part == part else turn


def is_policy(ask: ModelRequest) -> bool:
    """Returns True if a request asks for actions."""
    return ask.purpose not in WORLD_MODEL and ask.purpose not in ASIDE


def policy_calls(turn: RecordedTurn, executed: tuple[str, ...]) -> tuple[RecordedCall, ...]:
    """Returns the calls of a turn that ask what to do now. Those of a search about simulated states are left out.

    Args:
        turn: the turn.
        executed: the actions before it, as `verb id id`. A policy prompt with another history is about another state.
    """
    return tuple(call for call in turn.calls if is_policy(call.ask) and _is_present(call.ask.facts, executed))


def _is_present(facts: object, executed: tuple[str, ...]) -> bool:
    if not isinstance(facts, PolicyFacts):
        return True
    return facts.history == executed[len(executed) - len(facts.history):] if facts.history else not executed
