"""What the analysis of a failure reads: the turns that led to the end of a branch, each with what was recorded in it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Self

from core.goals.literals import Goal, LiteralProgress
from core.planning.belief_facets import Belief
from core.planning.facets import Facet, Grounded, Grounding, Moment, Plan, Program
from core.planning.model_requests import ModelRequest
from core.planning.prompt_facts import AskedFact, PolicyFacts, VisiblePolicyFacts
from core.planning.search_facets import Ranking
from core.session import events as e
from core.session.snapshot import Snapshot, fold
from core.session.turns import line_of
from core.world.vocabulary import Action, Observation, Outcome

READ: Final = ("Began", "TurnBegan", "Asked", "Replied", "CommandTaken", "Decided", "Diverged", "Acted", "Failed", "Recovered",
               "Rewound", "Switched", "Standing", "Ended", "Belief", "Ranking", "Plan", "Program", "Grounded")
"""The kinds of event and facet that are read. Pictures and search trees are not."""
WORLD_MODEL: Final = frozenset({"object positions", "place rooms"})
"""The purposes of requests about where objects are."""
FACTS: Final = frozenset({"product", "direct flights"})
"""The purposes of requests for facts from which a planner computes its answer; the same may be asked as a whole answer."""
ASIDE: Final = frozenset({"few shots", "examples", "goal", "attention", "state", "learner"})
"""The purposes of requests that neither choose an action nor say what the world is like. All others choose actions."""


MOST_SAID: Final = 1_000
"""The maximum number of characters of a reply that are kept."""
MOST_TURNS: Final = 5_000
"""The maximum number of turns, of all branches, whose content is kept."""


@dataclass(frozen=True, slots=True)
class RecordedCall:
    """What is needed of a model request of the planner and its reply.

    Attributes:
        id: its number.
        digest: of its prompt.
        purpose, subject: as in `ModelRequest`.
        choices: what was offered, in words.
        actions: the same as `verb id id, verb id id`; empty if the request does not say.
        history: the actions before the state it is about, as `verb id id`; None if the request does not say.
        said: the first text of the reply; empty without one.
        fact: what a request for a fact asked; None for other requests.
    """

    id: int
    digest: str
    purpose: str
    subject: str
    choices: tuple[str, ...] = ()
    actions: tuple[str, ...] = ()
    history: tuple[str, ...] | None = None
    said: str = ""
    fact: AskedFact | None = None

    @classmethod
    def of(cls, number: int, ask: ModelRequest) -> Self:
        """Returns the call of a request without reply."""
        facts = ask.facts if isinstance(ask.facts, PolicyFacts) else None
        history = ask.facts.history if isinstance(ask.facts, PolicyFacts | VisiblePolicyFacts) else None
        return cls(number, ask.digest, ask.purpose, ask.subject, ask.expects.choices if facts is not None else (),
                   () if facts is None else facts.choices, history,
                   fact=ask.facts if ask.purpose in FACTS and isinstance(ask.facts, AskedFact) else None)

    @property
    def is_policy(self) -> bool:
        """Whether it asks for actions."""
        return self.purpose not in WORLD_MODEL | FACTS | ASIDE


@dataclass(frozen=True, slots=True)
class RecordedTurn:
    """One turn.

    Attributes:
        seen: the observation at its beginning.
        progress: the progress at its beginning, in the real state.
        belief, ranking, plan, program: the last ones that were shown in it; None: none was.
        groundings: how replies were interpreted in it.
        calls: the model requests of the turn.
        decided: the decision; None: none was made.
        outcome: the result of the action; None: none was executed.
        acts: what the operator did that changed the run, in words.
        fault: the failure the run waited for when the turn ended; None: none.
        diverged: what a second planner would have done instead; None: it agreed, or there was none.
    """

    moment: Moment
    seen: Observation
    progress: tuple[LiteralProgress, ...]
    belief: Belief | None = None
    ranking: Ranking | None = None
    plan: Plan | None = None
    program: Program | None = None
    groundings: tuple[Grounding, ...] = ()
    calls: tuple[RecordedCall, ...] = ()
    decided: e.Decided | None = None
    outcome: Outcome | None = None
    acts: tuple[str, ...] = ()
    fault: e.Failed | None = None
    diverged: e.Diverged | None = None

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
        is_whole: False if the run has more than `MOST_TURNS` turns; then the later ones are left out.
    """

    branch: int
    began: e.Began | None
    goal: Goal
    turns: tuple[RecordedTurn, ...]
    last: RecordedTurn | None
    ended: e.Ended | None
    at: float
    is_whole: bool = True

    @property
    def every_turn(self) -> tuple[RecordedTurn, ...]:
        """All turns, with the one under way."""
        return self.turns if self.last is None else (*self.turns, self.last)


@dataclass(slots=True)
class _Reading:
    """What is read beside the snapshot.

    Attributes:
        now: the snapshot after the events so far.
        at: the time of the last of them.
        turns: what was recorded in each turn.
        goals: the goal of each branch when it was last played.
        ended_at: when each branch ended.
        plain: digests of the requests that are not about a state of a search.
    """

    now: Snapshot = field(default_factory=Snapshot)
    at: float = 0.0
    turns: dict[Moment, RecordedTurn] = field(default_factory=dict)
    goals: dict[int, Goal] = field(default_factory=dict)
    ended_at: dict[int, float] = field(default_factory=dict)
    plain: set[str] = field(default_factory=set)


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
        _take(reading, event)
    now = reading.now
    branch = now.branch if branch is None else branch
    line = (reading.turns.get(turn.moment) for turn in line_of(now.turns, now.branches, branch))
    turns = tuple(turn for turn in line if turn is not None and turn.outcome is not None)  # of a part of a record, some lack it
    under_way = [t for m, t in reading.turns.items() if m.branch == branch and t.outcome is None]
    last = under_way[-1] if under_way and (not turns or under_way[-1].number > turns[-1].number) else None
    state = now.branch_states.get(branch)
    ended = None if state is None else state.ended
    goal = reading.goals.get(branch, now.began.goal if now.began is not None else Goal(()))
    return RecordedRun(branch, now.began, goal, turns, last, ended, reading.at if ended is None else reading.ended_at[branch],
                       len(reading.turns) < MOST_TURNS)


def _take(reading: _Reading, event: e.Event) -> None:
    now, what, moment = fold(reading.now, event), event.what, event.moment
    reading.now, reading.at = now, event.at
    if now.goal is not None:
        reading.goals[now.branch] = now.goal
    match what:
        case e.TurnBegan() if len(reading.turns) < MOST_TURNS or moment in reading.turns:
            reading.turns[moment] = RecordedTurn(moment, what.seen, what.progress)
        case e.Standing():
            reading.turns.setdefault(moment, RecordedTurn(moment, what.seen, what.progress))
        case e.Ended() if now.branch_states[now.branch].ended_at == event.number:
            reading.ended_at[now.branch] = event.at
        case _:
            _change(reading, moment, what)


def _change(reading: _Reading, moment: Moment, what: e.Payload) -> None:
    turn = reading.turns.get(moment)
    if turn is None:
        return
    if isinstance(what, e.Asked) and not isinstance(what.ask.facts, PolicyFacts | VisiblePolicyFacts):
        reading.plain.add(what.ask.digest)
    elif isinstance(what, e.Shown) and isinstance(what.facet, Grounded):
        known = reading.plain.union(call.digest for call in turn.calls)  # a search has thousands of others
        what = replace(what, facet=Grounded(tuple(g for g in what.facet.replies if g.prompt in known)))
    reading.turns[moment] = _with_event(turn, what)


def _with_event(turn: RecordedTurn, what: e.Payload) -> RecordedTurn:
    match what:
        case e.Shown(facet=facet):
            return _with_facet(turn, facet)
        case e.Asked(id=number, ask=ask):
            return _with_call(turn, RecordedCall.of(number, ask))
        case e.Replied(id=number, reply=reply):
            said = reply.texts[0][:MOST_SAID] if reply.texts else ""
            return replace(_recovered(turn, "model"),
                           calls=tuple(replace(c, said=said) if c.id == number else c for c in turn.calls))
        case e.Decided():
            return replace(turn, decided=what)
        case e.Diverged():
            return replace(turn, diverged=what)
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
        case Program():
            return replace(turn, program=facet)
        case Grounded(replies=replies):
            return replace(turn, groundings=(*turn.groundings, *replies))
        case _:
            return turn


def _recovered(turn: RecordedTurn, part: str) -> RecordedTurn:
    return replace(turn, fault=None) if turn.fault is not None and turn.fault.part == part else turn


def _with_call(turn: RecordedTurn, call: RecordedCall) -> RecordedTurn:
    """Returns the turn with one more call. Of a search's calls only those about the earliest state are kept."""
    if call.history is None:
        return replace(turn, calls=(*turn.calls, call))
    earlier = min((len(c.history) for c in turn.calls if c.history is not None), default=len(call.history))
    if len(call.history) > earlier:
        return turn
    kept = tuple(c for c in turn.calls if c.history is None or len(c.history) <= len(call.history))
    return replace(turn, calls=(*kept, call))


def policy_calls(turn: RecordedTurn, executed: Sequence[str], done: int) -> tuple[RecordedCall, ...]:
    """Returns the calls of a turn that ask what to do now. Those of a search about simulated states are left out.

    Args:
        turn: the turn.
        executed: the actions of the run, as `verb id id`.
        done: how many of them were executed before the turn. A prompt with another history is about another state.
    """
    return tuple(call for call in turn.calls if call.is_policy and (
        call.history is None or tuple(executed[max(0, done - len(call.history)):done]) == call.history))
