"""What a recorder writes and what it reports if it cannot; nothing is lost."""

from __future__ import annotations

import json
import re
import threading
import time
from dataclasses import dataclass, replace
from pathlib import Path
from queue import SimpleQueue

import pytest
from mcap.reader import make_reader
from mcap_protobuf.decoder import DecoderFactory
from PIL import Image

from core.common.errors import DataError
from core.goals.literals import Goal
from core.planning.facets import Facet, Frame
from core.recording.files import FinishedRun
from core.recording.keyframes import KEYFRAMES
from core.recording.pictures import pixels_of, without_pixels
from core.recording.reader import open_recording
from core.recording.recorder import Recorder
from core.recording.writer import Limits, QueuedEvent, RecordingWriter
from core.session.commands import Annotate, Look
from core.session.events import Acted, Event, Failed, Paused, Recovered, Resumed, Shown
from tests.core.recording.common import CODEC, PATIENT, frame_event, lines, recorded, recorder_of
from tests.core.session.toys import Guide, Line, session
from tests.full_disk import full_disk
from tests.waiting import PATIENCE, until

LOOK = Look(("first person", "dollhouse"), 64, 48)


def test_the_format_s_own_reader_finds_every_event_under_a_registered_schema(tmp_path: Path) -> None:
    heard = recorded(tmp_path / "a.mcap", Annotate("good", "so far"))
    with (tmp_path / "a.mcap").open("rb") as file:
        reader = make_reader(file, validate_crcs=True)
        recorded_json = [(s, c, m) for s, c, m in reader.iter_messages() if c.message_encoding == "json"]
        found = [(s, c, m) for s, c, m in recorded_json if c.topic != KEYFRAMES]
        summary = reader.get_summary()
        metadata = {m.name: m.metadata for m in reader.iter_metadata()}
    assert [m.data for _, _, m in found] == [CODEC.encode(without_pixels(e)) for e in heard]
    assert summary is not None
    assert summary.statistics is not None
    for schema, channel, message in found:
        assert schema is not None
        assert (schema.encoding, schema.name.split(".")[0]) == ("jsonschema", "belvedere")
        described = json.loads(schema.data)
        value = json.loads(message.data)
        assert set(described["required"]) <= set(value)
        assert set(described["properties"]["what"]["required"]) <= set(value["what"]), channel.topic
    assert metadata["belvedere"]["planner"] == "walker"
    assert metadata["belvedere"]["goal"] == "Walk to 5"
    assert metadata["belvedere.end"] == {"success": "true", "reason": "goal reached", "branch": "0"}


def test_pictures_boxes_and_log_lines_are_as_other_viewers_know_them(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path / "a.mcap", lambda said: None, codec=CODEC)
    for number in range(4):
        recorder.on_event(frame_event(number, ("first person", "dollhouse")[number % 2]))
    recorder.on_event(Event(4, 1.0, 1, 0, Failed("camera", "x", "dark", waits=False)))
    recorder.close()
    with (tmp_path / "a.mcap").open("rb") as file:
        reader = make_reader(file, decoder_factories=[DecoderFactory()])
        topics = ["/frames/first_person", "/frames/dollhouse", "/frames/dollhouse/boxes", "/log"]
        found = {t: [m for m in reader.iter_decoded_messages(topics=[t])] for t in topics}
    assert [len(found[t]) for t in topics] == [2, 2, 2, 1]
    picture = found["/frames/dollhouse"][0]
    assert picture.schema is not None
    assert picture.schema.name == "foxglove.CompressedImage"
    assert picture.decoded_message.format == "jpeg"
    assert pixels_of(picture.decoded_message.data).shape == (48, 64, 3)
    boxes = found["/frames/dollhouse/boxes"][0].decoded_message
    assert [t.text for t in boxes.texts] == ["apple_1"]
    assert [(p.x, p.y) for p in boxes.points[0].points] == [(3, 4), (20, 4), (20, 30), (3, 30)]
    assert found["/log"][0].decoded_message.message == "The camera failed: dark"


def test_whoever_asks_while_a_recording_ends_or_after_it_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recorder = Recorder(tmp_path / "a.mcap", lambda said: None, codec=CODEC)
    refused, finish = SimpleQueue[str](), RecordingWriter.finish

    def ask() -> None:
        try:
            recorder.catch_up()
        except DataError as error:
            refused.put(str(error))

    def finish_while_another_asks(writer: RecordingWriter, *, keep: bool = False) -> FinishedRun | None:
        before = recorder._queue.qsize()
        threading.Thread(target=ask).start()
        until(lambda: recorder._queue.qsize() > before)
        return finish(writer, keep=keep)

    monkeypatch.setattr(RecordingWriter, "finish", finish_while_another_asks)
    recorder.close()
    assert "ended already" in refused.get(timeout=PATIENCE)
    ask()
    assert "ended already" in refused.get(timeout=PATIENCE)


def test_frames_come_back_with_their_picture_ids_and_boxes(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path / "a.mcap", lambda said: None, codec=CODEC)
    recorder.on_event(frame_event(7))
    recorder.close()
    with open_recording(tmp_path / "a.mcap", CODEC) as recording:
        (event,) = recording.events()
        jpegs = list(recording.jpegs("first person"))
    assert isinstance(event.what, Shown)
    frame = event.what.facet
    assert isinstance(frame, Frame)
    assert frame.ids is not None
    assert abs(frame.pixels.astype(int) - 7).max() <= 2
    assert (frame.ids == 1).all()
    assert (frame.names, frame.boxes) == (("", "apple_1"), (("apple_1", (3, 4, 20, 30)),))
    assert jpegs[0][0] == 7


def test_a_file_that_exists_is_not_touched(tmp_path: Path) -> None:
    path = tmp_path / "a.mcap"
    path.write_text("precious")
    with pytest.raises(DataError, match="exists already"):
        Recorder(path, lambda said: None)
    with pytest.raises(DataError, match="cannot record to"):
        Recorder(tmp_path / "no" / "a.mcap", lambda said: None)
    assert path.read_text() == "precious"


# --- keys ------------------------------------------------------------------
def test_a_planted_key_is_in_no_byte_of_a_recording(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    key, other = 'sk-planted"é\\0123456789', "sk-from-the-keyring"
    monkeypatch.setenv("OPENAI_API_KEY", key)
    run, _ = session(model=Guide(text=f"right {key}"), steps=3)
    goal = Goal(run.setup.goal.literals, f"Walk with {key}")
    run = type(run)(replace(run.setup, goal=goal, versions=(("x", key), ("y", other))))
    recorder = Recorder(tmp_path / "a.mcap", lambda said: None, codec=CODEC, secrets=[other], limits=PATIENT)
    run.follow(recorder.on_event)
    run.post(Annotate(key, other))
    run.run()
    recorder.close()
    with (tmp_path / "a.mcap").open("rb") as file:
        reader = make_reader(file)
        texts = [m.data for _, _, m in reader.iter_messages()]
        texts += [json.dumps(m.metadata, ensure_ascii=False).encode() for m in reader.iter_metadata()]
        texts += [s.data for s in reader.get_summary().schemas.values()]  # type: ignore[union-attr]
    forms = [form.encode() for k in (key, other) for form in (k, json.dumps(k)[1:-1], json.dumps(k, ensure_ascii=False)[1:-1])]
    whole = (tmp_path / "a.mcap").read_bytes() + b"".join(texts)
    assert b"[key]" in whole
    assert not any(form in whole for form in forms)
    with open_recording(tmp_path / "a.mcap", CODEC) as recording:
        assert recording.snapshot_at().goal == Goal(run.setup.goal.literals, "Walk with [key]")


# --- a disk that is full, slow or hangs -------------------------------------
def test_a_full_disk_is_told_and_nothing_is_lost_once_there_is_room(tmp_path: Path) -> None:
    said: list[Failed | Recovered] = []
    path = tmp_path / "a.mcap"
    run, ear = session(steps=40)
    recorder = recorder_of(path, run, said)
    heard = threading.Event()
    run.subscribe(lambda e: heard.set() if said else None)
    with full_disk(6000):
        run.run()
        assert heard.is_set()
        assert recorder.broken
        size = path.stat().st_size
    (failed,) = said
    assert isinstance(failed, Failed)
    assert (failed.part, failed.kind, failed.waits) == ("recorder", "disk", True)
    assert "File too large" in failed.message
    safe = f"the run up to turn {recorder.turns} is on disk" if recorder.turns else "no turn is on disk"
    assert re.search(rf"{safe}, \d+ turns? (is|are) only in memory; make room", failed.message)
    assert size <= 6000
    with open_recording(path, CODEC) as partial:
        assert "being recorded" in partial.notice
        assert lines(list(partial.events())) == lines(ear.events)[:len(partial)]
    last = Event(len(ear.events), 99.0, 5, 0, Resumed())
    recorder.on_event(last)
    recorder.close()
    assert isinstance(said[-1], Recovered)
    with open_recording(path, CODEC) as recording:
        assert recording.notice == ""
        assert lines(list(recording.events())) == lines([*ear.events, last])


def test_a_disk_that_stays_full_keeps_what_it_has(tmp_path: Path) -> None:
    said: list[Failed | Recovered] = []
    run, ear = session(steps=40)
    recorder = recorder_of(tmp_path / "a.mcap", run, said)
    with full_disk(6000):
        run.run()
        with pytest.raises(DataError, match="could not be written"):
            recorder.close()
        recorder.on_event(ear.events[-1])  # too late, and harmless
    with open_recording(tmp_path / "a.mcap", CODEC) as recording:
        assert "cut off" in recording.notice
        assert 0 < len(recording) < len(ear.events)
        assert lines(list(recording.events())) == lines(ear.events)[:len(recording)]


def test_pictures_are_left_out_before_the_session_waits_and_that_is_said(tmp_path: Path) -> None:
    said: list[Failed | Recovered] = []
    recorder = Recorder(tmp_path / "a.mcap", said.append, codec=CODEC, limits=Limits(frames=2))
    gate = threading.Event()
    add = recorder._writer.add

    def slow(queued: QueuedEvent) -> None:
        gate.wait(PATIENCE)
        add(queued)

    recorder._writer.add = slow  # type: ignore[method-assign]
    for number in range(8):
        recorder.on_event(frame_event(number))
    assert recorder.thinned >= 5
    assert [f.kind for f in said if isinstance(f, Failed)] == ["thinned"]
    gate.set()
    recorder.close()
    with open_recording(tmp_path / "a.mcap", CODEC) as recording:
        events = list(recording.events())
        assert len(events) == 8
        frames = [e.what.facet for e in events if isinstance(e.what, Shown)]
        assert sum("left out" in f.notice for f in frames if isinstance(f, Frame)) == recorder.thinned
        assert all(isinstance(f, Frame) and f.pixels.shape == (48, 64, 3) for f in frames)


def test_a_disk_that_hangs_pauses_the_session_once(tmp_path: Path) -> None:
    said: list[Failed | Recovered] = []
    recorder = Recorder(tmp_path / "a.mcap", said.append, codec=CODEC, limits=Limits(events=5))
    gate = threading.Event()
    add = recorder._writer.add

    def slow(queued: QueuedEvent) -> None:
        gate.wait(PATIENCE)
        add(queued)

    recorder._writer.add = slow  # type: ignore[method-assign]
    for number in range(20):
        recorder.on_event(Event(number, 0.0, 0, 0, Paused("asked to")))
    assert [(f.kind, f.waits) for f in said if isinstance(f, Failed)] == [("slow", True)]
    gate.set()
    recorder.close()
    with open_recording(tmp_path / "a.mcap", CODEC) as recording:
        assert len(recording) == 20


@dataclass(frozen=True)
class Stranger(Facet):
    text: str = ""


def test_a_facet_nobody_taught_it_is_said_once_and_the_rest_goes_on(tmp_path: Path) -> None:
    said: list[Failed | Recovered] = []
    recorder = Recorder(tmp_path / "a.mcap", said.append, codec=CODEC)
    for number in range(4):
        recorder.on_event(Event(number, 0.0, 0, 0, Shown(Stranger()) if number % 2 else Paused("x")))
    recorder.close()
    (failed,) = said
    assert isinstance(failed, Failed)
    assert "Stranger" in failed.message
    assert not failed.waits
    with open_recording(tmp_path / "a.mcap", CODEC) as recording:
        assert [e.number for e in recording.events()] == [0, 2]


# --- turns -----------------------------------------------------------------
def test_others_hear_of_a_turn_when_it_is_written(tmp_path: Path) -> None:
    """They also receive everything in order, even with a slow disk."""
    run, _ = session(steps=6)
    recorder = Recorder(tmp_path / "a.mcap", lambda said: None, codec=CODEC, limits=PATIENT)
    flush = recorder._writer.flush

    def slow() -> None:
        time.sleep(0.01)
        flush()

    recorder._writer.flush = slow  # type: ignore[method-assign]
    run = type(run)(run.setup)
    early: list[Event] = []
    run.subscribe(early.append)
    run.follow(recorder.on_event)
    late: list[Event] = []
    found: list[tuple[int, int]] = []

    def hear(event: Event) -> None:
        late.append(event)
        if isinstance(event.what, Acted):
            with open_recording(tmp_path / "a.mcap", CODEC) as recording:
                found.append((event.turn, sum(isinstance(e.what, Acted) for e in recording.events())))

    run.subscribe(hear)
    run.run()
    recorder.close()
    assert late == early
    assert [turn for turn, _ in found] == [1, 2, 3, 4, 5]
    assert all(turns >= turn for turn, turns in found)


def test_a_recording_made_with_cameras_on(tmp_path: Path) -> None:
    run, ear = session()
    recorder = recorder_of(tmp_path / "a.mcap", run, [])
    run.post(LOOK)
    run.run()
    recorder.close()
    with open_recording(tmp_path / "a.mcap", CODEC) as recording:
        assert lines(list(recording.events())) == lines(ear.events)
        for _, jpeg in recording.jpegs("dollhouse"):
            assert Image.fromarray(pixels_of(jpeg)).size == (64, 48)
    assert Line.name == "line"
