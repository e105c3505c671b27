"""Finds scenes by name: hand-made homes, iTHOR rooms, and graph files given by path."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from core.common.errors import UsageError
from core.common.installation import RESOURCES
from core.common.registry import near_misses
from sim import ithor_types
from sim.household.graphs import load_graph_scene
from sim.household.homes import home_names, load_home
from sim.household.ithor import load_ithor_room
from sim.household.scene import Scene

SCENES_FOLDER = RESOURCES / "scenes"
ITHOR = SCENES_FOLDER / "ithor_scenes.json.gz"


def scene_names() -> tuple[str, ...]:
    """Returns the names of all scenes that have one, homes first."""
    return (*home_names(), *ithor_types.scene_names())


def scene_titles() -> tuple[tuple[str, str], ...]:
    """Returns (name, title) of each named scene."""
    return (*((name, load_home(name).title) for name in home_names()), *ithor_types.titles())


@lru_cache(maxsize=16)
def load_scene(name: str) -> Scene:
    """Returns a scene by name, or a VirtualHome graph by path (`.json` or `.json.gz`).

    Raises:
        UsageError: no such scene.
        DataError: its file is damaged.
    """
    if name in home_names():
        return load_home(name)
    if name in ithor_types.scene_names():
        return load_ithor_room(name, ITHOR)
    if name.endswith((".json", ".json.gz")):
        if not Path(name).is_file():
            raise UsageError(f"no such graph file: {name}")
        return load_graph_scene(Path(name))
    hint = near_misses(name, scene_names())
    raise UsageError(f"unknown scene '{name}'{hint}", command="" if hint else "see: python main.py list scenes")
