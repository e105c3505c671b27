"""Continuing from a recording: the same past in the same simulator, recorded replies first, then live ones."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from core.app.launch import build
from core.app.run_request import Request
from core.planning.belief_facets import Belief
from core.planning.facets import Plan
from core.recording.reader import open_recording
from core.recording.recorder import Recorder
from core.recording.takeover import continued, take_over
from core.session.breakpoints import Breakpoint
from core.session.commands import Ban, ClearBreakpoint, Command, Edit, EnableBreakpoint, Override, Rewind, SetBreakpoint, Stop
from core.session.events import Acted, Began, CommandTaken, Event, Replied, Rewound, Shown, TurnBegan
from core.session.session import Session
from core.session.setup import Scripted
from core.session.snapshot import fold_all
from sim.registry import simulator_class
from tests.core.recording.common import CODEC, PATIENT, recorded
from tests.core.session.toys import LEFT, RIGHT, Ear, Guide, session


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
    run.follow(recorder.on_event)
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
    looked = [[e.what.facet.looked.tolist() for e in events if e.turn == middle + 1 and isinstance(e.what, Shown)
               and isinstance(e.what.facet, Belief)] for events in (first.events, ear.events)]
    assert looked[0][0] == looked[1][0], "the planner has seen the past go by"
    assert any(looked[0][0])


def pinned(belief: Belief) -> Belief:
    """Returns the belief with the first unfound object certainly at the last location."""
    row = next(k for k, where in enumerate(belief.located) if where is None)
    probability, held = belief.probability.copy(), belief.pinned.copy()
    probability[row], held[row] = 0.0, False
    probability[row, -1], held[row, -1] = 1.0, True
    return replace(belief, probability=probability, pinned=held)


def test_edits_are_said_again_in_the_turns_they_were_made_in(tmp_path: Path) -> None:
    request = Request(planner="llm-mcts", task="Put one apple inside the fridge and one plate inside the dishwasher",
                      scene="four-rooms-1", seed=3, parameters={"simulations": "10"}, max_steps=5)
    run = Session(build(request, simulator_class))
    recorder = Recorder(tmp_path / "a.mcap", lambda said: None, limits=PATIENT)
    run.follow(recorder.on_event)
    first, edited = Ear(run), set[int]()

    def edit(event: Event) -> None:
        if isinstance(event.what, Shown) and isinstance(event.what.facet, Belief) and event.turn in {2, 4} - edited:
            edited.add(event.turn)
            run.post(Edit(pinned(event.what.facet), "it is there"))

    run.subscribe(edit)
    run.run()
    recorder.close()
    done = [(e.turn, e.what.command, e.what.ok) for e in first.events if isinstance(e.what, CommandTaken)]
    assert [(turn, ok) for turn, _, ok in done] == [(2, True), (4, True)]
    for upto in (3, 5):
        with open_recording(tmp_path / "a.mcap") as recording:
            past = take_over(recording, recording.number_at(turn=upto))
        again = Session(replace(continued(build(request, simulator_class), past), most_steps=upto))
        ear = Ear(again)
        again.run()
        said = [(e.turn, e.what.ok) for e in ear.events if isinstance(e.what, CommandTaken)]
        assert said == [(turn, True) for turn, *_ in done if turn <= upto], "no refusal"
        assert [a.outcome for a in ear.of(Acted)] == [a.outcome for a in first.of(Acted)][:upto]
    held = [e.what.facet.pinned.sum() for e in ear.events if isinstance(e.what, Shown) and isinstance(e.what.facet, Belief)]
    assert held[0] == 0
    assert fold_all(ear.events).marks[-1].kind == "edit"
    table = again.setup.planner._task.table  # type: ignore[attr-defined]
    assert table.pinned.sum() > 0, "the planner holds to it"


def test_an_edit_of_what_is_never_shown_again_is_refused_and_said(tmp_path: Path) -> None:
    made, _ = session()
    nothing, no = np.zeros((0, 0)), np.zeros((0, 0), np.bool_)
    belief = Belief((), (), (), (), (), nothing, nothing, no, no, no)
    script = (Scripted((Edit(Plan((LEFT,), "x")), Edit(belief)), RIGHT),)
    run = Session(replace(made.setup, script=script))
    ear = Ear(run)
    run.run()
    assert [(e.turn, e.what.ok) for e in ear.events if isinstance(e.what, CommandTaken)] == [(1, True), (1, False)]
    assert ear.of(Acted)[0].outcome.action == RIGHT


def test_breakpoints_of_all_branches_hold_again(tmp_path: Path) -> None:
    made, first = session()
    recorder = Recorder(tmp_path / "a.mcap", lambda said: None, codec=CODEC, limits=PATIENT)
    made.follow(recorder.on_event)
    off, on, gone = (Breakpoint(f"turn == {turn}") for turn in (40, 41, 42))
    said: dict[int, tuple[Command, ...]] = {
        2: (Ban(LEFT), SetBreakpoint(off), SetBreakpoint(on), SetBreakpoint(gone), EnableBreakpoint(off, enabled=False)),
        4: (ClearBreakpoint(gone), Rewind(1))}

    def say(event: Event) -> None:
        if isinstance(event.what, TurnBegan) and event.turn in said:
            for command in said.pop(event.turn):
                made.post(command)

    made.subscribe(say)
    made.run()
    recorder.close()
    with open_recording(tmp_path / "a.mcap", CODEC) as recording:
        past = take_over(recording, recording.number_at(turn=2, branch=1))
    again, _ = session()
    run = Session(continued(again.setup, past))
    ear = Ear(run)
    run.run()
    end = fold_all(ear.events)
    assert first.of(Rewound), "ban and breakpoints were said on the branch that was left"
    assert end.banned == frozenset(), "a ban belongs to the turns after it"
    assert (end.breakpoints, end.disabled) == ((off, on), frozenset({off}))
    assert not end.hits


def test_what_was_said_in_the_turn_under_way_holds_after_a_stop(tmp_path: Path) -> None:
    recorded(tmp_path / "a.mcap", Ban(LEFT), Stop())
    with open_recording(tmp_path / "a.mcap", CODEC) as recording:
        past = take_over(recording, recording.numbers[-1])
    assert Ban(LEFT) in past.script[-1].commands
