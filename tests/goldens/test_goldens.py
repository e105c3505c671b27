"""What a run emits and what a recording gives are as they were: only a change that says what it changes writes them anew.

`python -m tests.goldens.streams --write`, `python -m tests.goldens.files --write`.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from core.recording.codec import Codec
from core.recording.keyframes import VERSION
from core.recording.mcap_messages import READ_FORMATS
from core.recording.reader import open_recording
from tests.goldens import files, streams
from tests.long_tests import either

ALL = list(streams.streams())
SOME = [stream for k, stream in enumerate(ALL) if k % 7 == 0]  # each planner, each scene, each seed


@pytest.mark.parametrize("stream", either(SOME, ALL), ids=str)
def test_a_run_emits_what_it_did(stream: streams.Stream) -> None:
    assert not streams.first_difference(streams.recorded()[str(stream)], streams.digest(stream.events(), Codec()))


@pytest.mark.parametrize("path", files.recordings(), ids=lambda path: path.stem)
def test_a_recording_gives_what_it_did(path: Path, tmp_path: Path) -> None:
    assert dict(files.digests(path, tmp_path, Codec())) == files.recorded()[path.name]


@pytest.mark.parametrize("number", READ_FORMATS)
def test_a_recording_of_each_format_is_kept_and_read_whole(number: str) -> None:
    kept = [path for path in files.recordings() if path.name.startswith(f"format-{number}-")]
    assert kept
    for path in kept:
        with open_recording(path, Codec()) as recording:
            recording.check()
            assert (recording.metadata["format"], recording.notice) == (number, "")


def test_keyframes_are_what_the_events_fold_to() -> None:
    """If this fails because `fold` has changed, `core.recording.keyframes.VERSION` has to change, too."""
    with open_recording(files.FOLDER / f"format-3-keyframes-{VERSION}.mcap", Codec()) as recording:
        assert len(recording._catalogue.keyframes) == recording.count("TurnBegan") + 1
        restored = [files.plain(recording.snapshot_at(number)) for number in recording.numbers[::3]]
        recording._catalogue.keyframes.clear()
        recording._index = None
        assert restored == [files.plain(recording.snapshot_at(number)) for number in recording.numbers[::3]]


def test_keyframes_of_another_version_are_left_out_and_the_events_folded() -> None:
    with open_recording(files.FOLDER / "format-3-keyframes.mcap", Codec()) as recording:
        assert not recording._catalogue.keyframes
        recording.check()
        assert not recording.damage
        assert recording.snapshot_at().turns


def test_a_run_that_differs_is_noticed() -> None:
    stream = next(one for one in ALL if one.planner == "greedy")
    other = streams.Stream(stream.planner, stream.world, stream.scene, stream.seed + 1)
    told = streams.digest(other.events(), Codec())
    assert streams.first_difference(streams.recorded()[str(stream)], told).startswith("turn 0")
