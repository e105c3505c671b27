"""The plan of a batch: its episodes and their names, its file, and which recordings are complete."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.app.batch import PLAN, BatchPlan, is_complete, make_room, read_plan, seeds_of, write_plan
from core.app.run_request import Request
from core.common.errors import DataError, UsageError
from core.llm.budget import Limits, Price
from core.recording.files import sidecar
from core.session.commands import Stop
from core.session.events import TurnBegan
from core.session.pace import Pace
from tests.core.recording.common import recorded
from tests.full_disk import full_disk

BASE = Request("walker", "quick", {"looks": 2}, "line", "line", {"extra": "yes"}, "guide", {"base_url": "http://h/v1"},
               max_steps=7, limits=Limits(calls=3, cost=0.5), prices={"any": Price(1.0, 2.0)}, task="Walk to 5", goal="formal")
PLAN_OF_8 = BatchPlan(("walker:quick", "runner"), ("line", "a/b: c.json"), ("Walk to 5",), (0, 7), BASE, Pace("hold", 2.0))


def test_episodes_are_all_combinations_with_telling_names() -> None:
    episodes = PLAN_OF_8.episodes
    assert len(episodes) == PLAN_OF_8.count == 8
    assert [one.number for one in episodes] == list(range(1, 9))
    assert [one.name for one in episodes][:3] == [
        "001 walker-quick line Walk-to-5 seed-0", "002 runner line Walk-to-5 seed-0", "003 walker-quick line Walk-to-5 seed-7"]
    assert all("/" not in one.name and ":" not in one.name for one in episodes)
    first, second = episodes[0].request, episodes[1].request
    assert (first.planner, first.preset, dict(first.parameters)) == ("walker", "quick", {"looks": 2})
    assert (second.planner, second.preset, dict(second.parameters)) == ("runner", "", {}), "parameters are of one planner"
    assert first.goal == "formal"
    assert BatchPlan(("walker",), ("line",), ("Other",), (0,), BASE).episodes[0].request.goal == ""


def test_a_plan_is_kept_whole_and_never_overwritten(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "batch"
    write_plan(PLAN_OF_8, folder)
    assert read_plan(folder) == PLAN_OF_8
    assert read_plan(folder).episodes == PLAN_OF_8.episodes
    with pytest.raises(DataError, match="holds a batch already"):
        write_plan(replace(PLAN_OF_8, seeds=(1,)), folder)
    assert read_plan(folder) == PLAN_OF_8


@pytest.mark.parametrize("change", [
    {"format": "other"}, {"planners": "walker"}, {"planners": []}, {"seeds": [-1]}, {"seeds": [True]}, {"pace": "fast"},
    {"pace": "hold nan"}, {"tasks": [3]}, {"world": []}, {"model": {"a": []}}, {"limits": {"calls": "9"}},
    {"prices": {"any": [1.0]}}, {"prices": {"any": [1.0, 2.0, 3.0]}}, {"max_steps": 0}, {"seeds": list(range(9_999))}])
def test_a_damaged_plan_is_refused_in_one_line(tmp_path: Path, change: dict[str, object]) -> None:
    write_plan(PLAN_OF_8, tmp_path)
    path = tmp_path / PLAN
    path.write_text(json.dumps({**json.loads(path.read_text("utf-8")), **change}), encoding="utf-8")
    with pytest.raises(DataError) as refused:
        read_plan(tmp_path)
    assert "\n" not in str(refused.value)


@given(st.lists(st.integers(0, 10**9 - 1), unique=True, max_size=20))
def test_seeds_are_read_as_they_are_written(seeds: list[int]) -> None:
    assert seeds_of(", ".join(map(str, seeds))) == tuple(seeds)


def test_ranges_of_seeds_are_joined() -> None:
    assert seeds_of(" 0-3, 2 – 4,9 ,") == (0, 1, 2, 3, 4, 9)
    for wrong in ("4-2", "a", "1;2", "-1", "0-99999", "1 2"):
        with pytest.raises(UsageError):
            seeds_of(wrong)


def test_only_an_episode_that_came_to_its_end_is_complete(tmp_path: Path) -> None:
    whole, stopped, cut = (tmp_path / f"{name}.mcap" for name in ("whole", "stopped", "cut"))
    recorded(whole)
    recorded(stopped, cue=lambda ear: ear.when(lambda event: isinstance(event.what, TurnBegan) and event.turn == 2, Stop()))
    cut.write_bytes(whole.read_bytes()[:-200])
    assert [is_complete(path) for path in (whole, stopped, cut, tmp_path / "none.mcap")] == [True, False, False, False]


def test_an_incomplete_recording_and_its_labels_are_set_aside(tmp_path: Path) -> None:
    path = tmp_path / "001 walker.mcap"
    for text in ("first", "second"):
        path.write_text(text, encoding="utf-8")
        sidecar(path).write_text(f"labels of {text}", encoding="utf-8")
        make_room(path)
        assert not path.exists()
    aside = [tmp_path / "cut off" / f"001 walker{more}.mcap" for more in ("", " 2")]
    assert [one.read_text("utf-8") for one in aside] == ["first", "second"]
    assert [sidecar(one).read_text("utf-8") for one in aside] == ["labels of first", "labels of second"]
    make_room(path)


def test_a_kill_between_a_recording_and_its_labels_parts_them_for_no_longer_than_the_next_try(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, move, left = tmp_path / "001 walker.mcap", shutil.move, iter((True,))

    def killed(old: Path, new: Path) -> None:
        if next(left, None) is None:
            raise KeyboardInterrupt
        move(old, new)

    path.write_text("recording", encoding="utf-8")
    sidecar(path).write_text("labels", encoding="utf-8")
    with monkeypatch.context() as killing:
        killing.setattr(shutil, "move", killed)
        with pytest.raises(KeyboardInterrupt):
            make_room(path)
    make_room(path)
    aside = tmp_path / "cut off" / path.name
    assert (aside.read_text("utf-8"), sidecar(aside).read_text("utf-8")) == ("recording", "labels")


def test_a_plan_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    with full_disk(100), pytest.raises(DataError, match=f"cannot write {tmp_path / PLAN}"):
        write_plan(PLAN_OF_8, tmp_path)
    assert list(tmp_path.iterdir()) == []
    write_plan(PLAN_OF_8, tmp_path)
    assert read_plan(tmp_path).count == 8
