"""The scenes to choose from: those of the present simulator, or of all that open graphs, and the operator's own files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from core.app.run_request import Request
from gui.control.choices import Choices
from gui.widgets.chooser import Choice

OPEN_GRAPH = "graph file…"
"""Name of the choice that opens a graph file."""
OWN = "Own files"
_BETWEEN = "\t"
"""Separates the simulator from the scene in names of scenes of another simulator."""


def scene_choices(request: Request, choices: Choices, files: tuple[str, ...]) -> tuple[Choice, ...]:
    """Returns the scenes with their groups.

    Args:
        request: the request of the next run.
        choices: all parts.
        files: paths of the operator's own graph files.
    """
    present = request.simulator
    if present not in choices.graph_simulators:
        return choices.scenes.get(present, ())
    found: list[Choice] = []
    for simulator in choices.graph_simulators:
        prefix = "" if simulator == present else f"{simulator}{_BETWEEN}"
        found += (replace(choice, name=f"{prefix}{choice.name}", pictured=True) for choice in choices.scenes.get(simulator, ()))
    known = {choice.name for choice in found}
    own = dict.fromkeys((*files, *((request.scene,) if request.scene not in known and is_file(request.scene) else ())))
    found += (Choice(path, Path(path).name, hint=path, note=Path(path).parent.name, group=OWN, pictured=True) for path in own)
    hint = "A household graph of VirtualHome: .json or .json.gz"
    return (*found, Choice(OPEN_GRAPH, "Open a graph file …", hint=hint, group=OWN))


def scene_of(name: str, request: Request) -> tuple[str, str]:
    """Returns the simulator and the scene that a choice names."""
    simulator, _, scene = name.rpartition(_BETWEEN)
    return simulator or request.simulator, scene


def is_file(scene: str) -> bool:
    """Returns True if a scene is named by the path of a graph file."""
    return scene.endswith((".json", ".json.gz"))
