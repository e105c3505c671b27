"""LeRobot datasets: many recordings, constant numbers, each step's own picture, and nothing invented."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.common.errors import DataError, UsageError
from core.goals.literals import Goal, Literal
from core.recording.annotations import Annotation, Change, append
from core.recording.exports import export_all
from core.recording.exports.episodes import FIRST, OTHER, ActionNumbers, Episode, read_episode
from core.recording.exports.lerobot_columns import COLUMNS, PictureStats, columns_of, stats_of
from core.recording.exports.timeline import Pictures
from core.recording.reader import open_recording
from core.session import commands as c
from core.session import events as e
from core.session.camera import BOTH
from core.session.session import Session
from core.world.vocabulary import Action
from tests.core.recording.common import CODEC, recorder_of
from tests.core.recording.test_picture_turns import gaps, rewritten
from tests.core.session.pictured import Pictured
from tests.core.session.test_session import told
from tests.core.session.toys import LEFT, Ear, session


def recorded(path: Path, *, goal: int = 5, views: tuple[Any, ...] = BOTH, branch: bool = False, size: int = 64,
             world: type[Pictured] = Pictured) -> Path:
    """Records a run to a position of the line. The operator errs in the second turn and may fork there later."""
    run = Session(replace(session(world=world)[0].setup, goal=Goal(
        (Literal("is", "walker", None, 1, frozenset({f"at {goal}"})),), f"Walk to {goal}")))
    ear = Ear(run)
    recorder = recorder_of(path, run, [])
    if views:
        run.post(c.Look(views, size, size))
        run.post(c.KeepPictures(views))
    ear.when(lambda event: isinstance(event.what, e.TurnBegan) and event.turn == 2, c.Override(LEFT, why="to test"),
             c.Annotate("odd", "a note"))
    if branch:
        ear.when(told(e.Acted, 4), c.Fork(2))
    run.run()
    recorder.close()
    return path


def read(path: Path) -> Episode:
    return read_episode(partial(open_recording, path, CODEC))


def columns(path: Path) -> dict[str, Any]:
    episode = read(path)
    return columns_of(episode, 3, 100, 1, ActionNumbers.load(), episode.tasks)


def test_an_episode_is_the_line_that_led_to_its_outcome(tmp_path: Path) -> None:
    episode = read(recorded(tmp_path / "a.mcap", branch=True))
    assert [step.turn.number for step in episode.steps] == list(range(1, len(episode.steps) + 1)), "nobody jumps back"
    assert {step.turn.branch for step in episode.steps} == {0, 1}
    assert episode.left_out == 3
    assert episode.outcome.success
    assert episode.gaps == {"first person": (), "dollhouse": ()}
    assert (episode.certainty, episode.world) == ("of the turn", "pictured")


def test_columns_keep_what_was_done_apart_from_what_came_of_it_and_who_chose(tmp_path: Path) -> None:
    path = recorded(tmp_path / "a.mcap")
    with open_recording(path, CODEC) as recording:
        turns = recording.turns()
    append(path, Change(None, Annotation("ann 1", "good", turns[1].began, turn=2, rating=4, better="go right")))
    found = columns(path)
    count = len(found["index"])
    assert list(found) == list(COLUMNS)
    assert found["text.action"][:3] == ["go right", "go left", "go right"]
    assert found["action"].shape == (count, 3)
    assert found["action"][:, 1].tolist() == [OTHER] * count, "'left' and 'right' are no classes of things"
    assert len(set(found["action"][:, 0])) == 1, "whether it worked is no part of it"
    assert found["outcome.ok"].tolist() == [True] * count
    assert found["operator.corrected"].tolist() == [False, True] + [False] * (count - 2)
    assert found["operator.labels"][:4] == ["", "good", "odd", ""], "the second came when the turn was over"
    assert (found["operator.better"][1], found["operator.rating"].tolist()[:3]) == ("go right", [0.0, 4.0, 0.0])
    assert found["next.done"].tolist() == found["next.success"].tolist() == [False] * (count - 1) + [True]
    assert found["index"].tolist() == list(range(100, 100 + count))
    assert set(found["episode_index"].tolist()) == {3}
    assert found["observation.state"][:, 0].tolist() == [0.0] * count, "this world tells no pose"
    assert found["seconds.began"].tolist() == [turn.began for turn in turns]
    assert found["seconds.ended"].tolist() == [turn.ended for turn in turns]


def test_a_goal_that_was_changed_is_the_task_from_then_on(tmp_path: Path) -> None:
    run, ear = session(world=Pictured)
    recorder = recorder_of(tmp_path / "a.mcap", run, [])
    other = Goal((Literal("is", "walker", None, 1, frozenset({"at 6"})),), "Walk to 6")
    ear.when(lambda event: isinstance(event.what, e.TurnBegan) and event.turn == 3, c.SetGoal(other))
    run.run()
    recorder.close()
    episode = read(tmp_path / "a.mcap")
    assert episode.tasks == ("Walk to 5", "Walk to 6")
    assert [step.task for step in episode.steps] == ["Walk to 5"] * 2 + ["Walk to 6"] * 4


@pytest.mark.parametrize(("make", "message"), [
    (lambda at: [recorded(at / "a.mcap"), recorded(at / "b.mcap", world=type("Other", (Pictured,), {"name": "other"}))],
     "a.mcap is of pictured, b.mcap of other"),
    (lambda at: [recorded(at / "a.mcap"), recorded(at / "b.mcap", views=())], "b.mcap holds no pictures, .*record"),
    (lambda at: [rewritten(recorded(at / "a.mcap"), at / "b.mcap", gaps({2, 4}))],
     r"b.mcap has no first person picture of turns 2, 4, .*record"),
    (lambda at: [recorded(at / "a.mcap", views=("dollhouse",)), recorded(at / "b.mcap", views=("first person",))],
     "no camera took pictures in all"),
])
def test_what_would_have_to_be_made_up_is_refused(make: Any, message: str, tmp_path: Path) -> None:
    pytest.importorskip("av")
    pytest.importorskip("pyarrow")
    with pytest.raises(DataError, match=message):
        export_all(make(tmp_path), "lerobot", tmp_path / "set", CODEC)
    assert not (tmp_path / "set").exists()


def test_one_recording_counts_once_and_other_forms_take_one(tmp_path: Path) -> None:
    pytest.importorskip("av")
    pytest.importorskip("pyarrow")
    path = recorded(tmp_path / "a.mcap", views=())
    with pytest.raises(UsageError, match="given twice"):
        export_all([path, tmp_path / "." / "a.mcap"], "lerobot", tmp_path / "set", CODEC)
    with pytest.raises(UsageError, match="csv takes one recording at a time"):
        export_all([path, path], "csv", tmp_path / "a.csv", CODEC)


def test_an_episode_without_a_decision_is_left_out_of_a_dataset_and_named(tmp_path: Path) -> None:
    pytest.importorskip("av")
    pq = pytest.importorskip("pyarrow.parquet")
    run, _ = session(world=Pictured)
    run.post(c.Stop())
    recorder = recorder_of(tmp_path / "a.mcap", run, [])
    run.run()
    recorder.close()
    made = export_all([tmp_path / "a.mcap", recorded(tmp_path / "b.mcap")], "lerobot", tmp_path / "set", CODEC)
    assert made.missing[0] == "a.mcap holds no decision and is left out"
    assert pq.read_table(tmp_path / "set" / "meta" / "episodes" / "chunk-000" / "file-000.parquet").num_rows == 1
    with pytest.raises(DataError, match="holds no decision"):
        export_all([tmp_path / "a.mcap"], "lerobot", tmp_path / "none", CODEC)


def test_a_dataset_of_many_has_the_layout_that_loaders_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """LeRobotDataset v3.0: paths by template, a row per episode, features that match the columns; here in several files."""
    pytest.importorskip("av")
    pq = pytest.importorskip("pyarrow.parquet")
    monkeypatch.setattr("core.recording.exports.lerobot.MOST_STEPS", 11)
    paths = [recorded(tmp_path / f"{name}.mcap", goal=goal, branch=name == "b", size=64 if name != "c" else 48)
             for name, goal in (("a", 5), ("b", 4), ("c", 5))]
    made = export_all(paths, "lerobot", tmp_path / "set", CODEC)
    out, counts = made.path, [len(read(path).steps) for path in paths]
    assert counts == [7, 4, 7]
    assert made.missing == ("3 turns on other branches than the outcome's left out",
                            "labels of turn 3, no step of the dataset, are in meta/belvedere.json only",
                            "14 pictures brought to the size of the first")
    info = json.loads((out / "meta" / "info.json").read_text("utf-8"))
    assert (info["codebase_version"], info["total_episodes"], info["total_frames"], info["total_tasks"]) == ("v3.0", 3, 18, 2)
    files = [pq.read_table(out / info["data_path"].format(chunk_index=0, file_index=k)) for k in range(2)]
    assert [len(file) for file in files] == [11, 7]
    videos = {name for name, feature in info["features"].items() if feature["dtype"] == "video"}
    assert len(videos) == 2
    stats = json.loads((out / "meta" / "stats.json").read_text("utf-8"))
    for file in files:
        assert set(file.column_names) == set(info["features"]) - videos
        for name, feature in info["features"].items():
            if feature["names"] and name not in videos:
                assert file.schema.field(name).type.list_size == feature["shape"][0] == len(feature["names"])
                assert len(stats[name]["mean"]) == len(feature["names"])
    assert [k for file in files for k in file["index"].to_pylist()] == list(range(18))
    rows = pq.read_table(out / "meta/episodes/chunk-000/file-000.parquet").to_pylist()
    assert [(r["dataset_from_index"], r["dataset_to_index"], r["length"]) for r in rows] == [(0, 7, 7), (7, 11, 4), (11, 18, 7)]
    assert [r["data/file_index"] for r in rows] == [0, 0, 1]
    assert pq.read_table(out / "meta/tasks.parquet")["task"].to_pylist() == ["Walk to 5", "Walk to 4"]
    for name in videos:
        times = [(r[f"videos/{name}/from_timestamp"], r[f"videos/{name}/to_timestamp"]) for r in rows]
        assert times == [(0, 7), (7, 11), (0, 7)]
        for row in rows:
            where = {key: row[f"videos/{name}/{key}"] for key in ("chunk_index", "file_index")}
            assert (out / info["video_path"].format(video_key=name, **where)).stat().st_size > 500
        assert np.shape(stats[name]["mean"]) == (3, 1, 1)
    about = json.loads((out / "meta" / "belvedere.json").read_text("utf-8"))
    assert set(about["columns"]) == set(COLUMNS)
    assert [episode["file"] for episode in about["episodes"]] == ["a.mcap", "b.mcap", "c.mcap"]


def test_what_policies_read_and_give_are_numbers() -> None:
    """LeRobot's `dataset_to_policy_features` selects columns by these prefixes."""
    taken = {name: column for name, column in COLUMNS.items() if name.startswith(("observation", "action"))}
    assert {(name, column.dtype) for name, column in taken.items()} == {("observation.state", "float32"), ("action", "float32")}
    assert all(len(column.names) > 1 for column in taken.values()), "LeRobot makes a single number a value without a dimension"


def test_the_help_page_names_every_column() -> None:
    page = (Path(__file__).parents[3] / "resources" / "help" / "lerobot-dataset.md").read_text("utf-8")
    assert set(COLUMNS) - set(re.findall(r"`([\w.]+)`", page)) == set()


# --- numbers ---------------------------------------------------------------
def test_actions_have_the_same_numbers_wherever_they_were_done() -> None:
    numbers = ActionNumbers.load()
    assert len(set(numbers.verbs)) == len(numbers.verbs)
    assert len(set(numbers.classes)) == len(numbers.classes)
    assert numbers.of(Action("put_in", ("apple_2", "fridge_1"))) == (
        numbers.verb("put_in"), FIRST + numbers.classes.index("apple"), FIRST + numbers.classes.index("fridge"))
    assert numbers.of(Action("grab", ("apple_7",))) == (numbers.verb("grab"), FIRST + numbers.classes.index("apple"), 0)
    assert numbers.of(Action("juggle", ("unicorn_1",))) == (OTHER, OTHER, 0)


def test_published_numbers_stay() -> None:
    """Published datasets use them: new names go to the end of the table."""
    assert [ActionNumbers.load().verb(verb) for verb in PUBLISHED] == list(range(FIRST, FIRST + len(PUBLISHED)))


PUBLISHED = ("walk", "grab", "put_in", "put_on", "open", "close", "switch_on", "switch_off", "slice", "wash", "turn_left",
             "turn_right", "move_ahead", "move_back", "look_up", "look_down", "scan")


# --- statistics ------------------------------------------------------------
def test_statistics_are_those_of_the_values() -> None:
    rng = np.random.default_rng(0)
    values = rng.normal(size=(50, 3))
    found = stats_of({"x": values, "text": ["a"]})
    assert set(found) == {"x"}
    assert found["x"]["mean"] == pytest.approx(values.mean(0))
    assert found["x"]["q90"] == pytest.approx(np.quantile(values, 0.9, axis=0))
    pictures, parts = rng.integers(0, 256, (4, 10, 12, 3), np.uint8), [PictureStats(), PictureStats()]
    for number, picture in enumerate(pictures):
        parts[number % 2].add(picture)
    told, shades = PictureStats.total(parts).as_lists(), pictures / 255
    for word, value in (("mean", shades.mean((0, 1, 2))), ("std", shades.std((0, 1, 2))), ("min", shades.min((0, 1, 2))),
                        ("max", shades.max((0, 1, 2)))):
        assert np.reshape(told[word], 3) == pytest.approx(value)
    assert np.reshape(told["q50"], 3) == pytest.approx(np.median(shades, (0, 1, 2)), abs=2 / 255)
    assert told["count"] == [4]


def test_exports_say_how_many_steps_have_no_picture(tmp_path: Path) -> None:
    path = rewritten(recorded(tmp_path / "a.mcap"), tmp_path / "b.mcap", gaps({3, 4}))
    made = export_all([path], "jsonl", tmp_path / "b.jsonl", CODEC)
    assert made.line == f"wrote {tmp_path / 'b.jsonl'}; 2 of 7 steps have no first person picture"
    first = json.loads(made.path.read_text("utf-8").splitlines()[0])
    assert first["turns_without_picture"] == {"first person": [[0, 3], [0, 4]], "dollhouse": []}
    assert export_all([path], "csv", tmp_path / "b.csv", CODEC).missing == (), "it shows none"
    with open_recording(recorded(tmp_path / "c.mcap", views=()), CODEC) as recording:
        assert Pictures.of(recording).missing() == ("no step has a picture",)
