"""Replays and exports show a turn's own picture, however late it was drawn, or say that there is none."""

from __future__ import annotations

import base64
import io
import json
import re
import sys
from collections.abc import Iterator
from functools import partial
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest.mock import MagicMock

import numpy as np
import pytest
from mcap.reader import make_reader
from PIL import Image

from core.common.errors import DataError
from core.planning.facets import Frame, Moment
from core.recording.exports import export
from core.recording.reader import Recording, open_recording
from core.session import commands as c
from core.session import events as e
from core.session.camera import BOTH
from tests.core.recording.common import CODEC, recorder_of
from tests.core.session.pictured import BRIGHTER, Pictured, frame_of, frames_in, is_true, place_in, states
from tests.core.session.test_session import told
from tests.core.session.toys import LEFT, session


def recorded(path: Path, *, branch: bool = False, pictures: bool = True) -> list[e.Event]:
    """Records a run faster than its renderer, in which the operator errs once and may fork."""
    run, ear = session(world=Pictured)
    recorder = recorder_of(path, run, [])
    if pictures:
        run.post(c.Look(BOTH, 64, 64))
        run.post(c.KeepPictures())
    ear.when(lambda event: isinstance(event.what, e.TurnBegan) and event.turn == 2, c.Override(LEFT))
    if branch:
        ear.when(told(e.Acted, 3), c.Fork(2))
    run.run()
    recorder.close()
    return ear.events


def rewritten(source: Path, path: Path, change: Any) -> Path:
    """Returns the recording with each event changed, or left out if `change` returns None."""
    from core.recording.recorder import Recorder
    from core.recording.writer import Limits

    with open_recording(source, CODEC) as recording:
        events = list(recording.events())
    recorder = Recorder(path, lambda said: None, codec=CODEC, limits=Limits(frames=1000))
    for event in events:
        if (changed := change(event)) is not None:
            recorder.on_event(changed)
    recorder.close()
    return path


def gaps(turns: set[int]) -> Any:
    """Returns a change that leaves out the first-person pictures of some turns before their action."""
    def change(event: e.Event) -> e.Event | None:
        frame = event.what.facet if isinstance(event.what, e.Shown) else None
        gone = isinstance(frame, Frame) and frame.turn in turns and frame.camera == "first person" and frame.phase == "before"
        return None if gone else event
    return change


def untagged(event: e.Event) -> e.Event:
    """Returns an event as formats 1 and 2 had it."""
    if isinstance(event.what, e.Shown) and isinstance(event.what.facet, Frame):
        frame = event.what.facet
        return e.Event(event.number, event.at, event.turn, event.branch,
                       e.Shown(Frame(frame.camera, frame.pixels, frame.ids, frame.names)))
    return event


@pytest.fixture(scope="module", params=[False, True], ids=["one line", "forked"])
def episode(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> tuple[Path, list[e.Event]]:
    path = tmp_path_factory.mktemp("pictures") / "a.mcap"
    return path, recorded(path, branch=request.param)


def test_every_moment_of_a_replay_shows_its_turns_picture(episode: tuple[Path, list[e.Event]]) -> None:
    path, events = episode
    known = states(events)
    with open_recording(path, CODEC) as recording:
        for event in events:
            snapshot = recording.snapshot_at(event.number)
            if snapshot.current is None and snapshot.turn == 0:
                assert not snapshot.frames
                continue
            if event.turn == 0 or (Moment(event.branch, event.turn), "before") not in known:
                continue
            assert set(snapshot.frames) == set(BOTH)
            for frame in snapshot.frames.values():
                assert frame.moment == Moment(snapshot.branch, snapshot.turn), event
                assert is_true(frame, known), (event, frame)
        assert {f.phase for f in recording.snapshot_at().frames.values()} == {"after"}


def test_a_turn_without_a_picture_shows_an_earlier_one_as_such(episode: tuple[Path, list[e.Event]], tmp_path: Path) -> None:
    path = rewritten(episode[0], tmp_path / "b.mcap", gaps({2, 3}))
    with open_recording(path, CODEC) as recording:
        for mark in recording.turns():
            frame = recording.snapshot_at(mark.last).frames.get("first person")
            assert frame is None or is_true(frame, states(episode[1]))
            if mark.number in (2, 3) and frame is not None:
                assert (frame.turn, frame.branch) == (1, 0)


def test_pictures_of_earlier_formats_are_about_the_turn_they_arrived_in(episode: tuple[Path, list[e.Event]], tmp_path: Path,
                                                                        monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.recording.mcap_messages.FORMAT", "2")
    path = rewritten(episode[0], tmp_path / "b.mcap", untagged)
    with open_recording(path, CODEC) as recording:
        found = list(frames_in(recording.events()))
        assert found
        assert {f.phase for f in found} == {"about"}
        for event in recording.of_kind("Frame"):
            assert isinstance(event.what, e.Shown)
            assert isinstance(event.what.facet, Frame)
            assert event.what.facet.moment == Moment(event.branch, event.turn)
        assert {f.phase for f in recording.snapshot_at().frames.values()} == {"about"}
    page = export(path, "html", tmp_path / "a.html", CODEC).read_text("utf-8")
    assert "about turn" in page
    assert re.search(r"first person, turn \d", page) is None


def test_a_frame_written_without_tags_is_read(tmp_path: Path) -> None:
    """The keys are missing, not only 0."""
    plain = CODEC.plain(frame_of("dollhouse", 3, 8, 8))
    for key in ("turn", "phase", "branch", "title"):
        del plain[key]
    frame = CODEC.value(plain, Frame)
    assert (frame.turn, frame.names) == (0, ("", "at 3"))
    del plain["names"]
    with pytest.raises(DataError, match="without names"):
        CODEC.value(plain, Frame)


# --- exports -------------------------------------------------------------------
def befores(recording: Recording) -> dict[tuple[int, int], int]:
    """Returns (branch, turn) of each decision -> the walker's position before it."""
    return {(m.branch, m.turn): min(p) for (m, phase), p in states(recording.events()).items() if phase == "before"}


def test_html_shows_each_turns_picture(episode: tuple[Path, list[e.Event]], tmp_path: Path) -> None:
    page = export(episode[0], "html", tmp_path / "a.html", CODEC).read_text("utf-8")
    known, shown = states(episode[1]), 0
    for article in page.split("<article")[1:]:
        number, branch = re.search(r'class="number">[^<]*· (\d+)(?: · branch (\d+))?</span>', article).groups()  # type: ignore[union-attr]
        for data, caption in re.findall(r'base64,([^"]+)"><figcaption class="muted">([^<]+)<', article):
            place = round(float(np.asarray(Image.open(io.BytesIO(base64.b64decode(data)))).mean()) / BRIGHTER)
            phase: Any = "after" if "after" in caption else "before"
            assert caption.endswith(f"turn {number}")
            assert place in known[Moment(int(branch or 0), int(number)), phase]
            shown += 1
    assert shown == 2 * page.count("<article") + 2


def test_html_says_which_pictures_are_missing(episode: tuple[Path, list[e.Event]], tmp_path: Path) -> None:
    path = rewritten(episode[0], tmp_path / "b.mcap", gaps({2}))
    page = export(path, "html", tmp_path / "a.html", CODEC).read_text("utf-8")
    count = sum(1 for (moment, phase) in states(episode[1]) if moment.turn == 2 and phase == "after")
    assert page.count("no first person picture of turn 2") == count
    assert "first person, turn 2<" not in page


def test_jsonl_tells_what_each_picture_shows(episode: tuple[Path, list[e.Event]], tmp_path: Path) -> None:
    out = export(episode[0], "jsonl", tmp_path / "a.jsonl", CODEC)
    rows = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    frames = [row["facet"] for row in rows if row.get("event") == "Shown" and row["facet"]["type"] == "Frame"]
    known = states(episode[1])
    assert len(frames) > 10
    for frame in frames:
        (place,) = known[Moment(frame["branch"], frame["turn"]), frame["phase"]]
        assert frame["names"] == ["", f"at {place}"]


@pytest.fixture
def stubs(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Any]]:
    """Replaces packages that are not always installed, and keeps their arguments."""
    made: dict[str, Any] = {name: MagicMock() for name in ("av", "pyarrow", "pyarrow.parquet", "rerun")}
    made["rerun"].EncodedImage = lambda contents, media_type: ("image", contents)
    for name, module in made.items():
        monkeypatch.setitem(sys.modules, name, module)
    before = {name for name in sys.modules if name.startswith("core.recording.exports.")}
    for name in ("video", "mp4", "lerobot", "lerobot_files", "rrd", "parquet"):
        monkeypatch.delitem(sys.modules, f"core.recording.exports.{name}", raising=False)
    yield made
    for name in ("video", "mp4", "lerobot", "lerobot_files", "rrd", "parquet"):
        if f"core.recording.exports.{name}" not in before:
            sys.modules.pop(f"core.recording.exports.{name}", None)


def loaded(name: str) -> Any:
    """Returns an export's module, imported with the stubs: the package remembers an earlier import."""
    return import_module(f"core.recording.exports.{name}")


def filmed(monkeypatch: pytest.MonkeyPatch, module: ModuleType) -> list[list[Any]]:
    """Returns the pictures of each video that an export writes."""
    videos: list[list[Any]] = []

    def write_video(pictures: Any, out: Path, rate: int, about: dict[str, str] | None = None, **_: int) -> int:
        assert about is None or about["comment"], "players show how it came out"
        videos.append([np.asarray(p) for p in pictures])
        return len(videos[-1])

    monkeypatch.setattr(module, "write_video", write_video)
    return videos


def test_mp4_shows_each_turns_picture(episode: tuple[Path, list[e.Event]], tmp_path: Path, stubs: dict[str, Any],
                                      monkeypatch: pytest.MonkeyPatch) -> None:
    mp4 = loaded("mp4")
    videos = filmed(monkeypatch, mp4)
    with open_recording(episode[0], CODEC) as recording:
        mp4.write(recording, tmp_path / "a.mp4")
        turns = [(t.branch, t.number) for t in recording.snapshot_at().turns]
        at = befores(recording)
    (video,) = videos
    places = [round(float(canvas[200:280, 40:100].mean()) / BRIGHTER) for canvas in video]
    assert places == [*(at[turn] for turn in turns), 5, 5, 5, 5, 5], "before each action, then after the last"


def test_mp4_leaves_no_other_picture_in_a_gap(tmp_path: Path, stubs: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    mp4 = loaded("mp4")
    recorded(tmp_path / "a.mcap")
    path = rewritten(tmp_path / "a.mcap", tmp_path / "b.mcap", gaps({3}))
    videos = filmed(monkeypatch, mp4)
    with open_recording(path, CODEC) as recording:
        mp4.write(recording, tmp_path / "a.mp4")
    gone = videos[0][2][200:280, 14:40]
    assert len(np.unique(gone.reshape(-1, 3), axis=0)) > 1, "words stand there"
    assert tuple(videos[0][2][50, 40]) == (0x1B, 0x21, 0x2B)


def test_lerobot_takes_the_picture_before_each_action_or_refuses(tmp_path: Path, stubs: dict[str, Any],
                                                                monkeypatch: pytest.MonkeyPatch) -> None:
    lerobot = loaded("lerobot")
    recorded(tmp_path / "a.mcap")
    videos = filmed(monkeypatch, lerobot)
    monkeypatch.setattr(lerobot, "write_parquet", lambda columns, path: path.parent.mkdir(parents=True, exist_ok=True))
    monkeypatch.setattr(lerobot, "write_tasks", lambda tasks, path: None)
    lerobot.write([partial(open_recording, tmp_path / "a.mcap", CODEC)], tmp_path / "set")
    with open_recording(tmp_path / "a.mcap", CODEC) as recording:
        at = list(befores(recording).values())
    assert [[round(float(p.mean()) / BRIGHTER) for p in video] for video in videos] == [at, at]
    about = json.loads((tmp_path / "set" / "meta" / "belvedere.json").read_text("utf-8"))
    assert about["episodes"][0]["pictures"] == "of the turn"
    path = rewritten(tmp_path / "a.mcap", tmp_path / "b.mcap", gaps({2, 4}))
    with pytest.raises(DataError, match="no first person picture of turns 2, 4"):
        lerobot.write([partial(open_recording, path, CODEC)], tmp_path / "other")
    assert not (tmp_path / "other").exists()


def test_rerun_gets_each_picture_at_its_turn(episode: tuple[Path, list[e.Event]], tmp_path: Path,
                                             stubs: dict[str, Any]) -> None:
    rrd = loaded("rrd")
    with open_recording(episode[0], CODEC) as recording:
        rrd.write(recording, tmp_path / "a.rrd")
        began = {(t.branch, t.number): t.began for t in recording.turns()}
        known = states(recording.events())
    stream = stubs["rerun"].RecordingStream.return_value
    turn, seconds, seen = 0, 0.0, 0
    for name, args, given in stream.method_calls:
        if name == "set_time":
            turn, seconds = given.get("sequence", turn), given.get("duration", seconds)
        elif name == "log" and isinstance(args[1], tuple) and args[1][0] == "image":
            place = round(float(np.asarray(Image.open(io.BytesIO(args[1][1]))).mean()) / BRIGHTER)
            places = set[int]().union(*[found for (m, _), found in known.items() if m.turn == turn])
            assert place in places
            assert min(began.values()) <= seconds
            seen += 1
    assert seen == len([f for f in frames_in(episode[1]) if not f.is_missing])


def test_rerun_shows_no_other_picture_in_a_gap(tmp_path: Path, stubs: dict[str, Any]) -> None:
    rrd = loaded("rrd")
    recorded(tmp_path / "a.mcap")
    path = rewritten(tmp_path / "a.mcap", tmp_path / "b.mcap", gaps({3}))
    with open_recording(path, CODEC) as recording:
        rrd.write(recording, tmp_path / "a.rrd")
    turn, cleared = 0, []
    for name, args, given in stubs["rerun"].RecordingStream.return_value.method_calls:
        if name == "set_time":
            turn = given.get("sequence", turn)
        elif name == "log" and args[1] is stubs["rerun"].Clear.return_value:
            cleared.append((turn, args[0]))
    assert cleared == [(3, "frames/first_person")]


def test_the_places_tell_turns_apart() -> None:
    """Otherwise the tests above would prove nothing."""
    assert len({place_in(frame_of("dollhouse", k, 8, 8)) for k in range(10)}) == 10


def messages_of(path: Path, *topics: str) -> list[Any]:
    """Returns the messages of some topics, as read by the mcap package."""
    with path.open("rb") as file:
        return [message for _, _, message in make_reader(file).iter_messages(topics=list(topics))]


def test_other_viewers_find_each_picture_at_the_time_of_its_state(episode: tuple[Path, list[e.Event]]) -> None:
    path, events = episode
    times = {(Moment(x.branch, x.turn), "before" if isinstance(x.what, e.TurnBegan) else "after"): x.at
             for x in events if isinstance(x.what, e.TurnBegan | e.Acted)}
    shown = {event.number: event.what.facet for event in events
             if isinstance(event.what, e.Shown) and isinstance(event.what.facet, Frame)}
    messages = messages_of(path, "/frames/dollhouse", "/frames/first_person")
    zero = messages_of(path, "/events/began")[0].log_time / 1e9 - events[0].at
    assert len(messages) == len(shown)
    assert [m.log_time for m in messages] == sorted(m.log_time for m in messages), "readers play them by time"
    for message in messages:
        frame = shown[message.sequence]
        assert message.log_time / 1e9 - zero == pytest.approx(times[frame.moment, frame.phase], abs=1e-3)
