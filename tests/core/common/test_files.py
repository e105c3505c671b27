"""A file is replaced as a whole or stays as it was, lines are appended whole or not at all, and nothing of others is lost."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from core.common.errors import DataError
from core.common.files import AppendedFile, append_lines, locked, replace_file, replacing
from core.common.installation import ROOT
from tests.full_disk import full_disk

OLD, NEW = b"old" * 500, b"new" * 500
DIES = f"""
import os, signal, sys
sys.path.insert(0, {str(ROOT)!r})
from pathlib import Path
from core.common.files import replacing
with replacing(Path(sys.argv[1])) as draft:
    draft.write_bytes(b"half")
    os.kill(os.getpid(), signal.SIGKILL)
"""


def fails(path: Path) -> None:
    with replacing(path) as draft:
        draft.write_bytes(b"half")
        raise DataError("no content")


@pytest.mark.parametrize("write", [lambda path: replace_file(path, NEW), fails], ids=["no room", "no content"])
def test_a_file_that_cannot_be_written_stays_as_it_was_and_leaves_no_draft(tmp_path: Path,
                                                                           write: Callable[[Path], None]) -> None:
    path = tmp_path / "file.json"
    path.write_bytes(OLD)
    with full_disk(1000), pytest.raises(DataError) as error:
        write(path)
    assert path.read_bytes() == OLD
    assert [one.name for one in tmp_path.iterdir()] == ["file.json"]
    assert "no content" in str(error.value) or f"cannot write {path}: File too large; make room" in str(error.value)


def test_links_are_followed_and_rights_are_kept(tmp_path: Path) -> None:
    path, link = tmp_path / "in" / "file.json", tmp_path / "link.json"
    link.symlink_to(path)
    with pytest.raises(DataError, match="No such file or directory"):
        replace_file(link, OLD)
    with replacing(link, makes_folder=True) as draft:
        draft.write_bytes(OLD)
    path.chmod(0o600)
    replace_file(link, NEW)
    assert (link.is_symlink(), path.read_bytes(), path.stat().st_mode & 0o777) == (True, NEW, 0o600)


def test_a_file_that_is_read_only_is_not_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file.json"
    path.write_bytes(OLD)
    monkeypatch.setattr(os, "access", lambda *_, **__: False)  # the user of this test may be root, who may write it
    with pytest.raises(DataError, match="it is read-only"):
        replace_file(path, NEW)
    assert path.read_bytes() == OLD


def test_what_is_no_file_is_written_to_or_named(tmp_path: Path) -> None:
    replace_file(Path("/dev/null"), NEW)
    assert not Path("/dev/null").is_file()
    with pytest.raises(DataError, match="Is a directory"):
        replace_file(tmp_path, NEW)
    with pytest.raises(DataError, match="null"):
        replace_file(tmp_path / "a\0b", NEW)


def test_the_draft_of_a_killed_process_is_in_nobody_s_way(tmp_path: Path) -> None:
    path = tmp_path / "file.json"
    path.write_bytes(OLD)
    ended = subprocess.run([sys.executable, "-c", DIES, str(path)], check=False, timeout=60)
    assert ended.returncode == -signal.SIGKILL
    assert path.read_bytes() == OLD
    assert len(list(tmp_path.iterdir())) == 2, "its draft"
    replace_file(path, NEW)
    assert path.read_bytes() == NEW
    assert [one.name for one in tmp_path.iterdir()] == ["file.json"]


def test_changes_at_the_same_time_are_all_kept(tmp_path: Path) -> None:
    path, numbers = tmp_path / "file.json", list(range(40))
    path.write_text("[]")

    def add(number: int) -> None:
        with replacing(path) as draft:
            draft.write_text(json.dumps([*json.loads(path.read_bytes()), number]))

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(add, numbers))
    assert sorted(json.loads(path.read_bytes())) == numbers


def test_a_file_is_written_in_place_of_the_old_one_by_whatever_writes_files(tmp_path: Path) -> None:
    path = tmp_path / "plot.png"
    path.write_bytes(OLD)
    with replacing(path) as draft:
        assert draft.suffix == ".png", "some writers choose the format by it"
        draft.write_bytes(NEW)
        assert path.read_bytes() == OLD
    assert path.read_bytes() == NEW


def test_a_line_is_appended_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    append_lines(path, "one")
    with AppendedFile(path) as file:
        for size in range(4, 10):
            with full_disk(size), pytest.raises(DataError, match=f"cannot write {path}"):
                file.add("second")
            assert path.read_bytes() == b"one\n"
        file.add("second")
        with full_disk(13), pytest.raises(DataError):
            file.add("a", "b")
    assert path.read_bytes() == b"one\nsecond\n"


def test_a_half_written_last_line_is_ended_and_everything_else_stays(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    path.write_bytes(b"one\ntw")
    append_lines(path)
    append_lines(path)
    assert path.read_bytes() == b"one\ntw\n"
    path.write_bytes(b"one\ntw")
    append_lines(path, "three")
    assert path.read_bytes() == b"one\ntw\nthree\n"


def test_lines_that_are_appended_at_the_same_time_do_not_mix(tmp_path: Path) -> None:
    path, lines = tmp_path / "lines", [f"{number} " * 2000 for number in range(40)]
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(lambda line: append_lines(path, line), lines))
    assert sorted(path.read_text().splitlines()) == sorted(lines)


def test_a_lock_is_held_by_one_at_a_time_and_said_to_be(tmp_path: Path) -> None:
    path = tmp_path / "in" / "lock"
    with locked(path, "wait", patience=0), pytest.raises(DataError, match="wait"), locked(path, "wait", patience=0):
        raise AssertionError("it is held")
    with locked(path, "wait", patience=0):
        assert path.exists()
    (tmp_path / "file").touch()
    with pytest.raises(DataError, match="cannot write"), locked(tmp_path / "file" / "lock", "wait"):
        raise AssertionError("it cannot be made")


@pytest.mark.parametrize("how", ["deleted", "replaced", "moved away"])
def test_lines_go_to_the_file_that_has_the_name_when_they_are_added(how: str, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    with AppendedFile(path) as file:
        file.add("1")
        match how:
            case "deleted":
                path.unlink()
            case "replaced":
                (tmp_path / "new").write_text("1\nedited\n")
                (tmp_path / "new").replace(path)
            case _:
                path.rename(tmp_path / "old")
        file.add("2")
        file.add("3")
    assert path.read_text().splitlines() == [*(["1", "edited"] if how == "replaced" else []), "2", "3"]


@pytest.mark.parametrize("name", ["n" * 251 + ".csv", "é" * 125 + ".csv", "n" * 255, "." + "e" * 254])
def test_any_name_that_a_file_can_have_is_replaced(name: str, tmp_path: Path) -> None:
    replace_file(tmp_path / name, b"old")
    replace_file(tmp_path / name, b"new")
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [(name, b"new")]


@pytest.mark.skipif(sys.platform == "win32", reason="pipes with a name")
def test_a_pipe_in_the_place_of_a_lock_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "lock")
    with pytest.raises(DataError, match="it is a pipe"), locked(tmp_path / "lock", "busy"):
        pass


def test_lines_are_not_appended_to_a_pipe(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "runs.jsonl")
    with pytest.raises(DataError, match="it is a pipe, a folder or a device, not a file; move it away"):
        append_lines(tmp_path / "runs.jsonl", "a line")
