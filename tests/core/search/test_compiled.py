"""The kernel gives the same results compiled and interpreted, and says which of the two it is."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from core.common.installation import ROOT
from core.search import simulate
from core.search.compilation.availability import NEWEST_PYTHON, interpreted_note, why_interpreted
from tests.core.search.common import Kernel

WITHOUT_NUMBA = "import sys; sys.modules['numba'] = None\n"


@pytest.fixture
def kernel(tmp_path: Path) -> Kernel:
    return Kernel.made(tmp_path / "one", tmp_path / "cache")


@pytest.mark.skipif(bool(interpreted_note()), reason="there is nothing to compare with")
def test_interpreted_it_gives_the_same_to_the_last_bit(kernel: Kernel) -> None:
    compiled, interpreted = kernel.report(), kernel.report(NUMBA_DISABLE_JIT="1")
    assert (compiled["compiled"], interpreted["compiled"]) == (True, False)
    assert (interpreted["total"], interpreted["visits"]) == (compiled["total"], compiled["visits"])
    assert interpreted["count"] == compiled["count"] == 2000


def test_without_numba_it_runs_and_says_so(kernel: Kernel) -> None:
    code = WITHOUT_NUMBA + (
        "import numpy as np; from standin.outer import walk; from core.search.compilation.compile import load\n"
        "print(walk(np.array([12345], np.uint64), 2000, np.zeros(7, np.int64)).hex()); print(load('standin.warm_up'))")
    done = subprocess.run([sys.executable, "-c", code], env=kernel.surroundings(), capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    total, note = done.stdout.splitlines()
    assert total == kernel.report(NUMBA_DISABLE_JIT="1")["total"]
    assert note.startswith("the search runs interpreted, about 100 times slower: numba is not installed for this Python; ")


def test_compiling_beforehand_without_numba_is_no_failure(kernel: Kernel) -> None:
    code = WITHOUT_NUMBA + "from core.search.compilation.compile import main; sys.exit(main([]))"
    done = subprocess.run([sys.executable, "-c", code], env=kernel.surroundings(), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr.startswith("The search runs interpreted")


NOT_FOUND = ModuleNotFoundError("No module named 'numba'")


def test_numba_is_asked_for_where_the_cure_says_it_exists() -> None:
    (asked,) = [line for line in tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
                if line.startswith("numba")]
    assert f"python_version < '3.{NEWEST_PYTHON[1] + 1}'" in asked


@pytest.mark.parametrize(("error", "is_switched_off", "python", "said"), [
    (None, False, (3, 12, 1), ""),
    (None, True, (3, 12, 1), "NUMBA_DISABLE_JIT"),
    (NOT_FOUND, False, (3, 12, 1), "numba is not installed for this Python; "),
    (NOT_FOUND, False, (NEWEST_PYTHON[0], NEWEST_PYTHON[1] + 1, 0), f"make PYTHON=python3.{NEWEST_PYTHON[1]}"),
    (ImportError("Numba needs NumPy 2.5 or less. Got NumPy 3.0."), False, (3, 12, 1), "NumPy 2.5 or less"),
    (OSError("libllvmlite.so: cannot open"), False, (3, 12, 1), "libllvmlite.so"),
])
def test_the_reason_comes_with_its_cure(error: Exception | None, is_switched_off: bool, python: tuple[int, ...],
                                        said: str) -> None:
    found = why_interpreted(error, is_switched_off, python, ("linux", "x86_64"))
    assert said in found
    assert bool(found) == bool(said)


def test_an_intel_mac_is_not_told_to_install_what_is_not_there() -> None:
    assert "Intel Macs" in why_interpreted(NOT_FOUND, False, (3, 12, 1), ("darwin", "x86_64"))
    assert "Intel Macs" not in why_interpreted(NOT_FOUND, False, (3, 12, 1), ("darwin", "arm64"))


def test_there_is_a_note_only_where_it_is_interpreted() -> None:
    assert bool(interpreted_note()) != simulate.run.is_compiled
