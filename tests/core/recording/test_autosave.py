"""A run that is not recorded yet is kept on disk in an autosave without a name."""

from __future__ import annotations

import errno
import io
import os
import shutil
import threading
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

import pytest

from core.common.errors import DataError
from core.common.files import lock, lock_by
from core.planning.facets import Facet
from core.recording.cut_off import left_behind
from core.recording.files import HIDDEN, Disk, is_being_written, labels_of_user, move_recording, sidecar
from core.recording.reader import open_recording
from core.recording.recorder import Autosave, Recorder
from core.session.events import (
    Acted,
    Annotated,
    Ended,
    Event,
    Failed,
    Paused,
    Payload,
    Recovered,
    Shown,
    TurnBegan,
)
from tests.core.recording.common import CODEC, PATIENT, frame_event, lines
from tests.core.session.toys import session
from tests.waiting import PATIENCE


def hidden(folder: Path) -> list[Path]:
    """Returns the autosave files."""
    return [path for path in folder.iterdir() if path.name.startswith(HIDDEN)]


def test_switched_on_late_it_holds_the_first_turn(tmp_path: Path) -> None:
    said: list[Failed | Recovered] = []
    run, ear = session()
    autosave = Autosave(tmp_path, said.append, codec=CODEC, limits=PATIENT)
    run.follow(autosave.on_event)

    def late(event: Event) -> None:
        if event.turn == 3:
            autosave.record(tmp_path / "late.mcap")

    run.subscribe(late)
    run.run()
    autosave.stop()
    autosave.stop()
    autosave.close()
    assert not said
    assert not hidden(tmp_path)
    with open_recording(tmp_path / "late.mcap", CODEC) as recording:
        assert lines(list(recording.events())) == lines(ear.events)


def test_every_recording_of_a_run_begins_with_its_first_event(tmp_path: Path) -> None:
    run, ear = session(steps=12)
    run.run()
    autosave = Autosave(tmp_path, lambda said: None, codec=CODEC, limits=PATIENT)
    ends = {}
    pictures = [frame_event(len(ear.events) + k) for k in range(3)]
    told = [*ear.events, *pictures]
    for k, event in enumerate(told):
        if k in (5, 30):
            autosave.record(tmp_path / f"{k}.mcap")
        autosave.on_event(event)
        if k in (20, len(told) - 1):
            autosave.stop()
            ends[5 if k == 20 else 30] = k + 1
    autosave.close()
    assert not hidden(tmp_path)
    for begun, end in ends.items():
        with open_recording(tmp_path / f"{begun}.mcap", CODEC) as recording:
            assert recording.notice == ""
            events = list(recording.events())
            assert [e.number for e in events] == [e.number for e in told[:end]]
            assert lines(events)[:len(ear.events)] == lines(ear.events)[:end]
            assert len(list(recording.jpegs("first person"))) == (3 if begun == 30 else 0), "pictures are kept too"


def test_what_nobody_records_leaves_nothing_and_little_in_memory(tmp_path: Path) -> None:
    autosave = Autosave(tmp_path / "not yet", lambda said: None, codec=CODEC, limits=PATIENT)
    run, _ = session(steps=6)
    run.follow(autosave.on_event)
    during: list[int] = []
    run.subscribe(lambda event: during.append(len(hidden(tmp_path / "not yet"))) if isinstance(event.what, Acted) else None)
    run.run()
    autosave.close()
    autosave.close()
    assert during == [1] * 5
    assert list((tmp_path / "not yet").iterdir()) == []


def test_where_no_hidden_file_can_be_made_a_recording_still_holds_all(tmp_path: Path) -> None:
    (tmp_path / "no folder").write_text("a file")
    said: list[Failed | Recovered] = []
    autosave = Autosave(tmp_path / "no folder", said.append, codec=CODEC, limits=PATIENT)
    run, ear = session(steps=6)
    run.follow(autosave.on_event)
    run.run()
    assert not said, "nobody wanted it recorded"
    autosave.record(tmp_path / "a.mcap")
    with pytest.raises(DataError, match="exists already"):
        Recorder(tmp_path / "a.mcap", lambda said: None)
    autosave.close()
    with open_recording(tmp_path / "a.mcap", CODEC) as recording:
        assert lines(list(recording.events())) == lines(ear.events)


def test_a_name_that_is_taken_is_refused_and_the_run_goes_on_being_kept(tmp_path: Path) -> None:
    (tmp_path / "taken.mcap").write_text("precious")
    autosave = Autosave(tmp_path, lambda said: None, codec=CODEC, limits=PATIENT)
    run, ear = session(steps=6)
    run.follow(autosave.on_event)
    run.run()
    with pytest.raises(DataError, match="exists already"):
        autosave.record(tmp_path / "taken.mcap")
    assert autosave.recorder is None
    autosave.record(tmp_path / "free.mcap")
    autosave.close()
    assert (tmp_path / "taken.mcap").read_text() == "precious"
    with open_recording(tmp_path / "free.mcap", CODEC) as recording:
        assert lines(list(recording.events())) == lines(ear.events)


def test_a_recording_may_move_to_another_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def elsewhere(old: Path, new: Path) -> None:
        raise OSError(errno.EXDEV, "Invalid cross-device link")

    monkeypatch.setattr(os, "link", elsewhere)
    autosave = Autosave(tmp_path / "here", lambda said: None, codec=CODEC, limits=PATIENT)
    run, ear = session(steps=6)
    run.follow(autosave.on_event)
    run.run()
    autosave.record(tmp_path / "there.mcap")
    autosave.close()
    assert not hidden(tmp_path / "here")
    with open_recording(tmp_path / "there.mcap", CODEC) as recording:
        assert lines(list(recording.events())) == lines(ear.events)


def test_a_killed_run_that_nobody_recorded_gets_a_name(tmp_path: Path) -> None:
    autosave = Autosave(tmp_path, lambda said: None, codec=CODEC, limits=PATIENT)
    run, ear = session(steps=6)
    run.follow(autosave.on_event)
    run.run()
    (path,) = hidden(tmp_path)
    assert left_behind(tmp_path, tmp_path, CODEC) == [], "its console is still there"
    shutil.copy(path, tmp_path / f"{HIDDEN}of a killed one.mcap")
    (tmp_path / f"{HIDDEN}empty.mcap").touch()
    (found,) = left_behind(tmp_path, tmp_path / "recordings", CODEC)
    assert found.parent == tmp_path / "recordings"
    assert "unrecorded" in found.name
    assert hidden(tmp_path) == [path]
    with open_recording(found, CODEC) as recording:
        assert lines(list(recording.events())) == lines(ear.events)
    autosave.close()


@pytest.mark.parametrize("is_over", [True, False])
def test_a_file_that_is_just_being_made_is_not_taken_for_one_that_was_left(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_over: bool) -> None:
    """A window looks for what was left at its first run, whose own file is made at that moment, and not yet locked."""
    looked, decides = threading.Event(), threading.Event()
    looks = threading.Thread(target=left_behind, args=(tmp_path, tmp_path / "recordings", CODEC))

    def lock_late(file: io.FileIO, end: float) -> bool:
        if not looked.is_set():
            looks.start()
            looked.wait(PATIENCE)
            decides.set()
            if is_over:
                looks.join(PATIENCE)
        return lock_by(file, end)

    def lock_first(file: BinaryIO) -> bool:
        is_free = lock(file)
        looked.set()
        decides.wait(PATIENCE)
        return is_free

    monkeypatch.setattr("core.recording.files.lock_by", lock_late)
    monkeypatch.setattr("core.recording.cut_off.lock", lock_first)
    disk = Disk(tmp_path / f"{HIDDEN}1.mcap")
    looks.join(PATIENCE)
    assert disk.fault() == ""
    assert is_being_written(disk.path)
    disk.append(memoryview(b"a turn"))
    assert left_behind(tmp_path, tmp_path / "recordings", CODEC) == []
    assert disk.path.read_bytes() == b"a turn"
    disk.close()


@pytest.mark.parametrize(("last", "is_kept"), [(Paused("asked to"), False), (Annotated("odd", "a note", "point"), True)])
def test_a_killed_console_that_was_only_opened_leaves_nothing_to_tell_of(tmp_path: Path, last: Payload, is_kept: bool) -> None:
    run, ear = session(steps=1)
    run.run()
    began = next(event for event in ear.events if isinstance(event.what, TurnBegan))
    autosave = Autosave(tmp_path / "running", lambda said: None, codec=CODEC, limits=PATIENT)
    for number, event in enumerate((ear.events[0], began, replace(began, what=last))):
        autosave.on_event(replace(event, number=number))
    kept = autosave.close(keep=True)
    assert kept is not None
    kept.release()
    assert len(left_behind(tmp_path / "running", tmp_path, CODEC)) == is_kept
    assert hidden(tmp_path / "running") == []


@pytest.mark.parametrize("was_recorded", [False, True])
def test_the_labels_of_a_run_that_is_thrown_away_go_with_it_unless_a_recording_needs_them(
        tmp_path: Path, was_recorded: bool) -> None:
    autosave = Autosave(tmp_path / "running", lambda said: None, codec=CODEC, limits=PATIENT)
    run, _ = session(steps=6)
    run.follow(autosave.on_event)
    run.run()
    labels = labels_of_user(autosave.run)
    labels.parent.mkdir(parents=True, exist_ok=True)
    labels.write_text("a label\n")
    if was_recorded:
        autosave.record(tmp_path / "a.mcap")
        autosave.stop()
    kept = autosave.close(keep=True)
    assert kept is not None
    kept.remove()
    assert labels.exists() == was_recorded


def test_a_recording_that_cannot_be_moved_keeps_its_labels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old, new = tmp_path / "a.mcap", tmp_path / "b.mcap"
    old.write_text("a run")
    sidecar(old).write_text("a label\n")
    sidecar(new).write_text("a label of another run\n")
    with pytest.raises(DataError, match="exists already"):
        move_recording(old, new)
    sidecar(new).unlink()
    move = shutil.move

    def full(source: Path, target: Path) -> None:
        if source == old:
            Path(target).write_text("a")
            raise OSError(errno.ENOSPC, "no space left")
        move(source, target)
    monkeypatch.setattr(shutil, "move", full)
    with pytest.raises(DataError, match=r"cannot move a.mcap to .*no space left"):
        move_recording(old, new)
    assert sorted(path.name for path in tmp_path.iterdir()) == [old.name, sidecar(old).name]
    assert (old.read_text(), sidecar(old).read_text()) == ("a run", "a label\n")


@dataclass(frozen=True)
class Stranger(Facet):
    text: str = ""


def test_labels_that_are_written_while_a_recording_is_moved_go_along(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever wrote them looked for the recording just before: they stayed beside a file that was not there any more."""
    old, new, move = tmp_path / "a.mcap", tmp_path / "b.mcap", shutil.move
    old.write_text("a recording")
    sidecar(old).write_text("one\n")

    def late(source: Path, target: Path) -> None:
        move(source, target)
        if source == sidecar(old):
            sidecar(old).write_text("one\ntwo\n")

    monkeypatch.setattr(shutil, "move", late)
    move_recording(old, new)
    assert sidecar(new).read_text() == "one\ntwo\n"
    assert sorted(tmp_path.iterdir()) == sorted((new, sidecar(new)))


def test_what_cannot_be_recorded_is_said_when_somebody_wants_a_recording(tmp_path: Path) -> None:
    said: list[Failed | Recovered] = []
    autosave = Autosave(tmp_path, said.append, codec=CODEC, limits=PATIENT)
    for number in range(3):
        autosave.on_event(Event(number, 0.0, 0, 0, Shown(Stranger())))
    turn_over = autosave.on_event(Event(3, 1.0, 0, 0, Ended(False, "over", ())))
    assert turn_over is not None
    turn_over.wait()
    assert not said
    autosave.record(tmp_path / "a.mcap")
    autosave.close()
    assert [(f.kind, f.waits, "Stranger" in f.message) for f in said if isinstance(f, Failed)] == [("refused", False, True)]


def test_a_finished_run_is_kept_saved_or_removed(tmp_path: Path) -> None:
    for saved in (True, False):
        autosave = Autosave(tmp_path / "running", lambda said: None, codec=CODEC, limits=PATIENT)
        run, ear = session(steps=6)
        run.follow(autosave.on_event)
        run.run()
        kept = autosave.close(keep=True)
        assert kept is not None
        assert autosave.close() is kept
        assert kept.size > 1000
        sidecar(kept.path).write_text("a label\n")
        assert left_behind(tmp_path / "running", tmp_path, CODEC) == [], "its window is still there"
        if saved:
            (tmp_path / "taken.mcap").write_text("precious")
            with pytest.raises(DataError, match="exists already"):
                kept.save(tmp_path / "taken.mcap")
            path = kept.save(tmp_path / "a.mcap")
            assert sidecar(path).read_text() == "a label\n"
            with open_recording(path, CODEC) as recording:
                assert recording.notice == ""
                assert lines(list(recording.events())) == lines(ear.events)
        else:
            kept.remove()
        assert list((tmp_path / "running").iterdir()) == []


def test_a_kept_run_that_a_crash_leaves_is_found_with_its_labels(tmp_path: Path) -> None:
    autosave = Autosave(tmp_path / "running", lambda said: None, codec=CODEC, limits=PATIENT)
    run, _ = session(steps=6)
    run.follow(autosave.on_event)
    run.run()
    kept = autosave.close(keep=True)
    assert kept is not None
    sidecar(kept.path).write_text("a label\n")
    kept.release()
    (found,) = left_behind(tmp_path / "running", tmp_path, CODEC)
    assert sidecar(found).read_text() == "a label\n"
    assert list((tmp_path / "running").iterdir()) == []


def test_a_run_that_cannot_be_kept_says_so(tmp_path: Path) -> None:
    (tmp_path / "no folder").write_text("a file")
    autosave = Autosave(tmp_path / "no folder", lambda said: None, codec=CODEC, limits=PATIENT)
    run, _ = session(steps=6)
    run.follow(autosave.on_event)
    run.run()
    with pytest.raises(DataError, match="could not be kept"):
        autosave.close(keep=True)


def test_a_run_goes_on_being_kept_after_a_recording_that_could_not_be_finished(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run, ear = session(steps=6)
    run.run()
    autosave = Autosave(tmp_path, lambda said: None, codec=CODEC, limits=replace(PATIENT, sync=0.5))
    autosave.record(tmp_path / "a.mcap")
    real, full = Disk.append, list[bool]()

    def append(disk: Disk, data: memoryview) -> None:
        if full:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        real(disk, data)

    monkeypatch.setattr(Disk, "append", append)
    middle = next(k for k, event in enumerate(ear.events) if isinstance(event.what, Acted)) + 1
    for event in ear.events[:middle]:
        if (over := autosave.on_event(event)) is not None:
            over.wait()  # written, and not waited for on the device yet
    full.append(True)
    for event in ear.events[middle:]:
        autosave.on_event(event)
    with pytest.raises(DataError, match="could not be written"):
        autosave.stop()
    full.clear()
    time.sleep(0.7)  # the recorder looks whether something is to be synced
    kept = autosave.close(keep=True)
    assert kept is not None
    with open_recording(kept.path, CODEC) as recording:
        assert lines(list(recording.events())) == lines(ear.events)
    kept.remove()
