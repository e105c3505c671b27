"""With the real renderer: each picture of a fast run shows the state of its turn, checked by the ids of its pixels."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from core.app.launch import build
from core.app.run_request import Request
from core.planning.facets import Frame, Moment
from core.recording.reader import open_recording
from core.recording.recorder import Recorder
from core.recording.writer import Limits
from core.session import commands as c
from core.session.camera import BOTH
from core.session.events import Acted, TurnBegan
from core.session.session import Session
from core.simulator.base import Simulator
from sim.registry import simulator_class
from tests.core.session.pictured import frames_in
from tests.core.session.toys import Ear
from tests.long_tests import either

SIZE = 160, 120
TASK = "Put one apple on the kitchen table and one toothbrush inside the bathroom cabinet"


def in_sight(frame: Frame) -> dict[str, int]:
    """Returns the entities in a picture, with their numbers of pixels."""
    assert frame.ids is not None
    numbers, counts = np.unique(frame.ids, return_counts=True)
    return {frame.names[n]: int(k) for n, k in zip(numbers.tolist(), counts, strict=True) if frame.names[n]}


def drawn_again(world: Simulator, ear: Ear, seed: int) -> dict[tuple[int, str, str], dict[str, int]]:
    """Returns both cameras' views before each turn and after the last, from a slow replay of the run."""
    world.reset(seed)
    acted = [event for event in ear.events if isinstance(event.what, Acted)]
    found: dict[tuple[int, str, str], dict[str, int]] = {}
    for number, event in enumerate(acted, 1):
        for view in BOTH:
            found[number, "before", view] = in_sight(world.render(view, *SIZE))
        assert isinstance(event.what, Acted)
        world.step(event.what.outcome.action)
    for view in BOTH:
        found[len(acted), "after", view] = in_sight(world.render(view, *SIZE))
    return found


@pytest.mark.parametrize(("simulator", "planner", "task"), [("household", "llm-mcts", TASK),
                                                           ("virtualhome-graph", "oracle", "")])
def test_every_picture_of_a_quick_run_shows_its_own_turn(simulator: str, planner: str, task: str, tmp_path: Path) -> None:
    cls = simulator_class(simulator)
    if cls.missing():
        pytest.skip(cls.missing())
    request = Request(planner, simulator=simulator, scene="four-rooms-1" if simulator == "household" else "", seed=3, task=task,
                      max_steps=either(6, 30))
    run = Session(build(request, simulator_class))
    ear = Ear(run)
    recorder = Recorder(tmp_path / "a.mcap", lambda said: None, limits=Limits(patience=60.0))
    run.follow(recorder.on_event)
    run.post(c.Look(BOTH, *SIZE))
    run.post(c.KeepPictures())
    run.run()
    recorder.close()
    with cls.open(build(request, simulator_class).names["scene"], {}) as world:
        truth = drawn_again(world, ear, 3)
    assert len(truth) > 6
    assert len({tuple(sorted(seen)) for seen in truth.values()}) > 3, "the turns look different"
    frames = [f for f in frames_in(ear.events) if not f.is_missing]
    assert {(f.turn, f.phase, f.camera) for f in frames} == set(truth)
    assert all(in_sight(f) == truth[f.turn, f.phase, f.camera] for f in frames)
    seen = {event.turn: event.what.seen for event in ear.events if isinstance(event.what, TurnBegan)}
    for frame in frames:
        if (frame.camera, frame.phase) == ("first person", "before"):
            known = {e.id for e in (*seen[frame.turn].entities, *seen[frame.turn].landmarks)}
            things = {i for i, pixels in in_sight(frame).items() if pixels > 40 and i in known}
            assert things, "the robot looks at something that it sees"
    with open_recording(tmp_path / "a.mcap") as recording:
        for turn in seen:
            snapshot = recording.snapshot_at(turn=turn)
            for view, shown in snapshot.frames.items():
                assert shown.moment == Moment(0, turn)
                assert in_sight(shown) == truth[turn, shown.phase, view]
