"""Runs are recorded, read, sought and exported."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import av
import numpy as np
import numpy.typing as npt
import pytest
from PIL import Image
from pyarrow import parquet

from core.planning.facets import Frame
from core.recording.codec import Codec
from core.recording.exports import EXPORTS
from core.recording.reader import open_recording
from core.session.events import Event, Shown
from core.session.snapshot import Snapshot, fold
from main import main


def events_of(path: Path) -> list[Event]:
    with open_recording(path, Codec()) as recording:
        return list(recording.events())


def test_each_planner_plays_and_its_recording_comes_back_exactly(recording_of_each: Path) -> None:
    codec, events = Codec(), events_of(recording_of_each)
    assert {"TurnBegan", "Acted", "Ended"} <= {type(event.what).__name__ for event in events}
    for event in events:
        assert codec.encode(codec.loads(codec.encode(event), Event)) == codec.encode(event)


def test_any_moment_can_be_sought(pictured: Path) -> None:
    events, snapshot = events_of(pictured), Snapshot()
    with open_recording(pictured, Codec()) as recording:
        for event in events:
            snapshot = fold(snapshot, event)
            found = recording.snapshot_at(event.number)
            assert (found.event, found.turn, found.status, found.seen) == (
                snapshot.event, snapshot.turn, snapshot.status, snapshot.seen)
        assert set(recording.snapshot_at().frames) == {"first person", "dollhouse"}
        assert [turn.number for turn in recording.turns()] == [1, 2, 3]


def test_pictures_are_read_with_their_objects(pictured: Path) -> None:
    with open_recording(pictured, Codec()) as recording:
        assert recording.count("Frame") >= 6
        for event in recording.of_kind("Frame"):
            assert isinstance(event.what, Shown)
            assert isinstance(event.what.facet, Frame)
            ids = event.what.facet.ids
            assert ids is not None
            assert ids.shape == (480, 640)
            assert len(np.unique(ids)) > 3, "some objects are in sight"


@pytest.mark.parametrize("kind", [np.bool_, np.uint8, np.uint16, np.int32, np.int64, np.float32, np.float64])
def test_arrays_of_each_kind_of_number_come_back(kind: type) -> None:
    codec = Codec()
    array: npt.NDArray[Any] = np.arange(12).reshape(3, 4).astype(kind)
    back = codec.loads(codec.encode(array), npt.NDArray[kind])  # type: ignore[valid-type]
    assert back.dtype == array.dtype
    np.testing.assert_array_equal(back, array)


def check_jsonl(out: Path, turns: int) -> None:
    rows = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    assert len(rows) > turns


def check_csv(out: Path, turns: int) -> None:
    with out.open(encoding="utf-8", newline="") as file:
        assert len(list(csv.DictReader(file))) == turns


def check_mp4(out: Path, turns: int) -> None:
    with av.open(str(out)) as video:
        assert len(list(video.decode(video=0))) > turns


def check_lerobot(out: Path, turns: int) -> None:
    tables = [parquet.read_table(path) for path in out.glob("data/**/*.parquet")]
    assert sum(table.num_rows for table in tables) == turns


def check_otlp(out: Path, turns: int) -> None:
    assert "resourceSpans" in json.loads(out.read_text("utf-8").splitlines()[0])


CHECKS = {"jsonl": check_jsonl, "csv": check_csv, "mp4": check_mp4, "lerobot": check_lerobot, "otlp": check_otlp}


@pytest.mark.parametrize("form", EXPORTS)
def test_it_is_exported_in_each_form(form: str, pictured: Path, tmp_path: Path) -> None:
    out = tmp_path / f"out.{form}"
    assert main(["export", str(pictured), "--to", form, "--out", str(out)]) == 0
    size = sum(path.stat().st_size for path in (out.rglob("*") if out.is_dir() else [out]))
    assert size > 100 or form == "replies", "the oracle asks no model"
    if form in CHECKS:
        CHECKS[form](out, 3)


WRITTEN = ("TurnBegan", "Acted", "Decided", "Belief", "SearchTree", "Ranking", "Plan")


@pytest.mark.opens_all
def test_the_recordings_of_each_version_open_here_with_the_same_content(recordings: Path) -> None:
    """What is read is encoded to the very bytes that the other version wrote, so nothing is lost between them."""
    own, codec = sorted(path.name for path in recordings.glob("*.mcap")), Codec()
    folders = [path for path in recordings.parent.iterdir() if path.is_dir()]
    assert len(own) > 10
    assert recordings in folders
    for folder in folders:
        assert sorted(path.name for path in folder.glob("*.mcap")) == own
        for path in folder.glob("*.mcap"):
            with open_recording(path, codec) as recording:
                assert recording.snapshot_at().ended is not None
                read = [codec.encode(event) for event in recording.of_kind(*WRITTEN)]
                assert read == list(recording.raw(*WRITTEN))


@pytest.mark.opens_all
def test_the_pictures_of_each_version_are_read_here(recordings: Path) -> None:
    for path in recordings.parent.glob("*/oracle.mcap"):
        with open_recording(path, Codec()) as recording:
            frames = recording.snapshot_at().frames.values()
            assert [(*ids.shape, len(np.unique(ids)) > 3) for frame in frames if (ids := frame.ids) is not None] == [
                (480, 640, True)] * 2


def test_a_picture_is_a_picture(pictured: Path, tmp_path: Path) -> None:
    out = tmp_path / "cameras.png"
    assert main(["screenshot", "--cameras", "--planner", "oracle", "--seed", "1", "--turns", "1", "--out", str(out)]) == 0
    with Image.open(out) as picture:
        assert len(picture.convert("RGB").resize((160, 60)).getcolors(9600) or ()) > 100
