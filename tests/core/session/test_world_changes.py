"""Changes of the simulator's world by the operator: made in a fork, kept on its line of branches, recorded and replayed."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from core.planning.facets import Moment
from core.recording.reader import open_recording
from core.recording.takeover import continued, take_over
from core.session.commands import ChangeWorld, Fork, ListChanges, Pause, Resume, Rewind, Stop, Switch
from core.session.events import Acted, ChangesListed, CommandTaken, Ended, Event, Failed, Recovered, Rewound, TurnBegan
from core.session.session import Session
from core.session.setup import Setup
from core.session.snapshot import fold_all
from core.simulator.base import WorldChange
from tests.core.recording.common import CODEC, recorder_of
from tests.core.session.toys import GOAL, Ear, Guide, Line, SlowLine, Walker, session


def to(place: int) -> ChangeWorld:
    return ChangeWorld(WorldChange("walker_1", "state", f"at {place}"))


def begins(turn: int, branch: int, event: Event) -> bool:
    return isinstance(event.what, TurnBegan) and (event.turn, event.branch) == (turn, branch)


def place_at(ear: Ear, turn: int, branch: int) -> set[frozenset[str]]:
    """Returns what the robot saw of itself at the beginning of a turn, each time it was played."""
    return {e.what.seen.by_id["walker_1"].states for e in ear.events if isinstance(e.what, TurnBegan)
            and (e.turn, e.branch) == (turn, branch)}


@pytest.mark.parametrize("world", [Line, SlowLine])
def test_a_fork_has_the_changed_world_and_the_branch_it_left_has_not(world: type[Line]) -> None:
    run, ear = session(world=world)
    ear.when(partial(begins, 3, 0), Fork(2, then=to(0)))
    ear.when(partial(begins, 4, 1), Rewind(3))
    ear.when(partial(begins, 5, 2), Fork(2, branch=1, then=to(3)))
    ear.when(partial(begins, 3, 3), Switch(0))
    run.run()
    assert place_at(ear, 2, 0) == {frozenset({"at 1"})}
    assert place_at(ear, 2, 1) == {frozenset({"at 0"})}
    assert place_at(ear, 3, 2) == {frozenset({"at 1"})}, "going back within the fork keeps its world"
    assert place_at(ear, 2, 3) == {frozenset({"at 3"})}
    assert place_at(ear, 3, 0) == {frozenset({"at 2"})}
    now = fold_all(ear.events)
    assert [m.text for m in now.marks if m.kind == "world"] == [
        "world changed: walker_1 → at 0", "world changed: walker_1 → at 3"]
    assert now.world_changes == (), "the main line is unchanged"


@pytest.mark.parametrize("world", [Line, SlowLine])
def test_a_refused_change_leaves_the_run_where_it_was(world: type[Line]) -> None:
    run, ear = session(world=world)
    ear.when(partial(begins, 3, 0), Fork(2, then=to(77)))
    ended = run.run()
    assert ended.success
    refused = [e.what for e in ear.events if isinstance(e.what, CommandTaken) and not e.what.ok]
    assert len(refused) == 1
    assert "name another" in refused[0].reason
    assert fold_all(ear.events).branch == 0
    assert bool(ear.of(Rewound)) == world.slow, "only where it cannot be tried before"
    assert [e.turn for e in ear.events if isinstance(e.what, Acted) and e.branch == 0] == [1, 2, 3, 4, 5]


def test_a_change_is_not_made_without_a_fork() -> None:
    run, ear = session()
    ear.when(partial(begins, 2, 0), to(0))
    run.run()
    taken = next(e.what for e in ear.events if isinstance(e.what, CommandTaken))
    assert not taken.ok
    assert "fork" in taken.reason


@pytest.mark.parametrize("world", [Line, SlowLine])
def test_a_change_may_reach_the_goal(world: type[Line], tmp_path: Path) -> None:
    run, ear = session(world=world)
    recorder = recorder_of(tmp_path / "a.mcap", run, [])
    ear.when(partial(begins, 2, 0), Fork(1, then=to(5)))
    ended = run.run()
    recorder.close()
    assert ended.success
    assert len([e for e in ear.events if isinstance(e.what, Acted)]) == 1
    assert fold_all(ear.events).outcome.success
    with open_recording(tmp_path / "a.mcap", CODEC) as recording:
        assert recording.snapshot_at().world_changes == fold_all(ear.events).world_changes != ()
        past = take_over(recording, len(ear.events) - 1)
    again, heard = goes_on(past, world)
    again.run()
    assert heard.of(Ended)[0].success
    assert not heard.of(Acted)


def goes_on(past: object, world: type[Line] = Line) -> tuple[Session, Ear]:
    run = Session(continued(Setup(Walker(), world, GOAL, models={"guide": Guide()}), past))  # type: ignore[arg-type]
    return run, Ear(run)


@pytest.mark.parametrize("world", [Line, SlowLine])
def test_a_recording_is_taken_over_in_its_changed_world(world: type[Line], tmp_path: Path) -> None:
    run, ear = session(world=world)
    recorder = recorder_of(tmp_path / "a.mcap", run, [])
    ear.when(partial(begins, 3, 0), Fork(2, then=to(0)))
    ear.when(partial(begins, 4, 1), Fork())
    run.run()
    recorder.close()
    with open_recording(tmp_path / "a.mcap", CODEC) as recording:
        for mark in recording.turns():
            past = take_over(recording, mark.first)
            again, heard = goes_on(past, world)
            again.run()
            seen = place_at(ear, mark.number, mark.branch)
            assert place_at(heard, mark.number, 0) <= seen, f"turn {mark.number} of branch {mark.branch}"
            assert not heard.of(Failed)
        past = take_over(recording, recording.turns()[1].first, to(4))
    again, heard = goes_on(past, world)
    again.run()
    assert place_at(heard, 2, 0) == {frozenset({"at 4"})}
    assert [m.turn for m in fold_all(heard.events).world_changes] == [2]


@pytest.mark.parametrize("world", [Line, SlowLine])
def test_a_simulator_that_dies_is_brought_back_with_the_change(world: type[Line]) -> None:
    faults: list[str] = []
    run, ear = session(world=lambda: world(faults))
    ear.when(partial(begins, 3, 0), Fork(2, then=to(0)))
    ear.when(lambda e: isinstance(e.what, Acted) and (e.turn, e.branch) == (2, 1), Pause())
    run.subscribe(lambda e: faults.append("die") if begins(4, 1, e) else None)
    run.subscribe(lambda e: faults.append("change") if isinstance(e.what, Rewound) else None)
    ear.when(lambda e: type(e.what).__name__ == "Paused", Resume())
    assert run.run().success
    assert len(ear.of(Recovered)) == 2
    assert place_at(ear, 5, 1) == {frozenset({"at 3"})}
    assert ("and 1 change of the world" in ear.of(Recovered)[1].message) == world.slow


@pytest.mark.parametrize("world", [Line, SlowLine])
def test_changes_are_listed_for_the_present_and_where_possible_for_the_past(world: type[Line]) -> None:
    run, ear = session(world=world)
    ear.when(partial(begins, 3, 0), ListChanges("walker_1"), ListChanges("walker_1", 2), ListChanges("nothing_1"))
    ear.when(lambda e: isinstance(e.what, ChangesListed) and e.what.thing == "nothing_1", Stop())
    run.run()
    now, past, unknown = ear.of(ChangesListed)
    assert (now.of, past.of) == (Moment(0, 3), Moment(0, 2))
    assert WorldChange("walker_1", "state", "at 1") in now.changes
    assert WorldChange("walker_1", "state", "at 2") not in now.changes
    assert (not past.changes) == bool(past.why) == world.slow
    assert unknown.why
