"""The command line as a user meets it: its output, its exit codes, and one line for every mistake."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image

import main
from core.app.command_line import LISTS
from core.planning.examples import Example
from core.planning.facets import Moment
from core.recording.examples import ExampleSet
from core.recording.reader import open_recording
from gui.control.parts import Parts
from tests.long_tests import some_pairs
from tests.loopback.chat_server import completion, serving

ROOT = Path(__file__).resolve().parents[1]
APPLE = ["run", "--planner", "oracle", "--scene", "four-rooms-1", "--task", "Put one apple inside the fridge", "--seed", "0"]


def test_run_prints_the_promised_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.main([*APPLE, "--json"]) == 0
    out, err = capsys.readouterr()
    value = json.loads(out)
    assert value["success"] is True
    assert value["steps"] == len(value["actions"]) > 0
    assert value["goal"][0]["have"] == value["goal"][0]["count"] == 1
    last = value["actions"][-1]
    assert last == {"verb": "put_in", "args": last["args"], "by": "planner", "ok": True, "reason": ""}
    assert set(value["seconds"]) == {"total", "work", "person", "compiling", "thinking", "waiting", "simulator"}
    assert (value["llm_calls"], value["seed"], value["planner"]) == (0, 0, "oracle")
    assert value["versions"]["python"]
    assert "put_in" in err, "progress goes to stderr"


def test_run_exits_with_one_when_the_goal_is_missed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.main([*APPLE, "--max-steps", "1", "--json"]) == 1
    value = json.loads(capsys.readouterr().out)
    assert value["success"] is False
    assert value["ended"] == "steps used up"
    assert value["goal"][0]["reached"] is False


def test_run_exits_with_three_at_a_breakpoint(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.main([*APPLE, "--break", 'action == "grab"', "--trace", "turn > 1", "--json"]) == 3
    out, err = capsys.readouterr()
    value = json.loads(out)
    assert (value["success"], value["stopped_by"]) == (False, "breakpoint")
    assert all(action["verb"] != "grab" for action in value["actions"])
    assert "Stopped before “grab" in err
    assert "Logged: turn 2" in err


def test_the_same_seed_prints_the_same_episode(capsys: pytest.CaptureFixture[str]) -> None:
    values = []
    for _ in range(2):
        main.main(["run", "--scene", "four-rooms-3", "--seed", "7", "--json"])
        value = json.loads(capsys.readouterr().out)
        del value["seconds"]
        values.append(value)
    assert values[0] == values[1]


VIEWS = {"": ("first person", "dollhouse"), "--views dollhouse": ("dollhouse",), "--no-pictures": ()}


@pytest.mark.parametrize(("flags", "renderer"), some_pairs(tuple(VIEWS), ("auto", "2d"), 1))
def test_a_recorded_run_has_the_pictures_of_every_turn(flags: str, renderer: str, tmp_path: Path,
                                                       monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BELVEDERE_RENDERER", renderer)
    path = tmp_path / "a.mcap"
    assert main.main([*APPLE, "--max-steps", "3", "--record", str(path), *flags.split()]) == main.NOT_REACHED
    with open_recording(path) as recording:
        assert recording.picture_rows.views == VIEWS[flags]
        assert not recording.notice
        moments = [Moment(turn.branch, turn.number) for turn in recording.turns()]
        assert moments
        for view in recording.picture_rows.views:
            assert [recording.picture_rows.of(view, moment) for moment in moments].count(None) == 0
            assert recording.picture_rows.of(view, moments[-1], acted=True) != recording.picture_rows.of(view, moments[-1])


MISTAKES = [
    ([*APPLE, "--views", "dollhouse", "--no-pictures"], "not allowed with"),
    ([*APPLE, "--views", "side"], "dollhouse"),
    (["run", "--scene", "four-rooms-9"], "four-rooms"),
    (["run", "--planner", "oracel"], "oracle"),
    (["run", "--sim", "unreal"], "household"),
    (["run", "--task", "Put one unicorn inside the fridge"], "unicorn"),
    (["run", "--task", "Juggle the apple"], "juggle the apple"),
    (["run", "--task", "Put one bed inside the fridge"], "a bed cannot be carried"),
    (["run", "--task", "Put nine apples inside the fridge"], "and 9 are wanted"),
    (["run", "--seed", "-1"], "seed"),
    (["run", "--seed", "many"], "seed"),
    (["run", "--max-steps", "0"], "max-steps"),
    (["run", "--world", "seeing"], "name=value"),
    (["run", "--world", "seeing=x-ray"], "room"),
    (["run", "--world", "gravity=1"], "gravity"),
    (["run", "--world", "hands=3"], "hands"),
    (["run", "--scene", "nowhere.json"], "nowhere.json"),
    (["run", "--frobnicate"], "--frobnicate"),
    ([*APPLE, "--break", "gap <"], "--break 'gap <': character 6"),
    ([*APPLE, "--trace", "entrpy > 1"], "did you mean entropy?"),
    (["export", "nowhere.mcap", "--to", "jsonl", "--watch", "gap", "--out", "x.jsonl"], "--watch is for --to csv or html"),
    (["export", "nowhere.mcap", "--to", "csv", "--watch", "action", "--out", "x.csv"], "a text cannot be plotted"),
    (["dance"], "dance"),
    (["list", "unicorns"], "unicorns"),
    (["recover", "nowhere.mcap"], "nowhere.mcap"),
    (["export", "nowhere.mcap", "--to", "csv", "--out", "x.csv"], "nowhere.mcap"),
    (["screenshot", "--out", "x.png", "--size", "wide"], "size"),
    (["screenshot", "--out", "x.png", "--turns", "-1"], "turns"),
    (["screenshot"], "--out"),
]


@pytest.mark.parametrize(("words", "named"), MISTAKES, ids=[" ".join(m[0]) for m in MISTAKES])
def test_mistakes_are_one_line_and_exit_two(words: list[str], named: str, capsys: pytest.CaptureFixture[str]) -> None:
    try:
        code = main.main(words)
    except SystemExit as stop:  # argparse exits by itself
        code = int(str(stop.code))
    out, err = capsys.readouterr()
    errors = [line for line in err.splitlines() if line.startswith("error:")]
    assert code == 2
    assert out == ""
    assert len(errors) == 1
    assert err.splitlines()[-1] == errors[0]
    assert named in errors[0].lower()
    assert "Traceback" not in err


def test_a_damaged_graph_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "flat.json"
    path.write_text('{"nodes": [{"id": 1}], "edges": []}')
    assert main.main(["run", "--scene", str(path)]) == 2
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize("what", LISTS)
def test_lists_hold_something(what: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.main(["list", what]) == 0
    out = capsys.readouterr().out
    assert out.strip()
    assert {"planners": "oracle", "simulators": "household", "scenes": "FloorPlan430"}.get(what, "") in out


@pytest.mark.gl
def test_a_screenshot_shows_both_cameras(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "shot.png"
    assert main.main(["screenshot", "--turns", "2", "--out", str(path), "--cameras", "--size", "320x240"]) == 0
    with Image.open(path) as image:
        assert image.size == (640, 240)
    assert str(path) in capsys.readouterr().err
    assert main.main(["screenshot", "--out", str(tmp_path / "no" / "where.png"), "--cameras", "--size", "64x64"]) == 2
    assert "where.png" in capsys.readouterr().err


def test_a_screenshot_of_the_window_names_the_scene_it_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[Parts] = []
    monkeypatch.setattr("gui.offscreen.render_window", lambda parts, *rest: shown.append(parts))
    assert main.main(["screenshot", "--planner", "oracle", "--out", str(tmp_path / "window.png")]) == 0
    request, choices = shown[0].request, shown[0].choices
    assert request.scene in {choice.name for choice in choices.scenes[request.simulator]}


@pytest.mark.parametrize(
    "text", ["walk to the kitchen", "", "我不知道", '{"plan": [1, 2]}', "Inside fridge, On kitchen table.", "x " * 500_000]
)
def test_a_model_that_always_says_the_same_makes_a_run_slow_but_never_wrong(
    text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with serving(lambda body: completion(*[text] * int(body.get("n", 1)))) as server:
        code = main.main(
            [
                *("run", "--planner", "llm-mcts", "--provider", "openai", "--base-url", server.base_url),
                *("--no-cache", "--json"),
                *("--task", "Put one apple inside the fridge", "--set", "simulations=40"),
            ]
        )
    out, err = capsys.readouterr()
    value = json.loads(out)
    assert code == (0 if value["success"] else 1)
    assert value["provider"] == "openai"
    assert 0 < value["llm_calls"] <= len(server.requests), "a question may take several requests"
    refused = [a for a in value["actions"] if not a["ok"]]
    assert all("no room" in a["reason"] or "does not fit" in a["reason"] for a in refused), refused
    assert "Traceback" not in err


def test_choosing_examples_is_no_call_of_the_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    ExampleSet().add([Example("Put one apple inside the fridge", (), "you are beside a unicorn.", "grab apple_1", "", "here")])
    with serving(lambda body: completion(*[""] * int(body.get("n", 1)))) as server:
        main.main([*("run", "--planner", "llm-mcts", "--provider", "openai", "--base-url", server.base_url, "--no-cache"),
                   *("--json", "--task", "Put one apple inside the fridge", "--set", "simulations=10", "--max-steps", "3")])
    value = json.loads(capsys.readouterr().out)
    assert any("unicorn" in json.dumps(request) for request in server.requests), "the example is told"
    assert 0 < value["llm_calls"] <= len(server.requests)


def test_a_server_that_is_not_there_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    words = [
        "run",
        "--planner",
        "llm-mcts",
        "--provider",
        "openai",
        "--base-url",
        "http://127.0.0.1:9/v1",
        "--ask",
        "retries=0",
    ]
    assert main.main([*words, "--no-cache"]) == 2
    error = [line for line in capsys.readouterr().err.splitlines() if line.startswith("error:")]
    assert len(error) == 1
    assert "127.0.0.1:9" in error[0]


def test_a_reader_that_has_seen_enough_is_no_error() -> None:
    reads, writes = os.pipe()
    os.close(reads)
    done = subprocess.run([sys.executable, main.__file__, "list", "parameters"], stdout=writes, stderr=subprocess.PIPE,
                          text=True, timeout=60, check=False)
    os.close(writes)
    assert (done.returncode, done.stderr) == (0, "")


HEAVY = ("mcap", "google.protobuf", "PIL", "msgspec", "zstandard", "networkx", "openai", "joblib", "keyring",
         "pyqtgraph", "core.session.session", "core.recording.reader", "core.recording.codec", "core.app.launch",
         "core.planners.llm_mcts.planner", "sim.household", "numba")
"""Modules that a run, a recording or a sweep needs, and that a start of the program must not load."""
UNUSED = ("openai", "networkx", "joblib", "PySide6", "keyring", "numba")
RECORDINGS = ("mcap", "google.protobuf", "PIL", "msgspec", "zstandard", "core.recording.codec", "core.recording.reader")
STARTS = (
    {"import main; main.parser()": (*HEAVY, "PySide6", "core.evaluation.suites", "numpy", "core.planning.planner",
                                     "core.simulator.base"),
     "main.main(['list', 'planners'])": (*UNUSED, "mcap", "core.session"),
     "main.main(['run', '--planner', 'oracle', '--seed', '3', '--max-steps', '1'])":
         (*UNUSED, *RECORDINGS, "core.llm.goal_translation", "sim.rendering.top_view")},
    {"import main, gui.app; main.console_parts(main.first_request())": HEAVY},
)
"""Starts, each of one process, and what it must not have loaded after each step: the program, lists, a run, the window."""


@pytest.mark.parametrize("start", STARTS, ids=["commands", "window"])
def test_a_start_loads_nothing_that_can_wait(start: dict[str, tuple[str, ...]]) -> None:
    steps = [f"{step}\nprint(chr(12), *sys.modules)" for step in start]
    done = subprocess.run([sys.executable, "-c", "\n".join(("import sys", *steps))], capture_output=True, text=True, check=True,
                          cwd=ROOT, env={**os.environ, "QT_QPA_PLATFORM": "offscreen"})
    for loaded, (step, unwanted) in zip(done.stdout.split("\f")[1:], start.items(), strict=True):
        assert set(loaded.split()) & set(unwanted) == set(), step


def test_what_the_window_names_at_first_keeps_its_name() -> None:
    few, all_ = main.few_choices(main.first_request()), main.choices()
    assert not few.complete
    assert all_.complete
    request = main.first_request()
    pairs = ((few.planners, all_.planners), (few.simulators, all_.simulators), (few.providers, all_.providers),
             (few.scenes[request.simulator], all_.scenes[request.simulator]))
    for shown, later in pairs:
        assert len(shown) == 1
        assert [(c.title, c.is_model) for c in later if c.name == shown[0].name] == [(shown[0].title, shown[0].is_model)]


def test_an_empty_task_is_a_mistake(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.main(["run", "--task", " "]) == 2
    assert "--task" in capsys.readouterr().err


def test_the_forms_of_an_export_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main.main(["export", "--help"])
    assert "html, mp4" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        main.main(["export", "a.mcap", "--to", "pdf", "--out", "a.pdf"])
    assert "pdf" in capsys.readouterr().err


def test_the_sample_episode_has_something_to_watch(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.main(["run", "--planner", "oracle", "--seed", str(main.SAMPLE_SEED), "--task", main.SAMPLE_TASK, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["steps"] >= 5
