"""What every export promises: each label in the turn it was made for, a word on what is missing, and no changed recording."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from core.app.launch import build
from core.app.run_request import Request
from core.evaluation.failures import labelled_run
from core.library.summary import file_state, summarise
from core.planning.facets import Moment
from core.recording.agreement.compare import compare, episode_of
from core.recording.annotations import Annotation, Change, append, sidecar
from core.recording.exports import EXPORTS, WITHOUT_LABELS, Exported, export_all
from core.recording.exports.episodes import read_episode
from core.recording.exports.lerobot_columns import columns_of
from core.recording.label_turns import TurnLabels
from core.recording.reader import open_recording, read_each
from core.recording.recovery import recover
from core.session import commands as c
from core.session import events as e
from core.session.camera import BOTH
from core.session.session import Session
from core.world.vocabulary import Action
from sim.registry import simulator_class
from tests.core.recording.common import CODEC, recorder_of
from tests.core.recording.test_picture_turns import loaded, stubs
from tests.core.session.pictured import Pictured
from tests.core.session.toys import Ear, session

__all__ = ["stubs"]
PACKAGED = ("mp4", "rrd", "lerobot", "parquet")
"""The exports whose packages are replaced here, because they are not always installed."""
LAST = 4
"""The turn that is not finished."""


@pytest.fixture(scope="module")
def episode(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns a run that is stopped in a turn, with labels of two people at every kind of moment."""
    path = tmp_path_factory.mktemp("labelled") / "a.mcap"
    run, ear = session(world=Pictured)
    recorder = recorder_of(path, run, [])
    run.post(c.Look(BOTH, 64, 48))
    run.post(c.KeepPictures(BOTH))
    run.post(c.Annotate("live at the start", "a note of the start", annotator="ann"))
    ear.when(lambda event: isinstance(event.what, e.TurnBegan) and event.turn == 2, c.Annotate("live in two", annotator="ann"))
    ear.when(lambda event: isinstance(event.what, e.TurnBegan) and event.turn == LAST, c.Annotate("live unfinished"), c.Stop())
    run.run()
    recorder.close()
    with open_recording(path, CODEC) as recording:
        began = {turn.number: turn.began for turn in recording.turns()}
        end = recording.seconds
    assert max(began) == LAST
    given: tuple[tuple[str, float, float | None, int, dict[str, Any]], ...] = (
        ("before all", 0.0, None, 0, {"rating": 2}), ("in three", began[3], None, 3, {"rating": 4, "better": "go left"}),
        ("between", (began[2] + began[3]) / 2, None, 2, {}), ("late about one", began[3], None, 1, {"note": "see above"}),
        ("unfinished", end, None, LAST, {"rating": 1, "note": "why?"}), ("after the end", end + 9, None, LAST, {}),
        ("of no turn", end, None, 99, {}), ("early span", 0.0, began[1] / 2, 0, {}),
        ("long span", began[1], began[3], 3, {}), ("open span", began[2], None, 2, {}))
    for number, (label, at, until, turn, rest) in enumerate(given):
        a = Annotation(f"ben {number}", label, at, until, "span" in label, turn, 0, annotator="ben", **rest)
        append(path, Change(None, a))
    return path


def turns_of(path: Path) -> dict[str, list[int]]:
    """Returns the turns in which each label counts."""
    with open_recording(path, CODEC) as recording:
        labels = TurnLabels.of(recording)
        return {a.label: [turn for _, turn in labels.row(a)["turns"]] for a in labels.given}


def test_a_label_counts_in_the_turn_it_was_made_for_and_an_interval_in_all_it_shares_time_with(episode: Path) -> None:
    assert turns_of(episode) == {
        "live at the start": [1], "live in two": [2], "live unfinished": [LAST], "before all": [0], "in three": [3],
        "between": [2], "late about one": [1], "unfinished": [LAST], "after the end": [LAST], "of no turn": [99],
        "early span": [0], "long span": [1, 2, 3], "open span": [2, 3, LAST]}
    with open_recording(episode, CODEC) as recording:
        labels = TurnLabels.of(recording)
        assert [(m.turn, labels.state(m)) for m in labels.elsewhere()] == [
            (0, "before the first turn"), (LAST, "not finished"), (99, "not in the recording")]
        assert [labels.rating(Moment(0, turn)) for turn in range(LAST + 1)] == [2, None, None, 4, 1]


# --- each export ----------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class Case:
    """An export under test.

    Attributes:
        stub: the packages that are replaced.
        patch: replaces functions.
    """

    stub: dict[str, Any]
    patch: pytest.MonkeyPatch

    def written(self, name: str, paths: Sequence[Path], out: Path) -> tuple[str, str]:
        """Returns the text of an export, as its readers see it, and the line about it."""
        films: list[str] = []

        def film(pictures: Any, out: Path, rate: int, about: dict[str, str] | None = None, **_: int) -> int:
            out.touch()
            films.append("" if about is None else "\n".join(about.values()))
            return len(list(pictures))

        if name in PACKAGED:
            module = loaded(name)
            if name in ("mp4", "lerobot"):
                self.patch.setattr(module, "write_video", film)
            if name == "lerobot":
                self.patch.setattr(module, "write_parquet", lambda table, path: path.parent.mkdir(parents=True, exist_ok=True))
                self.patch.setattr(module, "write_tasks", lambda tasks, path: None)
            self.patch.setattr("core.common.registry.Registry.load", lambda _, name: loaded(name).write)
        made = export_all(paths, name, out, CODEC) if name not in ("rrd", "parquet") else self._touched(name, paths, out)
        assert "\n" not in made.line
        return "\n".join([*films, self._text(name, made.path, paths)]), made.line

    def _touched(self, name: str, paths: Sequence[Path], out: Path) -> Exported:
        """Exports with a package that is replaced and so makes no file."""
        out.with_name(f".{out.name}.part").touch()
        return export_all(paths, name, out, CODEC)

    def _text(self, name: str, out: Path, paths: Sequence[Path]) -> str:
        if name == "lerobot":
            return (out / "meta" / "belvedere.json").read_text("utf-8")
        if name == "rrd":
            logged = [self.stub["rerun"].TextLog.call_args_list, self.stub["rerun"].TextDocument.call_args_list]
            return "\n".join(str(call.args[0]) for calls in logged for call in calls)
        if name == "parquet":
            tables = self.stub["pyarrow"].Table.from_pylist.call_args_list
            return "\n".join(row["content"] for call in tables for row in call.args[0])
        if name == "mp4":
            with open_recording(paths[0], CODEC) as recording:
                return "\n".join(line for _, x in loaded("mp4").captions(recording) for line in (*x.labels, *x.end))
        return out.read_text("utf-8-sig")


@pytest.fixture
def case(stubs: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> Case:
    return Case(stubs, monkeypatch)


@pytest.mark.parametrize("name", sorted(set(EXPORTS) - WITHOUT_LABELS))
def test_no_label_rating_or_note_is_missing(name: str, episode: Path, tmp_path: Path, case: Case) -> None:
    text, _ = case.written(name, [episode], tmp_path / "out")
    for label in turns_of(episode):
        assert label in text, name
    for words in ("a note of the start", "why?", "see above", "go left"):
        assert words in text, name


@pytest.mark.parametrize("name", sorted(WITHOUT_LABELS))
def test_exports_that_hold_no_labels_say_so(name: str, episode: Path, tmp_path: Path, case: Case) -> None:
    _, line = case.written(name, [episode], tmp_path / "out")
    assert f"labels left out: {name} holds none" in line


@pytest.mark.parametrize("name", sorted(EXPORTS))
def test_an_export_of_a_part_says_so_and_changes_nothing(name: str, episode: Path, tmp_path: Path, case: Case) -> None:
    path = cut_off(episode, tmp_path)
    before = state_of(path.parent)
    text, line = case.written(name, [path], tmp_path / "out")
    assert "a.mcap is only partly there, 3 turns of it: it was cut off" in line
    assert state_of(path.parent) == before
    if name not in WITHOUT_LABELS:
        assert "a.mcap is only partly there" in text
        assert [label for label in turns_of(path) if label not in text] == []


def cut_off(episode: Path, folder: Path) -> Path:
    """Returns a copy of a recording that was cut off, with the labels beside it, in a folder of its own."""
    path = folder / "in" / "a.mcap"
    path.parent.mkdir()
    path.write_bytes(episode.read_bytes()[:-400])
    sidecar(path).write_bytes(sidecar(episode).read_bytes())
    return path


def state_of(folder: Path) -> dict[str, tuple[bytes, int]]:
    """Returns the content and time of change of each file."""
    return {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in folder.iterdir()}


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def test_tables_have_a_row_for_each_turn_with_labels(episode: Path, tmp_path: Path) -> None:
    found = rows(export_all([episode], "csv", tmp_path / "a.csv", CODEC).path)
    assert [(int(row["turn"]), row["turn_state"]) for row in found] == [
        (0, "before the first turn"), (1, ""), (2, ""), (3, ""), (LAST, "not finished"), (99, "not in the recording")]
    counted = turns_of(episode)
    for row in found:
        assert set(row["labels"].split("; ")) == {label for label, turns in counted.items() if int(row["turn"]) in turns}
    assert [row["rating"] for row in found] == ["2.0", "", "", "4.0", "1.0", ""]
    listed = rows(export_all([episode], "labels", tmp_path / "b.csv", CODEC).path)
    assert {row["label"]: [int(turn.partition(":")[2]) for turn in row["turns"].split("; ")] for row in listed} == counted
    assert {row["id"] for row in listed if row["kind"] == "state"} == {"ben 7", "ben 8", "ben 9"}
    lines = [json.loads(line) for line in export_all([episode], "jsonl", tmp_path / "c", CODEC).path.read_text().splitlines()]
    assert {row["label"]: [turn for _, turn in row["turns"]] for row in lines if row["line"] == "annotation"} == counted


def test_a_dataset_has_labels_in_their_steps_and_names_the_others(episode: Path, tmp_path: Path, case: Case) -> None:
    made = read_episode(partial(open_recording, episode, CODEC))
    table = columns_of(made, 0, 0, 1, loaded("episodes").ActionNumbers.load(), made.tasks)
    counted = turns_of(episode)
    for turn, cell in enumerate(table["operator.labels"], 1):
        assert set(cell.split("; ")) == {label for label, turns in counted.items() if turn in turns}
    assert table["operator.rating"].tolist() == [0.0, 0.0, 4.0]
    _, line = case.written("lerobot", [episode], tmp_path / "set")
    turns = "before the first turn, turn 4 (not finished), turn 99 (not in the recording)"
    assert f"labels of {turns}, no step of the dataset" in line


def test_many_recordings_are_one_table_of_labels(episode: Path, tmp_path: Path) -> None:
    other = tmp_path / "b.mcap"
    other.write_bytes(episode.read_bytes())
    made = export_all([episode, other], "labels", tmp_path / "labels.csv", CODEC)
    found = [row["recording"] for row in rows(made.path)]
    assert [found.count("a.mcap"), found.count("b.mcap")] == [13, 3], "labels made later are beside the first"


def test_agreement_counts_labels_before_between_and_after_turns(episode: Path) -> None:
    with open_recording(episode, CODEC) as recording:
        known = episode_of(recording)
    found = compare([known], ("ann", "ben"))
    assert {row.label for row in found.rows if row.measure == "label"} >= {"early span", "before all", "unfinished"}
    assert found.turns == LAST


# --- other readers --------------------------------------------------------------------------
READERS: dict[str, Callable[[Path], str]] = {
    "failures": lambda path: read_each((path,), labelled_run, print, CODEC)[0].notice,  # type: ignore[union-attr]
    "library": lambda path: summarise(path, file_state(path), CODEC).entry.problem,
    "agreement": lambda path: told(path),
    "recover": lambda path: recover(path, path.parent.parent / "whole.mcap", CODEC).line,
}


def told(path: Path) -> str:
    """Returns what is said of a recording that is read with others."""
    said: list[str] = []
    read_each((path,), episode_of, said.append, CODEC)
    return "\n".join(said)


@pytest.mark.parametrize("name", READERS)
def test_other_readers_say_that_a_recording_is_partial_and_change_nothing(name: str, episode: Path, tmp_path: Path) -> None:
    path = cut_off(episode, tmp_path)
    before = state_of(path.parent)
    assert "cut off" in READERS[name](path)
    assert state_of(path.parent) == before


# --- pages and films for people ---------------------------------------------------------------
ID = re.compile(r"\b[a-z]+(?:_[a-z]+)*_\d+\b")


@pytest.fixture(scope="module")
def household(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns a run in a home with an override."""
    path = tmp_path_factory.mktemp("household") / "a.mcap"
    setup = build(Request("oracle", task="Put one apple inside the fridge"), simulator_class)
    run = Session(replace(setup, most_steps=4))
    ear = Ear(run)
    recorder = recorder_of(path, run, [])
    elsewhere = c.Override(Action("walk", ("living_room_1",)))
    ear.when(lambda event: isinstance(event.what, e.TurnBegan) and event.turn == 2, elsewhere)
    run.run()
    recorder.close()
    return path


@pytest.mark.usefixtures("case")
def test_what_people_read_names_things_and_has_no_ids(household: Path, tmp_path: Path) -> None:
    html = export_all([household], "html", tmp_path / "a.html", CODEC).path.read_text("utf-8")
    read = [unescape(re.sub(r"<style.*?</style>|<script.*?</script>|<[^>]+>", " ", html, flags=re.DOTALL)),
            *re.findall(r"<title>(.*?)</title>", html)]
    with open_recording(household, CODEC) as recording:
        read += [f"{x.action} {x.because}" for _, x in loaded("mp4").captions(recording)]
    assert "walk to living room 1" in read[0]
    assert not [found for text in read for found in ID.findall(text)]


def test_a_film_tells_the_time_of_work_as_the_page_does(household: Path, case: Case) -> None:
    film = loaded("mp4")
    with open_recording(household, CODEC) as recording:
        made = film.decisions(recording)
        late = tuple(replace(d, turn=replace(d.turn, began=d.turn.began + 60)) for d in made)  # a person was waited for
        case.patch.setattr(film, "decisions", lambda *_: late)
        assert [x.when.partition(" · ")[0] for _, x in film.captions(recording)] == [
            f"{d.turn.work_began:.1f} s" for d in made]
