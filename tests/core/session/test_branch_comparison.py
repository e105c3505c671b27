"""Branch comparisons, checked against a simple model of a run: a list of turns per branch, copied at each fork."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.common.shared_list import SharedList
from core.session.branch_comparison import BranchComparer, Comparison, Pair, Tally, usual_pair
from core.session.events import Acted, Decided, Ended, Event, Payload, Rewound, Switched, TurnBegan
from core.session.snapshot import Snapshot, fold
from core.session.turns import Turn, line_of
from core.world.vocabulary import Action, AgentState, Observation, Outcome

SEEN = Observation(AgentState("hall"), (), ())
Deed = tuple[str, bool]
"""What was done, and whether the world allowed it."""


@dataclass
class Run:
    """Emits events as a session does, and keeps what each branch should hold.

    Attributes:
        lines: the actions of each branch, including those of its parents.
        latest: the last turn begun on each branch, where it goes on after a switch.
        turn: the turn to play next.
        begun: whether that turn has begun.
    """

    snapshot: Snapshot = field(default_factory=Snapshot)
    lines: list[list[Deed]] = field(default_factory=lambda: [[]])
    latest: list[int] = field(default_factory=lambda: [1])
    branch: int = 0
    turn: int = 1
    begun: bool = False
    events: list[Event] = field(default_factory=list)

    def tell(self, what: Payload) -> None:
        told = len(self.events)
        self.events.append(Event(told, float(told), self.turn, self.branch, what))
        self.snapshot = fold(self.snapshot, self.events[-1])

    def begin(self) -> None:
        if not self.begun:
            self.tell(TurnBegan(SEEN, ()))
            self.begun = True
            self.latest[self.branch] = self.turn

    def act(self, deed: Deed) -> None:
        self.begin()
        action = Action(deed[0])
        self.tell(Decided(action, "planner"))
        self.tell(Acted(Outcome(action, deed[1], "", SEEN), "planner"))
        self.lines[self.branch][self.turn - 1:] = [deed]
        self.turn, self.begun = self.turn + 1, False

    def fork(self, turn: int) -> None:
        """Forks at a turn of this line that was begun."""
        parent, self.turn, self.begun = self.branch, 1 + turn % self.latest[self.branch], False
        self.lines.append(self.lines[parent][: self.turn - 1])
        self.latest.append(self.turn)
        self.branch = len(self.lines) - 1
        self.tell(Rewound(self.turn, self.branch, parent, True, False))

    def switch(self, branch: int) -> None:
        """Switches to the last turn of a branch. It is played again if the run had ended there."""
        self.branch, self.begun = branch % len(self.lines), False
        self.turn = self.latest[self.branch]
        self.tell(Switched(self.branch, self.turn))

    def end(self) -> None:
        """Ends the run at the present point. A turn that had begun begins again if the run goes on."""
        self.tell(Ended(False, "stopped", ()))
        self.begun = False

    def told_of(self, branch: int) -> list[Deed]:
        """Returns the actions of a branch without those that are being played again."""
        return self.lines[branch][: self.turn - 1] if self.begun and branch == self.branch else self.lines[branch]


Step = tuple[str, int, Deed]
STEPS = st.lists(st.tuples(st.sampled_from(["act", "act", "act", "begin", "fork", "switch", "end"]), st.integers(0, 50),
                           st.tuples(st.sampled_from("abc"), st.booleans())), max_size=40)


def played(steps: list[Step]) -> Run:
    run = Run()
    for what, number, deed in steps:
        match what:
            case "act":
                run.act(deed)
            case "begin":
                run.begin()
            case "fork":
                run.fork(number)
            case "end":
                run.end()
            case _:
                run.switch(number)
    return run


def deeds(turns: Iterable[Turn]) -> list[Deed]:
    return [(t.outcome.action.verb, t.outcome.ok) for t in turns if t.outcome is not None]


def mirrored(pairs: Sequence[Pair]) -> list[Pair]:
    return [Pair(p.number, p.right, p.left) for p in pairs]


def compared(snapshot: Snapshot, left: int, right: int) -> Comparison:
    return BranchComparer().of(snapshot, left, right)


def two(run: Run, a: int, b: int) -> Comparison:
    return compared(run.snapshot, a % len(run.lines), b % len(run.lines))


@given(STEPS)
def test_lines_are_what_was_played(steps: list[Step]) -> None:
    run = played(steps)
    for branch, line in enumerate(run.lines):
        turns = line_of(run.snapshot.turns, run.snapshot.branches, branch)
        assert deeds(turns) == line
        assert [t.number for t in turns] == list(range(1, len(line) + 1))
    assert deeds(run.snapshot.line) == run.lines[run.branch]


@given(STEPS)
def test_the_line_of_a_snapshot_is_the_present_branch_s_at_every_event(steps: list[Step]) -> None:
    now = Snapshot()
    for event in played(steps).events:
        now = fold(now, event)
        assert tuple(now.line) == line_of(now.turns, now.branches, now.branch)


@given(STEPS)
def test_the_lines_of_a_run_share_their_turns(steps: list[Step]) -> None:
    """Adding a turn copies nothing. A line is copied only if the run changes its branch or plays a turn again."""
    now = Snapshot()
    for event in played(steps).events:
        before, now = now, fold(now, event)
        again = len(before.line) and len(now.line) <= len(before.line) and now.line is not before.line
        assert now.line.akin(before.line) or again or isinstance(event.what, Rewound | Switched)


@given(STEPS, st.integers(0, 50), st.integers(0, 50))
def test_every_turn_of_both_is_shared_or_in_a_pair_once(steps: list[Step], a: int, b: int) -> None:
    run = played(steps)
    found = two(run, a, b)
    for side, turns in ((found.left, [p.left for p in found.pairs]), (found.right, [p.right for p in found.pairs])):
        assert (*side.turns[: found.shared], *(t for t in turns if t is not None)) == tuple(side.turns)
        assert deeds(side.turns) == run.told_of(side.branch)
    assert [p.number for p in found.pairs] == list(range(found.shared + 1, found.shared + 1 + len(found.pairs)))


@given(STEPS, st.integers(0, 50), st.integers(0, 50))
def test_what_is_shared_was_played_once_and_what_follows_was_not(steps: list[Step], a: int, b: int) -> None:
    found = two(played(steps), a, b)
    assert found.left.turns[: found.shared] == found.right.turns[: found.shared]
    assert all(p.left is not p.right for p in found.pairs)


@given(STEPS, st.integers(0, 50), st.integers(0, 50))
def test_sides_change_places(steps: list[Step], a: int, b: int) -> None:
    run = played(steps)
    one, other = two(run, a, b), two(run, b, a)
    assert mirrored(one.pairs) == list(other.pairs)
    assert (one.shared, one.first, one.differ, one.both) == (other.shared, other.first, other.differ, other.both)


@given(STEPS, st.integers(0, 50), st.integers(0, 50))
def test_the_first_difference_is_where_the_deeds_first_differ(steps: list[Step], a: int, b: int) -> None:
    run = played(steps)
    found = two(run, a, b)
    left, right = run.told_of(found.left.branch), run.told_of(found.right.branch)
    differing = [k for k, (one, other) in enumerate(zip(left, right, strict=False)) if one != other]
    assert [n - found.shared - 1 for n in found.differ] == [k - found.shared for k in differing]
    assert found.both == sum(p.left is not None and p.right is not None for p in found.pairs)
    assert (None if found.first is None else found.first + found.shared) == (differing[0] if differing else None)


@given(STEPS, st.integers(0, 50))
def test_a_branch_beside_itself_shares_everything(steps: list[Step], a: int) -> None:
    found = two(played(steps), a, a)
    assert (list(found.pairs), found.first, found.shared) == ([], None, len(found.left.turns))


@given(STEPS, st.integers(0, 50), st.integers(0, 50))
def test_going_on_finds_what_beginning_anew_finds(steps: list[Step], a: int, b: int) -> None:
    """The result does not depend on what was compared before, at any event."""
    comparing, now = BranchComparer(), Snapshot()
    for event in played(steps).events:
        now = fold(now, event)
        pair = a % len(now.branches), b % len(now.branches)
        found, anew = comparing.of(now, *pair), compared(now, *pair)
        assert list(found.pairs) == list(anew.pairs)
        assert (found.shared, found.differ, found.both, found.first) == (anew.shared, anew.differ, anew.both, anew.first)
        assert (found.left.tally, found.right.tally) == (anew.left.tally, anew.right.tally)
        done = [turn for turn in found.left.turns if turn.outcome is not None]
        assert found.left.tally.done + found.left.tally.refused == len(done)


def test_turns_that_a_cut_recording_lost_leave_gaps() -> None:
    run = played([("act", 0, (verb, True)) for verb in "abc"] + [("fork", 0, ("", True))] + [
        ("act", 0, (verb, True)) for verb in "abca"])
    kept = [t for t in run.snapshot.turns if (t.branch, t.number) not in ((0, 2), (1, 3))]
    lost = replace(run.snapshot, turns=SharedList(kept))
    found = compared(replace(lost, line=SharedList(line_of(lost.turns, lost.branches, 1))), 0, 1)
    assert [(p.number, p.left is None, p.right is None) for p in found.pairs] == [
        (1, False, False), (2, True, False), (3, False, True), (4, True, False)]
    assert (list(found.pairs.alone), found.both) == ([1, 2, 3], 1)


@given(STEPS)
def test_the_usual_pair_is_the_parent_and_the_present(steps: list[Step]) -> None:
    run = played(steps)
    pair = usual_pair(run.snapshot)
    parents = {number: parent for number, parent, _ in run.snapshot.branches}
    if len(run.lines) == 1:
        assert pair is None
    elif parents[run.branch] is not None:
        assert pair == (parents[run.branch], run.branch)
    else:
        assert pair == (run.branch, len(run.lines) - 1)


def test_counts_and_ends_are_each_branch_s_own() -> None:
    run = Run()
    for deed in (("a", True), ("b", False), ("c", True)):
        run.act(deed)
    run.tell(Ended(True, "goal reached", ()))
    run.fork(1)
    run.act(("b", True))
    found = compared(run.snapshot, 0, 1)
    assert (found.left.tally, found.left.present) == (Tally(2, 1, 0), False)
    assert (found.right.tally, found.right.present) == (Tally(2, 0, 0), True)
    assert found.left.state is not None
    assert cast(Ended, found.left.state.ended).reason == "goal reached"
    assert found.right.state is not None
    assert found.right.state.ended is None
    assert (found.shared, found.first, list(found.differ)) == (1, 0, [2]), "the same action that was refused once differs"


def test_a_turn_under_way_stands_at_its_side_and_differs_from_nothing() -> None:
    run = Run()
    run.act(("a", True))
    run.fork(0)
    run.begin()
    run.tell(Decided(Action("b"), "planner"))
    found = compared(run.snapshot, 0, 1)
    assert len(found.pairs) == 1
    right = found.pairs[0].right
    assert right is not None
    assert (right.done, right.outcome) == (Action("b"), None)
    assert (found.first, found.right.tally.done, found.both) == (None, 0, 1)


def test_a_branch_there_is_not() -> None:
    with pytest.raises(KeyError):
        compared(Snapshot(), 0, 1)
