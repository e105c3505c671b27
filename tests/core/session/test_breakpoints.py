"""Breakpoints are counted, disabled, reported by events, and part of the snapshot."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.common.errors import DataError, UsageError
from core.planners.bcr.recorded_types import BlockingNode, BlockingTree
from core.recording.codec import Codec
from core.recording.takeover import TakeOver, continued
from core.session import commands as c
from core.session.breakpoints import Breakpoint, Breakpoints, Hit, hit_words
from core.session.checked_expressions import condition
from core.session.events import (
    Acted,
    Began,
    BreakpointHit,
    CommandTaken,
    Decided,
    Ended,
    Event,
    Paused,
    Replied,
    Resumed,
    Shown,
)
from core.session.point_checker import Found, PointChecker
from core.session.session import Session
from core.session.setup import Scripted
from core.session.snapshot import Snapshot, fold, fold_all
from tests.core.session.toys import RIGHT, Ear, Folded, session


def going_on(run: Session) -> None:
    """Resumes after every pause."""
    run.subscribe(lambda event: run.post(c.Resume()) if isinstance(event.what, Paused) else None)


CODEC = Codec()
BEFORE, TURN = Breakpoint('action == "go right"'), Breakpoint("turn == 3")


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
    assert hit_words(end.hits[1]) == 'Stopped before “go right” in turn 2: breakpoint “action == "go right"”, hit 2'


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
    run.post(c.SetBreakpoint(Breakpoint("turn == 2")))
    going_on(run)
    run.run()
    assert [(x.turn, x.what.point) for x in ear.events if isinstance(x.what, BreakpointHit)] == [
        (turn, BEFORE) for turn in (3, 4, 5)]


def _began() -> Began:
    run, ear = session()
    run.run()
    return ear.of(Began)[0]


def test_one_that_logs_never_stops_and_one_that_counts_stops_from_its_hit() -> None:
    run, ear = session()
    log, third = Breakpoint('action ~ "right"', log=True), Breakpoint('action ~ "right"', from_hit=3)
    for point in (log, third):
        run.post(c.SetBreakpoint(point))
    going_on(run)
    run.run()
    end = fold_all(ear.events)
    assert [(h.turn, h.count) for h in end.hits if h.point == log] == [(turn, turn) for turn in range(1, 6)]
    assert [(h.turn, h.count) for h in end.hits if h.point == third] == [(turn, turn) for turn in range(3, 6)]
    assert len(ear.of(Paused)) == 3


def test_a_value_that_stays_true_is_hit_once_a_turn() -> None:
    run, ear = session()
    run.post(c.SetBreakpoint(Breakpoint("tokens > 0")))
    going_on(run)
    run.run()
    turns = [h.turn for h in fold_all(ear.events).hits]
    assert len(ear.of(Replied)) > len(turns)
    assert turns == sorted(set(turns))


def test_the_last_action_is_judged_at_the_end() -> None:
    run, ear = session()
    run.post(c.SetBreakpoint(Breakpoint("literal[0].reached")))
    assert run.run().success
    assert [h.what for h in fold_all(ear.events).hits] == ["literal[0].reached true"]
    assert not ear.of(Paused), "there is no further action to stop before"


def test_a_wrong_one_is_refused_with_the_place() -> None:
    run, ear = session()
    run.post(c.SetBreakpoint(Breakpoint("gap < ")))
    run.run()
    assert [x.reason for x in ear.of(CommandTaken)] == [
        "character 7: a value is missing before the end: write a name, a number or a text"]


CONDITIONS = st.sampled_from(["turn == 3", "turn > 2", 'action == "go right"', 'action ~ "go"', "tokens > 12", "calls > 2",
                              'reply ~ "right"', 'prompt_kind == "way"', "refused", "reached > 0", 'not because ~ "x"',
                              "turn > 1 and calls > 3", 'action == "go" and turn == 4'])


@given(st.lists(CONDITIONS, min_size=1, max_size=3, unique=True))
@settings(max_examples=25, deadline=None)
def test_a_stop_comes_before_the_action_that_it_is_about(texts: list[str]) -> None:
    """Between a hit and the next executed action the run is paused, and the action of that turn is not decided yet."""
    run, ear = session()
    for text in texts:
        run.post(c.SetBreakpoint(Breakpoint(text)))
    going_on(run)
    run.run()
    whats = [event.what for event in ear.events]
    for k, event in enumerate(ear.events):
        if isinstance(event.what, BreakpointHit):
            rest = whats[k + 1:]
            acted = next((n for n, what in enumerate(rest) if isinstance(what, Acted | Ended)), len(rest))
            if acted < len(rest) and isinstance(rest[acted], Acted):
                assert any(isinstance(what, Resumed) for what in rest[:acted]), "nothing is done until the operator goes on"
            if event.what.what.startswith("before "):
                done = next(what for what in rest if isinstance(what, Decided))
                assert f"before {done.action}" == event.what.what.split(",")[0]


POINTS = st.builds(Breakpoint, st.sampled_from(['action == "go"', "turn > 2", "gap < 1", "nonsense", 'reply ~ "x"']))
COMMANDS = st.one_of(st.builds(c.SetBreakpoint, POINTS), st.builds(c.ClearBreakpoint, POINTS),
                     st.builds(c.EnableBreakpoint, POINTS, st.booleans()))


@given(st.lists(COMMANDS, max_size=20))
@settings(max_examples=80, deadline=None)
def test_snapshot_and_session_agree(commands: list[c.Command]) -> None:
    points, snapshot = Breakpoints(condition), Snapshot()
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
    assert points.active == tuple(p for p in snapshot.breakpoints if p not in snapshot.disabled)


def test_titles() -> None:
    assert Breakpoint("gap < 1", once=True).title == "gap < 1, once"
    assert Breakpoint("gap < 1", log=True, from_hit=3).title == "gap < 1, log only, from hit 3"
    assert [Breakpoint(text).turn for text in ("turn == 12", "turn > 12", "turn == 12 and gap < 1")] == [12, None, None]
    assert "at the beginning of turn 3" in hit_words(Hit(0.0, 3, 0, TURN, "turn 3", 1))


def tree(*texts: str, state: Literal["blocked", "reached"] = "blocked") -> BlockingTree:
    return BlockingTree(tuple(BlockingNode(k, -1, "condition", text, state) for k, text in enumerate(texts)))


def test_a_new_blocking_condition_is_hit_once_for_each() -> None:
    points, found = Breakpoints(condition), list[Found]()
    checker = PointChecker(points)
    see = Folded(lambda event, now: found.extend(checker.see(event, now)))

    def hits(*texts: str, state: Literal["blocked", "reached"] = "blocked") -> list[str]:
        found.clear()
        see(Event(0, 0.0, 1, 0, Shown(tree(*texts, state=state))))
        return [what for _, what, _ in found]

    assert not hits("the fridge is closed")
    points.add(Breakpoint('new_condition != ""'))
    assert not hits("the fridge is closed"), "it blocked before the breakpoint was set"
    assert hits("the fridge is closed", "hands are full") == ["new_condition “hands are full”"]
    assert not hits("the fridge is closed", "hands are full")
    assert not hits("far away", state="reached")
    assert hits("far away") == ["new_condition “far away”"]


@pytest.mark.parametrize(("on", "text", "level", "expression"), [
    ("action", "open fridge_1", 0.0, 'action == "open fridge_1"'), ("action", "", 0.0, 'action == ""'),
    ("turn", "", 12.0, "turn == 12"), ("entropy", "", 1.5, "entropy > 1.5"), ("gap", "", 0.25, "gap < 0.25"),
    ("tokens", "", 5000, "tokens > 5000"), ("condition", "", 0.0, 'new_condition != ""')])
def test_those_of_earlier_recordings_are_read_as_expressions(on: str, text: str, level: float, expression: str) -> None:
    then = {"on": on, "text": text, "level": level, "once": True}
    point = CODEC.value(then, Breakpoint)
    assert point == Breakpoint(expression, once=True)
    assert condition(point.expression)
    assert CODEC.value({"$": "SetBreakpoint", "breakpoint": {"$": "Breakpoint", **then}}, c.SetBreakpoint).breakpoint == point
    assert CODEC.loads(CODEC.dumps(point), Breakpoint) == point


@pytest.mark.parametrize("damaged", [{"on": "what"}, {"on": ["turn"]}, {"on": "turn", "level": "x"}, {"on": "turn", "text": 3}])
def test_damaged_ones_of_earlier_recordings_are_refused(damaged: dict[str, object]) -> None:
    with pytest.raises(DataError):
        CODEC.value({"text": "", "level": 0.0, "once": False, **damaged}, Breakpoint)
