"""Files that are cut off, flipped, empty, foreign or claim a wrong size give one clear line, or what can be saved of them."""

from __future__ import annotations

import io
import random
import struct
import tracemalloc
import zlib
from pathlib import Path

import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mcap.reader import make_reader
from mcap.writer import Writer

from core.common.errors import DataError
from core.recording.annotations import Annotation, Change, append, read_annotations
from core.recording.container import MAGIC
from core.recording.keyframes import KEYFRAMES
from core.recording.reader import open_recording
from core.recording.recovery import recover
from core.recording.scan import MARK, MARK_AT
from core.session.events import Event
from tests.core.recording.common import CODEC, lines, recorded, recorder_of
from tests.core.recording.damages import rewritten
from tests.core.session.toys import session

MEMORY = 64 * 2**20


def tried(path: Path) -> tuple[list[str] | None, str]:
    """Returns the events that can be read, or the error message."""
    try:
        with open_recording(path, CODEC) as recording:
            recording.snapshot_at()
            return lines(list(recording.events())), recording.notice
    except DataError as error:
        return None, str(error)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, list[Event]]:
    """Returns a recording's bytes, and its events."""
    path = tmp_path_factory.mktemp("whole") / "whole.mcap"
    events = recorded(path, steps=30)
    return path.read_bytes(), events


def opened(path: Path) -> tuple[list[str], str]:
    """Returns the events that can be read, and the notice; in bounded memory."""
    tracemalloc.start()
    try:
        with open_recording(path, CODEC) as recording:
            found = lines(list(recording.events()))
            return found, recording.notice
    finally:
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < MEMORY


def one_line(path: Path) -> str:
    """Returns the error message about a file nothing can be read from."""
    with pytest.raises(DataError) as caught:
        opened(path)
    text = str(caught.value)
    assert "\n" not in text
    assert len(text) < 300
    return text


def test_a_whole_one_is_left_alone(tmp_path: Path, whole: tuple[bytes, list[Event]]) -> None:
    path = tmp_path / "a.mcap"
    path.write_bytes(whole[0])
    report = recover(path, codec=CODEC)
    assert (report.path, report.lost, report.saved, report.turns) == (path, "", None, 5)
    assert "is intact: 5 turns" in report.line
    assert path.read_bytes() == whole[0]
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("part", [0.3, 0.5, 0.7, 0.9, 0.99])
def test_a_truncated_one_gives_what_it_still_holds(tmp_path: Path, whole: tuple[bytes, list[Event]], part: float) -> None:
    path = tmp_path / "a.mcap"
    cut = whole[0][:int(len(whole[0]) * part)]
    path.write_bytes(cut)
    found, notice = opened(path)
    wanted = lines(whole[1])
    assert found == wanted[:len(found)]
    assert found
    assert "a.mcap is only partly there" in notice
    assert "cut off" in notice
    assert list(tmp_path.iterdir()) == [path], "reading makes no file"
    saved = recover(path, codec=CODEC).saved
    assert saved == tmp_path / "a recovered.mcap"
    assert path.read_bytes() == cut, "the original is as it was"
    with saved.open("rb") as file:
        topics = [c.topic for _, c, _ in make_reader(file).iter_messages() if c.message_encoding == "json"]
    assert len([topic for topic in topics if topic != KEYFRAMES]) == len(found)
    assert opened(saved) == (found, ""), "mended once and for all"


def test_what_is_saved_takes_no_other_files_place(tmp_path: Path, whole: tuple[bytes, list[Event]]) -> None:
    path = tmp_path / "a.mcap"
    (tmp_path / "a recovered.mcap").write_text("an earlier one")
    path.write_bytes(whole[0][:-100])
    append(path, Change(None, Annotation("ann 1", "good", 0.0, turn=1)))
    assert recover(path).saved == tmp_path / "a recovered 2.mcap"
    assert (tmp_path / "a recovered.mcap").read_text() == "an earlier one"
    with open_recording(tmp_path / "a recovered 2.mcap", CODEC) as recording:
        assert [a.label for a in read_annotations(recording)[0].in_order()] == ["good"]
    with pytest.raises(DataError, match="exists already"):
        recover(path, tmp_path / "a recovered.mcap")


def test_cut_anywhere_it_is_read_or_refused(tmp_path: Path, whole: tuple[bytes, list[Event]]) -> None:
    wanted = lines(whole[1])
    for cut in random.Random(1).sample(range(1, len(whole[0])), 40):
        path = tmp_path / f"{cut}.mcap"
        path.write_bytes(whole[0][:cut])
        found, said = tried(path)
        assert "\n" not in said
        assert found is None or found == wanted[:len(found)]


def test_a_flipped_bit_costs_no_more_than_its_turn(tmp_path: Path, whole: tuple[bytes, list[Event]]) -> None:
    wanted = set(lines(whole[1]))
    for place in random.Random(2).sample(range(len(MAGIC), len(whole[0])), 60):
        data = bytearray(whole[0])
        data[place] ^= 1 << place % 8
        path = tmp_path / f"{place}.mcap"
        path.write_bytes(data)
        found, said = tried(path)
        if found is None:
            assert "Belvedere" in said, "only the name in the first bytes can make it foreign"
        else:
            assert set(found) <= wanted
            assert len(wanted) - len(found) <= 16, f"byte {place}: one turn of about a dozen events, no more"


def test_an_empty_one_says_so(tmp_path: Path) -> None:
    path = tmp_path / "a.mcap"
    path.touch()
    assert one_line(path) == "a.mcap is empty: nothing was recorded in it"


@pytest.mark.parametrize("data", [b"\x89PNG\r\n\x1a\n" + b"x" * 999, b"{}", b"\0" * 5000, MAGIC[:5], "naïve".encode() * 99])
def test_foreign_files_are_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "a.mcap"
    path.write_bytes(data)
    assert one_line(path) == "a.mcap is no recording: it does not begin as MCAP files do"
    assert path.read_bytes() == data
    with pytest.raises(DataError):
        recover(path)


def test_mcap_files_of_others_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.mcap"
    with path.open("wb") as file:
        writer = Writer(file)
        writer.start("ros2", "another recorder")
        writer.add_message(writer.register_channel("/x", "json", 0), 0, b"{}", 0)
        writer.finish()  # type: ignore[no-untyped-call]
    assert one_line(path) == "a.mcap is an MCAP file, but was not recorded by Belvedere but by 'another recorder'"


def test_a_folder_and_nothing_are_refused(tmp_path: Path) -> None:
    assert "cannot open" in one_line(tmp_path)
    assert "cannot open" in one_line(tmp_path / "none.mcap")


HUGE = 10 * 2**30


def test_lengths_of_ten_gigabytes_take_no_memory(tmp_path: Path, whole: tuple[bytes, list[Event]]) -> None:
    second = whole[0].index(MARK, whole[0].index(MARK) + 200) - MARK_AT
    places = {"record": second + 1, "unpacked size": second + 9 + 16, "packed size": second + MARK_AT + len(MARK)}
    for name, place in places.items():
        path = tmp_path / f"{name}.mcap"
        path.write_bytes(whole[0][:place] + struct.pack("<Q", HUGE) + whole[0][place + 8:])
        found, notice = opened(path)
        assert found[:1] == lines(whole[1])[:1]
        assert len(found) >= len(whole[1]) - 16
        assert "bytes cannot be read" in notice
    first = whole[0].index(MARK) - MARK_AT + 1
    path = tmp_path / "only.mcap"
    path.write_bytes(whole[0][:first] + struct.pack("<Q", HUGE) + whole[0][first + 8:first + 40])
    assert "holds no event that can be read" in one_line(path)


def test_a_bomb_of_zeros_takes_no_memory(tmp_path: Path, whole: tuple[bytes, list[Event]]) -> None:
    bomb = zstandard.ZstdCompressor(write_content_size=True).compress(bytes(2**20)) * 3
    out = io.BytesIO()
    out.write(whole[0][:whole[0].index(MARK) - MARK_AT])
    out.write(struct.pack("<BQ", 6, 8 * 3 + 4 + 8 + 8 + len(bomb)))
    out.write(struct.pack("<QQQI", 0, 0, HUGE, 0) + MARK + struct.pack("<Q", len(bomb)) + bomb)
    path = tmp_path / "a.mcap"
    path.write_bytes(out.getvalue())
    assert "holds no event" in one_line(path)


def with_chunk(whole: bytes, data: bytes) -> bytes:
    """Returns a recording with one more chunk before its first; its checksum is right."""
    packed = zstandard.compress(data)
    chunk = struct.pack("<QQQI", 0, 0, len(data), zlib.crc32(data)) + MARK + struct.pack("<Q", len(packed)) + packed
    first = whole.index(MARK) - MARK_AT
    return whole[:first] + struct.pack("<BQ", 6, len(chunk)) + chunk + whole[first:]


def message(text: bytes) -> bytes:
    """Returns a message as it is stored in a chunk."""
    return struct.pack("<BQHIQQ", 5, 22 + len(text), 99, 0, 0, 0) + text


@pytest.mark.parametrize("record", [bytes(9), struct.pack("<BQ", 0x80, 0), struct.pack("<BQ", 12, 0)])
def test_a_chunk_of_millions_of_empty_records_is_stepped_over(tmp_path: Path, whole: tuple[bytes, list[Event]],
                                                              record: bytes) -> None:
    path = tmp_path / "a.mcap"
    path.write_bytes(with_chunk(whole[0], record * 2_000_000))
    found, notice = opened(path)
    assert found == lines(whole[1])
    assert "a record of kind" in notice


EVENT = b'{"$":"Event","number":%d,"at":%s,"turn":0,"branch":0,"what":%s}'
PAUSED = b'{"$":"Paused","reason":"x"}'


@pytest.mark.parametrize("at", [b"1-2", b"....", b"e", b"NaN", b"-", b"1e999", b"9" * 400, b'"1"'])
def test_times_that_are_none_are_no_events(tmp_path: Path, whole: tuple[bytes, list[Event]], at: bytes) -> None:
    path = tmp_path / "a.mcap"
    path.write_bytes(with_chunk(whole[0], message(EVENT % (0, at, PAUSED))))
    found, notice = opened(path)
    assert found == lines(whole[1])
    assert notice


@pytest.mark.parametrize("what", [b'{"$":"Switched","branch":99,"turn":3}', b'{"$":"Ended"}',
                                  b'{"$":"CommandTaken","command":{"$":"SetParameter","name":"no","value":3},"ok":true,'
                                  b'"reason":"","before":null}'])
def test_events_that_speak_of_what_never_was_are_left_out_and_named(tmp_path: Path, whole: tuple[bytes, list[Event]],
                                                                    what: bytes) -> None:
    path = tmp_path / "a.mcap"
    data = with_chunk(whole[0], message(EVENT % (10**6, b"99.0", what)))
    first = data.index(MARK) - MARK_AT
    size = struct.unpack_from("<Q", data, first + 1)[0] + 9
    (index,) = struct.unpack_from("<Q", data, len(data) - len(MAGIC) - 20)
    path.write_bytes(data[:first] + data[first + size:size + index - 13] + data[first:first + size])  # the last chunk
    found, said = tried(path)
    assert found == lines(whole[1])
    assert "1 value cannot be read" in said
    assert "\n" not in said


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.integers(8, 10**6), st.binary(min_size=1, max_size=12)), min_size=1, max_size=6))
def test_whatever_is_written_over_it(tmp_path: Path, whole: tuple[bytes, list[Event]], edits: list[tuple[int, bytes]]) -> None:
    data = bytearray(whole[0])
    for place, new in edits:
        data[place % len(data):place % len(data) + len(new)] = new
    path = tmp_path / f"{random.random()}.mcap"
    path.write_bytes(data)
    found, said = tried(path)
    assert "\n" not in said
    assert set(found or []) <= set(lines(whole[1]))


def test_one_being_recorded_is_read_but_not_mended(tmp_path: Path) -> None:
    path = tmp_path / "a.mcap"
    run, ear = session()
    recorder = recorder_of(path, run, [])
    run.run()
    with pytest.raises(DataError, match="is being recorded now"):
        recover(path)
    with open_recording(path, CODEC) as recording:
        assert "is being recorded now" in recording.notice
        assert lines(list(recording.events())) == lines(ear.events)
    recorder.close()
    assert opened(path) == (lines(ear.events), "")


def test_what_cannot_be_saved_is_told_in_a_line(tmp_path: Path, whole: tuple[bytes, list[Event]]) -> None:
    path = tmp_path / "a.mcap"
    path.write_bytes(whole[0][:-300])
    with pytest.raises(DataError, match=r"cannot write .*: there is no folder .*; make it, or choose another one"):
        recover(path, tmp_path / "no folder" / "b.mcap")
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(("old", "new"), [(b'"ok":true', b'"ok":what'), (b'"what":{"$":"Acted"', b'"what":{ "$":"Act"')])
def test_a_whole_file_with_an_event_that_cannot_be_read_is_not_called_intact(tmp_path: Path, old: bytes, new: bytes) -> None:
    recorded(tmp_path / "whole.mcap", steps=1)

    def change(_: int, text: bytes) -> bytes:
        return text.replace(old, new) if b'"what":{"$":"Acted"' in text else text
    path = tmp_path / "a.mcap"
    path.write_bytes(rewritten(tmp_path / "whole.mcap", change, random.Random(0), odd=0.0))
    report = recover(path, codec=CODEC)
    assert report.turns == 0
    assert "cannot be read" in report.line
    assert "intact" not in report.line
    assert report.saved is None, "a copy would be no better"
