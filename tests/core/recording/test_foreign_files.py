"""Recordings that another program wrote again: read with the same turns, or refused in a line; never changed by reading."""

from __future__ import annotations

import io
import os
import struct
import sys
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
import zstandard
from mcap.writer import CompressionType, IndexType, Writer

from core.common.errors import DataError
from core.recording.container import MAGIC, Container
from core.recording.reader import open_recording
from core.recording.recovery import recover
from core.session.camera import BOTH
from tests.core.recording.common import CODEC, lines, recorded
from tests.core.recording.foreign import VALUES, Manner, foreign
from tests.core.recording.test_lerobot import recorded as pictured
from tests.long_tests import either
from tests.pairwise import every_pair

RANDOM = either(6, 200)
Seen = tuple[list[str], list[tuple[int, bytes]], str]


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns a recording with pictures."""
    return pictured(tmp_path_factory.mktemp("foreign") / "a.mcap")


@pytest.fixture(scope="module")
def whole(source: Path) -> Seen:
    """Returns what is in it."""
    return seen(source)


def seen(path: Path) -> Seen:
    """Returns the events and pictures of a recording, and the run's identity. Nothing may be missing, and nothing changed."""
    before, about = path.read_bytes(), path.stat()
    with open_recording(path, CODEC) as recording:
        recording.snapshot_at()
        assert recording.notice == ""
        assert recording.metadata["goal"] == "Walk to 5"
        pictures = [picture for view in BOTH for picture in recording.jpegs(view)]
        found = lines(list(recording.events())), pictures, recording.identity
    assert path.read_bytes() == before
    assert path.stat().st_mtime_ns == about.st_mtime_ns
    return found


def check(source: Path, whole: Seen, manner: Manner, path: Path, random: Random | None = None) -> None:
    """Compares a recording with what another program makes of it."""
    path.write_bytes(foreign(source, manner, random))
    if manner.ends:
        found = seen(path)
        assert found[:2] == whole[:2], manner
        assert found[2] == whole[2] or manner.metadata == "nowhere"
        assert recover(path, codec=CODEC).saved is None
        return
    number, said = beginning(path)
    assert number <= len(whole[0])
    assert not number or "cut off" in said


def beginning(path: Path) -> tuple[int, str]:
    """Returns how many events can be read of a file that is cut off, without a gap, and what is said about it in a line."""
    data = path.read_bytes()
    try:
        with open_recording(path, CODEC) as recording:
            found, said = [event.number for event in recording.events()], recording.notice
    except DataError as error:
        found, said = [], str(error)
    assert found == list(range(len(found)))
    assert said
    assert "\n" not in said
    assert path.read_bytes() == data
    return len(found), said


def test_every_pair_of_a_writers_options_is_read_with_the_same_turns(source: Path, whole: Seen, tmp_path: Path) -> None:
    given = {name: values for name, values in VALUES.items() if name != "ends"}
    for number, row in enumerate(every_pair(*given.values())):
        check(source, whole, Manner(**dict(zip(given, row, strict=True))), tmp_path / f"{number}.mcap")


@pytest.mark.parametrize("seed", range(RANDOM))
def test_options_drawn_at_random_are_read_or_cut_off(seed: int, source: Path, whole: Seen, tmp_path: Path) -> None:
    random = Random(seed)
    manner = Manner(**{name: random.choice(values) for name, values in VALUES.items()})
    order = manner.order if manner.ends else "kept"
    check(source, whole, replace(manner, order=order, copies=manner.copies if manner.ends else 1), tmp_path / "b.mcap", random)


@pytest.mark.parametrize("manner", [Manner(), Manner(chunked=False, index=IndexType.NONE, repeated=False)])
def test_a_foreign_file_cut_anywhere_is_read_or_refused_in_a_line(manner: Manner, source: Path, tmp_path: Path) -> None:
    data, most = foreign(source, manner), 0
    for cut in Random(3).sample(range(1, len(data)), either(12, 200)):
        path = tmp_path / f"{cut}.mcap"
        path.write_bytes(data[:cut])
        number, _ = beginning(path)
        most = max(most, number)
        if number:
            saved = recover(path, codec=CODEC).saved
            assert saved is not None
            with open_recording(saved, CODEC) as recording:
                assert (len(recording), recording.damage) == (number, "")
    assert most, "something is read"


def test_zstd_frames_that_do_not_tell_their_size_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The writers of Go and Rust compress chunks as streams."""
    compress = zstandard.ZstdCompressor(write_content_size=False).compress
    monkeypatch.setattr("core.recording.container.zstandard.ZstdCompressor",
                        lambda level: type("Streaming", (), {"compress": staticmethod(compress)}))
    events = recorded(tmp_path / "a.mcap")
    monkeypatch.undo()
    assert seen(tmp_path / "a.mcap")[0] == lines(events)


def test_records_of_a_programs_own_kind_are_skipped(source: Path, whole: Seen, tmp_path: Path) -> None:
    data = foreign(source, Manner(index=IndexType.NONE, repeated=False))
    header = len(MAGIC) + 9 + struct.unpack_from("<Q", data, len(MAGIC) + 1)[0]
    path = tmp_path / "b.mcap"
    path.write_bytes(data[:header] + struct.pack("<BQ", 0x90, 7) + bytes(7) + data[header:])
    assert seen(path) == whole


def test_a_damaged_picture_is_black_and_named_with_its_turn(source: Path, tmp_path: Path) -> None:
    path = tmp_path / "b.mcap"
    data = foreign(source, Manner(chunked=False, crcs=False, compression=CompressionType.NONE))
    at = data.index(b"\xff\xd8\xff")  # a JPEG; before it are the numbers of its protobuf field
    path.write_bytes(data[:at - 8] + b"\xff" * 8 + data[at:])
    with open_recording(path, CODEC) as recording, open_recording(source, CODEC) as before:
        assert len(list(recording.events())) == len(list(before.events()))
        assert "1 value cannot be read: a picture, turn 1 (a damaged picture" in recording.notice


def test_two_runs_in_one_file_are_refused_in_a_line(source: Path, tmp_path: Path) -> None:
    recorded(tmp_path / "b.mcap")
    out = io.BytesIO()
    writer = Writer(out, compression=CompressionType.LZ4)
    writer.start("", "a merger")
    for path in (source, tmp_path / "b.mcap"):
        channel = writer.register_channel("/events/began", "json", 0)
        with open_recording(path, CODEC) as recording:
            for text in recording.raw("Began", "Acted"):
                writer.add_message(channel, 0, text, 0)
    writer.finish()  # type: ignore[no-untyped-call]
    (tmp_path / "both.mcap").write_bytes(out.getvalue())
    with pytest.raises(DataError, match=r"^both.mcap holds several runs, .*: give the recording of one run$"):
        open_recording(tmp_path / "both.mcap", CODEC)


@pytest.mark.parametrize("by", ["", "another program"])
def test_a_file_without_events_of_ours_is_not_ours(by: str, tmp_path: Path) -> None:
    path = tmp_path / "b.mcap"
    with path.open("wb") as file:
        writer = Writer(file)
        writer.start("", by)
        writer.add_message(writer.register_channel("/x", "json", 0), 0, b"{}", 0)
        writer.finish()  # type: ignore[no-untyped-call]
    with pytest.raises(DataError, match="is an MCAP file, but was not recorded by Belvedere"):
        open_recording(path, CODEC)


def test_a_compression_that_the_format_does_not_know_is_named(tmp_path: Path) -> None:
    path, out = tmp_path / "b.mcap", io.BytesIO()
    file = Container(out)
    file.start("belvedere", "another program")
    file.message(file.channel("/events/began", "json", 0), 0, 0, 0, b"{}")
    file.finish()
    path.write_bytes(out.getvalue().replace(b"zstd", b"lzma", 1))
    with pytest.raises(DataError, match="compressed as 'lzma', which MCAP files are not"):
        open_recording(path, CODEC)


@pytest.mark.skipif(sys.platform == "win32", reason="pipes with a name")
def test_a_pipe_with_the_name_of_a_recording_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.mcap")
    with pytest.raises(DataError, match=r"a\.mcap: it is a pipe, not a file$"):
        open_recording(tmp_path / "a.mcap", CODEC)
