"""A pace holds each turn, stops before each action, or not even at breakpoints; commands take effect during a hold."""

from __future__ import annotations

import pytest

from core.common.errors import UsageError
from core.planning.facets import Plan
from core.session import commands as c
from core.session import events as e
from core.session.breakpoints import Breakpoint
from core.session.pace import PACES, Pace, pace_of
from core.session.snapshot import fold_all
from tests.core.session.toys import LEFT, Ear, session

LONG, SHORT = c.SetPace(Pace("hold", 3600.0)), c.SetPace(Pace("hold", 0.001))


def held(event: e.Event) -> bool:
    return isinstance(event.what, e.Paused) and event.what.seconds > 0


def moves(ear: Ear) -> list[str]:
    return [f"{acted.by} {acted.outcome.action}" for acted in ear.of(e.Acted)]


def test_each_turn_is_held_before_its_action_and_goes_on_by_itself() -> None:
    run, ear = session()
    run.post(SHORT)
    assert run.run().success
    kinds = (e.TurnBegan, e.Paused, e.Resumed, e.Decided, e.Acted)
    assert [type(event.what) for event in ear.events if isinstance(event.what, kinds)] == list(kinds) * 5
    assert {(paused.reason, paused.seconds) for paused in ear.of(e.Paused)} == {("hold 0.001 s a turn", 0.001)}
    first = next(k for k, event in enumerate(ear.events) if held(event))
    now = fold_all(ear.events[:first + 1])
    assert (now.status, now.held, now.pace) == ("paused", 0.001, Pace("hold", 0.001))
    end = fold_all(ear.events)
    assert (end.status, end.held, end.pause) == ("ended", 0.0, "")


def test_a_run_that_is_held_shorter_works_no_longer() -> None:
    run, ear = session()
    run.post(c.SetPace(Pace("hold", 0.05)))
    run.run()
    turns = fold_all(ear.events).turns
    assert all(turn.idle >= 0.05 for turn in turns), "the hold is no work of the planner"


def test_stops_before_each_action_until_it_is_resumed() -> None:
    run, ear = session()
    run.post(c.SetPace(Pace("actions")))
    run.subscribe(lambda event: run.post(c.Resume()) if isinstance(event.what, e.Paused) else None)
    assert run.run().success
    assert [paused.reason for paused in ear.of(e.Paused)] == ["stop before each action"] * 5


@pytest.mark.parametrize(("command", "after"), [
    (c.Resume(), "planner go right"), (c.SetPace(Pace()), "planner go right"), (c.Override(LEFT), "operator go left")])
def test_what_ends_a_hold_ends_it_at_once(command: c.Command, after: str) -> None:
    run, ear = session(seed=1)
    run.post(LONG)
    ear.when(held, SHORT) if not isinstance(command, c.SetPace) else None
    ear.when(held, command)
    assert run.run().success
    assert moves(ear)[0] == after


def test_pause_step_stop_edit_and_hold_during_a_hold() -> None:
    run, ear = session()
    run.post(LONG)
    ear.when(held, c.Pause())
    ear.when(lambda event: isinstance(event.what, e.Paused) and event.what.reason == "asked to", c.Step("action"))
    ear.when(lambda event: isinstance(event.what, e.Paused) and event.what.reason == "one action done", c.Resume())
    ear.when(lambda event: held(event) and event.turn == 3, c.Edit(Plan((), "mine")))
    ear.when(lambda event: held(event) and event.turn == 3 and bool(ear.of(e.CommandTaken)[-1].command == c.Edit(
        Plan((), "mine"))), c.Hold(), c.Release())
    ear.when(lambda event: held(event) and event.turn == 4, c.Stop())
    assert run.run().reason == "stopped by the operator"
    assert moves(ear) == ["planner go right"] * 3
    assert [(p.reason, p.seconds) for p in ear.of(e.Paused)] == [
        (LONG.pace.words, 3600.0), ("asked to", 0.0), ("one action done", 0.0), (LONG.pace.words, 3600.0),
        (LONG.pace.words, 3600.0), ("the operator is choosing", 0.0), (LONG.pace.words, 3600.0)]


def test_at_full_speed_breakpoints_are_noted_and_do_not_stop() -> None:
    run, ear = session()
    run.post(c.SetBreakpoint(Breakpoint("turn == 2")))
    run.post(c.SetPace(Pace("full")))
    assert run.run().success
    assert (len(ear.of(e.BreakpointHit)), ear.of(e.Paused)) == (1, [])
    assert all(fold_all(ear.events[:k]).stopped is None for k in range(len(ear.events)))


def test_a_rewind_during_a_hold_goes_on_there() -> None:
    run, ear = session()
    run.post(LONG)
    ear.when(lambda event: held(event) and event.turn == 1, c.Resume())
    ear.when(lambda event: held(event) and event.turn == 2, c.Rewind(1), c.SetPace(Pace()))
    assert run.run().success


@pytest.mark.parametrize("pace", PACES)
def test_a_pace_is_found_by_its_words_and_undone(pace: Pace) -> None:
    assert pace_of(pace.words) == pace
    run, ear = session()
    run.post(c.SetPace(pace))
    run.post(c.Stop())
    run.run()
    opposite = c.SetPace(pace).opposite(fold_all([]))
    assert opposite is not None
    assert opposite.settings_after(fold_all(ear.events)).pace == Pace()


@pytest.mark.parametrize("text", ["", "hold", "hold 0", "hold 9999", "hold nan", "fast"])
def test_an_unknown_pace_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        pace_of(text)


def test_a_hold_that_no_run_can_keep_is_refused() -> None:
    run, ear = session()
    run.post(c.SetPace(Pace("hold", float("nan"))))
    assert run.run().success
    assert [taken.ok for taken in ear.of(e.CommandTaken)] == [False]
