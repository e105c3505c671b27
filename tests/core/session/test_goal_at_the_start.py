"""A run whose goal holds at the start: it has a scene, pictures, a recording and no step."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import main
from core.planning.facets import Moment
from core.recording.exports import export
from core.recording.reader import open_recording
from core.session import commands as c
from core.session import events as e
from core.session.snapshot import fold_all
from tests.core.session.toys import Line, Walker, session


class There(Line):
    """A walker that stands at the goal at the start."""

    def reset(self, seed: int) -> object:  # type: ignore[override]
        super().reset(seed)
        self.place = 5
        return self.observe()


def test_its_turn_begins_and_what_arrived_is_executed_before_it_ends() -> None:
    run, ear = session(Walker(), There)
    run.post(c.KeepPictures(("first person",)))
    assert run.run() == e.Ended(True, "goal reached", ear.of(e.TurnBegan)[0].progress)
    end = fold_all(ear.events)
    assert (end.turn, end.status, len(end.line)) == (1, "ended", 0)
    assert end.seen == ear.of(e.TurnBegan)[0].seen
    assert end.frames["first person"].moment == Moment(0, 1)
    assert not ear.of(e.Acted)
    assert not ear.of(e.Decided)


def test_it_can_be_stopped_by_a_listener_that_answers_each_command() -> None:
    """What follows an interrupt is left in the inbox: handling it there would go on for as long as somebody posts commands."""
    run, ear = session(Walker(), There)
    answers = [c.Stop("enough")] * 20

    def answer(event: e.Event) -> None:
        if isinstance(event.what, e.CommandTaken) and answers:
            run.post(answers.pop())

    run.subscribe(answer)
    run.post(c.Pause())
    assert run.run().success
    assert len(answers) == 18, "the Pause and the first Stop are executed, what follows is not"
    assert len(ear.of(e.Ended)) == 1


@pytest.mark.parametrize("planner", ["oracle", "bcr", "llm-mcts"])
def test_the_command_line_records_it_with_its_pictures(planner: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                                                       capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("BELVEDERE_RENDERER", "2d")
    path = tmp_path / "a.mcap"
    assert main.main(["run", "--planner", planner, "--scene", "four-rooms-1", "--seed", "3", "--task",
                      "Put one apple inside the fridge", "--record", str(path), "--json"]) == 0
    value = json.loads(capsys.readouterr().out)
    assert (value["success"], value["steps"], value["actions"]) == (True, 0, [])
    with open_recording(path) as recording:
        assert not recording.notice
        assert [(turn.branch, turn.number) for turn in recording.turns()] == [(0, 1)]
        for view in ("first person", "dollhouse"):
            assert recording.picture_rows.of(view, Moment(0, 1)) is not None
        assert (seen := recording.snapshot_at().seen) is not None
        assert seen.entities
    for form in ("jsonl", "csv", "html", "link"):
        assert export(path, form, tmp_path / form).exists()
