"""`python main.py` with options and without a command: the window is ready for what they say, or one line says why not."""

from __future__ import annotations

from pathlib import Path

import pytest

import main
from core.app.command_line import parsed
from core.llm.model_config import ModelConfig, ModelConfigs, models_file, write_models
from gui.control.parts import Parts


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[Parts]:
    """The parts that windows would be made of."""
    found: list[Parts] = []
    monkeypatch.setenv("DISPLAY", ":0")

    def opens(parts: Parts) -> int:
        found.append(parts)
        return 0

    monkeypatch.setattr("gui.app.run_console", opens)
    return found


def test_the_window_opens_with_a_formal_goal_and_not_with_the_sample_task(opened: list[Parts]) -> None:
    assert main.main(["--goal", "inside(apple, fridge)"]) == 0
    request = opened[0].request
    assert (request.goal, request.task, opened[0].show_welcome) == ("inside(apple, fridge)", "inside(apple, fridge)", False)


def test_the_window_opens_with_what_the_flags_say(opened: list[Parts], tmp_path: Path) -> None:
    file = tmp_path / "m.toml"
    file.write_text('provider = "openai"\nmodel = "m"\nlimits = { calls = 7 }\n', encoding="utf-8")
    words = ["--planner", "bcr", "--task", "Close the fridge", "--seed", "7", "--model-config", str(file), "--max-steps", "9",
             "--no-cache", "--record"]
    assert main.main(words) == 0
    request = opened[0].request
    assert (request.planner, request.task, request.seed, request.max_steps, request.cache) == ("bcr", "Close the fridge", 7, 9,
                                                                                             False)
    assert (request.provider, dict(request.model), request.limits.calls) == ("openai", {"model": "m"}, 7)
    assert (opened[0].record, opened[0].show_welcome) == (True, False)


def test_without_flags_it_is_the_sample_episode(opened: list[Parts]) -> None:
    assert main.main([]) == 0
    assert opened[0].request == main.first_request()
    assert opened[0].models == models_file()


def test_another_scene_has_a_task_of_its_own(opened: list[Parts]) -> None:
    assert main.main(["--scene", "four-rooms-2"]) == 0
    assert (opened[0].request.scene, opened[0].request.task) == ("four-rooms-2", "")


def test_the_chosen_model_of_the_user_is_asked_unless_flags_name_another(opened: list[Parts]) -> None:
    write_models(models_file(), ModelConfigs((ModelConfig("Far", "openai", {"model": "far"}),), "Far"))
    try:
        assert main.main([]) == 0
        assert dict(opened[0].request.model) == {"model": "far"}
        assert main.main(["--provider", "human"]) == 0
        assert (opened[1].request.provider, dict(opened[1].request.model)) == ("human", {})
        models_file().write_text("[", encoding="utf-8")
        assert main.main([]) == 0  # said in the window
        assert opened[2].request.provider == "commonsense"
    finally:
        models_file().unlink()


@pytest.mark.parametrize(("words", "told"), [
    (["--planner", "uct", "run"], "--planner stands before 'run'"),
    (["--seed", "7", "list", "scenes"], "--seed stands before 'list'"),
    (["--planner", "utc"], "did you mean 'uct'?"),
    (["--sim", "househol"], "did you mean 'household'?"),
    (["--provider", "opnai"], "did you mean 'openai'?"),
    (["--set", "simulations=many"], "write a whole number"),
    (["--preset", "none"], "has no preset"),
    (["--provider", "openai", "--ask", "timeot=3"], "did you mean 'timeout'?"),
    (["--model-config", "nowhere.toml"], "there is no file"),
    (["--limit", "calls"], "write NAME=VALUE"),
    (["--task", " "], "--task is empty"),
    (["--json"], "unrecognized arguments: --json"),
])
def test_mistakes_are_one_line_before_a_window_opens(words: list[str], told: str, opened: list[Parts],
                                                     capsys: pytest.CaptureFixture[str]) -> None:
    try:
        code = main.main(words)
    except SystemExit as end:
        code = int(str(end.code))
    said = capsys.readouterr().err
    assert (code, opened) == (2, [])
    assert told in said
    assert said.count("\n") == 1


def test_options_after_a_command_are_that_commands(monkeypatch: pytest.MonkeyPatch) -> None:
    args = parsed(["run", "--planner", "uct"])
    assert (args.command, args.planner, args.seed) == ("run", "uct", 0)


def test_without_a_display_options_are_not_ignored(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(main, "_has_display", lambda: False)
    assert main.main(["--planner", "uct"]) == 2
    assert "write `run` before the options" in capsys.readouterr().err
