"""A picture says which turn it shows, however late it is drawn, and a recorded run ends with a picture of every turn."""

from __future__ import annotations

import random
import time
from collections.abc import Callable

import pytest

from core.common.errors import RendererError
from core.planning.facets import Frame, View
from core.session import commands as c
from core.session import events as e
from core.session.camera import BOTH
from core.session.session import Session
from core.session.snapshot import Snapshot, fold
from tests.core.session.pictured import Pictured, Present, frame_of, frames_in, is_true, place_in, states
from tests.core.session.test_session import in_thread, told
from tests.core.session.toys import LEFT, RIGHT, Ear, session
from tests.waiting import until
from tests.walk_seeds import walk_seeds


def lacking(events: list[e.Event], views: tuple[View, ...] = BOTH) -> list[tuple[object, ...]]:
    """Returns the turns without a picture of their own, for every state of the run."""
    drawn = {(f.moment, f.phase, f.camera) for f in frames_in(events) if not f.is_missing}
    begun = {(moment, phase) for moment, phase in states(events) if phase == "before"}
    return [(moment, phase, view) for moment, phase in begun for view in views if (moment, phase, view) not in drawn]


def all_true(events: list[e.Event]) -> bool:
    known = states(events)
    return all(f.is_missing or is_true(f, known) for f in frames_in(events))


@pytest.mark.parametrize("world", [Pictured, Present])
def test_a_recorded_run_faster_than_its_renderer_ends_with_every_picture(world: type[Pictured]) -> None:
    run, ear = session(world=world)
    run.post(c.KeepPictures())
    assert run.run().success
    assert lacking(ear.events) == []
    assert all_true(ear.events)
    last = [f for f in frames_in(ear.events) if f.phase == "after"]
    assert sorted((f.turn, f.camera) for f in last) == [(5, "dollhouse"), (5, "first person")]
    assert len(list(frames_in(ear.events))) == 12, "each is drawn once"


def test_one_view_may_be_recorded() -> None:
    run, ear = session(world=Pictured)
    run.post(c.KeepPictures(("dollhouse",)))
    run.run()
    assert {f.camera for f in frames_in(ear.events)} == {"dollhouse"}
    assert lacking(ear.events, ("dollhouse",)) == []


def test_an_unrecorded_run_waits_for_no_picture() -> None:
    run, ear = session(world=type("Slow", (Present,), {"seconds": 0.2}))
    run.post(c.Look(BOTH, 64, 64))
    began = time.monotonic()
    assert run.run().success
    assert time.monotonic() - began < 1.0
    assert all_true(ear.events)


def test_a_world_that_cannot_draw_later_is_waited_for_only_while_recording() -> None:
    run, ear = session(world=Present)
    run.post(c.Look(BOTH, 64, 64))
    ear.when(lambda event: event.turn == 3, c.KeepPictures())
    assert run.run().success
    drawn = {f.turn for f in frames_in(ear.events) if not f.is_missing}
    assert {3, 4, 5} <= drawn
    assert all_true(ear.events)


def test_the_newest_moment_is_drawn_before_older_ones() -> None:
    run, ear = session(world=type("Slow", (Pictured,), {"seconds": 0.05}))
    run.post(c.KeepPictures())
    run.run()
    after_end = [f for f in frames_in(ear.events[next(k for k, x in enumerate(ear.events) if isinstance(x.what, e.Ended)):])]
    newest = [(f.turn, f.phase) for f in after_end].index((5, "after"))
    assert newest <= 2, "what was being drawn, then the present"


def test_without_room_an_unrecorded_run_drops_the_oldest_and_a_recorded_one_waits() -> None:
    narrow = type("Narrow", (Pictured,), {"keeps_shots": 4, "seconds": 0.02})
    run, ear = session(world=narrow)
    run.post(c.Look(BOTH, 64, 64))
    run.run(linger=False)
    assert all_true(ear.events)
    run, ear = session(world=narrow)
    run.post(c.KeepPictures())
    run.run()
    assert lacking(ear.events) == []


class Dark(Pictured):
    def shot(self, view: View, width: int = 64, height: int = 64, *, still: bool = False) -> Callable[[], Frame]:
        place = self.place

        def draw() -> Frame:
            if place == 2:
                raise RendererError("no light")
            return frame_of(view, place, width, height)

        return draw


def test_what_cannot_be_drawn_is_said_to_be_missing() -> None:
    run, ear = session(world=Dark)
    run.post(c.KeepPictures())
    assert run.run().success
    missing = [f for f in frames_in(ear.events) if f.is_missing]
    assert sorted((f.turn, f.camera) for f in missing) == [(3, "dollhouse"), (3, "first person")]
    assert all("no light" in f.notice for f in missing)
    snapshot = Snapshot()
    for event in ear.events:
        snapshot = fold(snapshot, event)
    assert all(not f.is_missing for f in snapshot.frames.values())


def test_closing_in_a_hurry_says_what_is_missing() -> None:
    run, ear = session(world=type("Slow", (Pictured,), {"seconds": 0.3}))
    run.post(c.KeepPictures())
    run.limit_pictures(0.4)
    began = time.monotonic()
    run.run()
    assert time.monotonic() - began < 2.0
    assert lacking(ear.events) != []
    asked = {(f.moment, f.phase, f.camera) for f in frames_in(ear.events)}
    assert len(asked) == 12, "each is there, or said to be missing"
    assert run.pictures_left == 0


def test_a_stopped_run_is_completed_too_and_keeps_its_time() -> None:
    run, ear = session(world=type("Slow", (Pictured,), {"seconds": 0.03}))
    run.post(c.KeepPictures())
    overs: list[bool] = []
    ear.when(told(e.Acted, 2), c.Stop())
    run.run(linger=True, over=lambda: overs.append(True))
    assert lacking(ear.events) == []
    assert overs == [True]
    end = next(event for event in ear.events if isinstance(event.what, e.Ended))
    assert ear.events[-1].at - end.at < 0.02, "drawing afterwards is no time of the run"


@pytest.mark.parametrize("size", [(80, 64), (64, 64)])
def test_a_look_on_the_way_to_another_turn_takes_no_picture_of_the_turn_that_was_left(size: tuple[int, int]) -> None:
    """The run is in the other turn already and its simulator is not: it waits for pictures that could not be drawn later."""
    run, ear = session(world=type("Slow", (Present,), {"seconds": 0.05}))
    run.post(c.KeepPictures())
    ear.when(told(e.Acted, 3), c.Rewind(1))
    ear.when(told(e.Rewound), c.Look(BOTH, *size))
    ear.when(told(e.Rewound), c.KeepPictures())
    run.run()
    assert all_true(ear.events)


def walk(run: Session, ear: Ear, seed: int) -> None:
    """Plays a run with an operator who issues any command at any time."""
    dice = random.Random(seed)
    acts = (
        lambda: c.Look(dice.choice(((), BOTH, ("dollhouse",))), dice.choice((64, 80)), 64), c.Pause, c.Resume, c.Step,
        lambda: c.Rewind(dice.randint(1, 6)), lambda: c.Fork(dice.randint(1, 6), resample=True),
        lambda: c.Switch(dice.randint(0, 3)), lambda: c.Override(dice.choice((LEFT, RIGHT))),
        lambda: c.SetSteps(dice.randint(5, 30)),
    )
    for _ in range(25):
        run.post(dice.choice(acts)())
        time.sleep(dice.random() * 0.02)
    run.post(c.Resume())
    time.sleep(0.05)
    run.post(c.Stop())


@pytest.mark.parametrize("world", [Pictured, Present])
@pytest.mark.parametrize("recorded", [True, False])
@pytest.mark.parametrize("seed", walk_seeds(2))
def test_whatever_the_operator_does_no_picture_is_anothers(world: type[Pictured], recorded: bool, seed: int) -> None:
    run, ear = session(world=world)
    run.post(c.KeepPictures() if recorded else c.Look(BOTH, 64, 64))
    thread = in_thread(run, linger=True)
    walk(run, ear, seed)
    thread.join(20)
    assert not thread.is_alive()
    assert all_true(ear.events), seed
    if recorded and world is Pictured:
        assert lacking(ear.events) == [], seed
    snapshot, known = Snapshot(), states(ear.events)
    for event in ear.events:
        snapshot = fold(snapshot, event)
        assert all(is_true(f, known) for f in snapshot.frames.values())
    assert not snapshot.frames or all(0 <= place_in(f) < 10 for f in snapshot.frames.values())


def test_the_present_is_drawn_when_it_is_looked_at_after_the_end() -> None:
    run, ear = session(world=Pictured)
    thread = in_thread(run, linger=True)
    until(lambda: bool(ear.of(e.Ended)))
    run.post(c.Look(BOTH, 64, 64))
    until(lambda: len(list(frames_in(ear.events))) == 2)
    assert {(f.turn, f.phase, place_in(f)) for f in frames_in(ear.events)} == {(5, "after", 5)}
    run.post(c.Stop())
    thread.join(5)


def test_a_recording_that_begins_late_has_the_pictures_of_earlier_turns() -> None:
    run, ear = session(world=Pictured)
    ear.when(told(e.Acted, 2), c.Fork(2))
    ear.when(lambda event: event.turn == 4, c.KeepPictures())
    assert run.run().success
    assert lacking(ear.events) == []
    assert all_true(ear.events)
    plain, other = session(world=Pictured)
    other.when(told(e.Acted, 2), c.Fork(2))
    plain.run()
    assert [a.outcome for a in ear.of(e.Acted)] == [a.outcome for a in other.of(e.Acted)], "the world goes on as it was"


def test_views_that_were_not_looked_at_are_drawn_for_a_recording() -> None:
    run, ear = session(world=Pictured)
    run.post(c.Look(("first person",), 64, 64))
    ear.when(told(e.Acted, 4), c.KeepPictures())
    run.run()
    assert lacking(ear.events) == []
    assert len(list(frames_in(ear.events))) == 12


def test_an_override_that_comes_after_the_last_decision_is_refused() -> None:
    """The run waits for a picture, or for a slow simulator, before its last action."""
    run, ear = session(world=type("Slow", (Present,), {"seconds": 0.05}))
    run.post(c.KeepPictures())
    ear.when(lambda event: isinstance(event.what, e.Decided) and event.turn == 5, c.Override(LEFT))
    assert run.run().success
    taken = [x for x in ear.of(e.CommandTaken) if isinstance(x.command, c.Override)]
    assert [x.ok for x in taken] == [True, False]
    assert "go back to a turn" in taken[-1].reason
