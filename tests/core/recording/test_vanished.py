"""If another program deletes, moves, replaces or cuts a recording while it is written, it is saved elsewhere without loss."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from core.app import headless
from core.recording import writer
from core.recording.files import Disk
from core.recording.reader import open_recording
from core.recording.recorder import Autosave, Recorder
from core.recording.writer import Limits
from core.session.events import Acted, Event, Failed, Recovered
from tests.core.recording.common import CODEC, lines
from tests.core.session.toys import session

SHORT = Limits(patience=60.0, flush=0.0, sync=0.0)


def moved_over(path: Path) -> None:
    other = path.with_name("other")
    other.write_bytes(b"something else")
    other.replace(path)


def cut_to(path: Path, size: int) -> None:
    """Cuts a file that is larger. It is written on another thread, and a smaller file would only grow."""
    until = time.monotonic() + 20.0
    while path.stat().st_size <= size and time.monotonic() < until:
        time.sleep(0.001)
    assert path.stat().st_size > size
    os.truncate(path, size)


def folder_deleted(path: Path) -> None:
    """Deletes a folder at one moment. If it were deleted file by file, it could get the next recording meanwhile."""
    gone = path.parent.with_name("gone")
    path.parent.rename(gone)
    shutil.rmtree(gone)


HARM: dict[str, Callable[[Path], object]] = {
    "deleted": Path.unlink,
    "emptied": lambda path: cut_to(path, 0),
    "cut": lambda path: cut_to(path, 1000),
    "moved": lambda path: path.rename(path.with_name("elsewhere.mcap")),
    "replaced": moved_over,
    "folder deleted": folder_deleted,
}


@pytest.fixture
def documents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "documents"
    monkeypatch.setattr(writer, "recordings_folder", lambda: folder)
    return folder


def harmed_after(turns: int, harm: Callable[[], object]) -> Callable[[Event], None]:
    def hear(event: Event) -> None:
        if event.turn == turns and isinstance(event.what, Acted):
            harm()
    return hear


def whole(path: Path, events: list[Event]) -> None:
    """Checks that the file holds a run from its first event to its last, and has no notice."""
    with open_recording(path, CODEC) as recording:
        assert recording.notice == ""
        found = lines(list(recording.events()))
    assert found == lines(events)


@pytest.mark.parametrize("how", HARM)
@pytest.mark.parametrize("turn", [2, 5])
def test_a_harmed_recording_is_saved_elsewhere(how: str, turn: int, tmp_path: Path, documents: Path) -> None:
    said: list[Failed | Recovered] = []
    (tmp_path / "mine").mkdir()
    path = tmp_path / "mine" / "a.mcap"
    run, ear = session(steps=6)
    recorder = Recorder(path, said.append, codec=CODEC, limits=SHORT)
    run.follow(recorder.on_event)
    run.subscribe(harmed_after(turn, lambda: HARM[how](path)))
    run.run()
    recorder.close()
    (failed,) = said
    assert isinstance(failed, Failed)
    assert (failed.kind, failed.waits) == ("moved", False)
    assert str(path) in failed.message
    wanted = documents / "a 2.mcap" if how == "folder deleted" else path.with_name("a 2.mcap")
    assert recorder.path == wanted
    assert f"goes on in {wanted}, nothing was lost" in failed.message
    whole(wanted, ear.events)
    assert recorder.turns == sum(isinstance(e.what, Acted) for e in ear.events)


@pytest.mark.parametrize("how", HARM)
def test_after_the_last_event_it_is_noticed_at_the_end(how: str, tmp_path: Path, documents: Path) -> None:
    (tmp_path / "mine").mkdir()
    path = tmp_path / "mine" / "a.mcap"
    run, ear = session(steps=3)
    recorder = Recorder(path, lambda _: None, codec=CODEC, limits=SHORT)
    run.follow(recorder.on_event)
    run.run()
    HARM[how](path)
    recorder.close()
    assert recorder.path is not None
    assert recorder.path != path
    whole(recorder.path, ear.events)


@pytest.mark.parametrize("how", HARM)
def test_a_hidden_recording_survives_too(how: str, tmp_path: Path) -> None:
    folder = tmp_path / "hidden"
    run, ear = session(steps=4)
    autosave = Autosave(folder, lambda _: None, codec=CODEC, limits=SHORT)
    run.follow(autosave.on_event)
    run.subscribe(harmed_after(2, lambda: [HARM[how](p) for p in list(folder.glob(".*"))]))
    run.run()
    autosave.record(tmp_path / "b.mcap")
    autosave.close()
    whole(tmp_path / "b.mcap", ear.events)


def test_a_finished_recording_may_be_deleted_before_the_next_one(tmp_path: Path) -> None:
    run, ear = session(steps=3)
    autosave = Autosave(tmp_path, lambda _: None, codec=CODEC, limits=SHORT)
    run.follow(autosave.on_event)
    run.run()
    autosave.record(tmp_path / "a.mcap")
    autosave.stop()
    (tmp_path / "a.mcap").unlink()
    autosave.record(tmp_path / "b.mcap")
    autosave.close()
    whole(tmp_path / "b.mcap", ear.events)
    assert [p.name for p in tmp_path.iterdir()] == ["b.mcap"]


def test_headless_says_where_it_is(tmp_path: Path) -> None:
    path, said = tmp_path / "a.mcap", list[str]()

    def say(line: str) -> None:
        said.append(line)
        if line.strip().startswith("2 "):
            path.unlink()
    run, _ = session(steps=6)
    played = headless.follow(run.setup, say, path)
    assert played.recording == tmp_path / "a 2.mcap"
    assert any("was deleted" in line for line in said) or played.recording.is_file()


@pytest.mark.parametrize("cut", [0, 3])
def test_a_cut_between_a_check_and_a_write_is_found(cut: int, tmp_path: Path) -> None:
    disk = Disk(tmp_path / "a.mcap")
    disk.append(memoryview(b"the first turn"))
    assert disk.fault() == ""
    os.truncate(disk.path, cut)
    disk.append(memoryview(b", the second one"))
    assert disk.fault() == "was cut short"
    other, lost = disk.rescued(tmp_path / "b.mcap")
    other.append(memoryview(b" and the third"))
    other.close()
    assert lost == 0
    assert (tmp_path / "b.mcap").read_bytes() == b"the first turn, the second one and the third"


def test_what_another_program_appends_is_found(tmp_path: Path) -> None:
    disk = Disk(tmp_path / "a.mcap")
    disk.append(memoryview(b"the first turn"))
    with disk.path.open("ab") as file:
        file.write(b"not ours")
    disk.append(memoryview(b", the second one"))
    assert disk.fault() == "was written to"
    other, lost = disk.rescued(tmp_path / "b.mcap")
    other.close()
    assert (lost, (tmp_path / "b.mcap").read_bytes()) == (0, b"the first turn, the second one")
