"""A summary says what the whole recording says, reads only a part of it, and never fails on a file."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest

from core.library.entry import Entry
from core.library.summary import Summary, file_state, summarise
from core.planning.facets import Moment
from core.recording.annotations import Annotation, append
from core.recording.files import Disk
from core.recording.reader import open_recording
from core.session import commands as c
from core.session.annotation import Change
from core.session.events import Ended, Event, TurnBegan
from core.session.run_summary import summary_of
from core.session.snapshot import fold_all
from tests.core.library.common import pictured
from tests.core.recording.common import CODEC, recorded
from tests.core.recording.damages import damaged
from tests.core.session.toys import GOAL, Ear

RUNS: dict[str, tuple[c.Command, ...]] = {
    "played": (), "stopped": (c.Stop(),), "labelled": (c.Annotate("stuck", "at the door"),),
    "another goal": (c.SetGoal(replace(GOAL, text="Walk to the window")),), "fewer steps": (c.SetSteps(2),),
}


def forks(ear: Ear) -> None:
    """Lets the run fork from its third turn when it begins its fourth."""
    ear.when(lambda event: isinstance(event.what, TurnBegan) and event.moment == Moment(0, 4), c.Fork(3))


def read(path: Path) -> Summary:
    return summarise(path, file_state(path), CODEC)


@pytest.mark.parametrize("name", [*RUNS, "forked"])
def test_an_entry_agrees_with_the_events(name: str, tmp_path: Path) -> None:
    path = tmp_path / "run.mcap"
    folded = summary_of(fold_all(recorded(path, *RUNS.get(name, ()), cue=forks if name == "forked" else None)))
    entry = read(path).entry
    with open_recording(path, CODEC) as recording:
        end = recording.snapshot_at()
    assert (entry.planner, entry.world, entry.scene, entry.seed, entry.goal) == (
        folded.planner, folded.simulator, folded.scene, folded.seed, folded.goal)
    assert (entry.turns, entry.branches, entry.interventions, entry.outcome) == (
        folded.length, folded.branches, folded.acts, folded.outcome)
    assert (entry.result == "reached") == end.outcome.success
    assert entry.turns == len(end.line), "the banner at the end counts the same turns"
    assert (entry.branches, entry.turns < len(end.turns)) == ((2, True) if name == "forked" else (1, False))
    assert (entry.calls, entry.tokens) == (end.model_calls, end.tokens_in + end.tokens_out)
    assert (entry.state, entry.problem, entry.named) == ("ok", "", True)
    assert entry.date
    assert entry.day == entry.date[:10]


def test_texts_and_labels_are_found(tmp_path: Path) -> None:
    path = tmp_path / "run.mcap"
    recorded(path, *RUNS["labelled"], *RUNS["another goal"])
    append(path, Change(None, Annotation("ann 1", "better", 1.0, note="Küche", annotator="ann", rating=2, better="go left")))
    summary = read(path)
    assert summary.entry.labels == ("better", "stuck")
    assert (summary.entry.ratings, summary.entry.annotators, summary.entry.rating) == ((2,), ("ann",), 2.0)
    assert {"door", "küche", "left"} <= set(summary.words.notes.split())
    assert "right" in summary.words.replies.split()
    assert "window" in summary.words.goal.split()
    assert summary.words.prompts
    assert {"stuck", "ann"} <= set(summary.words.notes.split())
    assert {"walker", "run"} <= set(summary.words.about.split())


def test_the_last_picture_is_kept_small(source: Path, tmp_path: Path) -> None:
    assert read(source).thumbnail.startswith(b"\xff\xd8")
    assert read(pictured(tmp_path / "blind.mcap", pictures=False)).thumbnail == b""


def test_prices_make_a_cost(tmp_path: Path) -> None:
    from core.llm.budget import Budget, Price
    from tests.core.recording.common import recorder_of
    from tests.core.session.toys import session

    run, _ = session()
    run.setup = replace(run.setup, budget=Budget(prices={"guide": Price(1e6, 2e6)}))
    recorder = recorder_of(tmp_path / "run.mcap", run, [])
    run.run()
    recorder.close()
    entry = read(tmp_path / "run.mcap").entry
    with open_recording(tmp_path / "run.mcap", CODEC) as recording:
        end = recording.snapshot_at()
    assert entry.cost == end.tokens_in + 2 * end.tokens_out


def test_a_file_that_is_cut_off_or_being_written_says_so(source: Path, tmp_path: Path) -> None:
    data = source.read_bytes()
    (tmp_path / "cut.mcap").write_bytes(data[:-200])
    cut = read(tmp_path / "cut.mcap").entry
    assert (cut.state, cut.turns) == ("damaged", read(source).entry.turns)
    assert "cut off" in cut.problem or "cannot be read" in cut.problem
    disk = Disk(tmp_path / "now.mcap")
    disk.append(memoryview(data[:-200]))
    assert read(tmp_path / "now.mcap").entry.state == "recording"
    disk.close()
    assert read(tmp_path / "now.mcap").entry.state == "damaged"
    (tmp_path / "empty.mcap").touch()
    empty = read(tmp_path / "empty.mcap").entry
    assert (empty.state, empty.problem) == ("damaged", "empty.mcap is empty: nothing was recorded in it")


def test_a_run_that_went_on_after_it_reached_the_goal_is_under_way(tmp_path: Path) -> None:
    path, found = tmp_path / "run.mcap", list[Entry]()

    def look(ear: Ear) -> None:
        def hear(event: Event) -> None:
            if isinstance(event.what, TurnBegan) and event.moment == Moment(1, 4):
                found.append(read(path).entry)
                ear.session.post(c.Stop())

        ear.when(lambda event: isinstance(event.what, Ended) and event.branch == 0, c.Fork(2))
        ear.session.subscribe(hear)

    recorded(path, cue=look, linger=True)
    (entry,) = found
    assert (entry.state, entry.result, entry.outcome) == ("recording", "unfinished", "under way")
    assert read(path).entry.result == "reached", "what was reached stays reached once the run is over"


def test_an_autosave_is_known_by_its_name(source: Path, tmp_path: Path) -> None:
    hidden = tmp_path / ".unrecorded 1-2.mcap"
    hidden.write_bytes(source.read_bytes())
    assert not read(hidden).entry.named


@pytest.mark.parametrize("seed", range(80))
def test_no_damage_makes_it_fail(seed: int, source: Path, tmp_path: Path) -> None:
    kind, data = damaged(source, random.Random(seed), slow=False)
    path = tmp_path / "odd.mcap"
    path.write_bytes(data)
    summary = read(path)
    assert summary.entry.state in ("ok", "damaged"), kind
    assert (summary.entry.state == "ok") == (not summary.entry.problem), kind
    assert path.read_bytes() == data, "a recording is never changed by reading it"


def test_damaged_labels_are_reported(source: Path, tmp_path: Path) -> None:
    path = tmp_path / "run.mcap"
    path.write_bytes(source.read_bytes())
    path.with_name("run.mcap.annotations.jsonl").write_text("nothing\n")
    entry = read(path).entry
    assert (entry.state, entry.turns > 0) == ("damaged", True)
    assert "1 line left out" in entry.problem


