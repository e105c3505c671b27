"""The suite runs on the installed package. What it reads and writes is in folders of its own."""

from __future__ import annotations

import os
from pathlib import Path

import belvedere
import pytest

belvedere.put_on_path()

from main import main  # noqa: E402  (it is importable from here on)

PLANNERS = ("oracle", "llm-mcts", "llm-mcts-fully-observable", "uct", "llm-policy", "bcr", "llm-state", "greedy", "progprompt",
            "cloned-policy", "ff-replan", "inner-monologue")
"""The planners that play in the household, without a language model: their questions are answered from statistics."""
PICTURED = "oracle"
"""The planner whose run is recorded with pictures."""


@pytest.fixture(scope="session", autouse=True)
def own_folders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Caches, data and settings go into an empty folder, also those of processes a test starts."""
    home = tmp_path_factory.mktemp("home")
    for name in ("NUMBA_CACHE_DIR", *(f"XDG_{kind}_HOME" for kind in ("CACHE", "CONFIG", "DATA", "STATE"))):
        os.environ[name] = str(home / name.lower())
    return home


@pytest.fixture(scope="session")
def recordings() -> Path:
    """The folder of this environment's recordings, one of each planner that has run."""
    folder = Path(os.environ["BELVEDERE_RECORDINGS"], os.environ["BELVEDERE_ENVIRONMENT"])
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.fixture(scope="session")
def pictured(recordings: Path) -> Path:
    """A recording of three turns, with pictures."""
    return record(PICTURED, recordings, 3, "both")


@pytest.fixture(scope="session", params=PLANNERS)
def recording_of_each(request: pytest.FixtureRequest, recordings: Path, pictured: Path) -> Path:
    """A recording of some turns of each planner."""
    return pictured if request.param == PICTURED else record(request.param, recordings, 2, "none")


def record(planner: str, folder: Path, turns: int, views: str) -> Path:
    """Records the first turns of an episode. Returns the file."""
    path = folder / f"{planner}.mcap"
    arguments = ["run", "--planner", planner, "--seed", "1", "--max-steps", str(turns), "--record", str(path), "--views", views]
    assert main(arguments) in (0, 1), "0: reached, 1: not yet"
    return path
