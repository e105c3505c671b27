"""Exports of recordings for other programs."""

from __future__ import annotations

import csv
import json
import os
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from importlib.metadata import EntryPoint
from importlib.util import find_spec
from pathlib import Path

import pytest

from core.common.errors import DataError, MissingPart, UsageError
from core.common.registry import Registry
from core.recording import exports
from core.recording.annotations import Annotation, Change, append
from core.recording.exports import EXPORTS, about, export, export_all
from core.recording.exports.timeline import spread
from core.recording.reader import Recording
from core.session.commands import Annotate, KeepPictures, Look, Override
from core.session.events import TurnBegan
from tests.core.recording.common import CODEC, recorded, recorder_of
from tests.core.recording.test_lerobot import recorded as pictured
from tests.core.session.toys import LEFT, Guide, session


def broken(recording: Recording, out: Path) -> Path:
    """An exporter of another package with a mistake in it."""
    out.write_text(recording.snapshot_at().line[0].no_such_field, encoding="utf-8")  # type: ignore[attr-defined]
    return out


NASTY = "<script>alert(1)</script> & \"quotes\" =1+1"


@pytest.fixture(scope="module")
def episode(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns a short run with pictures, a correction, and labels that contain markup."""
    path = tmp_path_factory.mktemp("episode") / "a.mcap"
    run, ear = session(model=Guide())
    recorder = recorder_of(path, run, [])
    ear.when(lambda e: isinstance(e.what, TurnBegan) and e.turn == 2, Override(LEFT, True, NASTY), Annotate("odd", NASTY))
    run.post(Look(("first person", "dollhouse"), 64, 48))
    run.post(KeepPictures())
    run.run()
    recorder.close()
    append(path, Change(None, Annotation("ann 1", "good", 0.0, turn=1, rating=4, annotator="ann")))
    return path


def test_jsonl_is_as_its_help_says(episode: Path, tmp_path: Path) -> None:
    out = export(episode, "jsonl", tmp_path / "a.jsonl", CODEC)
    rows = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    assert [row["line"] for row in rows if row["line"] != "event"] == ["recording", "annotation", "annotation"]
    events = [row for row in rows if row["line"] == "event"]
    assert [row["number"] for row in events] == list(range(len(events)))
    help_page = (Path(__file__).parents[3] / "resources" / "help" / "recording-jsonl.md").read_text("utf-8")
    assert {row["event"] for row in events} <= set(re.findall(r"`(\w+)`", help_page))
    acted = next(row for row in events if row["event"] == "Acted")
    assert acted["outcome"]["action"] == {"type": "Action", "verb": "go", "args": ["right"]}
    assert events[-1]["facet"]["pixels"] == {"type": "array", "shape": [48, 64, 0]}
    assert rows[-1]["label"] == "odd"


def test_csv_has_a_row_a_decision_and_no_formulas(episode: Path, tmp_path: Path) -> None:
    out = export(episode, "csv", tmp_path / "a.csv", CODEC)
    with out.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["action"] for row in rows][:2] == ["go right", "go left"]
    assert (rows[1]["by"], rows[1]["because"], rows[1]["ok"]) == ("operator", NASTY, "True")
    assert rows[0]["rating"] == "4.0"
    assert not any(cell.startswith(("=", "+", "-", "@")) for row in rows for cell in row.values())


class Page(HTMLParser):
    """Collects the elements of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.text += data


def test_html_is_one_page_that_reaches_nowhere_and_runs_nothing_foreign(episode: Path, tmp_path: Path) -> None:
    out = export(episode, "html", tmp_path / "a.html", CODEC)
    page = Page()
    page.feed(out.read_text("utf-8"))
    assert page.tags.count("script") == 1
    assert page.tags.count("article") == 7
    assert page.tags.count("img") == 16, "one a turn and view, and those after the last action"
    assert NASTY in page.text
    assert not [v for k, v in page.attributes if k in ("src", "href") and v and not v.startswith(("data:", "#"))]
    for word in ("Walk to 5", "walker", "reached", "rated 4 of 5", "go left", "pace at"):
        assert word in page.text
    assert "prefers-color-scheme: dark" in out.read_text("utf-8")


def test_the_page_of_an_episode_whose_goal_held_at_the_start_shows_the_scene(tmp_path: Path) -> None:
    path = pictured(tmp_path / "a.mcap", goal=0)
    page = Page()
    page.feed(export(path, "html", tmp_path / "a.html", CODEC).read_text("utf-8"))
    assert "Nothing was done in this episode." in page.text
    assert page.tags.count("img") == 2, "one a view"


def test_each_label_has_a_row_on_the_timeline_of_the_page(episode: Path, tmp_path: Path) -> None:
    path = Path(shutil.copy(episode, tmp_path / "many.mcap"))
    names = [f"label {k}" for k in range(7)]
    for k, name in enumerate(names):
        append(path, Change(None, Annotation(f"ann {k}", name, 0.0, turn=1, annotator="ann")))
    page = export(path, "html", tmp_path / "a.html", CODEC).read_text("utf-8")
    timeline = page.partition("<svg")[2].partition("</svg>")[0]
    high = float(timeline.partition('viewBox="0 0 1040 ')[2].partition('"')[0])
    places = {name: float(re.search(rf'y="(\d+)">{name}<', timeline)[1]) for name in names}  # type: ignore[index]
    assert len(set(places.values())) == len(names)
    assert max(places.values()) <= high


def test_every_export_is_listed(episode: Path, tmp_path: Path) -> None:
    assert set(EXPORTS) == set(about())
    assert all(about().values())
    with pytest.raises(UsageError, match="did you mean 'jsonl'"):
        export(episode, "jsonk", tmp_path / "x")
    with pytest.raises(DataError, match="cannot write"):
        export(episode, "csv", tmp_path / "no" / "a.csv", CODEC)
    with pytest.raises(DataError, match="cannot open"):
        export(tmp_path / "none.mcap", "csv", tmp_path / "a.csv")


PACKAGES = [("mp4", "av", "av"), ("lerobot", "pyarrow", "pyarrow"), ("rrd", "rerun", "rerun-sdk"),
            ("parquet", "pyarrow", "pyarrow")]


@pytest.mark.parametrize(("to", "module", "package"), PACKAGES)
def test_what_needs_a_package_says_how_to_get_it(episode: Path, tmp_path: Path, to: str, module: str, package: str) -> None:
    out = tmp_path / f"a.{to}"
    if find_spec(module) is None or (find_spec("av") is None and to == "lerobot"):
        with pytest.raises(MissingPart, match=f"pip install ({package}|av)$"):
            export(episode, to, out, CODEC)
        assert not out.exists()
    else:
        made = export(episode, to, out, CODEC)
        assert made.is_dir() if to == "lerobot" else made.stat().st_size > 1000


def test_a_video_of_nothing_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("av")
    run, _ = session(steps=1)
    recorder = recorder_of(tmp_path / "a.mcap", run, [])
    run.run()
    recorder.close()
    with pytest.raises(DataError, match="holds no pictures"):
        export(tmp_path / "a.mcap", "mp4", tmp_path / "a.mp4", CODEC)


def test_a_table_of_one_type_of_row_holds_what_json_lines_hold(episode: Path, tmp_path: Path) -> None:
    pq = pytest.importorskip("pyarrow.parquet")
    rows = pq.read_table(export(episode, "parquet", tmp_path / "a.parquet", CODEC)).to_pylist()
    lines = export(episode, "jsonl", tmp_path / "a.jsonl", CODEC).read_text("utf-8").splitlines()
    assert len(rows) == len(lines)
    for row, line in zip(rows, map(json.loads, lines), strict=True):
        content = json.loads(row.pop("content"))
        assert {name: value for name, value in row.items() if value is not None} | content == line


@pytest.mark.parametrize(("count", "most"), [(0, 5), (3, 5), (5, 5), (1000, 7)])
def test_pictures_are_spread_evenly(count: int, most: int) -> None:
    found = list(spread(count, most))
    assert len(found) == min(count, most)
    assert not found or (found[0], found[-1]) == (0, count - 1)


@pytest.mark.parametrize("form", ["jsonl", "csv", "html", "replies"])
def test_an_export_that_is_broken_off_leaves_the_older_file(form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, out = tmp_path / "a.mcap", tmp_path / "out"
    recorded(path)
    out.write_text("older")

    def broken_off(recording: Recording, part: Path) -> Path:
        part.write_text("half")
        raise KeyboardInterrupt
    monkeypatch.setattr("core.common.registry.Registry.load", lambda *_: broken_off)
    with pytest.raises(KeyboardInterrupt):
        export(path, form, out, CODEC)
    assert out.read_text() == "older"
    monkeypatch.undo()
    export(path, form, out, CODEC)
    assert out.read_text() != "older"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.mcap", "out"]


def test_a_fault_in_another_package_is_one_line_with_its_place(episode: Path, tmp_path: Path,
                                                               monkeypatch: pytest.MonkeyPatch) -> None:
    entry = EntryPoint("theirs", f"{__name__}:broken", "belvedere.exporters")
    monkeypatch.setattr(exports, "EXPORTS", Registry("export", "belvedere.exporters", {}, find=lambda group: (entry,)))
    out = tmp_path / "a.txt"
    out.write_text("older", encoding="utf-8")
    with pytest.raises(DataError) as found:
        export(episode, "theirs", out, CODEC)
    assert re.fullmatch(r"the export 'theirs' of another package failed at test_exports\.py:\d+: AttributeError: .*; "
                        r"repair that package", str(found.value))
    assert out.read_text(encoding="utf-8") == "older"


def test_many_recordings_are_one_rerun_file_that_its_own_reader_accepts(episode: Path, tmp_path: Path) -> None:
    pytest.importorskip("rerun")
    (tmp_path / "b.mcap").write_bytes(episode.read_bytes())
    out = tmp_path / "both.rrd"
    made = export_all([episode, tmp_path / "b.mcap"], "rrd", out, CODEC)
    assert made.path == out

    def read(what: str) -> str:
        done = subprocess.run([sys.executable, "-m", "rerun", "rrd", what, str(out)], check=False, capture_output=True,
                              text=True, env={**os.environ, "RERUN_ANALYTICS": "0"})
        assert done.returncode == 0, done.stderr
        return done.stdout + done.stderr

    read("verify")
    assert read("print").count("StoreInfo {") == 2
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_what_forms_are_is_said_without_options_of_the_command_line() -> None:
    assert [words for words in about().values() if "--" in words or ".md" in words] == []
