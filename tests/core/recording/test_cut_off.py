"""What a killed console left is named at the next start, with what of it can be read. Nothing is repaired by that."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from core.recording.annotations import append
from core.recording.cut_off import RECENT, what_was_left
from core.recording.files import HIDDEN, Disk
from core.recording.recovery import recover
from core.session.annotation import Annotation, Change
from tests.core.recording.common import CODEC, recorded


def test_a_recording_that_was_cut_off_is_named_with_what_can_be_read(tmp_path: Path) -> None:
    folder, running = tmp_path / "recordings", tmp_path / "running"
    folder.mkdir()
    running.mkdir()
    assert what_was_left(running, folder, CODEC) == []
    whole, cut = folder / "whole.mcap", folder / "cut.mcap"
    recorded(whole, steps=3)
    data = whole.read_bytes()
    cut.write_bytes(data[:-40])
    append(cut, Change(None, Annotation("ann 1", "stuck", 0.0)))
    before = {path: path.read_bytes() for path in folder.iterdir()}
    assert what_was_left(running, folder, CODEC) == [
        f"cut.mcap was cut off: 3 turns and 1 label can be read; it is in {folder}"]
    assert {path: path.read_bytes() for path in folder.iterdir()} == before

    (running / f"{HIDDEN}of a killed one.mcap").write_bytes(data[:-40])
    (unsaved,) = what_was_left(running, folder, CODEC)
    assert unsaved.startswith("its unsaved run is now ")
    assert unsaved.endswith(f"unrecorded.mcap: 3 turns can be read; it is in {folder}")
    assert what_was_left(running, folder, CODEC) == [], "each is told of once, not again after each proper close"
    cut.write_bytes(data[:-60])
    assert len(what_was_left(running, folder, CODEC)) == 1, "another one of this name is"


def test_what_is_whole_written_repaired_foreign_or_old_is_not_named(tmp_path: Path) -> None:
    recorded(tmp_path / "a.mcap", steps=1)
    data = (tmp_path / "a.mcap").read_bytes()
    for name in ("repaired", "old", "repaired by an earlier version.cut-off"):
        (tmp_path / f"{name}.mcap").write_bytes(data[:-40])
    assert len(what_was_left(tmp_path / "running", tmp_path, CODEC)) == 2
    recover(tmp_path / "repaired.mcap")
    os.utime(tmp_path / "old.mcap", (1e9, (tmp_path / "a.mcap").stat().st_mtime - RECENT - 60))
    being_written = Disk(tmp_path / "now.mcap")
    being_written.append(memoryview(data[:100]))
    assert what_was_left(tmp_path / "running", tmp_path, CODEC) == []
    being_written.close()
    shutil.rmtree(tmp_path)
    assert what_was_left(tmp_path / "running", tmp_path, CODEC) == []
