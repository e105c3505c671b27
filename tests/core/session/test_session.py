"""The session is synchronous, accepts commands at every yield and wait, loses nothing, and repeats itself exactly."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import ClassVar
from typing import Literal as Either

import pytest

from core.common.errors import ModelError
from core.goals.literals import Goal, Literal
from core.planning.facets import Frame, GoalProgress, Plan
from core.planning.planner import Decision, Planner, Thought
from core.session import commands as c
from core.session import events as e
from core.session.breakpoints import Breakpoint
from core.session.run import DOWN
from core.session.session import Session
from core.session.snapshot import Snapshot, fold_all
from core.world.vocabulary import Action, FloorPoint, Observation, Outcome, Pose
from tests.core.session.toys import (
    GOAL,
    LEFT,
    RIGHT,
    Ear,
    Guide,
    Line,
    Mortal,
    SlowLine,
    SlowMortal,
    Walker,
    WalkerParameters,
    session,
)
from tests.waiting import PATIENCE, until


class Unsupported(c.Command):
    """A command that the session does not execute."""


def told(kind: type[e.Payload], turn: int = 0, nth: int = 1) -> Callable[[e.Event], bool]:
    """Returns the nth event of a kind (in a turn, if one is given)."""
    count = 0

    def test(event: e.Event) -> bool:
        nonlocal count
        count += isinstance(event.what, kind) and (not turn or event.turn == turn)
        return count == nth

    return test


def moves(ear: Ear) -> list[str]:
    return [f"{a.by} {a.outcome.action}" for a in ear.of(e.Acted)]


def snapshot(ear: Ear) -> Snapshot:
    return fold_all(ear.events)


def in_thread(run: Session, *, linger: bool = False) -> threading.Thread:
    thread = threading.Thread(target=lambda: run.run(linger=linger))
    thread.start()
    return thread


def test_an_episode_runs_to_its_goal_without_threads_of_its_own() -> None:
    run, ear = session()
    ended = run.run()
    assert ended.success
    assert moves(ear) == ["planner go right"] * 5
    assert [x.number for x in ear.events] == list(range(len(ear.events)))
    assert isinstance(ear.events[0].what, e.Began)
    assert isinstance(ear.events[-1].what, e.Ended)
    shot = snapshot(ear)
    assert (shot.status, shot.turn, len(shot.turns), len(shot.calls), shot.model_calls) == ("ended", 5, 5, 10, 10)
    assert shot.tokens_in == 100
    assert [str(t.done) for t in shot.line] == ["go right"] * 5
    assert run.setup.planner.heard == 5  # type: ignore[attr-defined]


def test_steps_are_used_up() -> None:
    run, ear = session(steps=2)
    assert run.run().reason == "steps used up"
    assert len(moves(ear)) == 2


def test_pause_step_and_resume() -> None:
    run, ear = session()
    run.post(c.Pause())
    ear.when(told(e.Paused), c.Step("checkpoint"))
    ear.when(told(e.Paused, nth=2), c.Step("action"))
    ear.when(told(e.Paused, nth=3), c.SetParameter("looks", 1), c.Resume())
    assert run.run().success
    reasons = [p.reason for p in ear.of(e.Paused)]
    assert reasons == ["asked to", "one checkpoint done", "one action done"]
    looks = [len([x for x in ear.events if isinstance(x.what, e.Shown) and x.turn == turn]) for turn in range(1, 6)]
    assert looks == [3, 3, 1, 1, 1]
    assert snapshot(ear).parameters == WalkerParameters(1)


def test_a_step_does_one_action_and_stays_before_the_next() -> None:
    run, ear = session()
    run.post(c.Pause())
    ear.when(told(e.Paused), c.Step("action"))
    ear.when(told(e.Paused, nth=2), c.Override(LEFT), c.Resume())
    assert run.run().success
    paused = [k for k, event in enumerate(ear.events) if isinstance(event.what, e.Paused)]
    shown = [k for k, event in enumerate(ear.events) if isinstance(event.what, e.Shown) and event.turn == 2]
    assert [ear.events[k].turn for k in paused] == [1, 2]
    assert shown[-1] < paused[1], "the next choice is there to be looked at"
    assert moves(ear)[:2] == ["planner go right", "operator go left"]


def test_a_run_that_is_held_goes_on_as_it_was_going() -> None:
    run, ear = session()
    ear.when(told(e.TurnBegan, 2), c.Hold(), c.Ban(RIGHT), c.Unban(RIGHT), c.Override(LEFT), c.Release())
    assert run.run().success
    assert [p.reason for p in ear.of(e.Paused)] == ["the operator is choosing"]
    assert moves(ear)[1] == "operator go left"


@pytest.mark.parametrize("said", [(c.Pause(), c.Hold()), (c.Hold(), c.Pause()), (c.Pause(), c.Hold(), c.Pause())])
@pytest.mark.parametrize("act", [(), (c.Override(LEFT),), (c.Ban(LEFT),)])
def test_a_run_that_was_told_to_pause_stays_paused_when_it_is_released(said: tuple[c.Command, ...],
                                                                       act: tuple[c.Command, ...]) -> None:
    run, ear = session()
    ear.when(told(e.TurnBegan, 2), *said, *act, c.Release(), c.Annotate("all said"))
    ear.when(told(e.Annotated), *(c.ListActions() for _ in range(5)))
    ear.when(told(e.ActionsListed, nth=5), c.Stop())
    run.run()
    assert len(moves(ear)) == 1 + (act == (c.Override(LEFT),)), "nothing is done before the operator says so"


@pytest.mark.parametrize("step", ["action", "checkpoint"])
def test_an_override_in_a_step_that_is_held_is_its_action(step: Either["action", "checkpoint"]) -> None:
    run, ear = session()
    ear.when(told(e.TurnBegan, 2), c.Pause())
    ear.when(told(e.Paused), c.Step(step), c.Hold(), c.Override(LEFT), c.Release())
    ear.when(told(e.Paused, nth=3), c.Stop())
    run.run()
    assert moves(ear) == ["planner go right", "operator go left"]
    done = {"action": "one action done", "checkpoint": "one checkpoint done"}[step]
    assert [p.reason for p in ear.of(e.Paused)] == ["asked to", "the operator is choosing", done]


def test_an_override_while_a_changed_choice_is_thought_over_leaves_the_run_paused() -> None:
    run, ear = session()
    ear.when(told(e.TurnBegan, 2), c.Pause())
    ear.when(told(e.Paused), c.Step("checkpoint"))
    ear.when(told(e.Paused, nth=2), c.Ban(LEFT), c.Unban(LEFT), c.Override(LEFT))
    ear.when(told(e.Paused, nth=3), c.Stop())
    run.run()
    assert moves(ear) == ["planner go right", "operator go left"]
    assert ear.of(e.Paused)[-1].reason == "one action done"


@pytest.mark.parametrize("change", [c.Edit(Plan((), "mine")), c.Ban(LEFT), c.SetGoal(GOAL)])
def test_a_choice_that_waits_is_made_anew_when_what_it_stands_on_changes(change: c.Command) -> None:
    run, ear = session()
    ear.when(told(e.TurnBegan, 2), c.SetBreakpoint(Breakpoint('action == "go right"')))
    ear.when(told(e.Paused), c.ClearBreakpoint(Breakpoint('action == "go right"')), change, c.Resume())
    assert run.run().success
    looks = [len([x for x in ear.events if isinstance(x.what, e.Shown) and x.turn == turn]) for turn in range(1, 6)]
    assert looks == [3, 6, 3, 3, 3]
    assert len(moves(ear)) == 5


@pytest.mark.parametrize("moment", [(e.Shown, 2), (e.TurnBegan, 2), (e.Asked, 3)])
@pytest.mark.parametrize("change", [c.Edit(Plan((), "mine")), c.Ban(LEFT), c.SetGoal(GOAL)])
def test_a_paused_run_thinks_a_change_over_and_stays_before_the_action(moment: tuple[type[e.Payload], int],
                                                                       change: c.Command) -> None:
    run, ear = session()
    ear.when(told(*moment), c.Pause())
    ear.when(told(e.Paused), change)
    ear.when(told(e.Paused, nth=2), c.Override(LEFT), c.Resume())
    assert run.run().success
    assert [p.reason for p in ear.of(e.Paused)] == ["asked to", "thought over again"]
    turns = [event.turn for event in ear.events if isinstance(event.what, e.Paused)]
    assert turns[0] == turns[1], "nothing was done meanwhile"
    assert moves(ear)[turns[1] - 1] == "operator go left"


@pytest.mark.parametrize("moment", [told(e.Shown, 2), told(e.Asked, 2), told(e.TurnBegan, 2)])
def test_an_override_replaces_the_choice_while_thinking_and_while_waiting(moment: Callable[[e.Event], bool]) -> None:
    run, ear = session(model=Guide(wait=0.02))
    ear.when(moment, c.Override(LEFT, told=False, why="to see"))
    assert run.run().success
    assert moves(ear)[1] == "operator go left"
    assert run.setup.planner.heard == 6  # type: ignore[attr-defined]  # 7 actions, one untold
    decided = [d for d in ear.of(e.Decided) if d.by == "operator"]
    assert [(d.action, d.because) for d in decided] == [(LEFT, "to see")]
    assert any(m.kind == "override" for m in snapshot(ear).marks)


def test_an_override_while_paused_is_done_and_the_pause_stays() -> None:
    run, ear = session()
    run.post(c.Pause())
    ear.when(told(e.Paused), c.Override(RIGHT))
    ear.when(told(e.Acted), c.Resume())
    assert run.run().success
    assert moves(ear)[0] == "operator go right"
    acted = next(k for k, x in enumerate(ear.events) if isinstance(x.what, e.Acted))
    resumed = next(k for k, x in enumerate(ear.events) if isinstance(x.what, e.Resumed))
    assert acted < resumed


@pytest.mark.parametrize(
    "command",
    [
        c.Override(LEFT),
        c.Edit(GoalProgress(())),
        c.SetParameter("looks", -1),
        c.SetParameter("lux", 1),
        c.Rewind(7),
        c.Switch(3),
        c.Answer(99, "right"),
        c.UseModel("nobody"),
        c.SetSteps(0),
        c.AskAgain(5),
        c.ClearBreakpoint(Breakpoint("turn == 0")),
        Unsupported(),
    ],
)
def test_what_cannot_be_done_is_refused_with_the_reason(command: c.Command) -> None:
    run, ear = session()
    run.post(command)
    assert run.run().success
    taken = ear.of(e.CommandTaken)[0]
    assert not taken.ok
    assert taken.reason
    assert "\n" not in taken.reason


def test_an_edit_is_taken_between_yields_and_told_with_what_it_replaced() -> None:
    run, ear = session()
    ear.when(told(e.Shown, 1, 2), c.Edit(Plan((LEFT,), "mine"), "trying"))
    run.run()
    taken = next(t for t in ear.of(e.CommandTaken))
    assert isinstance(taken.before, Plan)
    assert taken.before.because.startswith("look 1")
    assert run.setup.planner.edited == 1  # type: ignore[attr-defined]


def test_a_ban_is_handed_to_the_planner_and_insisting_pauses() -> None:
    run, ear = session()
    run.post(c.Ban(RIGHT))
    ear.when(told(e.Paused), c.Unban(RIGHT), c.Resume())
    assert run.run().success
    assert "banned" in ear.of(e.Paused)[0].reason
    assert snapshot(ear).banned == frozenset()


@pytest.mark.parametrize(
    ("point", "word"),
    [
        (Breakpoint("turn == 3"), "turn 3"),
        (Breakpoint('action == "go right"', once=True), "before go right"),
        (Breakpoint("tokens > 25", once=True), "tokens"),
    ],
)
def test_breakpoints(point: Breakpoint, word: str) -> None:
    run, ear = session()
    run.post(c.SetBreakpoint(point))
    ear.when(told(e.Paused), c.Resume())
    assert run.run().success
    assert [word in p.reason for p in ear.of(e.Paused)] == [True]


def trace(ear: Ear, branch: int) -> list[str]:
    """Returns what was shown, answered and done on a branch, from turn 2 on."""
    lines = []
    for event in ear.events:
        if event.branch == branch and event.turn >= 2:
            match event.what:
                case e.Shown(facet=Plan() as plan, of=None):
                    lines.append(plan.because)
                case e.Replied(reply=reply):
                    lines.append(str(reply.texts))
                case e.Acted(outcome=outcome):
                    lines.append(str(outcome.action))
    return lines


@pytest.mark.parametrize("command", [c.Rewind(2), c.Fork(2)])
@pytest.mark.parametrize("world", [Line, SlowLine])
def test_a_rewound_run_repeats_itself_exactly(command: c.Command, world: type[Line]) -> None:
    guide = Guide()
    run, ear = session(model=guide, world=world)
    ear.when(told(e.Acted, 4), command)
    assert run.run().success
    assert run.setup.seed == 0
    first, second = trace(ear, 0), trace(ear, 1)
    assert second[: len(first)] == first
    assert len(guide.asked) == 10, "the same questions are answered from memory"
    shot = snapshot(ear)
    assert shot.branch == 1
    assert [str(t.done) for t in shot.line] == ["go right"] * 5
    assert (len(shot.turns), shot.model_calls) == (4 + 4, 10)


def test_resampling_asks_anew() -> None:
    guide = Guide()
    run, ear = session(model=guide)
    ear.when(told(e.Acted, 4), c.Rewind(2, resample=True))
    assert run.run().success
    assert len(guide.asked) == 8 + 8
    assert guide.asked[2].key("guide") != guide.asked[8].key("guide")


def test_switching_returns_to_a_branch_where_it_was_left() -> None:
    run, ear = session()
    ear.when(told(e.Acted, 3), c.Fork(2))
    ear.when(lambda x: x.branch == 1 and isinstance(x.what, e.Shown) and x.turn == 3, c.Switch(0))
    assert run.run().success
    shot = snapshot(ear)
    assert shot.branch == 0
    assert [t.number for t in shot.turns if t.branch == 0] == [1, 2, 3, 4, 5]
    assert [str(t.done) for t in shot.line] == ["go right"] * 5


def test_after_the_end_it_can_be_rewound() -> None:
    run, ear = session()
    ear.when(told(e.Ended), c.Rewind(4))
    ear.when(told(e.Ended, nth=2), c.Stop())
    run.run(linger=True)
    assert [x.success for x in ear.of(e.Ended)] == [True, True]


@pytest.mark.parametrize("when", [told(e.Ended), told(e.Acted, 4), told(e.TurnBegan, 3), told(e.Acted, 3)])
def test_going_back_to_a_decision_pauses_at_it_however_late_the_next_command_comes(when: Callable[[e.Event], bool]) -> None:
    run, ear = session()
    ear.when(when, c.Rewind(3, to="decision"))

    def look(event: e.Event) -> None:
        if isinstance(event.what, e.Paused):
            run.post(c.Stop())

    run.subscribe(look)
    run.run(linger=True)
    paused = next(event for event in ear.events if isinstance(event.what, e.Paused))
    shot = snapshot(ear)
    assert (paused.turn, paused.branch) == (3, 1)
    assert paused.what == e.Paused("an action is chosen")
    assert [t.number for t in shot.line] == [1, 2], "its action is not executed"


def test_going_back_to_a_decision_pauses_at_it_whatever_the_session_is_doing() -> None:
    """The command arrives at each event of a run in turn, from the third turn to the end, beside others that a window posts."""
    run, ear = session()
    ear.when(told(e.Ended), c.Stop())
    run.run(linger=True)
    since = next(event.number for event in ear.events if event.turn == 3)
    for number in range(since, ear.events[-1].number):  # the last one is that of the command to stop
        for beside in ((), (c.Look(("dollhouse",), 64, 64),), (c.Hold(), c.Release()), (c.Pause(),), (c.Step(),)):
            assert decided_after(number, *beside, c.Rewind(3, to="decision")) == (3, 1), f"event {number}, {beside}"


def decided_after(number: int, *commands: c.Command) -> tuple[int, int]:
    """Posts commands at an event of a run. Returns turn and branch of the first pause at a decision on another branch."""
    run, ear = session()
    ear.when(lambda event: event.number == number, *commands)
    found: list[tuple[int, int]] = []

    def look(event: e.Event) -> None:
        if event.branch and isinstance(event.what, e.Paused | e.Ended):
            found.append((event.turn, event.branch) if isinstance(event.what, e.Paused) else (0, 0))
            run.post(c.Stop())

    run.subscribe(look)
    run.run(linger=True)
    return found[0]


def test_a_model_that_fails_waits_for_the_operator_and_loses_nothing() -> None:
    errors = [ModelError("connection refused", "down", retry=True), ModelError("wrong key", "key", retry=False)]
    run, ear = session(model=Guide(fail=errors))
    ear.when(told(e.Failed, nth=2), c.Retry())
    assert run.run().success
    failed = ear.of(e.Failed)
    assert [(f.part, f.kind, f.waits) for f in failed] == [("model", "down", True), ("model", "key", True)]
    assert "Try again" in failed[0].options
    assert len(moves(ear)) == 5


def test_the_operator_may_answer_or_choose_another_model() -> None:
    always = [ModelError("down", "down", retry=True) for _ in range(99)]
    run, ear = session(model=Guide(fail=always), other=Guide(text="right"))
    ear.when(told(e.Failed, nth=2), c.Answer(0, "right"), c.Answer(1, "slowly"))
    ear.when(told(e.Failed, nth=4), c.UseModel("other"))
    assert run.run().success
    replies = ear.of(e.Replied)
    assert (replies[0].reply.source, replies[0].reply.is_model) == ("human", False)
    assert {f.options for f in ear.of(e.Failed)} == {("Try again", "Use other", "Answer myself")}


def test_commands_are_obeyed_within_50_ms_while_a_reply_is_awaited() -> None:
    run, ear = session(model=Guide(wait=30.0))
    thread = in_thread(run)
    until(lambda: bool(ear.of(e.Asked)))
    delays = []
    for k in range(20):
        posted = time.monotonic()
        run.post(c.Annotate(f"label {k}"))
        until(lambda k=k: len(ear.of(e.Annotated)) > k)  # type: ignore[misc]
        delays.append(time.monotonic() - posted)
    run.post(c.Stop())
    thread.join(PATIENCE)
    assert not thread.is_alive()
    assert sorted(delays)[10] < 0.05
    assert isinstance(ear.events[-1].what, e.Ended)


class Endless(Planner):
    """A search that yields every millisecond and never decides."""

    name = "endless"

    def begin(self, goal: Goal, schemas: object, seed: int) -> None:
        self.count = 0

    def plan(self, observation: Observation) -> Thought:
        while True:
            end = time.perf_counter() + 0.001
            while time.perf_counter() < end:
                self.count += 1
            yield Plan(())
            if self.count < 0:
                return Decision(None)


class Repeating(Walker):
    """Shows the same plan three times."""

    def plan(self, observation: Observation) -> Thought:
        plan = Plan((RIGHT,), "as before")
        for _ in range(3):
            yield plan
        yield replace(plan)
        return Decision(RIGHT)


def test_the_same_facet_again_is_a_checkpoint_and_no_news() -> None:
    run, ear = session(Repeating(), steps=1)
    ear.when(told(e.Shown), c.Step("checkpoint"))
    ear.when(told(e.Paused), c.Resume())
    run.run()
    assert len([s for s in ear.of(e.Shown) if isinstance(s.facet, Plan)]) == 2
    assert len(ear.of(e.Paused)) == 1


def test_commands_are_obeyed_while_a_search_runs() -> None:
    run, ear = session(Endless())
    thread = in_thread(run)
    until(lambda: len(ear.events) > 20)
    run.post(c.Pause())
    until(lambda: bool(ear.of(e.Paused)))
    count = len(ear.events)
    run.post(c.Annotate("one"))
    run.post(c.Annotate("two"))
    until(lambda: len(ear.of(e.Annotated)) == 2, "all that came before them is handled then")
    assert not [x for x in ear.events[count:] if isinstance(x.what, e.Shown)], "it goes on although it is paused"
    run.post(c.Stop())
    thread.join(PATIENCE)
    assert not thread.is_alive()


@pytest.mark.parametrize("fault", ["die", "hang"])
def test_a_dead_or_hung_simulator_is_brought_back(fault: str) -> None:
    faults = ["", "", fault]
    run, ear = session(world=lambda: SlowLine(faults))
    assert run.run().success
    assert moves(ear) == ["planner go right"] * 5
    recovered = ear.of(e.Recovered)
    assert [r.part for r in recovered] == ["simulator"]
    assert "replayed 2 actions" in recovered[0].message
    assert not ear.of(e.Failed)[0].waits


def test_a_simulator_that_keeps_dying_waits_for_the_operator() -> None:
    faults = ["", "die", "die"]
    run, ear = session(world=lambda: Line(faults))
    ear.when(lambda x: isinstance(x.what, e.Failed) and x.what.waits, c.Retry())
    assert run.run().success
    assert [f.waits for f in ear.of(e.Failed)] == [False, True]
    assert "restored" in ear.of(e.Recovered)[0].message


@pytest.mark.parametrize("world", [Mortal, SlowMortal])
@pytest.mark.parametrize("way_out", [c.Retry(), c.Rewind(2), c.Fork()])
def test_an_override_while_the_simulator_is_down_is_refused_with_the_cure(world: type[Mortal], way_out: c.Command) -> None:
    fates = [False, True, True]
    run, ear = session(world=lambda: world(lambda: bool(fates) and fates.pop(0)))
    ear.when(lambda x: isinstance(x.what, e.Failed) and x.what.waits, c.Override(LEFT), way_out)
    assert run.run().success
    taken = [t for t in ear.of(e.CommandTaken) if isinstance(t.command, c.Override)]
    assert [(t.ok, t.reason) for t in taken] == [(False, DOWN)]
    assert not [d for d in ear.of(e.Decided) if d.by == "operator"]


def test_an_override_that_was_accepted_before_the_simulator_stopped_is_taken_back() -> None:
    fates = [False, True, True]

    class Late(SlowMortal):
        def step(self, action: Action) -> Outcome:
            if len(fates) == 2:
                run.post(c.Override(RIGHT))
                until(lambda: ear.of(e.CommandTaken), "the session executes it while the simulator still works")
            return super().step(action)

    run, ear = session(world=lambda: Late(lambda: bool(fates) and fates.pop(0)))
    ear.when(lambda x: isinstance(x.what, e.CommandTaken) and not x.what.ok, c.Retry())
    assert run.run().success
    taken = [(t.ok, t.reason) for t in ear.of(e.CommandTaken) if isinstance(t.command, c.Override)]
    assert taken == [(True, ""), (False, DOWN)]


class Broken(Walker):
    """Raises once."""

    broken = False

    def plan(self, observation: Observation) -> Thought:
        if not Broken.broken:
            Broken.broken = True
            raise ZeroDivisionError("oh")
        return super().plan(observation)


def test_a_planner_that_breaks_waits_for_the_operator() -> None:
    run, ear = session(Broken())
    ear.when(told(e.Failed), c.Retry())
    assert run.run().success
    assert [(f.part, f.kind) for f in ear.of(e.Failed)] == [("planner", "ZeroDivisionError")]


def test_pictures_are_drawn_beside_the_run() -> None:
    run, ear = session(model=Guide(wait=0.01))
    run.post(c.Look(("dollhouse", "first person"), 64, 64))
    assert run.run().success
    until(lambda: True)
    frames = [s.facet for s in ear.of(e.Shown) if isinstance(s.facet, Frame)]
    assert {f.camera for f in frames} == {"dollhouse", "first person"}
    assert set(snapshot(ear).frames) == {"dollhouse", "first person"}


class Mapped(Line):
    """A line that knows the paths between its positions."""

    def observe(self) -> Observation:
        seen = super().observe()
        return replace(seen, agent=replace(seen.agent, pose=Pose(float(self.place), 0.0, 0.0)))

    def way(self, start: Pose, end: Pose) -> tuple[FloorPoint, ...]:
        return start[:2], end[:2]


@pytest.mark.parametrize("watched", [True, False])
def test_the_way_of_a_walk_is_told_where_somebody_watches(watched: bool) -> None:
    run, ear = session(world=Mapped)
    run.post(c.Look(("dollhouse",) if watched else (), 64, 64))
    assert run.run().success
    ways = [a.outcome.way for a in ear.of(e.Acted)]
    assert ways == ([((float(k), 0.0), (float(k + 1), 0.0)) for k in range(5)] if watched else [()] * 5)


def test_another_goal_in_mid_episode() -> None:
    run, ear = session()
    nearer = Goal((Literal("is", "walker", None, 1, frozenset({"at 3"})),), "Walk to 3")
    ear.when(told(e.Acted, 1), c.SetGoal(nearer))
    assert run.run().success
    assert len(moves(ear)) == 3
    assert snapshot(ear).goal == nearer


def test_everything_ends_with_the_session() -> None:
    before = set(threading.enumerate())
    worlds: list[Line] = []

    def make() -> Line:
        worlds.append(Line())
        return worlds[-1]

    run, ear = session(world=make, model=Guide(wait=60.0))
    thread = in_thread(run)
    until(lambda: bool(ear.of(e.Asked)))
    run.post(c.Stop())
    thread.join(2)
    until(lambda: set(threading.enumerate()) <= before)
    assert worlds[0].closed
    assert GOAL.literals


def test_a_snapshot_is_a_fold_and_old_ones_stay_as_they_were() -> None:
    run, ear = session()
    run.run()
    middle = fold_all(ear.events[:40])
    turns, line = len(middle.turns), list(middle.line)
    whole = fold_all(ear.events[40:], middle)
    assert whole == fold_all(ear.events)
    assert (len(middle.turns), list(middle.line)) == (turns, line)


def test_what_could_be_done_is_listed_with_the_reasons() -> None:
    run, ear = session()
    ear.when(told(e.Shown), c.ListActions())
    run.run()
    listed = ear.of(e.ActionsListed)[0]
    assert (RIGHT, True) in [(action, verdict.ok) for action, verdict in listed.options]
    assert all(verdict.reason for _, verdict in listed.options if not verdict.ok)
    assert snapshot(ear).options is None, "something was done since"


def test_more_steps_after_they_were_used_up_go_on() -> None:
    run, ear = session(steps=2)
    ear.when(told(e.Ended), c.Override(RIGHT), c.SetSteps(9))
    ear.when(told(e.Ended, nth=2), c.Stop())
    run.run(linger=True)
    assert [x.success for x in ear.of(e.Ended)] == [False, True]
    assert moves(ear) == ["planner go right"] * 5
    assert "ended" in next(t.reason for t in ear.of(e.CommandTaken) if not t.ok)


def test_an_override_while_a_slow_simulator_acts_comes_next_turn() -> None:
    faults = ["", "hang"]

    class Late(SlowLine):
        patience = 5.0

    world = Late(faults)
    run, ear = session(world=lambda: world)
    ear.when(told(e.Decided, 2), c.Override(RIGHT, why="next"))
    ear.when(told(e.CommandTaken), c.Annotate("now"))
    thread = in_thread(run)
    until(lambda: bool(ear.of(e.Annotated)))
    world.hung.set()
    thread.join(PATIENCE)
    assert moves(ear) == ["planner go right"] * 2 + ["operator go right"] + ["planner go right"] * 2


def test_stopping_does_not_wait_for_a_hung_simulator() -> None:
    class Stuck(SlowLine):
        patience = 60.0

    run, ear = session(world=lambda: Stuck(["hang"]))
    ear.when(told(e.Decided), c.Stop())
    thread = in_thread(run)
    thread.join(4)
    assert not thread.is_alive()
    assert ear.of(e.Ended)[-1].reason == "stopped by the operator"


def test_a_pause_said_after_the_end_holds_where_the_run_goes_on() -> None:
    run, ear = session()
    ear.when(told(e.Ended), c.Pause(), c.Fork(2))
    ear.when(told(e.Paused), c.Stop())
    run.run(linger=True)
    assert [x.branch for x in ear.events if isinstance(x.what, e.Paused)] == [1]
    ended = [k for k, x in enumerate(ear.events) if isinstance(x.what, e.Ended)]
    assert all(fold_all(ear.events[:k + 1]).status == "ended" for k in range(ended[0], ended[0] + 2)), "it is over, not paused"
    assert snapshot(ear).outcome.success, "what was reached on the main line is not undone"


class ConfusedByGoals(Walker):
    """Breaks whenever it is given another goal."""

    def set_goal(self, goal: Goal) -> None:
        raise KeyError("no such goal")


def test_a_planner_that_breaks_over_a_command_refuses_it_and_the_run_goes_on() -> None:
    run, ear = session(ConfusedByGoals())
    ear.when(told(e.TurnBegan, nth=2), c.SetGoal(GOAL))
    ear.when(told(e.Paused), c.Resume())
    assert run.run().success
    [refused] = [taken for taken in ear.of(e.CommandTaken) if not taken.ok]
    assert isinstance(refused.command, c.SetGoal)
    assert "KeyError" in refused.reason
    assert [(f.part, f.waits) for f in ear.of(e.Failed)] == [("planner", False)]


class Unclosable(Line):
    """Raises when it is closed."""

    def close(self) -> None:
        super().close()
        raise OSError("the process does not answer")


def test_a_simulator_that_cannot_be_closed_is_reported_and_the_episode_is_kept() -> None:
    run, ear = session(world=Unclosable)
    assert run.run().success
    assert [(f.part, f.kind, f.waits) for f in ear.of(e.Failed)] == [("simulator", "closing", False)]
    assert "does not answer" in ear.of(e.Failed)[0].message


def test_a_goal_that_arrives_before_the_first_turn_is_refused() -> None:
    """The simulator opens until the command is answered; `Began` names the goal that the planner begins with."""
    answered = threading.Event()

    class SlowToOpen(SlowLine):
        patience: ClassVar[float] = 30.0

        def reset(self, seed: int) -> Observation:
            assert answered.wait(PATIENCE)
            return super().reset(seed)

    run, ear = session(world=SlowToOpen)
    run.subscribe(lambda event: answered.set() if isinstance(event.what, e.CommandTaken) else None)
    ear.when(told(e.Began), c.Stop())
    run.post(c.SetGoal(Goal((), "another goal")))
    run.run()
    refused = ear.of(e.CommandTaken)[0]
    assert "not begun" in refused.reason
    assert ear.of(e.Began)[0].goal == GOAL
