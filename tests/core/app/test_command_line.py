"""The command line's own forms: planners in one notation, and values of options that begin with a dash."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.app.batch import BatchPlan
from core.app.command_line import parsed, request_of
from core.common.errors import UsageError
from core.evaluation.contestants import contestant, named
from core.planners.registry import Choice, parted, read_choice


@pytest.mark.parametrize(("text", "choice"), [
    ("llm-mcts", Choice("llm-mcts")),
    ("llm-mcts:paper", Choice("llm-mcts", "paper")),
    ("llm-mcts+simulations=20", Choice("llm-mcts", "", (("simulations", "20"),))),
    ("llm-mcts:paper+simulations=20+discount=9e+1", Choice("llm-mcts", "paper", (("simulations", "20"), ("discount", "9e+1")))),
    ("neoplanner+memory=/a+b/c=d.json", Choice("neoplanner", "", (("memory", "/a+b/c=d.json"),))),
])
def test_a_planner_is_read_in_one_notation(text: str, choice: Choice) -> None:
    assert read_choice(text) == parted(text) == choice
    assert named(text) == choice.planner
    args = parsed(["run", "--planner", text])
    request = request_of(args)
    assert (request.planner, request.preset, dict(request.parameters)) == (choice.planner, choice.preset, dict(choice.settings))
    (episode,) = BatchPlan((text,), ("four-rooms-1",), ("",), (0,)).episodes
    assert (episode.request.planner, episode.request.preset) == (choice.planner, choice.preset)
    assert dict(episode.request.parameters) == dict(choice.settings)


@pytest.mark.parametrize("text", ["", ":paper", "llm-mcts+simulations", "llm-mcts:paper+", "+simulations=3", "a+1=2"])
def test_another_form_is_refused_with_the_right_one(text: str) -> None:
    for read in (read_choice, contestant, lambda planner: BatchPlan((planner,), ("a",), ("",), (0,)).check()):
        with pytest.raises(UsageError, match=r"write planner:preset\+name=value, such as llm-mcts:tuned\+simulations=25"):
            read(text)


def test_the_flags_of_a_preset_and_of_parameters_add_to_the_planners_name() -> None:
    request = request_of(parsed(["run", "--planner", "llm-mcts+simulations=9+depth=3", "--preset", "paper", "--set",
                                 "simulations=10"]))
    assert (request.preset, dict(request.parameters)) == ("paper", {"simulations": "10", "depth": "3"})
    with pytest.raises(UsageError, match="--preset tuned: --planner llm-mcts:paper names another one; leave one of them out"):
        request_of(parsed(["run", "--planner", "llm-mcts:paper", "--preset", "tuned"]))


def test_every_command_that_takes_a_planner_takes_the_notation() -> None:
    for command in (["run"], ["screenshot", "--out", "a.png"], []):
        request = request_of(parsed([*command, "--planner", "llm-mcts:paper+simulations=3", "--beside", "bcr", "--seed", "1"]))
        assert (request.planner, request.preset, request.beside) == ("llm-mcts", "paper", "bcr")


@pytest.mark.parametrize(("words", "name", "value"), [
    (["library", "--sort", "-turns"], "sort", "-turns"),
    (["library", "here", "--find", "failed", "--sort", "-turns"], "sort", "-turns"),
    (["library", "--find", "-failed", "--sort", "turns"], "find", "-failed"),
    (["library", "--find", "-label:stuck -reached"], "find", "-label:stuck -reached"),
    (["run", "--task", "-put the apple in the fridge"], "task", "-put the apple in the fridge"),
    (["run", "--break", "-gap>1"], "breaks", ["-gap>1"]),
    (["agreement", "a", "--overlap", "0.5"], "overlap", 0.5),
    (["library", "--", "--sort"], "folders", [Path("--sort")]),
])
def test_a_value_may_begin_with_a_dash(words: list[str], name: str, value: object) -> None:
    assert vars(parsed(words))[name] == value


@pytest.mark.parametrize("words", [["library", "--sort"], ["library", "--sort", "--json"], ["library", "--sort", "--find", "x"],
                                   ["library", "--sort", "-h"], ["run", "--task", "--seed=3"],
                                   ["run", "--planner", "--tas", "x"]])
def test_an_option_is_no_value_of_the_one_before(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parsed(words)
    said = capsys.readouterr()
    assert "expected one argument" in said.err or said.out.startswith("usage:")
