"""Examples for prompts: taken from successes and corrections, and found again by their words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from core.app.launch import build
from core.app.run_request import Request
from core.common.errors import DataError
from core.llm.embeddings import Vectors
from core.llm.stack import assembled
from core.planning.belief_facets import Belief
from core.planning.examples import Example, alike
from core.planning.facets import Facet, Moment, Plan
from core.planning.planner import Decision, Thought
from core.recording.calls import replay_of
from core.recording.examples import ExampleSet, example_of, examples_of
from core.recording.reader import open_recording
from core.recording.recorder import Recorder
from core.session.commands import Edit, Fork, Override, Stop, Switch
from core.session.events import Acted, Decided, Failed, Shown, TurnBegan
from core.session.session import Session
from core.session.setup import Setup
from core.world.vocabulary import Action, Observation
from main import main
from sim.registry import simulator_class
from tests.core.recording.common import CODEC, PATIENT, recorder_of
from tests.core.session.toys import LEFT, RIGHT, Ear, Walker, session
from tests.full_disk import full_disk


def made(path: Path, steps: int) -> list[Example]:
    run, ear = session(steps=steps)
    recorder = recorder_of(path, run, [])
    ear.when(lambda e: isinstance(e.what, TurnBegan) and e.turn == 2, Override(LEFT, True, "look"))
    run.run()
    recorder.close()
    with open_recording(path, CODEC) as recording:
        return list(examples_of(recording))


def test_a_success_gives_every_step_and_a_failure_only_what_a_person_corrected(tmp_path: Path) -> None:
    good, bad = made(tmp_path / "good.mcap", 30), made(tmp_path / "bad.mcap", 3)
    assert [e.action for e in good] == ["go right", "go left", *["go right"] * 5]
    assert good[2].history == ("go right", "go left")
    assert good[0].observation == "you are in the line 1."
    assert [(e.action, e.origin) for e in bad] == [("go left", "bad.mcap, turn 2")]


NOTHING = np.zeros((1, 2))
BELIEF = Belief(("apple",), ("apple",), (True,), (None,), ("fridge_1", "sofa_1"), NOTHING + 0.5, NOTHING + 0.5,
                np.zeros(2, bool), np.zeros((1, 2), bool), np.zeros((1, 2), bool))


class Believer(Walker):
    """Goes right, unless the operator has edited its belief."""

    shows, edits = frozenset({Belief, Plan}), frozenset({Belief})

    def plan(self, observation: Observation) -> Thought:
        yield BELIEF
        yield Plan((RIGHT,))
        yield Plan((LEFT if self.edited else RIGHT,))
        return Decision(LEFT if self.edited else RIGHT, "")

    def accept(self, facet: Facet) -> None:
        self.edited = 1


def test_a_corrected_belief_gives_the_action_it_led_to(tmp_path: Path) -> None:
    run, ear = session(Believer(), steps=4)
    recorder = recorder_of(tmp_path / "a.mcap", run, [])
    ear.when(lambda e: isinstance(e.what, Shown) and isinstance(e.what.facet, Plan) and e.turn == 2, Edit(BELIEF, "seen"))
    run.run()
    recorder.close()
    with open_recording(tmp_path / "a.mcap", CODEC) as recording:
        assert [(e.action, e.instead_of, e.history, e.origin) for e in examples_of(recording)] == [
            ("go left", "go right", ("go right",), "a.mcap, turn 2")]
        assert example_of(recording, Moment(0, 2)) == next(examples_of(recording))
        with pytest.raises(DataError, match="turn 3 is no example: correct its action or the belief behind it"):
            example_of(recording, Moment(0, 3))


def test_an_override_names_the_planned_action_that_it_replaced() -> None:
    run, ear = session(Believer(), steps=4)
    ear.when(lambda e: isinstance(e.what, Shown) and isinstance(e.what.facet, Plan) and e.turn == 2, Override(LEFT))
    run.run()
    assert [(d.action, d.instead_of) for d in ear.of(Decided) if d.by == "operator"] == [(LEFT, RIGHT)]


def test_the_history_of_an_example_is_that_of_its_own_branch(tmp_path: Path) -> None:
    run, ear = session(steps=4)
    recorder = recorder_of(tmp_path / "a.mcap", run, [])
    ear.when(lambda e: isinstance(e.what, TurnBegan) and e.turn == 4, Fork(2))
    ear.when(lambda e: isinstance(e.what, TurnBegan) and (e.branch, e.turn) == (1, 2), Override(LEFT))
    ear.when(lambda e: isinstance(e.what, TurnBegan) and (e.branch, e.turn) == (1, 4), Override(LEFT))
    ear.when(lambda e: isinstance(e.what, Acted) and (e.branch, e.turn) == (1, 4), Switch(0))
    run.run()
    recorder.close()
    with open_recording(tmp_path / "a.mcap", CODEC) as recording:
        corrected = [(e.origin, e.history) for e in examples_of(recording) if e.action == "go left"]
    assert corrected == [("a.mcap, turn 2", ("go right",)), ("a.mcap, turn 4", ("go right", "go left", "go right"))]


def test_they_are_kept_once_listed_found_and_removed(tmp_path: Path) -> None:
    one = Example("Put one apple inside the fridge", (), "…", "grab apple_1", origin="a.mcap, turn 1")
    two = Example("Put two plates in the dishwasher", (), "…", "grab plate_1")
    fix = Example("Put apples on the table", ("open fridge_1",), "…", "grab apple_2", "walk sofa_1")
    kept = ExampleSet(tmp_path)
    assert [e.id for e in kept.add([one, two, one, fix])] == [1, 2, 3]
    assert kept.add([two]) == ()
    again = ExampleSet(tmp_path)
    assert list(again) == list(kept)
    assert [e.action for e in again.like("put an apple in the fridge")] == ["grab apple_1", "grab apple_2"]
    assert again.like("put an apple in the fridge", but="a.mcap")[0].action == "grab apple_2"
    assert again.like("juggle") == ()
    again.remove(2)
    assert [e.id for e in ExampleSet(tmp_path)] == [1, 3]
    with pytest.raises(DataError, match="no example 2"):
        again.remove(2)


def test_what_two_windows_add_and_remove_is_all_kept(tmp_path: Path) -> None:
    one, two = ExampleSet(tmp_path), ExampleSet(tmp_path)
    one.add([Example("Put one apple inside the fridge", (), "…", "grab apple_1")])
    two.add([Example("Put two plates in the dishwasher", (), "…", "grab plate_1")])
    assert [e.id for e in ExampleSet(tmp_path)] == [e.id for e in two] == [1, 2]
    one.remove(2)
    with full_disk(10), pytest.raises(DataError, match=r"cannot write .*examples\.json"):
        two.remove(1)
    assert [e.id for e in ExampleSet(tmp_path)] == [1]


class Meanings:
    """An embedder that knows one meaning: fruit."""

    def encode(self, texts: Sequence[str]) -> Vectors:
        return np.array([(1.0, 0.0) if "apple" in t or "peach" in t else (0.6, 0.8) for t in texts], np.float32)


def decided(setup: Setup, path: Path | None = None) -> list[Action | None]:
    """Returns the actions of a run; records it if there is a path."""
    run = Session(setup)
    ear = Ear(run)
    recorder = None if path is None else Recorder(path, lambda said: None, limits=PATIENT)
    if recorder is not None:
        run.follow(recorder.on_event)
    ear.when(lambda e: isinstance(e.what, Failed) and e.what.waits, Stop())
    run.run()
    if recorder is not None:
        recorder.close()
    assert not ear.of(Failed)
    return [e.what.action for e in ear.events if isinstance(e.what, Decided)]


def test_a_run_with_examples_chosen_by_meaning_is_repeated_without_the_embeddings(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ExampleSet(tmp_path).add([Example("Put one peach away", (), "you are in the hall 1.", "walk fridge_1"),
                              Example("Put one book inside the box", (), "you are in the hall 1.", "walk box_1")])
    request = Request(planner="llm-mcts", task="Put one apple inside the fridge", examples=tmp_path, max_steps=4,
                      parameters={"simulations": "20", "examples": "1"})
    monkeypatch.setattr("core.app.launch.installed", Meanings)
    done = decided(build(request, simulator_class), tmp_path / "a.mcap")
    with open_recording(tmp_path / "a.mcap") as recording:
        calls = list(recording.snapshot_at().calls)
        answers = replay_of(recording)
    chosen = next(c for c in calls if c.ask.purpose == "examples")
    assert chosen.reply is not None
    assert (chosen.reply.source, chosen.reply.texts) == ("sentence embeddings", ("Put one peach away",)), "seen among the calls"
    prompt = next(c for c in calls if c.ask.purpose == "policy").ask.messages[0].content
    assert "Put one peach away" in prompt
    assert "book inside the box" not in prompt, "which words alone would have told"
    monkeypatch.setattr("core.app.launch.installed", lambda: None)
    setup = build(request, simulator_class)
    assert decided(replace(setup, models={"replay": assembled(answers, embedder=None)})) == done


DAMAGED = ["", "[]", '{"format": 1, "examples": [1]}', '{"format": 2}', '{"format": 1, "examples": [{"id": 1}]}',
           r'{"\ud800": 1}', r'{"format": 1, "examples": [{"\udfff": 1}]}']


@pytest.mark.parametrize("text", DAMAGED)
def test_a_damaged_set_is_refused_in_a_line(tmp_path: Path, text: str) -> None:
    (tmp_path / "examples.json").write_text(text)
    with pytest.raises(DataError) as caught:
        ExampleSet(tmp_path)
    assert "\n" not in str(caught.value)
    assert (tmp_path / "examples.json").read_text() == text


def test_each_recording_gives_one_before_any_gives_a_second() -> None:
    task = "Put one apple inside the fridge"
    known = [Example(task, (), "…", f"a {k}", origin=f"a.mcap, turn {k}", id=k) for k in range(1, 5)]
    known += [Example(task, (), "…", "b 1", origin="b.mcap, turn 1", id=9),
              Example(task, (), "…", "c 1", "d 1", origin="c.mcap, turn 7", id=12)]
    assert [e.action for e in alike(known, task, 3)] == ["c 1", "a 1", "b 1"]
    assert alike(known, task, 0) == ()
    assert [e.id for e in alike(known, task, 99)] == [12, 1, 9, 2, 3, 4]


def test_a_terminal_obeys_nothing_that_an_example_holds(capsys: pytest.CaptureFixture[str]) -> None:
    ExampleSet().add([Example("wipe\x1b[2J\u202e", (), "", "walk a\x07", origin="\x1b]0;x\x07")])
    assert main(["examples", "list"]) == 0
    assert capsys.readouterr().out.removesuffix("\n").isprintable()


def test_the_command_adds_lists_and_removes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "run.mcap"
    flags = ["--planner", "greedy", "--task", "Put one toothbrush on the bed", "--seed", "3"]
    assert main(["run", *flags, "--record", str(path), "--no-pictures"]) == 0
    capsys.readouterr()
    assert main(["examples", "list"]) == 0
    assert "no examples are kept" in capsys.readouterr().out
    assert main(["examples", "add", str(path), "--turn", "1", "--turn", "2"]) == 0
    assert "2 new of 2; 2 are kept" in capsys.readouterr().out
    assert main(["examples", "add", str(path)]) == 0
    assert main(["examples", "remove", "1", "2"]) == 0
    capsys.readouterr()
    assert main(["examples", "list"]) == 0
    assert "Put one toothbrush on the bed: " in capsys.readouterr().out
    assert main(["examples", "remove", "1"]) == 2
    assert "no example 1" in capsys.readouterr().err
