"""It is the wheel that is tested; its command works; the search can be compiled."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

import core
from main import main

BIN = Path(sys.executable).parent
EPISODE = """
import belvedere
belvedere.put_on_path()
from core.search import simulate
from core.search.compilation.compile import load
from main import main
load()
print(simulate.run.is_compiled)
main(["run", "--planner", "llm-mcts", "--task", "Put one apple on the sofa", "--seed", "3", "--max-steps", "4", "--json"])
"""
"""Prints whether the search runs as machine code, and an episode."""


def output(*command: str | Path, **variables: str) -> str:
    done = subprocess.run(command, env={**os.environ, **variables}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_code_is_that_of_the_wheel() -> None:
    assert Path(core.__file__).is_relative_to(sys.prefix)


def test_the_wheel_holds_one_package_and_no_byte_code() -> None:
    files = [str(path) for path in metadata.files("belvedere") or ()]
    assert {path.split("/")[0] for path in files if not path.startswith("..")} - {"belvedere"} == {
        next(path.split("/")[0] for path in files if path.endswith("/METADATA"))}


def test_the_command_says_its_version() -> None:
    assert output(BIN / "belvedere", "--version").startswith("belvedere 0.")
    assert "four-rooms-4" in output(sys.executable, "-m", "belvedere", "list", "scenes")


def test_nothing_that_the_extras_bring_is_missing(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "planners"]) == 0
    assert "missing" not in capsys.readouterr().out


def test_a_suite_is_evaluated_and_plotted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cells, out = ["--cell", "seen Simple", "--cell", "unseen Simple"], str(tmp_path / "sweep")
    assert main(["evaluate", "--planner", "oracle", "--trials", "1", "--jobs", "2", *cells, "--out", out]) == 0
    assert "| oracle" in capsys.readouterr().out
    assert list((tmp_path / "sweep").rglob("*.png")), "with matplotlib"


def test_the_search_is_compiled_with_the_same_results() -> None:
    compiled, interpreted = (output(sys.executable, "-c", EPISODE, NUMBA_DISABLE_JIT=off).partition("\n") for off in ("0", "1"))
    assert (compiled[0], interpreted[0]) == ("True", "False")
    assert json.loads(compiled[2])["actions"] == json.loads(interpreted[2])["actions"] != []
