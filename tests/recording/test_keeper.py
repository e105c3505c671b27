"""A run that nobody recorded yet is kept all the same, on the disk and by no name."""

from __future__ import annotations

import errno
import os
import shutil
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from core.errors import DataError
from core.events import Acted, Ended, Event, Failed, Recovered, Shown
from core.facets import Facet
from core.recording.keeper import Keeper, left_behind
from core.recording.reader import open_recording
from core.recording.recorder import Limits, Recorder
from core.recording.spool import HIDDEN, Disk
from tests.recording.common import CODEC, PATIENT, frame_event, lines
from tests.session.toys import session


def hidden(folder: Path) -> list[Path]:
    """Files nobody asked for."""
    return [path for path in folder.iterdir() if path.name.startswith(HIDDEN)]


def test_switched_on_late_it_holds_the_first_turn(tmp_path: Path) -> None:
    said: list[Failed | Recovered] = []
    run, ear = session()
    keeper = Keeper(tmp_path, said.append, codec=CODEC, limits=PATIENT)
    run.subscribe(keeper.hear)

    def late(event: Event) -> None:
        if event.turn == 3:
            keeper.record(tmp_path / "late.mcap")

    run.subscribe(late)
    run.run()
    keeper.stop()
    keeper.stop()
    keeper.close()
    assert not said
    assert not hidden(tmp_path)
    with open_recording(tmp_path / "late.mcap", CODEC) as recording:
        assert lines(list(recording.events())) == lines(ear.events)


def test_every_recording_of_a_run_begins_with_its_first_event(tmp_path: Path) -> None:
    run, ear = session(steps=12)
    run.run()
    keeper = Keeper(tmp_path, lambda said: None, codec=CODEC, limits=PATIENT)
    ends = {}
    pictures = [frame_event(len(ear.events) + k) for k in range(3)]
    told = [*ear.events, *pictures]
    for k, event in enumerate(told):
        if k in (5, 30):
            keeper.record(tmp_path / f"{k}.mcap")
        keeper.hear(event)
        if k in (20, len(told) - 1):
            keeper.stop()
            ends[5 if k == 20 else 30] = k + 1
    keeper.close()
    assert not hidden(tmp_path)
    for begun, end in ends.items():
        with open_recording(tmp_path / f"{begun}.mcap", CODEC) as recording:
            assert recording.notice == ""
            events = list(recording.events())
            assert [e.number for e in events] == [e.number for e in told[:end]]
            assert lines(events)[:len(ear.events)] == lines(ear.events)[:end]
            assert len(list(recording.jpegs("first person"))) == (3 if begun == 30 else 0), "pictures are kept too"


def test_what_nobody_records_leaves_nothing_and_little_in_memory(tmp_path: Path) -> None:
    keeper = Keeper(tmp_path / "not yet", lambda said: None, codec=CODEC, limits=PATIENT)
    run, _ = session(steps=6)
    run.subscribe(keeper.hear)
    during: list[int] = []
    run.subscribe(lambda event: during.append(len(hidden(tmp_path / "not yet"))) if isinstance(event.what, Acted) else None)
    run.run()
    keeper.close()
    keeper.close()
    assert during == [1] * 5
    assert list((tmp_path / "not yet").iterdir()) == []


def test_where_no_hidden_file_can_be_made_a_recording_still_holds_all(tmp_path: Path) -> None:
    (tmp_path / "no folder").write_text("a file")
    said: list[Failed | Recovered] = []
    keeper = Keeper(tmp_path / "no folder", said.append, codec=CODEC, limits=PATIENT)
    run, ear = session(steps=6)
    run.subscribe(keeper.hear)
    run.run()
    assert not said, "nobody wanted it recorded"
    keeper.record(tmp_path / "a.mcap")
    with pytest.raises(DataError, match="exists already"):
        Recorder(tmp_path / "a.mcap", lambda said: None)
    keeper.close()
    with open_recording(tmp_path / "a.mcap", CODEC) as recording:
        assert lines(list(recording.events())) == lines(ear.events)


def test_a_name_that_is_taken_is_refused_and_the_run_goes_on_being_kept(tmp_path: Path) -> None:
    (tmp_path / "taken.mcap").write_text("precious")
    keeper = Keeper(tmp_path, lambda said: None, codec=CODEC, limits=PATIENT)
    run, ear = session(steps=6)
    run.subscribe(keeper.hear)
    run.run()
    with pytest.raises(DataError, match="exists already"):
        keeper.record(tmp_path / "taken.mcap")
    assert keeper.recorder is None
    keeper.record(tmp_path / "free.mcap")
    keeper.close()
    assert (tmp_path / "taken.mcap").read_text() == "precious"
    with open_recording(tmp_path / "free.mcap", CODEC) as recording:
        assert lines(list(recording.events())) == lines(ear.events)


def test_a_recording_may_move_to_another_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def elsewhere(old: Path, new: Path) -> None:
        raise OSError(errno.EXDEV, "Invalid cross-device link")

    monkeypatch.setattr(os, "link", elsewhere)
    keeper = Keeper(tmp_path / "here", lambda said: None, codec=CODEC, limits=PATIENT)
    run, ear = session(steps=6)
    run.subscribe(keeper.hear)
    run.run()
    keeper.record(tmp_path / "there.mcap")
    keeper.close()
    assert not hidden(tmp_path / "here")
    with open_recording(tmp_path / "there.mcap", CODEC) as recording:
        assert lines(list(recording.events())) == lines(ear.events)


def test_a_killed_run_that_nobody_recorded_gets_a_name(tmp_path: Path) -> None:
    keeper = Keeper(tmp_path, lambda said: None, codec=CODEC, limits=PATIENT)
    run, ear = session(steps=6)
    run.subscribe(keeper.hear)
    run.run()
    (path,) = hidden(tmp_path)
    assert left_behind(tmp_path, tmp_path) == [], "its console is still there"
    shutil.copy(path, tmp_path / f"{HIDDEN}of a killed one.mcap")
    (tmp_path / f"{HIDDEN}empty.mcap").touch()
    (found,) = left_behind(tmp_path, tmp_path / "recordings")
    assert found.parent == tmp_path / "recordings"
    assert "unrecorded" in found.name
    assert hidden(tmp_path) == [path]
    with open_recording(found, CODEC) as recording:
        assert lines(list(recording.events())) == lines(ear.events)
    keeper.close()


@dataclass(frozen=True)
class Stranger(Facet):
    text: str = ""


def test_what_cannot_be_recorded_is_said_when_somebody_wants_a_recording(tmp_path: Path) -> None:
    said: list[Failed | Recovered] = []
    keeper = Keeper(tmp_path, said.append, codec=CODEC, limits=PATIENT)
    for number in range(3):
        keeper.hear(Event(number, 0.0, 0, 0, Shown(Stranger())))
    turn_over = keeper.hear(Event(3, 1.0, 0, 0, Ended(False, "over", ())))
    assert turn_over is not None
    turn_over.wait()
    assert not said
    keeper.record(tmp_path / "a.mcap")
    keeper.close()
    assert [(f.kind, f.waits, "Stranger" in f.message) for f in said if isinstance(f, Failed)] == [("refused", False, True)]


def test_a_recording_ended_on_a_full_disk_leaves_its_thread_alive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was written but not yet on the device when the file was given up must not be waited for any more."""
    run, ear = session(steps=3)
    keeper = Keeper(tmp_path, lambda _: None, codec=CODEC, limits=Limits(patience=60.0, sync=1.0))
    run.subscribe(keeper.hear)
    run.run()
    keeper.record(tmp_path / "a.mcap")
    append, full = Disk.append, [True]

    def perhaps(disk: Disk, data: memoryview) -> None:
        if full:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        append(disk, data)
    monkeypatch.setattr(Disk, "append", perhaps)
    with pytest.raises(DataError, match="No space left"):
        keeper.stop()
    time.sleep(1.5)
    full.clear()
    keeper.record(tmp_path / "b.mcap")
    keeper.close()
    with open_recording(tmp_path / "b.mcap", CODEC) as recording:
        assert [e.number for e in recording.events()] == [e.number for e in ear.events]
