"""Breakpoints are counted, disabled, reported by events, and part of the snapshot."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from core.common.errors import UsageError
from core.recording.takeover import TakeOver, continued
from core.session import commands as c
from core.session.breakpoints import Breakpoint, Breakpoints, Hit, hit_words
from core.session.events import Began, BreakpointHit, CommandTaken, Event, Paused
from core.session.session import Session
from core.session.setup import Scripted
from core.session.snapshot import Snapshot, fold, fold_all
from core.world.vocabulary import Action
from tests.core.session.toys import RIGHT, Ear, session


def going_on(run: Session) -> None:
    """Resumes after every pause."""
    run.subscribe(lambda event: run.post(c.Resume()) if isinstance(event.what, Paused) else None)


BEFORE, TURN = Breakpoint("action", "go right"), Breakpoint("turn", level=3)


def test_hits_are_told_counted_and_folded() -> None:
    run, ear = session()
    run.post(c.SetBreakpoint(BEFORE))
    going_on(run)
    run.run()
    end = fold_all(ear.events)
    assert [(h.point, h.turn, h.count) for h in end.hits] == [(BEFORE, turn, turn) for turn in range(1, 6)]
    assert end.stopped is None
    first = next(k for k, event in enumerate(ear.events) if isinstance(event.what, BreakpointHit))
    assert fold_all(ear.events[:first + 1]).stopped == end.hits[0]
    assert hit_words(end.hits[1]) == "Stopped before “go right” in turn 2: breakpoint “before go right”, hit 2"


def test_one_that_is_off_stays_and_does_not_stop() -> None:
    run, ear = session()
    for command in (c.SetBreakpoint(BEFORE), c.SetBreakpoint(TURN), c.EnableBreakpoint(BEFORE, enabled=False)):
        run.post(command)
    going_on(run)
    run.run()
    end = fold_all(ear.events)
    assert [h.point for h in end.hits] == [TURN]
    assert (end.breakpoints, end.disabled) == ((BEFORE, TURN), frozenset({BEFORE}))


def test_one_for_one_stop_is_gone_from_the_snapshot_too() -> None:
    run, ear = session()
    run.post(c.SetBreakpoint(replace(TURN, once=True)))
    going_on(run)
    run.run()
    assert fold_all(ear.events).breakpoints == ()


def test_an_unknown_one_is_refused() -> None:
    run, ear = session()
    run.post(c.EnableBreakpoint(TURN))
    run.run()
    assert [x.ok for x in ear.of(CommandTaken)] == [False]


def test_a_past_that_is_played_again_hits_nothing() -> None:
    made, _ = session()
    past = TakeOver(_began(), (Scripted((), RIGHT), Scripted((), RIGHT), Scripted((c.SetBreakpoint(BEFORE),))), None)
    run = Session(continued(made.setup, past))
    ear = Ear(run)
    run.post(c.SetBreakpoint(Breakpoint("turn", level=2)))
    going_on(run)
    run.run()
    assert [(x.turn, x.what.point) for x in ear.events if isinstance(x.what, BreakpointHit)] == [
        (turn, BEFORE) for turn in (3, 4, 5)]


def _began() -> Began:
    run, ear = session()
    run.run()
    return ear.of(Began)[0]


POINTS = st.builds(Breakpoint, st.just("action"), st.sampled_from(["go", "go l", "go right", ""]))
COMMANDS = st.one_of(st.builds(c.SetBreakpoint, POINTS), st.builds(c.ClearBreakpoint, POINTS),
                     st.builds(c.EnableBreakpoint, POINTS, st.booleans()))


@given(st.lists(COMMANDS, max_size=20))
@settings(max_examples=80, deadline=None)
def test_snapshot_and_session_agree(commands: list[c.Command]) -> None:
    points, snapshot = Breakpoints(), Snapshot()
    for number, command in enumerate(commands):
        try:
            match command:
                case c.SetBreakpoint(breakpoint=point):
                    points.add(point)
                case c.ClearBreakpoint(breakpoint=point):
                    points.remove(point)
                case c.EnableBreakpoint(breakpoint=point, enabled=enabled):
                    points.enable(point, enabled=enabled)
        except UsageError:
            continue  # refused: the snapshot hears nothing of it
        snapshot = fold(snapshot, Event(number, 0.0, 1, 0, CommandTaken(command)))
    assert points.points == snapshot.breakpoints
    points.before(Action("go", ("right",)))
    hit = {point for point, _, _ in points.take_hits()}
    assert hit == {p for p in snapshot.breakpoints if p not in snapshot.disabled and "go right".startswith(p.text)}


def test_titles() -> None:
    known = {Breakpoint(on, "open", 5.0).title for on in ("action", "turn", "entropy", "gap", "tokens", "condition")}
    assert known == {"before open", "turn 5", "belief entropy over 5 bits", "top-two gap under 5", "more than 5 tokens",
                     "new blocking condition"}
    assert Breakpoint("action").title == "before any action"
    assert "at the beginning of turn 3" in hit_words(Hit(0.0, 3, 0, TURN, "turn 3", 1))
