"""Files whose names are not UTF-8: every command works with them, and what it prints and writes is valid text."""

from __future__ import annotations

import csv
import json
import os
import shutil
from pathlib import Path

import pytest

import main
from core.common.visible import path_of
from core.recording.exports import EXPORTS
from core.recording.permalink import beside, read_link
from gui.library.acts import move_file_to_bin
from tests.long_tests import either

GRAPH = Path(__file__).resolve().parent / "sim" / "rendering" / "graphs" / "file721_2.json.gz"
RUN = ("run", "--planner", "oracle", "--scene", "four-rooms-1", "--seed", "0")


def odd(folder: Path, name: str) -> Path:
    """Returns a path whose name and folder are not UTF-8, or skips the test where the system has no such names."""
    try:
        (place := folder / os.fsdecode(b"caf\xe9")).mkdir(exist_ok=True)
    except OSError:
        pytest.skip("file names are Unicode here")
    return place / os.fsdecode(b"\xff " + name.encode())


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The recording of two turns with a picture, under such a name."""
    path = odd(tmp_path_factory.mktemp("odd"), "a.mcap")
    assert main.main([*RUN, "--task", "Put one apple inside the fridge", "--max-steps", "2", "--record", str(path),
                      "--views", "dollhouse"]) == 1
    return path


def done(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    """Returns the exit code of a command and what it printed, which must be valid text."""
    code = main.main(words)
    out, err = capsys.readouterr()
    (out + err).encode()
    return code, out or err


def test_the_library_lists_them_again_and_again(recording: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plain = recording.with_name("plain.mcap")
    shutil.copy(recording, plain)
    words = ("library", str(recording.parent), "--index", str(tmp_path / "index.sqlite"))
    for _ in range(2):
        code, said = done(capsys, *words)
        assert (code, r"| \xff a.mcap" in said, "| plain.mcap" in said) == (0, True, True)
    paths = {path_of(entry["path"]) for entry in json.loads(done(capsys, *words, "--json")[1])}
    assert paths == {recording, plain}
    assert done(capsys, *words, "--find", "file:plain")[1].count(".mcap") == 1
    plain.unlink()


@pytest.mark.parametrize("form", EXPORTS.ours)
def test_they_are_exported_to_such_names(form: str, recording: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = recording.with_name(f"{recording.name}.{form}")
    code, said = done(capsys, "export", str(recording), "--to", form, "--out", str(out))
    if "not installed here" in said:
        pytest.skip(said)
    if form == "lerobot":
        assert "both cameras" in said or code == 0
        return
    assert (code, said.startswith(r"wrote ")) == (0, True), said
    assert r"caf\xe9/\xff a.mcap" in said
    assert out.exists()
    if out.is_file() and form not in ("mp4", "rrd", "parquet"):
        out.read_bytes().decode()


def test_a_link_leads_to_them(recording: Path) -> None:
    out = recording.with_name("a.belvedere-link")
    assert main.main(["export", str(recording), "--to", "link", "--out", str(out)]) == 0
    link = read_link(out)
    assert (link.recording, beside(out, link)) == (recording.name, recording)


def test_failures_are_tabulated_with_them(recording: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "failures.csv"
    assert done(capsys, "failures", str(recording), "--evidence", "--out", str(out))[0] == 0
    with out.open(encoding="utf-8", newline="") as stream:
        assert [path_of(row["file"]) for row in csv.DictReader(stream)] == [recording]


@pytest.mark.parametrize("command", [("recover",), ("agreement",), ("examples", "add")], ids=" ".join)
def test_other_commands_read_them(command: tuple[str, ...], recording: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = recording.read_bytes()
    assert done(capsys, *command, str(recording))[0] in (0, 1)
    assert recording.read_bytes() == before


def test_a_scene_of_such_a_name_is_played_recorded_and_exported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    graph, out = odd(tmp_path, "graph.json.gz"), odd(tmp_path, "b.mcap")
    shutil.copy(GRAPH, graph)
    code, said = done(capsys, "run", "--planner", "oracle", "--scene", str(graph), "--max-steps", "1", "--json",
                      "--record", str(out), "--no-pictures")
    assert (code, path_of(json.loads(said)["scene"])) == (1, graph)
    for form in either(("csv", "jsonl"), ("csv", "jsonl", "html", "replies", "link")):
        assert done(capsys, "export", str(out), "--to", form, "--out", str(tmp_path / form))[0] == 0
    assert done(capsys, "library", str(out.parent), "--index", str(tmp_path / "index.sqlite"))[0] == 0


def test_an_evaluation_is_kept_read_and_tabulated_in_such_a_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder, table = odd(tmp_path, "results"), odd(tmp_path, "table")
    words = ("evaluate", "--suite", "llm-state", "--planner", "oracle", "--cell", "simple", "--trials", "1", "--jobs", "1",
             "--max-steps", "1", "--out", str(folder))
    for _ in range(2):
        assert done(capsys, *words)[0] == 0
    assert done(capsys, "episode", str(folder))[0] == 0
    assert done(capsys, "dataset", str(folder), "--out", str(table))[0] == 0
    assert r"\xff results" in (table / "README.md").read_text(encoding="utf-8")


def test_what_cannot_be_found_is_named_with_its_bytes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    missing = str(odd(tmp_path, "missing.json"))
    for words in (("recover", missing), ("run", "--scene", missing), ("library", missing), ("failures", missing),
                  ("export", missing, "--to", "csv", "--out", "x"), ("run", "--model-config", missing),
                  ("run", "--planner", os.fsdecode(b"or\xe9")), ("run", "--task", os.fsdecode(b"gr\xe9b"))):
        code, said = done(capsys, *words)
        assert (code, said.count("\n"), "\\x" in said or "caf%E9" in said) == (2, 1, True), said


def test_a_file_that_qt_cannot_name_is_not_put_in_the_bin_in_place_of_another(tmp_path: Path) -> None:
    path = odd(tmp_path, "a.mcap")
    path.write_bytes(b"")
    assert not move_file_to_bin(path)
    assert path.exists()
