"""Settings of a running VirtualHome."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from core.common.errors import UsageError
from sim.virtualhome.unity.player_client import TIMEOUT

DEFAULT = "http://127.0.0.1:8080"
CHARACTER = "Chars/Female2"
NAMES = ("url", "executable", "character", "timeout", "graph")


@dataclass(frozen=True, slots=True)
class Settings:
    """Where Unity is, and how it is set up.

    Attributes:
        url: of one that runs already.
        executable: the program to start instead. It ends with the simulator.
        character: resource of the character, such as `Chars/Female2`.
        timeout: seconds an answer may take.
        graph: a graph file the apartment is changed into (`expand_scene`).
    """

    url: str = DEFAULT
    executable: str = ""
    character: str = CHARACTER
    timeout: float = TIMEOUT
    graph: str = ""

    @classmethod
    def read(cls, options: Mapping[str, str]) -> Self:
        """Reads the settings from text.

        Raises:
            UsageError: an unknown setting, or a value that makes no sense.
        """
        for option in options:
            if option not in NAMES:
                raise UsageError(f"unknown world option '{option}': virtualhome-unity has {', '.join(NAMES)}")
        if "url" in options and "executable" in options:
            raise UsageError("url and executable exclude each other: name the running VirtualHome, or the one to start")
        graph = options.get("graph", "")
        if graph and not Path(graph).is_file():
            raise UsageError(f"no such graph file: {graph}")
        return cls(options.get("url", DEFAULT), options.get("executable", ""), options.get("character", CHARACTER),
                   _seconds(options.get("timeout", str(TIMEOUT))), graph)


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < math.inf:
        raise UsageError(f"timeout={text}: give seconds, such as {TIMEOUT:g}")
    return value
