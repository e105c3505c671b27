"""Damaged files of every kind, by seed, give a clear line or what can be read of them, never a traceback, and soon."""

from __future__ import annotations

import io
import struct
import tracemalloc
import zlib
from collections.abc import Callable
from pathlib import Path
from random import Random

import numpy as np
import pytest
import zstandard
from mcap.writer import Writer
from PIL import Image

from core.common.errors import DataError
from core.planning.facets import Frame
from core.planning.model_requests import Message, ModelReply, ModelRequest
from core.recording.annotations import append, read_annotations, sidecar
from core.recording.exports import export
from core.recording.pictures import pixels_of, with_pixels
from core.recording.reader import Recording, open_recording
from core.recording.scan import MARK, MARK_AT, Damage, Scan
from core.session import events as e
from core.session.annotation import Annotation, Change
from core.session.commands import Look
from main import main
from tests.core.recording.common import CODEC, recorded
from tests.core.recording.damages import damaged
from tests.core.recording.test_reader import busy
from tests.core.recording.test_states import Story, written
from tests.long_tests import either

FORMS = ("jsonl", "csv", "html", "replies")
EXPORTED = either(1, len(FORMS))
"""In how many forms each damaged file is exported, one form after the other."""


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("whole") / "whole.mcap"
    recorded(path, Look(("first person",), 24, 16), cue=busy)
    return path


def looked_at(recording: Recording) -> None:
    """Reads everything of a recording, at several moments."""
    first, last = recording.numbers[0], recording.numbers[-1]
    for number in (first, (first + last) // 2, last):
        snapshot = recording.snapshot_at(number)
        assert len(list(snapshot.turns)) == len(snapshot.turns)
    recording.turns()
    recording.frames_at(recording.seconds)
    recording.read_on()


def in_a_line(act: Callable[[], object]) -> None:
    """Runs a function, and checks that it succeeds or is refused in one line."""
    said = ""
    try:
        act()
    except DataError as error:
        said = str(error)
    assert said.isprintable() or not said
    assert len(said) < 400


@pytest.mark.parametrize("part", range(4))
def test_damaged_files_are_read_or_refused_in_a_line(tmp_path: Path, whole: Path, part: int,
                                                     capsys: pytest.CaptureFixture[str]) -> None:
    for seed in range(15 * part, 15 * part + 15):
        how, data = damaged(whole, Random(seed), slow=False)
        path, other = tmp_path / f"{seed} {how}.mcap", tmp_path / f"{seed} again.mcap"
        path.write_bytes(data)
        other.write_bytes(data)

        def opened(path: Path = path) -> None:
            with open_recording(path, CODEC) as recording:
                assert recording.notice.isprintable()
                looked_at(recording)
        in_a_line(opened)
        for form in (*FORMS, *FORMS)[seed % len(FORMS):][:EXPORTED]:
            in_a_line(lambda form=form, path=path: export(path, form, tmp_path / "out", CODEC))  # type: ignore[misc]
        main(["recover", str(other)])
        said = capsys.readouterr()
        assert len((said.out + said.err).strip().splitlines()) == 1, how


def parts(path: Path) -> list[object]:
    """Returns the parts that a scan of a file yields."""
    scan = Scan(path)
    try:
        return list(scan.walk())
    finally:
        scan.close()


def chunk(inner: bytes) -> bytes:
    packed = zstandard.compress(inner)
    body = struct.pack("<QQQI", 0, 0, len(inner), zlib.crc32(inner)) + MARK + struct.pack("<Q", len(packed)) + packed
    return struct.pack("<BQ", 6, len(body)) + body


@pytest.mark.parametrize("inner", [struct.pack("<BQ", 3, 0), struct.pack("<BQHIQQ", 5, 23, 9, 0, 0, 0) + b"{"])
def test_a_chunk_of_a_million_records_is_given_up_soon(tmp_path: Path, whole: Path, inner: bytes) -> None:
    path, data = tmp_path / "a.mcap", whole.read_bytes()
    first = data.index(MARK) - MARK_AT
    path.write_bytes(data[:first] + chunk(inner * 10**6) + data[first:])
    tracemalloc.start()
    found = parts(path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert any(isinstance(part, Damage) and "records in it" in part.why for part in found)
    assert len(found) > 5, "what follows is read"
    assert peak < 150 * 2**20


def test_a_file_forged_to_be_read_for_hours_is_given_up(tmp_path: Path, whole: Path) -> None:
    data = whole.read_bytes()
    path, first = tmp_path / "a.mcap", data.index(MARK) - MARK_AT
    fake = struct.pack("<BQQQQI", 6, 2**19, 0, 0, 2**20, 0) + MARK
    path.write_bytes(data[:first] + fake * 100_000 + data[first:])
    scan = Scan(path)
    last = list(scan.walk())[-1]
    read = scan._read
    scan.close()
    assert isinstance(last, Damage)
    assert last.why == "more than a file of its size can hold"
    assert read < 3 * len(fake) * 100_000 + 100 * 2**20


def test_forty_bombs_are_not_all_unpacked(tmp_path: Path, whole: Path) -> None:
    path, data = tmp_path / "a.mcap", whole.read_bytes()
    first = data.index(MARK) - MARK_AT
    bomb = chunk(struct.pack("<BQHIQQ", 5, 22 + 2**25, 9, 0, 0, 0) + b" " * 2**25)
    path.write_bytes(data[:first] + bomb * 40 + data[first:])
    assert len(parts(path)) < 20


def test_what_a_file_calls_itself_stays_one_line(tmp_path: Path) -> None:
    path = tmp_path / "a.mcap"
    with path.open("wb") as file:
        writer = Writer(file)
        writer.start("ros2", "x\n\x1b[31m\ny")
        writer.finish()  # type: ignore[no-untyped-call]
    with pytest.raises(DataError) as caught:
        open_recording(path)
    assert str(caught.value).isprintable()


def test_half_characters_are_exported(tmp_path: Path) -> None:
    story = Story(1, (0.5,))
    story.ordinary()
    story.tell(e.Asked(9, ModelRequest("policy", (Message("user", "a \ud800"),)), "guide"))
    story.tell(e.Replied(9, ModelReply(("\udcff",), "guide")))
    story.tell(e.Decided(None, "planner", "half \udc80 of one"))
    story.tell(e.Annotated("\udc80", "", "point", ""))
    path = written(tmp_path / "a.mcap", [e.Event(k, x.at, x.turn, x.branch, x.what) for k, x in enumerate(story.events)])
    for form in FORMS:
        assert export(path, form, tmp_path / f"out.{form}", CODEC).stat().st_size


@pytest.mark.parametrize("at", [float("nan"), float("inf")])
def test_labels_at_no_time_are_refused_where_they_come_in(tmp_path: Path, whole: Path, at: float) -> None:
    with pytest.raises(ValueError, match="a label from"):
        Annotation("a", "slow", at)
    with pytest.raises(DataError, match="makes no sense"):
        CODEC.loads('{"$":"Annotation","id":"a","label":"","at":{"$":"float","value":"inf"},"until":null,"state":false,"turn":0,'
                    '"branch":0,"note":"","annotator":"","rating":null,"better":""}', Annotation)
    path = tmp_path / "a.mcap"
    path.write_bytes(whole.read_bytes())
    append(path, Change(None, Annotation("a", "slow", 1.5)))
    sidecar(path).write_text(sidecar(path).read_text().replace("1.5", str(at).replace("nan", "NaN").replace("inf", "Infinity")))
    with open_recording(path, CODEC) as recording:
        assert "1 line left out" in read_annotations(recording)[1]


@pytest.mark.parametrize("text", ["9" * 400, "-" + "9" * 65])
def test_numbers_of_hundreds_of_digits_are_none(text: str) -> None:
    for kind in (int, float):
        with pytest.raises(DataError, match="number was expected"):
            CODEC.loads(text, kind)
    array = '{"$":"array","dtype":"|u1","shape":[' + text.strip("-") + '],"zlib":false,"data":""}'
    frame = '{"$":"Frame","view":"dollhouse","pixels":' + array + ',"ids":null,"names":[],"boxes":[],"notice":"","matrix":[]}'
    with pytest.raises(DataError, match="an array without a shape"):
        CODEC.loads(frame, Frame)


def jpeg(height: int, width: int, claimed: tuple[int, int] | None = None) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (width, height)).save(out, "JPEG")
    data = out.getvalue()
    at = data.index(b"\xff\xc0") + 5
    return data if claimed is None else data[:at] + struct.pack(">HH", *claimed) + data[at + 4:]


@pytest.mark.parametrize("claimed", [(65500, 65500), (12_000, 12_000), (9000, 9000)])
def test_pictures_that_claim_gigabytes_are_refused(claimed: tuple[int, int]) -> None:
    with pytest.raises(DataError, match="a picture of"):
        pixels_of(jpeg(7, 9, claimed))


EMPTY = np.zeros((7, 9, 0), np.uint8)


@pytest.mark.parametrize("frame", [
    Frame("dollhouse", np.zeros(9, np.uint8), None, ("",)), Frame("dollhouse", EMPTY, np.zeros((9, 7), np.uint16), ("",)),
    Frame("dollhouse", EMPTY, np.full((7, 9), 3, np.uint16), ("", "a")), Frame("dollhouse", EMPTY, None, (), matrix=(1.0, 2.0)),
    Frame("dollhouse", np.zeros((7, 8, 0), np.uint8), None, ("",)),
])
def test_frames_whose_parts_do_not_fit_are_refused(frame: Frame) -> None:
    with pytest.raises(DataError, match=r"do not fit|another size"):
        with_pixels(frame, jpeg(7, 9))
