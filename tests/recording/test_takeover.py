"""Going on from a recording: the same past in the same world, recorded replies first, then live."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from core.commands import Ban, Edit, Override
from core.events import Acted, Began, Replied
from core.facets import Plan
from core.launch import Request, build
from core.recording.reader import open_recording
from core.recording.recorder import Recorder
from core.recording.takeover import continued, take_over
from core.session import Session
from core.snapshot import fold_all
from sim.registry import simulator_class
from tests.recording.common import CODEC, PATIENT, recorded
from tests.session.toys import LEFT, RIGHT, Ear, Guide, session


def test_the_script_is_the_line_that_leads_to_the_moment(tmp_path: Path) -> None:
    recorded(tmp_path / "a.mcap", Ban(LEFT), Override(RIGHT, told=False), Edit(Plan((), "x")))
    with open_recording(tmp_path / "a.mcap", CODEC) as recording:
        past = take_over(recording, recording.number_at(turn=2))
        whole = take_over(recording, recording.numbers[-1])
    assert [s.action for s in past.script] == [RIGHT, RIGHT, None]
    assert past.script[0].by == "operator"
    assert not past.script[0].told
    assert Ban(LEFT) in past.script[0].commands
    assert len(whole.script) == 6
    assert past.answers is not None


def test_recorded_replies_come_first_then_live_ones(tmp_path: Path) -> None:
    recorded(tmp_path / "a.mcap", steps=4)
    with open_recording(tmp_path / "a.mcap", CODEC) as recording:
        past = take_over(recording, recording.number_at(turn=1))
    live = Guide()
    made, _ = session(model=live)
    run = Session(replace(continued(made.setup, past), most_steps=30))
    ear = Ear(run)
    run.run()
    assert [e.turn for e in ear.events if isinstance(e.what, Replied) and e.what.reply.cached] == [2, 2, 3, 3, 4, 4]
    assert len(live.asked) == 2, "the recording ended after four of five turns"
    with pytest.raises(Exception, match="cannot be chosen"):
        type(run.setup.models["guide"]).open({})


def test_a_household_run_goes_on_to_its_goal(tmp_path: Path) -> None:
    request = Request(planner="llm-mcts", task="Put one toothbrush on the bed", scene="four-rooms-2", seed=5,
                      parameters={"simulations": "40"})
    run = Session(build(request, simulator_class))
    recorder = Recorder(tmp_path / "a.mcap", lambda said: None, limits=PATIENT)
    run.subscribe(recorder.hear)
    first = Ear(run)
    run.run()
    recorder.close()
    middle = len(first.of(Acted)) // 2
    with open_recording(tmp_path / "a.mcap") as recording:
        number = recording.number_at(turn=middle)
        then = recording.snapshot_at(number)
        past = take_over(recording, number)
    again = Session(continued(build(request, simulator_class), past))
    ear = Ear(again)
    ended = again.run()
    assert ended.success
    assert ear.of(Began)[0].goal == first.of(Began)[0].goal
    same = [e for e in ear.events if e.turn <= middle]
    assert fold_all(same).seen == then.seen, "the same world after the same actions"
    assert [a.outcome for a in ear.of(Acted)][:middle] == [a.outcome for a in first.of(Acted)][:middle]
