"""Numbers of any length and kind in every flag that takes one: taken, or refused in one short line."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

import main
from tests.long_tests import some_pairs

WORLD = ("--scene", "four-rooms-1", "--max-steps", "1", "--task", "Put one apple inside the fridge")
ORACLE = ("run", "--planner", "oracle", *WORLD)
NUMBERS: Mapping[str, str] = {
    "400 digits": "9" * 400, "5,000 digits": "9" * 5000, "minus 400 digits": "-" + "9" * 400, "400 digits and a fraction":
    "9" * 400 + ".5", "beyond floating point": "1e400", "not a number": "nan", "infinite": "inf", "minus infinite": "-inf",
    "nought": "0", "hexadecimal": "0x10", "empty": "", "a square": "²", "with a blank of no width": "5\u200b",
}
FLAGS: Mapping[str, Callable[[str], tuple[str, ...]]] = {
    "a parameter": lambda n: ("run", "--planner", "llm-mcts", *WORLD, f"--set=simulations={n}"),
    "a parameter in the planner's name": lambda n: ("run", "--planner", f"llm-mcts:tuned+simulations={n}", *WORLD),
    "a real parameter": lambda n: ("run", "--planner", "llm-mcts", *WORLD, "--set=simulations=1", f"--set=exploration={n}"),
    "a parameter of the second planner": lambda n: (*ORACLE, "--beside", "llm-mcts", f"--beside-set=simulations={n}"),
    "a setting of the provider": lambda n: ("run", "--planner", "llm-policy", *WORLD, "--provider", "openai", "--base-url",
                                            "http://127.0.0.1:9/v1", "--ask=retries=0", "--no-cache", f"--ask=timeout={n}"),
    "the seed": lambda n: (*ORACLE, f"--seed={n}"),
    "the steps": lambda n: (*ORACLE, f"--max-steps={n}"),
    "a limit of calls": lambda n: (*ORACLE, f"--limit=calls={n}"),
    "a limit of cost": lambda n: (*ORACLE, f"--limit=cost={n}", "--prices", "m=1/2"),
    "a price": lambda n: (*ORACLE, f"--prices=m={n}/2"),
    "hands": lambda n: (*ORACLE, f"--world=hands={n}"),
    "a share": lambda n: (*ORACLE, f"--world=slippery={n}"),
    "things": lambda n: (*ORACLE, f"--world=extra=apple={n}"),
    "an expression": lambda n: (*ORACLE, f"--break=turn > {n}"),
    "the task": lambda n: (*ORACLE[:-1], f"Put {n} apples inside the fridge"),
    "the goal": lambda n: (*ORACLE[:-2], "--goal", f"inside(apple, fridge, count={n})"),
    "the size of a picture": lambda n: ("screenshot", "--cameras", "--out", "OUT.png", "--planner", "oracle", f"--size={n}x64"),
    "turns": lambda n: ("screenshot", "--cameras", "--out", "OUT.png", "--planner", "oracle", *WORLD, "--size", "64x64",
                        f"--turns={n}"),
    "a decision": lambda n: ("export", "nowhere.mcap", "--to", "html", "--out", "x.html", f"--decision=0:{n}"),
    "a watch": lambda n: ("export", "nowhere.mcap", "--to", "csv", "--out", "x.csv", f"--watch=turn + {n}"),
    "trials": lambda n: ("evaluate", "--planner", "none", "--suite", "llm-state", "--out", "OUT", f"--trials={n}"),
    "jobs": lambda n: ("evaluate", "--planner", "none", "--suite", "llm-state", "--out", "OUT", f"--jobs={n}"),
    "a query": lambda n: ("library", "OUT", f"--find=turns>{n}"),
    "an overlap": lambda n: ("agreement", "nowhere.mcap", f"--overlap={n}"),
    "an example": lambda n: ("examples", "remove", n),
    "a draw": lambda n: ("list", "tasks", "--scene", "four-rooms-1", f"--seed={n}"),
}
MOST_CHARACTERS = 700
"""Of a line: a refused task comes with tasks that are possible."""


@pytest.mark.parametrize(("number", "flag"), some_pairs(tuple(NUMBERS), tuple(FLAGS), 2))
def test_a_number_is_taken_or_refused_in_a_short_line(number: str, flag: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                                                     capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("BELVEDERE_RENDERER", "2d")
    words = [word.replace("OUT", str(tmp_path / "out")) for word in FLAGS[flag](NUMBERS[number])]
    (tmp_path / "out").mkdir()
    try:
        code = main.main(words)
    except SystemExit as end:
        code = int(str(end.code))
    said = capsys.readouterr().err
    assert code in (0, 1, 2, 3), said
    assert all(len(line) < MOST_CHARACTERS for line in said.splitlines())
    if code == 2:
        assert [line.startswith("error: ") for line in said.splitlines()].count(True) == 1
